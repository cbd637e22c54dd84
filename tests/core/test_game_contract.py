"""The contract of `Game`, for all games in all variants."""

import copy
import itertools
import json
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import trick_envs
from tests.helpers import DEFAULTS, VARIANTS, play, random_actions, reached_states, without_chance
from trick_envs.core import batch
from trick_envs.core.game import Game, States
from trick_envs.core.options import check_options
from trick_envs.core.random import seeds_for
from trick_envs.core.state import MAX_ACTIONS, MAX_SEATS

SEEDS = st.integers(0, 2**40)

variants = pytest.mark.parametrize("game", VARIANTS)
defaults = pytest.mark.parametrize("game", DEFAULTS)


# --- playing ------------------------------------------------------------------------------------------


@variants
@given(seed=SEEDS)
def test_somebody_can_move_exactly_until_the_game_is_over(game: Game, seed: int) -> None:
    for states, _, _ in play(game, 3, seed):
        current_players = game.current_players(states)
        masks = game.action_masks(states)
        assert current_players.shape == (3,)
        assert current_players.dtype == np.int8
        assert masks.shape == (3, game.num_actions)
        assert masks.dtype == np.int8
        assert ((current_players >= -1) & (current_players < game.num_players)).all()
        assert set(np.unique(masks)) <= {0, 1}
        assert (masks.any(axis=1) == (current_players >= 0)).all()
        assert (masks.sum(axis=1) <= MAX_ACTIONS).all()
        assert (game.winners(states).any(axis=1) == (current_players < 0)).all()


@variants
@given(seed=SEEDS)
def test_observations_are_zeros_and_ones_and_the_default_is_the_movers(game: Game, seed: int) -> None:
    for states, _, _ in play(game, 2, seed):
        current_players = game.current_players(states)
        seen = game.observations(states)
        assert seen.shape == (2, game.observation_size)
        assert seen.dtype == np.int8
        assert ((seen == 0) | (seen == 1)).all()
        np.testing.assert_array_equal(seen, game.observations(states, np.maximum(current_players, 0)))


def cards_in_places(d: dict[str, Any]) -> list[str]:
    """All cards held or played; those that a burst has brought back into play count where they are now."""
    back = {card for burst in d.get("bursts", []) for card in burst["cards"]}
    places = [card for hand in d["hands"] for card in hand] + [card_of(text) for _, text, *_ in d["trick"]]
    return places + [card_of(text) for plays in d["history"] for _, text, *_ in plays if text not in back]


def card_of(play: str) -> str:
    """The card of a play, which may say how it is played, too: sideways, with a joker."""
    return play.rstrip("'+-")


@variants
@given(seed=SEEDS)
def test_no_card_is_in_two_places(game: Game, seed: int) -> None:
    for states, _, _ in play(game, 1, seed):
        d = game.to_dict(states[0])
        places = cards_in_places(d)
        assert len(places) == len(set(places))


@variants
@given(seed=SEEDS)
def test_rewards_add_up_to_the_returns(game: Game, seed: int) -> None:
    total = np.zeros((3, game.num_players))
    for states, _, rewards in play(game, 3, seed):
        np.testing.assert_allclose(game.returns(states), total, atol=1e-4)
        assert rewards.shape == (3, game.num_players)
        assert rewards.dtype == np.float32
        total += rewards


@variants
@given(seed=SEEDS)
def test_returns_are_what_the_reward_setting_says(game: Game, seed: int) -> None:
    for states, _, _ in play(game, 3, seed):
        scores, winners, returns = game.scores(states), game.winners(states), game.returns(states)
        assert scores.shape == winners.shape == returns.shape == (3, game.num_players)
        for i in range(3):
            if game.options["reward"] == "outcome":
                num_winners = winners[i].sum()
                expected = np.zeros(game.num_players)
                if 0 < num_winners < game.num_players:
                    losing = -1 / (game.num_players - num_winners)
                    expected = np.where(winners[i], 1 / num_winners, losing)
            else:
                expected = scores[i] / game.score_scale
                if game.options["reward"] == "relative_score":
                    expected = expected - expected.mean()
            np.testing.assert_allclose(returns[i], expected, atol=1e-5)


@variants
@given(seed=SEEDS)
def test_outcomes_and_relative_scores_are_zero_sum_at_every_step(game: Game, seed: int) -> None:
    for _, _, rewards in play(game, 3, seed):
        if game.options["reward"] != "score":
            np.testing.assert_allclose(rewards.sum(axis=1), 0, atol=1e-5)


