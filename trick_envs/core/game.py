"""`Game`: everything that one can do with the states of a game, for any number of games at once.

Letters used in all docstrings: N states, S seats, A actions, D features of an observation. `states` is an
array of N records, shape (N,). Where `out` can be given, the result is written to it and nothing is
allocated; it must have the shape and type that the method returns.
"""

import hashlib
import json
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from trick_envs.core import batch, validation
from trick_envs.core.cards import Deck
from trick_envs.core.errors import DamagedDataError
from trick_envs.core.kernel import STAMP, State
from trick_envs.core.layout import Layout
from trick_envs.core.options import Option, check_options
from trick_envs.core.random import Seed, seeds_for
from trick_envs.core.state import MAX_ACTIONS, NOBODY, Reward
from trick_envs.core.texts import View

States: TypeAlias = NDArray[Any]
"""An array of records of a game's `state_dtype`."""

REWARD = Option(
    "reward",
    "outcome",
    "what rewards are: who wins in the end, changes of the score, or those less the mean of all seats",
    choices=tuple(reward.name.lower() for reward in Reward),
)

_MAGIC = b"trick-envs states\n"
_FORMAT = 1
_DIGEST_SIZE = 32


class Game(ABC):
    """A game with a number of players and options. Made by `trick_envs.make_game`.

    A game holds settings only; every game in progress lies in `states`, completely. So a copy of a state is
    a clone, and any method may be called for any states of a game with the same settings, in any order.
    States of others are refused with a `ValueError`.

    Examples:
        >>> from trick_envs import make_game
        >>> game = make_game("tighee", num_players=3)
        >>> states = game.new_states(100, seed=1)
        >>> rewards = game.step(states, game.action_masks(states).argmax(axis=1))
        >>> rewards.shape
        (100, 3)
        >>> game.play_randomly(states) > 100
        True
        >>> bool(game.winners(states).any(axis=1).all())
        True
    """

    name: ClassVar[str]
    """As in `GAMES`, for instance ``"voodoo_prince"``."""
    title: ClassVar[str]
    """As on the box."""
    state_dtype: ClassVar[np.dtype[Any]]
    """Type of a state, a record with named fields."""
    player_counts: ClassVar[tuple[int, ...]]
    default_players: ClassVar[int]
    score_scale: ClassVar[int]
    """Score changes are divided by this in rewards."""
    phases: ClassVar[tuple[str, ...]]
    """The names of the values of the record's `phase`, which every record has, by number."""
    deck: Deck
    """The cards that are dealt and played."""
    pack: Deck
    """All cards of the game, those that are never played included; by default the deck."""
    max_game_length: int
    """No game has more decisions, of all seats together."""
    score_bounds: tuple[int, int]
    """No seat's score is less or more at any time."""

    def __init__(self, num_players: int | None = None, preset: str | None = None, **options: Any) -> None:
        """Checks the settings.

        Args:
            num_players: S. Default: the game's usual number.
            preset: The name of a set of options, see `presets_for`; options that are given come before it.
            options: The game's own, and `reward`.

        Raises:
            ValueError: A number of players, a preset or an option that the game doesn't have.
        """
        if num_players is None:
            num_players = self.default_players
        if type(num_players) is not int or num_players not in self.player_counts:
            raise ValueError(
                f"num_players is {num_players!r}; "
                f"allowed in {self.name} are {', '.join(map(str, self.player_counts))}"
            )
        self.num_players = int(num_players)
        """S, the number of seats."""
        if preset is not None:
            presets = self.presets_for(self.num_players)
            if not isinstance(preset, str) or preset not in presets:
                allowed = ", ".join(map(repr, (None, *presets)))
                raise ValueError(f"unknown preset {preset!r}; choose from {allowed}")
            options = presets[preset] | options
        options = self._implied_by(self.num_players, options) | options
        self.own_options = self.options_for(self.num_players)
        """The game's own settings; `reward` comes on top."""
        self.options = check_options((*self.own_options, REWARD), options)
        """All settings, by name."""
        self._blank: States = np.zeros(1, self.state_dtype)
        for option in (*self.own_options, REWARD):
            self._blank[option.name] = option.code(self.options[option.name])
        self._blank["num_players"] = self.num_players
        self._blank["score_scale"] = self.score_scale
        self._blank["variant"] = self._variant_hash
        self._blank["current_player"] = NOBODY
        self._set_sizes(self._blank[0])
        self.pack = getattr(self, "pack", self.deck)
        self.action_texts = self._action_texts()
        """The text of every action, in order."""
        self.num_actions = len(self.action_texts)
        """A, the number of actions."""
        self.action_layout = self._action_layout(self._blank[0])
        """Which actions mean what."""
        self.observation_layout = self._observation_layout(self._blank[0])
        """Which features mean what."""
        self.observation_size = self.observation_layout.size
        """D, the number of features."""
        self._actions = {text: action for action, text in enumerate(self.action_texts)}

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"make_game({self.name!r}, num_players={self.num_players}{options})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self._settings == other._settings

    def __hash__(self) -> int:
        return hash(repr(self))

    @cached_property
    def _settings(self) -> dict[str, Any]:
        return {"game": self.name, "num_players": self.num_players, "options": self.options}

    @cached_property
    def variant(self) -> dict[str, Any]:
        """What states and policies are made for: ``game``, ``num_players``, ``options`` without `reward`."""
        options = {name: value for name, value in self.options.items() if name != REWARD.name}
        return self._settings | {"options": options}

    @cached_property
    def _variant_hash(self) -> np.uint64:
        digest = hashlib.sha256(json.dumps(self.variant).encode()).digest()
        return np.frombuffer(digest, np.uint64)[0]

    @property
    def return_bounds(self) -> tuple[float, float]:
        """No seat's return is less or more at any time.

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("tighee", num_players=3, reward="relative_score")
            >>> game.max_game_length, game.score_bounds, game.return_bounds
            (180, (-450, 507), (-12.76, 12.76))
        """
        if self.options["reward"] == Reward.OUTCOME.name.lower():
            return -1.0, 1.0
        low, high = (score / self.score_scale for score in self.score_bounds)
        if self.options["reward"] == Reward.SCORE.name.lower():
            return low, high
        most = (high - low) * (self.num_players - 1) / self.num_players
        return -most, most

    # --- what a game defines ------------------------------------------------------------------------------

    @classmethod
    @abstractmethod
    def options_for(cls, num_players: int) -> tuple[Option, ...]:
        """The game's own settings, with what is allowed and the defaults for this number of players.

        Examples:
            >>> from trick_envs import game_class
            >>> [option.name for option in game_class("gummi_trick").options_for(3)]
            ['num_ranks', 'hand_size', 'num_face_down', 'points']
        """

    @classmethod
    @abstractmethod
    def presets_for(cls, num_players: int) -> dict[str, dict[str, Any]]:
        """Named sets of options, for this number of players.

        Every game has ``"mini"``: so few cards that all plays from a known deal can be counted, but still a
        game, with all its rules.

        Examples:
            >>> from trick_envs import game_class
            >>> game_class("gummi_trick").presets_for(3)
            {'mini': {'num_ranks': 5, 'hand_size': 3, 'num_face_down': 2}}
        """

    @classmethod
    def _implied_by(cls, num_players: int, options: Mapping[str, Any]) -> dict[str, Any]:
        """Defaults that follow from other options that are given, and come before the usual ones.

        The options aren't checked yet.
        """
        return {}

    @abstractmethod
    def _set_sizes(self, s: State) -> None:
        """Sets `deck`, `max_game_length`, `score_bounds`, and what follows from the options in the record.

        Raises:
            ValueError: Options that are allowed one by one, but don't go together.
        """

    @abstractmethod
    def _action_texts(self) -> list[str]:
        """The text of every action, in order."""

    @abstractmethod
    def _action_layout(self, s: State) -> Layout:
        """The layout of actions."""

    @abstractmethod
    def _observation_layout(self, s: State) -> Layout:
        """The layout of observations.

        A group ``hand``, the cards that the observer holds, is needed where self-play has a privileged
        critic, and an axis ``suit`` where a network is to treat suits alike; see `layout`.
        """

    @abstractmethod
    def _write_dict(self, s: State, d: dict[str, Any]) -> None:
        """Adds the game's own keys, and those of the common ones that it keeps in its own way."""

    @abstractmethod
    def _read_dict(self, states: States, d: Mapping[str, Any]) -> None:
        """Fills a blank state (1,), whose phase is set, from a dict, or raises `ValueError`."""

    @abstractmethod
    def _seen(self, d: dict[str, Any], seat: int) -> dict[str, Any]:
        """Those keys of a state's dict that a seat sees in another way, and more of its own, if it needs any.

        What is hidden is as `trick_envs.core.texts` says.
        """

    @abstractmethod
    def _information(self, view: View) -> str:
        """All that the view's seat has seen in this round, and the scores."""

    @abstractmethod
    def _render(self, view: View) -> str:
        """The table as text; a view without a seat shows everything."""

    # --- playing ------------------------------------------------------------------------------------------

    def new_states(self, num_states: int, seed: Seed = None) -> States:
        """New games, dealt and ready for the first decision, shape (N,).

        Args:
            num_states: N.
            seed: A number gives the same games each time, game i whatever N is; an array gives each game a
                seed of its own; None gives other games each time.

        Raises:
            ValueError: A negative number of states, or a seed that is none.

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> states = game.new_states(1000, seed=1)
            >>> states.shape, states.dtype == game.state_dtype
            ((1000,), True)
        """
        states = self.undealt_states(num_states, seed)
        batch.restart_finished(states)
        return states

    def undealt_states(self, num_states: int, seed: Seed = None) -> States:
        """Seeded games that nobody has dealt yet; they count as over. For `new_states` and environments."""
        states = np.repeat(self._blank, validation.whole_number(num_states, "num_states", 0))
        states["rng"] = seeds_for(num_states, seed)
        return states

    def current_players(self, states: States, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        """The seat to decide in each game, -1 when it is over, shape (N,).

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> states = game.new_states(3, seed=1)
            >>> game.current_players(states)
            array([0, 3, 0], dtype=int8)
        """
        out = self._buffer(out, (len(states),), np.int8)
        out[:] = states["current_player"]
        return out

    def movers(self, states: States, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        """The former name of `current_players`."""
        warnings.warn("movers is now called current_players", DeprecationWarning, stacklevel=2)
        return self.current_players(states, out)

    def action_masks(self, states: States, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        """1 for each legal action of the current player, all 0 when the game is over, shape (N, A).

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> states = game.new_states(3, seed=1)
            >>> masks = game.action_masks(states)
            >>> [game.action_texts[action] for action in masks[0].nonzero()[0]]
            ['R1', 'P3', 'P5']
        """
        out = self._buffer(out, (len(states), self.num_actions), np.int8)
        batch.mask_all(self._checked(states), out)
        return out

    def observations(
        self, states: States, seats: Any = None, out: NDArray[np.int8] | None = None
    ) -> NDArray[np.int8]:
        """What a seat knows, as features that are 0 or 1, shape (N, D).

        Args:
            states: The games.
            seats: A seat for all games, or one for each, shape (N,). Default: the current player, and
                seat 0 where the game is over.
            out: Room for the result.

        Raises:
            ValueError: A seat that isn't there.

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> states = game.new_states(3, seed=1)
            >>> observations = game.observations(states)
            >>> observations.shape == (3, game.observation_size)
            True
            >>> game.observation_layout.read(observations[0], "hand")
            array([[0, 0, 0, 0, 0, 0],
                   [0, 0, 0, 0, 0, 0],
                   [0, 1, 0, 0, 0, 0],
                   [0, 0, 0, 0, 0, 0],
                   [0, 0, 0, 1, 0, 1]], dtype=int8)
        """
        out = self._buffer(out, (len(states), self.observation_size), np.int8)
        batch.observe_all(self._checked(states), self._seats(states, seats), out)
        return out

    def step(
        self, states: States, actions: Any, out: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]:
        """Plays one action in each game, in place. A finished game doesn't change.

        The actions are trusted: an illegal one makes a state that can't occur. `action_masks` tells.

        Args:
            states: The games.
            actions: (N,) one action for each.
            out: Room for the result.

        Returns:
            What each seat gets for this step, shape (N, S).

        Raises:
            ValueError: Something else than N whole numbers.

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> states = game.new_states(3, seed=1)
            >>> game.step(states, game.action_masks(states).argmax(axis=1))
            array([[0., 0., 0., 0.],
                   [0., 0., 0., 0.],
                   [0., 0., 0., 0.]], dtype=float32)
            >>> game.current_players(states)
            array([1, 0, 1], dtype=int8)
        """
        out = self._buffer(out, (len(states), self.num_players), np.float32)
        actions = validation.whole_numbers(actions, "actions", states.shape)
        if actions.dtype != np.int32 and actions.size and not self._are_actions(actions):
            raise ValueError(
                f"actions go from {actions.min()} to {actions.max()}; allowed are 0 to {self.num_actions - 1}"
            )
        batch.step_all(self._checked(states), np.ascontiguousarray(actions, np.int32), out)
        return out

    def _are_actions(self, actions: NDArray[Any]) -> bool:
        return bool(actions.min() >= 0 and actions.max() < self.num_actions)

    def returns(self, states: States, out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """The sum of the rewards of each game so far, shape (N, S), as exact as scores are.

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> states = game.new_states(3, seed=1)
            >>> game.play_randomly(states)
            57
            >>> game.returns(states)
            array([[ 0.5       ,  0.5       , -0.5       , -0.5       ],
                   [-0.33333333,  1.        , -0.33333333, -0.33333333],
                   [-0.33333333, -0.33333333, -0.33333333,  1.        ]])
        """
        out = self._buffer(out, (len(states), self.num_players), np.float64)
        batch.all_returns(self._checked(states), out)
        return out

    def scores(self, states: States) -> NDArray[np.int32]:
        """The scores so far, shape (N, S).

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> states = game.new_states(3, seed=1)
            >>> game.play_randomly(states)
            57
            >>> game.scores(states)
            array([[3, 3, 0, 2],
                   [2, 4, 0, 0],
                   [0, 2, 0, 5]], dtype=int32)
        """
        return self._checked(states)["scores"][:, : self.num_players].copy()

    def winners(self, states: States) -> NDArray[np.int8]:
        """1 for each seat that has won, alone or shared; all 0 until the game is over. Shape (N, S).

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> states = game.new_states(3, seed=1)
            >>> game.play_randomly(states)
            57
            >>> game.winners(states)
            array([[1, 1, 0, 0],
                   [0, 1, 0, 0],
                   [0, 0, 0, 1]], dtype=int8)
        """
        return self._checked(states)["winners"][:, : self.num_players].astype(np.int8)

    def resample(self, states: States, seats: Any, seed: Seed = None) -> States:
        """New states in which all that a seat doesn't know is drawn anew, future chance included.

        Every world that is consistent with all that the seat has seen is equally likely. What the seat
        observes stays exactly the same.

        Args:
            states: The games.
            seats: A seat for all games, or one for each, shape (N,).
            seed: As in `new_states`.

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> states = game.new_states(3, seed=1)
            >>> world = game.resample(states, seats=0, seed=7)[0]
            >>> game.to_dict(states[0])["hands"]
            [['R1', 'P3', 'P5'], ['B5', 'Y1', 'Y2'], ['B2', 'R0', 'R3'], ['B0', 'B4', 'Y4']]
            >>> game.to_dict(world)["hands"]
            [['R1', 'P3', 'P5'], ['G5', 'R5', 'P0'], ['B4', 'R4', 'Y5'], ['G3', 'G4', 'P1']]
        """
        states = self._checked(states).copy()
        batch.resample_all(states, self._seats(states, seats), seeds_for(len(states), seed, purpose=2))
        return states

    # --- playing on, in compiled code ---------------------------------------------------------------------

    def play_randomly(self, states: States) -> int:
        """Plays every game to its end, in place, by legal actions drawn by its own generator.

        Returns:
            How many decisions there were.

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> states = game.new_states(3, seed=1)
            >>> game.play_randomly(states)
            57
            >>> game.current_players(states)
            array([-1, -1, -1], dtype=int8)
        """
        return batch.play_randomly(self._checked(states))

    def count_plays(self, state: State, depth: int) -> int:
        """How many ways there are to play on, for `depth` decisions or to the game's end.

        Chance, as the next deal, falls in one way only: the generator lies in the state.

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> states = game.new_states(3, seed=1)
            >>> [game.count_plays(states[0], depth) for depth in (1, 2, 3, 100)]
            [3, 9, 24, 249536]
        """
        depth = validation.whole_number(depth, "depth", 0)
        line = np.repeat(self._single(state), depth + 1)
        return batch.count_plays(line, np.empty((depth + 1, MAX_ACTIONS), np.int32), 0, depth)

    # --- texts --------------------------------------------------------------------------------------------

    def action_to_string(self, action: int) -> str:
        """The text of an action.

        Raises:
            ValueError: There is no such action.

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> [game.action_to_string(action) for action in range(3)]
            ['B0', 'B1', 'B2']
        """
        return self.action_texts[validation.whole_number(action, "action", 0, self.num_actions - 1)]

    def string_to_action(self, text: str) -> int:
        """The action that has this text.

        Raises:
            ValueError: No action has it.

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> game.string_to_action("B3")
            3
        """
        if not isinstance(text, str) or text not in self._actions:
            first, last = self.action_texts[0], self.action_texts[-1]
            raise ValueError(f"unknown action {text!r}; choose from {first!r} to {last!r}")
        return self._actions[text]

    def information_state_string(self, state: State, seat: int) -> str:
        """All that a seat has seen in this round, the order of play included, and the scores, as text.

        Two states give the same text exactly when these are the same. For tabular algorithms; the bytes of
        the seat's observation are as good a key, and some 50 times as fast.

        Raises:
            ValueError: A seat that isn't there.

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> states = game.new_states(3, seed=1)
            >>> game.information_state_string(states[0], seat=0).splitlines()[2]
            'hand R1 P3 P5, sizes [3, 3, 3, 3]'
        """
        return self._information(self.view(state, seat))

    def render(self, state: State, seat: int | None = None) -> str:
        """The table as text, as a seat sees it; None shows everything.

        Raises:
            ValueError: A seat that isn't there.

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> states = game.new_states(3, seed=1)
            >>> print(game.render(states[0], seat=0))
            Voodoo Prince: round 1 of 2, trump R
              seat  score  this round  tricks  hand
            > 0         0          in  0 of 1  R1 P3 P5
              1         0          in  0 of 1  (3 cards)
              2         0          in  0 of 1  (3 cards)
              3         0          in  0 of 1  (3 cards)
            this trick  -
        """
        return self._render({"seat": None, **self.to_dict(state)} if seat is None else self.view(state, seat))

    def view(self, state: State, seat: int) -> View:
        """What a seat may know of a state, as plain Python for `json.dumps`.

        The keys are those of `to_dict`. A hidden card in a list is None, so that one sees how many there are;
        ``"?"`` stands where None would say that there is nothing. Two more keys are ``"seat"`` and
        ``"legal_actions"``, the texts of what the seat may do now; some games add what only this seat knows.

        Args:
            state: One record, or an array of one.
            seat: Who looks.

        Raises:
            ValueError: A seat that isn't there.

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> game.view(game.new_states(1, seed=1)[0], seat=0)["hands"]
            [['R1', 'P3', 'P5'], [None, None, None], [None, None, None], [None, None, None]]
        """
        states = self._single(state)
        validation.seat(seat, "seat", self.num_players)
        d = self.to_dict(states)
        actions: list[str] = []
        if d["mover"] == seat:
            actions = [self.action_texts[i] for i in np.flatnonzero(self.action_masks(states)[0])]
        return {"seat": seat, **d, **self._seen(d, seat), "legal_actions": actions}

    def to_dict(self, state: State) -> dict[str, Any]:
        """The whole state, hidden parts too, as plain Python for `json.dumps`.

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> states = game.new_states(3, seed=1)
            >>> list(game.to_dict(states[0]))[:7]
            ['game', 'num_players', 'phase', 'mover', 'round', 'scores', 'winners']
        """
        s = self._single(state)[0]
        current_player = int(s.current_player)
        n = self.num_players
        d: dict[str, Any] = {
            "game": self.name,
            "num_players": n,
            "phase": self.phases[s.phase],
            "mover": None if current_player == NOBODY else current_player,
            "round": int(s.round_number),
            "scores": s.scores[:n].tolist(),
            "winners": [seat for seat in range(n) if s.winners[seat]],
        }
        self._write_dict(s, d)
        return d

    def from_dict(self, d: Mapping[str, Any], seed: Seed = 0) -> States:
        """The state that `to_dict` gave, as an array of one that plays on.

        Args:
            d: A dict with the keys of `to_dict`. Without `history` and `known_voids`, nothing is known of
                the past beyond the rest; unknown keys are ignored.
            seed: For future chance, which isn't in the dict.

        Raises:
            ValueError: Another game, another number of players or an impossible position.

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> states = game.new_states(3, seed=1)
            >>> again = game.from_dict(game.to_dict(states[0]), seed=1)
            >>> game.to_dict(again) == game.to_dict(states[0])
            True
        """
        if not isinstance(d, Mapping):
            raise ValueError(f"the position is {d!r}; allowed is a dict")
        if validation.read(d, "game") != self.name:
            raise ValueError(f"game is {d['game']!r}; allowed is {self.name!r}")
        if validation.read(d, "num_players") != self.num_players:
            raise ValueError(f"num_players is {d['num_players']!r}; allowed is {self.num_players}")
        states = self._blank.copy()
        s = states[0]
        s.rng = seeds_for(1, seed)[0]
        s.phase = self.phases.index(validation.choice(validation.read(d, "phase"), "phase", self.phases))
        self._read_dict(states, d)
        current_player = None if s.current_player == NOBODY else int(s.current_player)
        given = validation.read(d, "mover")
        if given is not None:
            validation.seat(given, "mover", self.num_players)
        if given != current_player:
            raise ValueError(f"mover is {given!r}; in this position it is {current_player!r}")
        winners = [seat for seat in range(self.num_players) if s.winners[seat]]
        given = validation.items(validation.read(d, "winners"), "winners")
        if [validation.seat(seat, "a winner", self.num_players) for seat in given] != winners:
            raise ValueError(f"winners is {d['winners']!r}; in this position it is {winners!r}")
        return states

    def position(self, position: State | Mapping[str, Any], seed: Seed = None) -> States:
        """A position to start from, (1,): a copy of a state, or what `from_dict` makes of a dict.

        Args:
            position: A record, an array of one, or a dict.
            seed: For future chance. None: a state's own, and 0 for a dict.

        Raises:
            ValueError: An impossible position, or one of another game or other settings.

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> states = game.new_states(3, seed=1)
            >>> game.position(states[1], seed=5).shape
            (1,)
        """
        if isinstance(position, Mapping):
            return self.from_dict(position, 0 if seed is None else seed)
        states = self._single(position).copy()
        if states["reward"] != self._blank["reward"]:
            raise ValueError(
                f"the state was made with other settings: reward isn't {self.options['reward']!r}"
            )
        if seed is not None:
            states["rng"] = seeds_for(1, seed)
        return states

    # --- saving -------------------------------------------------------------------------------------------

    def serialize(self, states: States) -> bytes:
        """The states as bytes, with the game, its options and the format's version.

        Examples:
            >>> from trick_envs import make_game
            >>> game = make_game("voodoo_prince", preset="mini")
            >>> states = game.new_states(3, seed=1)
            >>> again = game.deserialize(game.serialize(states))
            >>> bool((again == states).all())
            True
        """
        states = np.ascontiguousarray(self._checked(states))
        head = {**self._settings, "format": _FORMAT, "layout": self._fields, "count": len(states)}
        body = json.dumps(head).encode() + b"\n" + states.tobytes()
        return _MAGIC + hashlib.sha256(body).digest() + body

    def deserialize(self, data: bytes) -> States:
        """The states that `serialize` gave, shape (N,).

        Raises:
            ValueError: Damaged bytes, or those of another game, other options or another version.
        """
        body_at = len(_MAGIC) + _DIGEST_SIZE
        body = data[body_at:]
        if data[: len(_MAGIC)] != _MAGIC:
            raise DamagedDataError("these bytes are no saved states")
        if hashlib.sha256(body).digest() != data[len(_MAGIC) : body_at]:
            raise DamagedDataError("these saved states are damaged: their checksum is wrong")
        first_line, _, records = body.partition(b"\n")
        head = json.loads(first_line)
        if head.get("format") != _FORMAT or head.get("layout") != self._fields:
            raise ValueError("these states were saved by another version of trick_envs")
        for key, value in self._settings.items():
            if head[key] != value:
                raise ValueError(
                    f"these states were saved with {key} {head[key]!r}; allowed here is {value!r}"
                )
        return np.frombuffer(records, self.state_dtype, head["count"]).copy()

    @cached_property
    def _fields(self) -> str:
        """A short text that changes with the record's fields, but not with every edit of the rules."""
        fields = re.sub(rf"{STAMP}\w+", "", repr((self.state_dtype.fields, self.state_dtype.itemsize)))
        return hashlib.sha256(fields.encode()).hexdigest()[:16]

    # --- checking arguments -------------------------------------------------------------------------------

    def _checked(self, states: States) -> States:
        if states.dtype != self.state_dtype:
            raise ValueError(f"states has type {states.dtype.name}; allowed is this game's state_dtype")
        if states.ndim != 1 or not states.flags.c_contiguous:
            raise ValueError(
                f"states has shape {states.shape}, strides {states.strides}; "
                "allowed is a contiguous array of one axis (a slice with steps needs .copy())"
            )
        self._check_variant(states)
        return states

    def _check_variant(self, states: States) -> None:
        """Raises `ValueError` for states of other sizes: compiled code would write beyond its arrays."""
        variants = states["variant"]
        # A comparison of arrays takes longer than a step in one game.
        if (len(variants) == 1 and variants[0] == self._variant_hash) or (
            variants == self._variant_hash
        ).all():
            return
        for name, value in {"num_players": self.num_players, **self.variant["options"]}.items():
            if (states[name] != self._blank[name]).any():
                raise ValueError(f"the state was made with other settings: {name} isn't {value!r}")
        raise ValueError(f"the state wasn't made by {self!r}; allowed is what new_states and from_dict give")

    def _single(self, state: State) -> States:
        """One record, or an array of one, as an array of one."""
        states = np.atleast_1d(np.asarray(state))
        if states.dtype != self.state_dtype or states.shape != (1,):
            raise ValueError(
                f"state has shape {states.shape} and type {states.dtype.name}; "
                "allowed is one record of this game's state_dtype, or an array of one"
            )
        states = states.view(self.state_dtype)
        self._check_variant(states)
        return states

    def _seats(self, states: States, seats: Any) -> NDArray[np.int8]:
        if seats is None:
            return np.maximum(states["current_player"], 0).astype(np.int8)
        if isinstance(seats, int) and 0 <= seats < self.num_players:
            return np.full(len(states), seats, np.int8)
        given = np.asarray(seats)
        if given.dtype.kind not in "iu" or given.shape not in ((), (len(states),)):
            raise ValueError(
                f"seats is {seats!r}; allowed are one seat or whole numbers of shape ({len(states)},)"
            )
        if given.size and not (given.min() >= 0 and given.max() < self.num_players):
            raise ValueError(f"seats is {seats!r}; allowed are 0 to {self.num_players - 1}")
        # an array of its own: kernels would be compiled again for one that can't be written
        return np.array(np.broadcast_to(given, (len(states),)), np.int8)

    @staticmethod
    def _buffer(out: NDArray[Any] | None, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        if out is None:
            return np.empty(shape, dtype)
        if out.shape != shape or out.dtype != dtype or not out.flags.c_contiguous:
            raise ValueError(
                f"out has shape {out.shape} and type {out.dtype}; "
                f"allowed is a contiguous array of shape {shape} and type {np.dtype(dtype)}"
            )
        return out
