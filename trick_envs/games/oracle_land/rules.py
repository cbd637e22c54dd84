"""The rules of Oracle Land (オシノ), as kernels over one record. See this folder's README.md.

Cards that are played have numbers from 0, in suit, then rank order; a card's *index* is that of its rank
among the ranks in play. Bonus cards, the 9s and 10s, have the two indices after these.
"""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.cards import CARD, NO_CARD, suit_of
from trick_envs.core.dealing import deal_unseen
from trick_envs.core.hands import (
    add_to_hand,
    clear_hand,
    clear_voids,
    hand_fields,
    mark_hand,
    remove_from_hand,
    void_field,
)
from trick_envs.core.kernel import State, kernel
from trick_envs.core.random import random_below, shuffle
from trick_envs.core.state import MAX_SEATS, NOBODY, Field, clear_scores, left_of, state_dtype
from trick_envs.core.tricks import clear_tricks, forget_trick, lead_trick, trick_fields

SUITS = "SDCH"
NUM_SUITS = len(SUITS)
NO_SUIT = -1
RANKS = {7: (2, 3, 4, 5, 6, 7, 8), 6: (2, 3, 4, 5, 6, 7), 5: (2, 3, 4, 5, 6), 4: (2, 4, 5, 6), 3: (2, 4, 6)}
"""The ranks in play, by their number: 2, 4 and 6, which make the game, always stay."""
MAX_RANKS = max(RANKS)
MAX_CARDS = NUM_SUITS * MAX_RANKS
BONUS_RANKS = (9, 10)
NUM_BONUS = len(BONUS_RANKS)  # bonus cards of a suit, the 9 on the 10
MAX_HAND = 7
MAX_TRICKS = MAX_HAND - 1  # one card of the hand isn't played
MIN_HAND = 2
MAX_LEFT_OVER = MAX_CARDS - 3 * MIN_HAND
FOLLOWS_ALWAYS = 2  # the number whose card follows any suit
SUITLESS = 4  # the number whose card has no suit, and the rank that covers
TURNABLE = 6  # the number that counts 0 when it lies sideways
NUM_NUMBERS = 10  # numbers go from 0 to 9, an 8 with the joker
SPECIAL_BID = 3  # bid cards of a special bid
NO_INDEX = -1


class Phase(IntEnum):
    """What is being decided."""

    WISH = 0
    BID = 1
    SECRET = 2
    PLAY = 3
    BONUS = 4
    COVER = 5
    JOKER = 6
    OVER = 7


class Side(IntEnum):
    """The two sides of an oracle."""

    MOST = 0
    LEAST = 1


class Wish(IntEnum):
    """What a seat has said about a special bid."""

    NOT_ASKED = -1
    NO = 0
    YES = 1


class Way(IntEnum):
    """How a card is played: upright or sideways, and with what the joker adds."""

    PLAIN = 0
    SIDEWAYS = 1
    PLUS = 2
    MINUS = 3
    SIDEWAYS_PLUS = 4
    SIDEWAYS_MINUS = 5


class LastFour(IntEnum):
    """Setting: when the last 4 in a trick that has a suit loses, though a lower card didn't follow either."""

    NEVER = 0
    OF_SEVERAL = 1
    ALWAYS = 2


class FourIntoEmptyRows(IntEnum):
    """Setting: what a 4 covers that was won when no uncovered card lay in the winner's rows."""

    TRICK = 0
    SECRET = 1


# --- actions, in their order; where the later ones begin lies in the record ---------------------------

WISH_YES = 0
NAME_MOST = 2  # and the suit
NAME_LEAST = NAME_MOST + NUM_SUITS
ALSO_MOST = NAME_LEAST + NUM_SUITS
ALSO_LEAST = ALSO_MOST + NUM_SUITS
LAY_SECRET = ALSO_LEAST + NUM_SUITS  # and the card

TURNED = (
    (6, Way.SIDEWAYS_PLUS),
    (6, Way.SIDEWAYS_MINUS),
    (5, Way.SIDEWAYS_PLUS),
    (7, Way.SIDEWAYS_MINUS),
)
"""The ranks that can be played sideways with the joker, and how, in the order of actions."""

TURNED_RANKS = np.array([rank for rank, _ in TURNED])
TURNED_WAYS = np.array([way.value for _, way in TURNED])


# --- tables of cards, by the number of ranks in play --------------------------------------------------

RANK_OF = np.zeros((MAX_RANKS + 1, MAX_CARDS), np.int32)
INDEX_OF_RANK = np.full((MAX_RANKS + 1, MAX_RANKS + 2), NO_INDEX, np.int32)
for _num_ranks, _ranks in RANKS.items():
    for _card in range(NUM_SUITS * _num_ranks):
        _index = _card % _num_ranks
        RANK_OF[_num_ranks, _card] = _ranks[_index]
        INDEX_OF_RANK[_num_ranks, _ranks[_index]] = _index


