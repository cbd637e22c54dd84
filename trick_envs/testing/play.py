"""Random play by the masks, for tests: whole games, and positions from all over them."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.game import Game, States


def random_actions(game: Game, states: States, rng: np.random.Generator) -> NDArray[np.int32]:
    """A legal action for each game by its mask, shape (N,); 0 where it is over."""
    masks = game.action_masks(states)
    draws = rng.random(masks.shape) * masks
    return draws.argmax(axis=1).astype(np.int32)


def play(
    game: Game, num_games: int, seed: int
) -> Iterator[tuple[States, NDArray[np.int32], NDArray[np.float32]]]:
    """Plays random games to their ends: each step's states before it (N,), actions (N,) and rewards (N, S).

    The last states are those at the ends, with actions and rewards of 0.
    """
    rng = np.random.default_rng(seed)
    states = game.new_states(num_games, seed)
    while (game.current_players(states) >= 0).any():
        before = states.copy()
        actions = random_actions(game, states, rng)
        rewards = game.step(states, actions)
        yield before, actions, rewards
    yield states, np.zeros(num_games, np.int32), np.zeros((num_games, game.num_players), np.float32)


def reached_states(game: Game, count: int, seed: int, num_games: int = 4) -> States:
    """States from all over random games, the last one at an end, shape (count,); fewer if there are no more.

    Examples:
        >>> from trick_envs import make_game
        >>> game = make_game("gummi_trick", num_players=3, preset="mini")
        >>> game.current_players(reached_states(game, 5, seed=1)).shape
        (5,)
    """
    steps = [states for states, _, _ in play(game, num_games, seed)]
    rng = np.random.default_rng(seed)
    everything = np.concatenate(steps).view(game.state_dtype)
    chosen = rng.choice(len(everything), min(count, len(everything)) - 1, replace=False)
    return everything[np.append(chosen, len(everything) - 1)]


def plays_of_a_deal(game: Game, seed: int, num_plays: int, num_decisions: int) -> States:
    """States from many random plays of a few decisions, from one deal and from one mid-game position.

    Each begins with every leader that is possible there. So there are positions among them in which the same
    has been played in another order. None comes twice.
    """
    rng = np.random.default_rng(seed)
    starts = []
    for state in (game.new_states(1, seed)[0], reached_states(game, 2, seed, 1)[0]):
        starts.append(single(game, state))
        d = game.to_dict(state)
        for seat in range(game.num_players):
            try:
                starts.append(game.from_dict({**d, "leader": seat, "mover": seat}))
            except ValueError:
                continue  # the rules say who leads here
    states = np.repeat(np.concatenate(starts), num_plays)
    states["rng"] = states["rng"][0]
    steps = [states.copy()]
    for _ in range(num_decisions):
        game.step(states, random_actions(game, states, rng))
        steps.append(states.copy())
    return np.unique(np.concatenate(steps).view(f"V{states.itemsize}")).view(game.state_dtype)


def single(game: Game, state: States) -> States:
    """A record as an array of one, a copy."""
    return np.array([state], game.state_dtype)


def without_chance(states: States) -> bytes:
    """All of the states but their random-number generators."""
    states = states.copy()
    states["rng"] = 0
    return states.tobytes()
