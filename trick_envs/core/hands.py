"""Hands of cards.

For records with the fields `hands` (seats, places), each sorted and filled up with NO_CARD, and `hand_sizes`.
"""

from trick_envs.core.cards import NO_CARD
from trick_envs.core.kernel import State, kernel


@kernel
def add_to_hand(s: State, seat: int, card: int) -> None:
    """Puts a card into a hand, which stays sorted."""
    place = s.hand_sizes[seat]
    while place > 0 and s.hands[seat, place - 1] > card:
        s.hands[seat, place] = s.hands[seat, place - 1]
        place -= 1
    s.hands[seat, place] = card
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