STATE = state_dtype(
    "oracle_land",
    [
        # settings
        Field("hazy_moon", np.int32, "1: after each trick a card that was left over is turned up"),
        Field("last_four_loses", np.int32, "when the last 4 in a trick with a suit loses: LastFour"),
        Field("four_into_empty_rows", np.int32, "what it covers: FourIntoEmptyRows"),
        Field("num_ranks", np.int32, "of each suit"),
        Field("hand_size", np.int32, "cards dealt to a seat"),
        Field("num_rounds", np.int32, "deals of a game"),
        Field("num_cards", np.int32, "that are played; bonus cards don't count"),
        Field("max_tricks", np.int32, "of a deal"),
        Field("num_left_over", np.int32, "cards dealt to nobody"),
        # where actions begin
        Field("plain_at", np.int32, "first action that plays a card as it is"),
        Field("sideways_at", np.int32, "first action that plays a 6 sideways"),
        Field("plus_at", np.int32, "first action that plays a card with the joker as +1"),
        Field("minus_at", np.int32, "first action that plays a card with the joker as -1"),
        Field("turned_at", np.int32, "first action that plays a card sideways with the joker, by TURNED"),
        Field("bonus_at", np.int32, "first action that takes a bonus card"),
        Field("cover_at", np.int32, "first action that covers a card of a suit"),
        Field("joker_at", np.int32, "first action that adds the joker to a suit"),
        # the deal
        Field("joker", np.int32, "the seat that has it, and leads next; NOBODY before the first lead"),
        Field("joker_suit", np.int32, "that the joker was added to, or NO_SUIT"),
        Field("num_to_cover", np.int32, "4s that the winner still has to lay"),
        Field("num_covers", np.int32, "suits in cover_suits", {"trick": MAX_TRICKS}),
        Field("num_moon", np.int32, "cards of left_over that have been turned up"),
        *hand_fields(
            MAX_HAND,
            "before the pass, what will be passed; the left neighbour knows what it passed",
        ),
        void_field(NUM_SUITS, "its 4 doesn't count"),
        Field(
            "secrets",
            CARD,
            "NO_CARD before it is laid",
            {"seat": MAX_SEATS},
            known_to="its seat until shown",
        ),
        Field("to_cover", CARD, "those 4s, next first, then NO_CARD", {"index": MAX_SEATS}),
        Field(
            "left_over",
            CARD,
            "the cards dealt to nobody, next first, then NO_CARD; sorted where none is turned up",
            {"card": MAX_LEFT_OVER},
            known_to="nobody until turned up",
        ),
        *trick_fields(MAX_TRICKS),
        Field(
            "ways",
            np.int8,
            "how the cards in played were played: Way",
            {"trick": MAX_TRICKS + 1, "seat": MAX_SEATS},
        ),
        Field(
            "numbers",
            np.int8,
            "what those cards count as",
            {"trick": MAX_TRICKS + 1, "seat": MAX_SEATS},
        ),
        Field("bonus_suits", np.int8, "what each trick's loser took, or NO_SUIT", {"trick": MAX_TRICKS}),
        Field(
            "cover_suits",
            np.int8,
            "what each trick's winner covered, then NO_SUIT",
            {"trick": MAX_TRICKS, "index": MAX_SEATS},
        ),
        Field("out", np.uint8, "1: was played to a finished trick of this deal", {"card": MAX_CARDS}),
        Field(
            "rows",
            np.int16,
            "uncovered cards, a bit for each rank in play, then for each bonus rank",
            {"seat": MAX_SEATS, "suit": NUM_SUITS},
        ),
        Field("row_sizes", np.int8, "how many these are", {"seat": MAX_SEATS, "suit": NUM_SUITS}),
        Field("stock", np.int8, "bonus cards left", {"suit": NUM_SUITS}),
        Field("set_aside", np.uint8, "1: that suit's 4 is out of this deal", {"suit": NUM_SUITS}),
        Field("secret_covered", np.uint8, "1: a 4 covers the secret card", {"seat": MAX_SEATS}),
        Field(
            "wishes",
            np.int8,
            "of special bids: Wish",
            {"seat": MAX_SEATS},
            known_to="its seat until all were asked",
        ),
        Field(
            "bid_suits",
            np.uint8,
            "1: the seat's bid card isn't used up",
            {"seat": MAX_SEATS, "suit": NUM_SUITS},
        ),
        Field(
            "bids",
            np.int8,
            "a seat's oracle, which its left neighbour names: up to two suits for each side, then NO_SUIT",
            {"seat": MAX_SEATS, "side": len(Side), "index": 2},
            known_to="the left neighbour until all are named",
        ),
    ],
)


# --- cards and seats ----------------------------------------------------------------------------------


@kernel
def rank_of(s: State, card: int) -> int:
    """The printed rank of a card."""
    return int(RANK_OF[s.num_ranks, card])


@kernel
def card_at(s: State, suit: int, rank: int) -> int:
    """The card of a suit with a rank that is in play."""
    return int(suit * s.num_ranks + INDEX_OF_RANK[s.num_ranks, rank])


@kernel
def right_of(s: State, seat: int) -> int:
    """The next seat counterclockwise, for which `seat` makes the bid."""
    return int(seat - 1 if seat > 0 else s.num_players - 1)


@kernel
def first_to_decide(s: State) -> int:
    """Who begins where all decide at the same time: the joker's holder; seat 0 while there is none."""
    return 0 if s.joker == NOBODY else int(s.joker)


