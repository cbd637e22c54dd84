"""Hands of cards: what they hold, what is known of them, and dealing them anew.

For records with the fields of `hand_fields` and, where it says so, of `void_field`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.cards import CARD, NO_CARD, suit_of
from trick_envs.core.kernel import State, kernel
from trick_envs.core.state import MAX_SEATS, Field


def hand_fields(max_hand: int, remark: str = "") -> tuple[Field, ...]:
    """The fields of a record that hands of at most `max_hand` cards take; a remark adds to their meaning."""
    return (
        Field(
            "hands",
            CARD,
            "; ".join(filter(None, ["sorted, then NO_CARD", remark])),
            {"seat": MAX_SEATS, "card": max_hand},
            known_to="its seat",
        ),
        Field("hand_sizes", np.int32, "cards in each hand", {"seat": MAX_SEATS}),
    )


def void_field(num_suits: int, remark: str = "") -> Field:
    """The field of a record that says which hands are known to be void in which suits."""
    meaning = "; ".join(filter(None, ["1: play has shown that the hand has none", remark]))
    return Field("known_voids", np.uint8, meaning, {"seat": MAX_SEATS, "suit": num_suits})


@kernel
def add_to_hand(s: State, seat: int, card: int) -> None:
    """Puts a card into a hand, which stays sorted."""
    i = s.hand_sizes[seat]
    while i > 0 and s.hands[seat, i - 1] > card:
        s.hands[seat, i] = s.hands[seat, i - 1]
        i -= 1
    s.hands[seat, i] = card
    s.hand_sizes[seat] += 1


@kernel
def remove_from_hand(s: State, seat: int, card: int) -> None:
    """Takes a card out of a hand, which stays sorted."""
    size = s.hand_sizes[seat]
    found = False
    for i in range(size - 1):
        found = found or s.hands[seat, i] == card
        if found:
            s.hands[seat, i] = s.hands[seat, i + 1]
    s.hands[seat, size - 1] = NO_CARD
    s.hand_sizes[seat] = size - 1


@kernel
def clear_hand(s: State, seat: int) -> None:
    """Takes away a whole hand."""
    for i in range(s.hands.shape[1]):
        s.hands[seat, i] = NO_CARD
    s.hand_sizes[seat] = 0


@kernel
def clear_voids(s: State, seat: int) -> None:
    """Nothing is known of a hand."""
    for suit in range(s.known_voids.shape[1]):
        s.known_voids[seat, suit] = 0


# --- what a hand may play -------------------------------------------------------------------------------


@kernel
def whole_hand(s: State, cards: NDArray[Any]) -> int:
    """Writes the cards of the current player's hand, and returns how many."""
    size = s.hand_sizes[s.current_player]
    for i in range(size):
        cards[i] = s.hands[s.current_player, i]
    return int(size)


@kernel
def cards_of_suit(s: State, suit: int, cards: NDArray[Any]) -> int:
    """Writes the cards of a suit in the current player's hand, and returns how many."""
    count = 0
    lowest = suit * s.num_ranks
    for i in range(s.hand_sizes[s.current_player]):
        card = s.hands[s.current_player, i]
        if lowest <= card < lowest + s.num_ranks:
            cards[count] = card
            count += 1
    return count


# --- dealing hidden hands anew --------------------------------------------------------------------------


@kernel
def mark_hand(s: State, seat: int, marks: NDArray[Any]) -> None:
    """Sets `marks` to 1 for each card of a hand."""
    for i in range(s.hand_sizes[seat]):
        marks[s.hands[seat, i]] = 1


@kernel
def list_unseen(
    s: State, seen: NDArray[Any], num_cards: int, unseen: NDArray[Any], suits: NDArray[Any]
) -> int:
    """Writes those of the first `num_cards` cards that aren't seen, and their suits; returns how many."""
    count = 0
    for card in range(num_cards):
        if not seen[card]:
            unseen[count] = card
            suits[count] = suit_of(s, card)
            count += 1
    return count


@kernel
def take_other_hands(s: State, seat: int, capacity: NDArray[Any], excluded: NDArray[Any]) -> int:
    """Takes away the hands that a seat doesn't see; returns how many cards they had.

    Writes each hand's capacity and, from `known_voids`, the suits that it is excluded from, for
    `dealing.deal_unseen`.
    """
    count = 0
    for other in range(s.num_players):
        if other != seat:
            capacity[other] = s.hand_sizes[other]
            count += s.hand_sizes[other]
            for suit in range(s.known_voids.shape[1]):
                excluded[other, suit] = s.known_voids[other, suit]
            clear_hand(s, other)
    return count


@kernel
def give_cards(
    s: State, cards: NDArray[Any], receivers: NDArray[Any], num_cards: int, left: NDArray[Any]
) -> int:
    """Puts cards, in order, into the hands of their receivers.

    Receiver `MAX_SEATS` is a pile: its cards are written to `left`, which may be `cards` itself, and counted.
    Those of receivers beyond it go nowhere.
    """
    count = 0
    for i in range(num_cards):
        if receivers[i] < MAX_SEATS:
            add_to_hand(s, receivers[i], cards[i])
        elif receivers[i] == MAX_SEATS:
            left[count] = cards[i]
            count += 1
    return count
