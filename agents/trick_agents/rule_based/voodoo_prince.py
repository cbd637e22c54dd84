"""A rule-based player of Voodoo Prince.

It plays the card after which the round is worth most to it, in points. Three things go into that:

* The *race*: who has how many tricks decides who will leave when, and so how many points each makes.
  `RACE` holds what is to be expected at every count. Whoever takes a trick moves the race on. So the
  player lets others leave first, but doesn't want to be the seat that is left.
* The *trick*: how likely a card holds it follows from the cards that are still unseen, the voids that
  play has shown, and how much the seats still to play would gain by it. The last to play knows.
* The *hand*: high cards are worth keeping as long as tricks are needed, low cards for not taking any;
  those between go first. A hand that is short of high cards takes tricks where it can.

It reads public fields of a state and the current player's own hand, nothing else.
"""

from dataclasses import dataclass
from functools import cache
from itertools import product
from math import exp

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.cards import NO_CARD, rank_of, suit_of
from trick_envs.core.dispatch import register_kernel
from trick_envs.core.game import States
from trick_envs.core.kernel import State, kernel
from trick_envs.core.state import MAX_SEATS
from trick_envs.core.tricks import led_card
from trick_envs.games.voodoo_prince.game import GOAL, largest_goal
from trick_envs.games.voodoo_prince.rules import (
    MAX_CARDS,
    MAX_HAND,
    MAX_RANKS,
    NUM_SUITS,
    STATE,
    Phase,
    TwoPlayerScoring,
    height,
    legal_actions,
    mark_seen,
    num_seats_in,
    seat_in_from,
    strength,
    trick_value,
    winner_of_trick,
)

# --- weights -------------------------------------------------------------------------------------------
# Each for 2, 3, 4 and 5 players. Tuned by many games against random players and against itself.
# Weights called "early" count for each seat that is still in beyond two.

# How the race goes: how much likelier (as a logarithm) a seat takes the next trick for each point that
# it gains by it, and what share of tricks counts as two.
EAGERNESS = (-0.02, 0.2, 0.2, 0.3)
DOUBLES = (0.52, 0.23, 0.23, 0.15)

# Keeping a sure winner: points for each trick that the hand is short of. That is what it needs, with
# some to spare, less what its high cards count for.
HIGH_WORTH = (0.01, 0.51, 0.51, 0.78)
HIGH_COUNTS = (1.49, 0.93, 0.93, 0.96)
HIGH_SPARE = (1.96, 1.56, 1.56, 2.77)
HIGH_SPARE_EARLY = (-0.17, 0.51, 0.51, 0.1)
# Taking this trick, beyond what the race says: the same.
TAKE_WORTH = (0.18, 0.78, 0.78, 0.96)
TAKE_COUNTS = (1.15, 1.04, 1.04, 1.0)
TAKE_SPARE = (-3.63, -0.6, -0.6, -0.43)
TAKE_SPARE_EARLY = (-0.55, -1.09, -1.09, -0.66)
# Points for keeping a sure loser, for keeping a card that can win two tricks at once, for being rid of a
# suit while holding trumps, and for leading the next trick.
LOW_WORTH = (0.76, 0.37, 0.37, 0.57)
LOW_WORTH_EARLY = (0.34, 0.03, 0.03, 0.16)
DOUBLE_WORTH = (0.33, 0.26, 0.26, 0.48)
VOID_WORTH = (0.13, 0.44, 0.44, 0.39)
LEAD_WORTH = (-0.38, 0.65, 0.65, 0.64)

# How much surer of a trick a trump is than a card of another suit.
TRUMP_EDGE = (0.5, 0.39, 0.39, 0.79)
# How likely others beat a card when they needn't: in general, for each point they gain, by a trump.
WILL = (0.54, 0.32, 0.32, 0.4)
WILL_PER_POINT = (0.03, 0.26, 0.26, 0.27)
WILL_TO_TRUMP = (0.5, 0.8, 0.8, 0.71)

# Naming the trump suit: for each card of it, and for each high one.
TRUMP_LENGTH_WORTH = (0.5, 0.58, 0.58, 0.71)
TRUMP_HIGH_WORTH = (1.43, 1.42, 1.42, 1.38)


# --- the race ------------------------------------------------------------------------------------------