@kernel
def number_of(rank: int, way: int) -> int:
    """The number that a card has in a trick, by its printed rank and how it is played."""
    is_sideways = way in (Way.SIDEWAYS, Way.SIDEWAYS_PLUS, Way.SIDEWAYS_MINUS)
    number = 0 if rank == TURNABLE and is_sideways else rank
    if way in (Way.PLUS, Way.SIDEWAYS_PLUS):
        number += 1
    elif way in (Way.MINUS, Way.SIDEWAYS_MINUS):
        number -= 1
    if is_sideways and rank != TURNABLE:
        number = 0  # the joker has made it a 6, which lies sideways
    return max(0, number)


# --- dealing ------------------------------------------------------------------------------------------


@kernel
def new_game(s: State) -> None:
    """Deal 0. Everybody has four bid cards; the joker is nobody's."""
    clear_scores(s)
    s.joker = NOBODY
    s.leader = NOBODY
    for seat in range(MAX_SEATS):
        for suit in range(NUM_SUITS):
            s.bid_suits[seat, suit] = seat < s.num_players
    start_deal(s)


@kernel
def start_deal(s: State) -> None:
    """Deals; then come the wishes, from the second deal on and if anybody may have one, and the bids."""
    clear_deal(s)
    deal(s)
    s.current_player = first_to_decide(s)
    s.phase = Phase.BID
    if s.round_number > 0:
        seat = s.current_player
        for _ in range(s.num_players):
            if may_wish(s, seat):
                s.phase = Phase.WISH
                s.current_player = seat
                break
            seat = left_of(s, seat)


@kernel
def clear_deal(s: State) -> None:
    """An empty table and a full stock."""
    s.joker_suit = NO_SUIT
    s.num_to_cover = 0
    s.num_moon = 0
    for seat in range(MAX_SEATS):
        clear_hand(s, seat)
        clear_seat(s, seat)
    clear_tricks(s)
    for trick in range(MAX_TRICKS + 1):
        clear_trick(s, trick)
    for trick in range(MAX_TRICKS):
        s.bonus_suits[trick] = NO_SUIT
        s.num_covers[trick] = 0
        for i in range(MAX_SEATS):
            s.cover_suits[trick, i] = NO_SUIT
    for card in range(MAX_CARDS):
        s.out[card] = 0
    for i in range(MAX_LEFT_OVER):
        s.left_over[i] = NO_CARD
    for suit in range(NUM_SUITS):
        s.stock[suit] = NUM_BONUS
        s.set_aside[suit] = 0


@kernel
def clear_seat(s: State, seat: int) -> None:
    """Nothing lies before a seat, and nothing is known of it."""
    s.secrets[seat] = NO_CARD
    s.secret_covered[seat] = 0
    s.to_cover[seat] = NO_CARD
    s.wishes[seat] = Wish.NOT_ASKED
    for side in range(2):
        for i in range(2):
            s.bids[seat, side, i] = NO_SUIT
    clear_voids(s, seat)
    for suit in range(NUM_SUITS):
        s.rows[seat, suit] = 0
        s.row_sizes[seat, suit] = 0


@kernel
def clear_trick(s: State, trick: int) -> None:
    """A trick to which nobody has played."""
    forget_trick(s, trick)
    for seat in range(MAX_SEATS):
        s.ways[trick, seat] = Way.PLAIN
        s.numbers[trick, seat] = 0


@kernel
def deal(s: State) -> None:
    """Shuffles all cards and deals them; those that are left over lie face down."""
    holders = np.full(MAX_CARDS, NOBODY, np.int32)
    card = 0
    for seat in range(s.num_players):
        for _ in range(s.hand_size):
            holders[card] = seat
            card += 1
    shuffle(s, holders, s.num_cards)
    num_left = 0
    for card in range(s.num_cards):
        if holders[card] == NOBODY:
            s.left_over[num_left] = card
            num_left += 1
        else:
            add_to_hand(s, holders[card], card)
    if s.hazy_moon:
        shuffle(s, s.left_over, num_left)


# --- what may be done ---------------------------------------------------------------------------------


@kernel
def legal_actions(s: State, actions: NDArray[np.int32]) -> int:
    """The current player's choices, by what is being decided."""
    if s.phase == Phase.PLAY:
        return legal_leads(s, actions) if s.cards_in_trick == 0 else legal_follows(s, actions)
    if s.phase == Phase.BONUS:
        return legal_bonuses(s, actions)
    if s.phase == Phase.COVER:
        return legal_covers(s, actions)
    if s.phase == Phase.BID:
        return legal_bids(s, actions)
    if s.phase == Phase.SECRET:
        for i in range(s.hand_sizes[s.current_player]):
            actions[i] = LAY_SECRET + s.hands[s.current_player, i]
        return int(s.hand_sizes[s.current_player])
    if s.phase == Phase.WISH:
        for answer in range(2):
            actions[answer] = WISH_YES + answer
        return 2
    for suit in range(NUM_SUITS):
        actions[suit] = s.joker_at + suit
    return NUM_SUITS


@kernel
def legal_bids(s: State, actions: NDArray[np.int32]) -> int:
    """The neighbour's bid cards that haven't been named: for most, for least, then for either."""
    owner = right_of(s, s.current_player)
    named = num_named(s, owner)
    first_block = named
    last_block = named + 1 if named == 2 else named
    count = 0
    for block in range(first_block, last_block + 1):
        for suit in range(NUM_SUITS):
            if s.bid_suits[owner, suit] and not is_named(s, owner, suit):
                actions[count] = NAME_MOST + block * NUM_SUITS + suit
                count += 1
    return count


