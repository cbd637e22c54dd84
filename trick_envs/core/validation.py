"""Checks of plain values that come from outside and may be anything; errors are one sentence each."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def read(d: Mapping[str, Any], key: str) -> Any:
    """The value of a key that must be there."""
    if key not in d:
        raise ValueError(f"the position has no {key!r}")
    return d[key]


def given(d: Mapping[str, Any], key: str, otherwise: Any) -> Any:
    """The value of a key that may be missing, or None."""
    return otherwise if d.get(key) is None else d[key]


def is_whole_number(value: Any, low: int, high: float = math.inf) -> bool:
    """Whether this is a whole number, Python's or numpy's, within bounds."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return is_whole and bool(low <= value <= high)


def whole_number(value: Any, what: str, low: int, high: float = math.inf, or_else: str = "") -> int:
    """A whole number within bounds; `or_else`: what else is allowed, for the error."""
    if not is_whole_number(value, low, high):
        bounds = f"from {low}" if high == math.inf else f"from {low} to {high}"
        raise ValueError(f"{what} is {value!r}; allowed are whole numbers {bounds}{or_else}")
    return int(value)


def whole_numbers(value: Any, what: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """An array of any integer type and of a shape, from an array, a tensor or a list; a view if it can be."""
    array = np.asarray(value)
    # an empty list has NumPy's default type, which is none of whole numbers
    if (array.dtype.kind not in "iu" and array.size) or array.shape != shape:
        raise ValueError(
            f"{what} has shape {array.shape} and type {array.dtype}; "
            f"allowed are whole numbers of shape {shape}"
        )
    return array


def number(value: Any, what: str, *, positive: bool = False, high: float = math.inf) -> float:
    """A finite number, from 0 or above 0, and up to `high`."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not (is_number and 0 <= value <= high and value < math.inf and (value > 0 or not positive)):
        bounds = f"{'above' if positive else 'from'} 0" + ("" if high == math.inf else f" to {high}")
        raise ValueError(f"{what} is {value!r}; allowed are numbers {bounds}")
    return float(value)


def seat(value: Any, what: str, num_players: int, or_else: str = "") -> int:
    """A seat's number; `or_else`: what else is allowed, for the error."""
    return whole_number(value, what, 0, num_players - 1, or_else)


def truth(value: Any, what: str) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise ValueError(f"{what} is {value!r}; allowed are True, False")
    return value


def choice(value: Any, what: str, allowed: tuple[str, ...]) -> str:
    """One of some texts."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{what} is {value!r}; allowed are {', '.join(map(repr, allowed))}")
    return value


def items(value: Any, what: str, length: int | None = None) -> list[Any]:
    """A list, of a certain length if one is given."""
    if not isinstance(value, list | tuple):
        raise ValueError(f"{what} is {value!r}; allowed is a list")
    if length is not None and len(value) != length:
        raise ValueError(f"{what} has {len(value)} entries; allowed are {length}")
    return list(value)
