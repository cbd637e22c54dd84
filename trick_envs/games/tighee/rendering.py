"""TIGHEE as one seat sees it, and as text."""

from typing import Any

from trick_envs.core import texts
from trick_envs.core.game import Game
from trick_envs.core.texts import View


def seen(d: dict[str, Any], seat: int) -> dict[str, Any]:
    """The keys of a state's dict that a seat sees in another way: others' hands and picks, and the deck."""
    return {
        "hands": texts.only_of(seat, d["hands"]),
        "picks": texts.only_of(seat, d["picks"]),
        "deck": texts.face_down(d["deck"]),
    }


def information(view: View) -> str:
    """All that the view's seat has seen in this round, and the scores."""
    seat = view["seat"]
    lines = [
        f"seat {seat}, round {view['round']}, {view['phase']}, scores {view['scores']}",
        f"mover {view['mover']}, leader {view['leader']}, first {view['round_leader']}, "
        f"tricks {view['tricks']}",
        f"hand {' '.join(view['hands'][seat])}, sizes {texts.sizes(view['hands'])}",
        f"picks {' '.join(view['picks'][seat])}",
        f"voids {texts.voids_text(view)}",
        f"forests {' '.join(view['forest_history'])}, now {view['forest']}",
        f"played {texts.tricks_text(view)}",
    ]
    return "\n".join(lines)


def render(game: Game, view: View) -> str:
    """The table as text."""
    lines = [
        f"{game.title}: round {view['round'] + 1} of {game.options['num_rounds']}, "
        f"forest {view['forest'] or '-'}",
        "  seat  score  last round  tricks  hand",
    ]
    for player in range(game.num_players):
        score, points, tricks = (view[key][player] for key in ("scores", "round_points", "tricks"))
        hand = texts.cards_text(view["hands"][player], texts.is_open(view, player))
        lines.append(
            f"{texts.marker(view, player)} {player:<4}  {score:>5}  {points:>10}  {tricks:>6}  {hand}"
        )
    picks = [
        f"{player}: {texts.cards_text(cards, texts.is_open(view, player))}"
        for player, cards in enumerate(view["picks"])
    ]
    deck = texts.cards_text(view["deck"], view["seat"] is None)
    lines.append(f"picks       {'  '.join(picks)}")
    lines.append(f"forests     {' '.join(view['forest_history']) or '-'}, then {deck}")
    lines += texts.end_of_table(view, {"pick": "lays a card into the deck"})
    return "\n".join(lines)
