"""The rules of Take That Toy! (凪庵, ごらく趣造), as kernels over one record. See this folder's README.md."""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.cards import CARD, NO_CARD, rank_of, suit_of
from trick_envs.core.dealing import deal_unseen
from trick_envs.core.hands import (
    add_to_hand,
    clear_hand,
    give_cards,
    hand_fields,
    list_unseen,
    mark_hand,
    remove_from_hand,
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
    seats_away,
    state_dtype,
)
from trick_envs.core.tricks import clear_tricks, lead_trick, led_card, trick_fields

SUITS = "ABCDE"
NUM_SUITS = len(SUITS)
MAX_RANKS = 8
MAX_CARDS = NUM_SUITS * MAX_RANKS
ONE = 0  # ranks count from 0, their texts from 1
MOST_OF_SUIT = 3  # that a display can hold; with one more the suit bursts


def largest_hand(num_players: int, num_ranks: int) -> int:
    """The most cards that each seat can be dealt; at least one is left over, for trump."""
    return (NUM_SUITS * num_ranks - 1) // num_players


def most_tricks(num_players: int, hand_size: int) -> int:
    """A number of tricks that no round passes.

    A trick takes n cards from the hands. A burst gives n - 1 back, but takes at least four cards from the
    displays, where each trick brings n. All hands hold a card until the last trick is played. There is at
    most one burst a trick. If suits burst separately there can be more: then it follows from all that for
    n < 5 only, while five players could go on for ever, so for them it is a rule.
    """
    n = num_players
    return 1 + n * (hand_size - 1) * 4 // (4 * n - (n - 1) * min(n, 4))


def most_bursts(num_players: int, num_tricks: int) -> int:
    """As many as so many tricks can have if suits burst separately: each takes four of the cards played."""
    return num_players * num_tricks // (MOST_OF_SUIT + 1)


def most_held(num_players: int, hand_size: int) -> int:
    """No seat holds more if suits burst separately: a trick takes one of its cards, a burst may bring one."""
    tricks = most_tricks(num_players, hand_size)
    return hand_size + max(0, most_bursts(num_players, tricks) - tricks)


_LARGEST_HANDS = [(n, largest_hand(n, MAX_RANKS)) for n in range(3, MAX_SEATS + 1)]
MAX_HAND = max(most_held(n, hand_size) for n, hand_size in _LARGEST_HANDS)
MAX_TRICKS = max(most_tricks(n, hand_size) for n, hand_size in _LARGEST_HANDS)
MAX_BURSTS = max(most_bursts(n, most_tricks(n, hand_size)) for n, hand_size in _LARGEST_HANDS)
MAX_BURST_CARDS = (NUM_SUITS - 1) * MOST_OF_SUIT + MAX_SEATS


class Phase(IntEnum):
    """What is being decided."""

    PLAY = 0
    OVER = 1


class TurnedOne(IntEnum):
    """Setting: which is higher when a 1 that counts as 8 meets the real 8 of its suit."""

    ONE = 0
    EIGHT = 1
    EARLIER = 2
    LATER = 3


class SeveralBursts(IntEnum):
    """Setting: what becomes of several suits that burst at once."""

    TOGETHER = 0
    SEPARATELY = 1