@variants
@given(seed=SEEDS)
def test_a_finished_game_does_not_change(game: Game, seed: int) -> None:
    states = game.new_states(2, seed)
    assert game.play_randomly(states) > 0
    before = states.tobytes()
    assert not game.step(states, [0, game.num_actions - 1]).any()
    assert states.tobytes() == before
    assert game.play_randomly(states) == 0
    assert states.tobytes() == before
    assert not game.action_masks(states).any()
    assert (game.current_players(states) == -1).all()


@variants
def test_everything_may_be_asked_of_no_games_at_all(game: Game) -> None:
    states = game.new_states(0, seed=1)
    assert game.current_players(states).shape == (0,)
    assert game.action_masks(states).shape == (0, game.num_actions)
    assert game.observations(states).shape == (0, game.observation_size)
    assert game.step(states, []).shape == (0, game.num_players)
    assert game.resample(states, 0, seed=1).shape == (0,)
    assert game.deserialize(game.serialize(states)).shape == (0,)


@defaults
def test_any_number_of_games_is_observed_at_once(game: Game) -> None:
    states = game.new_states(60, seed=1)
    assert (game.observations(states)[-1] == game.observations(states[-1:])[0]).all()


@variants
def test_the_layouts_cover_observations_and_actions_without_gaps(game: Game) -> None:
    for layout, size in (
        (game.observation_layout, game.observation_size),
        (game.action_layout, game.num_actions),
    ):
        at = 0
        for name, group in layout.items():
            assert group.name == name
            assert group.meaning
            assert group.slice == slice(at, at + int(np.prod(group.shape)))
            assert layout.read(np.zeros((7, size)), name).shape == (7, *group.shape)
            with pytest.raises(ValueError, match=rf"shape \(7, {size + 1}\); allowed is \(\.\.\., {size}\)"):
                layout.read(np.zeros((7, size + 1)), name)
            assert (group.indices.ravel() == np.arange(group.start, group.slice.stop)).all()
            at = group.slice.stop
        with pytest.raises(KeyError, match="'no such group' is no group; there are"):
            layout["no such group"]
        assert at == size == layout.size
        assert layout.table("features").count("\n") == len(layout) + 1


@variants
def test_the_actions_of_a_suit_are_those_with_its_letter(game: Game) -> None:
    for group in game.action_layout.values():
        if "suit" in group.axes:
            suits = np.moveaxis(group.indices, list(group.axes).index("suit"), 0)
            for letter, actions in zip(game.deck.suits, suits.reshape(len(suits), -1), strict=True):
                assert {game.action_texts[action].split()[-1][0] for action in actions} == {letter}


# --- out= ---------------------------------------------------------------------------------------------


def calls_with_out(game: Game, states):
    """Name, call and a fitting array for each method that takes `out`."""
    n = len(states)
    actions = random_actions(game, states, np.random.default_rng(0))
    return [
        ("current_players", lambda out: game.current_players(states, out=out), np.ones(n, np.int8)),
        (
            "action_masks",
            lambda out: game.action_masks(states, out=out),
            np.ones((n, game.num_actions), np.int8),
        ),
        (
            "observations",
            lambda out: game.observations(states, 1, out=out),
            np.ones((n, game.observation_size), np.int8),
        ),
        (
            "step",
            lambda out: game.step(states.copy(), actions, out=out),
            np.ones((n, game.num_players), np.float32),
        ),
        (
            "returns",
            lambda out: game.returns(states, out=out),
            np.ones((n, game.num_players), np.float32),
        ),
    ]


@variants
def test_an_out_array_gets_the_same_result_and_is_returned(game: Game) -> None:
    states = reached_states(game, 12, seed=3)
    for name, call, out in calls_with_out(game, states):
        expected = call(None)
        assert call(out) is out, name
        np.testing.assert_array_equal(out, expected, err_msg=name)
        assert expected.dtype == out.dtype, name


@defaults
def test_an_out_array_that_does_not_fit_is_refused(game: Game) -> None:
    states = game.new_states(4, seed=1)
    for _, call, out in calls_with_out(game, states):
        wide = np.zeros((8, *out.shape[1:]), out.dtype)
        for wrong in (out[:3], out[None], out.astype(np.float64), out.astype(np.uint8), wide[::2]):
            before = wrong.copy()
            with pytest.raises(ValueError, match=r"out has shape .*; allowed is"):
                call(wrong)
            np.testing.assert_array_equal(wrong, before)


# --- batches ------------------------------------------------------------------------------------------


@variants
@given(seed=SEEDS, num_games=st.integers(1, 6))
def test_a_game_does_not_depend_on_how_many_there_are(game: Game, seed: int, num_games: int) -> None:
    many = game.new_states(7, seed)
    assert game.new_states(num_games, seed).tobytes() == many[:num_games].tobytes()
    resampled = game.resample(many, 1, seed)
    assert game.resample(many[:num_games], 1, seed).tobytes() == resampled[:num_games].tobytes()


