"""Gummi Trick as text."""

from typing import Any


def render(title: str, d: dict[str, Any], seat: int | None, num_tricks: int) -> str:
    """The table as a seat sees it; None shows all cards. `d`: the state as a dict."""
    number = num_tricks - max(len(hand) + len(d["face_down"][i]) for i, hand in enumerate(d["hands"])) + 1
    lines = [
        f"{title}: trick {min(number, num_tricks)} of {num_tricks}",
        "  seat  score  taken  face down    hand                              face up",
    ]
    for player in range(d["num_players"]):
        marker = ">" if player == d["mover"] else " "
        hand = _cards(d["hands"][player], is_shown=seat is None or player == seat)
        face_down = _cards(d["face_down"][player], is_shown=seat is None)
        face_up = " ".join(d["face_up"][player]) or "-"
        numbers = f"{d['scores'][player]:>5}  {d['taken'][player]:>5}"
        lines.append(f"{marker} {player:<4}  {numbers}  {face_down:<11}  {hand:<32}  {face_up}")
    if d["history"]:
        lines.append(f"last trick  {_trick(d['history'][-1])}")
    if d["phase"] == "over":
        lines.append(f"The game is over. Winners: {', '.join(f'seat {winner}' for winner in d['winners'])}")
    else:
        lines.append(f"this trick  {_trick(d['trick']) or '-'}")
        lines.append(f"colours     {' '.join(d['colour_order']) or '-'}")
    return "\n".join(lines)


def _cards(cards: list[str], is_shown: bool) -> str:
    return (" ".join(cards) if is_shown else f"({len(cards)} cards)") or "-"


def _trick(plays: list[list[Any]]) -> str:
    return "  ".join(f"{seat}: {card}{'*' if source == 'facedown' else ''}" for seat, card, source in plays)