STATE = state_dtype(
    "take_that_toy",
    [
        # settings
        Field("num_ranks", np.int32, "of each suit, from 1"),
        Field("hand_size", np.int32, "cards dealt to a seat"),
        Field("turned_one_vs_eight", np.int32, "which is higher: TurnedOne"),
        Field("several_bursts", np.int32, "how suits that burst at once are dealt: SeveralBursts"),
        Field("last_card_ends", np.int32, "1: a burst that refills a hand doesn't keep the round going"),
        Field("num_rounds", np.int32, "of a game"),
        Field("num_cards", np.int32, "of the whole deck"),
        Field("max_hand", np.int32, "no seat holds more"),
        Field("max_tricks", np.int32, "no round has more"),
        # the round
        Field("trump_card", np.int32, "turned up"),
        Field("trump", np.int32, "its suit"),
        *hand_fields(MAX_HAND),
        Field(
            "display",
            np.uint8,
            "1: the card lies face up before the seat",
            {"seat": MAX_SEATS, "card": MAX_CARDS},
        ),
        Field("suit_counts", np.uint8, "of cards in the display", {"seat": MAX_SEATS, "suit": NUM_SUITS}),
        Field(
            "num_bursts",
            np.int32,
            "rows in use of the next four fields, one a burst, in order; suits that burst separately have a "
            "row each",
        ),
        Field("burst_seats", np.int8, "whose display it was, then NOBODY", {"burst": MAX_BURSTS}),
        Field(
            "burst_ranks",
            np.uint8,
            "the cards: for each suit, a bit for each rank",
            {"burst": MAX_BURSTS, "suit": NUM_SUITS},
        ),
        Field(
            "dealt",
            CARD,
            "the card of each burst that each seat got, or NO_CARD",
            {"burst": MAX_BURSTS, "seat": MAX_SEATS},
            known_to="its seat until played",
        ),
        Field(
            "dealt_held",
            np.uint8,
            "1: the seat got a card and hasn't played it yet",
            {"burst": MAX_BURSTS, "seat": MAX_SEATS},
        ),
        *trick_fields(MAX_TRICKS),
    ],
)


# --- cards ------------------------------------------------------------------------------------------------


@kernel
def highest_rank(s: State) -> int:
    """The rank of a suit's highest card: an 8, or what stands for it in a smaller deck."""
    return int(s.num_ranks - 1)


# --- dealing ----------------------------------------------------------------------------------------------


@kernel
def new_game(s: State) -> None:
    """Round 0."""
    clear_scores(s)
    start_round(s)


@kernel
def start_round(s: State) -> None:
    """Deals; one of the cards left over is turned up, and a random seat leads."""
    clear_table(s)
    deal(s)
    s.phase = Phase.PLAY
    lead_trick(s, random_below(s, s.num_players))


@kernel
def deal(s: State) -> None:
    """Shuffles all cards, deals the hands and turns up a trump card; the rest is set aside unseen."""
    turned_up = MAX_SEATS
    holders = np.full(MAX_CARDS, NOBODY, np.int32)
    card = 0
    for seat in range(s.num_players):
        for _ in range(s.hand_size):
            holders[card] = seat
            card += 1
    holders[card] = turned_up
    shuffle(s, holders, s.num_cards)
    for card in range(s.num_cards):
        if holders[card] == turned_up:
            s.trump_card = card
            s.trump = suit_of(s, card)
        elif holders[card] != NOBODY:
            add_to_hand(s, holders[card], card)


@kernel
def clear_table(s: State) -> None:
    """No hands, no displays, no tricks, no bursts."""
    for seat in range(MAX_SEATS):
        clear_hand(s, seat)
        for card in range(MAX_CARDS):
            s.display[seat, card] = 0
        for suit in range(NUM_SUITS):
            s.suit_counts[seat, suit] = 0
    s.num_bursts = 0
    for number in range(MAX_BURSTS):
        clear_burst(s, number)
    clear_tricks(s)


@kernel
def clear_burst(s: State, number: int) -> None:
    """Takes away what is noted of a burst."""
    s.burst_seats[number] = NOBODY
    for suit in range(NUM_SUITS):
        s.burst_ranks[number, suit] = 0
    for seat in range(MAX_SEATS):
        s.dealt[number, seat] = NO_CARD
        s.dealt_held[number, seat] = 0


# --- playing ----------------------------------------------------------------------------------------------


@kernel
def legal_actions(s: State, actions: NDArray[np.int32]) -> int:
    """Any card of the hand: nobody has to follow."""
    return whole_hand(s, actions)


@kernel
def step(s: State, action: int) -> None:
    """The current player plays a card; the last one finishes the trick."""
    seat = s.current_player
    remove_from_hand(s, seat, action)
    note_if_dealt(s, seat, action)
    s.played[s.num_tricks, seat] = action
    s.cards_in_trick += 1
    s.current_player = left_of(s, seat)
    if s.cards_in_trick == s.num_players:
        finish_trick(s)


