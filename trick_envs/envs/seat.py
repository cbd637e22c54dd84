"""One learning seat against other agents: the Gymnasium environments, and the tables below them.

Between two decisions of the learner the other seats' agents play, in batches. The learner's reward is
everything that came to its seat in that time, whoever moved, the end of the game always included.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from trick_envs.core import batch, validation
from trick_envs.core.game import Game, States
from trick_envs.core.random import Seed, Streams, seeds_for
from trick_envs.core.registry import make_game
from trick_envs.envs.aec import RENDER_MODES, check_render_mode
from trick_envs.envs.tables import LEARNER, Opponents, Tables, check_opponents

AUTORESET_MODES = (AutoresetMode.SAME_STEP.value, AutoresetMode.NEXT_STEP.value)
"""Of the vector environment, as texts."""


class SeatTables(Tables):
    """N games, each with a learner at one seat and agents at the others.

    Letters: N games, S seats, A actions, D features. Chance (deals, seats, agents) comes from streams of
    each game's own, so that game i is the same whatever N is.

    Attributes:
        states: (N,) the games in progress; the learner is to move in all of them.
        seats: (N,) int8, the learner's seat.
        masks: (N, A) int8, the learner's legal actions; all ones where the game is over.
        rewards: (N,) float32, what came to the learner's seat in the last step.
        finished: (N,) bool, the last step ended the game; with SAME_STEP `states` holds a new one already.
        final_states: (N,) where `finished`, the game that ended.
        final_seats: (N,) int8, where `finished`, the learner's seat in it.
        is_dealt: Games are in progress; `reset` starts them.
        illegal: (N,) bool, the learner's last action wasn't legal; the first legal one was played instead.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        opponents: Opponents = None,
        weights: Sequence[float] | None = None,
        seat: int | None = None,
        autoreset_mode: AutoresetMode = AutoresetMode.SAME_STEP,
    ) -> None:
        """Allocates the games; `reset` deals them.

        Args:
            game: The rules.
            num_games: N.
            opponents: Who plays the other seats; of several, one is drawn for each seat of each game.
            weights: How often each of several opponents is drawn. Default: all equally.
            seat: The learner's. None: drawn for each game.
            autoreset_mode: SAME_STEP: a game that ends is dealt anew in the same step. NEXT_STEP: the next
                step deals it anew, whatever action is given. DISABLED: there is no step until `reset`.

        Raises:
            ValueError: A number of games, seat, opponents or weights that can't be.
        """
        n = validation.whole_number(num_games, "num_envs", 1)
        if seat is not None:
            seat = validation.seat(seat, "seat", game.num_players, ", or None")
        super().__init__(game, n)
        self.seat = seat
        self.autoreset_mode = autoreset_mode
        self.seats = np.zeros(n, np.int8)
        self.masks = np.ones((n, game.num_actions), np.int8)
        self.rewards = np.zeros(n, np.float32)
        self.finished = np.zeros(n, np.bool_)
        self.final_states: States = np.zeros(n, game.state_dtype)
        self.final_seats = np.zeros(n, np.int8)
        self.illegal = np.zeros(n, np.bool_)
        self.is_dealt = False
        self._chance = Streams(n)
        self._agent_streams = Streams(n)
        self.set_opponents(opponents, weights)

    def set_opponents(self, opponents: Opponents, weights: Sequence[float] | None = None) -> None:
        """Changes who plays the other seats, in games in progress, too.

        Raises:
            ValueError: No agents, or weights that don't fit them.
        """
        self.agents, self._thresholds = check_opponents(opponents, weights)
        self.streams = [self._agent_streams] * len(self.agents)
        self._draw_opponents(self.rows)

    def _draw_opponents(self, games: NDArray[np.intp]) -> None:
        chance = self._chance.take(games)
        for seat in range(self.game.num_players):
            self.agent_at[games, seat] = np.searchsorted(self._thresholds, chance.random(), side="right")
        self.agent_at[games, self.seats[games]] = LEARNER

    def reset(self, seed: Seed = None, position: States | None = None) -> None:
        """Starts all games and plays up to the learner's first decision.

        Args:
            seed: For all chance. None: chance goes on from where it stands.
            position: (1,) a position to start all games from, instead of a new deal. Without a seed its own
                chance goes on, the same in all games.

        Raises:
            ValueError: A position in which the learner has no decision left; then no game is in progress.
        """
        n = len(self.rows)
        if seed is not None:
            self._chance = Streams(n, seeds_for(n, seed, purpose=2))
            self._agent_streams = Streams(n, self._chance.bits())
            self.streams = [self._agent_streams] * len(self.agents)
        self.is_dealt = False
        if position is None:
            self.begin(self.game.new_states(n, self._chance.bits()))
        else:
            self.begin(np.repeat(position, n))
            if seed is not None:
                self.states["rng"] = seeds_for(n, seed)
        self._seat_players(self.rows)
        self.finished[:] = False
        self.illegal[:] = False
        self._play_opponents(deals_on=True)
        if position is not None and self.finished.any():
            raise ValueError("the position is over, or ends before the learner's next decision")
        self.finished[:] = False
        self.game.action_masks(self.states, out=self.masks)
        self.is_dealt = True

    def _seat_players(self, games: NDArray[np.intp]) -> None:
        """Draws the learner's seat and the others' agents."""
        draws = self._chance.take(games).random()
        self.seats[games] = (
            self.seat if self.seat is not None else (draws * self.game.num_players).astype(np.int8)
        )
        self._draw_opponents(games)

    def step(self, actions: Any) -> None:
        """Plays the learner's action in each game, then the others, up to its next decision.

        Args:
            actions: (N,) one action for each.

        Raises:
            ValueError: Actions of another shape or type, or no game in progress.
        """
        if not self.is_dealt:
            raise ValueError("no game is in progress; call reset()")
        given = validation.whole_numbers(actions, "actions", self.rows.shape)
        deals_at_once = self.autoreset_mode == AutoresetMode.SAME_STEP
        is_over = self.finished & (not deals_at_once)
        in_range = (given >= 0) & (given < self.game.num_actions)
        legal = in_range & (self.masks[self.rows, np.where(in_range, given, 0)] == 1)
        np.logical_not(legal | is_over, out=self.illegal)
        legal_actions = np.where(legal, given, self.masks.argmax(axis=1)).astype(np.int32)
        self.finished[:] = False
        self.rewards[:] = 0
        self._deal_anew(np.flatnonzero(is_over))
        self.play(~is_over, legal_actions)
        self._play_opponents(deals_at_once)
        going_on = ~(self.finished | is_over)
        self.rewards[going_on] = self.gained[self.rows, self.seats][going_on]
        self.gained[going_on] = 0
        self.game.action_masks(self.states, out=self.masks)
        if not deals_at_once:
            self.masks[self.finished] = 1
        self.is_dealt = self.autoreset_mode != AutoresetMode.DISABLED or not self.finished.any()

    def _play_opponents(self, deals_on: bool) -> None:
        """Plays until the learner is to move everywhere, or games have ended that aren't dealt anew."""
        for ended in self.play_agents():
            self._finish_games(ended)
            if deals_on:
                self._deal_anew(ended)

    def _deal_anew(self, games: NDArray[np.intp]) -> None:
        """Deals again where games are over, which are these."""
        batch.restart_finished(self.states)
        self._seat_players(games)

    def _finish_games(self, games: NDArray[np.intp]) -> None:
        self.finished[games] = True
        self.final_states[games] = self.states[games]
        self.final_seats[games] = self.seats[games]
        self.rewards[games] = self.gained[games, self.seats[games]]
        self.gained[games] = 0

    def observations(self) -> NDArray[np.int8]:
        """What the learner knows, (N, D)."""
        return self.game.observations(self.states, self.seats)

    def final_observations(self) -> NDArray[np.int8]:
        """What the learner knew at the end of the games that have just ended, (finished.sum(), D)."""
        ended = self.finished
        return self.game.observations(self.final_states[ended], self.final_seats[ended])

    def final_info(self) -> dict[str, NDArray[Any]]:
        """How the games that have just ended came out: one row for each."""
        ended = self.final_states[self.finished]
        seats = self.final_seats[self.finished]
        rows = np.arange(len(ended))
        return {
            "seat": seats,
            "return": self.game.returns(ended)[rows, seats],
            "score": self.game.scores(ended)[rows, seats],
            "win": self.game.winners(ended)[rows, seats],
        }


