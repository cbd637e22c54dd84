"""Self-play over all seats: one policy plays every seat of many games, and learns from every decision.

Between two decisions of a seat others move, the game may end on another's move, and a seat may be out long
before the end. So a seat's decisions are linked to its own next ones, whoever moved in between, and
everything that came to the seat in that time is the decision's reward, also after its last one.

Letters: N tables, S seats, A actions, D features.
"""

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBufferSamples
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import obs_as_tensor, update_learning_rate
from stable_baselines3.common.vec_env import VecEnv
from torch import nn
from torch.nn.functional import mse_loss

from trick_envs.core import batch
from trick_envs.core.agent import Agent, RandomAgent, decide
from trick_envs.core.game import Game, States
from trick_envs.core.random import Streams, seeds_for
from trick_envs.core.seat import Opponents, check_opponents
from trick_envs.core.state import NOBODY
from trick_envs.sb3 import BatchVecEnv

NONE = -1
SPREAD_TABLES = 256
MIXING = 256  # decisions; the longest games of the suite have about as many


class SelfPlayVecEnv(BatchVecEnv):
    """N tables at which the learner moves in turn for every seat that is its own.

    A step is one decision at each table. `rewards` as Stable-Baselines3 knows them are those of the seat that
    has just moved; what self-play learns from are the attributes. At a game's end ``infos[i]`` has the mean
    ``return`` of the learner's seats, in the units of the game's rewards, and an ``episode`` as
    Stable-Baselines3's monitors write it, whose length is that of the learner's decisions at the table.

    Attributes:
        states: (N,) the games; a seat of the learner's is to move in all of them.
        seats: (N,) int8, that seat.
        seat_rewards: (N, S) float32, what came to each seat in the last step.
        ended: (N,) bool, the last step ended the game (or the round, if `by_round`): no seat's decisions
            before it are linked to those after it.
        meetings: For each of the opponents, in how many seats it has met the learner since they were set.
        defeats: How often it came out above the learner then; an equal result is half a defeat.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Opponents = None,
        weights: Sequence[float] | None = None,
        guests: float = 0.0,
        by_round: bool = True,
        open_table: bool = False,
        seed: int | None = None,
    ) -> None:
        """Makes room for the tables; `reset` deals.

        Args:
            game: The rules.
            num_envs: N.
            opponents: Who sits at the seats that aren't the learner's, see `SeatTables`.
            weights: How often each of them is drawn.
            guests: Share of the games in which all seats but one are theirs. In the others all are its own.
            by_round: What a seat learns from ends with the round.
            open_table: Observations end with the others' hands, H features each, clockwise: (N, D + (S - 1)
                * H). They are for a critic, which is needed in training only.
            seed: Of all chance, for the first `reset`.

        Raises:
            ValueError: Guests that are no share.
        """
        if not 0 <= guests <= 1:
            raise ValueError(f"guests is {guests!r}; allowed are numbers from 0 to 1")
        self.game = game
        self.guests = guests
        self.by_round = by_round
        self.states: States = np.zeros(num_envs, game.state_dtype)
        self.seats = np.zeros(num_envs, np.int8)
        self.seat_rewards = np.zeros((num_envs, game.num_players), np.float32)
        self.ended = np.zeros(num_envs, np.bool_)
        self._masks = np.zeros((num_envs, game.num_actions), np.int8)
        self._tables = np.arange(num_envs)
        self._actions = np.zeros(num_envs, np.int32)
        self._agent_at = np.full((num_envs, game.num_players), NONE, np.intp)  # NONE: the learner
        self._chance = Streams(num_envs)
        self._agent_streams = Streams(num_envs)
        self.open_table = open_table
        hand = game.observation_layout["hand"]
        self._hand = hand.slice
        size = game.observation_size + (game.num_players - 1) * hand.size * open_table
        self.num_features = size
        super().__init__(num_envs, Box(0, 1, (size,), np.int8), Discrete(game.num_actions))
        self.set_opponents(opponents, weights)
        self._seeds[0] = seed

    def set_opponents(self, opponents: Opponents, weights: Sequence[float] | None = None) -> None:
        """Changes who the guests are, at once, and counts their games anew."""
        self._agents, self._thresholds = check_opponents(opponents, weights)
        sits = self._agent_at != NONE
        self._agent_at[sits] %= len(self._agents)
        self.meetings = np.zeros(len(self._agents))
        self.defeats = np.zeros(len(self._agents))

    def reset(self) -> NDArray[np.int8]:
        """Deals at all tables; (N, D)."""
        n = self.num_envs
        if self._seeds[0] is not None:
            self._chance = Streams(n, seeds_for(n, self._seeds[0], purpose=2))
            self._agent_streams = Streams(n, self._chance.bits())
        self._reset_seeds()
        self.states = self.game.new_states(n, self._chance.bits())
        self._mix_phases()
        self._lengths[:] = 0
        self._seat_players(self._tables)
        self._play_guests([{} for _ in range(n)])
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
        has_guests = chance.random() < self.guests
        own_seat = (chance.random() * self.game.num_players).astype(np.intp)
        for seat in range(self.game.num_players):
            agent = np.searchsorted(self._thresholds, chance.random(), side="right")
            self._agent_at[tables, seat] = np.where(has_guests & (own_seat != seat), agent, NONE)

    def _step(self) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        movers = self.seats.copy()
        self.seat_rewards[:] = 0
        self.ended[:] = False
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._play(np.ones(self.num_envs, np.bool_), self.given)
        self._lengths += 1
        finished = self._play_guests(infos)
        return self._observe(), self.seat_rewards[self._tables, movers], finished, infos

    def _play(self, chosen: NDArray[np.bool_], actions: NDArray[np.int32]) -> None:
        rounds = self.states["round_number"].copy()
        batch.step_chosen(self.states, actions, chosen, self.seat_rewards)
        if self.by_round:
            self.ended |= self.states["round_number"] != rounds

    def _play_guests(self, infos: list[dict[str, Any]]) -> NDArray[np.bool_]:
        """Plays until the learner is to move everywhere; games that end are dealt anew."""
        finished = np.zeros(self.num_envs, np.bool_)
        while True:
            over = np.flatnonzero(self.states["mover"] == NOBODY)
            if len(over):
                returns = self.game.returns(self.states[over])
                self._add_final_infos(over, returns, infos)
                self._count_meetings(over, returns)
                finished[over] = True
                self.ended[over] = True
                batch.restart_finished(self.states)
                self._seat_players(over)
            movers = self.states["mover"]
            agent_at = self._agent_at[self._tables, movers]
            waiting = agent_at != NONE
            if not waiting.any():
                self.seats[:] = movers
                return finished
            for number, agent in enumerate(self._agents):
                games = np.flatnonzero(agent_at == number)
                if len(games):
                    self._actions[games] = decide(agent, self.game, self.states, games, self._agent_streams)
            self._play(waiting, self._actions)

    def _count_meetings(self, over: NDArray[np.intp], returns: NDArray[np.float32]) -> None:
        has_guests = (self._agent_at[over] != NONE).any(axis=1)
        agent_at, returns = self._agent_at[over[has_guests]], returns[has_guests]
        mine = returns[agent_at == NONE][:, None]  # one seat at each of these tables
        beaten = (returns > mine) + 0.5 * (returns == mine)
        for number in range(len(self._agents)):
            self.meetings[number] += (agent_at == number).sum()
            self.defeats[number] += beaten[agent_at == number].sum()

    def _add_final_infos(
        self, over: NDArray[np.intp], returns: NDArray[np.float32], infos: list[dict[str, Any]]
    ) -> None:
        for row, i in enumerate(over):
            own = self._agent_at[i] == NONE
            mean = float(returns[row, own].mean())
            infos[i]["return"] = mean
            infos[i]["episode"] = self._episode(i, mean)

    def _observe(self) -> NDArray[np.int8]:
        self.game.action_masks(self.states, out=self._masks)
        own = self.game.observations(self.states, self.seats)
        if not self.open_table:
            return own
        n = self.game.num_players
        others = [
            self.game.observations(self.states, (self.seats + i) % n)[:, self._hand] for i in range(1, n)
        ]
        return np.concatenate([own, *others], axis=1)

    def action_masks(self) -> NDArray[np.int8]:
        """The movers' legal actions, (N, A)."""
        return self._masks.copy()

    def decisions_of(self, agent: Agent) -> NDArray[np.int64]:
        """What an agent would do in the movers' places, (N,)."""
        return decide(agent, self.game, self.states, self._tables, self._agent_streams).astype(np.int64)


