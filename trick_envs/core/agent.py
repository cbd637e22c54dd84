"""The protocol of agents, and the one agent that needs nothing but the rules."""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from trick_envs.core import batch
from trick_envs.core.game import Game, States
from trick_envs.core.random import Streams


@runtime_checkable
class Agent(Protocol):
    """Whoever can decide for a seat, in any number of games at once."""

    def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
        """One legal action for the mover of each game, shape (N,).

        An agent uses only what the mover knows: `game.observations`, `game.action_masks`, `game.resample`,
        public fields of the states and the mover's own hand. It doesn't change the states.

        Args:
            game: The rules.
            states: (N,) games that aren't over, whose movers the agent plays.
            rng: N streams of random numbers, one for each game. An agent that draws only from these acts in
                each game as if it were the only one.
        """


class RandomAgent:
    """Plays legal actions, all equally likely."""

    def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
        """One legal action for the mover of each game, shape (N,)."""
        actions = np.empty(len(states), np.int32)
        batch.draw_all(states, rng.random(), actions)
        return actions