@variants
@given(seed=SEEDS)
def test_a_batch_plays_as_its_games_do_one_by_one_and_in_any_order(game: Game, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(4)
    for states, actions, _ in play(game, 4, seed):
        together = states.copy()
        rewards = game.step(together, actions)
        shuffled = states[order]
        np.testing.assert_array_equal(game.step(shuffled, actions[order]), rewards[order])
        assert shuffled.tobytes() == together[order].tobytes()
        np.testing.assert_array_equal(game.action_masks(shuffled), game.action_masks(together)[order])
        np.testing.assert_array_equal(game.observations(shuffled), game.observations(together)[order])
        single = states[2:3].copy()
        np.testing.assert_array_equal(game.step(single, actions[2:3])[0], rewards[2])
        assert single.tobytes() == together[2:3].tobytes()
        np.testing.assert_array_equal(game.observations(single)[0], game.observations(together)[2])


@variants
def test_seats_may_differ_from_game_to_game(game: Game) -> None:
    states = reached_states(game, 10, seed=8)
    seats = np.arange(10) % game.num_players
    together = game.observations(states, seats)
    for i in range(10):
        np.testing.assert_array_equal(game.observations(states[i : i + 1], int(seats[i]))[0], together[i])


# --- chance -------------------------------------------------------------------------------------------


@variants
@given(seed=SEEDS)
def test_the_same_seed_gives_the_same_games(game: Game, seed: int) -> None:
    first, second = game.new_states(3, seed), game.new_states(3, seed)
    assert first.tobytes() == second.tobytes()
    assert game.play_randomly(first) == game.play_randomly(second)
    assert first.tobytes() == second.tobytes()


@variants
def test_different_seeds_and_different_games_of_a_seed_differ(game: Game) -> None:
    batches = [game.new_states(10, seed) for seed in range(10)]
    assert len({chance for states in batches for chance in states["rng"]}) == 100
    # With few cards two deals may well be the same, but not ten in a row.
    deals = [[without_chance(states[i : i + 1]) for i in range(10)] for states in batches]
    assert len({*map(tuple, deals)}) == 10
    assert len({*zip(*deals, strict=True)}) == 10
    assert game.new_states(1).tobytes() != game.new_states(1).tobytes()


@variants
def test_an_array_gives_each_game_a_seed_of_its_own(game: Game) -> None:
    seeds = np.array([5, 2**63 + 1, 5, 0], np.uint64)
    states = game.new_states(4, seeds)
    assert states[0].tobytes() == states[2].tobytes() != states[3].tobytes()
    assert game.new_states(1, seeds[1:2]).tobytes() == states[1:2].tobytes()
    assert game.new_states(4, seeds.tolist()[0]).tobytes() != states.tobytes()


@variants
def test_a_seed_sequence_is_a_seed(game: Game) -> None:
    first, second = (game.new_states(2, np.random.SeedSequence(4)) for _ in range(2))
    assert first.tobytes() == second.tobytes()
    assert first.tobytes() != game.new_states(2, np.random.SeedSequence(5)).tobytes()


@variants
def test_a_record_that_is_used_again_starts_as_a_new_one(game: Game) -> None:
    states = game.new_states(4, seed=1)
    game.play_randomly(states)
    batch.start_all(states, seeds_for(4, 2))
    assert states.tobytes() == game.new_states(4, seed=2).tobytes()


@variants
def test_resampling_by_the_seed_of_the_deal_does_not_give_the_deals_chance(game: Game) -> None:
    states = game.new_states(8, seed=1)
    assert not (game.resample(states, 0, seed=1)["rng"] == states["rng"]).any()


@defaults
@pytest.mark.parametrize(
    "seed",
    [
        -1,
        1.5,
        "1",
        True,
        np.zeros(3, np.int64),
        np.zeros((2, 1), np.int64),
        np.zeros(2, np.float64),
    ],
    ids=repr,
)
def test_a_seed_that_is_none_is_refused(game: Game, seed: object) -> None:
    with pytest.raises(ValueError, match=r"seed (is|has shape) .*allowed are whole numbers"):
        game.new_states(2, seed)
    with pytest.raises(ValueError, match=r"seed (is|has shape) .*allowed are whole numbers"):
        game.resample(game.new_states(2, 0), 0, seed)


# --- copying and saving -------------------------------------------------------------------------------


@variants
@given(seed=SEEDS)
def test_every_copy_of_a_state_plays_on_as_the_original_does(game: Game, seed: int) -> None:
    states = reached_states(game, 6, seed)
    copies = [
        states.copy(),
        copy.deepcopy(states),
        pickle.loads(pickle.dumps(states)),
        game.deserialize(game.serialize(states)),
        np.frombuffer(bytearray(states.tobytes()), game.state_dtype),
    ]
    game.play_randomly(states)
    for other in copies:
        assert other.dtype == game.state_dtype
        game.play_randomly(other)
        assert other.tobytes() == states.tobytes()


@variants
def test_saved_states_are_the_same_bytes_each_time_and_for_every_copy(game: Game) -> None:
    states = reached_states(game, 5, seed=2)
    saved = game.serialize(states)
    assert game.serialize(states.copy()) == saved
    assert game.serialize(states[[0, 1, 2, 3, 4]]) == saved
    assert game.serialize(game.deserialize(saved)) == saved
    assert game.deserialize(saved).flags.writeable


@defaults
def test_truncated_bytes_are_refused_at_any_length(game: Game) -> None:
    saved = game.serialize(game.new_states(2, seed=1))
    lengths = {*range(min(420, len(saved))), *range(0, len(saved), 97), len(saved) - 1}
    for length in lengths:
        with pytest.raises(ValueError, match="saved states"):
            game.deserialize(saved[:length])
    for longer in (saved + b"\0", saved + saved, b" " + saved):
        with pytest.raises(ValueError, match="saved states"):
            game.deserialize(longer)


@defaults
def test_a_flipped_bit_anywhere_is_noticed(game: Game) -> None:
    saved = game.serialize(game.new_states(2, seed=1))
    rng = np.random.default_rng(0)
    for at in {*range(min(420, len(saved))), *rng.integers(len(saved), size=300).tolist()}:
        damaged = bytearray(saved)
        damaged[at] ^= 1 << int(rng.integers(8))
        with pytest.raises(ValueError, match="saved states"):
            game.deserialize(bytes(damaged))


@defaults
@pytest.mark.parametrize(
    "foreign",
    [b"", b"\0", b"{}", b"PK\x03\x04", pickle.dumps([1]), "text".encode("utf-16"), bytes(5000)],
)
def test_foreign_bytes_are_refused(game: Game, foreign: bytes) -> None:
    with pytest.raises(ValueError, match="no saved states"):
        game.deserialize(foreign)


@pytest.mark.parametrize("name", trick_envs.GAMES)
def test_states_of_other_settings_are_refused(name: str) -> None:
    games = [param.values[0] for param in VARIANTS if param.values[0].name == name]
    saved = [game.serialize(game.new_states(1, seed=1)) for game in games]
    for game in games:
        for other, data in zip(games, saved, strict=True):
            if other is game:
                game.deserialize(data)
            else:
                with pytest.raises(ValueError, match=r"allowed here is|another version"):
                    game.deserialize(data)


@defaults
def test_states_that_were_made_with_other_settings_are_refused_by_every_method(game: Game) -> None:
    """Compiled code would read and write beyond its arrays."""
    calls: list[Callable[[States], object]] = [
        game.action_masks,
        game.observations,
        lambda states: game.step(states, np.zeros(len(states), np.int32)),
        game.returns,
        game.scores,
        game.winners,
        lambda states: game.resample(states, 0, seed=1),
        game.play_randomly,
        game.serialize,
        lambda states: game.render(states[-1]),
        lambda states: game.to_dict(states[-1]),
        lambda states: game.information_state_string(states[-1], 0),
        lambda states: game.count_plays(states[-1], 1),
    ]
    others = [param.values[0] for param in VARIANTS if param.values[0].name == game.name]
    for other in others:
        states = game.new_states(3, seed=1)
        states[-1:] = other.new_states(1, seed=2)
        differing = {name for name in game.options if other.options[name] != game.options[name]} - {"reward"}
        if other.num_players == game.num_players and not differing:
            assert game.action_masks(states).any(axis=1).all()  # rewards are the states' own
            continue
        for call in calls:
            with pytest.raises(ValueError, match=r"made with other settings: \w+ isn't "):
                call(states)
    states = game.new_states(1, seed=1)
    states["variant"] += 1
    with pytest.raises(ValueError, match="wasn't made by"):
        game.action_masks(states)


# --- positions ----------------------------------------------------------------------------------------

COMMON_KEYS = {
    "game",
    "num_players",
    "phase",
    "mover",
    "leader",
    "round",
    "hands",
    "trick",
    "history",
    "scores",
    "winners",
}


@variants
@given(seed=SEEDS)
def test_a_dict_says_what_the_methods_say(game: Game, seed: int) -> None:
    for state in reached_states(game, 8, seed):
        d = game.to_dict(state)
        one = np.array([state], game.state_dtype)
        assert set(d) >= COMMON_KEYS
        assert d["game"] == game.name
        assert d["num_players"] == game.num_players
        assert d["phase"] in game.phases
        assert (d["phase"] == "over") == (d["mover"] is None)
        assert (-1 if d["mover"] is None else d["mover"]) == game.current_players(one)[0]
        assert d["scores"] == game.scores(one)[0].tolist()
        assert d["winners"] == np.flatnonzero(game.winners(one)[0]).tolist()
        assert len(d["hands"]) == len(d["scores"]) == game.num_players
        assert game.to_dict(one) == d


@variants
@given(seed=SEEDS)
def test_a_dict_gives_the_state_back_by_way_of_json(game: Game, seed: int) -> None:
    states = reached_states(game, 8, seed)
    for i in range(len(states)):
        d = json.loads(json.dumps(game.to_dict(states[i])))
        again = game.from_dict(d)
        assert without_chance(again) == without_chance(states[i : i + 1])
        assert game.to_dict(again) == d == game.to_dict(states[i])


@variants
@given(seed=SEEDS)
def test_a_position_without_its_past_plays_on(game: Game, seed: int) -> None:
    for state in reached_states(game, 4, seed):
        d = game.to_dict(state)
        bare = {key: value for key, value in d.items() if key not in ("history", "known_voids")}
        states = game.from_dict({**bare, "something": "else"}, seed)
        assert game.to_dict(states)["hands"] == d["hands"]
        assert states.tobytes() == game.from_dict(bare, seed).tobytes()
        np.testing.assert_array_equal(
            game.action_masks(states), game.action_masks(np.array([state], game.state_dtype))
        )
        for _ in range(3):  # what is set up and then played can be read again, with as much past as it has
            if game.current_players(states)[0] >= 0:
                game.step(states, random_actions(game, states, np.random.default_rng(1)))
            d = game.to_dict(states)
            assert game.to_dict(game.from_dict(d)) == d
        game.play_randomly(states)
        assert game.to_dict(states)["phase"] == "over"


@variants
def test_the_seed_of_a_position_decides_future_chance_only(game: Game) -> None:
    d = game.to_dict(game.new_states(1, seed=1)[0])
    first, same, other = game.from_dict(d, 3), game.from_dict(d, 3), game.from_dict(d, 4)
    assert first.tobytes() == same.tobytes() != other.tobytes()
    assert without_chance(first) == without_chance(other)


@defaults
@pytest.mark.parametrize("nothing", [None, [], "{}", 7, ["game"]], ids=repr)
def test_a_position_that_is_no_dict_is_refused(game: Game, nothing: object) -> None:
    with pytest.raises(ValueError, match=r"the position is .*; allowed is a dict"):
        game.from_dict(nothing)


@defaults
def test_a_position_that_lacks_a_key_is_refused_by_the_keys_name(game: Game) -> None:
    d = game.to_dict(game.new_states(1, seed=1)[0])
    for key in COMMON_KEYS - {"history"}:
        with pytest.raises(ValueError, match=f"has no '{key}'"):
            game.from_dict({k: value for k, value in d.items() if k != key})


@defaults
@pytest.mark.parametrize("junk", [True, -1, 2.5, "x", [], [None], {}, [[]], [[[]]], 10**30], ids=repr)
def test_junk_in_any_key_raises_nothing_but_value_errors(game: Game, junk: object) -> None:
    for state in reached_states(game, 3, seed=6):
        d = game.to_dict(state)
        for key in d:
            try:
                read = game.from_dict({**d, key: junk})
            except ValueError:
                continue
            assert game.to_dict(read)[key] in (junk, d[key])


@defaults
def test_positions_of_another_game_or_table_are_refused(game: Game) -> None:
    d = game.to_dict(game.new_states(1, seed=1)[0])
    with pytest.raises(ValueError, match="game is 'no_such_game'; allowed is"):
        game.from_dict({**d, "game": "no_such_game"})
    for wrong in (game.num_players + 1, str(game.num_players), None):
        with pytest.raises(ValueError, match=r"num_players is .*; allowed is"):
            game.from_dict({**d, "num_players": wrong})
    with pytest.raises(ValueError, match="phase is 'no_such_phase'; allowed are"):
        game.from_dict({**d, "phase": "no_such_phase"})


# --- texts --------------------------------------------------------------------------------------------


@variants
def test_every_action_has_a_text_of_its_own(game: Game) -> None:
    texts = [game.action_to_string(action) for action in range(game.num_actions)]
    assert texts == game.action_texts
    assert len(set(texts)) == game.num_actions
    assert [game.string_to_action(text) for text in texts] == list(range(game.num_actions))
    assert game.action_to_string(np.int32(1)) == texts[1]


@defaults
@pytest.mark.parametrize(
    "text", ["", " ", "b0", "B0 ", " B0", "B00", "B+1", "Z1", "trump", None, 3], ids=repr
)
def test_a_text_that_names_no_action_is_refused(game: Game, text: object) -> None:
    if text in game.action_texts:
        pytest.skip("it names an action of this game")
    with pytest.raises(ValueError, match="is no action; allowed are") as error:
        game.string_to_action(text)
    assert repr(text) in str(error.value)


@defaults
def test_an_action_that_is_not_there_has_no_text(game: Game) -> None:
    for action in (-1, game.num_actions, 10**9):
        with pytest.raises(ValueError, match=rf"action is {action}; allowed are 0 to {game.num_actions - 1}"):
            game.action_to_string(action)


@variants
def test_pictures_and_information_can_be_asked_for_every_seat(game: Game) -> None:
    for state in reached_states(game, 6, seed=4):
        shown = {game.render(state, seat) for seat in (None, *range(game.num_players))}
        assert all(isinstance(text, str) and text for text in shown)
        known = {game.information_state_string(state, seat) for seat in range(game.num_players)}
        assert len(known) == game.num_players


# --- what isn't allowed -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "no_such_game", "VoodooPrince", None, 3], ids=repr)
def test_a_game_that_is_not_there_is_refused(name: object) -> None:
    with pytest.raises(ValueError, match=f"unknown game {name!r}; choose from {', '.join(trick_envs.GAMES)}"):
        trick_envs.make_game(name)


def test_a_game_may_be_named_by_its_class() -> None:
    for name, place in trick_envs.GAMES.items():
        assert trick_envs.make_game(place) == trick_envs.make_game(name)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("no_such_module:Game", "No module named 'no_such_module'"),
        ("trick_envs:NoSuchGame", "module 'trick_envs' has no class 'NoSuchGame'"),
        ("os:getcwd", "'os:getcwd' is not a subclass of Game"),
        ("collections:Counter", "'collections:Counter' is not a subclass of Game"),
        (".games:Game", "unknown game"),
        (":Game", "Empty module name"),
    ],
)
def test_a_class_that_is_no_game_is_refused(name: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        trick_envs.make_game(name)


@pytest.mark.parametrize("name", trick_envs.GAMES)
@pytest.mark.parametrize("num_players", [0, 1, -2, MAX_SEATS + 1, "4", 2.5, True, [4]], ids=repr)
def test_a_number_of_players_that_does_not_exist_is_refused(name: str, num_players: object) -> None:
    counts = ", ".join(map(str, trick_envs.game_class(name).player_counts))
    with pytest.raises(ValueError, match=f"allowed in {name} are {counts}") as error:
        trick_envs.make_game(name, num_players)
    assert f"num_players is {num_players!r}" in str(error.value)


@pytest.mark.parametrize("name", trick_envs.GAMES)
def test_an_option_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"'no_such_option' is no option; allowed are .*reward"):
        trick_envs.make_game(name, no_such_option=1)


