"""Take That Toy! as text."""

from typing import Any


def render(title: str, d: dict[str, Any], seat: int | None) -> str:
    """The table as a seat sees it; None shows all hands. `d`: the state as a dict."""
    lines = [
        f"{title}: trump {d['trump']} ({d['trump_card']})",
        "  seat  suits  cards  hand",
    ]
    for player in range(d["num_players"]):
        marker = ">" if player == d["mover"] else " "
        hand = _hand(d["hands"][player], is_shown=seat is None or player == seat)
        cards = len(d["display"][player])
        lines.append(f"{marker} {player:<4}  {d['scores'][player]:>5}  {cards:>5}  {hand}")
    lines += [f"display {player}   {' '.join(cards) or '-'}" for player, cards in enumerate(d["display"])]
    lines += [_burst(burst, seat) for burst in d["bursts"]]
    if d["history"]:
        lines.append(f"last trick  {_trick(d['history'][-1])}")
    if d["phase"] == "over":
        lines.append(f"The game is over. Winners: {', '.join(f'seat {winner}' for winner in d['winners'])}")
    else:
        lines.append(f"this trick  {_trick(d['trick']) or '-'}")
    return "\n".join(lines)


def _hand(cards: list[str], is_shown: bool) -> str:
    return " ".join(cards) if is_shown else f"({len(cards)} cards)"


def _burst(burst: dict[str, Any], seat: int | None) -> str:
    dealt = [f"{who}: {card}" for who, card in burst["dealt"].items() if seat is None or who == str(seat)]
    return (
        f"burst of {burst['seat']}  {' '.join(burst['cards'])}; dealt {'  '.join(dealt) or 'to the others'}"
    )


def _trick(plays: list[list[Any]]) -> str:
    return "  ".join(f"{seat}: {card}" for seat, card in plays)
