"""The tables of self-play: one learner at several seats of many games, agents at the others.

Letters: N tables, S seats, A actions, D features.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from trick_envs.core import batch
from trick_envs.core.agent import Agent, RandomAgent, decide
from trick_envs.core.game import Game, States
from trick_envs.core.layout import Group
from trick_envs.core.random import Streams, seeds_for
from trick_envs.envs.sb3 import BatchVecEnv
from trick_envs.envs.tables import LEARNER, Opponents, Tables, check_opponents

EPISODES = ("round", "game")
SPREAD_TABLES = 256
MIXING = 256  # decisions; the longest games of the suite have about as many


def check_episode(episode: str) -> str:
    """The kind of episode, if there is such a one.

    Raises:
        ValueError: There isn't.
    """
    if episode not in EPISODES:
        raise ValueError(f"unknown episode {episode!r}; choose from {', '.join(map(repr, EPISODES))}")
    return episode


def hand_of(game: Game) -> Group:
    """The group of the observer's hand, of which a privileged critic sees everybody's.

    Raises:
        ValueError: The game's observations have none.
    """
    if "hand" not in game.observation_layout:
        raise ValueError(f"a privileged critic needs a feature group 'hand', which {game.name} doesn't have")
    return game.observation_layout["hand"]


class SelfPlayVecEnv(BatchVecEnv):
    """N tables at which the learner moves in turn for every seat that is its own.

    A step is one decision at each table. `rewards` as Stable-Baselines3 knows them are those of the seat that
    has just moved; what self-play learns from are the attributes. At a game's end ``infos[i]`` has the mean
    ``return`` of the learner's seats, in the units of the game's rewards, and an ``episode`` as
    Stable-Baselines3's monitors write it, whose length is that of the learner's decisions at the table.

    Attributes:
        tables: Who sits where, and the games.
        seats: (N,) int8, the learner's seat that is to move at each table.
        ended: (N,) bool, the last step ended the game (or the round, if that is the episode): no
            seat's decisions before it are linked to those after it.
        games_against: For each agent of the pool, in how many seats it has played the learner, since the pool
            was set.
        losses_to: How often it came out above the learner then; an equal result is half a loss.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Opponents = None,
        weights: Sequence[float] | None = None,
        pool_share: float = 0.0,
        episode: str = "round",
        privileged_critic: bool = False,
        seed: int | None = None,
    ) -> None:
        """Makes room for the tables; `reset` deals.

        Args:
            game: The rules.
            num_envs: N.
            opponents: Who sits at the seats that aren't the learner's, see `SeatTables`.
            weights: How often each of them is drawn.
            pool_share: Share of the games in which agents from the pool sit at all seats but one. In the
                others all seats are the learner's.
            episode: What a seat learns from ends with the ``"round"`` or with the ``"game"``.
            privileged_critic: Observations end with the others' hands, H features each, clockwise:
                (N, D + (S - 1) * H). They are for a critic, which is needed in training only.
            seed: Of all chance, for the first `reset`.

        Raises:
            ValueError: A pool's share that is none, or another kind of episode.
        """
        if not 0 <= pool_share <= 1:
            raise ValueError(f"pool_share is {pool_share!r}; allowed are numbers from 0 to 1")
        self.game = game
        self.pool_share = pool_share
        self.episode = check_episode(episode)
        self.tables = Tables(game, num_envs)
        self.seats = np.zeros(num_envs, np.int8)
        self.ended = np.zeros(num_envs, np.bool_)
        self._masks = np.zeros((num_envs, game.num_actions), np.int8)
        self._actions = np.zeros(num_envs, np.int32)
        self._chance = Streams(num_envs)
        self._agent_streams = Streams(num_envs)
        self.privileged_critic = privileged_critic
        self._hand = hand_of(game).slice if privileged_critic else slice(0, 0)
        size = game.observation_size + (game.num_players - 1) * (self._hand.stop - self._hand.start)
        self.num_features = size
        super().__init__(num_envs, Box(0, 1, (size,), np.int8), Discrete(game.num_actions))
        self.set_opponents(opponents, weights)
        self._seeds[0] = seed

    @property
    def states(self) -> States:
        """(N,) the games; a seat of the learner's is to move in all of them."""
        return self.tables.states

    @property
    def seat_rewards(self) -> NDArray[np.float32]:
        """(N, S) what came to each seat in the last step."""
        return self.tables.gained

    def set_opponents(self, opponents: Opponents, weights: Sequence[float] | None = None) -> None:
        """Changes the opponent pool, at once, and counts its games anew."""
        tables = self.tables
        tables.agents, self._thresholds = check_opponents(opponents, weights)
        tables.streams = [self._agent_streams] * len(tables.agents)
        sits = ~tables.is_learner
        tables.agent_at[sits] %= len(tables.agents)
        self.games_against = np.zeros(len(tables.agents))
        self.losses_to = np.zeros(len(tables.agents))

    def reset(self) -> NDArray[np.int8]:
        """Deals at all tables; (N, D)."""
        n = self.num_envs
        if self._seeds[0] is not None:
            self._chance = Streams(n, seeds_for(n, self._seeds[0], purpose=2))
            self._agent_streams = Streams(n, self._chance.bits())
            self.tables.streams = [self._agent_streams] * len(self.tables.agents)
        self._reset_seeds()
        self.tables.begin(self.game.new_states(n, self._chance.bits()))
        self._mix_phases()
        self._lengths[:] = 0
        self._seat_players(self.tables.rows)
        self._play_opponents([{} for _ in range(n)])
        return self._observe()

    def _mix_phases(self) -> None:
        """Plays on at random, at each table for another time, so that updates see all phases of the game."""
        times = self._chance.random() * MIXING
        unused = np.zeros_like(self.seat_rewards)
        for moment in range(MIXING):
            batch.draw_all(self.states, self._chance.random(), self._actions)
            batch.step_chosen(self.states, self._actions, times > moment, unused)
            batch.restart_finished(self.states)

    def _seat_players(self, tables: NDArray[np.intp]) -> None:
        chance = self._chance.take(tables)
        has_opponents = chance.random() < self.pool_share
        own_seat = (chance.random() * self.game.num_players).astype(np.intp)
        for seat in range(self.game.num_players):
            agent = np.searchsorted(self._thresholds, chance.random(), side="right")
            self.tables.agent_at[tables, seat] = np.where(has_opponents & (own_seat != seat), agent, LEARNER)

    def _step(self) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        current_players = self.seats.copy()
        self.tables.gained[:] = 0
        self.tables.round_ended[:] = False
        self.ended[:] = False
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self.tables.play(np.ones(self.num_envs, np.bool_), self.given)
        self._lengths += 1
        finished = self._play_opponents(infos)
        return self._observe(), self.seat_rewards[self.tables.rows, current_players], finished, infos

    def _play_opponents(self, infos: list[dict[str, Any]]) -> NDArray[np.bool_]:
        """Plays until the learner is to move everywhere; games that end are dealt anew."""
        finished = np.zeros(self.num_envs, np.bool_)
        for over in self.tables.play_agents():
            returns = self.game.returns(self.states[over])
            self._add_final_infos(over, returns, infos)
            self._count_losses(over, returns)
            finished[over] = True
            batch.restart_finished(self.states)
            self._seat_players(over)
        self.ended |= finished
        if self.episode == "round":
            self.ended |= self.tables.round_ended
        self.seats[:] = self.states["current_player"]
        return finished

    def _count_losses(self, over: NDArray[np.intp], returns: NDArray[np.float64]) -> None:
        has_opponents = ~self.tables.is_learner[over].all(axis=1)
        agent_at, returns = self.tables.agent_at[over[has_opponents]], returns[has_opponents]
        mine = returns[agent_at == LEARNER][:, None]  # one seat at each of these tables
        beaten = (returns > mine) + 0.5 * (returns == mine)
        for number in range(len(self.tables.agents)):
            self.games_against[number] += (agent_at == number).sum()
            self.losses_to[number] += beaten[agent_at == number].sum()

    def _add_final_infos(
        self, over: NDArray[np.intp], returns: NDArray[np.float64], infos: list[dict[str, Any]]
    ) -> None:
        for row, i in enumerate(over):
            mean = float(returns[row, self.tables.is_learner[i]].mean())
            infos[i]["return"] = mean
            infos[i]["episode"] = self._episode(int(i), mean)

    def _observe(self) -> NDArray[np.int8]:
        self.game.action_masks(self.states, out=self._masks)
        own = self.game.observations(self.states, self.seats)
        if not self.privileged_critic:
            return own
        n = self.game.num_players
        others = [
            self.game.observations(self.states, (self.seats + i) % n)[:, self._hand] for i in range(1, n)
        ]
        return np.concatenate([own, *others], axis=1)

    def action_masks(self) -> NDArray[np.int8]:
        """The current players' legal actions, (N, A)."""
        return self._masks.copy()

    def decisions_of(self, agent: Agent) -> NDArray[np.int64]:
        """What an agent would do in the current players' places, (N,)."""
        return decide(agent, self.game, self.states, self.tables.rows, self._agent_streams).astype(np.int64)


def spread_of_returns(game: Game, episode: str) -> float:
    """About the standard deviation of what random play gets in a round, or in a game; 1 if that is 0."""
    env = SelfPlayVecEnv(game, SPREAD_TABLES, episode=episode, seed=0)
    env.reset()
    player = RandomAgent()
    gained = np.zeros_like(env.seat_rewards)
    returns = []
    has_ended = np.zeros(SPREAD_TABLES, np.bool_)
    while not has_ended.all():
        env.step(env.decisions_of(player))
        gained += env.seat_rewards
        returns.append(gained[env.ended])
        gained[env.ended] = 0
        has_ended |= env.ended
    return float(np.concatenate(returns).std()) or 1.0
