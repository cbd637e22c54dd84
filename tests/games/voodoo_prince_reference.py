"""Voodoo Prince once more, slow and obvious: one round over the dicts of `Game.to_dict`.

It shares nothing with the package and is written from the rules alone. Tests compare the two.
"""

import copy
from collections.abc import Mapping
from typing import Any

SUITS = "BGRYP"
TOP = {2: 10, 3: 10, 4: 12, 5: 15}
GOAL = {2: 7, 3: 4, 4: 3, 5: 3}
HAND = {2: 13, 3: 13, 4: 13, 5: 14}

Position = dict[str, Any]


def deck(num_players: int, num_ranks: int | None = None) -> list[str]:
    """All cards in suit, then rank order; of the usual deck unless a number of ranks is given."""
    return [f"{suit}{rank}" for suit in SUITS for rank in range(num_ranks or TOP[num_players] + 1)]


def rank(card: str) -> int:
    """A card's rank."""
    return int(card[1:])


def legal(d: Position) -> list[str]:
    """The texts of the mover's legal actions, in order."""
    if d["phase"] == "over":
        return []
    if d["phase"] == "name_trump":
        return [f"trump {suit}" for suit in SUITS]
    hand = d["hands"][d["mover"]]
    if d["trick"]:
        following = [card for card in hand if card[0] == d["trick"][0][1][0]]
        return following or hand
    return hand


def winning_play(plays: list[list[Any]], trump: str, top: int) -> list[Any]:
    """The play that wins a trick."""
    cards = [card for _, card in plays]

    def height(card: str) -> int:
        return top + 1 if rank(card) == 0 and f"{card[0]}{top}" in cards else rank(card)

    trumps = [play for play in plays if play[1][0] == trump]
    of_lead_suit = [play for play in plays if play[1][0] == cards[0][0]]
    return max(trumps or of_lead_suit, key=lambda play: height(play[1]))


def next_in(d: Position, seat: int) -> int:
    """The seat, or the next one to its left that is in."""
    n = d["num_players"]
    return next(other % n for other in range(seat, seat + n) if not d["out"][other % n])


def play(d: Position, text: str, options: Mapping[str, Any]) -> Position:
    """The position after an action. A new round isn't dealt: its hands are None."""
    d = copy.deepcopy(d)
    if d["phase"] == "name_trump":
        d["trump"], d["phase"] = text.removeprefix("trump "), "play"
        return d
    n, seat = d["num_players"], d["mover"]
    d["hands"][seat].remove(text)
    d["trick"].append([seat, text])
    lead_suit = d["trick"][0][1][0]
    if text[0] != lead_suit:
        voids = {*d["known_voids"][seat], lead_suit}
        d["known_voids"][seat] = [suit for suit in SUITS if suit in voids]
    if len(d["trick"]) < d["out"].count(False):
        d["mover"] = next_in(d, (seat + 1) % n)
        return d
    winner, card = winning_play(d["trick"], d["trump"], options["num_ranks"] - 1)
    d["tricks"][winner] += 2 if rank(card) in (5, 7) else 1
    d["history"].append(d["trick"])
    d["trick"] = []
    if d["tricks"][winner] >= options["goal"]:
        d["out"][winner] = True
        gain(d, winner, sum(d["tricks"]) - d["tricks"][winner])
    d["mover"] = d["leader"] = next_in(d, winner)
    if d["out"].count(False) == 1:
        end_round(d, options)
    return d


def gain(d: Position, seat: int, points: int) -> None:
    """A seat makes points."""
    d["round_points"][seat] += points
    d["scores"][seat] += points


def end_round(d: Position, options: Mapping[str, Any]) -> None:
    """One seat is left."""
    n, last = d["num_players"], d["leader"]
    if n == 2 and options["two_player_scoring"] == "shortfall":
        gain(d, last, options["goal"] - d["tricks"][last])
    else:
        gain(d, last, d["tricks"][last])
    if d["round"] + 1 == options["num_rounds"]:
        best = max(d["scores"])
        d["winners"] = [seat for seat in range(n) if d["scores"][seat] == best]
        d.update(phase="over", mover=None, leader=None)
        return
    d.update(phase="name_trump", round=d["round"] + 1, trump=None, history=[], hands=None)
    d.update(tricks=[0] * n, out=[False] * n, round_points=[0] * n, known_voids=[[] for _ in range(n)])


def count_plays(d: Position, depth: int, options: Mapping[str, Any]) -> int:
    """How many ways there are to play on, for `depth` decisions or to the game's end."""
    if depth == 0 or d["phase"] == "over":
        return 1
    return sum(count_plays(play(d, text, options), depth - 1, options) for text in legal(d))
