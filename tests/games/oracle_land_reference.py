"""Oracle Land, slow and obvious: one deal over the dicts of `Game.to_dict`.

It shares nothing with the package and is written from the rules alone. Tests compare the two.
"""

import copy
from collections.abc import Mapping
from typing import Any

SUITS = "SDCH"
RANKS = {7: "2345678", 6: "234567", 5: "23456", 4: "2456", 3: "246"}
BONUS = ("9", "10")

Position = dict[str, Any]

NUMBERS = {
    "2": {"": 2, "+": 3, "-": 1},
    "3": {"": 3, "+": 4, "-": 2},
    "4": {"": 4, "+": 5, "-": 3},
    "5": {"": 5, "+": 6, "-": 4, "'+": 0},
    "6": {"": 6, "'": 0, "+": 7, "-": 5, "'+": 1, "'-": 0},
    "7": {"": 7, "+": 8, "-": 6, "'-": 0},
    "8": {"": 8, "+": 9, "-": 7},
}
"""What a printed rank counts as: upright, ' sideways, + and - with the joker."""


def deck(num_ranks: int = 7) -> list[str]:
    """The cards that are played, in suit, then rank order."""
    return [suit + rank for suit in SUITS for rank in RANKS[num_ranks]]


def actions(num_ranks: int = 7) -> list[str]:
    """The texts of all actions, in order."""
    cards = deck(num_ranks)

    def played(way: str) -> list[str]:
        return [card + way for card in cards if way in NUMBERS[card[1]]]

    turned = [
        f"{suit}{play}" for play in ("6'+", "6'-", "5'+", "7'-") for suit in SUITS if suit + play[0] in cards
    ]
    verbs = [[f"{verb} {suit}" for suit in SUITS] for verb in ("most", "least", "also most", "also least")]
    ends = [[f"{verb} {suit}" for suit in SUITS] for verb in ("bonus", "cover", "joker")]
    return [
        *("wish yes", "wish no"),
        *(text for texts in verbs for text in texts),
        *(f"secret {card}" for card in cards),
        *(text for way in ("", "'", "+", "-") for text in played(way)),
        *turned,
        *(text for texts in ends for text in texts),
    ]


def in_order(cards: list[str]) -> list[str]:
    """Cards, bonus cards too, in suit, then rank order."""
    return sorted(cards, key=lambda card: (SUITS.index(card[0]), int(card[1:])))


def card_of(play: str) -> str:
    """The card of a play."""
    return play[:2]


def number_of(play: str) -> int:
    """The number of a play."""
    return NUMBERS[play[1]][play[2:]]


def lead_suit(plays: list[str]) -> str | None:
    """The suit to follow; None after a number 4."""
    return None if number_of(plays[0]) == 4 else plays[0][0]


def follows(play: str, suit: str | None) -> bool:
    """Whether a play has the suit of the trick, or none is asked for."""
    number = number_of(play)
    return suit is None or number == 2 or (play[0] == suit and number != 4)


def winner_and_loser(plays: list[str], last_four_loses: bool | str) -> tuple[int, int]:
    """Their places in the trick, 0 for the leader."""
    suit = lead_suit(plays)
    places = list(range(len(plays)))
    inside = [place for place in places if follows(plays[place], suit)]
    outside = [place for place in places if place not in inside]
    winner = max(inside, key=lambda place: (number_of(plays[place]), -place))
    loser = min(outside or places, key=lambda place: (number_of(plays[place]), -place))
    fours = [place for place in places if number_of(plays[place]) == 4]
    enough = {False: len(plays) + 1, True: 2, "always": 1}[last_four_loses]
    if suit is not None and len(fours) >= enough:
        loser = fours[-1]
    return winner, loser


