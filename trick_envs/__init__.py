"""Modern trick-taking card games as fast reinforcement-learning environments.

`make_game` gives the rules of a game for any number of games at once. Every game has a module with
PettingZoo's ``env()`` and ``raw_env()`` and with ``vector_env()``, such as `voodoo_prince_v0`. What is named
here is what users import; all but the registry is loaded when it is first asked for.
"""

import importlib
from typing import TYPE_CHECKING, Any

from trick_envs.core.errors import (
    DamagedDataError,
    IllegalActionError,
    UnknownGameError,
    UnsupportedSettingError,
)
from trick_envs.core.registry import GAMES, game_class, make_game, register_game

if TYPE_CHECKING:
    from trick_envs.core.agent import Agent, RandomAgent
    from trick_envs.core.game import Game, States
    from trick_envs.core.layout import Layout
    from trick_envs.core.random import Streams
    from trick_envs.envs.aec import TrickTakingEnv
    from trick_envs.envs.sb3 import SeatVecEnv
    from trick_envs.envs.seat import SeatEnv, SeatVectorEnv
    from trick_envs.envs.vector import TrickTakingVectorEnv

__version__ = "0.1.0"

_LAZY = {
    "Game": "core.game",
    "States": "core.game",
    "Layout": "core.layout",
    "Agent": "core.agent",
    "RandomAgent": "core.agent",
    "Streams": "core.random",
    "TrickTakingEnv": "envs.aec",
    "TrickTakingVectorEnv": "envs.vector",
    "SeatEnv": "envs.seat",
    "SeatVectorEnv": "envs.seat",
    "SeatVecEnv": "envs.sb3",
}
"""Where the rest is: importing it would import numba, which takes longer than all else."""

__all__ = [
    "GAMES",
    "Agent",
    "DamagedDataError",
    "Game",
    "IllegalActionError",
    "Layout",
    "RandomAgent",
    "SeatEnv",
    "SeatVecEnv",
    "SeatVectorEnv",
    "States",
    "Streams",
    "TrickTakingEnv",
    "TrickTakingVectorEnv",
    "UnknownGameError",
    "UnsupportedSettingError",
    "game_class",
    "make_game",
    "register_game",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