@kernel
def legal_leads(s: State, actions: NDArray[np.int32]) -> int:
    """The leader plays any card, a 6 also sideways, and may add the joker."""
    leader, size = s.current_player, s.hand_sizes[s.current_player]
    count = 0
    for i in range(size):
        actions[count] = s.plain_at + s.hands[leader, i]
        count += 1
    for i in range(size):
        card = s.hands[leader, i]
        if rank_of(s, card) == TURNABLE:
            actions[count] = s.sideways_at + suit_of(s, card)
            count += 1
    for at in (s.plus_at, s.minus_at):
        for i in range(size):
            actions[count] = at + s.hands[leader, i]
            count += 1
    for turned in range(len(TURNED_RANKS)):
        for i in range(size):
            card = s.hands[leader, i]
            if rank_of(s, card) == TURNED_RANKS[turned]:
                actions[count] = s.turned_at + turned * NUM_SUITS + suit_of(s, card)
                count += 1
    return count


@kernel
def legal_follows(s: State, actions: NDArray[np.int32]) -> int:
    """Who holds the lead suit plays it, or any 2, or any 4; a 6 may lie sideways."""
    seat, size = s.current_player, s.hand_sizes[s.current_player]
    lead = lead_suit(s, s.num_tricks)
    must = must_follow(s, seat, lead)
    count = 0
    for i in range(size):
        card = s.hands[seat, i]
        if not must or follows_suit(s, card, lead):
            actions[count] = s.plain_at + card
            count += 1
    for i in range(size):
        card = s.hands[seat, i]
        if rank_of(s, card) == TURNABLE and (not must or follows_suit(s, card, lead)):
            actions[count] = s.sideways_at + suit_of(s, card)
            count += 1
    return count


@kernel
def must_follow(s: State, seat: int, lead: int) -> bool:
    """Whether a hand holds the lead suit. That suit's 4 has no suit and doesn't count."""
    if lead == NO_SUIT:
        return False
    for i in range(s.hand_sizes[seat]):
        card = s.hands[seat, i]
        if suit_of(s, card) == lead and rank_of(s, card) != SUITLESS:
            return True
    return False


@kernel
def follows_suit(s: State, card: int, lead: int) -> bool:
    """Whether a hand that holds the lead suit may play this card."""
    rank = rank_of(s, card)
    return suit_of(s, card) == lead or rank in (FOLLOWS_ALWAYS, SUITLESS)


@kernel
def legal_bonuses(s: State, actions: NDArray[np.int32]) -> int:
    """The loser takes a bonus card of any suit of which there is one."""
    count = 0
    for suit in range(NUM_SUITS):
        if s.stock[suit] > 0:
            actions[count] = s.bonus_at + suit
            count += 1
    return count


@kernel
def legal_covers(s: State, actions: NDArray[np.int32]) -> int:
    """A 4 covers a card of the winner's rows."""
    count = 0
    for suit in range(NUM_SUITS):
        if s.row_sizes[s.current_player, suit] > 0:
            actions[count] = s.cover_at + suit
            count += 1
    return count


@kernel
def step(s: State, action: int) -> None:
    """Makes the current player's decision."""
    if s.phase == Phase.PLAY:
        play_card(s, card_of(s, action), way_of(s, action))
    elif s.phase == Phase.BONUS:
        take_bonus(s, action - s.bonus_at)
    elif s.phase == Phase.COVER:
        cover(s, action - s.cover_at)
    elif s.phase == Phase.BID:
        name_suit(s, action)
    elif s.phase == Phase.SECRET:
        lay_secret(s, action - LAY_SECRET)
    elif s.phase == Phase.WISH:
        make_wish(s, Wish.YES if action == WISH_YES else Wish.NO)
    else:
        add_joker(s, action - s.joker_at)


# --- wishes and bids ----------------------------------------------------------------------------------


@kernel
def num_bid_cards(s: State, seat: int) -> int:
    """How many bid cards a seat has left, those laid in a bid included."""
    count = 0
    for suit in range(NUM_SUITS):
        count += s.bid_suits[seat, suit]
    return count


@kernel
def may_wish(s: State, seat: int) -> bool:
    """Whether a seat has the bid cards for a special bid, and hasn't been asked."""
    return num_bid_cards(s, seat) >= SPECIAL_BID and s.wishes[seat] == Wish.NOT_ASKED


@kernel
def make_wish(s: State, answer: int) -> None:
    """The current player wants the special bid or doesn't; after the last one, the bids begin."""
    s.wishes[s.current_player] = answer
    seat = s.current_player
    for _ in range(s.num_players):
        if may_wish(s, seat):
            s.current_player = seat
            return
        seat = left_of(s, seat)
    s.phase = Phase.BID
    s.current_player = first_to_decide(s)


@kernel
def num_named(s: State, owner: int) -> int:
    """How many suits have been named in the bid for a seat."""
    count = 0
    for side in range(2):
        for i in range(2):
            count += s.bids[owner, side, i] != NO_SUIT
    return count


@kernel
def is_on_side(s: State, owner: int, side: int, suit: int) -> bool:
    """Whether a suit stands on one side of a seat's oracle."""
    return bool(s.bids[owner, side, 0] == suit or s.bids[owner, side, 1] == suit)


