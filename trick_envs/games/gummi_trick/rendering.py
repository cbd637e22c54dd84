"""Gummi Trick as one seat sees it, and as text."""

from collections.abc import Iterable
from typing import Any

from trick_envs.core import texts
from trick_envs.core.game import Game
from trick_envs.core.texts import View
from trick_envs.games.gummi_trick.positions import FACE_DOWN


def seen(d: dict[str, Any], seat: int) -> dict[str, Any]:
    """The keys of a state's dict that a seat sees in another way: others' hands, and all face-down cards."""
    return {
        "hands": texts.only_of(seat, d["hands"]),
        "face_down": [texts.face_down(cards) for cards in d["face_down"]],
    }


def information(view: View) -> str:
    """All that the view's seat has seen, and the scores."""
    plays = [
        " ".join(f"{who}:{card}{_mark(source)}" for who, card, source in trick)
        for trick in (*view["history"], view["trick"])
    ]
    lines = [
        f"seat {view['seat']}, {view['phase']}, leader {view['leader']}, scores {view['scores']}",
        f"hand {' '.join(view['hands'][view['seat']])}, sizes {texts.sizes(view['hands'])}",
        f"face down {texts.sizes(view['face_down'])}, taken {view['taken']}",
        f"face up {', '.join(' '.join(cards) or '-' for cards in view['face_up'])}",
        f"voids {texts.voids_text(view)}",
        f"played {', '.join(plays)}",
    ]
    return "\n".join(lines)


def render(game: Game, view: View) -> str:
    """The table as text."""
    num_tricks = game.options["hand_size"] + game.options["num_face_down"]
    left = max(map(sum, zip(texts.sizes(view["hands"]), texts.sizes(view["face_down"]), strict=True)))
    lines = [
        f"{game.title}: trick {min(num_tricks - left + 1, num_tricks)} of {num_tricks}",
        "  seat  score  taken  face down    hand                              face up",
    ]
    for player in range(game.num_players):
        hand = texts.cards_text(view["hands"][player], texts.is_open(view, player))
        face_down = texts.cards_text(view["face_down"][player], view["seat"] is None)
        face_up = " ".join(view["face_up"][player]) or "-"
        numbers = f"{view['scores'][player]:>5}  {view['taken'][player]:>5}"
        lines.append(
            f"{texts.marker(view, player)} {player:<4}  {numbers}  {face_down:<11}  {hand:<32}  {face_up}"
        )
    lines += texts.end_of_table(view, text=_trick)
    if view["phase"] != "over":
        lines.append(f"colours     {' '.join(view['colour_order']) or '-'}")
    return "\n".join(lines)


def _mark(source: str) -> str:
    """Marks a card that was turned up."""
    return "*" if source == FACE_DOWN else ""


def _trick(plays: Iterable[list[Any]]) -> str:
    return texts.trick_text([seat, f"{card}{_mark(source)}"] for seat, card, source in plays)
