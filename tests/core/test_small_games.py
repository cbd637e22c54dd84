"""Games with fewer cards: presets, and every combination of sizes that is allowed."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import trick_envs
from tests.helpers import MINIS, play, refusal
from trick_envs.core.game import Game
from trick_envs.core.kernel import COMPILED
from trick_envs.core.options import Option

NUM_PLAYED = 8 if COMPILED else 2  # of the allowed combinations for each number of players
MOST_SIZES = 100  # that an option has if it is one of cards or tricks

TABLES = [
    (trick_envs.game_class(name), num_players)
    for name in trick_envs.GAMES
    for num_players in trick_envs.game_class(name).player_counts
]

every_table = pytest.mark.parametrize(
    ("kind", "num_players"), TABLES, ids=[f"{kind.name} {num_players}p" for kind, num_players in TABLES]
)
minis = pytest.mark.parametrize("game", MINIS)
every_name = pytest.mark.parametrize("name", trick_envs.GAMES)


# --- presets ------------------------------------------------------------------------------------------


@every_table
def test_every_preset_stands_for_options_that_it_shows(kind: type[Game], num_players: int) -> None:
    presets = kind.presets_for(num_players)
    assert "mini" in presets
    for preset, options in presets.items():
        game = trick_envs.make_game(kind.name, num_players, preset=preset)
        assert game == kind(num_players, **options)
        assert {name: game.options[name] for name in options} == options
        assert (game != kind(num_players)) == bool(options)  # a game may be as small as "mini" by itself


@every_table
def test_options_come_before_those_of_a_preset(kind: type[Game], num_players: int) -> None:
    for preset, options in kind.presets_for(num_players).items():
        for option in kind.options_for(num_players):
            value = options.get(option.name)
            if (
                isinstance(value, int)
                and refusal(kind, num_players, options | {option.name: value + 1}) is None
            ):
                given = {option.name: value + 1}
                assert kind(num_players, preset, **given) == kind(num_players, **(options | given))


@every_name
@pytest.mark.parametrize("preset", ["", "Mini", "no_such_preset", 3, True, ["mini"]], ids=repr)
def test_a_preset_that_does_not_exist_is_refused(name: str, preset: object) -> None:
    kind = trick_envs.game_class(name)
    allowed = ", ".join(map(repr, (None, *kind.presets_for(kind.default_players))))
    with pytest.raises(ValueError, match="allowed are") as error:
        trick_envs.make_game(name, preset=preset)
    assert str(error.value) == f"preset is {preset!r}; allowed are {allowed}"
    assert trick_envs.make_game(name, preset=None) == trick_envs.make_game(name)


@pytest.mark.skipif(not COMPILED, reason="there are up to millions of plays")
@minis
def test_all_plays_of_a_mini_game_are_counted(game: Game) -> None:
    """Where there are millions, from the point on at which cards are played."""
    counts = []
    for state in game.new_states(2, seed=1):
        states = np.array([state], game.state_dtype)
        while game.to_dict(states)["phase"] in ("pick", "bid"):
            game.step(states, [game.action_masks(states)[0].argmax()])
        counts.append(game.count_plays(states, 1000))
        assert counts[-1] == game.count_plays(states, 1001)  # to the end
    assert 1 < max(counts) < 5_000_000
    assert min(counts) > 100 or game.name not in STANDARD


STANDARD = {
    "voodoo_prince": {
        2: {"num_rounds": 5, "num_ranks": 11, "hand_size": 13, "goal": 7},
        3: {"num_rounds": 5, "num_ranks": 11, "hand_size": 13, "goal": 4},
        4: {"num_rounds": 5, "num_ranks": 13, "hand_size": 13, "goal": 3},
        5: {"num_rounds": 5, "num_ranks": 16, "hand_size": 14, "goal": 3},
    },
    "gummi_trick": {n: {"num_ranks": 10, "hand_size": 9, "num_face_down": 3} for n in (2, 3, 4, 5)},
    "take_that_toy": {
        3: {"num_ranks": 8, "hand_size": 10},
        4: {"num_ranks": 8, "hand_size": 8},
        5: {"num_ranks": 8, "hand_size": 6},
    },
    "tighee": {
        3: {"num_rounds": 3, "num_ranks": 12, "hand_size": 20, "pick_size": 5},
        4: {"num_rounds": 4, "num_ranks": 12, "hand_size": 15, "pick_size": 3},
    },
    "oracle_land": {n: {"num_rounds": 2, "num_ranks": 7, "hand_size": 7} for n in (3, 4)},
}
"""The sizes of the games as they are in their boxes."""


@pytest.mark.parametrize("name", STANDARD)
def test_by_default_games_have_the_sizes_of_the_box(name: str) -> None:
    for num_players, sizes in STANDARD[name].items():
        options = trick_envs.make_game(name, num_players).options
        assert {key: options[key] for key in sizes} == sizes


# --- any sizes ----------------------------------------------------------------------------------------


def sizes_of(option: Option) -> list[int]:
    """Some numbers that an option may be: the least, the most, and some between, most of them small.

    Where there are very many, as for rounds or points to be reached, the least two: games have to end.
    """
    low, high = option.minimum, option.maximum
    if high - low > MOST_SIZES:
        return [low, low + 1]
    return sorted({*range(low, min(low + 3, high + 1)), (low + high) // 2, high})


def combinations_of(kind: type[Game], num_players: int) -> Iterator[dict[str, Any]]:
    """Combinations of sizes."""
    options = [o for o in kind.options_for(num_players) if not o.choices and not o.length]
    for values in itertools.product(*map(sizes_of, options)):
        yield dict(zip([option.name for option in options], values, strict=True))


def smallest_and_some(combinations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first, the last and some between."""
    if len(combinations) <= NUM_PLAYED:
        return combinations
    others = np.random.default_rng(1).permutation(len(combinations) - 2)[: NUM_PLAYED - 2] + 1
    return [combinations[i] for i in (0, *others, -1)]


