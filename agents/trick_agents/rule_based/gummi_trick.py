"""A rule-based player of Gummi Trick.

It plays the card, or a face-down card, after which it is furthest ahead of the others, in points. Three
things go into that:

* The *colour*: how likely a card wins its colour in this trick follows from the cards that are still unseen,
  the colours that the seats still to play must follow first, and the voids that play has shown. A winner
  scores its own points and all cards below it, which others are made to add; a loser feeds somebody else.
* The *rest of the hand*: a low card is worth keeping for a trick in which it is alone in its colour, a high
  one for gathering a colour's cards; those between go first.
* The *face-down cards*: what is unseen says what one of them is worth on average. They are worth keeping for
  tricks in which all that the hand can follow with would lose.

It reads public fields of a state and the current player's own hand, nothing else.
"""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.cards import MAX_SUITS, NO_CARD, rank_of, suit_of
from trick_envs.core.dispatch import register_kernel
from trick_envs.core.game import States
from trick_envs.core.kernel import State, kernel
from trick_envs.core.state import left_of
from trick_envs.games.gummi_trick.rules import (
    MAX_CARDS,
    MAX_HAND,
    STATE,
    legal_actions,
    mark_seen,
)

# --- weights -------------------------------------------------------------------------------------------


class Weight(IntEnum):
    """The columns of `WEIGHTS`."""

    WILL = 0
    """How likely others beat a card when they needn't."""
    COVER = 1
    """How likely others play a face-down card while they have some."""
    STEAL = 2
    """How much of what the seat that holds a colour would win counts when it is beaten."""
    POINTS = 3
    """Points for keeping a card, for each that it shows."""
    HIGH = 4
    """Points for keeping a card that is above all unseen ones of its colour."""
    FACE_DOWN = 5
    """Points for keeping a face-down card."""
    LEAD = 6
    """Points for leading the next trick."""
    LONG = 7
    """Points for keeping a card, for each further one of its colour in hand."""


WEIGHTS = np.array(
    [
        [1.0, 0.15, 1.43, 0.56, 2.02, 1.99, -0.17, -0.47],
        [0.5, 0.36, 2.03, 0.15, 0.85, 2.51, -0.08, 0.36],
        [0.51, 0.13, 1.89, 0.02, 0.91, 2.16, -0.02, 0.73],
        [0.88, 0.27, 0.97, 0.33, 1.78, 2.79, 0.85, 0.62],
    ]
)
"""For 2, 3, 4 and 5 players. Tuned by many games against itself."""

FEWEST_PLAYERS = 2

VIEW = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("unseen", np.int32, (MAX_CARDS,)),  # 1: the current player hasn't seen the card
                ("higher", np.int32, (MAX_CARDS,)),  # unseen cards above it in its suit
                ("lower", np.int32, (MAX_CARDS,)),  # unseen cards below it in its suit
                ("suit_unseen", np.int32, (MAX_SUITS,)),
                ("num_unseen", np.int32),
                ("none_of", np.float64, (MAX_CARDS + 1,)),  # chance that a hand has none of so many cards
                ("in_trick", np.int32, (MAX_SUITS,)),  # cards of the suit in the current trick
                ("best", np.int32, (MAX_SUITS,)),  # the highest of them, NO_CARD if there is none
                ("length", np.int32, (MAX_SUITS,)),  # of the current player's suits
            ],
            align=True,
        ),
    )
)
"""What the current player makes of what it sees."""


# --- looking -------------------------------------------------------------------------------------------


@kernel
def look_at_cards(s: State, view: State) -> None:
    """Counts the cards that the current player hasn't seen."""
    seen = np.zeros(MAX_CARDS, np.uint8)
    mark_seen(s, s.current_player, seen)
    for suit in range(s.num_suits):
        count = 0
        for card in range(suit * s.num_ranks, (suit + 1) * s.num_ranks):
            view.lower[card] = count
            view.unseen[card] = 1 - seen[card]
            count += view.unseen[card]
        for card in range(suit * s.num_ranks, (suit + 1) * s.num_ranks):
            view.higher[card] = count - view.lower[card] - view.unseen[card]
        view.suit_unseen[suit] = count
        view.num_unseen += count
    share = min(1.0, s.hand_sizes[s.current_player] / max(1, view.num_unseen))
    view.none_of[0] = 1.0
    for i in range(MAX_CARDS):
        view.none_of[i + 1] = view.none_of[i] * (1.0 - share)


@kernel
def look_at_trick(s: State, view: State) -> None:
    """Finds who holds which colour so far, and how long the current player's own are."""
    for suit in range(s.num_suits):
        view.best[suit] = NO_CARD
    for seat in range(s.num_players):
        card = s.played[s.num_tricks, seat]
        if card != NO_CARD:
            suit = suit_of(s, card)
            view.in_trick[suit] += 1
            view.best[suit] = max(view.best[suit], card)
    for i in range(s.hand_sizes[s.current_player]):
        view.length[suit_of(s, s.hands[s.current_player, i])] += 1


# --- what a card is worth in this trick ----------------------------------------------------------------


