"""The layout of observations: which features mean what.

A layout is a game's list of feature groups, in order. It says where each group lies, for everybody who
reads observations: the spec sheets, agents and tests. Kernels write the groups in the same order with the
helpers below, each of which returns where the next group begins.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.kernel import kernel


@dataclass(frozen=True)
class FeatureGroup:
    """Features that belong together."""

    name: str
    start: int
    shape: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        """How many features the group has."""
        return prod(self.shape)

    @property
    def slice(self) -> slice:
        """Where the group lies on the last axis of an observation."""
        return slice(self.start, self.start + self.size)


class ObservationLayout(Mapping[str, FeatureGroup]):
    """Feature groups by name, in order."""

    def __init__(self, groups: list[tuple[str, tuple[int, ...], str]]) -> None:
        """`groups`: name, shape and meaning of each."""
        self._groups: dict[str, FeatureGroup] = {}
        self.size = 0
        for name, shape, meaning in groups:
            group = FeatureGroup(name, self.size, shape, meaning)
            self._groups[name] = group
            self.size += group.size

    def __getitem__(self, name: str) -> FeatureGroup:
        return self._groups[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups)

    def __len__(self) -> int:
        return len(self._groups)

    def read(self, observations: NDArray[Any], name: str) -> NDArray[Any]:
        """One group of observations (..., D), in the group's own shape: (..., *shape)."""
        group = self[name]
        return observations[..., group.slice].reshape(*observations.shape[:-1], *group.shape)

    def table(self) -> str:
        """The layout as a Markdown table, as it stands in the spec sheets."""
        rows = ["| features | group | shape | 1 means |", "| --- | --- | --- | --- |"]
        for group in self.values():
            shape = " × ".join(map(str, group.shape))
            last = group.start + group.size - 1
            rows.append(f"| {group.start}–{last} | `{group.name}` | {shape} | {group.meaning} |")
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
