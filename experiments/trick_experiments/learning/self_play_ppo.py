"""Self-play over all seats: one policy plays every seat of many games, and learns from every decision.

Between two decisions of a seat others move, the game may end on another's move, and a seat may be out long
before the end. So a seat's decisions are linked to its own next ones, whoever moved in between, and
everything that came to the seat in that time is the decision's reward, also after its last one.

Letters: N tables, S seats, A actions, D features.
"""

from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import obs_as_tensor, update_learning_rate
from stable_baselines3.common.vec_env import VecEnv
from torch import nn
from torch.nn.functional import mse_loss

from trick_envs.core.agent import Agent
from trick_experiments.learning.self_play_buffer import NONE, SelfPlayBuffer
from trick_experiments.learning.self_play_env import SelfPlayVecEnv


def check_env(env: Any) -> SelfPlayVecEnv:
    """The environment, if it is one of self-play.

    Raises:
        ValueError: It isn't, or there is none.
    """
    if not isinstance(env, SelfPlayVecEnv):
        what = "None" if env is None else type(env).__name__
        raise ValueError(f"env is {what}; allowed is a SelfPlayVecEnv, by load(file, env) or set_env(env)")
    return env


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO that learns from every seat's decisions; its environment is a `SelfPlayVecEnv`.

    It may imitate an expert first: it learns to do what the expert would do in its place, and what positions
    are worth when one plays so. Policy gradients then begin with a player and a critic, not with chance.
    """

    def __init__(
        self,
        *args: Any,
        expert: Agent | None = None,
        imitation_steps: int = 0,
        imitation_learning_rate: float = 1e-3,
        beta: float = 0.8,
        reward_scale: float = 1.0,
        **kwargs: Any,
    ) -> None:
        """Takes settings; those not named here are as for MaskablePPO.

        Args:
            args: As there.
            expert: An agent whose decisions are learned first.
            imitation_steps: How many of them.
            imitation_learning_rate: The learning rate until then.
            beta: DAgger's β, constant: the share of these decisions in which the expert's action is played.
                In the others it is only learned, and the learner's own is played, which shows the expert the
                learner's mistakes. Source: S. Ross, G. Gordon, D. Bagnell, "A reduction of imitation learning
                and structured prediction to no-regret online learning", 2011.
            reward_scale: What rewards are multiplied by. With returns of about 1 the critic's errors leave
                the actor its share of a gradient that is clipped.
            kwargs: As there.
        """
        self.expert = expert
        self.imitation_steps = 0 if expert is None else imitation_steps
        self.imitation_learning_rate = imitation_learning_rate
        self.beta = beta
        self.reward_scale = reward_scale
        self._is_imitating = False
        super().__init__(*args, **kwargs)

    def _setup_model(self) -> None:
        super()._setup_model()
        if self.env is not None:  # without one, as Stable-Baselines3 has it, a model plays but doesn't learn
            self._make_buffer()

    def _make_buffer(self) -> None:
        env = check_env(self.env)
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

    def set_env(self, env: Any, force_reset: bool = True) -> None:
        """Takes other tables, of the same kind and number; unless they go on, their decisions are others.

        Raises:
            ValueError: They are no `SelfPlayVecEnv`.
        """
        super().set_env(check_env(env), force_reset)
        if force_reset or not isinstance(self.rollout_buffer, SelfPlayBuffer):
            self._make_buffer()

    def _setup_learn(self, *args: Any, **kwargs: Any) -> Any:
        check_env(self.env)
        return super()._setup_learn(*args, **kwargs)

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
        was_imitating, self._is_imitating = self._is_imitating, self.num_timesteps < self.imitation_steps
        if was_imitating and not self._is_imitating:
            rollout_buffer.last[:] = NONE  # what the expert did is no decision of the learner's
        rollout_buffer.reset()
        for _ in range(n_rollout_steps):
            observations: Any = self._last_obs
            masks = env.action_masks()
            with torch.no_grad():
                seen = obs_as_tensor(observations, self.device)
                chosen, values, log_probs = self.policy(seen, action_masks=masks)
            learned = played = chosen.cpu().numpy()
            if self.expert is not None and self._is_imitating:
                learned = env.decisions_of(self.expert)
                # Stable-Baselines3's generator, as everywhere here
                follows = np.random.random(len(learned)) < self.beta  # noqa: NPY002
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
        """Learns from the decisions that were collected; from none, if all are open still."""
        num_decisions = len(self.decisions.ready)
        if num_decisions == 0:
            return
        if self._is_imitating:
            self._imitate()
            return
        normalizes = self.normalize_advantage
        self.normalize_advantage = normalizes and num_decisions > 1  # one alone has no spread
        try:
            super().train()
        finally:
            self.normalize_advantage = normalizes

    def _imitate(self) -> None:
        self.policy.set_training_mode(True)
        update_learning_rate(self.policy.optimizer, self.imitation_learning_rate)
        losses = []
        for minibatch in self.decisions.get(self.batch_size):
            values, log_probs, _ = self.policy.evaluate_actions(
                minibatch.observations, minibatch.actions, action_masks=minibatch.action_masks
            )
            imitation = -log_probs.mean()
            error = mse_loss(values.flatten(), minibatch.returns)
            self.policy.optimizer.zero_grad()
            torch.autograd.backward(imitation + self.vf_coef * error)
            nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
            self.policy.optimizer.step()
            losses.append((imitation.item(), error.item()))
        imitation_loss, value_loss = np.mean(losses, axis=0)
        self.logger.record("imitation/imitation_loss", imitation_loss)
        self.logger.record("imitation/value_loss", value_loss)