@pytest.mark.parametrize("name", trick_envs.GAMES)
def test_an_options_bad_value_is_refused_with_what_is_allowed(name: str) -> None:
    for option in trick_envs.make_game(name).own_options:
        if option.choices:
            first = option.choices[0]
            other = first.upper() if isinstance(first, str) else str(first)
            wrong = ["", other, None, 0, 1.0, [first], True, False]
            wrong = [v for v in wrong if type(v) is not type(first) or v not in option.choices]
        else:
            too_short = [option.minimum] * ((option.shortest or option.length) - 1)
            too_long = [option.minimum] * (option.length + 1)
            wrong = [option.minimum - 1, "3", None, 2.0, True, too_short, too_long, [[3]], 10**12]
        for value in wrong:
            with pytest.raises(ValueError, match="allowed are") as error:
                trick_envs.make_game(name, **{option.name: value})
            assert str(error.value) == f"{option.name} is {value!r}; allowed are {option.allowed}"


@pytest.mark.parametrize("reward", ["points", "", None, 1, "Outcome"], ids=repr)
@pytest.mark.parametrize("name", trick_envs.GAMES)
def test_a_reward_that_does_not_exist_is_refused(name: str, reward: object) -> None:
    with pytest.raises(ValueError, match="allowed are 'outcome', 'score', 'relative_score'") as error:
        trick_envs.make_game(name, reward=reward)
    assert f"reward is {reward!r}" in str(error.value)


