"""Oracle Land as one seat sees it, and as text."""

from typing import Any

from trick_envs.core import texts
from trick_envs.core.game import Game
from trick_envs.core.texts import UNKNOWN, View

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


def seen(d: dict[str, Any], seat: int) -> dict[str, Any]:
    """The keys of a state's dict that a seat sees in another way.

    Others' hands, secret cards that aren't shown, bids and wishes that aren't public yet and the cards left
    over are hidden; of a bid that isn't public, only how much of it is made is seen. Beside its own hand a
    seat knows the cards that it has passed: `passed`, those its right neighbour hasn't played, its secret
    card among them.
    """
    n, phase = d["num_players"], d["phase"]
    right = (seat - 1) % n
    is_passed = phase not in BEFORE_PASS
    passed = [*d["hands"][right], *([d["secret"][right]] if d["secret"][right] else [])]

    def shown_secret(player: int) -> str | None:
        is_shown = phase in AFTER_PLAY and not d["secret_covered"][player]
        secret: str | None = d["secret"][player]
        return secret if secret is None or player == seat or is_shown else UNKNOWN

    return {
        "hands": texts.only_of(seat, d["hands"]),
        "secret": [shown_secret(player) for player in range(n)],
        "bids": [
            bid if is_passed or player == right else {"secret": [None] * sum(map(len, bid.values()))}
            for player, bid in enumerate(d["bids"])
        ],
        "wishes": [
            UNKNOWN if phase == "wish" and player != seat and wish is not None else wish
            for player, wish in enumerate(d["wishes"])
        ],
        "left_over": texts.face_down(d["left_over"]),
        "passed": sorted(passed, key=_order) if is_passed else None,
    }


def _order(card: str) -> tuple[int, int]:
    return SUITS.index(card[0]), int(card[1:])


def information(view: View) -> str:
    """All that the view's seat has seen in this deal, and the scores."""
    asides = zip(view["history"], view["bonuses"], view["covers"], strict=True)
    tricks = [
        f"{texts.trick_text(plays)} bonus {bonus or '-'} covers {''.join(covers) or '-'}"
        for plays, bonus, covers in asides
    ]
    apart = ("seat", "legal_actions", "history", "bonuses", "covers")
    seen = {key: value for key, value in view.items() if key not in apart}
    seen["hands"] = [_named(hand) for hand in view["hands"]]
    seen["left_over"] = _named(view["left_over"])
    seen["bids"] = [{side: _named(suits) for side, suits in bid.items()} for bid in view["bids"]]
    lines = [f"seat {view['seat']}", *(f"{key} {_plain(value)}" for key, value in seen.items()), *tricks]
    return "\n".join(lines)


def _named(cards: list[str | None]) -> list[str]:
    """Cards, with a sign for hidden ones."""
    return [UNKNOWN if card is None else card for card in cards]


def _plain(value: Any) -> str:
    """A value as text: lists and dicts without their punctuation."""
    if isinstance(value, dict):
        return " ".join(f"{key}:{_plain(item)}" for key, item in value.items())
    if isinstance(value, list):
        return f"({' '.join(map(_plain, value))})"
    return str(value)


def render(game: Game, view: View) -> str:
    """The table as text."""
    lines = [
        f"{game.title}: deal {view['round'] + 1} of {game.options['num_rounds']}, {_joker(view)}",
        "  seat  points  bid cards  oracle                       S  D  C  H  secret  hand",
    ]
    for player in range(game.num_players):
        row = view["rows"][player]
        counts = "  ".join(str(len(row[suit])) for suit in SUITS)
        bid_cards, hand = " ".join(view["bid_suits"][player]), _hand(view["hands"][player])
        lines.append(
            f"{texts.marker(view, player)} {player:<4}  {view['scores'][player]:>6}  {bid_cards:<9}  "
            f"{_oracle(view, player):<27}  {counts}  {_secret(view, player):<6}  {hand}"
        )
    if view.get("passed"):
        right = (view["seat"] - 1) % game.num_players
        lines.append(
            f"passed      seat {right} has, in hand or as its secret card: {' '.join(view['passed'])}"
        )
    lines.append(f"stock       {'  '.join(' '.join(view['stock'][suit]) or '-' for suit in SUITS)}")
    if view["left_over"] or view["moon"]:
        shown = f"{' '.join(view['moon'])}, then " if view["moon"] else ""
        lines.append(f"left over   {shown}{_hand(view['left_over'])}")
    if view["set_aside"]:
        lines.append(f"set aside   {' '.join(view['set_aside'])}")
    if view["last_trick"]:
        last = view["last_trick"]
        lines.append(
            f"last trick  {texts.trick_text(last['plays'])}; {last['winner']} won, {last['loser']} lost"
        )
    if view["to_cover"]:
        lines.append(f"to cover    {' '.join(view['to_cover'])}")
    if view["phase"] == "play":
        lines.append(f"this trick  {texts.trick_text(view['trick']) or '-'}")
    if view["phase"] == "over":
        lines.append(f"The game is over. Winner: seat {view['winners'][0]}")
    else:
        lines.append(f"Seat {view['mover']} {ASKED[view['phase']]}.")
    return "\n".join(lines)


def _joker(view: View) -> str:
    """Where the joker is."""
    if view["joker"] is None:
        return "the joker waits for the first leader"
    added = f", added to {view['joker_suit']}" if view["joker_suit"] else ""
    return f"seat {view['joker']} has the joker{added}"


def _oracle(view: View, player: int) -> str:
    """What has been bid for a seat; before that, what it has wished."""
    sides = [f"{side} {'+'.join(_named(suits))}" for side, suits in view["bids"][player].items() if suits]
    wish = {True: "wants three", False: "wants two", UNKNOWN: "has wished", None: "-"}[view["wishes"][player]]
    return ", ".join(sides) or wish


def _secret(view: View, player: int) -> str:
    """A secret card, in brackets when a 4 covers it."""
    secret = view["secret"][player] or "-"
    return f"({secret})" if view["secret_covered"][player] else secret


def _hand(cards: list[str | None]) -> str:
    """Cards, or how many cards there are whose faces can't be seen."""
    return texts.cards_text(cards, None not in cards)
