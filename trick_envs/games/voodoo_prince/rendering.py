"""Voodoo Prince as one seat sees it, and as text."""

from typing import Any

from trick_envs.core import texts
from trick_envs.core.game import Game
from trick_envs.core.texts import View


def seen(d: dict[str, Any], seat: int) -> dict[str, Any]:
    """The keys of a state's dict that a seat sees in another way: others' hands are hidden."""
    return {"hands": texts.only_of(seat, d["hands"])}


def information(view: View) -> str:
    """All that the view's seat has seen in this round, and the scores."""
    lines = [
        f"seat {view['seat']}, round {view['round']}, {view['phase']}, scores {view['scores']}",
        f"trump {view['trump']}, leader {view['leader']}, tricks {view['tricks']}, "
        f"points {view['round_points']}",
        f"hand {' '.join(view['hands'][view['seat']])}, sizes {texts.sizes(view['hands'])}",
        f"voids {texts.voids_text(view)}",
        f"played {texts.tricks_text(view)}",
    ]
    return "\n".join(lines)


def render(game: Game, view: View) -> str:
    """The table as text."""
    lines = [
        f"{game.title}: round {view['round'] + 1} of {game.options['num_rounds']}, "
        f"trump {view['trump'] or 'being named'}",
        "  seat  score  this round  tricks  hand",
    ]
    for player in range(game.num_players):
        tricks = f"{view['tricks'][player]} of {game.options['goal']}"
        is_done = view["out"][player] or view["phase"] == "over"
        points = f"+{view['round_points'][player]}" if is_done else "in"
        hand = texts.cards_text(view["hands"][player], texts.is_open(view, player), empty="")
        lines.append(
            f"{texts.marker(view, player)} {player:<4}  {view['scores'][player]:>5}  {points:>10}  "
            f"{tricks:<6}  {hand}"
        )
    lines += texts.end_of_table(view, {"name_trump": "names the trump suit"})
    return "\n".join(lines)
