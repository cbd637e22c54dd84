"""Experiments: how agents are trained and compared, as the command ``trick-envs`` and in Python.

Each command is a module of this package. What is named here is for programs of your own, and is loaded when
it is first asked for: comparing agents needs neither torch nor Stable-Baselines3, which come with the extra
``train``.
"""

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trick_experiments.evaluation.comparison import Result, evaluate
    from trick_experiments.evaluation.matches import Interval
    from trick_experiments.learning.policy_network import SuitPolicy, export, policy_settings
    from trick_experiments.learning.self_play_env import SelfPlayVecEnv, spread_of_returns
    from trick_experiments.learning.self_play_ppo import SelfPlayPPO

_LAZY = {
    "Interval": "evaluation.matches",
    "Result": "evaluation.comparison",
    "evaluate": "evaluation.comparison",
    "SelfPlayPPO": "learning.self_play_ppo",
    "SelfPlayVecEnv": "learning.self_play_env",
    "SuitPolicy": "learning.policy_network",
    "export": "learning.policy_network",
    "policy_settings": "learning.policy_network",
    "spread_of_returns": "learning.self_play_env",
}

__all__ = [
    "Interval",
    "Result",
    "SelfPlayPPO",
    "SelfPlayVecEnv",
    "SuitPolicy",
    "evaluate",
    "export",
    "policy_settings",
    "spread_of_returns",
]


class _Face(ModuleType):
    """The package's face: what is named here isn't hidden by a module of the same name.

    Python sets a package's attribute to each module that it imports from it, here to the command `evaluate`.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _LAZY or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Face


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
