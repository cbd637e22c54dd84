"""TIGHEE as text."""

from typing import Any


def render(title: str, d: dict[str, Any], seat: int | None, num_rounds: int) -> str:
    """The table as a seat sees it; None shows all hands, picks and the deck. `d`: the state as a dict."""
    lines = [
        f"{title}: round {d['round'] + 1} of {num_rounds}, forest {d['forest'] or '-'}",
        "  seat  score  last round  tricks  hand",
    ]
    for player in range(d["num_players"]):
        marker = ">" if player == d["mover"] else " "
        score, points, tricks = (d[key][player] for key in ("scores", "round_points", "tricks"))
        is_shown = seat is None or player == seat
        hand = _cards(d["hands"][player], is_shown)
        lines.append(f"{marker} {player:<4}  {score:>5}  {points:>10}  {tricks:>6}  {hand}")
    laid = [_cards(picks, seat is None or player == seat) for player, picks in enumerate(d["picks"])]
    lines.append(f"picks       {'  '.join(f'{player}: {cards}' for player, cards in enumerate(laid))}")
    lines.append(
        f"forests     {' '.join(d['forest_history']) or '-'}, then {_cards(d['deck'], seat is None)}"
    )
    if d["history"]:
        lines.append(f"last trick  {_trick(d['history'][-1])}")
    if d["phase"] == "over":
        lines.append(f"The game is over. Winners: {', '.join(f'seat {winner}' for winner in d['winners'])}")
    elif d["phase"] == "pick":
        lines.append(f"Seat {d['mover']} lays a card into the deck.")
    else:
        lines.append(f"this trick  {_trick(d['trick']) or '-'}")
    return "\n".join(lines)


def _cards(cards: list[str], is_shown: bool) -> str:
    return (" ".join(cards) or "-") if is_shown else f"({len(cards)} cards)"


def _trick(plays: list[list[Any]]) -> str:
    return "  ".join(f"{seat}: {card}" for seat, card in plays)
