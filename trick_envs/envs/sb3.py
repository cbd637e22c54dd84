"""Stable-Baselines3: one learning seat in N games as a native `VecEnv`. Needs the extra ``train``."""

import time
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from trick_envs.core.game import Game
from trick_envs.envs.seat import SeatTables
from trick_envs.envs.tables import Opponents


class BatchVecEnv(VecEnv):
    """A `VecEnv` over a batch of games, without an object for each: what all such have in common.

    ``env_method("action_masks")`` answers for all games in one array (N, A), which is what sb3-contrib's
    MaskablePPO asks for.
    """

    def __init__(self, num_envs: int, observation_space: Box, action_space: Discrete) -> None:
        """Stable-Baselines3's settings."""
        self.render_mode = None
        self.given: NDArray[Any] = np.zeros(num_envs, np.int64)
        """(N,) the actions of the step in progress."""
        self.seconds_in_steps = 0.0
        """Time spent in `step` so far, the opponents' decisions included."""
        self._lengths = np.zeros(num_envs, np.int64)
        """(N,) the learner's decisions in each game in progress; `reset` sets them to 0."""
        self._start = time.time()
        super().__init__(num_envs, observation_space, action_space)

    @abstractmethod
    def _step(self) -> VecEnvStepReturn:
        """Plays the actions."""

    @abstractmethod
    def set_opponents(self, opponents: Opponents, weights: Sequence[float] | None = None) -> None:
        """Changes who plays the other seats."""

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keeps the actions, (N,), for `step_wait`."""
        self.given = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Plays them. Observations are those of the learner's next decisions, also where games have ended."""
        start = time.perf_counter()
        result = self._step()
        self.seconds_in_steps += time.perf_counter() - start
        return result

    def _episode(self, i: int, gained: float) -> dict[str, Any]:
        """A game that has just ended as Stable-Baselines3's monitors write it; counts anew."""
        length, self._lengths[i] = int(self._lengths[i]), 0
        return {"r": gained, "l": length, "t": round(time.time() - self._start, 6)}

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> Any:
        """``"action_masks"`` answers for all games (or those of `indices`) in one array."""
        result = getattr(self, method_name)(*method_args, **method_kwargs)
        rows = list(self._get_indices(indices))
        if isinstance(result, np.ndarray):
            return result if indices is None else result[rows]
        return [result for _ in rows]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The same value for each game."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Sets an attribute of the whole.

        Raises:
            ValueError: For some games only: they have no attributes of their own.
        """
        if len(list(self._get_indices(indices))) != self.num_envs:
            raise ValueError("the games have no attributes of their own; leave out indices")
        setattr(self, attr_name, value)

    def has_attr(self, attr_name: str) -> bool:
        """Whether there is such an attribute or method."""
        return hasattr(self, attr_name)

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        """No game has a wrapper."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """There is nothing to release."""


class SeatVecEnv(BatchVecEnv):
    """N learning seats over one batch of games, without an object for each.

    Observations (N, D) int8, rewards (N,) float32. At a game's end ``infos[i]`` has the true
    ``terminal_observation``, how the game came out (``seat``, ``return``, ``score``, ``win``) and an
    ``episode`` as Stable-Baselines3's monitors write it. An illegal action is replaced by the first legal
    one, and ``infos[i]["illegal_action"]`` is True.

    Examples:
        >>> from trick_envs import make_game
        >>> env = SeatVecEnv(make_game("voodoo_prince", preset="mini"), 8, seed=1)
        >>> env.reset().shape[0], env.env_method("action_masks").shape[0]
        (8, 8)
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Opponents = None,
        weights: Sequence[float] | None = None,
        seat: int | None = None,
        seed: int | None = None,
    ) -> None:
        """Settings as in `trick_envs.envs.seat.SeatTables`; `seed` is for the first `reset`."""
        self.tables = SeatTables(game, num_envs, opponents, weights, seat)
        self.game = game
        super().__init__(num_envs, Box(0, 1, (game.observation_size,), np.int8), Discrete(game.num_actions))
        self._seeds[0] = seed

    def reset(self) -> NDArray[np.int8]:
        """Deals all games, by the seed last given to `seed` or else going on; (N, D)."""
        state = self._options[0].get("state")
        seed = self._seeds[0]
        self.tables.reset(seed, None if state is None else self.game.position(state, seed))
        self._lengths[:] = 0
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return self.tables.observations()

    def _step(self) -> VecEnvStepReturn:
        tables = self.tables
        tables.step(self.given)
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(tables.illegal):
            infos[i]["illegal_action"] = True
        if tables.finished.any():
            self._add_final_infos(infos)
        return tables.observations(), tables.rewards.copy(), tables.finished.copy(), infos

    def _add_final_infos(self, infos: list[dict[str, Any]]) -> None:
        final = self.tables.final_info()
        observations = self.tables.final_observations()
        for row, i in enumerate(np.flatnonzero(self.tables.finished)):
            infos[i] |= {key: values[row].item() for key, values in final.items()}
            infos[i]["terminal_observation"] = observations[row]
            infos[i]["TimeLimit.truncated"] = False
            infos[i]["episode"] = self._episode(int(i), infos[i]["return"])

    def action_masks(self) -> NDArray[np.int8]:
        """The learners' legal actions, (N, A)."""
        return self.tables.masks.copy()

    def set_opponents(self, opponents: Opponents, weights: Sequence[float] | None = None) -> None:
        """Changes who plays the other seats, at once."""
        self.tables.set_opponents(opponents, weights)
