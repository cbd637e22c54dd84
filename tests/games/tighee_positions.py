"""TIGHEE positions for tests, from hands that are written as text."""

from typing import Any

import pytest
from hypothesis import strategies as st

from tests.games.tighee_reference import BLACK, NUM_RANKS, colour, deck, num_picks, num_tricks
from tests.helpers import VARIANTS
from trick_envs import make_game
from trick_envs.core.game import Game, States


def position(hands: list[str], forest: str, mode: str = "normal", **changes: Any) -> dict[str, Any]:
    """A position in the play of a first round with these hands, one text a seat; seat 0 leads.

    `changes` are other values of keys. The deck, what was laid down, the tricks (all won by the leader) and
    the mover are filled in unless they are given; the past isn't known.
    """
    n = len(hands)
    given = {"leader": 0, "trick": [], **changes}
    mover = (given["leader"] + len(given["trick"])) % n
    cards = [hand.split() for hand in hands]
    left = len(cards[mover])
    finished = num_tricks(n, mode) - left
    used = [forest, *[card for hand in cards for card in hand], *[card for _, card in given["trick"]]]
    free = [card for card in deck(NUM_RANKS[mode]) if card not in used]
    forests = [*free[:finished], forest, *free[finished : num_tricks(n, mode) - 1]]
    k = num_picks(n, mode)
    return {
        "game": "tighee",
        "num_players": n,
        "phase": "play",
        "mover": mover,
        "leader": given["leader"],
        "round": 0,
        "hands": [in_order(hand) for hand in cards],
        "trick": [],
        "scores": [0] * n,
        "winners": [],
        "forest": forest,
        "deck": forests[finished + 1 :],
        "forest_history": forests[:finished],
        "picks": [in_order(forests[k * seat : k * seat + k]) for seat in range(n)],
        "tricks": [finished * (seat == given["leader"]) for seat in range(n)],
        "round_points": [0] * n,
        "round_leader": given["leader"],
        **changes,
    }


def in_order(cards: list[str]) -> list[str]:
    """Cards in colour, then rank order."""
    return sorted(cards, key=deck().index)


def trick_of(cards: str, forest: str, **changes: Any) -> dict[str, Any]:
    """A position before the last trick but one, in which the seats, from 0, can play these cards.

    Each hand has a card beside, which is neither of the lead colour nor black.
    """
    texts = cards.split()
    lead = colour(texts[0], forest)
    harmless = [card for card in deck() if card[0] not in (lead, BLACK) and card not in (*texts, forest)]
    hands = [f"{text} {other}" for text, other in zip(texts, harmless, strict=False)]
    return position(hands, forest, **changes)


def picking(hands: list[str], mode: str = "normal", **changes: Any) -> dict[str, Any]:
    """A position at the start of a first round: nobody has laid down anything."""
    n = len(hands)
    dealt = [card for hand in hands for card in hand.split()]
    return {
        "game": "tighee",
        "num_players": n,
        "phase": "pick",
        "mover": 0,
        "leader": None,
        "round": 0,
        "hands": [in_order(hand.split()) for hand in hands],
        "trick": [],
        "scores": [0] * n,
        "winners": [],
        "forest": None,
        "deck": [card for card in deck(NUM_RANKS[mode]) if card not in dealt],
        "forest_history": [],
        "picks": [[] for _ in range(n)],
        "tricks": [0] * n,
        "round_points": [0] * n,
        "round_leader": None,
        **changes,
    }


NAME = "tighee"

SEEDS = st.integers(0, 2**40)

SHORT = make_game(NAME, 3, mode="short")

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
