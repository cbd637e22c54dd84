"""The rule-based agents of all games: a kernel for each, under one name."""

import importlib

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from trick_envs.core.dispatch import implementation, is_registered, kernel_for
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import State, kernel
from trick_envs.core.random import Streams, check_streams

MODULES = {
    "voodoo_prince": "trick_agents.rule_based.voodoo_prince",
    "gummi_trick": "trick_agents.rule_based.gummi_trick",
    "tighee": "trick_agents.rule_based.tighee",
    "take_that_toy": "trick_agents.rule_based.take_that_toy",
    "oracle_land": "trick_agents.rule_based.oracle_land",
}
"""Where each game's rule-based agent is; a game of your own may add its one.

Importing the module makes its kernel known.
"""


def choose(s: State, draw: float) -> int:
    """The current player's action by its game's rules of thumb.

    `draw`, from 0 to below 1, decides between equals.
    """
    return int(kernel_for("choose", s)(s, draw))


overload(choose, jit_options={"error_model": "numpy"})(lambda s, draw: implementation("choose", s))


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
    if game.name in MODULES:
        importlib.import_module(MODULES[game.name])
    if not is_registered(game.state_dtype, "choose"):
        raise ValueError(
            f"there is no rule-based agent for {game.name}; there are those for {', '.join(MODULES)}"
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
