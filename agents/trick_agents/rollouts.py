"""Playing on to see what comes of it, in compiled code: what all search agents share.

A *determinization*, or world, is a state in which all that the searcher doesn't know has been drawn anew,
future chance included. In it the field `reward` holds the searcher's objective, so that the rules for
rewards value what comes of it.
"""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from trick_agents.rule_based import choose
from trick_envs.core.batch import random_action
from trick_envs.core.dispatch import resample, step
from trick_envs.core.game import States
from trick_envs.core.kernel import State, kernel
from trick_envs.core.random import next_random, random_unit
from trick_envs.core.state import NOBODY, Reward


class Rollouts(IntEnum):
    """Setting: who plays on."""

    RANDOM = 0
    RULES = 1


class Objective(IntEnum):
    """Setting: what is aimed at."""

    OUTCOME = Reward.OUTCOME
    RELATIVE_SCORE = Reward.RELATIVE_SCORE


class Horizon(IntEnum):
    """Setting: how far it is played on."""

    ROUND = 0
    GAME = 1


@kernel
def determinize(states: States, objective: int, seeds: States, world: States) -> None:
    """Writes a determinization of states[0], as its current player may think it, to world[0].

    `seeds`: (1,) a record whose generator gives each world a seed of its own.
    """
    world[0] = states[0]
    w = world[0]
    w.rng = next_random(seeds[0])
    w.reward = objective
    resample(w, w.current_player)


@kernel
def is_open(s: State, first: State, horizon: int) -> bool:
    """Whether a state is to be played on: to the game's end, or only through the round that `first` is in."""
    return s.current_player != NOBODY and (horizon == Horizon.GAME or s.round_number == first.round_number)


@kernel
def play_on(s: State, first: State, horizon: int, by_rules: bool | None, actions: NDArray[np.int32]) -> None:
    """Plays a world on up to the horizon. `actions`: memory to work in.

    `by_rules`: True, or None for random play, which is then compiled without the rules of thumb.
    """
    while is_open(s, first, horizon):
        if by_rules is not None:
            step(s, choose(s, random_unit(s)))
        else:
            step(s, random_action(s, actions))
