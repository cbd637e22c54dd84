"""The protocol of agents, and the one agent that needs nothing but the rules."""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from trick_envs.core import batch, validation
from trick_envs.core.errors import IllegalActionError
from trick_envs.core.game import Game, States
from trick_envs.core.random import Streams, check_streams


@runtime_checkable
class Agent(Protocol):
    """Whoever can decide for a seat, in any number of games at once."""

    def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
        """One legal action for the current player of each game, shape (N,).

        An agent uses only what the current player knows: `game.observations`, `game.action_masks`,
        `game.resample`, public fields of the states and the current player's own hand. It doesn't change the
        states.

        Args:
            game: The rules.
            states: (N,) games that aren't over, whose current players the agent plays.
            rng: N streams of random numbers, one for each game. An agent that draws only from these acts in
                each game as if it were the only one.
        """


def check_agent(agent: object, named: str) -> None:
    """Raises `ValueError`, with the name of what gave it, unless this is an agent."""
    if isinstance(agent, type) or not isinstance(agent, Agent):
        raise ValueError(
            f"{named} has {agent!r}; allowed are agents, with a method `act`, as trick_agents.make gives"
        )


def decide(
    agent: Agent, game: Game, states: States, chosen: NDArray[np.intp], rng: Streams
) -> NDArray[np.int32]:
    """An agent's actions in some of many games, checked, since rules trust what they are given.

    Args:
        agent: Who plays the current players.
        game: The rules.
        states: (N,) all games.
        chosen: (M,) which of them; the agent gets copies.
        rng: N streams.

    Returns:
        One legal action for each chosen game, (M,).

    Raises:
        ValueError: The agent gave something else.
    """
    answer = agent.act(game, states[chosen], rng.take(chosen))
    given = validation.whole_numbers(answer, f"what {type(agent).__name__} gave as actions", chosen.shape)
    # clipped, since 2**32 would become 0
    actions = np.ascontiguousarray(given.clip(-1, game.num_actions), np.int32)
    i = batch.first_illegal(states, chosen, actions)
    if i >= 0:
        state = states[chosen[i : i + 1]]
        legal = [game.action_texts[action] for action in np.flatnonzero(game.action_masks(state)[0])]
        raise IllegalActionError(
            f"{type(agent).__name__} chose action {given[i]} for seat {state[0]['current_player']}, "
            f"which may play {', '.join(legal)}"
        )
    return actions


class RandomAgent:
    """Plays legal actions, all equally likely.

    Examples:
        >>> from trick_envs import Streams, make_game
        >>> game = make_game("voodoo_prince", preset="mini")
        >>> RandomAgent().act(game, game.new_states(3, seed=1), Streams(3, seed=1)).shape
        (3,)
    """

    def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
        """One legal action for the current player of each game, shape (N,)."""
        check_streams(rng, len(states))
        actions = np.empty(len(states), np.int32)
        batch.draw_all(states, rng.random(), actions)
        return actions