@pytest.mark.parametrize("name", trick_envs.GAMES)
def test_options_that_are_not_given_have_their_defaults(name: str) -> None:
    game = trick_envs.make_game(name)
    assert game.num_players == game.default_players
    assert game.options["reward"] == "outcome"
    assert game.options == check_options((*game.own_options,), {}) | {"reward": "outcome"}


@variants
def test_games_with_the_same_settings_are_equal_and_say_how_to_make_them(game: Game) -> None:
    again = trick_envs.make_game(game.name, game.num_players, **game.options)
    assert again == game
    assert hash(again) == hash(game)
    assert eval(repr(game), {"make_game": trick_envs.make_game}) == game
    others = [param.values[0] for param in VARIANTS]
    assert sum(other == game for other in others) == 1
    assert game != "a game"


@defaults
@pytest.mark.parametrize("num_states", [-1, 1.0, "2", True, None], ids=repr)
def test_a_number_of_states_that_is_none_is_refused(game: Game, num_states: object) -> None:
    with pytest.raises(ValueError, match=r"num_states is .*; allowed are whole numbers from 0"):
        game.new_states(num_states, seed=1)


@defaults
def test_a_seat_that_is_not_there_is_refused(game: Game) -> None:
    n = game.num_players
    states = game.new_states(2, seed=1)
    for seats in (-1, n, [0, n], [-1, 0], np.array([0, 300])):
        for call in (game.observations, game.resample):
            with pytest.raises(ValueError, match=rf"seats is .*; allowed are 0 to {n - 1}"):
                call(states, seats)
    for seats in ([0], [0, 1, 0], [[0, 1]], 0.0, "0", [True, False], [None, 0]):
        for call in (game.observations, game.resample):
            with pytest.raises(
                ValueError, match=r"seats is .*; allowed are one seat or whole numbers of shape"
            ):
                call(states, seats)
    for seat in (-1, n, True, 0.0, "0"):
        with pytest.raises(
            ValueError, match=f"seat is {seat!r}; allowed are whole numbers from 0 to {n - 1}"
        ):
            game.information_state_string(states[0], seat)
        with pytest.raises(
            ValueError, match=f"seat is {seat!r}; allowed are whole numbers from 0 to {n - 1}"
        ):
            game.render(states[0], seat)


