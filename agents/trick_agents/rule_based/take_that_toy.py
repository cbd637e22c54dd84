"""A rule-based player of Take That Toy!.

It plays the card after which the trick is worth most to it. What goes into that:

* The *displays*: each further suit is worth more than the one before, the fifth wins. A trick with a suit
  that the winner lacks helps it; one with the fourth card of a suit makes that suit burst. So the player
  wants tricks with suits that it lacks, feeds the others what bursts, and keeps from them what they lack.
* The *trick*: who holds it, by all that is known of a 1 beside its 7, how likely the seats still to play take
  it, which they rather do when it helps them, and what they are likely to add.
* The *hand*: high cards and trumps are worth keeping for a trick that matters.

It reads public fields of a state and the current player's own hand, nothing else.
"""

import numpy as np

from trick_envs.core.cards import NO_CARD, rank_of, suit_of
from trick_envs.core.dispatch import register_kernel
from trick_envs.core.game import States
from trick_envs.core.kernel import State, kernel
from trick_envs.core.state import NOBODY, left_of
from trick_envs.games.take_that_toy.rules import (
    MAX_CARDS,
    MAX_HAND,
    MOST_OF_SUIT,
    NUM_SUITS,
    ONE,
    STATE,
    height,
    highest_rank,
    legal_actions,
    mark_seen,
    player_of,
    unknown_ranks,
    winner_of_trick,
)

# --- weights -------------------------------------------------------------------------------------------
# Tuned by many games against random players and against itself.

# What a display of so many suits is worth.
SUITS_WORTH = (0.0, 1.0, 2.2, 4.0, 8.4, 49.0)
CARD_WORTH = 0.05  # of a card in a display
DANGER_WORTH = -0.64  # of a suit of which the display holds as many as it can
RIVALRY = 0.27  # what others gain, against what the player gains
LEAD_WORTH = 0.1  # of leading the next trick

# How likely others take a trick when they can: in general, and for each point that they gain by it.
WILL = 0.4
WILL_PER_POINT = 0.15

# Keeping a card of top height, and keeping a trump.
HIGH_WORTH = 0.8
TRUMP_WORTH = 5.1


# --- what is known -------------------------------------------------------------------------------------

VIEW = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("unseen", np.uint8, (MAX_CARDS,)),  # 1: another hand may hold the card
                ("suit_shares", np.float64, (NUM_SUITS,)),  # of the suits among these
                ("none_of", np.float64, (MAX_CARDS + 1,)),  # chance that a hand holds none of so many cards
                (
                    "trick_counts",
                    np.int32,
                    (NUM_SUITS,),
                ),  # of cards in the trick, the current player's included
            ],
            align=True,
        ),
    )
)
"""What the current player makes of its position. Kernels hand it on beside the state."""


@kernel
def look_at_cards(s: State, view: State) -> None:
    """Which cards the other hands may hold, and how likely a hand holds none of some."""
    seen = np.zeros(MAX_CARDS, np.uint8)
    mark_seen(s, s.current_player, seen)
    num_unseen = 0
    for card in range(s.num_cards):
        view.unseen[card] = 1 - seen[card]
        for number in range(s.num_bursts):
            if (unknown_ranks(s, s.current_player, number, suit_of(s, card)) >> rank_of(s, card)) & 1:
                view.unseen[card] = 1
        num_unseen += view.unseen[card]
    num_held = 0
    for seat in range(s.num_players):
        num_held += s.hand_sizes[seat]
    num_held -= s.hand_sizes[s.current_player]
    share = min(1.0, num_held / (s.num_players - 1) / max(1, num_unseen))
    view.none_of[0] = 1.0
    for count in range(s.num_cards):
        view.none_of[count + 1] = view.none_of[count] * (1.0 - share)
        view.suit_shares[suit_of(s, count)] += view.unseen[count] / max(1, num_unseen)


@kernel
def look_at_trick(s: State, view: State) -> None:
    """How many cards of each suit the trick has."""
    for suit in range(NUM_SUITS):
        view.trick_counts[suit] = 0
    for seat in range(s.num_players):
        if s.played[s.num_tricks, seat] != NO_CARD:
            view.trick_counts[suit_of(s, s.played[s.num_tricks, seat])] += 1


# --- what a trick is worth -----------------------------------------------------------------------------


