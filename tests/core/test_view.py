"""What one seat may know of a state, as plain Python: `Game.view`, and what is made from it."""

import json
from typing import Any

import numpy as np
import pytest

from tests.helpers import VARIANTS, reached_states
from trick_envs.core.game import Game
from trick_envs.core.kernel import COMPILED

variants = pytest.mark.parametrize("game", VARIANTS)
NUM_STATES = 12 if COMPILED else 4


@variants
def test_a_view_is_the_same_in_all_worlds_that_the_seat_cannot_tell_apart(game: Game) -> None:
    states = reached_states(game, NUM_STATES, seed=5)
    for seat in range(game.num_players):
        worlds = game.resample(states, seat, seed=seat)
        for i in range(NUM_STATES):
            assert game.view(states[i], seat) == game.view(worlds[i], seat)
            assert game.render(states[i], seat) == game.render(worlds[i], seat)


@variants
def test_a_view_has_the_keys_of_the_dict_and_says_nothing_else_of_what_is_open(game: Game) -> None:
    for state in reached_states(game, NUM_STATES, seed=6):
        d = game.to_dict(state)
        for seat in range(game.num_players):
            view = game.view(state, seat)
            assert json.loads(json.dumps(view)) == view
            assert view["seat"] == seat
            assert set(d) <= set(view)
            assert view["hands"][seat] == d["hands"][seat]
            for key, value in d.items():
                assert agrees(view[key], value), key
            for player, hand in enumerate(view["hands"]):
                assert player == seat or hand == [None] * len(d["hands"][player])


def agrees(seen: Any, whole: Any) -> bool:
    """Whether what is seen is the same as the whole, but for what is hidden."""
    if seen is None or seen == "?":
        return True
    if isinstance(whole, dict) and isinstance(seen, dict) and set(seen) == set(whole):
        return all(agrees(seen[key], whole[key]) for key in whole)
    if isinstance(whole, list) and isinstance(seen, list):
        return len(seen) == len(whole) and all(map(agrees, seen, whole))
    return seen == whole or (isinstance(seen, dict) and set(seen) == {"secret"})


@variants
def test_a_view_says_what_the_seat_may_do(game: Game) -> None:
    for state in reached_states(game, NUM_STATES, seed=7):
        mover = game.to_dict(state)["mover"]
        mask = game.action_masks(np.atleast_1d(state).view(game.state_dtype))[0]
        legal = [game.action_to_string(int(action)) for action in np.flatnonzero(mask)]
        for seat in range(game.num_players):
            assert game.view(state, seat)["legal_actions"] == (legal if seat == mover else [])


@variants
def test_a_seat_that_is_not_there_has_no_view(game: Game) -> None:
    state = game.new_states(1, seed=1)[0]
    for seat in (-1, game.num_players, "0", None, True):
        with pytest.raises(ValueError, match="seat is"):
            game.view(state, seat)  # type: ignore[arg-type]


def test_the_former_name_of_current_players_warns() -> None:
    game = VARIANTS[0].values[0]
    states = game.new_states(3, seed=1)
    with pytest.warns(DeprecationWarning, match="current_players"):
        movers = game.movers(states)
    np.testing.assert_array_equal(movers, game.current_players(states))
