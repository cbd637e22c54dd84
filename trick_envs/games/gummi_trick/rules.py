"""The rules of Gummi Trick (OKAZU brand), as kernels over one record. See this folder's README.md."""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.cards import CARD, MAX_SUITS, NO_CARD, rank_of, suit_of
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
from trick_envs.core.state import MAX_SEATS, NOBODY, Field, clear_scores, left_of, state_dtype
from trick_envs.core.tricks import clear_tricks, lead_trick, mark_played, trick_fields

SUITS = "ROYGBP"  # with n players, the first n + 1 of them
NO_SUIT = -1
MAX_RANKS = 10
MAX_CARDS = MAX_SUITS * MAX_RANKS
MAX_HAND = 9
MAX_FACE_DOWN = 3  # face-down cards of each seat
MAX_TRICKS = MAX_HAND + MAX_FACE_DOWN


class Phase(IntEnum):
    """What is being decided."""

    PLAY = 0
    OVER = 1


STATE = state_dtype(
    "gummi_trick",
    [
        # settings
        Field("num_ranks", np.int32, "of each suit, from 1"),
        Field("hand_size", np.int32, "cards dealt to a seat, beside those face down"),
        Field("num_face_down", np.int32, "cards that each seat gets face down"),
        Field("points", np.int32, "what a card scores face up, by rank", {"rank": MAX_RANKS}),
        Field("max_tricks", np.int32, "of the game, exactly"),
        Field("num_suits", np.int32, "in play"),
        Field("num_cards", np.int32, 'in play; also the number of the action "facedown"'),
        Field("max_score", np.int32, "the most points that a seat can make"),
        # the round
        *hand_fields(MAX_HAND),
        void_field(MAX_SUITS, "face-down cards don't count"),
        Field(
            "face_down",
            CARD,
            "next first, then NO_CARD",
            {"seat": MAX_SEATS, "card": MAX_FACE_DOWN},
            known_to="nobody",
        ),
        Field("face_down_left", np.int32, "face-down cards of each seat", {"seat": MAX_SEATS}),
        Field(
            "face_up",
            CARD,
            "a seat's winning cards as it won them, then NO_CARD",
            {"seat": MAX_SEATS, "card": MAX_TRICKS},
        ),
        Field("num_face_up", np.int32, "how many these are", {"seat": MAX_SEATS}),
        Field("taken", np.int32, "other seats' cards that a seat has taken", {"seat": MAX_SEATS}),
        *trick_fields(MAX_TRICKS),
        Field(
            "turned_up",
            np.uint8,
            "1: the card in played was a face-down card",
            {"trick": MAX_TRICKS + 1, "seat": MAX_SEATS},
        ),
        Field(
            "colour_order",
            np.int32,
            "the suits in the current trick as they came, then NO_SUIT",
            {"index": MAX_SEATS},
        ),
        Field("num_colours", np.int32, "in the current trick"),
    ],
)


# --- cards ------------------------------------------------------------------------------------------------


@kernel
def lay_face_down(s: State, cards: NDArray[np.int32], count: int) -> None:
    """Shuffles cards and lays each seat's number of them face down; the rest is out of the game."""
    shuffle(s, cards, count)
    next_card = 0
    for seat in range(s.num_players):
        for i in range(s.face_down_left[seat]):
            s.face_down[seat, i] = cards[next_card]
            next_card += 1


# --- dealing ----------------------------------------------------------------------------------------------


@kernel
def new_game(s: State) -> None:
    """The only round: everybody gets a hand and face-down cards, a random seat leads."""
    clear_scores(s)
    clear_table(s)
    deal(s)
    s.phase = Phase.PLAY
    lead_trick(s, random_below(s, s.num_players))


