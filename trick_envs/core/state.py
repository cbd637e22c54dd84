"""What the records of all games have in common, and how a record is declared."""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from trick_envs.core.kernel import State, kernel, stamp

MAX_SEATS = 5
"""The capacity of every record in seats; those beyond `num_players` stay zero."""

NOBODY = -1
"""Stands where a seat could be and none is."""

EVERYBODY = "everybody"
"""Who may know most fields of a record."""

MAX_ACTIONS = 192
"""At least as many as any decision of any game has legal actions."""


class Reward(IntEnum):
    """Setting: what `step` returns as rewards."""

    OUTCOME = 0
    SCORE = 1
    RELATIVE_SCORE = 2


@dataclass(frozen=True)
class Field:
    """A field of a record, and all that there is to say about it.

    >>> Field("tricks", np.int32, "won in this round", {"seat": MAX_SEATS}).shape
    (5,)
    """

    name: str
    dtype: type[np.generic]
    meaning: str
    """What the values are, special ones included."""
    axes: Mapping[str, int] = field(default_factory=dict)
    """Names and sizes of the axes; none for a single number. An axis ``seat`` has `MAX_SEATS` entries."""
    known_to: str = EVERYBODY
    """Who may know it by the rules: everybody, ``"nobody"``, ``"its seat"`` (that which an entry belongs to)
    or another seat, perhaps ``"until"`` something makes it public. `resample` draws anew what is hidden."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes."""
        return tuple(self.axes.values())


COMMON_FIELDS = (
    Field("rng", np.uint64, "the random-number generator's state", known_to="nobody"),
    # settings
    Field("num_players", np.int32, "seats that play"),
    Field("reward", np.int32, "what rewards are: Reward"),
    Field("score_scale", np.int32, "score changes are divided by this in rewards"),
    Field("variant", np.uint64, "a hash of the game's name, the number of players and the options"),
    # the game
    Field("phase", np.int32, "what is being decided: Phase"),
    Field("current_player", np.int32, "seat to decide, NOBODY when over"),
    Field("round_number", np.int32, "from 0"),
    Field("scores", np.int32, "so far", {"seat": MAX_SEATS}),
    Field("winners", np.uint8, "1: wins, alone or shared; all 0 until the game is over", {"seat": MAX_SEATS}),
)
"""The fields of every record. `Game` reads and writes them, and a game's rules keep them up to date: `phase`
is a number of the game's `phases`; the settings are only read."""

_declared: dict[np.dtype[Any], tuple[Field, ...]] = {}


def state_dtype(game: str, fields: Iterable[Field]) -> np.dtype[np.record]:
    """The record type of a game: the common fields and its own.

    The game's name is the name of an empty field, so that no two games have the same type. For a game whose
    rules aren't in this package, a hash of the caller's sources is part of that name; see `kernel.stamp`.

    >>> STATE = state_dtype("coin", [Field("side", np.int8, "0: heads, 1: tails", known_to="nobody")])
    >>> np.zeros(3, STATE)["side"]
    array([0, 0, 0], dtype=int8)

    Raises:
        ValueError: A field whose name numpy's records have themselves or another field has, or without a
            meaning.
    """
    caller = sys._getframe(1).f_code.co_filename
    declared = (*COMMON_FIELDS, *fields)
    for one in declared:
        # In plain Python such a field would be hidden by numpy's method or attribute.
        if hasattr(np.record, one.name):
            raise ValueError(f"field {one.name!r} of {game} has the name of an attribute of numpy's records")
        if not one.meaning:
            raise ValueError(f"field {one.name!r} of {game} has no meaning")
    described = [(one.name, one.dtype, one.shape) for one in declared]
    aligned = np.dtype([*described, (game + stamp(caller), np.uint8)], align=True)
    dtype: np.dtype[np.record] = np.dtype((np.record, np.dtype(_without_padding(aligned), align=True)))  # type: ignore[assignment]
    _declared[dtype] = declared
    return dtype


def fields_of(dtype: np.dtype[Any]) -> tuple[Field, ...]:
    """The fields of a game's record as they were declared, in order: the common ones, then its own.

    >>> from trick_envs import make_game
    >>> for field in fields_of(make_game("tighee").state_dtype):
    ...     if field.known_to != "everybody":
    ...         print(f"{field.name} {field.shape}: known to {field.known_to}")
    rng (): known to nobody
    hands (5, 20): known to its seat
    picks (5, 5): known to its seat
    deck (16,): known to nobody until turned up

    Raises:
        ValueError: A type that `state_dtype` hasn't made.
    """
    if dtype not in _declared:
        raise ValueError(f"unknown record type {dtype.name!r}; only what state_dtype returns is known")
    return _declared[dtype]


def _without_padding(aligned: np.dtype[Any]) -> list[tuple[Any, ...]]:
    """The same fields and one wherever there is padding, which copies of an array would leave unset.

    So equal states are equal bytes, and saved states hold nothing else of the process's memory.
    """
    fields: list[tuple[Any, ...]] = []
    end = 0
    for name in aligned.names or ():
        field, start = aligned[name], aligned.fields[name][1]  # type: ignore[index]
        if start > end:
            fields.append((f"_padding_{end}", np.uint8, (start - end,)))
        fields.append((name, field))
        end = start + field.itemsize
    if aligned.itemsize > end:
        fields.append((f"_padding_{end}", np.uint8, (aligned.itemsize - end,)))
    return fields


@kernel
def left_of(s: State, seat: int) -> int:
    """The next seat clockwise."""
    return seat + 1 if seat + 1 < s.num_players else 0


@kernel
def seats_away(s: State, observer: int, seat: int) -> int:
    """How many seats to the left of the observer a seat is; 0 for itself."""
    # A remainder, or a branch that the processor can't foresee, would take longer.
    return seat - observer + s.num_players * (seat < observer)


@kernel
def clear_scores(s: State) -> None:
    """The first round of a game: nobody has scored or won."""
    s.round_number = 0
    for seat in range(MAX_SEATS):
        s.scores[seat] = 0
        s.winners[seat] = 0


@kernel
def highest_score_wins(s: State) -> None:
    """The highest score wins; ties share the win."""
    best = s.scores[0]
    for seat in range(s.num_players):
        best = max(best, s.scores[seat])
    for seat in range(s.num_players):
        s.winners[seat] = s.scores[seat] == best
