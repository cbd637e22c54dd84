"""The rules of TIGHEE (LEO), as kernels over one record. See this folder's README.md."""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.cards import CARD, NO_CARD, suit_of
from trick_envs.core.dealing import deal_unseen
from trick_envs.core.hands import (
    add_to_hand,
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

SUITS = "BGKRP"
NUM_SUITS = len(SUITS)
NO_SUIT = -1
BLACK = SUITS.index("K")  # has the forest's colour
LOWEST_RANK = 1
MAX_RANKS = 12
MAX_CARDS = NUM_SUITS * MAX_RANKS
MAX_HAND = 20
MAX_PICKS = 5
MAX_TRICKS = 15  # of a round, and cards of the deck
EXACT_TRICKS = (4, 8, 12)  # these numbers of tricks score
EXACT_POINTS = (50, 100, 169)  # so many points
POINTS_PER_TRICK = -10  # for any other number


class Phase(IntEnum):
    """What is being decided."""

    PICK = 0
    PLAY = 1
    OVER = 2


class Mode(IntEnum):
    """Setting: the cards in play, as far as other settings don't say otherwise."""

    NORMAL = 0
    SHORT = 1


class TiedForLeast(IntEnum):
    """Setting: who leads the next round when several seats scored least."""

    CLOCKWISE = 0
    RANDOM = 1


STATE = state_dtype(
    "tighee",
    [
        # settings
        Field("mode", np.int32, "which cards are in play: Mode"),
        Field("num_rounds", np.int32, "of a game"),
        Field("num_ranks", np.int32, "of each suit, from 1"),
        Field("hand_size", np.int32, "cards dealt to a seat"),
        Field("pick_size", np.int32, "of them, those that it lays into the deck"),
        Field("black_always_playable", np.int32, "1: also when black is a colour of its own in a trick"),
        Field("tied_for_least", np.int32, "who leads the next round: TiedForLeast"),
        Field("max_tricks", np.int32, "tricks of a round: cards of a hand, and of the deck"),
        Field("num_spares", np.int32, "cards of the deck that come from the rest, which nobody is dealt"),
        Field("least_round_points", np.int32, "what a seat can score in a round, at least"),
        Field("most_round_points", np.int32, "the same, at most"),
        Field("num_score_tens", np.int32, "between the least and the highest possible score"),
        # the round
        Field("round_leader", np.int32, "leads the first trick, NOBODY before that is drawn"),
        Field("tricks", np.int32, "won in this round", {"seat": MAX_SEATS}),
        Field("num_picks", np.int32, "cards laid into the deck", {"seat": MAX_SEATS}),
        Field("round_points", np.int32, "of the round finished last", {"seat": MAX_SEATS}),
        *hand_fields(MAX_HAND),
        void_field(NUM_SUITS),
        Field(
            "picks",
            CARD,
            "the cards that each seat has laid into the deck, sorted, then NO_CARD; they stay when turned up",
            {"seat": MAX_SEATS, "card": MAX_PICKS},
            known_to="its seat",
        ),
        Field(
            "deck",
            CARD,
            "the forest card of each trick, in order: that of the current one is deck[num_tricks], those "
            "after it are still face down; then NO_CARD; while cards are picked, the spare cards, sorted",
            {"trick": MAX_TRICKS + 1},
            known_to="nobody until turned up",
        ),
        *trick_fields(MAX_TRICKS),
    ],
)


# --- cards ------------------------------------------------------------------------------------------------


@kernel
def rank_of(s: State, card: int) -> int:
    """The rank of a card."""
    return int(card - suit_of(s, card) * s.num_ranks + LOWEST_RANK)


@kernel
def add_to_picks(s: State, seat: int, card: int) -> None:
    """Puts a card among those that a seat lays down, which stay sorted."""
    i = s.num_picks[seat]
    while i > 0 and s.picks[seat, i - 1] > card:
        s.picks[seat, i] = s.picks[seat, i - 1]
        i -= 1
    s.picks[seat, i] = card
    s.num_picks[seat] += 1


@kernel
def add_to_spares(s: State, count: int, card: int) -> None:
    """While cards are picked: puts a card among the `count` spare ones in the deck, which stay sorted."""
    i = count
    while i > 0 and s.deck[i - 1] > card:
        s.deck[i] = s.deck[i - 1]
        i -= 1
    s.deck[i] = card


@kernel
def clear_picks(s: State, seat: int) -> None:
    """Takes away all that a seat has laid down."""
    for i in range(MAX_PICKS):
        s.picks[seat, i] = NO_CARD
    s.num_picks[seat] = 0


# --- dealing ----------------------------------------------------------------------------------------------


@kernel
def new_game(s: State) -> None:
    """Round 0: seat 0 is the first to lay cards down; who leads is drawn after that."""
    clear_scores(s)
    s.round_leader = NOBODY
    for seat in range(MAX_SEATS):
        s.round_points[seat] = 0
    start_round(s, 0)


@kernel
def start_round(s: State, first_to_pick: int) -> None:
    """Deals, and lets the seats lay cards down, one seat after another."""
    clear_round(s)
    deal(s)
    s.phase = Phase.PICK
    s.leader = s.round_leader
    s.current_player = first_to_pick


@kernel
def clear_round(s: State) -> None:
    """An empty table: no hands, no deck, no tricks, nothing known."""
    for seat in range(MAX_SEATS):
        clear_hand(s, seat)
        clear_picks(s, seat)
        s.tricks[seat] = 0
        clear_voids(s, seat)
    for trick in range(MAX_TRICKS + 1):
        s.deck[trick] = NO_CARD
    clear_tricks(s)


@kernel
def deal(s: State) -> None:
    """Shuffles all cards and deals the hands, and the spare cards; the rest is set aside unseen."""
    spare = MAX_SEATS
    num_cards = NUM_SUITS * s.num_ranks
    holders = np.full(MAX_CARDS, NOBODY, np.int32)
    card = 0
    for seat in range(s.num_players):
        for _ in range(s.hand_size):
            holders[card] = seat
            card += 1
    for _ in range(s.num_spares):
        holders[card] = spare
        card += 1
    shuffle(s, holders, num_cards)
    count = 0
    for card in range(num_cards):
        if holders[card] == spare:
            add_to_spares(s, count, card)
            count += 1
        elif holders[card] != NOBODY:
            add_to_hand(s, holders[card], card)


# --- what may be done -------------------------------------------------------------------------------------


@kernel
def legal_actions(s: State, actions: NDArray[np.int32]) -> int:
    """Any card may be laid down, or led. Whoever follows has less choice if it holds the lead colour."""
    count = 0
    if s.cards_in_trick > 0:
        count = following_cards(s, actions)
    return count if count > 0 else whole_hand(s, actions)


@kernel
def following_cards(s: State, actions: NDArray[np.int32]) -> int:
    """The cards that are allowed to the current player if it has the lead colour; none if it hasn't."""
    lead = lead_colour(s)
    lowest = lead * s.num_ranks
    lowest_free = (BLACK if is_black_free(s, lead) else lead) * s.num_ranks
    count = 0
    can_follow = False
    for i in range(s.hand_sizes[s.current_player]):
        card = s.hands[s.current_player, i]
        follows = lowest <= card < lowest + s.num_ranks
        can_follow = can_follow or follows
        if follows or lowest_free <= card < lowest_free + s.num_ranks:
            actions[count] = card
            count += 1
    return count if can_follow else 0


@kernel
def is_black_free(s: State, lead: int) -> bool:
    """Whether black cards may be played instead of the lead colour.

    Not if that is black itself; if the forest is black and another colour is led, by the setting.
    """
    return bool(lead != BLACK and (s.black_always_playable or forest_colour(s) != BLACK))


@kernel
def lead_colour(s: State) -> int:
    """The colour to follow: that of the led card, in this trick."""
    return colour_of(s, led_card(s))


@kernel
def colour_of(s: State, card: int) -> int:
    """The colour that a card has in the current trick: a black one has that of the forest."""
    suit = suit_of(s, card)
    return forest_colour(s) if suit == BLACK else suit


@kernel
def forest_colour(s: State) -> int:
    """The printed colour of the card that lies open."""
    return suit_of(s, s.deck[s.num_tricks])


# --- laying cards down ------------------------------------------------------------------------------------


@kernel
def step(s: State, action: int) -> None:
    """Lays a card down or plays it."""
    if s.phase == Phase.PICK:
        lay_down(s, action)
    else:
        play_card(s, action)


@kernel
def lay_down(s: State, card: int) -> None:
    """The current player lays a card face down; after its last one, the next seat does, till all have."""
    seat = s.current_player
    remove_from_hand(s, seat, card)
    add_to_picks(s, seat, card)
    if s.num_picks[seat] == s.pick_size:
        s.current_player = left_of(s, seat)
        if s.num_picks[s.current_player] == s.pick_size:
            start_play(s)


@kernel
def start_play(s: State) -> None:
    """Shuffles the deck. In the first round the leader is drawn now."""
    size = s.num_spares
    for seat in range(s.num_players):
        for i in range(s.pick_size):
            s.deck[size] = s.picks[seat, i]
            size += 1
    shuffle(s, s.deck, size)
    if s.round_leader == NOBODY:
        s.round_leader = random_below(s, s.num_players)
    s.phase = Phase.PLAY
    lead_trick(s, s.round_leader)


# --- playing ----------------------------------------------------------------------------------------------


@kernel
def play_card(s: State, card: int) -> None:
    """The current player plays a card, and may show by it that it is void in the lead colour."""
    seat = s.current_player
    remove_from_hand(s, seat, card)
    s.played[s.num_tricks, seat] = card
    s.cards_in_trick += 1
    colour = lead_colour(s)
    if shows_void(s, card, colour):
        s.known_voids[seat, colour] = 1
    if s.cards_in_trick == s.num_players:
        finish_trick(s)
    else:
        s.current_player = left_of(s, seat)


@kernel
def shows_void(s: State, card: int, colour: int) -> bool:
    """Whether a card shows that its player has none of the lead colour. Black may be free for anybody."""
    suit = suit_of(s, card)
    return suit != colour and not (suit == BLACK and is_black_free(s, colour)) and s.cards_in_trick > 1


@kernel
def finish_trick(s: State) -> None:
    """The winner takes the trick with the forest card and leads the next."""
    winner = winner_of_trick(s)
    s.tricks[winner] += 1
    s.num_tricks += 1
    s.cards_in_trick = 0
    s.leader = winner
    s.current_player = winner
    if s.num_tricks == s.max_tricks:
        finish_round(s)
    else:
        s.trick_leaders[s.num_tricks] = winner


@kernel
def winner_of_trick(s: State) -> int:
    """The strongest card wins; of equal ones, that played later."""
    lead = lead_colour(s)
    seat = s.leader
    winner, best = seat, 0
    for _ in range(s.num_players):
        card = s.played[s.num_tricks, seat]
        if card != NO_CARD:
            strength_of_card = strength(s, card, lead)
            if strength_of_card >= best:
                winner, best = seat, strength_of_card
        seat = left_of(s, seat)
    return int(winner)


@kernel
def strength(s: State, card: int, lead: int) -> int:
    """How strong a card is in the current trick, by its lead colour.

    If all have that colour, the highest rank wins; otherwise the lowest rank among the cards that don't.
    """
    rank = rank_of(s, card)
    return rank if colour_of(s, card) == lead else 2 * MAX_RANKS + LOWEST_RANK - rank


# --- scoring ----------------------------------------------------------------------------------------------


@kernel
def points_for(tricks: int) -> int:
    """What a number of tricks scores: 4, 8 and 12 much, any other number a loss for each trick."""
    for i in range(len(EXACT_TRICKS)):
        if tricks == EXACT_TRICKS[i]:
            return EXACT_POINTS[i]
    return POINTS_PER_TRICK * tricks


@kernel
def finish_round(s: State) -> None:
    """All score; whoever scored least leads the next round."""
    for seat in range(s.num_players):
        s.round_points[seat] = points_for(s.tricks[seat])
        s.scores[seat] += s.round_points[seat]
    if s.round_number + 1 == s.num_rounds:
        finish_game(s)
        return
    s.round_number += 1
    s.round_leader = next_round_leader(s)
    start_round(s, s.round_leader)


@kernel
def next_round_leader(s: State) -> int:
    """The seat that scored least in the round.

    Of several, by the setting, the first clockwise from that round's leader, or one drawn at random.
    """
    seat = s.round_leader
    lowest = seat
    for _ in range(s.num_players):
        if s.round_points[seat] < s.round_points[lowest]:
            lowest = seat
        seat = left_of(s, seat)
    if s.tied_for_least == TiedForLeast.RANDOM:
        lowest = random_least(s, s.round_points[lowest])
    return int(lowest)


@kernel
def random_least(s: State, points: int) -> int:
    """One of the seats that scored so much in the round, all equally likely."""
    tied = np.empty(MAX_SEATS, np.int32)
    count = 0
    for seat in range(s.num_players):
        if s.round_points[seat] == points:
            tied[count] = seat
            count += 1
    return int(tied[random_below(s, count)])


@kernel
def finish_game(s: State) -> None:
    """The highest total wins; ties share the win."""
    s.phase = Phase.OVER
    s.leader = NOBODY
    s.current_player = NOBODY
    highest_score_wins(s)


# --- what a seat doesn't know -----------------------------------------------------------------------------


@kernel
def num_turned_up(s: State) -> int:
    """How many cards of the deck have been turned up in this round."""
    return int(s.num_tricks + (s.phase == Phase.PLAY))


@kernel
def mark_seen(s: State, seat: int, seen: NDArray[np.uint8]) -> None:
    """Marks the cards (MAX_CARDS,) that a seat has seen: its own, and all that was played or turned up."""
    mark_hand(s, seat, seen)
    for i in range(s.num_picks[seat]):
        seen[s.picks[seat, i]] = 1
    for trick in range(num_turned_up(s)):
        seen[s.deck[trick]] = 1
    mark_played(s, seen)


@kernel
def resample(s: State, seat: int) -> None:
    """Draws anew the other hands, the others' picks, the spare cards and the order of the deck.

    All worlds are equally likely: whatever the other hands are, there are equally many ways for the cards
    left to be picked and to lie in the deck. So the hands are dealt by `trick_envs.core.dealing`, no seat
    getting a colour in which it has been shown to be void, and then picks and deck are shuffled.
    """
    left = np.empty(MAX_CARDS, CARD)
    if s.phase == Phase.PICK:
        num_left = redraw_hands(s, seat, num_hidden_picks(s, seat), left)
        num_picked = redraw_picks(s, seat, left, num_left)
        for i in range(s.num_spares):
            add_to_spares(s, i, left[num_picked + i])
    elif s.phase == Phase.PLAY:
        num_left = redraw_hands(s, seat, num_hidden_in_deck(s, seat), left)
        redraw_deck(s, seat, left, num_left)
        redraw_owners(s, seat)
    else:
        redraw_owners(s, seat)


@kernel
def num_hidden_picks(s: State, seat: int) -> int:
    """While cards are picked: how many others have laid down, and the spare cards."""
    count = int(s.num_spares)
    for other in range(s.num_players):
        if other != seat:
            count += s.num_picks[other]
    return count


@kernel
def is_own_pick(s: State, seat: int, card: int) -> bool:
    """Whether a seat has laid this card down itself."""
    found = False
    for i in range(s.num_picks[seat]):
        found = found or s.picks[seat, i] == card
    return found


@kernel
def num_hidden_in_deck(s: State, seat: int) -> int:
    """In play: how many cards are still face down in the deck that the seat didn't lay there."""
    count = 0
    for trick in range(num_turned_up(s), s.max_tricks):
        count += not is_own_pick(s, seat, s.deck[trick])
    return count


@kernel
def redraw_hands(s: State, seat: int, num_left: int, left: NDArray[np.int16]) -> int:
    """Deals the unseen cards to the other hands; writes the `num_left` cards that lie elsewhere, in order."""
    seen = np.zeros(MAX_CARDS, np.uint8)
    mark_seen(s, seat, seen)
    unseen = np.empty(MAX_CARDS, CARD)
    suits = np.empty(MAX_CARDS, np.int32)
    num_unseen = list_unseen(s, seen, NUM_SUITS * s.num_ranks, unseen, suits)
    # Beside the hands: the cards left, and those set aside or, if a position was set up without them, played
    # to earlier tricks.
    capacity = np.zeros(MAX_SEATS + 2, np.int32)
    excluded = np.zeros((MAX_SEATS + 2, NUM_SUITS), np.uint8)
    capacity[MAX_SEATS] = num_left
    capacity[MAX_SEATS + 1] = num_unseen - num_left - take_other_hands(s, seat, capacity, excluded)
    receivers = np.empty(MAX_CARDS, np.int32)
    deal_unseen(s, suits, num_unseen, capacity, excluded, receivers)
    return give_cards(s, unseen, receivers, num_unseen, left)


@kernel
def redraw_picks(s: State, seat: int, cards: NDArray[np.int16], num_cards: int) -> int:
    """Shuffles these cards and gives the others the first as picks; returns how many."""
    shuffle(s, cards, num_cards)
    count = 0
    for other in range(s.num_players):
        if other != seat:
            size = s.num_picks[other]
            clear_picks(s, other)
            for _ in range(size):
                add_to_picks(s, other, cards[count])
                count += 1
    return count


@kernel
def redraw_deck(s: State, seat: int, cards: NDArray[np.int16], num_cards: int) -> None:
    """In play: shuffles these cards, and those of the seat that weren't turned up yet, into the deck."""
    first = num_turned_up(s)
    for i in range(s.num_picks[seat]):
        is_turned_up = False
        for trick in range(first):
            is_turned_up = is_turned_up or s.deck[trick] == s.picks[seat, i]
        if not is_turned_up:
            cards[num_cards] = s.picks[seat, i]
            num_cards += 1
    shuffle(s, cards, num_cards)
    for i in range(num_cards):
        s.deck[first + i] = cards[i]


@kernel
def redraw_owners(s: State, seat: int) -> None:
    """In play: who laid down which card of the deck; also of those turned up, this was never shown."""
    cards = np.empty(MAX_TRICKS, CARD)
    count = 0
    for trick in range(s.max_tricks):
        if not is_own_pick(s, seat, s.deck[trick]):
            cards[count] = s.deck[trick]
            count += 1
    redraw_picks(s, seat, cards, count)