@kernel
def deal(s: State) -> None:
    """Deals the hands, the face-down cards, and leaves the rest out of the game, unseen."""
    holders = np.full(MAX_CARDS, NOBODY, np.int32)
    for seat in range(s.num_players):
        s.face_down_left[seat] = s.num_face_down
        for i in range(s.hand_size):
            holders[seat * s.hand_size + i] = seat
    shuffle(s, holders, s.num_cards)
    unseen = np.empty(MAX_CARDS, np.int32)
    num_unseen = 0
    for card in range(s.num_cards):
        if holders[card] != NOBODY:
            add_to_hand(s, holders[card], card)
        else:
            unseen[num_unseen] = card
            num_unseen += 1
    lay_face_down(s, unseen, num_unseen)


@kernel
def clear_table(s: State) -> None:
    """No hands, no tricks, nothing won, nothing known."""
    for seat in range(MAX_SEATS):
        clear_hand(s, seat)
        s.face_down_left[seat] = 0
        s.num_face_up[seat] = 0
        s.taken[seat] = 0
        clear_voids(s, seat)
        for i in range(MAX_FACE_DOWN):
            s.face_down[seat, i] = NO_CARD
        for i in range(MAX_TRICKS):
            s.face_up[seat, i] = NO_CARD
    clear_tricks(s)
    for trick in range(MAX_TRICKS + 1):
        for seat in range(MAX_SEATS):
            s.turned_up[trick, seat] = 0
    clear_colours(s)


@kernel
def clear_colours(s: State) -> None:
    """No colours in the trick."""
    s.num_colours = 0
    for i in range(MAX_SEATS):
        s.colour_order[i] = NO_SUIT


# --- what may be done -------------------------------------------------------------------------------------


@kernel
def legal_actions(s: State, actions: NDArray[np.int32]) -> int:
    """A card from the hand by the order of colours, or a face-down card, whatever the hand holds."""
    count = playable_cards(s, actions)
    if s.face_down_left[s.current_player] > 0:
        actions[count] = s.num_cards
        count += 1
    return count


@kernel
def playable_cards(s: State, cards: NDArray[np.int32]) -> int:
    """The current player's cards of the first colour in the trick that it has; if it has none, any card."""
    for i in range(s.num_colours):
        count = cards_of_suit(s, s.colour_order[i], cards)
        if count > 0:
            return count
    return whole_hand(s, cards)


# --- playing ----------------------------------------------------------------------------------------------


@kernel
def step(s: State, action: int) -> None:
    """Plays a card from the hand or a face-down card."""
    if action == s.num_cards:
        s.turned_up[s.num_tricks, s.current_player] = 1
        play_card(s, turn_up(s, s.current_player))
    else:
        remove_from_hand(s, s.current_player, action)
        show_voids(s, s.current_player, suit_of(s, action))
        play_card(s, action)


@kernel
def turn_up(s: State, seat: int) -> int:
    """Takes the next of a seat's face-down cards."""
    card = s.face_down[seat, 0]
    for i in range(MAX_FACE_DOWN - 1):
        s.face_down[seat, i] = s.face_down[seat, i + 1]
    s.face_down[seat, MAX_FACE_DOWN - 1] = NO_CARD
    s.face_down_left[seat] -= 1
    return int(card)


@kernel
def show_voids(s: State, seat: int, suit: int) -> None:
    """A hand from which a suit is played has none of the colours that came before it in the trick."""
    for i in range(s.num_colours):
        if s.colour_order[i] == suit:
            return
        s.known_voids[seat, s.colour_order[i]] = 1


@kernel
def play_card(s: State, card: int) -> None:
    """The current player's card joins the trick, and its colour the order of colours."""
    s.played[s.num_tricks, s.current_player] = card
    s.cards_in_trick += 1
    add_colour(s, suit_of(s, card))
    if s.cards_in_trick == s.num_players:
        finish_trick(s)
    else:
        s.current_player = left_of(s, s.current_player)


@kernel
def add_colour(s: State, suit: int) -> None:
    """A colour that is new in the trick comes next in the order."""
    for i in range(s.num_colours):
        if s.colour_order[i] == suit:
            return
    s.colour_order[s.num_colours] = suit
    s.num_colours += 1