@kernel
def worth_of_display(s: State, view: State, seat: int, num_tricks: int, extra_suit: int) -> float:
    """What a seat's display is worth, with the current trick laid out (1) or not (0), when suits have burst.

    `extra_suit`: of one more card, or NUM_SUITS for none.
    """
    num_suits = 0
    worth = 0.0
    for suit in range(NUM_SUITS):
        count = int(s.suit_counts[seat, suit]) + num_tricks * view.trick_counts[suit] + (suit == extra_suit)
        if 0 < count <= MOST_OF_SUIT:
            num_suits += 1
            worth += CARD_WORTH * count
            if count == MOST_OF_SUIT:
                worth += DANGER_WORTH
    return float(worth + SUITS_WORTH[num_suits])


@kernel
def gain_of(s: State, view: State, seat: int, num_to_come: int) -> float:
    """What a seat gains by the trick, with what the seats still to play are likely to add."""
    worth = worth_of_display(s, view, seat, 1, NUM_SUITS)
    gain = worth - worth_of_display(s, view, seat, 0, NUM_SUITS)
    for suit in range(NUM_SUITS):
        change = worth_of_display(s, view, seat, 1, suit) - worth
        gain += num_to_come * view.suit_shares[suit] * change
    return float(gain)


@kernel
def worth_if_won(s: State, view: State, winner: int, num_to_come: int) -> float:
    """What it is worth to the current player that a seat wins the trick."""
    gain = gain_of(s, view, winner, num_to_come)
    if winner == s.current_player:
        return gain + LEAD_WORTH
    return -RIVALRY * gain


@kernel
def num_beating(s: State, view: State, holder: int) -> int:
    """How many cards that other hands may hold would take the trick from its holder."""
    card = s.played[s.num_tricks, holder]
    first = card - rank_of(s, card)
    count = 0
    for other in range(first, first + s.num_ranks):
        if view.unseen[other] and 2 * rank_of(s, other) > height(s, holder):
            count += 1
    if rank_of(s, card) != ONE and player_of(s, first + highest_rank(s) - 1) != NOBODY:
        count += view.unseen[first]
    if suit_of(s, card) != s.trump:
        trump = s.trump * s.num_ranks
        for other in range(trump, trump + s.num_ranks):
            count += view.unseen[other]
    return count


@kernel
def worth_of_trick(s: State, view: State) -> float:
    """What the current trick is worth to the current player, whose card lies in it."""
    look_at_trick(s, view)
    holder = winner_of_trick(s)
    can_take = 1.0 - view.none_of[num_beating(s, view, holder)]
    num_to_come = s.num_players - s.cards_in_trick - 1
    worth = 0.0
    holds = 1.0
    seat = s.current_player
    for _ in range(num_to_come):
        seat = left_of(s, seat)
        will = WILL + WILL_PER_POINT * gain_of(s, view, seat, num_to_come)
        takes = can_take * min(1.0, max(0.0, will))
        worth += holds * takes * worth_if_won(s, view, seat, num_to_come)
        holds *= 1.0 - takes
    return worth + holds * worth_if_won(s, view, holder, num_to_come)


@kernel
def worth_of_keeping(s: State, card: int) -> float:
    """What a card is worth to the current player after this trick."""
    worth = HIGH_WORTH * rank_of(s, card) / highest_rank(s)
    if suit_of(s, card) == s.trump:
        worth += TRUMP_WORTH
    return worth


# --- deciding ------------------------------------------------------------------------------------------


@kernel
def choose_by(s: State, views: States, draw: float) -> int:
    """The card with which the trick is worth most. `views`: room for a view, empty."""
    cards = np.empty(MAX_HAND, np.int32)
    count = legal_actions(s, cards)
    if count == 1:
        return int(cards[0])
    view = views[0]
    look_at_cards(s, view)
    best_card = NO_CARD
    best_worth = -np.inf
    for i in range(count):
        card = cards[(i + int(draw * count)) % count]
        s.played[s.num_tricks, s.current_player] = card  # for a moment, to look at the trick
        worth = worth_of_trick(s, view) - worth_of_keeping(s, card)
        s.played[s.num_tricks, s.current_player] = NO_CARD
        if worth > best_worth:
            best_worth = worth
            best_card = card
    return int(best_card)


@kernel
def choose(s: State, draw: float) -> int:
    """The current player's action. `draw`, from 0 to below 1, decides between equals."""
    views = np.zeros(1, VIEW)
    return choose_by(s, views, draw)


register_kernel(STATE, "choose", choose)