@kernel
def note_if_dealt(s: State, seat: int, card: int) -> None:
    """If the card came from a burst, everybody now knows who got it."""
    for number in range(s.num_bursts):
        if s.dealt[number, seat] == card:
            s.dealt_held[number, seat] = 0


@kernel
def finish_trick(s: State) -> None:
    """The winner lays out the trick, suits may burst, the round may end; otherwise the winner leads."""
    winner = winner_of_trick(s)
    lay_out_trick(s, winner)
    num_out = num_empty_hands(s)
    if num_bursting(s, winner) > 0:
        burst(s, winner)
        if not s.last_card_ends:
            num_out = num_empty_hands(s)  # the burst may have refilled hands
    num_collected = num_suits(s, winner)
    if s.num_rounds == 1:
        s.scores[winner] = num_collected
    s.num_tricks += 1
    s.cards_in_trick = 0
    s.leader = winner
    s.current_player = winner
    if num_collected == NUM_SUITS or num_out > 0 or s.num_tricks == s.max_tricks:
        finish_round(s)
    else:
        s.trick_leaders[s.num_tricks] = winner


# --- who wins a trick -------------------------------------------------------------------------------------


@kernel
def winner_of_trick(s: State) -> int:
    """The highest trump wins; without a trump, the highest card of the lead suit."""
    winner, best = s.leader, -1
    lead_suit = suit_of(s, led_card(s))
    for seat in range(s.num_players):
        if s.played[s.num_tricks, seat] != NO_CARD:
            strength_of_card = strength(s, seat, lead_suit)
            if strength_of_card > best:
                winner, best = seat, strength_of_card
    return int(winner)


@kernel
def strength(s: State, seat: int, lead_suit: int) -> int:
    """How strong a seat's card is in the current trick; -1 if it can't win."""
    suit = suit_of(s, s.played[s.num_tricks, seat])
    if suit == s.trump:
        return height(s, seat) + 2 * MAX_CARDS
    if suit == lead_suit:
        return height(s, seat)
    return -1


@kernel
def height(s: State, seat: int) -> int:
    """The height of a seat's card within its suit: a 1 counts as 8 while the 7 is in the same trick.

    In a smaller deck, as the highest rank while the one below that is in the same trick.
    """
    card = s.played[s.num_tricks, seat]
    rank = rank_of(s, card)
    if rank == ONE:
        eight = card + highest_rank(s)
        seven = eight - 1
        if player_of(s, seven) != NOBODY:
            return height_of_turned_one(s, seat, player_of(s, eight))
    return 2 * rank  # there is room between


@kernel
def player_of(s: State, card: int) -> int:
    """The seat that has played a card to the current trick, or NOBODY."""
    for seat in range(s.num_players):
        if s.played[s.num_tricks, seat] == card:
            return seat
    return NOBODY


@kernel
def height_of_turned_one(s: State, seat: int, eight: int) -> int:
    """A seat's 1 counts as 8; if a seat `eight` has played the real one, the setting says which is higher."""
    above, below = 2 * highest_rank(s) + 1, 2 * highest_rank(s) - 1
    if eight == NOBODY or s.turned_one_vs_eight == TurnedOne.ONE:
        return above
    if s.turned_one_vs_eight == TurnedOne.EIGHT:
        return below
    is_earlier = seats_away(s, s.leader, seat) < seats_away(s, s.leader, eight)
    return above if is_earlier == (s.turned_one_vs_eight == TurnedOne.EARLIER) else below


# --- displays and bursts ----------------------------------------------------------------------------------


@kernel
def lay_out_trick(s: State, winner: int) -> None:
    """The winner lays the trick's cards face up before it."""
    for seat in range(s.num_players):
        card = s.played[s.num_tricks, seat]
        s.display[winner, card] = 1
        s.suit_counts[winner, suit_of(s, card)] += 1