@kernel
def is_named(s: State, owner: int, suit: int) -> bool:
    """Whether a suit has been named in the bid for a seat."""
    return is_on_side(s, owner, Side.MOST, suit) or is_on_side(s, owner, Side.LEAST, suit)


@kernel
def bid_size(s: State, owner: int) -> int:
    """How many bid cards the bid for a seat has."""
    return SPECIAL_BID if s.wishes[owner] == Wish.YES else SPECIAL_BID - 1


@kernel
def name_suit(s: State, action: int) -> None:
    """The current player names a suit for its right neighbour; after all bids the cards are passed."""
    owner = right_of(s, s.current_player)
    if action < ALSO_MOST:
        i = 0
        side = Side.MOST if action < NAME_LEAST else Side.LEAST
        suit = action - (NAME_MOST if action < NAME_LEAST else NAME_LEAST)
    else:
        i = 1
        side = Side.MOST if action < ALSO_LEAST else Side.LEAST
        suit = action - (ALSO_MOST if action < ALSO_LEAST else ALSO_LEAST)
    s.bids[owner, side, i] = suit
    if num_named(s, owner) == bid_size(s, owner):
        s.current_player = left_of(s, s.current_player)
        if s.current_player == first_to_decide(s):
            pass_cards(s)
            s.phase = Phase.SECRET


@kernel
def pass_cards(s: State) -> None:
    """Everybody passes its cards to the right and takes those from the left."""
    for i in range(s.hand_size):
        passed_on = s.hands[0, i]
        for seat in range(s.num_players - 1):
            s.hands[seat, i] = s.hands[seat + 1, i]
        s.hands[s.num_players - 1, i] = passed_on


@kernel
def lay_secret(s: State, card: int) -> None:
    """The current player lays its secret card; after the last one, play begins."""
    remove_from_hand(s, s.current_player, card)
    s.secrets[s.current_player] = card
    s.current_player = left_of(s, s.current_player)
    if s.secrets[s.current_player] != NO_CARD:
        start_play(s)


@kernel
def start_play(s: State) -> None:
    """The joker's holder leads. In the first deal that is a seat drawn at random."""
    if s.joker == NOBODY:
        s.joker = random_below(s, s.num_players)
    s.leader = s.joker
    start_trick(s)


@kernel
def start_trick(s: State) -> None:
    """The leader is to play."""
    s.phase = Phase.PLAY
    lead_trick(s, s.leader)


# --- playing ------------------------------------------------------------------------------------------


@kernel
def card_of(s: State, action: int) -> int:
    """The card that is played by an action."""
    if action < s.sideways_at:
        return int(action - s.plain_at)
    if action < s.plus_at:
        return card_at(s, action - s.sideways_at, TURNABLE)
    if action < s.minus_at:
        return int(action - s.plus_at)
    if action < s.turned_at:
        return int(action - s.minus_at)
    turned, suit = divmod(action - s.turned_at, NUM_SUITS)
    return card_at(s, suit, TURNED_RANKS[turned])


