"""Cards, their suits and ranks, and their texts.

A card is a number from 0, counted in suit, then rank order. Its text is the suit's letter and the rank,
for instance ``R10``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trick_envs.core.kernel import State, kernel

MAX_SUITS = 6
"""No deck has more."""

NO_CARD = -1
"""Stands where a card could be and none is."""

CARD = np.int16
"""Type of cards in records: wide enough for any index into an observation that is computed from a card."""


@kernel
def suit_of(s: State, card: int) -> int:
    """The suit of a card, by the record's `num_ranks`."""
    suit = 0
    for higher in range(1, MAX_SUITS):  # faster than to divide
        suit += card >= higher * s.num_ranks
    return suit


@kernel
def rank_of(s: State, card: int) -> int:
    """The index of a card's rank in its suit, from 0, by the record's `num_ranks`."""
    return card - suit_of(s, card) * s.num_ranks


@dataclass(frozen=True)
class Deck:
    """The cards in play: every suit with the same ranks."""

    suits: str
    """One letter per suit, in suit order."""
    lowest_rank: int
    num_ranks: int
    left_out: tuple[int, ...] = ()
    """Ranks between the lowest and the highest that no suit has."""

    def __len__(self) -> int:
        return len(self.suits) * self.num_ranks

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """The ranks of every suit, ascending."""
        every = range(self.lowest_rank, self.lowest_rank + self.num_ranks + len(self.left_out))
        return tuple(rank for rank in every if rank not in self.left_out)

    @property
    def highest_rank(self) -> int:
        """The rank of every suit's top card."""
        return self.ranks[-1]

    def text(self, card: int) -> str:
        """The text of a card, ``-`` for NO_CARD."""
        return "-" if card == NO_CARD else self._texts[card]

    def texts(self, cards: Iterable[int]) -> list[str]:
        """The texts of cards, in suit, then rank order."""
        return [self.text(card) for card in sorted(cards)]

    @cached_property
    def _texts(self) -> list[str]:
        return [f"{suit}{rank}" for suit in self.suits for rank in self.ranks]

    def all_texts(self) -> list[str]:
        """The texts of the whole deck, in order."""
        return list(self._texts)

    def card(self, text: object) -> int:
        """The number of the card with this text.

        Raises:
            ValueError: The text names no card of this deck.
        """
        if isinstance(text, str) and text[:1] in self.suits and text[1:].isdecimal():
            rank = int(text[1:])
            if rank in self.ranks and text[1:] == str(rank):
                return self.suits.index(text[0]) * self.num_ranks + self.ranks.index(rank)
        raise ValueError(
            f"unknown card {text!r}; choose from {self.text(0)} to {self.text(len(self) - 1)}, "
            f"suits {self.suits}"
        )

    def suit(self, letter: object) -> int:
        """The number of the suit with this letter.

        Raises:
            ValueError: There is no such suit.
        """
        if isinstance(letter, str) and len(letter) == 1 and letter in self.suits:
            return self.suits.index(letter)
        raise ValueError(f"unknown suit {letter!r}; choose from {', '.join(self.suits)}")

    def suit_letters(self, flags: Sequence[int]) -> list[str]:
        """The letters of the suits whose flag is set, in suit order."""
        return [letter for letter, flag in zip(self.suits, flags, strict=False) if flag]
