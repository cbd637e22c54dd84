"""Reading a position from plain Python values, which may be anything; errors are one sentence each."""

from collections.abc import Mapping
from typing import Any

from trick_envs.core.cards import Deck


def read(d: Mapping[str, Any], key: str) -> Any:
    """The value of a key that must be there."""
    if key not in d:
        raise ValueError(f"the position has no {key!r}")
    return d[key]


def whole_number(value: Any, what: str, low: int, high: int) -> int:
    """A whole number within bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{what} is {value!r}; allowed are whole numbers from {low} to {high}")
    return value


def seat(value: Any, what: str, num_players: int) -> int:
    """A seat's number."""
    return whole_number(value, what, 0, num_players - 1)


def choice(value: Any, what: str, allowed: tuple[str, ...]) -> str:
    """One of some texts."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{what} is {value!r}; allowed are {', '.join(map(repr, allowed))}")
    return value


def items(value: Any, what: str, length: int | None = None) -> list[Any]:
    """A list, of a certain length if one is given."""
    if not isinstance(value, list | tuple):
        raise ValueError(f"{what} is {value!r}; allowed is a list")
    if length is not None and len(value) != length:
        raise ValueError(f"{what} has {len(value)} entries; allowed are {length}")
    return list(value)


class CardReader:
    """Reads cards of one position; no card may be there twice."""

    def __init__(self, deck: Deck) -> None:
        """`deck`: the cards in play."""
        self._deck = deck
        self._seen: set[int] = set()

    def card(self, text: Any) -> int:
        """The number of a card that hasn't been read before."""
        card = self._deck.card(text)
        if card in self._seen:
            raise ValueError(f"{text} is there twice")
        self._seen.add(card)
        return card

    def cards(self, value: Any, what: str, most: int) -> list[int]:
        """A list of at most `most` cards, sorted."""
        texts = items(value, what)
        if len(texts) > most:
            raise ValueError(f"{what} has {len(texts)} cards; allowed are at most {most}")
        return sorted(self.card(text) for text in texts)

    def play(self, value: Any, what: str, num_players: int) -> tuple[int, int]:
        """A pair of a seat and the card that it played."""
        who, text = items(value, what, 2)
        return seat(who, f"the seat in {what}", num_players), self.card(text)