@defaults
def test_actions_of_another_shape_are_refused(game: Game) -> None:
    states = game.new_states(3, seed=1)
    before = states.tobytes()
    for actions in ([0, 1], [0, 1, 2, 3], 0, [[0, 1, 2]], []):
        with pytest.raises(ValueError, match=r"actions has shape .*; allowed is"):
            game.step(states, actions)
    assert states.tobytes() == before


@defaults
def test_states_of_another_type_or_with_gaps_are_refused(game: Game) -> None:
    states = game.new_states(6, seed=1)
    foreign = np.zeros(3, [("rng", np.uint64), ("current_player", np.int32)])
    calls = {
        "action_masks": game.action_masks,
        "observations": game.observations,
        "step": lambda wrong: game.step(wrong, np.zeros(wrong.shape, np.int32)),
        "returns": game.returns,
        "resample": lambda wrong: game.resample(wrong, 0),
        "play_randomly": game.play_randomly,
        "serialize": game.serialize,
    }
    for call in calls.values():
        with pytest.raises(ValueError, match=r"strides .*; allowed is a contiguous array of one axis"):
            call(states[::2])
        with pytest.raises(
            ValueError, match=r"states has shape .*; allowed is a contiguous array of one axis"
        ):
            call(states.reshape(2, 3))
        with pytest.raises(ValueError, match=r"states has type .*; allowed is this game's state_dtype"):
            call(foreign)


