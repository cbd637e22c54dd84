"""What a seat knows, as features. Seats count from the observer, itself first, then clockwise."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.cards import NO_CARD, suit_of
from trick_envs.core.kernel import State, kernel
from trick_envs.core.layout import Layout, set_feature, write_count, write_one_hot, write_seat, write_trick
from trick_envs.core.state import MAX_SEATS, NOBODY, seats_away
from trick_envs.games.take_that_toy.rules import MOST_OF_SUIT, NUM_SUITS, num_suits

Groups: TypeAlias = list[tuple[str, dict[str, int], str] | tuple[str, dict[str, int], str, str]]
"""What `Layout` makes groups of."""


def layout(s: State) -> Layout:
    """The feature groups for a game's settings."""
    seat, suit, rank = {"seat": int(s.num_players)}, {"suit": NUM_SUITS}, {"rank": int(s.num_ranks)}
    card, trick = suit | rank, {"trick": int(s.max_tricks)}
    return Layout(
        [
            ("hand", card, "the observer holds the card"),
            ("trick", seat | card, "the seat has played the card to the current trick"),
            ("display", seat | card, "the card lies in the seat's display"),
            (
                "suit_counts",
                seat | suit | {"count": MOST_OF_SUIT},
                "the seat's display holds at least 1, 2, … cards of the suit",
            ),
            (
                "burst",
                seat | card,
                "the card may be one that the seat got by a burst and still holds; "
                "of the observer: it is one of these",
            ),
            (
                "unseen",
                card,
                "the observer has never seen the card: another hand holds it, or it is left over",
            ),
            ("trump_card", card, "the card that was turned up"),
            ("trump", suit, "the trump suit"),
            ("current_player", seat, "the seat decides now; none when the game is over"),
            ("leader", seat, "the seat leads the current trick; none when the game is over"),
            ("first_leader", seat, "the seat led the first trick that is known"),
            ("hand_sizes", seat | {"count": int(s.max_hand)}, "the seat holds at least 1, 2, … cards"),
            *suits_groups(s),
            ("num_tricks", trick, "at least 1, 2, … tricks are finished"),
            *rounds_groups(s),
            (
                "suit_played_in",
                trick | seat | suit,
                "the seat has played a card of the suit to this trick",
                "history",
            ),
            (
                "played_in",
                trick | seat | rank,
                "the seat has played a card of the rank to this trick",
                "history",
            ),
        ]
    )


def suits_groups(s: State) -> Groups:
    """How many suits the displays hold, which are the scores of a single round."""
    axes = {"seat": int(s.num_players), "count": NUM_SUITS}
    meaning = "the seat's display holds at least 1, 2, … suits"
    return [("scores", axes, meaning, "score") if s.num_rounds == 1 else ("num_suits", axes, meaning)]


def rounds_groups(s: State) -> Groups:
    """What there is of several rounds only."""
    seat, num_rounds = {"seat": int(s.num_players)}, int(s.num_rounds)
    if num_rounds == 1:
        return []
    return [
        ("scores", seat | {"count": num_rounds}, "the seat has won at least 1, 2, … rounds", "score"),
        ("round", {"round": num_rounds}, "which round of the game this is", "round"),
    ]


@kernel
def observe(s: State, seat: int, features: NDArray[np.int8], at: int) -> None:
    """Writes all groups of the layout, in its order."""
    at = write_cards(s, seat, features, at)
    at = write_displays(s, seat, features, at)
    at = write_bursts(s, seat, features, at)
    at = write_unseen(s, seat, features, at)
    set_feature(features, at + s.trump_card)
    at = write_one_hot(features, at + s.num_cards, s.trump, NUM_SUITS)
    at = write_seat(s, seat, s.current_player, features, at)
    at = write_seat(s, seat, s.leader, features, at)
    at = write_seat(s, seat, first_leader(s), features, at)
    at = write_numbers(s, seat, features, at)
    if s.num_rounds > 1:
        at = write_rounds(s, seat, features, at)
    write_past(s, seat, features, at)


@kernel
def write_cards(s: State, seat: int, features: NDArray[np.int8], at: int) -> int:
    """The observer's hand, and the current trick."""
    for i in range(s.hand_sizes[seat]):
        set_feature(features, at + s.hands[seat, i])
    at += s.num_cards
    return write_trick(s, seat, s.num_cards, features, at)


@kernel
def write_displays(s: State, seat: int, features: NDArray[np.int8], at: int) -> int:
    """Each seat's display, and how many cards of each suit it holds."""
    n = s.num_players
    counts_at = at + n * s.num_cards
    for player in range(n):
        i = seats_away(s, seat, player)
        start = np.uintp(at + i * s.num_cards)
        for card in range(np.uintp(s.num_cards)):
            features[start + np.uintp(card)] = s.display[player, card]
        for suit in range(NUM_SUITS):
            count_at = np.uintp(counts_at + (i * NUM_SUITS + suit) * MOST_OF_SUIT)
            for count in range(np.uintp(MOST_OF_SUIT)):
                features[count_at + np.uintp(count)] = s.suit_counts[player, suit] > count
    return int(counts_at + n * NUM_SUITS * MOST_OF_SUIT)


