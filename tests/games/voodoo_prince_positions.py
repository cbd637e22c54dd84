"""Voodoo Prince positions for tests, from hands that are written as text."""

from typing import Any

from tests.games.voodoo_prince_reference import GOAL, HAND, SUITS, deck


def position(hands: list[str], **changes: Any) -> dict[str, Any]:
    """A position of a first round with these hands, one text a seat; trump B, seat 0 leads.

    `changes` are other values of keys. What follows from the rest (`out`, `mover`, `scores`) is filled
    in unless it is given.
    """
    n = len(hands)
    d: dict[str, Any] = {
        "game": "voodoo_prince",
        "num_players": n,
        "phase": "play",
        "leader": 0,
        "round": 0,
        "hands": [in_order(hand.split()) for hand in hands],
        "trick": [],
        "winners": [],
        "trump": "B",
        "tricks": [0] * n,
        "round_points": [0] * n,
        **changes,
    }
    out = [count >= GOAL[n] for count in d["tricks"]]
    return {"out": out, "mover": d["leader"], "scores": d["round_points"], **d}


def in_order(cards: list[str]) -> list[str]:
    """Cards in suit, then rank order."""
    return sorted(cards, key=lambda card: (SUITS.index(card[0]), int(card[1:])))


def filled(hands: list[str], size: int, lead_suit: str = "") -> list[str]:
    """The hands with any other cards up to a size; a hand without `lead_suit` stays without it."""
    n = len(hands)
    free = [card for card in deck(n) if card not in " ".join(hands).split()]
    full = [hand.split() for hand in hands]
    for is_void in (True, False):  # those who may take anything come last
        for hand in full:
            if is_void == all(card[0] != lead_suit for card in hand):
                fitting = [card for card in free if not (is_void and card[0] == lead_suit)]
                hand += fitting[: size - len(hand)]
                free = [card for card in free if card not in hand]
    return [" ".join(hand) for hand in full]


def trick_of(cards: str, **changes: Any) -> dict[str, Any]:
    """A position at the first trick of a round, in which the seats, from 0, can play these cards."""
    n = len(cards.split())
    return position(filled(cards.split(), HAND[n], lead_suit=cards[0]), **changes)