FEWEST_PLAYERS = min(GOAL)
MOST_PER_TRICK = 2  # a trick counts as one or two
GOALS = {n: range(1, largest_goal(n, MAX_HAND) + 1) for n in GOAL}


@dataclass(frozen=True)
class Race:
    """How a round is decided, whatever the cards."""

    scoring: TwoPlayerScoring
    num_players: int
    goal: int

    @property
    def base(self) -> int:
        """How many different counts of tricks a seat can have."""
        return self.goal + MOST_PER_TRICK


RACES = [Race(scoring, n, goal) for n in GOAL for scoring in TwoPlayerScoring for goal in GOALS[n]]


def points_for(race: Race, scorer: int, points: int) -> list[float]:
    """What it means to each seat that one makes points: to the others as much less, shared out.

    By the literal scoring, two players always make the same; each then counts only its own points.
    """
    n = race.num_players
    rivalry = 0.0 if n == 2 and race.scoring == TwoPlayerScoring.LITERAL else 1 / (n - 1)
    return [float(points) if seat == scorer else -points * rivalry for seat in range(n)]


def after_trick(race: Race, counts: tuple[int, ...], winner: int, value: int) -> list[float]:
    """What a round is worth to each seat once `winner` takes a trick that counts `value`."""
    after = tuple(count + value * (seat == winner) for seat, count in enumerate(counts))
    worths = worth_of_rest(race, after)
    if after[winner] >= race.goal:
        points = points_for(race, winner, sum(counts) - counts[winner])
        worths = [worth + change for worth, change in zip(worths, points, strict=True)]
    return worths


def worth_of_rest(race: Race, counts: tuple[int, ...]) -> list[float]:
    """What the rest of a round is worth to each seat, by the seats' counts of tricks alone."""
    ascending = tuple(sorted(counts))
    worth_of = dict(zip(ascending, worth_of_sorted(race, ascending), strict=True))
    return [worth_of[count] for count in counts]


@cache
def worth_of_sorted(race: Race, counts: tuple[int, ...]) -> list[float]:
    """The same for ascending counts: the average over who takes the next trick."""
    n = race.num_players
    seats_in = [seat for seat in range(n) if counts[seat] < race.goal]
    if not seats_in:  # no round gets there
        return [0.0] * n
    if len(seats_in) == 1:
        last = seats_in[0]
        shortfall = n == 2 and race.scoring == TwoPlayerScoring.SHORTFALL
        return points_for(race, last, race.goal - counts[last] if shortfall else counts[last])
    ends = {winner: after_some_trick(race, counts, winner) for winner in seats_in}
    pulls = [exp(EAGERNESS[n - FEWEST_PLAYERS] * gain_of(seat, ends)) for seat in seats_in]
    chances = [pull / sum(pulls) for pull in pulls]
    return [
        sum(chance * ends[winner][seat] for chance, winner in zip(chances, seats_in, strict=True))
        for seat in range(n)
    ]


def after_some_trick(race: Race, counts: tuple[int, ...], winner: int) -> list[float]:
    """The same as `after_trick`, as long as it is open whether the trick counts as two."""
    share = DOUBLES[len(counts) - FEWEST_PLAYERS]
    once, twice = (after_trick(race, counts, winner, value) for value in (1, MOST_PER_TRICK))
    return [(1 - share) * a + share * b for a, b in zip(once, twice, strict=True)]


def gain_of(seat: int, ends: dict[int, list[float]]) -> float:
    """What a seat gains by taking the trick itself. `ends`: by winner, what the round is worth then."""
    others = [end[seat] for winner, end in ends.items() if winner != seat]
    return ends[seat][seat] - sum(others) / len(others)


def race_tables() -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """`worth_of_rest` for all counts of all races, (rows, seats), and where a race begins.

    The latter by number of players from the fewest, scoring and goal. A row's number, from there, is the
    counts as digits, seat 0's the lowest.
    """
    rows: list[list[float]] = []
    starts = np.zeros((len(GOALS), len(TwoPlayerScoring), 1 + max(map(max, GOALS.values()))), np.int64)
    for race in RACES:
        starts[race.num_players - FEWEST_PLAYERS, race.scoring, race.goal] = len(rows)
        for digits in product(range(race.base), repeat=race.num_players):
            worths = worth_of_rest(race, digits[::-1])
            rows.append(worths + [0.0] * (MAX_SEATS - race.num_players))
    return np.array(rows, np.float32), starts


