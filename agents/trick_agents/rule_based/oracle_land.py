"""A rule-based player of Oracle Land.

It makes the choice after which the oracles are worth most to it: its own as much as possible, and to a small
part the others' as little as possible. An oracle is worth its points, times their chances. The chances
follow from the counts of now and from what the tricks to come may add to each suit, as independent Poisson
numbers:

* A *bid* for the right neighbour is the one that would be worth least to it. Its hand is known: of a suit
  that is long in it, it will rather collect many cards.
* It always *wishes* for a special bid: that wins a little more often than never to wish.
* The *secret card*, *bonus cards*, *covers* and the *joker* go where the own oracle is then worth most.
* In a *trick* each card, upright or sideways, with or without the joker, wins or loses with a certain
  chance: by what lies, by the cards that are still unseen and the voids that play has shown, and by the
  right neighbour's cards, which are known. What is won goes to the rows, and 4s cover there; who loses takes
  a bonus card.

It reads public fields of a state, the current player's own hand and secret card, and the cards that it has
passed.
"""

from enum import IntEnum, auto

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.cards import NO_CARD, suit_of
from trick_envs.core.dispatch import register_kernel
from trick_envs.core.game import States
from trick_envs.core.kernel import State, kernel, large_kernel
from trick_envs.core.state import MAX_ACTIONS, left_of
from trick_envs.games.oracle_land.rules import (
    ALSO_LEAST,
    ALSO_MOST,
    LAY_SECRET,
    MAX_CARDS,
    MAX_RANKS,
    NAME_LEAST,
    NAME_MOST,
    NO_SUIT,
    NUM_BONUS,
    NUM_NUMBERS,
    NUM_SUITS,
    SPECIAL_BID,
    STATE,
    SUITLESS,
    TURNABLE,
    WISH_YES,
    LastFour,
    Phase,
    Side,
    bid_size,
    card_of,
    fours_skip_rows,
    is_hidden_hand,
    is_hidden_secret,
    is_in_suit,
    is_on_side,
    lead_suit,
    legal_actions,
    loser_of_trick,
    num_named,
    number_of,
    rank_of,
    right_of,
    way_of,
    winner_of_trick,
)

# --- weights -------------------------------------------------------------------------------------------


class Weight(IntEnum):
    """What has a weight. Worths are in points."""

    RATE = 0  # cards of a suit that a trick to come adds to a seat's row
    OTHERS = auto()  # how much a point of another seat counts against the own ones
    LEAD = auto()  # winning a trick: the joker and the lead
    WILL = auto()  # how likely a seat that can beat the trick does
    OFF = auto()  # how likely a seat that can follow plays a 4 instead
    LONG = auto()  # how many cards more a seat collects of a suit for each card that it is dealt of it
    SPECIAL = auto()  # keeping a 2, 4 or 6
    EXTREME = auto()  # keeping a high or a low card


NUM_WEIGHTS = len(Weight)

# Set by judgement.
WEIGHTS = np.array([0.27, 0.3, 0.03, 0.6, 0.1, 0.15, 0.02, 0.02])

MOST_COUNTED = MAX_RANKS + NUM_BONUS + 2  # cards of a suit in a row, a secret card and the joker, and none

# --- what the player sees ------------------------------------------------------------------------------

VIEW = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("weights", np.float64, (NUM_WEIGHTS,)),
                ("counts", np.int32, (NUM_SUITS,)),  # of the oracle that is looked at
                ("rates", np.float64, (NUM_SUITS,)),  # what will probably be added to each
                ("exactly", np.float64, (NUM_SUITS, MOST_COUNTED)),  # chance of each final count
                ("at_most", np.float64, (NUM_SUITS, MOST_COUNTED)),  # chance of this count or less
                ("num_unseen", np.int32),
                ("unseen", np.int32, (NUM_SUITS, NUM_NUMBERS)),  # unseen cards by suit and rank
                ("known", np.int32, (NUM_SUITS, NUM_NUMBERS)),  # those that the right neighbour holds
            ],
            align=True,
        ),
    )
)
"""What the current player makes of its position. Kernels hand it on beside the state."""


# --- what an oracle is worth ---------------------------------------------------------------------------