@kernel
def num_suits(s: State, seat: int) -> int:
    """How many different suits a display holds."""
    count = 0
    for suit in range(NUM_SUITS):
        count += s.suit_counts[seat, suit] > 0
    return count


@kernel
def num_bursting(s: State, seat: int) -> int:
    """Of how many suits a display holds too many cards."""
    count = 0
    for suit in range(NUM_SUITS):
        count += s.suit_counts[seat, suit] > MOST_OF_SUIT
    return count


@kernel
def burst(s: State, burster: int) -> None:
    """All suits that burst leave the display and are dealt, together or each by itself."""
    cards = np.empty(MAX_BURST_CARDS, np.int32)
    num_cards = 0
    for suit in range(NUM_SUITS):
        if s.suit_counts[burster, suit] > MOST_OF_SUIT:
            num_cards = take_suit(s, burster, suit, cards, num_cards)
            if s.several_bursts == SeveralBursts.SEPARATELY:
                deal_burst(s, burster, cards, num_cards)
                num_cards = 0
    if num_cards > 0:
        deal_burst(s, burster, cards, num_cards)


@kernel
def deal_burst(s: State, burster: int, cards: NDArray[np.int32], num_cards: int) -> None:
    """Shuffles the `num_cards` cards of a burst and deals one to each other seat.

    The first goes to the burster's left; what is left over is discarded unseen.
    """
    shuffle(s, cards, num_cards)
    s.burst_seats[s.num_bursts] = burster
    receiver = burster
    for i in range(s.num_players - 1):
        receiver = left_of(s, receiver)
        add_to_hand(s, receiver, cards[i])
        s.dealt[s.num_bursts, receiver] = cards[i]
        s.dealt_held[s.num_bursts, receiver] = 1
    s.num_bursts += 1


@kernel
def take_suit(s: State, burster: int, suit: int, cards: NDArray[np.int32], num_cards: int) -> int:
    """A suit leaves the burster's display and joins the `num_cards` cards of the burst; counts them."""
    for rank in range(s.num_ranks):
        card = suit * s.num_ranks + rank
        if s.display[burster, card]:
            s.display[burster, card] = 0
            s.burst_ranks[s.num_bursts, suit] |= 1 << rank
            cards[num_cards] = card
            num_cards += 1
    s.suit_counts[burster, suit] = 0
    return num_cards


# --- the end ----------------------------------------------------------------------------------------------


@kernel
def num_empty_hands(s: State) -> int:
    """How many seats have no card."""
    count = 0
    for seat in range(s.num_players):
        count += s.hand_sizes[seat] == 0
    return count


@kernel
def finish_round(s: State) -> None:
    """Of several rounds, each is a point for its winners. After the last one the game is over."""
    if s.num_rounds > 1:
        best = worth_of_best_display(s)
        for seat in range(s.num_players):
            s.scores[seat] += worth_of_display(s, seat) == best
    if s.round_number + 1 == s.num_rounds:
        finish_game(s)
    else:
        s.round_number += 1
        start_round(s)


@kernel
def finish_game(s: State) -> None:
    """The best display wins or, of several rounds, the highest score; ties share the win."""
    s.phase = Phase.OVER
    s.leader = NOBODY
    s.current_player = NOBODY
    if s.num_rounds > 1:
        highest_score_wins(s)
    else:
        best = worth_of_best_display(s)
        for seat in range(s.num_players):
            s.winners[seat] = worth_of_display(s, seat) == best


@kernel
def worth_of_best_display(s: State) -> int:
    """What the display is worth that wins the round: most suits, so all five, then most cards."""
    best = 0
    for seat in range(s.num_players):
        best = max(best, worth_of_display(s, seat))
    return best


@kernel
def worth_of_display(s: State, seat: int) -> int:
    """A number that is larger for more suits, and among as many suits for more cards."""
    worth = MAX_CARDS * num_suits(s, seat)
    for suit in range(NUM_SUITS):
        worth += s.suit_counts[seat, suit]
    return worth


# --- what a seat doesn't know -----------------------------------------------------------------------------


