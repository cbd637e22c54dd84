"""Gummi Trick once more, slow and obvious: the game over the dicts of `Game.to_dict`.

It shares nothing with the package and is written from the rules alone. Tests compare the two.
"""

import copy
from typing import Any

COLOURS = "ROYGBP"
POINTS = [4, 3, 3, 2, 2, 2, 1, 1, 1, 1]

Position = dict[str, Any]


def colours(num_players: int) -> str:
    """The colours in play."""
    return COLOURS[: num_players + 1]


def deck(num_players: int, num_ranks: int = 10) -> list[str]:
    """All cards in suit, then rank order."""
    return [f"{colour}{rank}" for colour in colours(num_players) for rank in range(1, num_ranks + 1)]


def rank(card: str) -> int:
    """A card's rank."""
    return int(card[1:])


def order_of(cards: list[str]) -> list[str]:
    """The colours of cards in the order in which they first come."""
    return list(dict.fromkeys(card[0] for card in cards))


def legal(d: Position) -> list[str]:
    """The texts of the mover's legal actions, in order."""
    if d["phase"] == "over":
        return []
    hand = d["hands"][d["mover"]]
    cards = hand
    for colour in reversed(order_of([card for _, card, _ in d["trick"]])):
        cards = [card for card in hand if card[0] == colour] or cards
    return cards + ["facedown"] * bool(d["face_down"][d["mover"]])


def play(d: Position, text: str, points: list[int] = POINTS) -> Position:
    """The position after an action."""
    d = copy.deepcopy(d)
    n, seat = d["num_players"], d["mover"]
    before = order_of([card for _, card, _ in d["trick"]])
    if text == "facedown":
        d["trick"].append([seat, d["face_down"][seat].pop(0), "facedown"])
    else:
        d["hands"][seat].remove(text)
        d["trick"].append([seat, text, "hand"])
        missing = before[: before.index(text[0])] if text[0] in before else before
        voids = {*d["known_voids"][seat], *missing}
        d["known_voids"][seat] = [colour for colour in colours(n) if colour in voids]
    d["colour_order"] = order_of([card for _, card, _ in d["trick"]])
    d["mover"] = (seat + 1) % n
    if len(d["trick"]) == n:
        finish_trick(d, points)
    return d


def finish_trick(d: Position, points: list[int]) -> None:
    """Every colour goes to its highest card."""
    winners = []
    for colour in d["colour_order"]:
        plays = [(rank(card), seat, card) for seat, card, _ in d["trick"] if card[0] == colour]
        _, winner, card = max(plays)
        d["face_up"][winner].append(card)
        d["taken"][winner] += len(plays) - 1
        d["scores"][winner] += points[rank(card) - 1] + len(plays) - 1
        winners.append(winner)
    d["leader"] = d["mover"] = [seat for seat, *_ in d["trick"] if seat in winners][-1]
    d["history"].append(d["trick"])
    d["trick"], d["colour_order"] = [], []
    if not any(d["hands"]) and not any(d["face_down"]):
        d.update(phase="over", leader=None, mover=None, winners=winners_of(d))


def winners_of(d: Position) -> list[int]:
    """Most points, then most cards."""
    results = [
        (score, len(cards) + taken)
        for score, cards, taken in zip(d["scores"], d["face_up"], d["taken"], strict=True)
    ]
    return [seat for seat, result in enumerate(results) if result == max(results)]


def count_plays(d: Position, depth: int) -> int:
    """How many ways there are to play on, for `depth` decisions or to the game's end."""
    if depth == 0 or d["phase"] == "over":
        return 1
    return sum(count_plays(play(d, text), depth - 1) for text in legal(d))