def legal(d: Position) -> set[str]:
    """The texts of the mover's legal actions."""
    seat, phase = d["mover"], d["phase"]
    if phase == "wish":
        return {"wish yes", "wish no"}
    if phase == "bid":
        owner = (seat - 1) % d["num_players"]
        bid = d["bids"][owner]
        free = [suit for suit in d["bid_suits"][owner] if suit not in bid["most"] + bid["least"]]
        sides = (
            ["most"] if not bid["most"] else ["least"] if not bid["least"] else ["also most", "also least"]
        )
        return {f"{side} {suit}" for side in sides for suit in free}
    if phase == "secret":
        return {f"secret {card}" for card in d["hands"][seat]}
    if phase == "play":
        return legal_plays(d["hands"][seat], [play for _, play in d["trick"]])
    if phase == "over":
        return set()
    there = {"bonus": d["stock"], "cover": d["rows"][seat], "joker": dict.fromkeys(SUITS, "always")}[phase]
    return {f"{phase} {suit}" for suit in SUITS if there[suit]}


def legal_plays(hand: list[str], before: list[str]) -> set[str]:
    """What a hand may play after these plays."""
    suit = lead_suit(before) if before else None
    must = any(card[0] == suit and card[1] != "4" for card in hand)
    cards = [card for card in hand if not must or card[0] == suit or card[1] in "24"]
    return {card + way for card in cards for way in NUMBERS[card[1]] if not before or way in ("", "'")}


def play(d: Position, text: str, game: Any) -> Position:
    """The position after an action. What chance decides then is None: a deal, the first leader."""
    d = copy.deepcopy(d)
    n, seat, suit = d["num_players"], d["mover"], text.split()[-1]
    if d["phase"] == "wish":
        d["wishes"][seat] = text == "wish yes"
        to_ask = [who for who in clockwise(d) if len(d["bid_suits"][who]) >= 3 and d["wishes"][who] is None]
        d.update(phase="wish" if to_ask else "bid", mover=(to_ask or clockwise(d))[0])
    elif d["phase"] == "bid":
        owner = (seat - 1) % n
        d["bids"][owner]["most" if "most" in text else "least"].append(suit)
        if sum(map(len, d["bids"][owner].values())) == (3 if d["wishes"][owner] else 2):
            d["mover"] = (seat + 1) % n
            if d["mover"] == clockwise(d)[0]:
                d.update(phase="secret", hands=[d["hands"][(who + 1) % n] for who in range(n)])
    elif d["phase"] == "secret":
        d["hands"][seat].remove(suit)
        d["secret"][seat] = suit
        d["mover"] = (seat + 1) % n
        if d["secret"][d["mover"]]:
            d.update(phase="play", mover=d["joker"])
    elif d["phase"] == "play":
        play_card(d, seat, text, game.options)
    elif d["phase"] == "bonus":
        d["bonuses"][-1] = suit
        d["rows"][seat][suit].append(d["stock"][suit].pop(0))
        take_trick(d, game.options)
    elif d["phase"] == "cover":
        d["covers"][-1].append(suit)
        d["to_cover"].pop(0)
        d["rows"][seat][suit].pop(0)
        cover_what_is_there(d, game.options)
    else:
        score(d, suit, game.options["num_rounds"])
    return d


def clockwise(d: Position) -> list[int]:
    """The order in which seats decide at the same time."""
    n, first = d["num_players"], d["joker"] or 0
    return [(first + i) % n for i in range(n)]


def play_card(d: Position, seat: int, text: str, options: Mapping[str, Any]) -> None:
    """A card is played; after the last one the trick has a winner and a loser."""
    n = d["num_players"]
    d["hands"][seat].remove(card_of(text))
    d["trick"].append([seat, text])
    d["mover"] = (seat + 1) % n
    plays = [one for _, one in d["trick"]]
    suit = lead_suit(plays)
    if suit is not None and text[0] != suit and text[1] not in "24":
        d["known_voids"][seat] = [one for one in SUITS if one in {*d["known_voids"][seat], suit}]
    if len(plays) == n:
        places = winner_and_loser(plays, options["last_four_loses"])
        winner, loser = (d["trick"][place][0] for place in places)
        d["last_trick"] = {"plays": d["trick"], "winner": winner, "loser": loser}
        d["history"].append(d["trick"])
        d["bonuses"].append(None)
        d["covers"].append([])
        d.update(trick=[], phase="bonus", mover=loser, leader=winner, joker=winner)


