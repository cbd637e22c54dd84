"""A rule-based player of TIGHEE.

It plays the card after which the round is worth most to it, in points. Three things go into that:

* The *aim*: what the round is worth with so many tricks taken and so many to come. `WORTH` holds that for
  a player who can, in every trick, choose between a small and a good chance to take it. So the aim, 0, 4, 8
  or 12 tricks, changes as the round goes.
* The *trick*: how likely a card takes it follows from the cards that are still unseen, the voids that play
  has shown, and how much the seats still to play would like the trick. The last to play knows.
* The *hand*: high cards take tricks in which all follow, low ones take those in which somebody doesn't, and
  black ones choose between the two; cards in the middle are laid down first.

It reads public fields of a state and the current player's own hand and picks, nothing else.
"""

from enum import IntEnum, auto

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.cards import NO_CARD, suit_of
from trick_envs.core.dispatch import register_kernel
from trick_envs.core.game import States
from trick_envs.core.kernel import State, kernel
from trick_envs.core.state import MAX_SEATS, left_of
from trick_envs.games.tighee.rules import (
    BLACK,
    LOWEST_RANK,
    MAX_CARDS,
    MAX_HAND,
    MAX_RANKS,
    MAX_TRICKS,
    NUM_SUITS,
    STATE,
    Mode,
    Phase,
    colour_of,
    forest_colour,
    is_black_free,
    lead_colour,
    legal_actions,
    mark_seen,
    points_for,
    rank_of,
    strength,
    winner_of_trick,
)

# --- weights -------------------------------------------------------------------------------------------


class Weight(IntEnum):
    """What has a weight. Worths are in points."""

    WILL = 0  # how likely a seat takes a trick that it may take or not
    WILL_PER_POINT = auto()  # the same for each point that it would gain
    HIGH = auto()  # keeping a high card
    HIGH_WANTED = auto()  # the same, times the share of the tricks to come that the current player wants
    LOW = auto()  # keeping a low card
    LOW_WANTED = auto()
    BLACK_HIGH = auto()  # keeping a high black card, beyond that
    BLACK_LOW = auto()
    ALONE = auto()  # keeping the last card of a colour
    PICK_ALONE = auto()  # laying down a card of a colour, divided by how many the hand has of it
    LEAD = auto()  # leading the next trick


NUM_WEIGHTS = len(Weight)

# With 3 players, with 3 in the short game, and with 4. Tuned by many games against random players and
# against the player itself.
WEIGHTS = np.array(
    [
        [0.12, 0.007, 3.85, 2.45, 1.1, 11.7, 3.41, 4.31, -0.39, -1.45, -7.09],
        [0.28, 0.009, 6.29, -2.15, 3.75, 9.07, 1.25, 2.51, -1.91, 5.04, -3.51],
        [0.31, 0.011, 3.1, -0.82, 1.7, 7.15, 3.67, -0.49, -1.73, 4.28, -3.51],
    ]
)

# The small and the good chance to take a trick, in the same games.
CHANCES = ((0.1, 0.55), (0.1, 0.55), (0.08, 0.45))


# --- the aim -------------------------------------------------------------------------------------------


