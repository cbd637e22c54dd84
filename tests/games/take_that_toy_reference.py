"""Take That Toy! once more, slow and obvious, over the dicts of `Game.to_dict`.

It shares nothing with the package and is written from the rules alone. Tests compare the two.
"""

import copy
from collections import Counter
from collections.abc import Mapping
from typing import Any

SUITS = "ABCDE"
HAND = {3: 10, 4: 8, 5: 6}
MOST_TRICKS = {3: 19, 4: 29, 5: 26}

Position = dict[str, Any]


def deck(num_ranks: int = 8) -> list[str]:
    """All cards in suit, then rank order."""
    return [f"{suit}{rank}" for suit in SUITS for rank in range(1, num_ranks + 1)]


DECK = deck()


def winning_seat(plays: list[list[Any]], trump: str, rule: str, top: int = 8) -> int:
    """The seat that wins a trick; `top` is the highest rank."""
    cards = [card for _, card in plays]

    def height(card: str) -> float:
        suit, rank = card[0], int(card[1:])
        if rank > 1 or f"{suit}{top - 1}" not in cards:
            return rank
        eight = f"{suit}{top}"
        if eight not in cards:
            return top
        is_earlier = cards.index(card) < cards.index(eight)
        wins = {"one": True, "eight": False, "earlier": is_earlier, "later": not is_earlier}[rule]
        return top + 0.5 if wins else top - 0.5

    trumps = [play for play in plays if play[1][0] == trump]
    of_lead_suit = [play for play in plays if play[1][0] == cards[0][0]]
    return int(max(trumps or of_lead_suit, key=lambda play: height(play[1]))[0])


def suits_of(cards: list[str]) -> int:
    """How many different suits there are."""
    return len({card[0] for card in cards})


def play(
    d: Position, text: str, options: Mapping[str, Any], dealt: Mapping[str, str] | None = None
) -> Position:
    """The position after a card. `dealt`: who gets what if suits burst; by default, the lowest."""
    d = copy.deepcopy(d)
    n, seat = d["num_players"], d["mover"]
    d["hands"][seat].remove(text)
    d["trick"].append([seat, text])
    d["mover"] = (seat + 1) % n
    if len(d["trick"]) < n:
        return d
    winner = winning_seat(d["trick"], d["trump"], options["turned_one_vs_eight"], options["num_ranks"])
    display = d["display"][winner]
    display += [card for _, card in d["trick"]]
    d["history"].append(d["trick"])
    d["trick"] = []
    counts = Counter(card[0] for card in display)
    bursting = sorted(card for card in display if counts[card[0]] > 3)
    d["display"][winner] = sorted(card for card in display if counts[card[0]] <= 3)
    if bursting:
        burst(d, winner, bursting, dealt)
    d["scores"][winner] = suits_of(d["display"][winner])
    d["mover"] = d["leader"] = winner
    if d["scores"][winner] == 5 or not all(d["hands"]):
        d.update(phase="over", mover=None, leader=None)
        ranks = [(suits_of(cards), len(cards)) for cards in d["display"]]
        d["winners"] = [seat for seat in range(n) if ranks[seat] == max(ranks)]
    return d


def burst(d: Position, winner: int, cards: list[str], dealt: Mapping[str, str] | None) -> None:
    """Cards leave the winner's display; the others get one each."""
    others = [seat for seat in range(d["num_players"]) if seat != winner]
    given = dealt or {str(seat): card for seat, card in zip(others, cards, strict=False)}
    assert set(given) == set(map(str, others))
    assert set(given.values()) <= set(cards)
    assert len(set(given.values())) == len(others)
    for seat in others:
        d["hands"][seat] = sorted([*d["hands"][seat], given[str(seat)]])
    d["discarded"] = sorted([*d["discarded"], *(set(cards) - set(given.values()))])
    d["bursts"].append({"seat": winner, "cards": cards, "dealt": dict(given)})


def count_plays(d: Position, depth: int, options: Mapping[str, Any]) -> int:
    """How many ways there are to play on, for `depth` decisions or to the game's end."""
    if depth == 0 or d["phase"] == "over":
        return 1
    return sum(count_plays(play(d, text, options), depth - 1, options) for text in d["hands"][d["mover"]])
