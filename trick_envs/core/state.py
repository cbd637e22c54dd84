"""What the records of all games have in common."""

import sys
from enum import IntEnum
from typing import Any

import numpy as np

from trick_envs.core.kernel import State, kernel, stamp

MAX_SEATS = 5
"""Every record has room for this many seats; those beyond `num_players` stay zero."""

NOBODY = -1
"""Stands where a seat could be and none is."""

MAX_ACTIONS = 192
"""At least as many as any decision of any game has legal actions."""


class Reward(IntEnum):
    """Setting: what `step` returns as rewards."""

    OUTCOME = 0
    SCORE = 1
    RELATIVE_SCORE = 2


COMMON_FIELDS: list[tuple[Any, ...]] = [
    ("rng", np.uint64),  # the random-number generator's state; known to nobody
    # settings
    ("num_players", np.int32),  # seats that play
    ("reward", np.int32),  # what rewards are: Reward
    ("score_scale", np.int32),  # score changes are divided by this in rewards
    ("variant", np.uint64),  # a hash of the game's name, the number of players and the options
    # the game
    ("current_player", np.int32),  # seat to decide, NOBODY when over
    ("round_number", np.int32),  # from 0
    ("scores", np.int32, (MAX_SEATS,)),  # so far
    ("winners", np.uint8, (MAX_SEATS,)),  # 1: wins, alone or shared; all 0 until the game is over
]


@kernel
def left_of(s: State, seat: int) -> int:
    """The next seat clockwise."""
    return seat + 1 if seat + 1 < s.num_players else 0


@kernel
def seats_away(s: State, observer: int, seat: int) -> int:
    """How many places to the left of the observer a seat is; 0 for itself."""
    # A remainder, or a branch that the processor can't foresee, would take longer.
    return seat - observer + s.num_players * (seat < observer)


def state_dtype(game: str, fields: list[tuple[Any, ...]]) -> np.dtype[np.record]:
    """The record type of a game: the common fields and its own.

    The game's name is the name of an empty field, so that no two games have the same type. For a game whose
    rules aren't in this package, a hash of the caller's sources is part of that name; see `kernel.stamp`.
    """
    caller = sys._getframe(1).f_code.co_filename
    fields = [*COMMON_FIELDS, *fields, (game + stamp(caller), np.uint8)]
    for name, *_ in fields:
        # In plain Python such a field would be hidden by numpy's method or attribute.
        assert not hasattr(np.record, name), name
    filled = np.dtype(_without_padding(np.dtype(fields, align=True)), align=True)
    return np.dtype((np.record, filled))  # type: ignore[return-value]


def _without_padding(aligned: np.dtype[Any]) -> list[tuple[Any, ...]]:
    """The same fields and one in each place of padding, which copies of an array would leave unset.

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