@kernel
def look_at_chances(view: State) -> None:
    """The chances of final counts: what is there, and a Poisson number with the suit's rate."""
    for suit in range(NUM_SUITS):
        chance = np.exp(-view.rates[suit])
        sum_of_chances = 0.0
        added = 0
        for count in range(MOST_COUNTED):
            view.exactly[suit, count] = 0.0
            if count >= view.counts[suit]:
                view.exactly[suit, count] = chance
                sum_of_chances += chance
                added += 1
                chance *= view.rates[suit] / added
            view.at_most[suit, count] = sum_of_chances


@kernel
def chance_of_side(s: State, view: State, owner: int, side: int) -> float:
    """How likely the suits of one side, and no others, have the highest or the lowest count."""
    total = 0.0
    for count in range(MOST_COUNTED):
        chance = 1.0
        for suit in range(NUM_SUITS):
            if is_on_side(s, owner, side, suit):
                chance *= view.exactly[suit, count]
            elif side == Side.LEAST:
                chance *= 1.0 - view.at_most[suit, count]
            else:
                chance *= view.at_most[suit, count - 1] if count > 0 else 0.0
        total += chance
    return total


@large_kernel
def worth_of_oracle(s: State, view: State, owner: int) -> float:
    """The points that a seat can expect from its oracle, with the view's counts and rates."""
    look_at_chances(view)
    worth = 0.0
    for side in range(2):
        size = 1 + (s.bids[owner, side, 1] != NO_SUIT)
        worth += size * chance_of_side(s, view, owner, side)
    return worth


@kernel
def look_at_rows(s: State, view: State, owner: int, tricks_to_come: int) -> None:
    """A seat's counts and rates. Of secret cards, the current player counts its own only."""
    for suit in range(NUM_SUITS):
        view.counts[suit] = s.row_sizes[owner, suit]
        view.rates[suit] = view.weights[Weight.RATE] * tricks_to_come
    if owner == s.current_player and s.secrets[owner] != NO_CARD and not s.secret_covered[owner]:
        view.counts[suit_of(s, s.secrets[owner])] += 1


@kernel
def look_at_covered_secret(s: State, view: State, owner: int) -> None:
    """Takes away the secret card, if it was counted: a 4 covers it."""
    if owner == s.current_player and not s.secret_covered[owner]:
        view.counts[suit_of(s, s.secrets[owner])] -= 1


@large_kernel
def worth_with(s: State, view: State, owner: int, suit: int, change: int) -> float:
    """What the oracle is worth with a card more, or less, of a suit."""
    view.counts[suit] += change
    worth = worth_of_oracle(s, view, owner)
    view.counts[suit] -= change
    return worth


@large_kernel
def worth_with_bonus(s: State, view: State, owner: int) -> float:
    """What the oracle is worth with the best bonus card of the stock."""
    best = -np.inf
    for suit in range(NUM_SUITS):
        if s.stock[suit] > 0:
            best = max(best, worth_with(s, view, owner, suit, 1))
    return best


@large_kernel
def worth_with_joker(s: State, view: State, owner: int) -> float:
    """What the oracle is worth with the joker added where it is best."""
    best = -np.inf
    for suit in range(NUM_SUITS):
        best = max(best, worth_with(s, view, owner, suit, 1))
    return best


@kernel
def worth_to_winner(s: State, view: State, owner: int, tricks_to_come: int) -> float:
    """What the oracle is worth to who wins a trick; after the last one, it adds the joker."""
    return worth_of_oracle(s, view, owner) if tricks_to_come > 0 else worth_with_joker(s, view, owner)


@large_kernel
def worth_with_trick(s: State, view: State, owner: int, tricks_to_come: int) -> float:
    """What the oracle is worth to a seat that wins the current trick's cards; 4s cover what is best there."""
    uncovered = np.empty(NUM_SUITS, np.int64)
    for suit in range(NUM_SUITS):
        uncovered[suit] = s.row_sizes[owner, suit]
    num_fours = 0
    for seat in range(s.num_players):
        card = s.played[s.num_tricks, seat]
        if card != NO_CARD:
            if rank_of(s, card) == SUITLESS:
                num_fours += 1
            else:
                uncovered[suit_of(s, card)] += 1
                view.counts[suit_of(s, card)] += 1
    if fours_skip_rows(s, owner):
        if num_fours > 0:
            look_at_covered_secret(s, view, owner)
        num_fours = 0
    for _ in range(num_fours):
        best, best_worth = NO_SUIT, -np.inf
        for suit in range(NUM_SUITS):
            if uncovered[suit] > 0:
                worth = worth_with(s, view, owner, suit, -1)
                if worth > best_worth:
                    best, best_worth = suit, worth
        if best != NO_SUIT:
            uncovered[best] -= 1
            view.counts[best] -= 1
    return worth_to_winner(s, view, owner, tricks_to_come)


