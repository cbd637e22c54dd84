"""TIGHEE, slow and obvious: one round over the dicts of `Game.to_dict`.

It shares nothing with the package and is written from the rules alone. Tests compare the two.
"""

import copy
from collections.abc import Mapping
from typing import Any

COLOURS = "BGKRP"
BLACK = "K"
POINTS = {0: 0, 4: 50, 8: 100, 12: 169}

Position = dict[str, Any]


NUM_RANKS = {"normal": 12, "short": 8}


def deck(num_ranks: int = 12) -> list[str]:
    """All cards in colour, then rank order."""
    return [f"{colour}{rank}" for colour in COLOURS for rank in range(1, num_ranks + 1)]


def num_picks(num_players: int, mode: str) -> int:
    """How many cards each seat lays down."""
    return 5 if (num_players, mode) == (3, "normal") else 3


def num_tricks(num_players: int, mode: str) -> int:
    """How many tricks a round has."""
    return len(deck(NUM_RANKS[mode])) // num_players - num_picks(num_players, mode)


def rank(card: str) -> int:
    """A card's rank."""
    return int(card[1:])


def colour(card: str, forest: str) -> str:
    """The colour of a card while a forest card lies open."""
    return forest[0] if card[0] == BLACK else card[0]


def free_colours(d: Position, options: Mapping[str, Any]) -> list[str]:
    """The printed colours that may be played by who holds the lead colour."""
    lead = colour(d["trick"][0][1], d["forest"])
    if d["forest"][0] == BLACK and not options["black_always_playable"]:
        return [lead]
    return [lead, BLACK]


def legal(d: Position, options: Mapping[str, Any]) -> list[str]:
    """The texts of the mover's legal actions, in order."""
    if d["phase"] == "over":
        return []
    hand = d["hands"][d["mover"]]
    if d["phase"] == "pick" or not d["trick"]:
        return hand
    lead = colour(d["trick"][0][1], d["forest"])
    if all(card[0] != lead for card in hand):
        return hand
    return [card for card in hand if card[0] in free_colours(d, options)]


def winning_play(plays: list[list[Any]], forest: str) -> list[Any]:
    """The play that wins a trick."""
    lead = colour(plays[0][1], forest)
    others = [play for play in plays if colour(play[1], forest) != lead]
    best = min(rank(card) for _, card in others) if others else max(rank(card) for _, card in plays)
    return [play for play in others or plays if rank(play[1]) == best][-1]


def points(tricks: int) -> int:
    """What a number of tricks scores."""
    return POINTS.get(tricks, -10 * tricks)


def play(d: Position, text: str, options: Mapping[str, Any]) -> Position:
    """The position after an action. What chance decides then is None: a deal, the deck, a round's leader."""
    d = copy.deepcopy(d)
    n, seat = d["num_players"], d["mover"]
    d["hands"][seat].remove(text)
    if d["phase"] == "pick":
        d["picks"][seat] = sorted([*d["picks"][seat], text], key=deck().index)
        picked = [len(picks) == options["pick_size"] for picks in d["picks"]]
        if all(picked):
            d.update(phase="play", deck=None, forest=None, mover=d["round_leader"])
        elif picked[seat]:
            d["mover"] = (seat + 1) % n
        return d
    d["trick"].append([seat, text])
    show_void(d, seat, text, options)
    d["mover"] = (seat + 1) % n
    if len(d["trick"]) == n:
        end_trick(d)
        if not d["forest"]:
            end_round(d, options)
    return d


def show_void(d: Position, seat: int, card: str, options: Mapping[str, Any]) -> None:
    """What everybody learns by a card that is played."""
    lead = colour(d["trick"][0][1], d["forest"])
    if len(d["trick"]) > 1 and card[0] not in free_colours(d, options):
        voids = {*d["known_voids"][seat], lead}
        d["known_voids"][seat] = [letter for letter in COLOURS if letter in voids]


def end_trick(d: Position) -> None:
    """The winner takes the trick, and the next forest card is turned up."""
    winner, _ = winning_play(d["trick"], d["forest"])
    d["tricks"][winner] += 1
    d["mover"] = d["leader"] = winner
    d["history"].append(d["trick"])
    d["trick"] = []
    d["forest_history"].append(d["forest"])
    d["forest"] = d["deck"].pop(0) if d["deck"] else None


def end_round(d: Position, options: Mapping[str, Any]) -> None:
    """All score."""
    n = d["num_players"]
    d["round_points"] = [points(tricks) for tricks in d["tricks"]]
    d["scores"] = [a + b for a, b in zip(d["scores"], d["round_points"], strict=True)]
    if d["round"] + 1 == options["num_rounds"]:
        best = max(d["scores"])
        d["winners"] = [seat for seat in range(n) if d["scores"][seat] == best]
        d.update(phase="over", mover=None, leader=None)
        return
    clockwise = [(d["round_leader"] + i) % n for i in range(n)]
    least = [seat for seat in clockwise if d["round_points"][seat] == min(d["round_points"])]
    leader = None if options["tied_for_least"] == "random" and len(least) > 1 else least[0]
    d.update(phase="pick", round=d["round"] + 1, round_leader=leader, leader=leader, mover=leader)
    d.update(hands=None, deck=None, forest_history=[], history=[])
    d.update(tricks=[0] * n, picks=[[] for _ in range(n)], known_voids=[[] for _ in range(n)])


def count_plays(d: Position, depth: int, options: Mapping[str, Any]) -> int:
    """How many ways there are to play on, for `depth` decisions or to the game's end."""
    if depth == 0 or d["phase"] == "over":
        return 1
    return sum(count_plays(play(d, text, options), depth - 1, options) for text in legal(d, options))