@every_table
def test_sizes_that_do_not_go_together_are_refused_by_their_values(
    kind: type[Game], num_players: int
) -> None:
    messages = [(sizes, refusal(kind, num_players, sizes)) for sizes in combinations_of(kind, num_players)]
    allowed = [sizes for sizes, message in messages if message is None]
    refused = [(sizes, message) for sizes, message in messages if message is not None]
    for sizes, message in refused:
        named = {name: value for name, value in sizes.items() if f"{name} is {value}" in message}
        assert not any(named.items() <= others.items() for others in allowed), "these alone are allowed"
        assert "; " in message
        assert "allowed" in message
        assert "\n" not in message
    if not refused:
        assert kind.name not in STANDARD
        pytest.skip("all sizes of this game go together")


@every_table
def test_games_of_any_allowed_sizes_are_whole_games(kind: type[Game], num_players: int) -> None:
    allowed = [c for c in combinations_of(kind, num_players) if refusal(kind, num_players, c) is None]
    assert len(allowed) > NUM_PLAYED or kind.name not in STANDARD
    for sizes in smallest_and_some(allowed):
        game = kind(num_players, **sizes)
        assert len(game.deck) == game.deck.num_ranks * len(game.deck.suits)
        if "num_ranks" in sizes:
            assert game.deck.num_ranks == sizes["num_ranks"]
        if "hand_size" in sizes:
            hands = game.to_dict(game.new_states(1, seed=2))["hands"]
            assert [len(hand) for hand in hands] == [sizes["hand_size"]] * num_players
        for number, (states, _, _) in enumerate(play(game, 3, seed=2)):
            check_masks(game, states)
            check_state(game, states[number % 3], number)
        assert (game.current_players(states) == -1).all()
        assert game.winners(states).any(axis=1).all()


def check_masks(game: Game, states: Any) -> None:
    """The current player has something to do; an action whose text is a card's is for one that it holds."""
    masks = game.action_masks(states)
    assert (masks.any(axis=1) == (game.current_players(states) >= 0)).all()
    for state, mask in zip(states, masks, strict=True):
        texts = {game.action_texts[action] for action in np.flatnonzero(mask)}
        if cards := texts.intersection(game.deck.all_texts()):
            d = game.to_dict(state)
            assert cards <= set(d["hands"][d["mover"]])


def check_state(game: Game, state: Any, number: int) -> None:
    """No card is there twice, the position can be read again, and what a seat sees lasts when resampled."""
    d = json.loads(json.dumps(game.to_dict(state)))
    held = [card for hand in d["hands"] for card in hand]
    assert len(held) == len(set(held)) <= len(game.deck)
    assert game.to_dict(game.from_dict(d)) == d
    bare = game.from_dict({key: d[key] for key in d if key not in ("history", "known_voids")})
    assert game.to_dict(bare)["hands"] == d["hands"]
    states, seat = np.array([state], game.state_dtype), number % game.num_players
    seen = game.observations(states, seat)
    assert set(np.unique(seen)) <= {0, 1}
    drawn = game.resample(states, seat, seed=number)
    np.testing.assert_array_equal(game.observations(drawn, seat), seen)
    world = game.to_dict(drawn)
    assert game.to_dict(game.from_dict(world)) == world
    assert game.information_state_string(drawn, seat) == game.information_state_string(states, seat)