@kernel
def finish_trick(s: State) -> None:
    """Each colour has a winner, who takes its cards; of the winners, the last to play leads next."""
    seat = s.leader
    for _ in range(s.num_players):
        count = cards_won_by(s, seat)
        if count > 0:
            take_cards(s, seat, count)
            s.leader = seat
        seat = left_of(s, seat)
    s.num_tricks += 1
    s.cards_in_trick = 0
    clear_colours(s)
    s.current_player = s.leader
    if s.num_tricks == s.max_tricks:
        finish_game(s)
    else:
        s.trick_leaders[s.num_tricks] = s.leader


@kernel
def cards_won_by(s: State, seat: int) -> int:
    """How many cards of its colour a seat's card wins, itself included; 0 if another one is higher."""
    card = s.played[s.num_tricks, seat]
    lowest = suit_of(s, card) * s.num_ranks
    count = 0
    for other in range(s.num_players):
        other_card = s.played[s.num_tricks, other]
        if lowest <= other_card < lowest + s.num_ranks:
            if other_card > card:
                return 0
            count += 1
    return count


@kernel
def take_cards(s: State, seat: int, count: int) -> None:
    """The winner keeps its own card face up, for its points, and takes the others face down, for 1 each."""
    card = s.played[s.num_tricks, seat]
    s.face_up[seat, s.num_face_up[seat]] = card
    s.num_face_up[seat] += 1
    s.taken[seat] += count - 1
    s.scores[seat] += s.points[rank_of(s, card)] + count - 1


@kernel
def finish_game(s: State) -> None:
    """Most points win; of these seats, those with the most cards; still tied, they share the win."""
    s.phase = Phase.OVER
    s.leader = NOBODY
    s.current_player = NOBODY
    most_points, most_cards = 0, 0
    for seat in range(s.num_players):
        if s.scores[seat] > most_points:
            most_points, most_cards = s.scores[seat], 0
        if s.scores[seat] == most_points:
            most_cards = max(most_cards, num_won(s, seat))
    for seat in range(s.num_players):
        s.winners[seat] = s.scores[seat] == most_points and num_won(s, seat) == most_cards


@kernel
def num_won(s: State, seat: int) -> int:
    """How many cards a seat has won, face up and face down."""
    return int(s.num_face_up[seat] + s.taken[seat])


# --- what a seat doesn't know -----------------------------------------------------------------------------


@kernel
def mark_seen(s: State, seat: int, seen: NDArray[np.uint8]) -> None:
    """Marks the cards (MAX_CARDS,) that a seat has seen: its hand, and all that was played.

    In a position that was set up without its past, the cards taken face down aren't known.
    """
    mark_hand(s, seat, seen)
    mark_played(s, seen)
    for player in range(s.num_players):
        for i in range(s.num_face_up[player]):
            seen[s.face_up[player, i]] = 1


@kernel
def resample(s: State, seat: int) -> None:
    """Deals the unseen cards anew to the other hands, to everybody's face-down cards and out of the game.

    Every deal in which no hand holds a suit that it has been shown to be void in is equally likely, the order
    of the face-down cards included. The cards that no hand holds count as one receiver in
    `trick_envs.core.dealing`; whatever they are, they can lie in equally many ways, one of which a shuffle
    chooses.
    """
    seen = np.zeros(MAX_CARDS, np.uint8)
    mark_seen(s, seat, seen)
    unseen = np.empty(MAX_CARDS, np.int32)
    suits = np.empty(MAX_CARDS, np.int32)
    num_unseen = list_unseen(s, seen, s.num_cards, unseen, suits)
    # The last receiver is all that no hand holds.
    capacity = np.zeros(MAX_SEATS + 1, np.int32)
    excluded = np.zeros((MAX_SEATS + 1, MAX_SUITS), np.uint8)
    capacity[MAX_SEATS] = num_unseen - take_other_hands(s, seat, capacity, excluded)
    receivers = np.empty(MAX_CARDS, np.int32)
    deal_unseen(s, suits, num_unseen, capacity, excluded, receivers)
    lay_face_down(s, unseen, give_cards(s, unseen, receivers, num_unseen, unseen))