RACE, RACE_STARTS = race_tables()


# --- what the player sees ------------------------------------------------------------------------------

VIEW = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("num_taken", np.int32),  # tricks that all seats have
                ("race_row", np.int32),  # the count of tricks as a row of RACE
                ("race_steps", np.int32, (MAX_SEATS,)),  # rows further for a trick of each seat
                ("higher", np.int32, (MAX_CARDS,)),  # unseen cards of the suit above a card
                ("unseen", np.int32, (MAX_CARDS,)),  # 1: it hasn't been seen
                ("suit_unseen", np.int32, (NUM_SUITS,)),  # unseen cards of each suit
                ("suit_length", np.int32, (NUM_SUITS,)),  # cards of each suit in the hand
                ("control", np.float64),  # tricks that the hand is good for
                ("none_of", np.float64, (MAX_RANKS + 1,)),  # chance that a seat has none of k cards
                ("will", np.float64, (MAX_SEATS,)),  # how likely a seat takes the trick if it may choose
                ("holder", np.int32),  # seat that holds the trick so far
                ("holding_card", np.int32),  # its card
            ],
            align=True,
        ),
    )
)
"""What the current player makes of its position. Kernels hand it on beside the state."""


@kernel
def weights_of(s: State) -> int:
    """Where this number of players stands in the weights."""
    return int(s.num_players - FEWEST_PLAYERS)


@kernel
def look_at_cards(s: State, view: State) -> None:
    """Counts the cards that the current player hasn't seen in this round, and those above each card."""
    seen = np.zeros(MAX_CARDS, np.uint8)
    mark_seen(s, s.current_player, seen)
    for suit in range(NUM_SUITS):
        count = 0
        for rank in range(s.num_ranks - 1, -1, -1):
            card = suit * s.num_ranks + rank
            view.higher[card] = count
            view.unseen[card] = 1 - seen[card]
            count += view.unseen[card]
        view.suit_unseen[suit] = count


@kernel
def look_at_hand(s: State, view: State) -> None:
    """How long the current player's suits are, and how many tricks its hand is good for."""
    view.control = 0.0
    for i in range(s.hand_sizes[s.current_player]):
        card = s.hands[s.current_player, i]
        view.suit_length[suit_of(s, card)] += 1
        view.control += chance_as_high(s, view, card)


@kernel
def look_at_race(s: State, view: State) -> None:
    """Finds the count of tricks in the table of races."""
    step = 1
    view.num_taken = 0
    view.race_row = RACE_STARTS[weights_of(s), s.two_player_scoring, s.goal]
    for seat in range(s.num_players):
        view.race_steps[seat] = step
        view.race_row += step * s.tricks[seat]
        view.num_taken += s.tricks[seat]
        step *= s.goal + MOST_PER_TRICK


@kernel
def look_at_trick(s: State, view: State) -> None:
    """Who holds the trick so far."""
    if s.cards_in_trick > 0:
        view.holder = winner_of_trick(s)
        view.holding_card = s.played[s.num_tricks, view.holder]


@kernel
def look_at_others(s: State, view: State) -> None:
    """What the seats still to play may hold, and how much they would like the trick."""
    num_unseen = 0
    for suit in range(NUM_SUITS):
        num_unseen += view.suit_unseen[suit]
    share = min(1.0, s.hand_sizes[s.current_player] / max(1, num_unseen))
    view.none_of[0] = 1.0
    for count in range(MAX_RANKS):
        view.none_of[count + 1] = view.none_of[count] * (1.0 - share)
    kind = weights_of(s)
    seat = s.current_player
    for _ in range(num_yet_to_play(s)):
        seat = seat_in_from(s, (seat + 1) % s.num_players)
        gain = worth_after(s, view, seat, seat, 1) - worth_after(s, view, seat, s.current_player, 1)
        view.will[seat] = min(1.0, max(0.0, WILL[kind] + WILL_PER_POINT[kind] * gain))


@kernel
def num_yet_to_play(s: State) -> int:
    """How many seats play to this trick after the current player."""
    return num_seats_in(s) - int(s.cards_in_trick) - 1


# --- what a trick is worth -----------------------------------------------------------------------------