@defaults
def test_calls_for_one_state_refuse_several_and_other_types(game: Game) -> None:
    several = game.new_states(2, seed=1)
    for call in (
        game.to_dict,
        game.render,
        lambda state: game.information_state_string(state, 0),
        lambda state: game.count_plays(state, 1),
    ):
        for wrong in (several, several[:0], np.zeros(1, np.int32), 5):
            with pytest.raises(ValueError, match=r"state has shape .*; allowed is one record"):
                call(wrong)


@defaults
def test_plays_are_counted_for_a_depth_from_zero(game: Game) -> None:
    state = game.new_states(1, seed=1)
    before = state.tobytes()
    assert game.count_plays(state, 0) == 1
    assert game.count_plays(state[0], 1) == game.action_masks(state).sum()
    assert state.tobytes() == before
    with pytest.raises(ValueError, match="depth is -1; allowed are whole numbers from 0"):
        game.count_plays(state, -1)


# --- what a seat doesn't know -------------------------------------------------------------------------


@variants
@given(seed=SEEDS)
def test_resampling_leaves_all_that_the_seat_knows(game: Game, seed: int) -> None:
    states = reached_states(game, 10, seed)
    for seat in range(game.num_players):
        drawn = game.resample(states, seat, seed)
        assert drawn.dtype == game.state_dtype
        np.testing.assert_array_equal(game.observations(drawn, seat), game.observations(states, seat))
        np.testing.assert_array_equal(game.current_players(drawn), game.current_players(states))
        mine = game.current_players(states) == seat
        np.testing.assert_array_equal(game.action_masks(drawn)[mine], game.action_masks(states)[mine])
        np.testing.assert_array_equal(game.scores(drawn), game.scores(states))
        np.testing.assert_array_equal(game.winners(drawn), game.winners(states))
        for before, after in zip(states, drawn, strict=True):
            known = game.information_state_string(before, seat)
            assert game.information_state_string(after, seat) == known
            assert game.render(after, seat) == game.render(before, seat)


