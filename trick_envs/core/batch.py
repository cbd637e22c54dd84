"""Loops over many games, written once for all of them.

Letters: N games, S seats, A actions, D features of an observation. `states` has shape (N,); all other
arrays have N rows and are written in place.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.dispatch import legal_actions, new_game, observe, resample, step
from trick_envs.core.kernel import State, kernel
from trick_envs.core.random import random_below
from trick_envs.core.state import MAX_ACTIONS, MAX_SEATS, NOBODY, Reward

States = NDArray[Any]


@kernel
def write_mask(s: State, actions: NDArray[np.int32], flat: NDArray[np.int8], at: int, size: int) -> None:
    """The current player's legal actions as 1s among `size` entries from `at` on; none when over.

    `actions`: memory to work in. `flat` is all masks in one row: making an object for each row of an array
    would take longer than filling it.
    """
    for i in range(np.uintp(at), np.uintp(at + size)):
        flat[i] = 0
    if s.current_player != NOBODY:
        for k in range(legal_actions(s, actions)):
            flat[np.uintp(at + actions[k])] = 1


@kernel
def write_observation(s: State, seat: int, flat: NDArray[np.int8], at: int, size: int) -> None:
    """What a seat knows, as the `size` features from `at` on; flat as in `write_mask`."""
    # In two halves: from 2 KB on, what clears memory uses an instruction that is slow to start.
    middle = at + size // 2
    for i in range(np.uintp(at), np.uintp(middle)):
        flat[i] = 0
    for i in range(np.uintp(middle), np.uintp(at + size)):
        flat[i] = 0
    # In plain Python the type of a card would bound its sum with a plain number.
    observe(s, seat, flat, np.int64(at))  # type: ignore[arg-type]


@kernel
def random_action(s: State, actions: NDArray[np.int32]) -> int:
    """A legal action, all equally likely, by the game's own generator."""
    return int(actions[random_below(s, legal_actions(s, actions))])


@kernel
def return_of(s: State, seat: int) -> float:
    """The sum of a seat's rewards in the game so far."""
    n = s.num_players
    if s.reward == Reward.OUTCOME:
        num_winners = 0
        for other in range(n):
            num_winners += s.winners[other]
        if num_winners == 0 or num_winners == n:
            return 0.0
        return 1.0 / num_winners if s.winners[seat] else -1.0 / (n - num_winners)
    if s.reward == Reward.SCORE:
        return float(s.scores[seat] / s.score_scale)
    total = 0
    for other in range(n):
        total += s.scores[other]
    return float((s.scores[seat] - total / n) / s.score_scale)


@kernel
def step_for_rewards(
    s: State, action: int, before: NDArray[np.float64], rewards: NDArray[np.float32], i: int
) -> None:
    """Plays an action and *adds* what each seat gets for it to row i of rewards. `before`: memory to work in.

    A finished game doesn't change.
    """
    if s.current_player == NOBODY:
        return
    is_late = s.reward == Reward.OUTCOME
    for seat in range(s.num_players):
        before[seat] = 0.0 if is_late else return_of(s, seat)
    step(s, action)
    if s.current_player == NOBODY or not is_late:
        for seat in range(s.num_players):
            rewards[i, seat] += return_of(s, seat) - before[seat]


@kernel
def restart_finished(states: States) -> None:
    """Deals anew every game that is over; chance goes on from where the game's generator stands."""
    for i in range(len(states)):
        if states[i].current_player == NOBODY:
            new_game(states[i])


@kernel
def mask_all(states: States, masks: NDArray[np.int8]) -> None:
    """The mask of every game's current player."""
    actions = np.empty(MAX_ACTIONS, np.int32)
    size = masks.shape[1]
    flat = masks.reshape(masks.size)
    for i in range(len(states)):
        write_mask(states[i], actions, flat, i * size, size)


@kernel
def observe_all(states: States, seats: NDArray[np.int8], observations: NDArray[np.int8]) -> None:
    """What `seats[i]` knows in game i."""
    size = observations.shape[1]
    flat = observations.reshape(observations.size)
    for i in range(len(states)):
        write_observation(states[i], seats[i], flat, i * size, size)


@kernel
def step_all(states: States, actions: NDArray[np.int32], rewards: NDArray[np.float32]) -> None:
    """Plays one action in every game."""
    before = np.empty(MAX_SEATS, np.float64)
    for i in range(len(states)):
        for seat in range(rewards.shape[1]):
            rewards[i, seat] = 0.0
        step_for_rewards(states[i], actions[i], before, rewards, i)


