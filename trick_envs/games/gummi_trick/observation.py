"""What a seat knows, as features. Seats count from the observer, itself first, then clockwise."""

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.kernel import State, kernel
from trick_envs.core.layout import (
    Layout,
    set_feature,
    write_count,
    write_leaders,
    write_one_hot,
    write_played,
    write_seat,
    write_voids,
)
from trick_envs.core.state import seats_away


def layout(s: State) -> Layout:
    """The feature groups for a game's settings."""
    n = int(s.num_players)
    seat, suit = {"seat": n}, {"suit": int(s.num_suits)}
    card = {**suit, "rank": int(s.num_ranks)}
    trick = {"trick": int(s.max_tricks)}
    return Layout(
        [
            ("hand", card, "the observer holds the card in its hand"),
            ("trick", seat | card, "the seat has played the card to the current trick"),
            ("played", seat | card, "the seat has played the card to an earlier trick"),
            (
                "played_in",
                trick | card,
                "the card was played to this trick of the game, now finished",
                "history",
            ),
            ("leader_in", trick | seat, "the seat led this trick", "history"),
            ("turned_up", card, "the card that was played had been a face-down card"),
            ("face_up", seat | card, "the seat has won with the card, which now lies face up before it"),
            ("known_voids", seat | suit, "the seat's hand has been shown to be void in the suit"),
            ("colour_order", {"place": n - 1} | suit, "the first, second, … colour of the current trick"),
            ("current_player", seat, "the seat decides now; none when the game is over"),
            ("leader", seat, "the seat leads the current trick; none when the game is over"),
            ("num_tricks", trick, "how many tricks are finished, from 0; none when the game is over"),
            (
                "face_down",
                seat | {"count": int(s.num_face_down)},
                "the seat has at least 1, 2, … face-down cards",
            ),
            (
                "taken",
                seat | {"count": int(s.max_tricks) * (n - 1)},
                "the seat has taken at least 1, 2, … cards of others",
            ),
            ("scores", seat | {"count": int(s.max_score)}, "the seat's score is at least 1, 2, …", "score"),
        ]
    )


@kernel
def observe(s: State, seat: int, features: NDArray[np.int8], at: int) -> None:
    """Writes all groups of the layout, in its order."""
    at = write_cards(s, seat, features, at)
    at = write_leaders(s, seat, s.max_tricks, features, at)
    at = write_turned_up(s, features, at)
    at = write_face_up(s, seat, features, at)
    at = write_voids(s, seat, s.num_suits, features, at)
    for i in range(s.num_players - 1):
        at = write_one_hot(features, at, s.colour_order[i], s.num_suits)
    at = write_seat(s, seat, s.current_player, features, at)
    at = write_seat(s, seat, s.leader, features, at)
    at = write_one_hot(features, at, s.num_tricks, s.max_tricks)
    write_numbers(s, seat, features, at)


@kernel
def write_cards(s: State, seat: int, features: NDArray[np.int8], at: int) -> int:
    """The first four groups: where the observer has seen each card."""
    for i in range(s.hand_sizes[seat]):
        set_feature(features, at + s.hands[seat, i])
    return write_played(s, seat, s.num_cards, s.max_tricks, features, at + s.num_cards)


@kernel
def write_turned_up(s: State, features: NDArray[np.int8], at: int) -> int:
    """The played cards that had been face-down cards."""
    for trick in range(s.num_tricks + 1):
        for player in range(s.num_players):
            # No branch, since nobody foresees it; where no card is played, nothing changes.
            features[np.uintp(at + max(s.played[trick, player], 0))] |= s.turned_up[trick, player]
    return int(at + s.num_cards)


@kernel
def write_face_up(s: State, seat: int, features: NDArray[np.int8], at: int) -> int:
    """The cards that each seat has won with."""
    for player in range(s.num_players):
        start = at + seats_away(s, seat, player) * s.num_cards
        for i in range(s.num_face_up[player]):
            set_feature(features, start + s.face_up[player, i])
    return int(at + s.num_players * s.num_cards)


@kernel
def write_numbers(s: State, seat: int, features: NDArray[np.int8], at: int) -> None:
    """The last three groups: each seat's face-down cards, taken cards and score."""
    n = s.num_players
    most_taken = s.max_tricks * (n - 1)
    taken_at = at + n * s.num_face_down
    scores_at = taken_at + n * most_taken
    for player in range(n):
        i = seats_away(s, seat, player)
        write_count(features, at + i * s.num_face_down, s.face_down_left[player], s.num_face_down)
        write_count(features, taken_at + i * most_taken, s.taken[player], most_taken)
        write_count(features, scores_at + i * s.max_score, s.scores[player], s.max_score)
