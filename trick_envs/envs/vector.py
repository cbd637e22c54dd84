"""Many games at once, every seat's decisions in one loop: for self-play, search and data."""

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray

from trick_envs.core import batch, validation
from trick_envs.core.errors import IllegalActionError
from trick_envs.core.game import Game, States
from trick_envs.core.random import Seed, Streams, seeds_for

Observations = dict[str, NDArray[np.int8]]


class TrickTakingVectorEnv:
    """N games side by side, each with its own current player.

    Letters: N games, S seats, A actions, D features. Observations are those of the current players: a dict of
    ``observation`` (N, D) and ``action_mask`` (N, A), int8. ``info["current_player"]`` (N,) says whose they
    are. A game that ends is dealt anew in the same step; its final returns are in ``info``.

    Examples:
        >>> from trick_envs import make_game
        >>> env = TrickTakingVectorEnv(make_game("voodoo_prince", preset="mini"), 4, seed=1)
        >>> observations, info = env.reset()
        >>> observations["observation"].shape, info["current_player"]
        ((4, 470), array([0, 3, 0, 3], dtype=int8))
        >>> observations, rewards, _, _, info = env.step(observations["action_mask"].argmax(axis=1))
        >>> rewards.shape, info["current_player"]
        ((4, 4), array([1, 0, 1, 0], dtype=int8))
    """

    def __init__(self, game: Game, num_envs: int, seed: Seed = None, copy: bool = True) -> None:
        """Allocates the games; `reset` deals them.

        Args:
            game: The rules.
            num_envs: N.
            seed: For the first `reset`.
            copy: False: what `reset` and `step` return is overwritten by the next step. That is faster.

        Raises:
            ValueError: Not at least one game.
        """
        n = validation.whole_number(num_envs, "num_envs", 1)
        self.game = game
        self.num_envs = n
        self.single_observation_space = Dict(
            observation=Box(0, 1, (game.observation_size,), np.int8),
            action_mask=Box(0, 1, (game.num_actions,), np.int8),
        )
        self.single_action_space = Discrete(game.num_actions)
        self._copy = copy
        self._seed = seed
        self._chance = Streams(n)
        self._is_dealt = False
        self.states: States = np.zeros(n, game.state_dtype)
        """The games in progress, (N,), for the methods of `game`."""
        self._no_actions = np.zeros(n, np.int64)
        self._observations = np.zeros((n, game.observation_size), np.int8)
        self._masks = np.zeros((n, game.num_actions), np.int8)
        self._rewards = np.zeros((n, game.num_players), np.float32)
        self._finished = np.zeros(n, np.bool_)
        self._final_returns = np.zeros((n, game.num_players), np.float64)
        self._final_scores = np.zeros((n, game.num_players), np.int32)
        self._truncations = np.zeros(n, np.bool_)
        self._current_players = np.zeros(n, np.int8)
        self._buffers = {"observation": self._observations, "action_mask": self._masks}

    def reset(self, seed: Seed = None) -> tuple[Observations, dict[str, Any]]:
        """Deals all games; game i is the same whatever N is.

        Args:
            seed: None: the one given to the constructor, later the next games, by the seed given last.

        Returns:
            Observations and info, as `step`.
        """
        if seed is None and not self._is_dealt:
            seed = self._seed
        if seed is not None:
            self._chance = Streams(self.num_envs, seeds_for(self.num_envs, seed, purpose=2))
        self.states = self.game.undealt_states(self.num_envs, self._chance.bits() if seed is None else seed)
        self._is_dealt = True
        self._advance(self._no_actions, plays=False)
        return self._views(), {"current_player": self._current_players.copy()}

    def step(
        self, actions: Any
    ) -> tuple[Observations, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Plays one action in every game.

        Args:
            actions: (N,) one legal action for each current player.

        Returns:
            Observations of the next current players.
            Rewards (N, S) of all seats, for this step.
            Terminations (N,): the game has ended, and the observation is already that of a new one.
            Truncations (N,): always False.
            Info: ``current_player`` (N,) the next seat to decide. Where games have ended, also
            ``final_returns`` and ``final_scores``, both (N, S), 0 for games that go on.

        Raises:
            ValueError: Actions of another shape, or an illegal one; nothing changes.
        """
        if not self._is_dealt:
            raise ValueError("step was called before reset")
        given = validation.whole_numbers(actions, "actions", (self.num_envs,))
        illegal = self._advance(given.astype(np.int64, copy=False), plays=True)
        if illegal >= 0:
            self._refuse(illegal, given[illegal])
        info: dict[str, Any] = {"current_player": self._current_players.copy()}
        if self._finished.any():
            info["final_returns"] = self._final_returns.copy()
            info["final_scores"] = self._final_scores.copy()
        if not self._copy:
            return (self._buffers, self._rewards, self._finished, self._truncations, info)
        return (
            self._views(),
            self._rewards.copy(),
            self._finished.copy(),
            self._truncations.copy(),
            info,
        )

    def _advance(self, actions: NDArray[np.int64], plays: bool) -> int:
        """Deals what is over, writes all views; returns the first game whose action isn't legal, or -1."""
        return batch.step_and_view(
            self.states,
            actions,
            plays,
            True,
            self._finished,
            self._final_returns,
            self._final_scores,
            self._rewards,
            self._current_players,
            self._observations,
            self._masks,
        )

    def _views(self) -> Observations:
        return {key: buffer.copy() for key, buffer in self._buffers.items()} if self._copy else self._buffers

    def _refuse(self, i: int, action: Any) -> None:
        legal = [self.game.action_texts[action] for action in np.flatnonzero(self._masks[i])]
        raise IllegalActionError(f"action of game {i} is {action}; allowed are {', '.join(legal)}")

    def close(self) -> None:
        """There is nothing to release."""
