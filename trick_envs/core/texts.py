"""Views of a table, and the table as text: what the games' own modules share.

A *view* is a dict as `Game.view` gives it: what one seat may know of a state. A hidden card in a list is
None, so that the number of cards stays visible; ``"?"`` stands where None would say that there is nothing.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

View: TypeAlias = dict[str, Any]
"""What `Game.view` gives; with None as its ``"seat"``, the whole state."""

UNKNOWN = "?"
"""Stands for something hidden where None would mean that there is nothing."""


def face_down(cards: Iterable[str]) -> list[None]:
    """A list of hidden cards, as many as these."""
    return [None for _ in cards]


def only_of(seat: int, by_seat: Iterable[list[str]]) -> list[list[str] | list[None]]:
    """Cards of all seats, with those of every seat but one hidden."""
    return [cards if player == seat else face_down(cards) for player, cards in enumerate(by_seat)]


def is_open(view: View, player: int) -> bool:
    """Whether a seat's hand lies open in a view."""
    return view["seat"] in (None, player)


def cards_text(cards: list[Any], is_shown: bool, empty: str = "-") -> str:
    """Cards, or how many there are; `empty`: stands for none that are shown."""
    return (" ".join(cards) or empty) if is_shown else f"({len(cards)} cards)"


def trick_text(plays: Iterable[list[Any]]) -> str:
    """The plays of a trick, for a table."""
    return "  ".join(f"{seat}: {card}" for seat, card in plays)


def tricks_text(view: Mapping[str, Any]) -> str:
    """The plays of all known tricks of the round, the current one last, for an information state."""
    tricks = (*view["history"], view["trick"])
    return ", ".join(" ".join(f"{seat}:{card}" for seat, card in trick) for trick in tricks)


def voids_text(view: Mapping[str, Any]) -> str:
    """The known voids of all seats, for an information state."""
    return " ".join("".join(suits) or "-" for suits in view["known_voids"])


def sizes(by_seat: Iterable[list[Any]]) -> list[int]:
    """How many cards each seat has."""
    return [len(cards) for cards in by_seat]


def marker(view: Mapping[str, Any], player: int) -> str:
    """What marks the current player's line of a table."""
    return ">" if player == view["mover"] else " "


def end_of_table(
    view: Mapping[str, Any],
    asked: Mapping[str, str] = MappingProxyType({}),
    text: Callable[[list[list[Any]]], str] = trick_text,
) -> list[str]:
    """The last lines of a table: the tricks, what the current player is asked, or who has won.

    Args:
        view: The view.
        asked: By phase in which no card is played: what the current player does then.
        text: How a trick is written.
    """
    lines = [f"last trick  {text(view['history'][-1])}"] if view["history"] else []
    if view["phase"] == "over":
        winners = ", ".join(f"seat {winner}" for winner in view["winners"])
        return [*lines, f"The game is over. Winners: {winners}"]
    if view["phase"] in asked:
        return [*lines, f"Seat {view['mover']} {asked[view['phase']]}."]
    return [*lines, f"this trick  {text(view['trick']) or '-'}"]
