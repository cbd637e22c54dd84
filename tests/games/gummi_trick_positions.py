"""Gummi Trick positions for tests, from cards that are written as text."""

from typing import Any

import pytest
from hypothesis import strategies as st

from tests.games.gummi_trick_reference import COLOURS, POINTS, deck, order_of, rank
from tests.helpers import VARIANTS
from trick_envs import make_game
from trick_envs.core.game import Game, States

NUM_TRICKS = 12


def in_order(cards: list[str]) -> list[str]:
    """Cards in suit, then rank order."""
    return sorted(cards, key=lambda card: (COLOURS.index(card[0]), rank(card)))


def play_of(seat: int, text: str) -> list[Any]:
    """A play from a card's text; a star marks a card that was turned up."""
    return [seat, text.rstrip("*"), "facedown" if text.endswith("*") else "hand"]


def position(
    hands: list[str], face_down: list[str] | int = 3, trick: str = "", **changes: Any
) -> dict[str, Any]:
    """A position with these cards, one text a seat, and this trick, which the leader has begun.

    `face_down` may be the number of face-down cards of each seat, which are then any that are free. All
    tricks before are such that each seat won its own card, again any that is free. `changes` are other
    values of keys; seat 0 leads unless they say something else.
    """
    n = len(hands)
    leader = changes.get("leader", 0)
    plays = [play_of((leader + i) % n, text) for i, text in enumerate(trick.split())]
    held = [in_order(hand.split()) for hand in hands]
    placed = [card for hand in held for card in hand] + [card for _, card, _ in plays]
    if not isinstance(face_down, int):
        placed += " ".join(face_down).split()
    free = [card for card in deck(n) if card not in placed and card not in str(changes)]
    if isinstance(face_down, int):
        turned_up = {seat for seat, _, source in plays if source == "facedown"}
        covered = [[free.pop() for _ in range(face_down - (seat in turned_up))] for seat in range(n)]
    else:
        covered = [cards.split() for cards in face_down]
    num_tricks = NUM_TRICKS - max(len(a) + len(b) for a, b in zip(held, covered, strict=True))
    d: dict[str, Any] = {
        "game": "gummi_trick",
        "num_players": n,
        "phase": "play",
        "mover": (leader + len(plays)) % n,
        "leader": leader,
        "round": 0,
        "hands": held,
        "face_down": covered,
        "trick": plays,
        "colour_order": order_of([card for _, card, _ in plays]),
        "winners": [],
        "taken": [0] * n,
        **changes,
    }
    if "face_up" not in d:
        d["face_up"] = [[free.pop() for _ in range(num_tricks)] for _ in range(n)]
    scores = [
        sum(POINTS[rank(card) - 1] for card in cards) + taken
        for cards, taken in zip(d["face_up"], d["taken"], strict=True)
    ]
    return {"scores": scores, **d}


def trick_of(cards: str, **changes: Any) -> dict[str, Any]:
    """A position at the first trick, in which the seats, from 0, can play these cards from their hands."""
    texts = cards.split()
    n, order = len(texts), order_of(texts)
    hands = [[text] for text in texts]
    free = [card for card in deck(n) if card not in texts]
    # A hand has none of the colours before its own; those that lack most are filled first.
    missing = [order[: order.index(text[0])] for text in texts]
    for seat in sorted(range(n), key=lambda seat: -len(missing[seat])):
        fitting = [card for card in free if card[0] not in missing[seat]]
        hands[seat] += fitting[-8:]
        free = [card for card in free if card not in hands[seat]]
    return position([" ".join(hand) for hand in hands], **changes)


def ended(face_up: list[str], taken: list[int]) -> dict[str, Any]:
    """A finished game; whoever asks has to put in the winners."""
    n = len(face_up)
    changes = {"face_up": [cards.split() for cards in face_up], "taken": taken}
    d = position([""] * n, 0, **changes)
    return {**d, "phase": "over", "mover": None, "leader": None}


NAME = "gummi_trick"

SEEDS = st.integers(0, 2**40)

GAME = make_game(NAME, 4)

variants = pytest.mark.parametrize("game", [param for param in VARIANTS if param.values[0].name == NAME])


def play_texts(game: Game, states: States, texts: str) -> dict[str, Any]:
    """Plays actions, each of which has to be legal, and gives the position after them."""
    for text in texts.split():
        action = game.string_to_action(text)
        assert game.action_masks(states)[0, action] == 1, f"{text} isn't legal"
        game.step(states, [action])
    return game.to_dict(states)


def after(d: dict[str, Any], texts: str, **options: Any) -> dict[str, Any]:
    """The position after these actions."""
    game = make_game(NAME, d["num_players"], **options)
    return play_texts(game, game.from_dict(d), texts)
