"""What a seat knows, as features. Seats count from the observer, itself first, then clockwise."""

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.kernel import State, kernel
from trick_envs.core.layout import (
    Layout,
    set_feature,
    write_count,
    write_one_hot,
    write_played,
    write_seat,
    write_voids,
)
from trick_envs.core.state import seats_away
from trick_envs.games.tighee.rules import BLACK, NUM_SUITS, Phase, lead_colour

SCORE_STEP = 10  # scores are written as tens and ones


def layout(s: State) -> Layout:
    """The feature groups for a game's settings."""
    seat, suit = {"seat": int(s.num_players)}, {"suit": NUM_SUITS}
    card = {**suit, "rank": int(s.num_ranks)}
    trick = {"trick": int(s.max_tricks)}
    count = {"count": int(s.max_tricks)}
    return Layout(
        [
            ("hand", card, "the observer holds the card"),
            ("picks", card, "the observer has laid the card into the deck in this round"),
            ("forest", card, "the card is the forest of the current trick"),
            ("old_forests", card, "the card was the forest of an earlier trick of this round"),
            ("trick", seat | card, "the seat has played the card to the current trick"),
            ("played", seat | card, "the seat has played the card to an earlier trick of this round"),
            (
                "played_in",
                trick | card,
                "the card was played to this trick of the round, or was its forest",
                "history",
            ),
            ("black", suit, "the suit is black: always 1 for `K`"),
            ("lead_colour", suit, "the colour to follow in the current trick; none before a card is led"),
            ("known_voids", seat | suit, "the seat has been shown to be void in the suit"),
            ("phase", {"phase": len(Phase) - 1}, "cards are picked, played; none when the game is over"),
            ("current_player", seat, "the seat decides now; none when the game is over"),
            ("leader", seat, "the seat leads the current trick; none before it is drawn, and when over"),
            ("round_leader", seat, "the seat leads the first trick of this round; none before it is drawn"),
            (
                "num_picks",
                seat | {"count": int(s.pick_size)},
                "the seat has laid at least 1, 2, … cards into the deck",
            ),
            ("num_tricks", trick, "how many tricks of the round are finished, from 0"),
            ("round", {"round": int(s.num_rounds)}, "which round of the game this is", "round"),
            ("tricks", seat | count, "the seat has at least 1, 2, … tricks"),
            (
                "score_tens",
                seat | {"count": int(s.num_score_tens)},
                "the seat's score is at least 10, 20, … above the least that is possible",
                "score",
            ),
            ("score_ones", seat | {"digit": SCORE_STEP}, "the last digit of that, from 0", "score"),
        ]
    )


@kernel
def observe(s: State, seat: int, features: NDArray[np.int8], at: int) -> None:
    """Writes all groups of the layout, in its order."""
    at = write_cards(s, seat, features, at)
    set_feature(features, at + BLACK)
    at += NUM_SUITS
    if s.cards_in_trick > 0:
        set_feature(features, at + lead_colour(s))
    at += NUM_SUITS
    at = write_voids(s, seat, NUM_SUITS, features, at)
    at = write_one_hot(features, at, s.phase, Phase.OVER)
    at = write_seat(s, seat, s.current_player, features, at)
    at = write_seat(s, seat, s.leader, features, at)
    at = write_seat(s, seat, s.round_leader, features, at)
    for player in range(s.num_players):
        start = at + seats_away(s, seat, player) * s.pick_size
        write_count(features, start, s.num_picks[player], s.pick_size)
    at += s.num_players * s.pick_size
    at = write_one_hot(features, at, s.num_tricks, s.max_tricks)
    at = write_one_hot(features, at, s.round_number, s.num_rounds)
    write_numbers(s, seat, features, at)


@kernel
def write_cards(s: State, seat: int, features: NDArray[np.int8], at: int) -> int:
    """The first seven groups: where the observer has seen each card in this round."""
    num_cards = NUM_SUITS * s.num_ranks
    picks_at = at + num_cards
    forest_at = picks_at + num_cards
    for i in range(s.hand_sizes[seat]):
        set_feature(features, at + s.hands[seat, i])
    for i in range(s.num_picks[seat]):
        set_feature(features, picks_at + s.picks[seat, i])
    if s.phase == Phase.PLAY:
        set_feature(features, forest_at + s.deck[s.num_tricks])
    return write_tricks(s, seat, features, forest_at + num_cards)


@kernel
def write_tricks(s: State, seat: int, features: NDArray[np.int8], at: int) -> int:
    """Old forest cards, the current trick, and who played what to which trick."""
    num_cards = NUM_SUITS * s.num_ranks
    played_in_at = at + (1 + 2 * s.num_players) * num_cards
    for trick in range(s.num_tricks):
        set_feature(features, at + s.deck[trick])
        set_feature(features, played_in_at + trick * num_cards + s.deck[trick])
    return write_played(s, seat, num_cards, s.max_tricks, features, at + num_cards)


@kernel
def write_numbers(s: State, seat: int, features: NDArray[np.int8], at: int) -> None:
    """The last three groups: each seat's tricks and score."""
    num_tens = s.num_score_tens
    tens_at = at + s.num_players * s.max_tricks
    ones_at = tens_at + s.num_players * num_tens
    for player in range(s.num_players):
        i = seats_away(s, seat, player)
        write_count(features, at + i * s.max_tricks, s.tricks[player], s.max_tricks)
        above_least = np.uintp(s.scores[player] - s.least_round_points * s.num_rounds)
        tens = above_least // np.uintp(SCORE_STEP)
        write_count(features, tens_at + i * num_tens, int(tens), num_tens)
        ones = above_least - tens * np.uintp(SCORE_STEP)
        set_feature(features, ones_at + i * SCORE_STEP + int(ones))
