"""Tables: many games at whose seats learners and agents sit. The one engine below all that mixes the two.

A seat environment has one learner at each table, self-play has several, a match has none. Wherever it isn't a
learner's turn, agents decide, each in one batch for all the tables at which it is to move.

Letters: N tables, S seats.
"""

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from trick_envs.core import batch
from trick_envs.core.agent import Agent, RandomAgent, check_agent, decide
from trick_envs.core.game import Game, States
from trick_envs.core.random import Streams
from trick_envs.core.state import NOBODY

LEARNER = -1
"""Stands where an agent's number could be: whoever calls decides for this seat."""

Opponents: TypeAlias = Agent | Sequence[Agent] | None
"""An agent for all other seats, several to draw from, or None for random play."""

Clock: TypeAlias = Callable[[int, int, float], None]
"""Is told an agent's number, how many decisions it has made, and how many seconds they took."""


def check_opponents(
    opponents: Opponents, weights: Sequence[float] | None
) -> tuple[list[Agent], NDArray[np.float64]]:
    """The agents, and between which of them a number from 0 to 1 decides by the weights.

    Raises:
        ValueError: No agents, or weights that don't fit them.
    """
    if opponents is None:
        agents: list[Agent] = [RandomAgent()]
    elif isinstance(opponents, Sequence) and not isinstance(opponents, str):
        agents = list(opponents)
    else:
        agents = [opponents]
    for agent in agents:
        check_agent(agent, "opponents")
    chances = np.ones(len(agents)) if weights is None else np.asarray(weights, np.float64)
    fitting = len(agents) > 0 and chances.shape == (len(agents),)
    if not (fitting and chances.min() >= 0 and 0 < chances.sum() < np.inf):
        raise ValueError(
            f"weights is {weights!r} for {len(agents)} opponents; "
            "allowed is one finite number for each, none negative, not all 0"
        )
    return agents, np.cumsum(chances / chances.sum())[:-1]


class Tables:
    """N games in progress, who sits where, and what has come to each seat.

    Attributes:
        states: (N,) the games.
        agents: Who may sit at the tables, beside learners.
        streams: The random numbers of each agent: N streams.
        agent_at: (N, S) the number of the agent at each seat, or LEARNER.
        gained: (N, S) float32, the sum of each seat's rewards; the caller sets it back to 0.
        round_ended: (N,) bool, a round has ended at the table, the game with its last one included; the
            caller sets it back.
    """

    def __init__(
        self,
        game: Game,
        num_tables: int,
        agents: Sequence[Agent] = (),
        streams: Sequence[Streams] = (),
        clock: Clock | None = None,
    ) -> None:
        """Allocates the games, with learners at all seats.

        Args:
            game: The rules.
            num_tables: N.
            agents: Who may sit at the tables.
            streams: For each agent, N streams.
            clock: Is told how long agents take.
        """
        shape = (num_tables, game.num_players)
        self.game = game
        self.states: States = np.zeros(num_tables, game.state_dtype)
        self.agents, self.streams = list(agents), list(streams)
        self.agent_at = np.full(shape, LEARNER, np.intp)
        self.gained = np.zeros(shape, np.float32)
        self.round_ended = np.zeros(num_tables, np.bool_)
        self.rows = np.arange(num_tables)
        self._clock = clock
        self._actions = np.zeros(num_tables, np.int32)
        self._was_over = np.zeros(num_tables, np.bool_)

    def begin(self, states: States) -> None:
        """Puts games on the tables, (N,)."""
        self.states = states
        self.gained[:] = 0
        self.round_ended[:] = False
        self._was_over[:] = False

    @property
    def is_learner(self) -> NDArray[np.bool_]:
        """(N, S) where learners sit."""
        return self.agent_at == LEARNER

    def play(self, chosen: NDArray[np.bool_], actions: NDArray[np.int32]) -> None:
        """Plays legal actions, (N,), at the chosen tables, (N,)."""
        rounds = self.states["round_number"].copy()
        batch.step_chosen(self.states, actions, chosen, self.gained)
        self.round_ended |= self.states["round_number"] != rounds

    def play_agents(self) -> Iterator[NDArray[np.intp]]:
        """Lets agents decide until it is a learner's turn at every table that isn't over.

        Yields:
            The tables at which the game has just ended. Whoever iterates may deal anew at them; otherwise
            they stay over.
        """
        while True:
            current_players = self.states["current_player"]
            is_over = current_players == NOBODY
            just_over = np.flatnonzero(is_over & ~self._was_over)
            self._was_over[:] = is_over
            if len(just_over):
                yield just_over
                continue  # there may be a new game
            agent_at = np.where(is_over, LEARNER, self.agent_at[self.rows, current_players])
            waiting = agent_at != LEARNER
            if not waiting.any():
                return
            for number in range(len(self.agents)):
                tables = np.flatnonzero(agent_at == number)
                if len(tables):
                    self._actions[tables] = self._decide(number, tables)
            self.play(waiting, self._actions)

    def _decide(self, number: int, tables: NDArray[np.intp]) -> NDArray[np.int32]:
        start = perf_counter()
        actions = decide(self.agents[number], self.game, self.states, tables, self.streams[number])
        if self._clock is not None:
            self._clock(number, len(tables), perf_counter() - start)
        return actions
