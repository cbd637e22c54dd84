"""Layouts: which features of an observation, and which actions, mean what.

A layout is a list of named groups, in order, with named axes. It says where each group lies, for everybody
who reads observations or masks: the spec sheets, agents, networks and tests. Kernels write features in the
same order, with the helpers below.

Names that others rely on: an axis ``suit`` tells networks which features and actions belong to a suit; a
group ``hand`` of observations, the cards that the observer holds, is what a privileged critic gets of the
other seats. Without such an axis a network treats all features alike; without such a group there is no
privileged critic.

A group of features has a *kind*, by which learners choose what to look at:

- ``"state"``, unless it says otherwise: what holds now, or was played, as far as it matters for what is to
  come;
- ``"history"``: in which trick something happened, which costs many features and tells little more;
- ``"score"``: points of the game so far, which don't change what is still to be made;
- ``"round"``: the number of the round, the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.cards import NO_CARD
from trick_envs.core.kernel import State, kernel
from trick_envs.core.state import NOBODY, seats_away

KINDS = ("state", "history", "score", "round")
"""What groups can be good for, as the module says."""


@dataclass(frozen=True)
class Group:
    """Features, or actions, that belong together.

    >>> group = Group("trick", 10, {"seat": 2, "suit": 3}, "the seat has played the suit")
    >>> group.shape, group.size, group.slice
    ((2, 3), 6, slice(10, 16, None))
    >>> group.indices[1]
    array([13, 14, 15])
    """

    name: str
    start: int
    axes: Mapping[str, int]
    """Names and sizes of the axes, for instance seat 4, suit 5, rank 13. Seats count from the observer,
    itself first, then clockwise."""
    meaning: str
    kind: str = "state"
    """One of `KINDS`; of actions always the default."""

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
    """Groups by name, in order.

    >>> card = {"suit": 2, "rank": 3}
    >>> layout = Layout([("hand", card, "held"), ("scores", {"seat": 4}, "has a point", "score")])
    >>> list(layout), layout.size
    (['hand', 'scores'], 10)
    >>> layout["scores"].slice, layout["scores"].kind
    (slice(6, 10, None), 'score')
    """

    def __init__(
        self, groups: Sequence[tuple[str, Mapping[str, int], str] | tuple[str, Mapping[str, int], str, str]]
    ) -> None:
        """`groups`: name, axes, meaning and, unless that is ``"state"``, the kind of each.

        Raises:
            ValueError: A name that is there twice, or a kind that there isn't.
        """
        self._groups: dict[str, Group] = {}
        self.size = 0
        """How many features or actions there are."""
        for name, axes, meaning, *kind in groups:
            group = Group(name, self.size, dict(axes), meaning, *kind)
            if name in self._groups:
                raise ValueError(f"group {name!r} is there twice; each needs a name of its own")
            if group.kind not in KINDS:
                raise ValueError(
                    f"unknown kind {group.kind!r} of group {name!r}; choose from {', '.join(KINDS)}"
                )
            self._groups[name] = group
            self.size += group.size

    def __getitem__(self, name: str) -> Group:
        if name not in self._groups:
            raise KeyError(f"unknown group {name!r}; choose from {', '.join(self._groups)}")
        return self._groups[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups)

    def __len__(self) -> int:
        return len(self._groups)

    def read(self, values: NDArray[Any], name: str) -> NDArray[Any]:
        """One group of observations (..., D) or masks (..., A), in the group's own shape: (..., *shape).

        >>> layout = Layout([("trump", {"suit": 2}, "is trump"), ("hand", {"suit": 2, "rank": 3}, "held")])
        >>> observations = np.zeros((5, layout.size), np.int8)
        >>> observations[:, layout["hand"].indices[1, 2]] = 1
        >>> layout.read(observations, "hand").shape
        (5, 2, 3)
        >>> layout.read(observations[0], "hand")
        array([[0, 0, 0],
               [0, 0, 1]], dtype=int8)

        Raises:
            KeyError: There is no such group.
            ValueError: Values of another length.
        """
        group = self[name]
        if values.shape[-1:] != (self.size,):
            raise ValueError(f"values must have shape (..., {self.size}), got {values.shape}")
        return values[..., group.slice].reshape(*values.shape[:-1], *group.shape)

    def table(self, what: str) -> str:
        """The layout as a Markdown table, for the spec sheets. `what`: "features" or "actions"."""
        rows = [f"| {what} | group | axes | meaning |", "| --- | --- | --- | --- |"]
        for group in self.values():
            axes = ", ".join(f"{axis} {size}" for axis, size in group.axes.items())
            last = group.start + group.size - 1
            rows.append(f"| {group.start}–{last} | `{group.name}` | {axes} | {group.meaning} |")
        return "\n".join(rows)


FEW = 8
"""Features of which each is written, be it 0 or 1; of more only those that are 1."""


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
    # A loop over all features, whose end the processor foresees, is faster as long as they are few.
    if size > FEW:
        for i in range(np.uintp(min(count, size))):
            features[np.uintp(at) + np.uintp(i)] = 1
    else:
        for i in range(np.uintp(size)):
            features[np.uintp(at) + np.uintp(i)] = np.int64(i) < count
    return at + size


@kernel
def write_seat(s: State, seat: int, who: int, features: NDArray[np.int8], at: int) -> int:
    """A seat, counted from the observer; nothing for NOBODY."""
    if who != NOBODY:
        set_feature(features, at + seats_away(s, seat, who))
    return int(at + s.num_players)


@kernel
def write_trick(s: State, seat: int, num_cards: int, features: NDArray[np.int8], at: int) -> int:
    """The card that each seat has played to the current trick; axes seat and card."""
    for player in range(s.num_players):
        card = s.played[s.num_tricks, player]
        # No branch, since nobody foresees who has played yet: where no card is, a 0 is written.
        features[np.uintp(at + seats_away(s, seat, player) * num_cards + max(card, 0))] = card != NO_CARD
    return int(at + s.num_players * num_cards)


@kernel
def write_played(
    s: State, seat: int, num_cards: int, max_tricks: int, features: NDArray[np.int8], at: int
) -> int:
    """Three groups: each seat's card in the current trick, its earlier cards, and each trick's cards.

    Their axes are seat and card, again seat and card, trick and card.
    """
    n = s.num_players
    at = write_trick(s, seat, num_cards, features, at)
    played_in_at = at + n * num_cards
    for trick in range(s.num_tricks):
        for player in range(n):
            card = s.played[trick, player]
            if card != NO_CARD:
                set_feature(features, at + seats_away(s, seat, player) * num_cards + card)
                set_feature(features, played_in_at + trick * num_cards + card)
    return int(played_in_at + max_tricks * num_cards)


@kernel
def write_voids(s: State, seat: int, num_suits: int, features: NDArray[np.int8], at: int) -> int:
    """The record's `known_voids`, seat by seat from the observer on."""
    for player in range(s.num_players):
        start = at + seats_away(s, seat, player) * num_suits
        for suit in range(num_suits):
            features[np.uintp(start + suit)] = s.known_voids[player, suit]
    return int(at + s.num_players * num_suits)


@kernel
def write_leaders(s: State, seat: int, max_tricks: int, features: NDArray[np.int8], at: int) -> int:
    """Who led each trick of the round, the current one included, as far as the record knows."""
    n = s.num_players
    for trick in range(min(s.num_tricks + 1, max_tricks)):
        leader = s.trick_leaders[trick]
        if leader != NOBODY:
            set_feature(features, at + trick * n + seats_away(s, seat, leader))
    return int(at + max_tricks * n)