@kernel
def step_and_view(
    states: States,
    actions: NDArray[np.int64],
    plays: bool,
    deals: bool,
    finished: NDArray[np.bool_],
    final_returns: NDArray[np.float64],
    final_scores: NDArray[np.int32],
    rewards: NDArray[np.float32],
    current_players: NDArray[np.int8],
    observations: NDArray[np.int8],
    masks: NDArray[np.int8],
) -> int:
    """One step or reset of an environment, each game handled once while it lies in the processor's cache.

    If it `plays`: an action in every game; `masks` says which are legal. A game that is over then is marked
    in `finished`; its returns and scores are written, which are 0 for all others; and, if it `deals`, it is
    dealt anew. Then writes the next current player and its view; of a game that is over, a mask of 0 only.

    Returns:
        -1, or the first game whose action isn't legal; nothing changes then.
    """
    num_features, num_actions = observations.shape[1], masks.shape[1]
    if plays:
        for i in range(len(states)):
            if not 0 <= actions[i] < num_actions or masks[i, actions[i]] == 0:
                return i
    before = np.empty(MAX_SEATS, np.float64)
    legal = np.empty(MAX_ACTIONS, np.int32)
    all_features, all_masks = observations.reshape(observations.size), masks.reshape(masks.size)
    for i in range(len(states)):
        s = states[i]
        for seat in range(rewards.shape[1]):
            rewards[i, seat] = 0.0
            final_returns[i, seat] = 0.0
            final_scores[i, seat] = 0
        if plays:
            step_for_rewards(s, actions[i], before, rewards, i)
        finished[i] = s.current_player == NOBODY
        if finished[i]:
            for seat in range(rewards.shape[1]):
                final_returns[i, seat] = return_of(s, seat)
                final_scores[i, seat] = s.scores[seat]
            if deals:
                new_game(s)
        current_players[i] = s.current_player
        if s.current_player != NOBODY:
            write_observation(s, s.current_player, all_features, i * num_features, num_features)
        write_mask(s, legal, all_masks, i * num_actions, num_actions)
    return -1


@kernel
def step_chosen(
    states: States, actions: NDArray[np.int32], chosen: NDArray[np.bool_], rewards: NDArray[np.float32]
) -> None:
    """Plays an action in the chosen games and *adds* what each seat gets for it to `rewards`."""
    before = np.empty(MAX_SEATS, np.float64)
    for i in range(len(states)):
        if chosen[i]:
            step_for_rewards(states[i], actions[i], before, rewards, i)


@kernel
def draw_all(states: States, draws: NDArray[np.float64], actions: NDArray[np.int32]) -> None:
    """A legal action in every game: `draws[i]`, from 0 to below 1, chooses among them evenly."""
    legal = np.empty(MAX_ACTIONS, np.int32)
    for i in range(len(states)):
        actions[i] = legal[int(draws[i] * legal_actions(states[i], legal))]


@kernel
def first_illegal(states: States, chosen: NDArray[np.intp], actions: NDArray[np.int32]) -> int:
    """The first i for which `actions[i]` isn't legal in game `chosen[i]`, -1 if all are."""
    legal = np.empty(MAX_ACTIONS, np.int32)
    for i in range(len(chosen)):
        s = states[chosen[i]]
        is_legal = False
        if s.current_player != NOBODY:
            for k in range(legal_actions(s, legal)):
                is_legal = is_legal or legal[k] == actions[i]
        if not is_legal:
            return i
    return -1


@kernel
def all_returns(states: States, returns: NDArray[np.float64]) -> None:
    """The sum of all rewards of every game so far."""
    for i in range(len(states)):
        for seat in range(states[i].num_players):
            returns[i, seat] = return_of(states[i], seat)


@kernel
def resample_all(states: States, seats: NDArray[np.int8], seeds: NDArray[np.uint64]) -> None:
    """Draws anew what `seats[i]` doesn't know in game i, and all future chance."""
    for i in range(len(states)):
        states[i].rng = seeds[i]
        resample(states[i], seats[i])


@kernel
def play_randomly(states: States) -> int:
    """Plays every game to its end by legal actions drawn by its own generator; counts the decisions."""
    actions = np.empty(MAX_ACTIONS, np.int32)
    num_decisions = 0
    for i in range(len(states)):
        s = states[i]
        while s.current_player != NOBODY:
            step(s, random_action(s, actions))
            num_decisions += 1
    return num_decisions


@kernel
def count_plays(line: States, actions: NDArray[np.int32], at: int, depth: int) -> int:
    """How many ways there are to play on from `line[at]`, for `depth` decisions or to the game's end.

    `line` is a stack of positions, `actions` one of legal actions. Where there is no choice, the game is
    played on in place, which is faster than in a copy.
    """
    s = line[at]
    num_actions = 1
    while num_actions == 1:
        if s.current_player == NOBODY or depth == 0:
            return 1
        num_actions = legal_actions(s, actions[at])
        if num_actions == 1:
            step(s, actions[at, 0])
        depth -= 1
    num_plays = 0
    for i in range(num_actions):
        line[at + 1] = line[at]
        step(line[at + 1], actions[at, i])
        num_plays += count_plays(line, actions, at + 1, depth)
    return num_plays
