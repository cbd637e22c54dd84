"""Voodoo Prince positions for tests, from hands that are written as text."""

from typing import Any

import pytest
from hypothesis import strategies as st

from tests.games.voodoo_prince_reference import GOAL, HAND, SUITS, deck
from tests.helpers import VARIANTS
from trick_envs import make_game
from trick_envs.core.game import Game, States


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


NAME = "voodoo_prince"

SEEDS = st.integers(0, 2**40)

GAME = make_game(NAME, 4)

variants = pytest.mark.parametrize("game", [param for param in VARIANTS if param.values[0].name == NAME])


def play_texts(game: Game, states: States, texts: str) -> dict[str, Any]:
    """Plays cards, each of which has to be legal, and gives the position after them."""
    for text in texts.split():
        action = game.string_to_action(text)
        assert game.action_masks(states)[0, action] == 1, f"{text} isn't legal"
        game.step(states, [action])
    return game.to_dict(states)


def after(game: Game, d: dict[str, Any], texts: str) -> dict[str, Any]:
    """The position after these cards."""
    return play_texts(game, game.from_dict(d), texts)


COUNTS_1_0_2_2 = position(
    [
        "P2 G12 R12 B1 B2 B3 B4 B5",
        "P3 G2 R1 Y1 B6 B7 B8 B9",
        "P12 Y2 Y3 Y4 Y5 Y6 Y7 Y8",
        "P1 G1 R2 Y12 B10 B11 B12 B0",
    ],
    tricks=[1, 0, 2, 2],
    leader=2,
)

SIX_FOUR = position(["Y9 Y5 B1", "Y1 B2 B3"], tricks=[6, 4], leader=0)
