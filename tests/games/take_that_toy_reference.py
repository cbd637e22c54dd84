"""Take That Toy! once more, slow and obvious, over the dicts of `Game.to_dict`.

It shares nothing with the package and is written from the rules alone. Tests compare the two.
"""

import copy
from collections import Counter
from collections.abc import Mapping, Sequence
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
    d: Position,
    text: str,
    options: Mapping[str, Any],
    dealt: Sequence[Mapping[str, str]] | None = None,
    next_round: Position | None = None,
) -> Position:
    """The position after a card.

    Chance is given: in `dealt`, who gets what of each new burst, by default the lowest, and in `next_round`
    the position in which the next round begins, if one does.
    """
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
    has_last_card_been_played = not all(d["hands"])
    counts = Counter(card[0] for card in display)
    bursting = sorted(card for card in display if counts[card[0]] > 3)
    d["display"][winner] = sorted(card for card in display if counts[card[0]] <= 3)
    parts = [bursting] if bursting else []
    if options["several_bursts"] == "separately":
        parts = [[card for card in bursting if card[0] == suit] for suit in SUITS if counts[suit] > 3]
    for number, part in enumerate(parts):
        burst(d, winner, part, None if dealt is None else dealt[number])
    if options["num_rounds"] == 1:
        d["scores"][winner] = suits_of(d["display"][winner])
    d["mover"] = d["leader"] = winner
    is_out = has_last_card_been_played if options["last_card_ends"] else not all(d["hands"])
    if suits_of(d["display"][winner]) == 5 or is_out or has_lasted_longest(d, options):
        return finish_round(d, options, next_round)
    return d


def has_lasted_longest(d: Position, options: Mapping[str, Any]) -> bool:
    """With five players and suits that burst separately: whether the round has to be over."""
    n, hand_size = d["num_players"], options["hand_size"]
    received = sum("0" in burst["dealt"] for burst in d["bursts"])
    num_tricks = hand_size + received - len(d["hands"][0])
    return bool(n == 5 and num_tricks == 1 + n * (hand_size - 1))


def finish_round(d: Position, options: Mapping[str, Any], next_round: Position | None) -> Position:
    """The position after a round: over, or the beginning of the next one."""
    n = d["num_players"]
    ranks = [(suits_of(cards), len(cards)) for cards in d["display"]]
    best = [seat for seat in range(n) if ranks[seat] == max(ranks)]
    if options["num_rounds"] > 1:
        for seat in best:
            d["scores"][seat] += 1
        best = [seat for seat in range(n) if d["scores"][seat] == max(d["scores"])]
    if d["round"] + 1 == options["num_rounds"]:
        return {**d, "phase": "over", "mover": None, "leader": None, "winners": best}
    assert next_round is not None
    cards = [card for hand in next_round["hands"] for card in hand]
    cards += [next_round["trump_card"], *next_round["left_over"]]
    assert sorted(cards) == deck(options["num_ranks"])
    assert all(len(hand) == options["hand_size"] for hand in next_round["hands"])
    return {
        **d,
        "round": d["round"] + 1,
        "mover": next_round["leader"],
        "leader": next_round["leader"],
        "hands": next_round["hands"],
        "trump_card": next_round["trump_card"],
        "trump": next_round["trump_card"][0],
        "left_over": next_round["left_over"],
        "history": [],
        "display": [[] for _ in range(n)],
        "bursts": [],
        "discarded": [],
    }


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
