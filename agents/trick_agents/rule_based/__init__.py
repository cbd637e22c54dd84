"""The rule-based agents of all games: a kernel for each, under one name."""

import importlib
import pkgutil

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.dispatch import by_record, is_registered, kernel_for
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import State, kernel
from trick_envs.core.random import Streams, check_streams

GAMES = tuple(module.name for module in pkgutil.iter_modules(__path__))
"""The games whose rule-based player is a module of this package; importing it makes its kernel known.

A game of your own brings its player with it: it registers a kernel ``choose`` with its others.
"""


def choose(s: State, draw: float) -> int:
    """The current player's action by its game's rules of thumb.

    `draw`, from 0 to below 1, decides between equals.
    """
    return int(kernel_for("choose", s)(s, draw))


by_record(choose)


@kernel
def choose_all(states: States, draws: NDArray[np.float64], actions: NDArray[np.int32]) -> None:
    """The action of every game's current player."""
    for i in range(len(states)):
        actions[i] = choose(states[i], draws[i])


def check_rules(game: Game) -> None:
    """Makes the game's rule-based agent known to `choose`.

    Raises:
        ValueError: The game has none.
    """
    if game.name in GAMES:
        importlib.import_module(f"{__name__}.{game.name}")
    if not is_registered(game.state_dtype, "choose"):
        raise ValueError(
            f"there is no rule-based agent for {game.name}; there are those for {', '.join(GAMES)}"
        )


class RulesAgent:
    """Plays by the rules of thumb that the module of each game describes."""

    def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
        """One legal action for the current player of each game, shape (N,)."""
        check_rules(game)
        check_streams(rng, len(states))
        actions = np.empty(len(states), np.int32)
        choose_all(states, rng.random(), actions)
        return actions
