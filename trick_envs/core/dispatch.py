"""The five kernels that every game writes, under one name each.

Code for all games calls, for instance, ``step(s, action)``. When numba compiles a caller, the *record
type* of `s` decides which game's kernel that is; the caller is compiled, and cached, once per game. In
plain Python the record's dtype decides, call by call.

A game's own kernels have the same names and arguments as here (`register` checks that).
"""

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from trick_envs.core.kernel import COMPILED, OPTIONS, State

_kernels: dict[Any, dict[str, Callable[..., Any]]] = {}  # by numpy dtype and by numba type


def new_game(s: State) -> None:
    """Starts a game by the record's settings, dealt and ready for the first decision."""
    _kernels[s.dtype]["new_game"](s)


def legal_actions(s: State, actions: NDArray[np.int32]) -> int:
    """Writes the mover's legal actions, ascending, and returns how many there are. For games in progress."""
    return int(_kernels[s.dtype]["legal_actions"](s, actions))


def step(s: State, action: int) -> None:
    """Plays a legal action and all that follows from it, up to the next decision."""
    _kernels[s.dtype]["step"](s, action)


def observe(s: State, seat: int, features: NDArray[np.int8], at: int) -> None:
    """Sets to 1 what holds of all that `seat` knows, among the D features from `at` on, now all 0."""
    _kernels[s.dtype]["observe"](s, seat, features, at)


def redraw(s: State, seat: int) -> None:
    """Draws anew all that `seat` doesn't know, uniformly, by the record's generator."""
    _kernels[s.dtype]["redraw"](s, seat)


DISPATCHED = (new_game, legal_actions, step, observe, redraw)


def register(dtype: np.dtype[Any], *kernels: Callable[..., Any]) -> None:
    """Makes a game's five kernels known."""
    by_name = {kernel.__name__: kernel for kernel in kernels}
    for generic in DISPATCHED:
        own = by_name[generic.__name__]
        if list(inspect.signature(own).parameters) != list(inspect.signature(generic).parameters):
            raise TypeError(f"{own.__name__} has other arguments than {generic.__module__} says")
    _kernels[dtype] = by_name
    if COMPILED:
        _kernels[numba.from_dtype(dtype)] = by_name


def _choose(name: str, record_type: Any) -> Callable[..., Any] | None:
    """The Python function of the game's kernel; numba compiles it into the caller."""
    kernels = _kernels.get(record_type)
    if kernels is None:
        return None
    function: Any = kernels[name].py_func  # type: ignore[attr-defined]
    # Numba compares signatures, and annotations would count: a copy has none.
    return FunctionType(function.__code__, function.__globals__, name)


overload(new_game, jit_options=OPTIONS)(lambda s: _choose("new_game", s))
overload(legal_actions, jit_options=OPTIONS)(lambda s, actions: _choose("legal_actions", s))
overload(step, jit_options=OPTIONS)(lambda s, action: _choose("step", s))
overload(observe, jit_options=OPTIONS)(lambda s, seat, features, at: _choose("observe", s))
overload(redraw, jit_options=OPTIONS)(lambda s, seat: _choose("redraw", s))
