"""Voodoo Prince as text."""

from typing import Any


def render(title: str, d: dict[str, Any], seat: int | None, goal: int, num_rounds: int) -> str:
    """The table as a seat sees it; None shows all hands. `d`: the state as a dict."""
    trump = d["trump"] or "being named"
    lines = [
        f"{title}: round {d['round'] + 1} of {num_rounds}, trump {trump}",
        "  seat  score  this round  tricks  hand",
    ]
    for player in range(d["num_players"]):
        marker = ">" if player == d["mover"] else " "
        tricks = f"{d['tricks'][player]} of {goal}"
        points = f"+{d['round_points'][player]}" if d["out"][player] or d["phase"] == "over" else "in"
        hand = _hand(d["hands"][player], is_shown=seat is None or player == seat)
        lines.append(f"{marker} {player:<4}  {d['scores'][player]:>5}  {points:>10}  {tricks:<6}  {hand}")
    if d["history"]:
        lines.append(f"last trick  {_trick(d['history'][-1])}")
    if d["phase"] == "over":
        lines.append(f"The game is over. Winners: {', '.join(f'seat {winner}' for winner in d['winners'])}")
    elif d["phase"] == "name_trump":
        lines.append(f"Seat {d['mover']} names the trump suit.")
    else:
        lines.append(f"this trick  {_trick(d['trick']) or '-'}")
    return "\n".join(lines)


def _hand(cards: list[str], is_shown: bool) -> str:
    return " ".join(cards) if is_shown else f"({len(cards)} cards)"


def _trick(plays: list[list[Any]]) -> str:
    return "  ".join(f"{seat}: {card}" for seat, card in plays)