@kernel
def worth_after(s: State, view: State, seat: int, winner: int, value: int) -> float:
    """What the round is worth to a seat once `winner` takes a trick that counts `value`."""
    worth = RACE[view.race_row + value * view.race_steps[winner], seat]
    if s.tricks[winner] + value >= s.goal:
        points = view.num_taken - s.tricks[winner]
        if winner == seat:
            worth += points
        elif s.num_players > 2 or s.two_player_scoring == TwoPlayerScoring.SHORTFALL:
            worth -= points / (s.num_players - 1)
    return float(worth)


@kernel
def worth_of_trick(s: State, view: State, holder: int, card: int) -> float:
    """What the round is worth to the current player once `holder` holds the trick with `card`.

    The seats still to play may yet beat that card.
    """
    worth = 0.0
    holds = 1.0
    seat = s.current_player
    for _ in range(num_yet_to_play(s)):
        seat = seat_in_from(s, (seat + 1) % s.num_players)
        beats = chance_to_beat(s, view, seat, card)
        worth += holds * beats * worth_after(s, view, s.current_player, seat, 1)
        holds *= 1.0 - beats
    value = trick_value(s, card)
    kept = worth_after(s, view, s.current_player, holder, value)
    if holder == s.current_player:
        kept += worth_of_taking(s, view)
        if s.tricks[holder] + value < s.goal:
            kept += LEAD_WORTH[weights_of(s)]
    return float(worth + holds * kept)


@kernel
def worth_of_taking(s: State, view: State) -> float:
    """What a trick is worth beyond what the race says: more to a hand that won't take many later."""
    kind = weights_of(s)
    need = s.goal - s.tricks[s.current_player] + TAKE_SPARE[kind] + TAKE_SPARE_EARLY[kind] * num_rivals(s)
    return float(TAKE_WORTH[kind] * (need - TAKE_COUNTS[kind] * view.control))


@kernel
def num_rivals(s: State) -> int:
    """How many seats are in beyond the last two."""
    return num_seats_in(s) - 2


@kernel
def chance_to_beat(s: State, view: State, seat: int, card: int) -> float:
    """How likely a seat still to play beats `card`, which holds the trick."""
    lead_suit = suit_of(s, card)
    if s.cards_in_trick > 0:
        lead_suit = suit_of(s, led_card(s))
    void = 1.0
    chance = 0.0
    if not s.known_voids[seat, lead_suit]:
        void = view.none_of[view.suit_unseen[lead_suit]]
        if suit_of(s, card) == lead_suit:
            chance = chance_to_beat_following(s, view, seat, card)
    if lead_suit != s.trump and not s.known_voids[seat, s.trump]:
        chance += void * chance_to_trump(s, view, seat, card)
    return min(1.0, chance)


@kernel
def chance_to_beat_following(s: State, view: State, seat: int, card: int) -> float:
    """How likely a seat beats a card of the lead suit with another one: it wants to, or has to."""
    beating = num_beating(s, view, card)
    others = view.suit_unseen[suit_of(s, card)] - beating
    has_to = view.none_of[others]
    will = view.will[seat]
    return float((1.0 - view.none_of[beating]) * (will + (1.0 - will) * has_to))


@kernel
def chance_to_trump(s: State, view: State, seat: int, card: int) -> float:
    """How likely a seat that can't follow beats a card by a trump."""
    beating = view.suit_unseen[s.trump]
    if suit_of(s, card) == s.trump:
        beating = num_beating(s, view, card)
    return float((1.0 - view.none_of[beating]) * view.will[seat] * WILL_TO_TRUMP[weights_of(s)])


@kernel
def num_beating(s: State, view: State, card: int) -> int:
    """How many unseen cards of its suit would beat a card in this trick."""
    if rank_of(s, card) == 0:
        top_card = card + s.num_ranks - 1
        if height(s, card) > 0:
            return 0
        return int(view.higher[card] - view.unseen[top_card])
    return num_above(s, view, card)


@kernel
def num_above(s: State, view: State, card: int) -> int:
    """How many unseen cards of its suit are higher than a card; above the top card there is the 0."""
    if rank_of(s, card) == s.num_ranks - 1:
        return int(view.unseen[card - rank_of(s, card)])
    return int(view.higher[card])


# --- what a card is worth ------------------------------------------------------------------------------


@kernel
def share_above(s: State, view: State, card: int) -> float:
    """What share of the unseen cards of its suit is higher than a card."""
    return float(num_above(s, view, card) / (view.suit_unseen[suit_of(s, card)] + 1.0))


