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
from trick_envs.games.voodoo_prince.rules import NUM_SUITS


def layout(s: State) -> Layout:
    """The feature groups for a game's settings."""
    seat, most = {"seat": int(s.num_players)}, int(s.max_round_points)
    suit = {"suit": NUM_SUITS}
    card = {**suit, "rank": int(s.num_ranks)}
    trick = {"trick": int(s.max_tricks)}
    return Layout(
        [
            ("hand", card, "the observer holds the card"),
            ("trick", seat | card, "the seat has played the card to the current trick"),
            ("played", seat | card, "the seat has played the card to an earlier trick of this round"),
            ("played_in", trick | card, "the card was played to this trick of the round", "history"),
            ("leader_in", trick | seat, "the seat led this trick", "history"),
            ("known_voids", seat | suit, "the seat has been shown to be void in the suit"),
            ("trump", suit, "the trump suit; none while it is being named"),
            ("current_player", seat, "the seat decides now; none when the game is over"),
            ("leader", seat, "the seat leads the current trick; none when the game is over"),
            ("out", seat, "the seat has left the round"),
            ("num_tricks", trick, "how many tricks of the round are finished, from 0"),
            ("round", {"round": int(s.num_rounds)}, "which round of the game this is", "round"),
            (
                "tricks",
                seat | {"count": int(s.max_taken)},
                "the seat has at least 1, 2, … tricks, as they count",
            ),
            (
                "round_points",
                seat | {"count": most},
                "the seat has made at least 1, 2, … points in this round",
            ),
            (
                "scores",
                seat | {"count": int(s.num_rounds) * most},
                "the seat's score is at least 1, 2, …",
                "score",
            ),
        ]
    )


@kernel
def observe(s: State, seat: int, features: NDArray[np.int8], at: int) -> None:
    """Writes all groups of the layout, in its order."""
    n = s.num_players
    at = write_cards(s, seat, features, at)
    at = write_leaders(s, seat, s.max_tricks, features, at)
    at = write_voids(s, seat, NUM_SUITS, features, at)
    at = write_one_hot(features, at, s.trump, NUM_SUITS)
    at = write_seat(s, seat, s.current_player, features, at)
    at = write_seat(s, seat, s.leader, features, at)
    for player in range(n):
        features[np.uintp(at + seats_away(s, seat, player))] = s.out[player]
    at += n
    at = write_one_hot(features, at, s.num_tricks, s.max_tricks)
    at = write_one_hot(features, at, s.round_number, s.num_rounds)
    write_numbers(s, seat, features, at)


@kernel
def write_cards(s: State, seat: int, features: NDArray[np.int8], at: int) -> int:
    """The first four groups: where the observer has seen each card in this round."""
    num_cards = NUM_SUITS * s.num_ranks
    for i in range(s.hand_sizes[seat]):
        set_feature(features, at + s.hands[seat, i])
    return write_played(s, seat, num_cards, s.max_tricks, features, at + num_cards)


@kernel
def write_numbers(s: State, seat: int, features: NDArray[np.int8], at: int) -> None:
    """The last three groups: each seat's tricks, points and score."""
    n = s.num_players
    most_tricks, most_points = s.max_taken, s.max_round_points
    most_score = s.num_rounds * most_points
    points_at = at + n * most_tricks
    scores_at = points_at + n * most_points
    for player in range(n):
        i = seats_away(s, seat, player)
        write_count(features, at + i * most_tricks, s.tricks[player], most_tricks)
        write_count(features, points_at + i * most_points, s.round_points[player], most_points)
        write_count(features, scores_at + i * most_score, s.scores[player], most_score)
