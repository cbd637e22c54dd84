"""Loops over many games, written once for all of them.

Letters: N games, S seats, A actions, D features of an observation. `states` has shape (N,); all other
arrays have N rows and are written in place.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.dispatch import legal_actions, new_game, observe, redraw, step
from trick_envs.core.kernel import State, kernel
from trick_envs.core.random import random_below
from trick_envs.core.state import MAX_ACTIONS, MAX_SEATS, NOBODY, Reward

States = NDArray[Any]


@kernel
def write_mask(s: State, actions: NDArray[np.int32], mask: NDArray[np.int8]) -> None:
    """The mover's legal actions as a mask (A,), all 0 when over. `actions`: room to work in."""
    mask[:] = 0
    if s.mover != NOBODY:
        for i in range(legal_actions(s, actions)):
            mask[actions[i]] = 1


@kernel
def write_observation(s: State, seat: int, features: NDArray[np.int8]) -> None:
    """What a seat knows, as features (D,)."""
    features[:] = 0
    observe(s, seat, features)


@kernel
def random_action(s: State, actions: NDArray[np.int32]) -> int:
    """A legal action, all equally likely, by the game's own generator."""
    return int(actions[random_below(s, legal_actions(s, actions))])


@kernel
def write_returns(s: State, returns: Any) -> None:
    """The sum of all rewards of the game so far, (S,)."""
    n = s.num_players
    if s.reward == Reward.OUTCOME:
        num_winners = 0
        for seat in range(n):
            num_winners += s.winners[seat]
        for seat in range(n):
            if num_winners == 0 or num_winners == n:
                returns[seat] = 0.0
            elif s.winners[seat]:
                returns[seat] = 1.0 / num_winners
            else:
                returns[seat] = -1.0 / (n - num_winners)
    else:
        mean = 0.0
        if s.reward == Reward.RELATIVE_SCORE:
            for seat in range(n):
                mean += s.scores[seat] / n
        for seat in range(n):
            returns[seat] = (s.scores[seat] - mean) / s.score_scale


@kernel
def step_for_rewards(s: State, action: int, before: NDArray[np.float64], rewards: Any) -> None:
    """Plays an action and writes what each seat gets for it, (S,). A finished game doesn't change."""
    if s.mover == NOBODY:
        rewards[:] = 0.0
        return
    write_returns(s, before)
    step(s, action)
    write_returns(s, rewards)
    for seat in range(s.num_players):
        rewards[seat] -= before[seat]


@kernel
def start_all(states: States, seeds: NDArray[np.uint64]) -> None:
    """Seeds and deals every game; the settings lie in the records."""
    for i in range(len(states)):
        states[i].rng = seeds[i]
        new_game(states[i])


@kernel
def restart_finished(states: States) -> None:
    """Deals anew every game that is over; chance goes on from where the game's generator stands."""
    for i in range(len(states)):
        if states[i].mover == NOBODY:
            new_game(states[i])


@kernel
def mask_all(states: States, masks: NDArray[np.int8]) -> None:
    """The mask of every game's mover."""
    actions = np.empty(MAX_ACTIONS, np.int32)
    for i in range(len(states)):
        write_mask(states[i], actions, masks[i])


@kernel
def observe_all(states: States, seats: NDArray[np.int8], observations: NDArray[np.int8]) -> None:
    """What `seats[i]` knows in game i."""
    for i in range(len(states)):
        write_observation(states[i], seats[i], observations[i])


@kernel
def step_all(states: States, actions: NDArray[np.int32], rewards: NDArray[np.float32]) -> None:
    """Plays one action in every game."""
    before = np.empty(MAX_SEATS, np.float64)
    for i in range(len(states)):
        step_for_rewards(states[i], actions[i], before, rewards[i])


@kernel
def step_vector(
    states: States,
    actions: NDArray[np.int32],
    rewards: NDArray[np.float32],
    finished: NDArray[np.bool_],
    final_states: States,
    observations: NDArray[np.int8],
    masks: NDArray[np.int8],
) -> None:
    """One step of a vector environment, each game handled once while it lies in the processor's cache.

    Plays an action in every game. A game that ends is copied to `final_states`, marked in `finished`
    and dealt anew. Then writes the next mover's view.
    """
    before = np.empty(MAX_SEATS, np.float64)
    legal = np.empty(MAX_ACTIONS, np.int32)
    for i in range(len(states)):
        s = states[i]
        step_for_rewards(s, actions[i], before, rewards[i])
        finished[i] = s.mover == NOBODY
        if finished[i]:
            final_states[i] = states[i]
            new_game(s)
        write_observation(s, s.mover, observations[i])
        write_mask(s, legal, masks[i])


@kernel
def step_chosen(
    states: States, actions: NDArray[np.int32], chosen: NDArray[np.bool_], rewards: NDArray[np.float32]
) -> None:
    """Plays an action in the chosen games and *adds* what each seat gets for it to `rewards`."""
    before = np.empty(MAX_SEATS, np.float64)
    gained = np.empty(MAX_SEATS, np.float64)
    for i in range(len(states)):
        if chosen[i]:
            step_for_rewards(states[i], actions[i], before, gained)
            for seat in range(states[i].num_players):
                rewards[i, seat] += gained[seat]


@kernel
def draw_all(states: States, draws: NDArray[np.float64], actions: NDArray[np.int32]) -> None:
    """A legal action in every game: `draws[i]`, from 0 to below 1, chooses among them evenly."""
    legal = np.empty(MAX_ACTIONS, np.int32)
    for i in range(len(states)):
        actions[i] = legal[int(draws[i] * legal_actions(states[i], legal))]


@kernel
def all_returns(states: States, returns: NDArray[np.float32]) -> None:
    """The sum of all rewards of every game so far."""
    for i in range(len(states)):
        write_returns(states[i], returns[i])


@kernel
def redraw_all(states: States, seats: NDArray[np.int8], seeds: NDArray[np.uint64]) -> None:
    """Draws anew what `seats[i]` doesn't know in game i, and all future chance."""
    for i in range(len(states)):
        states[i].rng = seeds[i]
        redraw(states[i], seats[i])


@kernel
def play_randomly(states: States) -> int:
    """Plays every game to its end by legal actions drawn by its own generator; counts the decisions."""
    actions = np.empty(MAX_ACTIONS, np.int32)
    num_decisions = 0
    for i in range(len(states)):
        s = states[i]
        while s.mover != NOBODY:
            step(s, random_action(s, actions))
            num_decisions += 1
    return num_decisions


@kernel
def count_plays(line: States, actions: NDArray[np.int32], depth: int) -> int:
    """How many ways there are to play on from `line[depth]`, to the game's end or for `len(line) - 1 - depth`
    decisions. `line` is a stack of positions, `actions` one of legal actions.
    """
    if line[depth].mover == NOBODY or depth == len(line) - 1:
        return 1
    num_plays = 0
    for i in range(legal_actions(line[depth], actions[depth])):
        line[depth + 1] = line[depth]
        step(line[depth + 1], actions[depth, i])
        num_plays += count_plays(line, actions, depth + 1)
    return num_plays