@kernel
def chance_as_high(s: State, view: State, card: int) -> float:
    """About how likely a card takes a trick, some time."""
    share = 1.0 - share_above(s, view, card)
    chance = share * share * share
    if suit_of(s, card) == s.trump:
        chance += (1.0 - chance) * TRUMP_EDGE[weights_of(s)]
    return chance


@kernel
def chance_as_low(s: State, view: State, card: int) -> float:
    """About how likely a card is beaten when its holder wants it to be."""
    share = share_above(s, view, card)
    return share * share


@kernel
def worth_of_keeping(s: State, view: State, card: int) -> float:
    """What a card is worth to the current player after this trick."""
    kind = weights_of(s)
    need = s.goal - s.tricks[s.current_player] + HIGH_SPARE[kind] + HIGH_SPARE_EARLY[kind] * num_rivals(s)
    high = HIGH_WORTH[kind] * (need - HIGH_COUNTS[kind] * view.control)
    low = LOW_WORTH[kind] + LOW_WORTH_EARLY[kind] * num_rivals(s)
    worth = high * chance_as_high(s, view, card) + low * chance_as_low(s, view, card)
    if trick_value(s, card) == MOST_PER_TRICK:
        worth += DOUBLE_WORTH[kind]
    suit = suit_of(s, card)
    if view.suit_length[suit] == 1 and suit != s.trump and view.suit_length[s.trump] > 0:
        worth -= VOID_WORTH[kind]
    return float(worth)


# --- deciding ------------------------------------------------------------------------------------------


@kernel
def holds_trick(s: State, view: State, card: int) -> bool:
    """Whether the current player's card would hold the trick, so far."""
    if s.cards_in_trick == 0:
        return True
    if rank_of(s, card) == s.num_ranks - 1:
        zero = card - rank_of(s, card)
        for seat in range(s.num_players):
            if s.played[s.num_tricks, seat] == zero:
                return False
    return bool(strength(s, card) > strength(s, view.holding_card))


@kernel
def choose_card(s: State, view: State, cards: NDArray[np.int32], count: int, draw: float) -> int:
    """The card after which the round is worth most; the draw decides between equals."""
    look_at_race(s, view)
    look_at_trick(s, view)
    look_at_others(s, view)
    worth_if_not_taken = 0.0
    if s.cards_in_trick > 0:
        worth_if_not_taken = worth_of_trick(s, view, view.holder, view.holding_card)
    best_card = NO_CARD
    best_worth = -np.inf
    for i in range(count):
        card = cards[(i + int(draw * count)) % count]
        worth = worth_if_not_taken
        if holds_trick(s, view, card):
            worth = worth_of_trick(s, view, s.current_player, card)
        worth -= worth_of_keeping(s, view, card)
        if worth > best_worth:
            best_worth = worth
            best_card = card
    return int(best_card)


@kernel
def choose_trump(s: State, view: State) -> int:
    """The suit in which the hand is long and high."""
    worths = np.zeros(NUM_SUITS, np.float64)
    kind = weights_of(s)
    for i in range(s.hand_sizes[s.current_player]):
        card = s.hands[s.current_player, i]
        worths[suit_of(s, card)] += TRUMP_LENGTH_WORTH[kind]
        worths[suit_of(s, card)] += TRUMP_HIGH_WORTH[kind] * chance_as_high(s, view, card)
    best = 0
    for suit in range(NUM_SUITS):
        if worths[suit] > worths[best]:
            best = suit
    return int(NUM_SUITS * s.num_ranks + best)


@kernel
def choose_by(s: State, views: States, draw: float) -> int:
    """The current player's action. `views`: room for a view, empty."""
    actions = np.empty(MAX_HAND, np.int32)
    count = legal_actions(s, actions)
    if count == 1:
        return int(actions[0])
    view = views[0]
    look_at_cards(s, view)
    look_at_hand(s, view)
    if s.phase == Phase.NAME_TRUMP:
        return choose_trump(s, view)
    return choose_card(s, view, actions, count, draw)


@kernel
def choose(s: State, draw: float) -> int:
    """The current player's action. `draw`, from 0 to below 1, decides between equals."""
    views = np.zeros(1, VIEW)
    return choose_by(s, views, draw)


register_kernel(STATE, "choose", choose)
