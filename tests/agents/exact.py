"""The best play of tiny positions, slowly and obviously: every world, and in it every way to play on."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.helpers import reached_states, without_chance
from trick_envs.core.game import Game, States

NUM_DRAWS = 4000
MAX_WORLDS = 300
MAX_PLAYS = 60
MARGIN = 0.04

Values = NDArray[np.float64]
"""What each seat gets, (S,)."""


@dataclass
class Tiny:
    """A position with one best action, (1,) state."""

    state: States
    best: int


def worlds_of(game: Game, state: States) -> list[States] | None:
    """All worlds that the current player holds possible; None if they are too many to be sure."""
    drawn = game.resample(np.repeat(state, NUM_DRAWS), game.current_players(state)[0], seed=1)
    found: dict[bytes, list[States]] = {}
    for i in range(NUM_DRAWS):
        found.setdefault(without_chance(drawn[i : i + 1]), []).append(drawn[i : i + 1])
    # A world that was missed would have come up as often as the others.
    if len(found) > MAX_WORLDS or min(map(len, found.values())) < 3:
        return None
    return [same[0] for same in found.values()]


def after(game: Game, state: States, action: int) -> States:
    state = state.copy()
    game.step(state, np.array([action]))
    return state


def value(game: Game, state: States, choose: Callable[[list[Values], int], Values]) -> Values:
    """What each seat gets in the end, if of all that a decision can lead to this is chosen."""
    current_player = int(game.current_players(state)[0])
    if current_player < 0:
        return game.returns(state)[0].astype(np.float64)
    legal = np.flatnonzero(game.action_masks(state)[0])
    return choose([value(game, after(game, state, action), choose) for action in legal], current_player)


def by_chance(options: list[Values], current_player: int) -> Values:
    """The mean."""
    return np.mean(options, axis=0)


def by_the_best(options: list[Values], current_player: int) -> Values:
    """The one in which the current player gets most."""
    return max(options, key=lambda option: option[current_player])


def action_values(
    game: Game, state: States, worlds: list[States], choose: Callable[[list[Values], int], Values]
) -> dict[int, float]:
    """What each action brings the current player, on average over the worlds."""
    current_player = int(game.current_players(state)[0])
    legal = np.flatnonzero(game.action_masks(state)[0])
    return {
        int(action): float(
            np.mean([value(game, after(game, world, action), choose)[current_player] for world in worlds])
        )
        for action in legal
    }


def tiny_positions(game: Game, count: int) -> list[Tiny]:
    """Positions near the end in which one action is clearly the best, however the others play."""
    found = []
    states = reached_states(game, 600, seed=6, num_games=200)
    for state in (states[i : i + 1] for i in range(len(states))):
        if game.current_players(state)[0] < 0 or game.action_masks(state).sum() < 2:
            continue
        if game.count_plays(state, 8) > MAX_PLAYS or not 4 <= game.count_plays(state, 40) <= MAX_PLAYS:
            continue
        worlds = worlds_of(game, state)
        if worlds is None or len(worlds) < 2:
            continue
        best = set()
        for choose in (by_chance, by_the_best):
            values = sorted(action_values(game, state, worlds, choose).items(), key=lambda item: -item[1])
            best.add(values[0][0] if values[0][1] - values[1][1] > MARGIN else -1)
        if len(best) == 1 and -1 not in best:
            found.append(Tiny(state, best.pop()))
        if len(found) == count:
            break
    return found