def spread_of_returns(game: Game, by_round: bool) -> float:
    """About the standard deviation of what random play gets in a round, or in a game; 1 if that is 0."""
    env = SelfPlayVecEnv(game, SPREAD_TABLES, by_round=by_round, seed=0)
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


class SelfPlayBuffer:
    """Decisions of all seats, each linked to the same seat's next one.

    A decision whose seat has neither decided again nor reached an end is *open*; it is kept for the next
    update. Capacity: the decisions of T steps, and those that may be open, one for each seat.
    """

    def __init__(
        self,
        num_steps: int,
        num_tables: int,
        num_seats: int,
        num_features: int,
        num_actions: int,
        gamma: float,
        gae_lambda: float,
        device: torch.device,
    ) -> None:
        """Makes room."""
        self.gamma, self.gae_lambda, self.device = gamma, gae_lambda, device
        self.num_seats = num_seats
        size = (num_steps + num_seats) * num_tables
        self.observations = np.zeros((size, num_features), np.int8)
        self.masks = np.zeros((size, num_actions), np.int8)
        self.actions = np.zeros(size, np.int64)
        self.all_values = np.zeros(size, np.float32)
        self.log_probs = np.zeros(size, np.float32)
        self.rewards = np.zeros(size, np.float32)
        self.next = np.zeros(size, np.intp)
        self.advantages = np.zeros(size, np.float32)
        self.last = np.full((num_tables, num_seats), NONE, np.intp)
        """(N, S) the open decision of each seat."""
        self.gained = np.zeros((num_tables, num_seats), np.float32)
        """(N, S) what has come to the seat since."""
        self.groups: list[slice] = []
        """Decisions of the same time, in order; the first ones were open before."""
        self.size = 0
        self.ready = np.zeros(0, np.intp)

    _ROWS = ("observations", "masks", "actions", "all_values", "log_probs")

    def open_decisions(self) -> dict[str, NDArray[Any]]:
        """All that is kept from one update to the next."""
        rows = self.last[self.last != NONE]
        kept = {name: getattr(self, name)[rows] for name in self._ROWS}
        return {**kept, "is_open": self.last != NONE, "gained": self.gained.copy()}

    def restore(self, kept: dict[str, NDArray[Any]]) -> None:
        """Forgets all decisions but these, as `open_decisions` gave them."""
        is_open = kept["is_open"]
        self.size = int(is_open.sum())
        for name in self._ROWS:
            getattr(self, name)[: self.size] = kept[name]
        self.last[:] = NONE
        self.last[is_open] = np.arange(self.size)
        self.gained[:] = kept["gained"]
        self.groups = [slice(0, self.size)]

    def reset(self) -> None:
        """Forgets all decisions but the open ones."""
        self.restore(self.open_decisions())

    def add(
        self,
        observations: NDArray[np.int8],
        masks: NDArray[np.int8],
        actions: NDArray[np.int64],
        values: NDArray[np.float32],
        log_probs: NDArray[np.float32],
        seats: NDArray[np.int8],
    ) -> None:
        """Adds a decision at each table, (N, …)."""
        n = len(seats)
        rows = np.arange(self.size, self.size + n)
        group = slice(self.size, self.size + n)
        for name, given in zip(self._ROWS, (observations, masks, actions, values, log_probs), strict=True):
            getattr(self, name)[group] = given
        tables = np.arange(n)
        before = self.last[tables, seats]
        linked = before != NONE
        self.rewards[before[linked]] = self.gained[tables, seats][linked]
        self.next[before[linked]] = rows[linked]
        self.last[tables, seats] = rows
        self.gained[tables, seats] = 0
        self.groups.append(group)
        self.size += n

    def add_rewards(self, rewards: NDArray[np.float32], ended: NDArray[np.bool_]) -> None:
        """Adds what came to all seats, (N, S), and where that was the end, (N,)."""
        self.gained += rewards
        done = (self.last != NONE) & ended[:, None]
        self.rewards[self.last[done]] = self.gained[done]
        self.next[self.last[done]] = NONE
        self.last[done] = NONE
        self.gained[ended] = 0

    def compute_returns(self) -> None:
        """Generalised advantage estimates along each seat's own decisions, but for those that are open."""
        is_open = np.zeros(self.size, np.bool_)
        is_open[self.last[self.last != NONE]] = True
        for group in reversed(self.groups):
            following = self.next[group]
            goes_on = (following != NONE) & ~is_open[group]
            following = np.where(goes_on, following, 0)
            after = np.where(goes_on, self.all_values[following], 0)
            # Nothing is known beyond an open decision but its value.
            later = np.where(goes_on & ~is_open[following], self.advantages[following], 0)
            error = self.rewards[group] + self.gamma * after - self.all_values[group]
            self.advantages[group] = error + self.gamma * self.gae_lambda * later
        self.ready = np.flatnonzero(~is_open)

    @property
    def values(self) -> NDArray[np.float32]:
        """The critic's values of the decisions that are learned from."""
        return self.all_values[self.ready]

    @property
    def returns(self) -> NDArray[np.float32]:
        """What these turned out to be worth."""
        return self.advantages[self.ready] + self.values

    def get(self, batch_size: int | None = None) -> Generator[MaskableRolloutBufferSamples, None, None]:
        """All decisions that aren't open, shuffled, in portions; a rest that is smaller is left out."""
        rows = np.random.permutation(self.ready)  # noqa: NPY002, Stable-Baselines3's generator
        size = batch_size or len(rows)
        for start in range(0, len(rows) - size + 1, size):
            chosen = rows[start : start + size]
            yield MaskableRolloutBufferSamples(
                observations=self._tensor(self.observations[chosen]),
                actions=self._tensor(self.actions[chosen]),
                old_values=self._tensor(self.all_values[chosen]),
                old_log_prob=self._tensor(self.log_probs[chosen]),
                advantages=self._tensor(self.advantages[chosen]),
                returns=self._tensor(self.advantages[chosen] + self.all_values[chosen]),
                action_masks=self._tensor(self.masks[chosen]),
            )

    def _tensor(self, array: NDArray[Any]) -> torch.Tensor:
        return torch.as_tensor(array, device=self.device)


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO that learns from every seat's decisions; its environment is a `SelfPlayVecEnv`.

    It may take lessons first: it learns to do what a teacher would do in its place, and what positions are
    worth when one plays so. Policy gradients then begin with a player and a critic, not with chance.
    """

    def __init__(
        self,
        *args: Any,
        teacher: Agent | None = None,
        lessons: int = 0,
        lesson_rate: float = 1e-3,
        follow: float = 0.8,
        reward_scale: float = 1.0,
        **kwargs: Any,
    ) -> None:
        """Takes settings; those not named here are as for MaskablePPO.

        Args:
            args: As there.
            teacher: An agent whose decisions are learned first.
            lessons: How many of them.
            lesson_rate: The learning rate until then.
            follow: The share of lessons in which the teacher's action is played. In the others it is only
                learned, and the learner's own is played, which shows the teacher the learner's mistakes.
            reward_scale: What rewards are multiplied by. With returns of about 1 the critic's errors leave
                the actor its share of a gradient that is clipped.
            kwargs: As there.
        """
        self.teacher = teacher
        self.lessons = 0 if teacher is None else lessons
        self.lesson_rate = lesson_rate
        self.follow = follow
        self.reward_scale = reward_scale
        self._is_lesson = False
        super().__init__(*args, **kwargs)

    def _setup_model(self) -> None:
        super()._setup_model()
        env = self.env
        assert isinstance(env, SelfPlayVecEnv)
        self.rollout_buffer = SelfPlayBuffer(  # type: ignore[assignment]
            self.n_steps,
            env.num_envs,
            env.game.num_players,
            env.num_features,
            env.game.num_actions,
            self.gamma,
            self.gae_lambda,
            self.device,
        )

    @property
    def decisions(self) -> SelfPlayBuffer:
        """The buffer."""
        buffer: Any = self.rollout_buffer
        return buffer

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: Any,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Plays so many decisions at every table; False when the callback wants to stop."""
        assert isinstance(env, SelfPlayVecEnv)
        self.policy.set_training_mode(False)
        callback.on_rollout_start()
        was_lesson, self._is_lesson = self._is_lesson, self.num_timesteps < self.lessons
        if was_lesson and not self._is_lesson:
            rollout_buffer.last[:] = NONE  # what the teacher did is no decision of the learner's
        rollout_buffer.reset()
        for _ in range(n_rollout_steps):
            observations: Any = self._last_obs
            masks = env.action_masks()
            with torch.no_grad():
                seen = obs_as_tensor(observations, self.device)
                chosen, values, log_probs = self.policy(seen, action_masks=masks)
            learned = played = chosen.cpu().numpy()
            if self.teacher is not None and self._is_lesson:
                learned = env.decisions_of(self.teacher)
                # Stable-Baselines3's generator, as everywhere here
                follows = np.random.random(len(learned)) < self.follow  # noqa: NPY002
                played = np.where(follows, learned, played)
            rollout_buffer.add(
                observations,
                masks,
                learned,
                values.cpu().numpy().ravel(),
                log_probs.cpu().numpy(),
                env.seats,
            )
            observations, _, dones, infos = env.step(played)
            self._last_obs = observations
            rollout_buffer.add_rewards(env.seat_rewards * self.reward_scale, env.ended)
            self.num_timesteps += env.num_envs
            self._update_info_buffer(infos, dones)
            callback.update_locals(locals())
            if not callback.on_step():
                return False
        rollout_buffer.compute_returns()
        callback.on_rollout_end()
        return True

    def train(self) -> None:
        """Learns from the decisions that were collected."""
        if self._is_lesson:
            self._imitate()
        else:
            super().train()

    def _imitate(self) -> None:
        self.policy.set_training_mode(True)
        update_learning_rate(self.policy.optimizer, self.lesson_rate)
        losses = []
        for lesson in self.decisions.get(self.batch_size):
            values, log_probs, _ = self.policy.evaluate_actions(
                lesson.observations, lesson.actions, action_masks=lesson.action_masks
            )
            imitation = -log_probs.mean()
            error = mse_loss(values.flatten(), lesson.returns)
            self.policy.optimizer.zero_grad()
            torch.autograd.backward(imitation + self.vf_coef * error)
            nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
            self.policy.optimizer.step()
            losses.append((imitation.item(), error.item()))
        imitation_loss, value_loss = np.mean(losses, axis=0)
        self.logger.record("lessons/imitation_loss", imitation_loss)
        self.logger.record("lessons/value_loss", value_loss)
