"""Take That Toy! positions for tests, from hands that are written as text."""

from itertools import chain
from typing import Any

import pytest
from hypothesis import strategies as st

from tests.games.take_that_toy_reference import HAND, deck, suits_of
from tests.helpers import VARIANTS
from trick_envs import make_game
from trick_envs.core.game import Game, States


def burst_of(seat: int, cards: str, **dealt: str) -> dict[str, Any]:
    """A burst, with what the others got as ``to_0="A1"``."""
    return {
        "seat": seat,
        "cards": sorted(cards.split()),
        "dealt": {key.removeprefix("to_"): card for key, card in dealt.items()},
    }


def position(
    hands: list[str],
    displays: list[str] | None = None,
    bursts: list[dict[str, Any]] | None = None,
    hand_size: int | None = None,
    num_ranks: int = 8,
    **changes: Any,
) -> dict[str, Any]:
    """A position between two tricks, one text a seat for hands and displays; C6 is turned up, seat 0 leads.

    Hands are filled up with other cards to the sizes that fit the displays and bursts. `changes` are other
    values of keys. What follows from the rest is filled in unless it is given.
    """
    n = len(hands)
    bursts = bursts or []
    display = [sorted(cards.split()) for cards in displays or [""] * n]
    full = [hand.split() for hand in hands]
    trump_card = changes.get("trump_card", "C6")
    trick = [card for _, card in changes.get("trick", [])]
    burst_cards = {card for burst in bursts for card in burst["cards"]}
    used = {trump_card, *trick, *burst_cards, *chain(*full, *display)}
    free = [card for card in reversed(deck(num_ranks)) if card not in used]
    num_won = sum(map(len, display)) + sum(len(burst["cards"]) for burst in bursts)
    assert num_won % n == 0
    for seat, hand in enumerate(full):
        received = sum(str(seat) in burst["dealt"] for burst in bursts)
        has_played = any(seat == player for player, _ in changes.get("trick", []))
        size = (hand_size or HAND[n]) + received - num_won // n - has_played
        assert len(hand) <= size
        while len(hand) < size:
            hand.append(free.pop())
        hand.sort()
    in_play = {trump_card, *trick, *chain(*full, *display)}
    d: dict[str, Any] = {
        "game": "take_that_toy",
        "num_players": n,
        "phase": "play",
        "leader": 0,
        "round": 0,
        "hands": full,
        "trick": [],
        "winners": [],
        "trump": trump_card[0],
        "trump_card": trump_card,
        "display": display,
        "bursts": bursts,
        "left_over": sorted(free),
        "discarded": sorted(burst_cards - in_play),
        "scores": [suits_of(cards) for cards in display],
        **changes,
    }
    return {"mover": d["leader"], **d}


NAME = "take_that_toy"

SEEDS = st.integers(0, 2**40)

GAMES = {n: make_game(NAME, n) for n in (3, 4, 5)}

variants = pytest.mark.parametrize("game", [param for param in VARIANTS if param.values[0].name == NAME])


def play_texts(game: Game, states: States, texts: str) -> dict[str, Any]:
    """Plays cards, each of which has to be legal, and gives the position after them."""
    for text in texts.split():
        action = game.string_to_action(text)
        assert game.action_masks(states)[0, action] == 1, f"{text} isn't legal"
        game.step(states, [action])
    return game.to_dict(states)


def after(game: Game, d: dict[str, Any], texts: str, seed: int = 0) -> dict[str, Any]:
    """The position after these cards."""
    return play_texts(game, game.from_dict(d, seed), texts)


EARLIER_FIVE = burst_of(0, "E1 E3 E4 E6 E7", to_1="E3", to_2="E1")
