"""The five kernels that every game writes, and a sixth that it may write, under one name each.

Code for all games calls, for instance, ``step(s, action)``. When numba compiles a caller, the *record
type* of `s` decides which game's kernel that is; the caller is compiled, and cached, once per game. In
plain Python the record's dtype decides, call by call.

A game's own kernels have the same names and arguments as here (`register` checks that). The sixth,
``choose``, is the game's own rule-based player.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core.typing.templates import AbstractTemplate, infer, infer_global
from numpy.typing import NDArray

from trick_envs.core.kernel import COMPILED, State

_types: Any = numba.types

_kernels: dict[Any, dict[str, Callable[..., Any]]] = {}  # by numpy dtype and by numba type


def kernel_for(name: str, s: State) -> Callable[..., Any]:
    """A kernel of the game that the state `s` is of."""
    return _kernels[s.dtype][name]


def new_game(s: State) -> None:
    """Starts a game by the record's settings, dealt and ready for the first decision."""
    kernel_for("new_game", s)(s)


def legal_actions(s: State, actions: NDArray[np.int32]) -> int:
    """Writes the current player's legal actions, ascending, and returns how many; for games in progress."""
    return int(kernel_for("legal_actions", s)(s, actions))


def step(s: State, action: int) -> None:
    """Plays a legal action and all that follows from it, up to the next decision."""
    kernel_for("step", s)(s, action)


def observe(s: State, seat: int, features: NDArray[np.int8], at: int) -> None:
    """Sets to 1 what holds of all that `seat` knows, among the D features from `at` on, now all 0."""
    kernel_for("observe", s)(s, seat, features, at)


def resample(s: State, seat: int) -> None:
    """Draws anew all that `seat` doesn't know, uniformly, by the record's generator."""
    kernel_for("resample", s)(s, seat)


RULES = (new_game, legal_actions, step, observe, resample)


ARGUMENTS = {rule.__name__: tuple(inspect.signature(rule).parameters) for rule in RULES} | {
    "choose": ("s", "draw")
}
"""The names of the kernels that `register` takes, and those of their arguments."""


def register(dtype: np.dtype[Any], *kernels: Callable[..., Any]) -> None:
    """Makes a game's kernels known.

    Args:
        dtype: The game's record type.
        kernels: The five, in any order, and perhaps ``choose(s, draw)``: the current player's action by the
            game's own rule-based player, `draw`, from 0 to below 1, deciding between equals.

    Raises:
        TypeError: One of the five is missing, another kernel or other arguments.
        ValueError: The game has another kernel of one of the names.
    """
    by_name = {kernel.__name__: kernel for kernel in kernels}
    missing = [rule.__name__ for rule in RULES if rule.__name__ not in by_name]
    if missing:
        raise TypeError(f"register needs the kernels {', '.join(missing)}, too")
    for name, own in by_name.items():
        if name not in ARGUMENTS:
            raise TypeError(f"unknown kernel {name!r}; choose from {', '.join(ARGUMENTS)}")
        arguments = tuple(inspect.signature(own).parameters)
        if arguments != ARGUMENTS[name]:
            raise TypeError(
                f"the arguments of {name} must be {', '.join(ARGUMENTS[name])}, got {', '.join(arguments)}"
            )
        register_kernel(dtype, name, own)


def register_kernel(dtype: np.dtype[Any], name: str, own: Callable[..., Any]) -> None:
    """Makes a kernel known, as that of a game; beside the five, for instance a rule-based agent's.

    A game has one kernel of a name, since callers are compiled, and cached, with it. A module that is loaded
    again may make its own known again; callers that are compiled already keep the one that they have.

    Raises:
        ValueError: The game has another kernel of this name.
    """
    kernels = _kernels.setdefault(dtype, {})
    if name in kernels and qualified_name(kernels[name]) != qualified_name(own):
        raise ValueError(
            f"kernel {name!r} of this game is {qualified_name(kernels[name])} and can't become "
            f"{qualified_name(own)}: there is one for each record type"
        )
    kernels[name] = own
    if COMPILED:
        _kernels[numba.from_dtype(dtype)] = kernels


def qualified_name(function: Callable[..., Any]) -> str:
    """The module and the name of a function."""
    return f"{function.__module__}.{function.__qualname__}"


def is_registered(dtype: np.dtype[Any], name: str) -> bool:
    """Whether a game has a kernel of this name."""
    return name in _kernels.get(dtype, {})


def by_record(function: Callable[..., Any]) -> None:
    """Lets kernels call a function, and calls the game's kernel of this name there."""
    name = function.__name__

    class Chosen(AbstractTemplate):  # type: ignore[misc]
        key = function

        def generic(self, args: Any, kws: Any) -> Any:
            own = _kernels.get(args[0], {}).get(name)
            return None if own is None else _types.Dispatcher(own).get_call_type(self.context, args, kws)

        def get_impl_key(self, sig: Any) -> Any:
            own: Any = _kernels[sig.args[0]][name]
            return own.get_overload(sig)

    infer(Chosen)
    infer_global(function, _types.Function(Chosen))


for _rule in RULES:
    by_record(_rule)
