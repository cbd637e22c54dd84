"""Layouts: which features of an observation, and which actions, mean what.

A layout is a list of named groups, in order, with named axes. It says where each group lies, for everybody
who reads observations or masks: the spec sheets, agents, networks and tests. Kernels write features in the
same order, with the helpers below.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.kernel import kernel


@dataclass(frozen=True)
class Group:
    """Features, or actions, that belong together."""

    name: str
    start: int
    axes: Mapping[str, int]
    """Names and sizes of the axes, for instance seat 4, suit 5, rank 13. Seats count from the observer,
    itself first, then clockwise."""
    meaning: str

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes."""
        return tuple(self.axes.values())

    @property
    def size(self) -> int:
        """How many features or actions there are."""
        return prod(self.shape)

    @property
    def slice(self) -> slice:
        """Where they lie."""
        return slice(self.start, self.start + self.size)

    @property
    def indices(self) -> NDArray[np.intp]:
        """Where they lie, one by one, in the group's shape."""
        return np.arange(self.start, self.start + self.size).reshape(self.shape)


class Layout(Mapping[str, Group]):
    """Groups by name, in order."""

    def __init__(self, groups: list[tuple[str, Mapping[str, int], str]]) -> None:
        """`groups`: name, axes and meaning of each."""
        self._groups: dict[str, Group] = {}
        self.size = 0
        for name, axes, meaning in groups:
            group = Group(name, self.size, dict(axes), meaning)
            self._groups[name] = group
            self.size += group.size

    def __getitem__(self, name: str) -> Group:
        if name not in self._groups:
            raise KeyError(f"{name!r} is no group; there are {', '.join(self._groups)}")
        return self._groups[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups)

    def __len__(self) -> int:
        return len(self._groups)

    def read(self, values: NDArray[Any], name: str) -> NDArray[Any]:
        """One group of observations (..., D) or masks (..., A), in the group's own shape: (..., *shape).

        Raises:
            KeyError: There is no such group.
            ValueError: Values of another length.
        """
        group = self[name]
        if values.shape[-1:] != (self.size,):
            raise ValueError(f"values have shape {values.shape}; allowed is (..., {self.size})")
        return values[..., group.slice].reshape(*values.shape[:-1], *group.shape)

    def table(self, what: str) -> str:
        """The layout as a Markdown table, for the spec sheets. `what`: "features" or "actions"."""
        rows = [f"| {what} | group | axes | meaning |", "| --- | --- | --- | --- |"]
        for group in self.values():
            axes = ", ".join(f"{axis} {size}" for axis, size in group.axes.items())
            last = group.start + group.size - 1
            rows.append(f"| {group.start}–{last} | `{group.name}` | {axes} | {group.meaning} |")
        return "\n".join(rows)


@kernel
def set_feature(features: NDArray[np.int8], at: int) -> None:
    """Sets one feature to 1."""
    # Compiled code would look whether a signed index counts from the end, which takes longer than writing.
    features[np.uintp(at)] = 1


@kernel
def write_one_hot(features: NDArray[np.int8], at: int, value: int, size: int) -> int:
    """Sets feature `value` of `size`; none if it is outside."""
    if 0 <= value < size:
        set_feature(features, at + value)
    return at + size


@kernel
def write_count(features: NDArray[np.int8], at: int, count: int, size: int) -> int:
    """A thermometer: sets the first `count` of `size` features."""
    for i in range(np.uintp(min(count, size))):
        features[np.uintp(at) + np.uintp(i)] = 1
    return at + size