@variants
@given(seed=SEEDS)
def test_resampled_worlds_fit_what_everybody_has_seen(game: Game, seed: int) -> None:
    states = reached_states(game, 4, seed)
    exempt = "4" if game.name == "oracle_land" else ""  # the rank of which its known voids say nothing
    for seat in range(game.num_players):
        for before, after in zip(states, game.resample(states, seat, seed), strict=True):
            old, new = game.to_dict(before), game.to_dict(after)
            assert new["hands"][seat] == old["hands"][seat]
            assert [len(hand) for hand in new["hands"]] == [len(hand) for hand in old["hands"]]
            cards = cards_in_places(new)
            assert len(set(cards)) == len(cards)
            for hand, voids in zip(new["hands"], new.get("known_voids", new["hands"]), strict=True):
                if "known_voids" in new:
                    assert not {card[0] for card in hand if card[1:] != exempt} & set(voids)
            assert game.to_dict(game.from_dict(new)) == new


@defaults
def test_resampling_draws_the_hidden_cards_and_future_chance_anew(game: Game) -> None:
    states = game.new_states(5, seed=1)
    num_hidden = 0
    for seat in range(game.num_players):
        # So many that even of two possible hands both are drawn.
        drawn = [game.resample(states, seat, seed) for seed in range(30)]
        hands = [[game.to_dict(world)["hands"] for world in worlds] for worlds in zip(*drawn, strict=True)]
        for i, other in itertools.product(range(5), range(game.num_players)):
            if other != seat and can_hold_another_card(game, states[i], seat, other):
                num_hidden += 1
                assert len({tuple(world[other]) for world in hands[i]}) > 1
        assert len({*states["rng"], *drawn[0]["rng"], *drawn[1]["rng"]}) == 15
        assert drawn[1].tobytes() == game.resample(states, seat, seed=1).tobytes()
    if num_hidden == 0:
        pytest.skip("every seat knows all hands")


def can_hold_another_card(game: Game, state: Any, seat: int, other: int) -> bool:
    """Whether the seat sees the same if another one, or the rest of the deck, exchanges a card with `other`.

    Not so where the hand lies open, or nothing is left that the seat doesn't see.
    """
    d = game.to_dict(state)
    seen = game.observations(np.array([state], game.state_dtype), seat)
    known = {*d["hands"][seat], *d["hands"][other]}
    for card, new in itertools.product(d["hands"][other], set(game.deck.all_texts()) - known):
        exchanged = {card: new, new: card}
        hands = [[exchanged.get(text, text) for text in hand] for hand in d["hands"]]
        try:
            world = game.from_dict({**d, "hands": hands})
        except ValueError:
            continue
        if (game.observations(world, seat) == seen).all():
            return True
    return False


@variants
@given(seed=SEEDS)
def test_resampling_uses_nothing_that_the_seat_does_not_know(game: Game, seed: int) -> None:
    """From any world that the seat holds possible, the same random numbers lead to the same world."""
    states = reached_states(game, 10, seed)
    for seat in range(game.num_players):
        elsewhere = game.resample(states, seat, seed + 1)
        drawn, again = game.resample(states, seat, seed), game.resample(elsewhere, seat, seed)
        assert drawn.tobytes() == again.tobytes()


@variants
@given(seed=SEEDS)
def test_resampling_does_not_touch_its_argument_and_its_worlds_play_on(game: Game, seed: int) -> None:
    states = reached_states(game, 6, seed)
    before = states.tobytes()
    drawn = game.resample(states, np.arange(6) % game.num_players, seed)
    assert states.tobytes() == before
    game.play_randomly(drawn)
    assert (game.current_players(drawn) == -1).all()