@kernel
def way_of(s: State, action: int) -> int:
    """How an action plays its card."""
    if action >= s.turned_at:
        return int(TURNED_WAYS[(action - s.turned_at) // NUM_SUITS])
    # The first ways have the order of their actions.
    return int(action >= s.sideways_at) + int(action >= s.plus_at) + int(action >= s.minus_at)


@kernel
def action_of(s: State, card: int, way: int) -> int:
    """The action that plays a card in a way that it can be played."""
    if way == Way.PLAIN:
        return int(s.plain_at + card)
    if way == Way.PLUS:
        return int(s.plus_at + card)
    if way == Way.MINUS:
        return int(s.minus_at + card)
    suit, rank = suit_of(s, card), rank_of(s, card)
    if way == Way.SIDEWAYS:
        return int(s.sideways_at + suit)
    turned = 0
    while TURNED_RANKS[turned] != rank or TURNED_WAYS[turned] != way:
        turned += 1
    return int(s.turned_at + turned * NUM_SUITS + suit)


@kernel
def play_card(s: State, card: int, way: int) -> None:
    """The current player plays a card, and may show by it that it doesn't hold the lead suit."""
    seat = s.current_player
    remove_from_hand(s, seat, card)
    s.played[s.num_tricks, seat] = card
    s.ways[s.num_tricks, seat] = way
    s.numbers[s.num_tricks, seat] = number_of(rank_of(s, card), way)
    s.cards_in_trick += 1
    lead = lead_suit(s, s.num_tricks)
    if lead != NO_SUIT and not follows_suit(s, card, lead):
        s.known_voids[seat, lead] = 1
    if s.cards_in_trick == s.num_players:
        finish_trick(s)
    else:
        s.current_player = left_of(s, seat)


@kernel
def lead_suit(s: State, trick: int) -> int:
    """The suit to follow: that of the led card. A led number 4 has none."""
    leader = s.trick_leaders[trick]
    if s.numbers[trick, leader] == SUITLESS:
        return NO_SUIT
    return suit_of(s, s.played[trick, leader])


@kernel
def is_in_suit(s: State, trick: int, seat: int, lead: int) -> bool:
    """Whether a card that was played follows: the lead suit but the number 4, and every 2."""
    number = s.numbers[trick, seat]
    if lead == NO_SUIT or number == FOLLOWS_ALWAYS:
        return True
    return suit_of(s, s.played[trick, seat]) == lead and number != SUITLESS


@kernel
def winner_of_trick(s: State, trick: int) -> int:
    """The highest number that follows wins; of equal ones, the earlier. Of the cards played so far."""
    lead = lead_suit(s, trick)
    seat = s.trick_leaders[trick]
    winner, best = seat, -1
    for _ in range(s.num_players):
        number = s.numbers[trick, seat]
        if s.played[trick, seat] != NO_CARD and number > best and is_in_suit(s, trick, seat, lead):
            winner, best = seat, number
        seat = left_of(s, seat)
    return int(winner)


@kernel
def loser_of_trick(s: State, trick: int) -> int:
    """The lowest number among those that didn't follow loses, or of all; of equal ones, the later."""
    lead = lead_suit(s, trick)
    if s.last_four_loses and lead != NO_SUIT:
        last = last_four_of_trick(s, trick)
        if last != NOBODY:
            return last
    seat = s.trick_leaders[trick]
    loser, lowest = seat, NUM_NUMBERS
    all_follow = True
    for _ in range(s.num_players):
        if s.played[trick, seat] != NO_CARD:
            follows = is_in_suit(s, trick, seat, lead)
            if all_follow and not follows:
                all_follow = False
                lowest = NUM_NUMBERS
            if follows == all_follow and s.numbers[trick, seat] <= lowest:
                loser, lowest = seat, s.numbers[trick, seat]
        seat = left_of(s, seat)
    return int(loser)


@kernel
def last_four_of_trick(s: State, trick: int) -> int:
    """The seat that played the last 4 of a trick, if there are as many as the setting asks for, or NOBODY."""
    seat = s.trick_leaders[trick]
    last, count = NOBODY, 0
    for _ in range(s.num_players):
        if s.played[trick, seat] != NO_CARD and s.numbers[trick, seat] == SUITLESS:
            last = seat
            count += 1
        seat = left_of(s, seat)
    fewest = 1 if s.last_four_loses == LastFour.ALWAYS else 2
    return int(last) if count >= fewest else NOBODY


@kernel
def finish_trick(s: State) -> None:
    """The winner takes the joker and leads next; the loser is to take a bonus card."""
    trick = s.num_tricks
    for seat in range(s.num_players):
        s.out[s.played[trick, seat]] = 1
    s.joker = winner_of_trick(s, trick)
    s.leader = s.joker
    s.current_player = loser_of_trick(s, trick)
    s.num_tricks += 1
    s.cards_in_trick = 0
    s.phase = Phase.BONUS


# --- after a trick ------------------------------------------------------------------------------------


@kernel
def add_to_row(s: State, seat: int, suit: int, index: int) -> None:
    """Lays a card, by its index in its suit, into a seat's row."""
    s.rows[seat, suit] |= 1 << index
    s.row_sizes[seat, suit] += 1


@kernel
def take_bonus(s: State, suit: int) -> None:
    """The loser takes the top card of a suit's stock; then the winner takes the trick."""
    add_to_row(s, s.current_player, suit, s.num_ranks + NUM_BONUS - s.stock[suit])
    s.stock[suit] -= 1
    s.bonus_suits[s.num_tricks - 1] = suit
    take_trick(s)


@kernel
def take_trick(s: State) -> None:
    """The winner lays the cards into its rows, by their printed suits; printed 4s have to cover something."""
    trick = s.num_tricks - 1
    skips_rows = fours_skip_rows(s, s.joker)
    seat = s.trick_leaders[trick]
    for _ in range(s.num_players):
        card = s.played[trick, seat]
        suit = suit_of(s, card)
        if rank_of(s, card) == SUITLESS:
            s.to_cover[s.num_to_cover] = card
            s.num_to_cover += 1
        else:
            add_to_row(s, s.joker, suit, card - suit * s.num_ranks)
        seat = left_of(s, seat)
    while skips_rows and s.num_to_cover > 0:
        cover_secret(s)
    cover_without_choice(s)


@kernel
def fours_skip_rows(s: State, winner: int) -> bool:
    """Before a trick is laid out: whether its 4s cover nothing in the winner's rows, by the setting."""
    return bool(s.four_into_empty_rows == FourIntoEmptyRows.SECRET and num_uncovered(s, winner) == 0)


@kernel
def cover(s: State, suit: int) -> None:
    """The winner covers the lowest card of a row by the next 4."""
    trick = s.num_tricks - 1
    s.cover_suits[trick, s.num_covers[trick]] = suit
    s.num_covers[trick] += 1
    s.rows[s.joker, suit] &= s.rows[s.joker, suit] - 1  # the lowest bit goes
    s.row_sizes[s.joker, suit] -= 1
    next_to_cover(s)
    cover_without_choice(s)


@kernel
def next_to_cover(s: State) -> int:
    """Takes the next 4 that has to be laid."""
    four = s.to_cover[0]
    for i in range(1, MAX_SEATS):
        s.to_cover[i - 1] = s.to_cover[i]
    s.to_cover[MAX_SEATS - 1] = NO_CARD
    s.num_to_cover -= 1
    return int(four)


@kernel
def num_uncovered(s: State, seat: int) -> int:
    """How many uncovered cards lie in a seat's rows."""
    count = 0
    for suit in range(NUM_SUITS):
        count += s.row_sizes[seat, suit]
    return count


@kernel
def cover_without_choice(s: State) -> None:
    """The next 4 waits for the winner's choice; without an uncovered card there is none."""
    while s.num_to_cover > 0:
        if num_uncovered(s, s.joker) > 0:
            s.phase = Phase.COVER
            s.current_player = s.joker
            return
        cover_secret(s)
    finish_taking(s)


@kernel
def cover_secret(s: State) -> None:
    """The next 4 covers the winner's secret card; if that is covered already, it is out of this deal."""
    four = next_to_cover(s)
    if s.secret_covered[s.joker]:
        s.set_aside[suit_of(s, four)] = 1
    else:
        s.secret_covered[s.joker] = 1


@kernel
def finish_taking(s: State) -> None:
    """A card of the hazy moon is turned up; the next trick begins or, after the last one, the scoring."""
    if s.hazy_moon and s.num_moon < s.num_left_over:
        s.num_moon += 1
    if s.num_tricks < s.max_tricks:
        start_trick(s)
    else:
        s.phase = Phase.JOKER
        s.current_player = s.joker


# --- scoring ------------------------------------------------------------------------------------------


@kernel
def count_of(s: State, seat: int, suit: int) -> int:
    """How much of a suit counts for a seat: its row, its uncovered secret card, and the joker once added."""
    count = s.row_sizes[seat, suit]
    if not s.secret_covered[seat] and s.secrets[seat] != NO_CARD:
        count += suit_of(s, s.secrets[seat]) == suit
    if seat == s.joker:
        count += s.joker_suit == suit
    return int(count)


@kernel
def side_succeeds(s: State, seat: int, side: int) -> bool:
    """Whether the suits of one side of an oracle, and no others, have the highest or the lowest count."""
    sign = 1 if side == Side.MOST else -1
    wanted = sign * count_of(s, seat, s.bids[seat, side, 0])
    for suit in range(NUM_SUITS):
        count = sign * count_of(s, seat, suit)
        if is_on_side(s, seat, side, suit):
            if count != wanted:
                return False
        elif count >= wanted:
            return False
    return True


@kernel
def add_joker(s: State, suit: int) -> None:
    """The joker's holder adds it to a suit; all score, and the next deal begins or the game ends."""
    s.joker_suit = suit
    for seat in range(s.num_players):
        for side in range(2):
            if side_succeeds(s, seat, side):
                score_side(s, seat, side)
    if s.round_number + 1 < s.num_rounds:
        s.round_number += 1
        start_deal(s)
    else:
        finish_game(s)


@kernel
def score_side(s: State, seat: int, side: int) -> None:
    """Each bid card of a side that succeeded is a point and is used up."""
    for i in range(2):
        suit = s.bids[seat, side, i]
        if suit != NO_SUIT:
            s.bid_suits[seat, suit] = 0
            s.scores[seat] += 1


@kernel
def finish_game(s: State) -> None:
    """Most points win. Of several, the joker's holder, or the first clockwise from it."""
    s.phase = Phase.OVER
    s.leader = NOBODY
    s.current_player = NOBODY
    seat = s.joker
    winner = seat
    for _ in range(s.num_players):
        if s.scores[seat] > s.scores[winner]:
            winner = seat
        seat = left_of(s, seat)
    s.winners[winner] = 1


# --- what a seat doesn't know -------------------------------------------------------------------------


@kernel
def is_passed(s: State) -> bool:
    """Whether the cards have been passed in this deal: then a seat knows its right neighbour's cards."""
    return bool(s.phase >= Phase.SECRET)


@kernel
def is_secret_shown(s: State, seat: int) -> bool:
    """Whether a seat's secret card has been shown: at the scoring, unless it is covered."""
    return bool(s.phase >= Phase.JOKER and not s.secret_covered[seat])


@kernel
def resample(s: State, seat: int) -> None:
    """Draws anew the other hands, secret cards, the cards left over and their order, and hidden choices.

    All worlds are equally likely. What is hidden falls into parts that don't depend on each other, and each
    is drawn uniformly: which of its known cards the right neighbour has laid as its secret card
    (`resample_neighbours_secret`); how the unseen cards lie in the other hands, as secret cards and in the
    pile of those left over, no hand getting a suit that it is known not to hold (`trick_envs.core.dealing`),
    and the order of that pile; the wishes and bids that aren't public yet, each a row of free choices.
    """
    if s.phase == Phase.WISH:
        resample_wishes(s, seat)
    elif s.phase == Phase.BID:
        resample_bids(s, seat)
    elif not is_secret_shown(s, right_of(s, seat)):
        resample_neighbours_secret(s, right_of(s, seat))
    resample_cards(s, seat)


@kernel
def resample_wishes(s: State, seat: int) -> None:
    """The others' wishes so far: yes or no."""
    for other in range(s.num_players):
        if other != seat and s.wishes[other] != Wish.NOT_ASKED:
            s.wishes[other] = random_below(s, 2)


@kernel
def resample_bids(s: State, seat: int) -> None:
    """The suits that others have named so far: any that they could have named."""
    suits = np.empty(NUM_SUITS, np.int64)
    for owner in range(s.num_players):
        if left_of(s, owner) != seat:
            named = num_named(s, owner)
            num_suits = 0
            for suit in range(NUM_SUITS):
                if s.bid_suits[owner, suit]:
                    suits[num_suits] = suit
                    num_suits += 1
            shuffle(s, suits, num_suits)
            for side in range(2):
                s.bids[owner, side, 0] = suits[side] if side < named else NO_SUIT
                s.bids[owner, side, 1] = NO_SUIT
            if named == SPECIAL_BID:
                s.bids[owner, random_below(s, 2), 1] = suits[2]


@kernel
def resample_neighbours_secret(s: State, neighbour: int) -> None:
    """Which of its known cards a seat has laid: one that a void of its hand tells, or else any."""
    if s.secrets[neighbour] == NO_CARD:
        return
    add_back = s.secrets[neighbour]
    size = s.hand_sizes[neighbour]
    cards = np.empty(MAX_HAND, CARD)
    count = 0
    for i in range(size):  # in order, wherever the secret card was
        if add_back != NO_CARD and add_back < s.hands[neighbour, i]:
            cards[count] = add_back
            add_back = NO_CARD
            count += 1
        cards[count] = s.hands[neighbour, i]
        count += 1
    if add_back != NO_CARD:
        cards[count] = add_back
    secret = random_below(s, size + 1)
    for i in range(size + 1):
        if is_known_void(s, neighbour, cards[i]):
            secret = i
    s.secrets[neighbour] = cards[secret]
    for i in range(size):
        s.hands[neighbour, i] = cards[i + (i >= secret)]


@kernel
def is_known_void(s: State, seat: int, card: int) -> bool:
    """Whether play has shown that a card isn't in a seat's hand. It may be the secret card."""
    return bool(s.known_voids[seat, suit_of(s, card)] and rank_of(s, card) != SUITLESS)


SECRETS = MAX_SEATS  # among receivers, secret cards come after hands,
LEFT_OVER = 2 * MAX_SEATS  # and then comes the pile that is left over
ALWAYS_POSSIBLE = NUM_SUITS  # the class of the 4s, which a void says nothing about


@kernel
def is_hidden_secret(s: State, seat: int, other: int) -> bool:
    """Whether a secret card lies among the unseen ones; the right neighbour's is one of known cards."""
    is_known = other == seat or other == right_of(s, seat) or is_secret_shown(s, other)
    return bool(s.secrets[other] != NO_CARD and not is_known)


@kernel
def is_hidden_hand(s: State, seat: int, other: int) -> bool:
    """Whether a hand lies among the unseen cards."""
    return bool(other != seat and not (is_passed(s) and other == right_of(s, seat)))


@kernel
def take_unseen(s: State, seat: int, is_unseen: NDArray[np.uint8], capacity: NDArray[np.int32]) -> None:
    """Marks the cards (MAX_CARDS,) that a seat hasn't seen, takes them away, and counts where they lay."""
    for other in range(s.num_players):
        if is_hidden_hand(s, seat, other):
            capacity[other] = s.hand_sizes[other]
            mark_hand(s, other, is_unseen)
            clear_hand(s, other)
        if is_hidden_secret(s, seat, other):
            capacity[SECRETS + other] = 1
            is_unseen[s.secrets[other]] = 1
    for i in range(s.num_moon, s.num_left_over):
        is_unseen[s.left_over[i]] = 1
    capacity[LEFT_OVER] = s.num_left_over - s.num_moon


@kernel
def resample_cards(s: State, seat: int) -> None:
    """Deals the unseen cards anew to the other hands, as secret cards and to the pile that is left over."""
    is_unseen = np.zeros(MAX_CARDS, np.uint8)
    capacity = np.zeros(LEFT_OVER + 1, np.int32)
    take_unseen(s, seat, is_unseen, capacity)
    cards = np.empty(MAX_CARDS, CARD)
    classes = np.empty(MAX_CARDS, np.int32)
    num_unseen = 0
    for card in range(s.num_cards):
        if is_unseen[card]:
            cards[num_unseen] = card
            classes[num_unseen] = ALWAYS_POSSIBLE if rank_of(s, card) == SUITLESS else suit_of(s, card)
            num_unseen += 1
    excluded = np.zeros((LEFT_OVER + 1, ALWAYS_POSSIBLE + 1), np.uint8)
    for other in range(s.num_players):
        for suit in range(NUM_SUITS):
            excluded[other, suit] = s.known_voids[other, suit]
    receivers = np.empty(MAX_CARDS, np.int32)
    deal_unseen(s, classes, num_unseen, capacity, excluded, receivers)
    give_cards(s, cards, receivers, num_unseen)


@kernel
def give_cards(s: State, cards: NDArray[np.int16], receivers: NDArray[np.int32], num_cards: int) -> None:
    """Puts cards, in order, where they were dealt."""
    num_left = s.num_moon
    for i in range(num_cards):
        if receivers[i] == LEFT_OVER:
            s.left_over[num_left] = cards[i]
            num_left += 1
        elif receivers[i] >= SECRETS:
            s.secrets[receivers[i] - SECRETS] = cards[i]
        else:
            add_to_hand(s, receivers[i], cards[i])
    if s.hazy_moon:
        shuffle(s, s.left_over[s.num_moon :], s.num_left_over - s.num_moon)