def aims(small: float, good: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What a round is worth, and how many more tricks are wanted: by tricks taken and tricks to come."""
    worth = np.zeros((MAX_TRICKS + 1, MAX_TRICKS + 1))
    wanted = np.zeros((MAX_TRICKS + 1, MAX_TRICKS + 1))
    worth[:, 0] = [points_for(taken) for taken in range(MAX_TRICKS + 1)]
    for to_come in range(1, MAX_TRICKS + 1):
        for taken in range(MAX_TRICKS + 1 - to_come):
            more, same = worth[taken + 1, to_come - 1], worth[taken, to_come - 1]
            chance = good if more > same else small
            worth[taken, to_come] = chance * more + (1 - chance) * same
            wanted[taken, to_come] = chance * (1 + wanted[taken + 1, to_come - 1])
            wanted[taken, to_come] += (1 - chance) * wanted[taken, to_come - 1]
    return worth, wanted


WORTH = np.array([aims(*chances)[0] for chances in CHANCES])
WANTED = np.array([aims(*chances)[1] for chances in CHANCES])


@kernel
def kind_of(s: State) -> int:
    """Where this kind of game stands in the weights."""
    return 2 if s.num_players == 4 else int(s.mode == Mode.SHORT)


@kernel
def gain_of(s: State, seat: int) -> float:
    """How many points a seat gains by taking the current trick instead of not taking it."""
    kind = kind_of(s)
    to_come = s.max_tricks - s.num_tricks - 1
    taken = s.tricks[seat]
    return float(WORTH[kind, taken + 1, to_come] - WORTH[kind, taken, to_come])


# --- what the player sees ------------------------------------------------------------------------------

VIEW = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("weights", np.float64, (NUM_WEIGHTS,)),
                ("num_unseen", np.int32),
                ("at_least", np.int32, (NUM_SUITS, MAX_RANKS + 2)),  # unseen cards of a suit from a rank on
                ("suit_length", np.int32, (NUM_SUITS,)),  # cards of each suit in the hand
                ("none_of", np.float64, (MAX_CARDS + 1,)),  # chance that a seat has none of k cards
                ("wanted", np.float64),  # share of the tricks to come that the current player wants
                ("will", np.float64, (MAX_SEATS,)),  # how likely a seat takes the trick if it may choose
                ("lead", np.int32),  # the lead colour, with the card that is looked at
                ("black_follows", np.int32),  # 1: black has the lead colour in this trick
            ],
            align=True,
        ),
    )
)
"""What the current player makes of its position. Kernels hand it on beside the state."""


@kernel
def look_at_cards(s: State, view: State) -> None:
    """Counts the cards that the current player hasn't seen in this round, and those of its hand."""
    seen = np.zeros(MAX_CARDS, np.uint8)
    mark_seen(s, s.current_player, seen)
    for suit in range(NUM_SUITS):
        for rank in range(s.num_ranks + LOWEST_RANK - 1, LOWEST_RANK - 1, -1):
            unseen = 1 - seen[suit * s.num_ranks + rank - LOWEST_RANK]
            view.at_least[suit, rank] = view.at_least[suit, rank + 1] + unseen
            view.num_unseen += unseen
    for i in range(s.hand_sizes[s.current_player]):
        view.suit_length[suit_of(s, s.hands[s.current_player, i])] += 1


@kernel
def look_at_others(s: State, view: State) -> None:
    """What the seats still to play may hold, and how much they would like the trick."""
    share = min(1.0, s.hand_sizes[s.current_player] / max(1, view.num_unseen))
    view.none_of[0] = 1.0
    for count in range(view.num_unseen):
        view.none_of[count + 1] = view.none_of[count] * (1.0 - share)
    seat = s.current_player
    for _ in range(num_yet_to_play(s)):
        seat = left_of(s, seat)
        will = view.weights[Weight.WILL] + view.weights[Weight.WILL_PER_POINT] * gain_of(s, seat)
        view.will[seat] = min(1.0, max(0.0, will))


@kernel
def num_yet_to_play(s: State) -> int:
    """How many seats play to this trick after the current player."""
    return int(s.num_players - s.cards_in_trick - 1)


@kernel
def unseen_between(view: State, suit: int, low: int, high: int) -> int:
    """How many unseen cards of a suit there are from one rank to another."""
    if high < low:
        return 0
    return int(view.at_least[suit, low] - view.at_least[suit, high + 1])


# --- how likely a card takes the trick -----------------------------------------------------------------


@kernel
def chance_to_choose(view: State, seat: int, beating: int, others: int) -> float:
    """How likely a seat plays one of `beating` unseen cards: it wants to, or has none of the others."""
    will = view.will[seat]
    return float((1.0 - view.none_of[beating]) * (will + (1.0 - will) * view.none_of[others]))


@kernel
def chance_when_following(s: State, view: State, seat: int, rank: int, follows: bool) -> float:
    """How likely a seat that has the lead colour beats a card, which has a rank and follows or doesn't."""
    all_own = view.at_least[view.lead, LOWEST_RANK]
    black_is_free = is_black_free(s, view.lead)
    all_black = view.at_least[BLACK, LOWEST_RANK] if black_is_free else 0
    beating = 0
    if follows:
        beating = view.at_least[view.lead, rank]
        if black_is_free:
            beating += view.at_least[BLACK, rank] if view.black_follows else all_black
    elif black_is_free and not view.black_follows:
        beating = unseen_between(view, BLACK, LOWEST_RANK, rank)
    return chance_to_choose(view, seat, beating, all_own + all_black - beating)


@kernel
def chance_when_void(s: State, view: State, seat: int, rank: int, follows: bool) -> float:
    """The same for a seat that doesn't have the lead colour."""
    beating = 0
    everything = 0
    for suit in range(NUM_SUITS):
        if suit != view.lead and not s.known_voids[seat, suit]:
            size = view.at_least[suit, LOWEST_RANK]
            everything += size
            if suit == BLACK and view.black_follows:
                beating += view.at_least[suit, rank] if follows else 0
            else:
                beating += size if follows else unseen_between(view, suit, LOWEST_RANK, rank)
    return chance_to_choose(view, seat, beating, everything - beating)


@kernel
def chance_to_beat(s: State, view: State, seat: int, card: int) -> float:
    """How likely a seat still to play beats `card`, which holds the trick."""
    rank = rank_of(s, card)
    follows = colour_of(s, card) == view.lead
    void = 1.0
    chance = 0.0
    if not s.known_voids[seat, view.lead]:
        void = view.none_of[view.at_least[view.lead, LOWEST_RANK]]
        chance = (1.0 - void) * chance_when_following(s, view, seat, rank, follows)
    return float(chance + void * chance_when_void(s, view, seat, rank, follows))


@kernel
def chance_to_take(s: State, view: State, card: int) -> float:
    """How likely the current player takes the trick with a card."""
    view.lead = colour_of(s, card)
    if s.cards_in_trick > 0:
        view.lead = lead_colour(s)
        holding = s.played[s.num_tricks, winner_of_trick(s)]
        if strength(s, card, view.lead) < strength(s, holding, view.lead):
            return 0.0
    view.black_follows = view.lead == forest_colour(s)
    chance = 1.0
    seat = s.current_player
    for _ in range(num_yet_to_play(s)):
        seat = left_of(s, seat)
        chance *= 1.0 - chance_to_beat(s, view, seat, card)
    return chance


# --- what a card is worth ------------------------------------------------------------------------------


@kernel
def worth_of_keeping(s: State, view: State, card: int) -> float:
    """What a card is worth to the current player after this trick."""
    w = view.weights
    suit = suit_of(s, card)
    high = (rank_of(s, card) - LOWEST_RANK) / (s.num_ranks - 1)
    low = 1.0 - high
    of_high = w[Weight.HIGH] + w[Weight.HIGH_WANTED] * view.wanted
    of_low = w[Weight.LOW] + w[Weight.LOW_WANTED] * view.wanted
    if suit == BLACK:
        of_high += w[Weight.BLACK_HIGH]
        of_low += w[Weight.BLACK_LOW]
    worth = of_high * high * high + of_low * low * low
    if view.suit_length[suit] == 1:
        worth += w[Weight.ALONE]
    return float(worth)


@kernel
def worth_of_playing(s: State, view: State, card: int) -> float:
    """What the round is worth to the current player after a card, as far as that depends on the card."""
    gain = gain_of(s, s.current_player) + view.weights[Weight.LEAD]
    return chance_to_take(s, view, card) * gain - worth_of_keeping(s, view, card)


@kernel
def worth_of_laying_down(s: State, view: State, card: int) -> float:
    """The same for laying a card into the deck: short colours go first."""
    alone = view.weights[Weight.PICK_ALONE] / view.suit_length[suit_of(s, card)]
    return float(alone - worth_of_keeping(s, view, card))


# --- deciding ------------------------------------------------------------------------------------------


@kernel
def choose_from(s: State, views: States, cards: NDArray[np.int32], count: int, draw: float) -> int:
    """The card after which the round is worth most; the draw decides between equals.

    `views`: room for a view, empty.
    """
    view = views[0]
    kind = kind_of(s)
    for i in range(NUM_WEIGHTS):
        view.weights[i] = WEIGHTS[kind, i]
    look_at_cards(s, view)
    to_come = s.max_tricks - s.num_tricks
    view.wanted = WANTED[kind, s.tricks[s.current_player], to_come] / to_come
    if s.phase == Phase.PLAY:
        look_at_others(s, view)
    best_card = NO_CARD
    best_worth = -np.inf
    first = int(draw * count)
    for i in range(count):
        index = first + i
        card = cards[index - count * (index >= count)]
        if s.phase == Phase.PICK:
            worth = worth_of_laying_down(s, view, card)
        else:
            worth = worth_of_playing(s, view, card)
        if worth > best_worth:
            best_worth = worth
            best_card = card
    return int(best_card)


@kernel
def choose(s: State, draw: float) -> int:
    """The current player's action. `draw`, from 0 to below 1, decides between equals."""
    cards = np.empty(MAX_HAND, np.int32)
    count = legal_actions(s, cards)
    if count == 1:
        return int(cards[0])
    views = np.zeros(1, VIEW)
    return choose_from(s, views, cards, count, draw)


register_kernel(STATE, "choose", choose)