@kernel
def chance_to_reach(s: State, view: State, seat: int, suit: int) -> float:
    """How likely a hand has none of the colours that come before a suit in this trick."""
    chance = 1.0
    for position in range(s.num_colours):
        earlier = s.colour_order[position]
        if earlier == suit:
            break
        if not s.known_voids[seat, earlier]:
            chance *= view.none_of[view.suit_unseen[earlier]]
    return chance


@kernel
def chance_to_beat(s: State, view: State, w: NDArray[np.float64], seat: int, card: int) -> float:
    """How likely a seat still to play beats a card: it wants to or has to, or turns up a higher card."""
    suit = suit_of(s, card)
    by_hand = 0.0
    if not s.known_voids[seat, suit]:
        will = w[Weight.WILL]
        has_to = view.none_of[view.lower[card]]
        by_hand = (1.0 - view.none_of[view.higher[card]]) * (will + (1.0 - will) * has_to)
        by_hand *= chance_to_reach(s, view, seat, suit)
    by_luck = view.higher[card] / max(1, view.num_unseen)
    cover = w[Weight.COVER] if s.face_down_left[seat] > 0 else 0.0
    return float((1.0 - cover) * by_hand + cover * by_luck)


@kernel
def chance_to_add(s: State, view: State, w: NDArray[np.float64], seat: int, card: int) -> float:
    """How likely a seat still to play adds a card of the same suit, whichever."""
    suit = suit_of(s, card)
    by_hand = 0.0
    if not s.known_voids[seat, suit]:
        by_hand = 1.0 - view.none_of[view.suit_unseen[suit]]
        by_hand *= chance_to_reach(s, view, seat, suit)
    by_luck = view.suit_unseen[suit] / max(1, view.num_unseen)
    cover = w[Weight.COVER] if s.face_down_left[seat] > 0 else 0.0
    return float((1.0 - cover) * by_hand + cover * by_luck)


@kernel
def worth_in_trick(s: State, view: State, w: NDArray[np.float64], card: int) -> float:
    """How far ahead of the others a card brings the current player in this trick, about."""
    suit = suit_of(s, card)
    rivalry = 1.0 / (s.num_players - 1)
    if view.best[suit] > card:
        return -rivalry
    holds = 1.0
    added = 0.0
    seat = left_of(s, s.current_player)
    for _ in range(s.num_players - s.cards_in_trick - 1):
        beats = chance_to_beat(s, view, w, seat, card)
        added += max(0.0, chance_to_add(s, view, w, seat, card) - beats)
        holds *= 1.0 - beats
        seat = left_of(s, seat)
    own = s.points[rank_of(s, card)] + view.in_trick[suit] + added + rivalry * added
    worth = holds * own - (1.0 - holds) * rivalry
    if view.in_trick[suit] > 0:
        of_holder = s.points[rank_of(s, view.best[suit])] + view.in_trick[suit] - 1
        worth += w[Weight.STEAL] * rivalry * of_holder
    if s.cards_in_trick == s.num_players - 1:
        worth += w[Weight.LEAD]
    return float(worth)


# --- deciding ------------------------------------------------------------------------------------------


@kernel
def worth_of_keeping(s: State, view: State, w: NDArray[np.float64], card: int) -> float:
    """What a card is worth to the current player after this trick: for its points, or for its height."""
    suit = suit_of(s, card)
    share_below = (view.lower[card] + 1.0) / (view.suit_unseen[suit] + 1.0)
    worth = w[Weight.POINTS] * s.points[rank_of(s, card)]
    worth += w[Weight.HIGH] * share_below * share_below * share_below
    return float(worth + w[Weight.LONG] * (view.length[suit] - 1))


@kernel
def worth_of_turning_up(s: State, view: State, w: NDArray[np.float64]) -> float:
    """The mean over all cards that a face-down card may be, less what it is worth later."""
    worth = 0.0
    for card in range(s.num_cards):
        if view.unseen[card]:
            worth += worth_in_trick(s, view, w, card)
    return float(worth / max(1, view.num_unseen) - w[Weight.FACE_DOWN])


@kernel
def choose_by(s: State, views: States, w: NDArray[np.float64], draw: float) -> int:
    """The action after which the current player is furthest ahead.

    `views`: room for a view, empty; `w`: weights.
    """
    actions = np.empty(MAX_HAND + 1, np.int32)
    count = legal_actions(s, actions)
    if count == 1:
        return int(actions[0])
    view = views[0]
    look_at_cards(s, view)
    look_at_trick(s, view)
    best_action = NO_CARD
    best_worth = -np.inf
    first = int(draw * count)
    for i in range(count):
        action = actions[(first + i) % count]
        if action == s.num_cards:
            worth = worth_of_turning_up(s, view, w)
        else:
            worth = worth_in_trick(s, view, w, action) - worth_of_keeping(s, view, w, action)
        if worth > best_worth:
            best_worth = worth
            best_action = action
    return int(best_action)


@kernel
def choose(s: State, draw: float) -> int:
    """The current player's action. `draw`, from 0 to below 1, decides between equals."""
    views = np.zeros(1, VIEW)
    return choose_by(s, views, WEIGHTS[s.num_players - FEWEST_PLAYERS], draw)


register_kernel(STATE, "choose", choose)