def take_trick(d: Position, options: Mapping[str, Any]) -> None:
    """The winner lays out what isn't a 4."""
    row = d["rows"][d["joker"]]
    had_nothing = not any(row.values())
    cards = [card_of(text) for _, text in d["last_trick"]["plays"]]
    for card in cards:
        if card[1] == "4":
            d["to_cover"].append(card)
        else:
            row[card[0]].append(card)
    for suit in SUITS:
        row[suit] = in_order(row[suit])
    cover_what_is_there(d, options, only_secret=had_nothing and options["four_into_empty_rows"] == "secret")


def cover_what_is_there(d: Position, options: Mapping[str, Any], only_secret: bool = False) -> None:
    """4s that have nothing in the rows to cover; then the next trick or the scoring."""
    winner = d["joker"]
    while d["to_cover"]:
        if any(d["rows"][winner].values()) and not only_secret:
            d.update(phase="cover", mover=winner)
            return
        four = d["to_cover"].pop(0)
        if d["secret_covered"][winner]:
            d["set_aside"] = in_order([*d["set_aside"], four])
        d["secret_covered"][winner] = True
    if options["hazy_moon"] and d["left_over"]:
        d["moon"].append(d["left_over"].pop(0))
    d.update(phase="play" if any(d["hands"]) else "joker", mover=winner)


def score(d: Position, suit: str, num_rounds: int) -> None:
    """All score; the next deal, or the end."""
    n = d["num_players"]
    for seat in range(n):
        counts = {one: len(d["rows"][seat][one]) for one in SUITS}
        if not d["secret_covered"][seat]:
            counts[d["secret"][seat][0]] += 1
        if seat == d["joker"]:
            counts[suit] += 1
        used = []
        for side, extreme in (("most", max), ("least", min)):
            wanted = extreme(counts.values())
            if {one for one in SUITS if counts[one] == wanted} == set(d["bids"][seat][side]):
                used += d["bids"][seat][side]
        d["scores"][seat] += len(used)
        d["bid_suits"][seat] = [one for one in d["bid_suits"][seat] if one not in used]
    if d["round"] + 1 == num_rounds:
        best = max(d["scores"])
        winner = next(seat for seat in clockwise(d) if d["scores"][seat] == best)
        d.update(phase="over", mover=None, leader=None, joker_suit=suit, winners=[winner])
        return
    may_wish = [seat for seat in clockwise(d) if len(d["bid_suits"][seat]) >= 3]
    d.update(round=d["round"] + 1, phase="wish" if may_wish else "bid", mover=(may_wish or clockwise(d))[0])
    d.update(new_table(n), hands=None, left_over=None)


def new_table(num_players: int) -> Position:
    """What lies before everybody when a deal begins."""
    n = num_players
    return {
        "trick": [],
        "history": [],
        "bonuses": [],
        "covers": [],
        "bids": [{"most": [], "least": []} for _ in range(n)],
        "wishes": [None] * n,
        "secret": [None] * n,
        "secret_covered": [False] * n,
        "rows": [{suit: [] for suit in SUITS} for _ in range(n)],
        "stock": {suit: [suit + rank for rank in BONUS] for suit in SUITS},
        "to_cover": [],
        "set_aside": [],
        "joker_suit": None,
        "moon": [],
        "last_trick": None,
        "known_voids": [[] for _ in range(n)],
    }


def count_plays(d: Position, depth: int, game: Any) -> int:
    """How many ways there are to play on, for `depth` decisions or to the game's end."""
    if depth == 0 or d["phase"] == "over":
        return 1
    return sum(count_plays(play(d, text, game), depth - 1, game) for text in legal(d))
