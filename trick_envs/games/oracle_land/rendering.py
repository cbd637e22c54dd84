"""Oracle Land as text."""

from typing import Any

SUITS = "SDCH"
BEFORE_PASS = ("wish", "bid")
AFTER_PLAY = ("joker", "over")
ASKED = {
    "wish": "says whether it wants a special bid",
    "bid": "names a suit for its right neighbour",
    "secret": "lays its secret card",
    "play": "plays a card",
    "bonus": "takes a bonus card",
    "cover": "covers a card",
    "joker": "adds the joker to a suit",
}


def as_seen(d: dict[str, Any], seat: int | None) -> dict[str, Any]:
    """The state as a seat sees it: what it doesn't know is None, or "?" for a card; None sees everything.

    Beside its own hand a seat knows the cards that it has passed: `passed`, those its right neighbour hasn't
    played, its secret card among them.
    """
    if seat is None:
        return {**d, "passed": None}
    n, phase = d["num_players"], d["phase"]
    right = (seat - 1) % n
    is_passed = phase not in BEFORE_PASS
    passed = [*d["hands"][right], *([d["secret"][right]] if d["secret"][right] else [])]

    def shown_secret(player: int) -> str | None:
        is_shown = phase in AFTER_PLAY and not d["secret_covered"][player]
        secret: str | None = d["secret"][player]
        return secret if secret is None or player == seat or is_shown else "?"

    return {
        **d,
        "hands": [hand if player == seat else ["?"] * len(hand) for player, hand in enumerate(d["hands"])],
        "passed": sorted(passed, key=_order) if is_passed else None,
        "secret": [shown_secret(player) for player in range(n)],
        "bids": [
            bid if is_passed or player == right else {"secret": ["?"] * sum(map(len, bid.values()))}
            for player, bid in enumerate(d["bids"])
        ],
        "wishes": [
            "?" if phase == "wish" and player != seat and wish is not None else wish
            for player, wish in enumerate(d["wishes"])
        ],
        "left_over": ["?"] * len(d["left_over"]),
    }


def _order(card: str) -> tuple[int, int]:
    return SUITS.index(card[0]), int(card[1:])


def information(d: dict[str, Any], seat: int) -> str:
    """All that a seat has seen in this deal, and the scores. `d`: the state as a dict."""
    d = as_seen(d, seat)
    asides = zip(d["history"], d["bonuses"], d["covers"], strict=True)
    tricks = [
        f"{_trick(plays)} bonus {bonus or '-'} covers {''.join(covers) or '-'}"
        for plays, bonus, covers in asides
    ]
    seen = {key: value for key, value in d.items() if key not in ("history", "bonuses", "covers")}
    lines = [f"seat {seat}", *(f"{key} {_plain(value)}" for key, value in seen.items()), *tricks]
    return "\n".join(lines)


def _plain(value: Any) -> str:
    """A value as text: lists and dicts without their punctuation."""
    if isinstance(value, dict):
        return " ".join(f"{key}:{_plain(item)}" for key, item in value.items())
    if isinstance(value, list):
        return f"({' '.join(map(_plain, value))})"
    return str(value)


def render(title: str, d: dict[str, Any], seat: int | None, num_rounds: int) -> str:
    """The table as a seat sees it; None shows everything. `d`: the state as a dict."""
    d = as_seen(d, seat)
    lines = [
        f"{title}: deal {d['round'] + 1} of {num_rounds}, {_joker(d)}",
        "  seat  points  bid cards  oracle                       S  D  C  H  secret  hand",
    ]
    for player in range(d["num_players"]):
        marker = ">" if player == d["mover"] else " "
        row = d["rows"][player]
        counts = "  ".join(str(len(row[suit])) for suit in SUITS)
        lines.append(
            f"{marker} {player:<4}  {d['scores'][player]:>6}  {' '.join(d['bid_suits'][player]):<9}  "
            f"{_oracle(d, player):<27}  {counts}  {_secret(d, player):<6}  {_hand(d['hands'][player])}"
        )
    if d["passed"]:
        right = (seat - 1) % d["num_players"] if seat is not None else None
        lines.append(f"passed      seat {right} has, in hand or as its secret card: {' '.join(d['passed'])}")
    lines.append(f"stock       {'  '.join(' '.join(d['stock'][suit]) or '-' for suit in SUITS)}")
    if d["left_over"] or d["moon"]:
        shown = f"{' '.join(d['moon'])}, then " if d["moon"] else ""
        lines.append(f"left over   {shown}{_hand(d['left_over'])}")
    if d["set_aside"]:
        lines.append(f"set aside   {' '.join(d['set_aside'])}")
    if d["last_trick"]:
        last = d["last_trick"]
        lines.append(f"last trick  {_trick(last['plays'])}; {last['winner']} won, {last['loser']} lost")
    if d["to_cover"]:
        lines.append(f"to cover    {' '.join(d['to_cover'])}")
    if d["phase"] == "play":
        lines.append(f"this trick  {_trick(d['trick']) or '-'}")
    if d["phase"] == "over":
        lines.append(f"The game is over. Winner: seat {d['winners'][0]}")
    else:
        lines.append(f"Seat {d['mover']} {ASKED[d['phase']]}.")
    return "\n".join(lines)


def _joker(d: dict[str, Any]) -> str:
    """Where the joker is."""
    if d["joker"] is None:
        return "the joker waits for the first leader"
    added = f", added to {d['joker_suit']}" if d["joker_suit"] else ""
    return f"seat {d['joker']} has the joker{added}"


def _oracle(d: dict[str, Any], player: int) -> str:
    """What has been bid for a seat; before that, what it has wished."""
    sides = [f"{side} {'+'.join(suits)}" for side, suits in d["bids"][player].items() if suits]
    wish = {True: "wants three", False: "wants two", "?": "has wished", None: "-"}[d["wishes"][player]]
    return ", ".join(sides) or wish


def _secret(d: dict[str, Any], player: int) -> str:
    """A secret card, in brackets when a 4 covers it."""
    secret = d["secret"][player] or "-"
    return f"({secret})" if d["secret_covered"][player] else secret


def _hand(cards: list[str]) -> str:
    """Cards, or how many cards there are whose faces can't be seen."""
    return f"({len(cards)} cards)" if "?" in cards else " ".join(cards) or "-"


def _trick(plays: list[list[Any]]) -> str:
    return "  ".join(f"{seat}: {play}" for seat, play in plays)
