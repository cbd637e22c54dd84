"""The rules of Voodoo Prince (Reiner Knizia), as kernels over one record. See this folder's README.md."""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.cards import NO_CARD, rank_of, suit_of
from trick_envs.core.dealing import deal_unseen
from trick_envs.core.hands import (
    add_to_hand,
    cards_of_suit,
    clear_hand,
    clear_voids,
    give_cards,
    hand_fields,
    list_unseen,
    mark_hand,
    remove_from_hand,
    take_other_hands,
    void_field,
    whole_hand,
)
from trick_envs.core.kernel import State, kernel
from trick_envs.core.random import random_below, shuffle
from trick_envs.core.state import (
    MAX_SEATS,
    NOBODY,
    Field,
    clear_scores,
    highest_score_wins,
    left_of,
    state_dtype,
)
from trick_envs.core.tricks import clear_tricks, lead_trick, led_card, mark_played, trick_fields

SUITS = "BGRYP"
NUM_SUITS = len(SUITS)
NO_SUIT = -1
MAX_RANKS = 16
MAX_CARDS = NUM_SUITS * MAX_RANKS
MAX_HAND = 14
MAX_TRICKS = MAX_HAND  # of a round
DOUBLE_RANKS = (5, 7)  # a trick won with one of these counts as two, as far as the deck has them


class Phase(IntEnum):
    """What is being decided."""

    NAME_TRUMP = 0
    PLAY = 1
    OVER = 2


class TwoPlayerScoring(IntEnum):
    """Setting: what the seat that is left scores in a game of two."""

    SHORTFALL = 0
    LITERAL = 1


STATE = state_dtype(
    "voodoo_prince",
    [
        # settings
        Field("num_ranks", np.int32, "of each suit, from 0"),
        Field("hand_size", np.int32, "cards dealt to a seat"),
        Field("goal", np.int32, "tricks with which a seat leaves the round"),
        Field("num_rounds", np.int32, "of a game"),
        Field("two_player_scoring", np.int32, "what the seat that is left scores: TwoPlayerScoring"),
        Field("max_tricks", np.int32, "the most tricks that a round can have"),
        Field("max_trick_value", np.int32, "as how many tricks one can count"),
        Field("max_taken", np.int32, "the most tricks that a seat can have, as they count"),
        Field("max_round_points", np.int32, "the most points that a seat can make in a round"),
        # the round
        Field("trump", np.int32, "suit, NO_SUIT while it is being named"),
        *hand_fields(MAX_HAND, "a seat that is out keeps its hand"),
        void_field(NUM_SUITS),
        Field("tricks", np.int32, "counted; a trick can count as two", {"seat": MAX_SEATS}),
        Field("out", np.uint8, "1: has reached the goal and left the round", {"seat": MAX_SEATS}),
        Field("round_points", np.int32, "made in this round", {"seat": MAX_SEATS}),
        *trick_fields(MAX_TRICKS),
    ],
)


# --- seats ------------------------------------------------------------------------------------------------


@kernel
def num_seats_in(s: State) -> int:
    """How many seats are still in the round."""
    count = 0
    for seat in range(s.num_players):
        if not s.out[seat]:
            count += 1
    return count


@kernel
def seat_in_from(s: State, seat: int) -> int:
    """The seat itself, or else the next one to its left that is still in the round."""
    while s.out[seat]:
        seat = left_of(s, seat)
    return seat


# --- dealing ----------------------------------------------------------------------------------------------


@kernel
def new_game(s: State) -> None:
    """Round 0: a random seat leads, and a trump suit is turned up at random."""
    clear_scores(s)
    deal(s)
    s.trump = random_below(s, NUM_SUITS)
    s.phase = Phase.PLAY
    lead_trick(s, random_below(s, s.num_players))


@kernel
def deal(s: State) -> None:
    """Shuffles all cards and deals; the rest is set aside unseen."""
    clear_round(s)
    num_cards = NUM_SUITS * s.num_ranks
    holders = np.full(MAX_CARDS, NOBODY, np.int32)
    for i in range(s.num_players * s.hand_size):
        holders[i] = i % s.num_players
    shuffle(s, holders, num_cards)
    for card in range(num_cards):
        if holders[card] != NOBODY:
            add_to_hand(s, holders[card], card)


@kernel
def clear_round(s: State) -> None:
    """An empty table: no hands, no tricks, nobody out, nothing known."""
    s.trump = NO_SUIT
    for seat in range(MAX_SEATS):
        clear_hand(s, seat)
        s.tricks[seat] = 0
        s.out[seat] = 0
        s.round_points[seat] = 0
        clear_voids(s, seat)
    clear_tricks(s)


# --- what may be done -------------------------------------------------------------------------------------


@kernel
def legal_actions(s: State, actions: NDArray[np.int32]) -> int:
    """Any suit as trump. In play a seat must follow the lead suit if it can; otherwise any card goes."""
    if s.phase == Phase.NAME_TRUMP:
        for suit in range(NUM_SUITS):
            actions[suit] = NUM_SUITS * s.num_ranks + suit
        return NUM_SUITS
    count = 0
    if s.cards_in_trick > 0:
        count = cards_of_suit(s, suit_of(s, led_card(s)), actions)
    return count if count > 0 else whole_hand(s, actions)


# --- playing ----------------------------------------------------------------------------------------------


@kernel
def step(s: State, action: int) -> None:
    """Names the trump suit or plays a card."""
    if s.phase == Phase.NAME_TRUMP:
        s.trump = action - NUM_SUITS * s.num_ranks
        s.phase = Phase.PLAY
    else:
        play_card(s, action)


