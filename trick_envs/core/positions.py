"""Positions to and from plain Python: what the games' own modules share.

A position is what `Game.to_dict` gives. Whatever is wrong in one is said in one sentence.
"""

from collections.abc import Collection, Mapping
from typing import Any

from trick_envs.core.cards import NO_CARD, Deck
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import State
from trick_envs.core.state import NOBODY
from trick_envs.core.validation import choice, given, items, seat

# --- writing ----------------------------------------------------------------------------------------------


def seat_or_none(number: int) -> int | None:
    """A seat, None for NOBODY."""
    return None if number == NOBODY else int(number)


def known_tricks(s: State) -> list[int]:
    """The finished tricks of this round of which a position knows the plays."""
    leaders = s.trick_leaders[: s.num_tricks].tolist()
    return [trick for trick, leader in enumerate(leaders) if leader != NOBODY]


def seats_in_order(s: State, trick: int) -> list[int]:
    """The seats that have played to a trick, in their order."""
    n, leader, played = int(s.num_players), int(s.trick_leaders[trick]), s.played[trick]
    return [seat % n for seat in range(leader, leader + n) if played[seat % n] != NO_CARD]


def plays_of(s: State, deck: Deck, trick: int) -> list[list[Any]]:
    """A trick's plays in their order, each a seat and the text of its card."""
    played = s.played[trick]
    return [[seat, deck.text(played[seat])] for seat in seats_in_order(s, trick)]


# --- reading ----------------------------------------------------------------------------------------------


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


def replay(game: Game, states: States, position: Mapping[str, Any], plays: list[tuple[int, int]]) -> None:
    """Plays on from a state (1,); raises where that is against the rules or ends otherwise than `position`.

    Voids aren't compared: of those shown before, only the position itself may know.
    """
    for who, card in plays:
        if states[0].current_player != who or not game.action_masks(states)[0, card]:
            raise ValueError(f"history or trick: seat {who} can't have played {game.deck.text(card)}")
        game.step(states, [card])
    for key, value in game.to_dict(states).items():
        if key != "known_voids" and value != position[key]:
            raise ValueError(f"{key} is {position[key]!r}; by history and trick it is {value!r}")


def voids(
    s: State, d: Mapping[str, Any], suits: str, is_all_known: bool, exempt: Collection[int] = ()
) -> None:
    """Reads what is known of voids. `s` knows what the given tricks show; those before may have shown more.

    For records with `known_voids`, `hands`, `played` and `trick_leaders`. `exempt`: cards about which a void
    says nothing.
    """
    n = int(s.num_players)
    value = given(d, "known_voids", None)
    if value is None:
        return
    shown = s.known_voids.copy()
    s.known_voids[:] = 0
    for who, letters in enumerate(items(value, "known_voids", n)):
        for letter in items(letters, "known_voids of a seat"):
            s.known_voids[who, suits.index(choice(letter, "known_voids", tuple(suits)))] = 1
    if (shown > s.known_voids).any() or (is_all_known and (shown < s.known_voids).any()):
        raise ValueError(f"known_voids is {value!r}; history and trick show something else")
    for who in range(n):
        # A void that was shown before the given tricks holds for these, too.
        cards = [*s.hands[who], *s.played[s.trick_leaders != NOBODY, who]]
        for suit in [card // s.num_ranks for card in cards if card != NO_CARD and card not in exempt]:
            if s.known_voids[who, suit] and not shown[who, suit]:
                raise ValueError(f"seat {who} holds or held {suits[suit]}, in which it is known to be void")
