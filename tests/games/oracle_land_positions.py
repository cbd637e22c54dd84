"""Oracle Land positions for tests, from hands that are written as text."""

from typing import Any

import pytest
from hypothesis import strategies as st

from tests.games.oracle_land_reference import SUITS, deck, in_order, new_table
from tests.helpers import VARIANTS
from trick_envs import make_game
from trick_envs.core.game import Game, States


def dealt(hands: list[str], num_ranks: int = 7, **changes: Any) -> dict[str, Any]:
    """A first deal, before the bids. `hands`: what each seat is going to play, once it has been passed."""
    n = len(hands)
    cards = [in_order(hand.split()) for hand in hands]
    used = {card for hand in cards for card in hand}
    return {
        "game": "oracle_land",
        "num_players": n,
        "phase": "bid",
        "mover": 0,
        "leader": None,
        "round": 0,
        "scores": [0] * n,
        "winners": [],
        "bid_suits": [list(SUITS) for _ in range(n)],
        "joker": None,
        **new_table(n),
        "hands": [cards[(seat - 1) % n] for seat in range(n)],
        "left_over": [card for card in deck(num_ranks) if card not in used],
        **changes,
    }


def position(
    hands: list[str], secrets: str, leader: int = 0, row: str = "", phase: str = "play", **changes: Any
) -> dict[str, Any]:
    """A position of a first deal with these hands, one a seat, and secret cards; seat `leader` leads.

    `row`: uncovered cards of seat 0, of which some may be bonus cards. `changes`: other values of keys. All
    other cards are filled in: the last trick, that the leader has won by a high card of its suit, cards left
    over, and for the last seat what has been played before, with the bonus cards that were taken; 4s are set
    aside.
    """
    n, trick = len(hands), changes.get("trick", [])
    cards = [in_order(hand.split()) for hand in hands]
    num_tricks = 6 - len(cards[(leader + len(trick)) % n])
    table = new_table(n)
    rows, stock = table["rows"], table["stock"]
    for card in row.split():
        rows[0][card[0]].append(card)
        if card in stock[card[0]]:
            stock[card[0]].remove(card)
    for i in range(num_tricks - (8 - sum(map(len, stock.values())))):
        suit = SUITS[i % len(SUITS)]
        rows[n - 1][suit].append(stock[suit].pop(0))
    held = {card for hand in cards for card in hand} | {*secrets.split(), *row.split()}
    free = [card for card in deck() if card not in held | {text[:2] for _, text in trick}]
    last = last_trick(free, n, leader) if num_tricks > 0 else None
    played = [text for _, text in last["plays"]] if last else []
    spare = sorted((card for card in free if card not in played), key=lambda card: card[1] == "4")
    left_over = spare[: len(deck()) - 7 * n]
    played += spare[len(left_over) :]
    for card in in_order(played):
        if card[1] == "4":
            table["set_aside"].append(card)
        else:
            rows[n - 1][card[0]].append(card)
    unknown = ("history", "known_voids", "bonuses", "covers")
    return {
        "game": "oracle_land",
        "num_players": n,
        "phase": phase,
        "mover": (leader + len(trick)) % n,
        "leader": leader,
        "round": 0,
        "scores": [0] * n,
        "winners": [],
        "bid_suits": [list(SUITS) for _ in range(n)],
        **{key: value for key, value in table.items() if key not in unknown},
        "rows": [{suit: in_order(one[suit]) for suit in SUITS} for one in rows],
        "joker": leader,
        "hands": cards,
        "secret": secrets.split(),
        "left_over": left_over,
        "last_trick": last,
        "bids": [{"most": ["S"], "least": ["D"]} for _ in range(n)],
        **changes,
    }


def last_trick(free: list[str], num_players: int, leader: int) -> dict[str, Any]:
    """A trick of free cards of one suit, won by its leader and lost by the seat after it."""
    n = num_players
    for suit in SUITS:
        cards = [card for card in free if card[0] == suit and card[1] in "35678"][:n]
        if len(cards) == n:
            order = [cards[-1], *cards[:-1]]
            plays = [[(leader + place) % n, card] for place, card in enumerate(order)]
            return {"plays": plays, "winner": leader, "loser": (leader + 1) % n}
    raise AssertionError("no suit has enough free cards")


def first_trick(cards: str, leader: int = 0) -> dict[str, Any]:
    """A position before the first trick, in which the seats can play these cards, the leader first.

    Hands are filled up by cards that don't have the led suit, where there are such cards.
    """
    texts = [text[:2] for text in cards.split()]
    n = len(texts)
    rest = sorted((card for card in deck() if card not in texts), key=lambda card: card[0] == texts[0][0])
    hands = [""] * n
    for place in range(1, n + 1):  # the leader last: it may have any
        mine, rest = rest[:5], rest[5:]
        hands[(leader + place) % n] = " ".join([texts[place % n], *mine])
    return position(hands, " ".join(rest[:n]), leader)


NAME = "oracle_land"

SEEDS = st.integers(0, 2**40)

THREE = make_game(NAME, 3)

variants = pytest.mark.parametrize("game", [param for param in VARIANTS if param.values[0].name == NAME])


def play_texts(game: Game, states: States, texts: list[str]) -> dict[str, Any]:
    """Makes choices, each of which has to be legal, and gives the position after them."""
    for text in texts:
        action = game.string_to_action(text)
        assert game.action_masks(states)[0, action] == 1, f"{text} isn't legal"
        game.step(states, [action])
    return game.to_dict(states)


def after(game: Game, d: dict[str, Any], *texts: str) -> dict[str, Any]:
    """The position after these choices."""
    return play_texts(game, game.from_dict(d), list(texts))