# --- bids ----------------------------------------------------------------------------------------------


@kernel
def look_at_dealt(s: State, view: State) -> None:
    """Before the pass: what the right neighbour may collect, by the hand that it will get."""
    for suit in range(NUM_SUITS):
        view.counts[suit] = 0
        view.rates[suit] = view.weights[Weight.RATE] * s.max_tricks
    even = s.hand_size / NUM_SUITS
    for i in range(s.hand_sizes[s.current_player]):
        view.rates[suit_of(s, s.hands[s.current_player, i])] += view.weights[Weight.LONG] + 1.0 / s.hand_size
    for suit in range(NUM_SUITS):
        view.rates[suit] = max(0.0, view.rates[suit] - view.weights[Weight.LONG] * even)


@kernel
def fits_bid(s: State, owner: int, most: int, least: int) -> bool:
    """Whether a bid can be meant that begins with these suits, after what has been named."""
    named = num_named(s, owner)
    if most == least or not s.bid_suits[owner, most] or not s.bid_suits[owner, least]:
        return False
    if named > 0 and s.bids[owner, Side.MOST, 0] != most:
        return False
    return named < 2 or s.bids[owner, Side.LEAST, 0] == least


@large_kernel
def choose_bid(s: State, view: State, work: State) -> int:
    """The next suit of the bid that is worth least to the neighbour. `work`: a copy of the state."""
    look_at_dealt(s, view)
    owner = right_of(s, s.current_player)
    named = num_named(s, owner)
    num_thirds = 2 * NUM_SUITS if bid_size(s, owner) == SPECIAL_BID else 1
    best_action = NAME_MOST
    best_worth = np.inf
    for most in range(NUM_SUITS):
        for least in range(NUM_SUITS):
            if not fits_bid(s, owner, most, least):
                continue
            for third in range(num_thirds):
                side = int(third >= NUM_SUITS)
                suit = third - side * NUM_SUITS
                work.bids[owner, 0, 1] = NO_SUIT
                work.bids[owner, 1, 1] = NO_SUIT
                if num_thirds > 1:
                    if suit in (most, least) or not s.bid_suits[owner, suit]:
                        continue
                    work.bids[owner, side, 1] = suit
                work.bids[owner, 0, 0] = most
                work.bids[owner, 1, 0] = least
                worth = worth_of_oracle(work, view, owner)
                if worth < best_worth:
                    best_worth = worth
                    if named == 0:
                        best_action = NAME_MOST + most
                    elif named == 1:
                        best_action = NAME_LEAST + least
                    else:
                        best_action = (ALSO_LEAST if side else ALSO_MOST) + suit
    return best_action


# --- how a trick comes out -----------------------------------------------------------------------------


@large_kernel
def look_at_cards(s: State, view: State) -> None:
    """Counts the cards that lie in the others' hands, and those that the right neighbour is known to have."""
    is_unseen = np.zeros(MAX_CARDS, np.uint8)
    for other in range(s.num_players):
        if is_hidden_hand(s, s.current_player, other):
            for i in range(s.hand_sizes[other]):
                is_unseen[s.hands[other, i]] = 1
        if is_hidden_secret(s, s.current_player, other):
            is_unseen[s.secrets[other]] = 1
    for i in range(s.num_moon, s.num_left_over):
        is_unseen[s.left_over[i]] = 1
    for card in range(s.num_cards):
        if is_unseen[card]:
            view.unseen[suit_of(s, card), rank_of(s, card)] += 1
            view.num_unseen += 1
    neighbour = right_of(s, s.current_player)
    for i in range(s.hand_sizes[neighbour]):
        card = s.hands[neighbour, i]
        view.known[suit_of(s, card), rank_of(s, card)] += 1
    card = s.secrets[neighbour]
    view.known[suit_of(s, card), rank_of(s, card)] += 1


