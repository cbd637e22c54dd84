"""The contract of `Game`, for all games in all variants.

Its clauses are those of `trick_envs.testing`, which anybody can check. What is tested here beside them holds
for every game alike, whoever wrote it, or needs to know the games of this package.
"""

import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import trick_envs
from tests.helpers import DEFAULTS, VARIANTS, play, reached_states
from trick_envs.core.game import Game, States
from trick_envs.core.options import check_options
from trick_envs.core.state import MAX_SEATS
from trick_envs.testing import GAME_CLAUSES, check_game
from trick_envs.testing.contract import Scope
from trick_envs.testing.games import calls_with_out

SEEDS = st.integers(0, 2**40)

variants = pytest.mark.parametrize("game", VARIANTS)
defaults = pytest.mark.parametrize("game", DEFAULTS)


# --- clauses ------------------------------------------------------------------------------------------

RANDOM_GAMES = (0, 12_345, 2**40)
"""Seeds of the random games that clauses are checked on."""


def clauses(*scopes: Scope) -> pytest.MarkDecorator:
    """The clauses of these scopes by name, as parameters."""
    names = [name for name, clause in GAME_CLAUSES.items() if clause.scope in scopes]
    return pytest.mark.parametrize("clause", names)


@clauses("play", "variant")
@variants
def test_every_variant_keeps_every_clause_of_the_contract(game: Game, clause: str) -> None:
    check_game(game, RANDOM_GAMES, clauses=[clause])


@clauses("settings")
@defaults
def test_every_game_keeps_the_clauses_on_its_settings(game: Game, clause: str) -> None:
    check_game(game, RANDOM_GAMES, clauses=[clause])


# --- playing ------------------------------------------------------------------------------------------


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
def test_no_card_is_in_two_places_the_tricks_of_the_past_included(game: Game, seed: int) -> None:
    for states, _, _ in play(game, 1, seed):
        d = game.to_dict(states[0])
        places = cards_in_places(d)
        assert len(places) == len(set(places))


# --- out= ---------------------------------------------------------------------------------------------


@defaults
def test_an_out_array_that_does_not_fit_is_refused(game: Game) -> None:
    states = game.new_states(4, seed=1)
    for call, out in calls_with_out(game, states).values():
        wide = np.zeros((8, *out.shape[1:]), out.dtype)
        for wrong in (out[:3], out[None], out.astype(np.complex64), out.astype(np.uint8), wide[::2]):
            before = wrong.copy()
            with pytest.raises(ValueError, match=r"out has shape .*; allowed is"):
                call(wrong)
            np.testing.assert_array_equal(wrong, before)


# --- layouts ------------------------------------------------------------------------------------------


@defaults
def test_a_group_that_is_not_there_and_values_of_another_length_are_refused(game: Game) -> None:
    for layout in (game.observation_layout, game.action_layout):
        with pytest.raises(KeyError, match="unknown group 'no such group'; choose from"):
            layout["no such group"]
        name, size = next(iter(layout)), layout.size
        with pytest.raises(ValueError, match=rf"shape \(\.\.\., {size}\), got \(7, {size + 1}\)"):
            layout.read(np.zeros((7, size + 1)), name)


# --- chance -------------------------------------------------------------------------------------------


@variants
def test_a_seed_sequence_is_a_seed(game: Game) -> None:
    first, second = (game.new_states(2, np.random.SeedSequence(4)) for _ in range(2))
    assert first.tobytes() == second.tobytes()
    assert first.tobytes() != game.new_states(2, np.random.SeedSequence(5)).tobytes()


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


@defaults
def test_truncated_bytes_are_refused_at_any_length(game: Game) -> None:
    saved = game.serialize(game.new_states(2, seed=1))
    lengths = {*range(min(420, len(saved))), *range(0, len(saved), 97), len(saved) - 1}
    for length in lengths:
        with pytest.raises(trick_envs.DamagedDataError, match="saved states"):
            game.deserialize(saved[:length])
    for longer in (saved + b"\0", saved + saved, b" " + saved):
        with pytest.raises(trick_envs.DamagedDataError, match="saved states"):
            game.deserialize(longer)


@defaults
def test_a_flipped_bit_anywhere_is_noticed(game: Game) -> None:
    saved = game.serialize(game.new_states(2, seed=1))
    rng = np.random.default_rng(0)
    for at in {*range(min(420, len(saved))), *rng.integers(len(saved), size=300).tolist()}:
        damaged = bytearray(saved)
        damaged[at] ^= 1 << int(rng.integers(8))
        with pytest.raises(trick_envs.DamagedDataError, match="saved states"):
            game.deserialize(bytes(damaged))


@defaults
@pytest.mark.parametrize(
    "foreign",
    [b"", b"\0", b"{}", b"PK\x03\x04", pickle.dumps([1]), "text".encode("utf-16"), bytes(5000)],
)
def test_foreign_bytes_are_refused(game: Game, foreign: bytes) -> None:
    with pytest.raises(trick_envs.DamagedDataError, match="no saved states"):
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


@defaults
@pytest.mark.parametrize(
    "text", ["", " ", "b0", "B0 ", " B0", "B00", "B+1", "Z1", "trump", None, 3], ids=repr
)
def test_a_text_that_names_no_action_is_refused(game: Game, text: object) -> None:
    if text in game.action_texts:
        pytest.skip("it names an action of this game")
    with pytest.raises(ValueError, match=r"unknown action .*; choose from") as error:
        game.string_to_action(text)
    assert repr(text) in str(error.value)


@defaults
def test_an_action_that_is_not_there_has_no_text(game: Game) -> None:
    for action in (-1, game.num_actions, 10**9):
        with pytest.raises(ValueError, match=rf"action is {action}; .* from 0 to {game.num_actions - 1}$"):
            game.action_to_string(action)


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
    """With an error that is a `TypeError`, too: other frameworks try a setting and take it back for one."""
    for kind in (ValueError, TypeError, trick_envs.UnsupportedSettingError):
        with pytest.raises(kind, match=r"unknown option 'no_such_option'; choose from .*reward"):
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
        with pytest.raises(ValueError, match=r"actions has shape .*; allowed are whole numbers of shape"):
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
def test_resampled_hands_lack_the_suits_that_they_are_known_to_lack(game: Game, seed: int) -> None:
    states = reached_states(game, 4, seed)
    exempt = "4" if game.name == "oracle_land" else ""  # the rank of which its known voids say nothing
    for seat in range(game.num_players):
        for state in game.resample(states, seat, seed):
            d = game.to_dict(state)
            cards = cards_in_places(d)
            assert len(set(cards)) == len(cards)
            for hand, voids in zip(d["hands"], d.get("known_voids", d["hands"]), strict=True):
                if "known_voids" in d:
                    assert not {card[0] for card in hand if card[1:] != exempt} & set(voids)