@kernel
def play_card(s: State, card: int) -> None:
    """The current player plays a card; whoever doesn't follow shows that it is void in the lead suit."""
    seat = s.current_player
    remove_from_hand(s, seat, card)
    s.played[s.num_tricks, seat] = card
    s.cards_in_trick += 1
    lead_suit = suit_of(s, led_card(s))
    if suit_of(s, card) != lead_suit:
        s.known_voids[seat, lead_suit] = 1
    if s.cards_in_trick == num_seats_in(s):
        finish_trick(s)
    else:
        s.current_player = seat_in_from(s, left_of(s, seat))


@kernel
def finish_trick(s: State) -> None:
    """The winner takes the trick, leaves the round if that is its goal, and leads if it is still in."""
    winner = winner_of_trick(s)
    s.tricks[winner] += trick_value(s, s.played[s.num_tricks, winner])
    s.num_tricks += 1
    s.cards_in_trick = 0
    if s.tricks[winner] >= s.goal:
        leave_round(s, winner)
    s.leader = seat_in_from(s, winner)
    s.current_player = s.leader
    if num_seats_in(s) == 1:
        finish_round(s)
    else:
        s.trick_leaders[s.num_tricks] = s.leader


@kernel
def winner_of_trick(s: State) -> int:
    """The highest trump wins; without a trump, the highest card of the lead suit."""
    winner, best = s.leader, -1
    for seat in range(s.num_players):
        card = s.played[s.num_tricks, seat]
        if card != NO_CARD:
            strength_of_card = strength(s, card)
            if strength_of_card > best:
                winner, best = seat, strength_of_card
    return int(winner)


@kernel
def strength(s: State, card: int) -> int:
    """How strong a card is in the current trick; -1 if it can't win."""
    suit = suit_of(s, card)
    if suit == s.trump:
        return int(height(s, card) + MAX_RANKS + 1)
    if suit == suit_of(s, led_card(s)):
        return height(s, card)
    return -1


@kernel
def height(s: State, card: int) -> int:
    """The height of a card within its suit: a 0 is above the top card while that is in the same trick."""
    rank = rank_of(s, card)
    if rank == 0:
        top_card = card + s.num_ranks - 1
        for seat in range(s.num_players):
            if s.played[s.num_tricks, seat] == top_card:
                return int(s.num_ranks)
    return rank


@kernel
def trick_value(s: State, winning_card: int) -> int:
    """A trick won with a 5 or a 7 counts as two."""
    rank = rank_of(s, winning_card)
    if rank == DOUBLE_RANKS[0] or rank == DOUBLE_RANKS[1]:
        return 2
    return 1


@kernel
def leave_round(s: State, seat: int) -> None:
    """A seat that leaves scores the tricks that all others have so far, those already out included."""
    s.out[seat] = 1
    others = 0
    for other in range(s.num_players):
        if other != seat:
            others += s.tricks[other]
    score(s, seat, others)


@kernel
def score(s: State, seat: int, points: int) -> None:
    """Adds points, in the round and in the game."""
    s.round_points[seat] += points
    s.scores[seat] += points


@kernel
def finish_round(s: State) -> None:
    """The seat that is left scores its own tricks; it leads the next round and names the trump suit."""
    last = s.leader
    if s.num_players == 2 and s.two_player_scoring == TwoPlayerScoring.SHORTFALL:
        score(s, last, s.goal - s.tricks[last])
    else:
        score(s, last, s.tricks[last])
    if s.round_number + 1 == s.num_rounds:
        finish_game(s)
        return
    s.round_number += 1
    deal(s)
    s.phase = Phase.NAME_TRUMP
    lead_trick(s, last)


@kernel
def finish_game(s: State) -> None:
    """The highest total wins; ties share the win."""
    s.phase = Phase.OVER
    s.leader = NOBODY
    s.current_player = NOBODY
    highest_score_wins(s)


# --- what a seat doesn't know -----------------------------------------------------------------------------


@kernel
def mark_seen(s: State, seat: int, seen: NDArray[np.uint8]) -> None:
    """Marks the cards (MAX_CARDS,) that a seat has seen in this round: its hand, and all that was played."""
    mark_hand(s, seat, seen)
    mark_played(s, seen)


@kernel
def resample(s: State, seat: int) -> None:
    """Deals the unseen cards anew to the other hands and the cards set aside.

    Every deal in which no seat holds a suit that it has been shown to be void in is equally likely; see
    `trick_envs.core.dealing` for how. Nothing else is hidden.
    """
    seen = np.zeros(MAX_CARDS, np.uint8)
    mark_seen(s, seat, seen)
    unseen = np.empty(MAX_CARDS, np.int32)
    suits = np.empty(MAX_CARDS, np.int32)
    num_unseen = list_unseen(s, seen, NUM_SUITS * s.num_ranks, unseen, suits)
    # The last receiver is the pile of cards set aside.
    capacity = np.zeros(MAX_SEATS + 1, np.int32)
    excluded = np.zeros((MAX_SEATS + 1, NUM_SUITS), np.uint8)
    capacity[MAX_SEATS] = num_unseen - take_other_hands(s, seat, capacity, excluded)
    receivers = np.empty(MAX_CARDS, np.int32)
    deal_unseen(s, suits, num_unseen, capacity, excluded, receivers)
    give_cards(s, unseen, receivers, num_unseen, unseen)
