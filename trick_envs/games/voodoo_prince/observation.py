"""What a seat knows, as features. Seats count from the observer, itself first, then clockwise."""

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.cards import NO_CARD
from trick_envs.core.kernel import State, kernel
from trick_envs.core.layout import ObservationLayout, write_count, write_one_hot
from trick_envs.core.state import NOBODY
from trick_envs.games.voodoo_prince.rules import NUM_SUITS


def layout(s: State) -> ObservationLayout:
    """The feature groups for a game's settings."""
    n, suits, cards = int(s.num_players), NUM_SUITS, NUM_SUITS * int(s.num_ranks)
    most = int(s.max_round_points)
    return ObservationLayout(
        [
            ("hand", (cards,), "the observer holds the card"),
            ("trick", (n, cards), "the seat has played the card to the current trick"),
            ("played", (n, cards), "the seat has played the card to an earlier trick of this round"),
            ("played_in", (int(s.max_tricks), cards), "the card was played to this trick of the round"),
            ("known_voids", (n, suits), "the seat has been shown to be void in the suit"),
            ("trump", (suits,), "the trump suit; none while it is being named"),
            ("mover", (n,), "the seat decides now; none when the game is over"),
            ("leader", (n,), "the seat leads the current trick; none when the game is over"),
            ("out", (n,), "the seat has left the round"),
            ("hand_size", (n, int(s.hand_size)), "the seat holds at least 1, 2, … cards"),
            ("tricks", (n, int(s.goal) + 1), "the seat has at least 1, 2, … tricks, as they count"),
            ("round_points", (n, most), "the seat has made at least 1, 2, … points in this round"),
            ("round", (int(s.num_rounds),), "which round of the game this is"),
            ("scores", (n, int(s.num_rounds) * most), "the seat's score is at least 1, 2, …"),
        ]
    )


@kernel
def observe(s: State, seat: int, features: NDArray[np.int8]) -> None:
    """Writes all groups of the layout, in its order."""
    n = s.num_players
    most = s.max_round_points
    at = write_cards(s, seat, features)
    for i in range(n):
        for suit in range(NUM_SUITS):
            features[at + suit] = s.known_voids[(seat + i) % n, suit]
        at += NUM_SUITS
    at = write_one_hot(features, at, s.trump, NUM_SUITS)
    at = write_seat(s, seat, s.mover, features, at)
    at = write_seat(s, seat, s.leader, features, at)
    for i in range(n):
        features[at + i] = s.out[(seat + i) % n]
    at += n
    for i in range(n):
        at = write_count(features, at, s.hand_sizes[(seat + i) % n], s.hand_size)
    for i in range(n):
        at = write_count(features, at, s.tricks[(seat + i) % n], s.goal + 1)
    for i in range(n):
        at = write_count(features, at, s.round_points[(seat + i) % n], most)
    at = write_one_hot(features, at, s.round_number, s.num_rounds)
    for i in range(n):
        at = write_count(features, at, s.scores[(seat + i) % n], s.num_rounds * most)


@kernel
def write_cards(s: State, seat: int, features: NDArray[np.int8]) -> int:
    """The first four groups: where the observer has seen each card in this round."""
    n = s.num_players
    num_cards = NUM_SUITS * s.num_ranks
    trick_at = num_cards
    played_at = trick_at + n * num_cards
    played_in_at = played_at + n * num_cards
    for i in range(s.hand_sizes[seat]):
        features[s.hands[seat, i]] = 1
    for i in range(n):
        player = (seat + i) % n
        card = s.played[s.num_tricks, player]
        if card != NO_CARD:
            features[trick_at + i * num_cards + card] = 1
        for trick in range(s.num_tricks):
            card = s.played[trick, player]
            if card != NO_CARD:
                features[played_at + i * num_cards + card] = 1
                features[played_in_at + trick * num_cards + card] = 1
    return played_in_at + s.max_tricks * num_cards


@kernel
def write_seat(s: State, seat: int, who: int, features: NDArray[np.int8], at: int) -> int:
    """A seat, counted from the observer; nothing for NOBODY."""
    if who != NOBODY:
        features[at + (who - seat) % s.num_players] = 1
    return at + s.num_players