@kernel
def write_bursts(s: State, seat: int, features: NDArray[np.int8], at: int) -> int:
    """The cards that seats got by bursts, or may have got, and still hold."""
    for number in range(s.num_bursts):
        if s.dealt_held[number, seat]:
            set_feature(features, at + s.dealt[number, seat])
        unknown = unknown_cards(s, seat, number)
        for player in range(s.num_players):
            if player != seat and s.dealt_held[number, player]:
                start = np.uintp(at + seats_away(s, seat, player) * s.num_cards)
                for card in range(np.uintp(s.num_cards)):
                    features[start + np.uintp(card)] |= (unknown >> card) & 1
    return int(at + s.num_players * s.num_cards)


@kernel
def burst_cards(s: State, number: int) -> int:
    """The cards of a burst, as bits."""
    cards = np.int64(0)
    for suit in range(NUM_SUITS):
        cards |= np.int64(s.burst_ranks[number, suit]) << np.int64(suit * s.num_ranks)
    return cards  # type: ignore[return-value]


@kernel
def unknown_cards(s: State, seat: int, number: int) -> int:
    """The cards of a burst, as bits, whose receivers a seat doesn't know: `unknown_ranks` of all suits."""
    cards = burst_cards(s, number)
    for receiver in range(s.num_players):
        card = s.dealt[number, receiver]
        if card != NO_CARD and (receiver == seat or not s.dealt_held[number, receiver]):
            cards &= ~(1 << int(card))
    return cards


@kernel
def write_unseen(s: State, seat: int, features: NDArray[np.int8], at: int) -> int:
    """All cards but those that `mark_seen` would mark, without memory to mark them in."""
    start = np.uintp(at)
    in_bursts = np.int64(0)
    for number in range(s.num_bursts):
        in_bursts |= burst_cards(s, number)
    for card in range(np.uintp(s.num_cards)):
        is_seen = np.uint8((in_bursts >> np.int64(card)) & 1)
        for player in range(MAX_SEATS):
            is_seen |= s.display[player, card]
        features[start + np.uintp(card)] = is_seen ^ np.uint8(1)
    features[start + np.uintp(s.trump_card)] = 0
    for i in range(s.hand_sizes[seat]):
        features[start + np.uintp(s.hands[seat, i])] = 0
    for player in range(s.num_players):
        card = s.played[s.num_tricks, player]
        # No branch, since nobody foresees it; where no card is played, nothing changes.
        features[start + np.uintp(max(card, 0))] &= card == NO_CARD
    return int(at + s.num_cards)


@kernel
def first_leader(s: State) -> int:
    """Who led the first trick that is known, NOBODY if none is."""
    for trick in range(s.num_tricks + 1):
        if s.trick_leaders[trick] != NOBODY:
            return int(s.trick_leaders[trick])
    return NOBODY


@kernel
def write_numbers(s: State, seat: int, features: NDArray[np.int8], at: int) -> int:
    """Sizes of hands, suits in displays, and the number of tricks."""
    suits_at = at + s.num_players * s.max_hand
    tricks_at = suits_at + s.num_players * NUM_SUITS
    for player in range(s.num_players):
        i = seats_away(s, seat, player)
        write_count(features, at + i * s.max_hand, s.hand_sizes[player], s.max_hand)
        write_count(features, suits_at + i * NUM_SUITS, num_suits(s, player), NUM_SUITS)
    return int(write_count(features, tricks_at, s.num_tricks, s.max_tricks))


@kernel
def write_rounds(s: State, seat: int, features: NDArray[np.int8], at: int) -> int:
    """The rounds that each seat has won, and which round this is."""
    for player in range(s.num_players):
        start = at + seats_away(s, seat, player) * s.num_rounds
        write_count(features, start, s.scores[player], s.num_rounds)
    return int(write_one_hot(features, at + s.num_players * s.num_rounds, s.round_number, s.num_rounds))


@kernel
def write_past(s: State, seat: int, features: NDArray[np.int8], at: int) -> None:
    """Who played what to the finished tricks: the suit in one group, the rank in the other."""
    ranks_at = at + s.max_tricks * s.num_players * NUM_SUITS
    for trick in range(s.num_tricks):
        for player in range(s.num_players):
            card = s.played[trick, player]
            if card != NO_CARD:
                row = trick * s.num_players + seats_away(s, seat, player)
                suit = suit_of(s, card)
                set_feature(features, at + row * NUM_SUITS + suit)
                set_feature(features, ranks_at + row * s.num_ranks + card - suit * s.num_ranks)