class SeatEnv(gymnasium.Env[NDArray[np.int8], Any]):
    """One learning seat as a Gymnasium environment.

    Observation: Box(0, 1, (D,), int8). `action_masks()` and ``info["action_mask"]``, (A,) int8, say what is
    legal; all ones once the game is over. An action that isn't legal never corrupts the game: the legal
    action with the lowest number is played instead, and ``info["illegal_action"]`` is 1. ``info["seat"]``
    is the learner's; at the game's end there are also ``return``, ``score`` and ``win``. These are NumPy's
    numbers, which wrappers put side by side in arrays.

    Examples:
        >>> from trick_envs import RandomAgent, make_game
        >>> env = SeatEnv(make_game("voodoo_prince", preset="mini"), opponents=RandomAgent(), seat=0)
        >>> observation, info = env.reset(seed=1)
        >>> observation, reward, terminated, _, info = env.step(env.action_masks().argmax())
        >>> reward, terminated
        (0.0, False)
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        game: Game,
        opponents: Opponents = None,
        weights: Sequence[float] | None = None,
        seat: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Settings as in `make_seat_env`."""
        check_render_mode(render_mode)
        self.render_mode = render_mode
        self.game = game
        self.tables = SeatTables(game, 1, opponents, weights, seat, AutoresetMode.DISABLED)
        self.observation_space = Box(0, 1, (game.observation_size,), np.int8)
        self.action_space = Discrete(game.num_actions)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Deals a new game and plays up to the learner's first decision.

        Args:
            seed: The same seed gives the same game. None: the next one.
            options: ``state``: a position to start from, a record or what `Game.to_dict` gives. Other keys
                are ignored.

        Raises:
            ValueError: An impossible position; the game in progress goes on then. Or one in which the learner
                has no decision left.
            gymnasium.error.Error: A bad seed.
        """
        given = (options or {}).get("state")
        position = None if given is None else self.game.position(given, seed)
        super().reset(seed=seed)
        self.tables.reset(seed, position)
        if self.render_mode == "human":
            self.render()
        return self.tables.observations()[0], self._info()

    def step(self, action: int) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Plays the learner's action, then the others, up to its next decision or the game's end.

        Raises:
            ValueError: A step before `reset` or after the end, or an action that is no whole number.
        """
        if not self.tables.is_dealt:
            raise ValueError("the game is over, or hasn't begun; call reset()")
        self.tables.step(np.asarray([action]).reshape(1))
        is_over = bool(self.tables.finished[0])
        seen = self.tables.final_observations() if is_over else self.tables.observations()
        if self.render_mode == "human":
            self.render()
        return seen[0], float(self.tables.rewards[0]), is_over, False, self._info()

    def action_masks(self) -> NDArray[np.int8]:
        """The learner's legal actions, (A,); all ones once the game is over."""
        return self.tables.masks[0].copy()

    def _info(self) -> dict[str, Any]:
        tables = self.tables
        values = {"seat": tables.seats, "illegal_action": tables.illegal.view(np.int8)}
        if tables.finished[0]:
            values |= tables.final_info()
        return {"action_mask": self.action_masks()} | {key: row[0] for key, row in values.items()}

    def render(self) -> str | None:
        """The table as the learner sees it: as text (``"ansi"``) or printed (``"human"``).

        Raises:
            ValueError: Before the first `reset`.
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode, 'ansi' or 'human', given to make()")
            return None
        tables = self.tables
        if not (tables.is_dealt or tables.finished[0]):
            raise ValueError("no game is in progress; call reset()")
        if tables.finished[0]:
            text = self.game.render(tables.final_states, int(tables.final_seats[0]))
        else:
            text = self.game.render(tables.states, int(tables.seats[0]))
        if self.render_mode == "ansi":
            return text
        print(text, end="\n\n")
        return None


class SeatVectorEnv(gymnasium.vector.VectorEnv[NDArray[np.int8], NDArray[np.int64], NDArray[Any]]):
    """N learning seats as a native Gymnasium vector environment, without an object for each.

    Observations (N, D) int8; ``info["action_mask"]`` and `action_masks()` (N, A). An illegal action is
    replaced as in `SeatEnv`; ``info["illegal_action"]`` (N,) says where.

    Games that end are dealt anew as in Gymnasium's own vector environments. By default, ``SAME_STEP``, that
    is in the same step: the last observation is in ``info["final_obs"]``, how the game came out in
    ``info["final_info"]``. With ``NEXT_STEP`` the step's observation is the last one, how the game came out
    is in ``info`` itself, and the next step deals anew, whatever action is given.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Opponents = None,
        weights: Sequence[float] | None = None,
        seat: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        """Settings as in `make_seat_vector_env`."""
        self.game = game
        value = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        self.autoreset_mode = AutoresetMode(validation.choice(value, "autoreset_mode", AUTORESET_MODES))
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        self.tables = SeatTables(game, num_envs, opponents, weights, seat, self.autoreset_mode)
        self.num_envs = num_envs
        self.single_observation_space = Box(0, 1, (game.observation_size,), np.int8)
        self.single_action_space = Discrete(game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Deals all games, game i being the same whatever N is; arguments as in `SeatEnv.reset`."""
        super().reset(seed=seed)
        given = (options or {}).get("state")
        self.tables.reset(seed, None if given is None else self.game.position(given, seed))
        return self.tables.observations(), self._info()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int8], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Plays the learners' actions, (N,).

        Raises:
            ValueError: Actions of another shape or type.
        """
        tables = self.tables
        tables.step(actions)
        info = self._info()
        if tables.finished.any():
            ended = np.flatnonzero(tables.finished)
            final_info: dict[str, Any] = {}
            for key, values in tables.final_info().items():
                final_info[key] = np.zeros(self.num_envs, values.dtype)
                final_info[key][ended] = values
                final_info[f"_{key}"] = tables.finished.copy()
            if self.autoreset_mode == AutoresetMode.SAME_STEP:
                final_obs = np.full(self.num_envs, None, object)
                for i, observation in zip(ended, tables.final_observations(), strict=True):
                    final_obs[i] = observation
                info |= {"final_obs": final_obs, "_final_obs": tables.finished.copy()}
                info |= {"final_info": final_info, "_final_info": tables.finished.copy()}
            else:
                info = final_info | info  # the seat is told of all games
        truncations = np.zeros(self.num_envs, np.bool_)
        return (tables.observations(), tables.rewards.copy(), tables.finished.copy(), truncations, info)

    def action_masks(self) -> NDArray[np.int8]:
        """The learners' legal actions, (N, A)."""
        return self.tables.masks.copy()

    def _info(self) -> dict[str, Any]:
        everywhere = np.ones(self.num_envs, np.bool_)
        info: dict[str, Any] = {"action_mask": self.action_masks(), "_action_mask": everywhere}
        info |= {"seat": self.tables.seats.copy(), "_seat": everywhere}
        info |= {"illegal_action": self.tables.illegal.copy(), "_illegal_action": everywhere}
        return info


def make_seat_env(
    game: str | Game,
    num_players: int | None = None,
    opponents: Opponents = None,
    weights: Sequence[float] | None = None,
    seat: int | None = None,
    render_mode: str | None = None,
    **options: Any,
) -> SeatEnv:
    """The environment behind ``gymnasium.make("trick_envs/VoodooPrince-v0", …)``.

    Args:
        game: The game's name.
        num_players: Default: the game's usual number.
        opponents: An agent for all other seats, or several, one of which is drawn for each seat of each
            game. None: random play.
        weights: How often each of several opponents is drawn. Default: all equally.
        seat: The learner's. None: drawn at each reset.
        render_mode: None, ``"ansi"`` or ``"human"``.
        options: The game's settings and `reward`.

    Raises:
        ValueError: A setting that doesn't exist.
    """
    return SeatEnv(_game(game, num_players, options), opponents, weights, seat, render_mode)


def make_seat_vector_env(
    game: str | Game,
    num_envs: int = 1,
    num_players: int | None = None,
    opponents: Opponents = None,
    weights: Sequence[float] | None = None,
    seat: int | None = None,
    autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    **options: Any,
) -> SeatVectorEnv:
    """The environment behind ``gymnasium.make_vec``; settings as in `make_seat_env`.

    `autoreset_mode` is Gymnasium's ``SAME_STEP`` or ``NEXT_STEP``, also as ``"SameStep"`` or ``"NextStep"``.
    Gymnasium's vector wrappers of observations need the latter.
    """
    return SeatVectorEnv(
        _game(game, num_players, options), num_envs, opponents, weights, seat, autoreset_mode
    )


def _game(game: str | Game, num_players: int | None, options: dict[str, Any]) -> Game:
    return make_game(game, num_players, **options) if isinstance(game, str) else game
