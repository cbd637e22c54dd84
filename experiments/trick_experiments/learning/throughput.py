"""How many decisions a second training makes."""

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from trick_envs.core.game import Game
from trick_envs.envs.sb3 import BatchVecEnv, SeatVecEnv
from trick_envs.envs.seat import SeatEnv
from trick_experiments.learning import training

DUMMY = "training, 8 copies in a DummyVecEnv"


def seat_steps(game: Game, num_envs: int = 256) -> Callable[[], int]:
    """The Stable-Baselines3 environment alone, against random play: the learner's decisions."""
    env = SeatVecEnv(game, num_envs, seed=0)
    env.reset()

    def run() -> int:
        for _ in range(20):
            env.step(env.env_method("action_masks").argmax(axis=1))
        return 20 * num_envs

    return run


class _Rate(BaseCallback):
    """Measures whole updates of training, the first one left out."""

    def __init__(self) -> None:
        super().__init__()
        self.start = 0.0
        self.seconds_in_env = 0.0
        self.updates = -1

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        self.updates += 1
        if self.updates == 1:
            self.start = perf_counter()
            self.seconds_in_env = getattr(self.training_env, "seconds_in_steps", 0.0)


def measure(game: Game) -> dict[str, float]:
    """Decisions a second, against random play where there are opponents, on one thread.

    By self-play; one seat over the native environment; and over 8 copies of the seat environment in a
    `DummyVecEnv`. The first two say their environment's share of the time.
    """
    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)
    usual = training.Config(imitation_steps=0)
    seat = replace(usual, algorithm="seat")
    decisions = usual.n_envs * usual.n_steps
    copies = DummyVecEnv([lambda: SeatEnv(game) for _ in range(8)])
    ways: list[tuple[str, VecEnv, training.Config]] = [
        ("training by self-play", training.make_env(usual, game), usual),
        ("training, SeatVecEnv", training.make_env(seat, game), seat),
        (DUMMY, copies, replace(seat, n_envs=8, n_steps=decisions // 8)),
    ]
    rates = {}
    for name, env, config in ways:
        model: MaskablePPO = training.build(config, game, env)
        model.set_logger(Logger(None, []))  # without one, a folder for its logs would be left somewhere
        rate = _Rate()
        model.learn(3 * decisions, callback=rate)
        seconds = perf_counter() - rate.start
        if isinstance(env, BatchVecEnv):
            name += f" ({(env.seconds_in_steps - rate.seconds_in_env) / seconds:.0%} in environments)"
        rates[name] = 2 * decisions / seconds
    return rates