@large_kernel
def count_cards(s: State, view: State, seat: int, suit: int, low: int, high: int) -> int:
    """How many cards from one rank to another, but no 4s, a seat may hold; of a suit, or NO_SUIT."""
    neighbour = right_of(s, s.current_player)
    count = 0
    for other in range(NUM_SUITS):
        if suit == NO_SUIT or other == suit:
            for rank in range(low, min(high, NUM_NUMBERS - 1) + 1):
                if rank != SUITLESS:
                    count += view.known[other, rank] if seat == neighbour else view.unseen[other, rank]
    return count


@kernel
def chance_of_none(s: State, view: State, seat: int, count: int) -> float:
    """How likely a seat's hand has none of so many cards that it may hold."""
    if seat == right_of(s, s.current_player):
        size, everything = s.hand_sizes[seat], s.hand_sizes[seat] + 1
    else:
        size, everything = s.hand_sizes[seat], view.num_unseen
    chance = 1.0
    for i in range(count):
        chance *= max(0.0, 1.0 - size / max(1, everything - i))
    return chance


OUTCOMES = 3
WIN, LOSE, NEITHER = range(OUTCOMES)


@large_kernel
def look_at_outcomes(s: State, view: State, work: State, chances: NDArray[np.float64]) -> None:
    """How likely the current player's card, which lies in `work`, wins, loses or does neither.

    Writes (OUTCOMES,).
    """
    trick, current_player = s.num_tricks, s.current_player
    lead = lead_suit(work, trick)
    is_winning = winner_of_trick(work, trick) == current_player
    is_losing = loser_of_trick(work, trick) == current_player
    number = work.numbers[trick, current_player]
    follows = is_in_suit(work, trick, current_player, lead)
    win = 1.0 if is_winning else 0.0
    lose = 1.0 if is_losing else 0.0
    seat = current_player
    for _ in range(s.num_players - 1 - s.cards_in_trick):
        seat = left_of(s, seat)
        all_that_follow = count_cards(s, view, seat, lead, 0, NUM_NUMBERS)
        void = chance_of_none(s, view, seat, all_that_follow)
        if lead != NO_SUIT and s.known_voids[seat, lead]:
            void = 1.0
        beating = count_cards(s, view, seat, lead, number + 1, NUM_NUMBERS)
        can_beat = (1.0 - void) * (1.0 - chance_of_none(s, view, seat, beating))
        win *= 1.0 - view.weights[Weight.WILL] * can_beat
        off = 0.0 if lead == NO_SUIT else void + (1.0 - void) * view.weights[Weight.OFF]
        suit = lead if follows else NO_SUIT
        below = count_cards(s, view, seat, suit, 0, number) / max(
            1, count_cards(s, view, seat, suit, 0, NUM_NUMBERS)
        )
        if s.last_four_loses == LastFour.ALWAYS and number == SUITLESS and not follows:
            below = 0.0  # no lower card saves a 4
        lose *= (1.0 - off) * (1.0 - below) if follows else 1.0 - off * below
    chances[WIN] = win
    chances[LOSE] = min(lose, 1.0 - win)
    chances[NEITHER] = 1.0 - win - chances[LOSE]


# --- what a card is worth ------------------------------------------------------------------------------


@kernel
def worth_of_keeping(s: State, view: State, card: int) -> float:
    """What a card is worth in the hand: those with an effect, and those that surely win or lose."""
    rank = rank_of(s, card)
    worth = 0.0
    if rank in (SUITLESS, TURNABLE) or rank == 2:
        worth += view.weights[Weight.SPECIAL]
    middle = 5.0
    worth += view.weights[Weight.EXTREME] * abs(rank - middle) / middle
    return float(worth)


@kernel
def lay(s: State, work: State, action: int) -> None:
    """Puts the card of an action into the copy's current trick."""
    card, way = card_of(s, action), way_of(s, action)
    work.played[s.num_tricks, s.current_player] = card
    work.ways[s.num_tricks, s.current_player] = way
    work.numbers[s.num_tricks, s.current_player] = number_of(rank_of(s, card), way)
    work.cards_in_trick = s.cards_in_trick + 1


@large_kernel
def gain_of_winner(s: State, view: State, work: State, winner: int, tricks_to_come: int) -> float:
    """What the trick, as it lies, would bring another seat."""
    look_at_rows(s, view, winner, tricks_to_come)
    before = worth_of_oracle(s, view, winner)
    return float(worth_with_trick(work, view, winner, tricks_to_come) - before)


