"""The PettingZoo environment: one game, one agent to move at a time."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

from trick_envs.core import batch, validation
from trick_envs.core.errors import IllegalActionError, UnsupportedSettingError
from trick_envs.core.game import Game, States
from trick_envs.core.registry import make_game
from trick_envs.core.state import NOBODY

RENDER_MODES = ("ansi", "human")
AFTER_RESET = frozenset(
    {"agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations", "_infos"}
)
"""What PettingZoo's environments have once they are reset."""

CURRENT = "current"
"""As `render_seat`: whoever is to move."""

Observation = dict[str, NDArray[np.int8]]


def check_render_mode(render_mode: str | None) -> None:
    """Raises `UnsupportedSettingError` for a render mode that isn't there."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise UnsupportedSettingError(f"render_mode is {render_mode!r}; allowed are None, 'ansi', 'human'")


class TrickTakingEnv(AECEnv[str, Any, Any]):
    """A game as a PettingZoo AEC environment.

    Agents are ``player_0``, ``player_1``, … in seat order; all terminate together, when the game is over.
    An observation is a dict of ``observation``, (D,) int8, features that are 0 or 1, and ``action_mask``,
    (A,) int8, the legal actions; it is all 0 for whoever isn't to move. The mask stands in ``infos``, too.

    There are no wrappers: what PettingZoo's check is checked here. A whole environment, in the middle of a
    game, can be copied by `copy.deepcopy` and `pickle`; the copy plays on identically.

    Examples:
        >>> from trick_envs import voodoo_prince_v0
        >>> env = voodoo_prince_v0.env(preset="mini")
        >>> env.reset(seed=1)
        >>> for agent in env.agent_iter():
        ...     observation, reward, termination, truncation, info = env.last()
        ...     done = termination or truncation
        ...     env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))
        >>> env.agents
        []
    """

    def __init__(
        self, game: Game, render_mode: str | None = None, render_seat: int | str | None = None
    ) -> None:
        """Makes the environment; `reset` deals.

        Args:
            game: The rules.
            render_mode: None, ``"ansi"`` (text) or ``"human"`` (prints it).
            render_seat: Whose view is rendered: a seat, ``"current"`` for the current player's (of a finished
                game: all cards), or None for all cards.

        Raises:
            ValueError: A setting that doesn't exist.
        """
        super().__init__()  # type: ignore[no-untyped-call]
        check_render_mode(render_mode)
        if render_seat not in (None, CURRENT):
            validation.seat(render_seat, "render_seat", game.num_players, f", None or {CURRENT!r}")
        self.render_seat = render_seat
        self.game = game
        self.render_mode = render_mode
        self.metadata = {
            "name": f"{game.name}_v0",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 1,
        }
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._current = self.possible_agents[0]
        """The agent to move, or the last one that was."""
        self.observation_spaces = {
            agent: Dict(
                observation=Box(0, 1, (game.observation_size,), np.int8),
                action_mask=Box(0, 1, (game.num_actions,), np.int8),
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: Discrete(game.num_actions) for agent in self.possible_agents}
        self.state_space = Box(0, 1, (game.num_players * game.observation_size,), np.int8)
        self._no_mask = np.zeros(game.num_actions, np.int8)
        self._no_mask.flags.writeable = False
        self._action = np.empty(1, np.int64)
        self._is_over = np.zeros(1, np.bool_)
        self._final_returns = np.zeros((1, game.num_players), np.float64)
        self._final_scores = np.zeros((1, game.num_players), np.int32)
        self._rewards = np.zeros((1, game.num_players), np.float32)
        self._current_players = np.zeros(1, np.int8)
        self._observation = np.zeros((1, game.observation_size), np.int8)
        self._mask = np.zeros((1, game.num_actions), np.int8)
        self._seed_source = np.random.default_rng()
        self._states: States | None = None

    def __getattr__(self, name: str) -> Any:
        if name in AFTER_RESET:
            raise AttributeError(f"the environment has no {name.lstrip('_')} before reset(); call that first")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def observation_space(self, agent: str) -> Space[Any]:
        """The space of an agent's observations; always the same object.

        Raises:
            ValueError: There is no such agent.
        """
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> Space[Any]:
        """The space of an agent's actions; always the same object.

        Raises:
            ValueError: There is no such agent.
        """
        return self.action_spaces[self._known(agent)]

    def _known(self, agent: str) -> str:
        if agent not in self._seats:
            raise ValueError(f"unknown agent {agent!r}; choose from {', '.join(self._seats)}")
        return agent

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """By agent; ``"action_mask"`` is 0 for all but the agent to move, and for it once it is done."""
        infos: dict[str, dict[str, Any]] = self._infos
        if self._current in infos and self._is_done(self._current):
            infos[self._current] = {"action_mask": self._no_mask}
        return infos

    @infos.setter
    def infos(self, infos: dict[str, dict[str, Any]]) -> None:
        self._infos = infos

    def _is_done(self, agent: str) -> bool:
        """Whether the game has ended for an agent, by the rules or by somebody from outside, as a wrapper."""
        return bool(self.terminations.get(agent, True) or self.truncations.get(agent, True))

    @property
    def states(self) -> States:
        """The game in progress, as an array of one record, for the methods of `game`."""
        if self._states is None:
            EnvLogger.error_state_before_reset()
        assert self._states is not None
        return self._states

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deals a new game.

        Args:
            seed: The same seed gives the same game. None: the next one, by the seed given last.
            options: ``state``: a position to start from, a record or what `Game.to_dict` gives. Other keys
                are ignored.

        Raises:
            ValueError: A bad seed, or an impossible position. The game in progress goes on then.
        """
        given = (options or {}).get("state")
        if given is not None:
            states = self.game.position(given, seed)
        elif seed is not None:
            states = self.game.undealt_states(1, seed)
        else:
            states = self.game.undealt_states(1, int(self._seed_source.integers(2**63)))
        if seed is not None:
            self._seed_source = np.random.default_rng(seed)
        self._states = states
        self._advance(plays=False, deals=given is None)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": self._no_mask} for agent in self.agents}
        self._skip_agent_selection = None  # type: ignore[assignment]  # PettingZoo's, while agents end
        self.agent_selection = self.agents[0]
        self._select_current_player()

    def _select_current_player(self) -> None:
        """The next agent to move gets its mask; at the end all agents terminate."""
        current_player = self._current_players[0]
        if current_player != NOBODY:
            self.agent_selection = self._current = self.possible_agents[current_player]
            self._infos[self._current] = {"action_mask": self._mask[0].copy()}
        else:
            self.terminations = dict.fromkeys(self.agents, True)
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """What an agent knows now, and its legal actions. The arrays are new each time.

        Raises:
            ValueError: There is no such agent.
        """
        if self._states is None:
            EnvLogger.error_observe_before_reset()
        seat = self._seats[self._known(agent)]
        if seat == self._current_players[0] and not self._is_done(agent):
            return {"observation": self._observation[0].copy(), "action_mask": self._mask[0].copy()}
        return {
            "observation": self.game.observations(self.states, seat)[0],
            "action_mask": self._no_mask.copy(),
        }

    def step(self, action: int | None) -> None:
        """Plays the selected agent's action; None when that agent has terminated.

        Raises:
            IllegalActionError: An action that isn't legal; nothing changes.
            ValueError: Another one than None after the end.
        """
        if self._states is None:
            EnvLogger.error_step_before_reset()
        assert self._states is not None
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._action[0] = number = self._number(action)
        if self._advance(plays=True, deals=False) >= 0:
            self._refuse(action, number)
        self._infos[agent] = {"action_mask": self._no_mask}
        self._cumulative_rewards[agent] = 0.0
        for rewarded, reward in zip(self.agents, self._rewards[0].tolist(), strict=True):
            self.rewards[rewarded] = reward
            self._cumulative_rewards[rewarded] += reward
        self._select_current_player()
        if self.terminations[agent]:
            self._deads_step_first()

    def _advance(self, plays: bool, deals: bool) -> int:
        """Writes all buffers; not negative if the action isn't legal. A game that ends stays over."""
        assert self._states is not None
        return batch.step_and_view(
            self._states,
            self._action,
            plays,
            deals,
            self._is_over,
            self._final_returns,
            self._final_scores,
            self._rewards,
            self._current_players,
            self._observation,
            self._mask,
        )

    def _number(self, action: Any) -> int:
        """An action's number, -1 for what isn't one."""
        if type(action) is not int:
            array = np.asarray(action)
            if array.size != 1 or array.dtype.kind not in "iu":
                return -1
            action = int(array.item())
        return action if 0 <= action < self.game.num_actions else -1

    def _refuse(self, action: Any, number: int) -> None:
        legal = [self.game.action_texts[legal] for legal in np.flatnonzero(self._mask[0])]
        named = f" ({self.game.action_texts[number]})" if number >= 0 else ""
        raise IllegalActionError(
            f"action is {action!r}{named}; {self.agent_selection} may play {', '.join(legal)}"
        )

    def state(self) -> NDArray[np.int8]:
        """What all agents know together: their observations, one after another, (S * D,)."""
        return np.concatenate(
            [self.game.observations(self.states, seat)[0] for seat in range(self.game.num_players)]
        )

    def render(self) -> str | None:
        """The table as `render_seat` says, as text (``"ansi"``) or printed (``"human"``)."""
        if self._states is None:
            EnvLogger.error_render_before_reset()
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode, 'ansi' or 'human', given to env()")
            return None
        seat = self.render_seat
        if seat == CURRENT:
            current_player = int(self.states["current_player"][0])
            seat = None if current_player == NOBODY else current_player
        text = self.game.render(self.states, seat)  # type: ignore[arg-type]
        if self.render_mode == "ansi":
            return text
        print(text, end="\n\n")
        return None

    def close(self) -> None:
        """There is nothing to release."""


def make_env(
    name: str,
    num_players: int | None = None,
    render_mode: str | None = None,
    render_seat: int | str | None = None,
    illegal_reward: float | None = None,
    **options: Any,
) -> AECEnv[str, Any, Any]:
    """The PettingZoo environment of a game.

    Args:
        name: The game's name.
        num_players: Default: the game's usual number.
        render_mode: None, ``"ansi"`` or ``"human"``.
        render_seat: Whose view is rendered: a seat, ``"current"`` for the current player's, or None for all
            cards.
        illegal_reward: None: an illegal action raises `IllegalActionError` and nothing changes. A number:
            PettingZoo's `TerminateIllegalWrapper` ends the game, and this is what the culprit gets.
        options: The game's settings and `reward`.

    Raises:
        ValueError: A setting that doesn't exist.
    """
    env = TrickTakingEnv(make_game(name, num_players, **options), render_mode, render_seat)
    return env if illegal_reward is None else TerminateIllegalWrapper(env, illegal_reward)