@kernel
def unknown_ranks(s: State, seat: int, number: int, suit: int) -> int:
    """The cards of a burst, as bits, of which a seat doesn't know who got them, if anybody did."""
    ranks = int(s.burst_ranks[number, suit])
    for receiver in range(s.num_players):
        card = s.dealt[number, receiver]
        is_known = receiver == seat or not s.dealt_held[number, receiver]
        if is_known and card != NO_CARD and suit_of(s, card) == suit:
            ranks &= ~(1 << rank_of(s, card))
    return ranks


@kernel
def mark_seen(s: State, seat: int, seen: NDArray[np.uint8]) -> None:
    """Marks the cards (MAX_CARDS,) that a seat has seen: all others are in other hands or left over."""
    seen[s.trump_card] = 1
    mark_hand(s, seat, seen)
    for player in range(s.num_players):
        if s.played[s.num_tricks, player] != NO_CARD:
            seen[s.played[s.num_tricks, player]] = 1
        for card in range(s.num_cards):
            seen[card] |= s.display[player, card]
    for number in range(s.num_bursts):
        for suit in range(NUM_SUITS):
            for rank in range(s.num_ranks):
                seen[suit * s.num_ranks + rank] |= (s.burst_ranks[number, suit] >> rank) & 1


@kernel
def resample(s: State, seat: int) -> None:
    """Draws anew who got which card of each burst, and what other hands hold beyond that.

    Uniform, since these draws don't bear on each other: for each burst, any order of the cards of which the
    seat doesn't know who got them is as likely as any other; and any deal of the cards that it has never
    seen is, to the other hands, up to their sizes, and the cards left over. All voids are possible, since
    nobody has to follow. Nothing else is hidden.
    """
    capacity = np.zeros(MAX_SEATS + 1, np.int32)
    for other in range(s.num_players):
        if other != seat:
            capacity[other] = s.hand_sizes[other]
            clear_hand(s, other)
    for number in range(s.num_bursts):
        redraw_burst(s, seat, number, capacity)
    redraw_unseen(s, seat, capacity)


@kernel
def redraw_burst(s: State, seat: int, number: int, capacity: NDArray[np.int32]) -> None:
    """Deals a burst's unknown cards anew to the others that still hold one; takes of their capacity."""
    cards = np.empty(MAX_BURST_CARDS, np.int32)
    num_cards = 0
    for suit in range(NUM_SUITS):
        ranks = unknown_ranks(s, seat, number, suit)
        for rank in range(s.num_ranks):
            if (ranks >> rank) & 1:
                cards[num_cards] = suit * s.num_ranks + rank
                num_cards += 1
    shuffle(s, cards, num_cards)
    next_card = 0
    for receiver in range(s.num_players):
        if receiver != seat and s.dealt_held[number, receiver]:
            s.dealt[number, receiver] = cards[next_card]
            add_to_hand(s, receiver, cards[next_card])
            capacity[receiver] -= 1
            next_card += 1


@kernel
def redraw_unseen(s: State, seat: int, capacity: NDArray[np.int32]) -> None:
    """Deals the cards that a seat has never seen to the other hands' capacity; the rest is left over."""
    seen = np.zeros(MAX_CARDS, np.uint8)
    mark_seen(s, seat, seen)
    unseen = np.empty(MAX_CARDS, np.int32)
    suits = np.empty(MAX_CARDS, np.int32)
    num_unseen = list_unseen(s, seen, s.num_cards, unseen, suits)
    # The last receiver is the pile that is left over.
    capacity[MAX_SEATS] = num_unseen
    for other in range(s.num_players):
        capacity[MAX_SEATS] -= capacity[other]
    nobody_is_excluded = np.zeros((MAX_SEATS + 1, NUM_SUITS), np.uint8)
    receivers = np.empty(MAX_CARDS, np.int32)
    deal_unseen(s, suits, num_unseen, capacity, nobody_is_excluded, receivers)
    give_cards(s, unseen, receivers, num_unseen, unseen)
