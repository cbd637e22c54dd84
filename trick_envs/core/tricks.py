"""Tricks, with all that was played to them.

For records with the fields of `trick_fields`. All tricks of a round are kept, one row each; the row
`num_tricks` is the current trick.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.cards import CARD, NO_CARD
from trick_envs.core.kernel import State, kernel
from trick_envs.core.state import MAX_SEATS, NOBODY, Field


def trick_fields(max_tricks: int) -> tuple[Field, ...]:
    """The fields of a record that the tricks of a round take, of which there are at most `max_tricks`."""
    trick = {"trick": max_tricks + 1}
    return (
        Field("leader", np.int32, "who leads the current trick, NOBODY when nobody does"),
        Field("num_tricks", np.int32, "finished in this round"),
        Field("cards_in_trick", np.int32, "cards that lie in the current trick"),
        Field(
            "played",
            CARD,
            "one row a trick, the last one in use being the current trick: the card that each seat played to "
            "it, or NO_CARD; a position set up without its past has empty rows for it",
            trick | {"seat": MAX_SEATS},
        ),
        Field("trick_leaders", np.int8, "NOBODY where it isn't known", trick),
    )


@kernel
def clear_tricks(s: State) -> None:
    """No tricks yet."""
    s.num_tricks = 0
    s.cards_in_trick = 0
    for trick in range(s.played.shape[0]):
        forget_trick(s, trick)


@kernel
def forget_trick(s: State, trick: int) -> None:
    """Takes away what is noted of a trick."""
    s.trick_leaders[trick] = NOBODY
    for seat in range(MAX_SEATS):
        s.played[trick, seat] = NO_CARD


@kernel
def lead_trick(s: State, seat: int) -> None:
    """A seat is to lead the current trick."""
    s.leader = seat
    s.current_player = seat
    s.trick_leaders[s.num_tricks] = seat


@kernel
def led_card(s: State) -> int:
    """The first card of the current trick, NO_CARD before it is played."""
    return int(s.played[s.num_tricks, s.leader])


@kernel
def mark_played(s: State, marks: NDArray[Any]) -> None:
    """Sets `marks` to 1 for each card that was played to a trick that is known."""
    for trick in range(s.num_tricks + 1):
        for seat in range(s.num_players):
            if s.played[trick, seat] != NO_CARD:
                marks[s.played[trick, seat]] = 1