@large_kernel
def choose_play(
    s: State, view: State, work: State, actions: NDArray[np.int32], count: int, draw: float
) -> int:
    """The play after which the deal is worth most; the draw decides between equals."""
    look_at_cards(s, view)
    to_come = s.max_tricks - s.num_tricks - 1
    look_at_rows(s, view, s.current_player, to_come)
    worth_of_neither = worth_of_oracle(s, view, s.current_player)
    worth_of_losing = worth_with_bonus(s, view, s.current_player)
    chances = np.empty(OUTCOMES, np.float64)
    best_action, best_worth = actions[0], -np.inf
    first = int(draw * count)
    for i in range(count):
        action = actions[(first + i) % count]
        lay(s, work, action)
        look_at_outcomes(s, view, work, chances)
        worth = chances[LOSE] * worth_of_losing + chances[NEITHER] * worth_of_neither
        if chances[WIN] > 0.0:
            look_at_rows(s, view, s.current_player, to_come)
            worth_of_winning = worth_with_trick(work, view, s.current_player, to_come)
            worth += chances[WIN] * (worth_of_winning + view.weights[Weight.LEAD] * (to_come > 0))
        winner = winner_of_trick(work, s.num_tricks)
        if winner != s.current_player:
            worth -= view.weights[Weight.OTHERS] * gain_of_winner(s, view, work, winner, to_come)
        worth -= worth_of_keeping(s, view, card_of(s, action))
        if worth > best_worth:
            best_action, best_worth = action, worth
    return int(best_action)


@large_kernel
def choose_secret(s: State, view: State, actions: NDArray[np.int32], count: int, draw: float) -> int:
    """The card whose suit helps most, and that is missed least in the hand."""
    look_at_rows(s, view, s.current_player, s.max_tricks)
    best_action, best_worth = actions[0], -np.inf
    first = int(draw * count)
    for i in range(count):
        action = actions[(first + i) % count]
        card = action - LAY_SECRET
        worth = worth_with(s, view, s.current_player, suit_of(s, card), 1) - worth_of_keeping(s, view, card)
        if worth > best_worth:
            best_action, best_worth = action, worth
    return int(best_action)


@large_kernel
def choose_suit(s: State, view: State, actions: NDArray[np.int32], count: int, draw: float) -> int:
    """Where a bonus card, a 4 or the joker is best."""
    change = -1 if s.phase == Phase.COVER else 1
    first_action = s.joker_at
    if s.phase == Phase.BONUS:
        first_action = s.bonus_at
    elif s.phase == Phase.COVER:
        first_action = s.cover_at
    to_come = s.max_tricks - s.num_tricks
    look_at_rows(s, view, s.current_player, to_come)
    best_action, best_worth = actions[0], -np.inf
    first = int(draw * count)
    for i in range(count):
        action = actions[(first + i) % count]
        suit = action - first_action
        view.counts[suit] += change
        is_last_cover = s.phase == Phase.COVER and to_come == 0
        worth = (
            worth_with_joker(s, view, s.current_player)
            if is_last_cover
            else worth_of_oracle(s, view, s.current_player)
        )
        view.counts[suit] -= change
        if worth > best_worth:
            best_action, best_worth = action, worth
    return int(best_action)


# --- deciding ------------------------------------------------------------------------------------------


@large_kernel
def choose_by(s: State, views: States, works: States, draw: float) -> int:
    """The current player's action. `views`, `works`: room for a view and for a state, empty."""
    actions = np.empty(MAX_ACTIONS, np.int32)
    count = legal_actions(s, actions)
    if count == 1:
        return int(actions[0])
    if s.phase == Phase.WISH:
        return WISH_YES
    view = views[0]
    for i in range(NUM_WEIGHTS):
        view.weights[i] = WEIGHTS[i]
    if s.phase == Phase.SECRET:
        return choose_secret(s, view, actions, count, draw)
    if s.phase in (Phase.BONUS, Phase.COVER, Phase.JOKER):
        return choose_suit(s, view, actions, count, draw)
    works[0] = s
    if s.phase == Phase.BID:
        return choose_bid(s, view, works[0])
    return choose_play(s, view, works[0], actions, count, draw)


@kernel
def choose(s: State, draw: float) -> int:
    """The current player's action. `draw`, from 0 to below 1, decides between equals."""
    # Compiled code frees an array that has no name, even if a record of it is in use.
    views = np.zeros(1, VIEW)
    works = np.zeros(1, STATE)
    return choose_by(s, views, works, draw)


register_kernel(STATE, "choose", choose)
