"""What a seat knows, as features. Seats count from the observer, itself first, then clockwise."""

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.cards import NO_CARD
from trick_envs.core.kernel import State, kernel
from trick_envs.core.layout import Layout, set_feature, write_count, write_leaders, write_one_hot, write_seat
from trick_envs.core.state import NOBODY, left_of, seats_away
from trick_envs.games.oracle_land.rules import (
    NO_SUIT,
    NUM_BONUS,
    NUM_NUMBERS,
    NUM_SUITS,
    Phase,
    Way,
    Wish,
    is_passed,
    is_secret_shown,
    lead_suit,
    right_of,
)

MOST_POINTS = NUM_SUITS  # each bid card is a point once
MOST_BID_CARDS = 3
NUM_SIGNS = 2  # the joker adds or takes away
NUM_ANSWERS = 2


def layout(s: State) -> Layout:
    """The feature groups for a game's settings."""
    n = int(s.num_players)
    seat, suit = {"seat": n}, {"suit": NUM_SUITS}
    card = {**suit, "rank": int(s.num_ranks)}
    trick, number = {"trick": int(s.max_tricks)}, {"number": NUM_NUMBERS}
    moon = [("moon", card, "the card has been turned up as a moon card")] if s.hazy_moon else []
    return Layout(
        [
            ("hand", card, "the observer holds the card; before the pass, to pass it on"),
            (
                "passed",
                card,
                "the observer has passed the card to its right neighbour, who hasn't played it: it is in "
                "that hand, or the secret card",
            ),
            ("secret", seat | card, "the seat's secret card, if it is the observer's or has been shown"),
            ("trick", seat | card, "the seat has played the card to the current trick"),
            ("numbers", seat | number, "what the seat's card in the current trick counts as, from 0"),
            ("lead_suit", suit, "the suit to follow in the current trick"),
            ("suitless", {"is": 1}, "the current trick was led with the number 4"),
            ("played", seat | card, "the seat has played the card to an earlier trick of this deal"),
            ("played_in", trick | card, "the card was played to this trick of the deal", "history"),
            ("number_in", trick | seat | number, "what the seat's card in this trick counted as", "history"),
            (
                "joker_in",
                trick | {"sign": NUM_SIGNS},
                "the leader of this trick added the joker: as +1, as -1",
                "history",
            ),
            ("leader_in", trick | seat, "the seat led this trick", "history"),
            ("bonus_in", trick | suit, "the suit of the bonus card that the trick's loser took", "history"),
            (
                "covered_in",
                trick | {"cover": n} | suit,
                "the first, second, … 4 that the trick's winner laid covers a card of the suit",
                "history",
            ),
            ("out", card, "the card was played to a finished trick of this deal"),
            *moon,
            (
                "rows",
                seat | suit | {"count": int(s.num_ranks) - 1 + NUM_BONUS},
                "the seat's row has at least 1, 2, … uncovered cards",
            ),
            ("stock", suit | {"count": NUM_BONUS}, "at least 1, 2 bonus cards are left"),
            ("bid_suits", seat | suit, "the seat has the bid card left, or laid in a bid"),
            (
                "most",
                seat | suit,
                "the seat's oracle says most; before the pass, as far as the observer has named it",
            ),
            ("least", seat | suit, "the same for least"),
            ("third", seat | suit, "the suit of these that was named third, in a special bid"),
            (
                "bid_cards",
                seat | {"count": MOST_BID_CARDS},
                "at least 1, 2, … cards are laid in the bid for the seat, face down before the pass",
            ),
            ("known_voids", seat | suit, "the seat's hand is known to hold none of the suit, but for its 4"),
            ("joker_suit", suit, "the suit that the joker was added to"),
            (
                "wishes",
                seat | {"answer": NUM_ANSWERS},
                "the seat has said yes, no to a special bid; while wishes are made, only the observer's own",
            ),
            ("secret_laid", seat, "the seat has laid its secret card"),
            ("secret_covered", seat, "a 4 covers the seat's secret card"),
            (
                "to_cover",
                {"count": n},
                "the winner still has to lay at least 1, 2, … 4s",
            ),
            (
                "phase",
                {"phase": len(Phase) - 1},
                "what is decided, in the order of phases; none when the game is over",
            ),
            ("current_player", seat, "the seat decides now; none when the game is over"),
            ("joker", seat, "the seat has the joker: it leads this trick or the next one"),
            ("num_tricks", {"count": int(s.max_tricks)}, "at least 1, 2, … tricks of the deal are finished"),
            ("round", {"round": int(s.num_rounds)}, "which deal of the game this is", "round"),
            ("scores", seat | {"count": MOST_POINTS}, "the seat has at least 1, 2, … points", "score"),
        ]
    )


@kernel
def observe(s: State, seat: int, features: NDArray[np.int8], at: int) -> None:
    """Writes all groups of the layout, in its order."""
    at = write_cards(s, seat, features, at)
    at = write_trick(s, seat, features, at)
    at = write_past(s, seat, features, at)
    at = write_choices(s, features, at)
    for card in range(np.uintp(s.num_cards)):
        features[np.uintp(at) + np.uintp(card)] = s.out[card]
    at += s.num_cards
    if s.hazy_moon:
        for i in range(s.num_moon):
            set_feature(features, at + s.left_over[i])
        at += s.num_cards
    at = write_rows(s, seat, features, at)
    at = write_bids(s, seat, features, at)
    at = write_wishes(s, seat, features, at)
    at = write_secrets_laid(s, seat, features, at)
    at = write_count(features, at, s.num_to_cover, s.num_players)
    at = write_one_hot(features, at, s.phase, Phase.OVER)
    at = write_seat(s, seat, s.current_player, features, at)
    at = write_seat(s, seat, s.joker, features, at)
    at = write_count(features, at, s.num_tricks, s.max_tricks)
    at = write_one_hot(features, at, s.round_number, s.num_rounds)
    for player in range(s.num_players):
        write_count(features, at + seats_away(s, seat, player) * MOST_POINTS, s.scores[player], MOST_POINTS)


@kernel
def write_cards(s: State, seat: int, features: NDArray[np.int8], at: int) -> int:
    """The first three groups: the cards that the observer holds or has passed on, and secret cards."""
    passed_at = at + s.num_cards
    secret_at = passed_at + s.num_cards
    for i in range(s.hand_sizes[seat]):
        set_feature(features, at + s.hands[seat, i])
    if is_passed(s):
        neighbour = right_of(s, seat)
        for i in range(s.hand_sizes[neighbour]):
            set_feature(features, passed_at + s.hands[neighbour, i])
        if s.secrets[neighbour] != NO_CARD:
            set_feature(features, passed_at + s.secrets[neighbour])
    for player in range(s.num_players):
        card = s.secrets[player]
        if card != NO_CARD and (player == seat or is_secret_shown(s, player)):
            set_feature(features, secret_at + seats_away(s, seat, player) * s.num_cards + card)
    return int(secret_at + s.num_players * s.num_cards)


@kernel
def write_trick(s: State, seat: int, features: NDArray[np.int8], at: int) -> int:
    """The current trick: cards, numbers and the suit to follow."""
    numbers_at = at + s.num_players * s.num_cards
    lead_at = numbers_at + s.num_players * NUM_NUMBERS
    if s.cards_in_trick > 0:
        lead = lead_suit(s, s.num_tricks)
        set_feature(features, lead_at + (NUM_SUITS if lead == NO_SUIT else lead))
        player = s.leader
        for _ in range(s.cards_in_trick):
            i = seats_away(s, seat, player)
            set_feature(features, at + i * s.num_cards + s.played[s.num_tricks, player])
            set_feature(features, numbers_at + i * NUM_NUMBERS + s.numbers[s.num_tricks, player])
            player = left_of(s, player)
    return int(lead_at + NUM_SUITS + 1)


@kernel
def write_past(s: State, seat: int, features: NDArray[np.int8], at: int) -> int:
    """Who played what, in which trick, as what, and who led; the current trick has its row, too."""
    n, num_cards = s.num_players, s.num_cards
    played_in_at = at + n * num_cards
    number_at = played_in_at + s.max_tricks * num_cards
    joker_at = number_at + s.max_tricks * n * NUM_NUMBERS
    for trick in range(min(s.num_tricks + 1, s.max_tricks)):
        leader = s.trick_leaders[trick]
        if leader != NOBODY:
            for player in range(n):
                card = s.played[trick, player]
                if card != NO_CARD:
                    i = seats_away(s, seat, player)
                    if trick < s.num_tricks:
                        set_feature(features, at + i * num_cards + card)
                    set_feature(features, played_in_at + trick * num_cards + card)
                    set_feature(
                        features, number_at + (trick * n + i) * NUM_NUMBERS + s.numbers[trick, player]
                    )
            write_joker(s.ways[trick, leader], features, joker_at + trick * NUM_SIGNS)
    return write_leaders(s, seat, s.max_tricks, features, joker_at + s.max_tricks * NUM_SIGNS)


@kernel
def write_joker(way: int, features: NDArray[np.int8], at: int) -> None:
    """What the joker adds to a card that is played in this way."""
    # No branches, since nobody foresees them.
    features[np.uintp(at)] = (way == Way.PLUS) | (way == Way.SIDEWAYS_PLUS)
    features[np.uintp(at + 1)] = (way == Way.MINUS) | (way == Way.SIDEWAYS_MINUS)


@kernel
def write_choices(s: State, features: NDArray[np.int8], at: int) -> int:
    """What losers took and winners covered, trick by trick."""
    n = s.num_players
    covered_at = at + s.max_tricks * NUM_SUITS
    for trick in range(s.num_tricks):
        write_one_hot(features, at + trick * NUM_SUITS, int(s.bonus_suits[trick]), NUM_SUITS)
        for i in range(s.num_covers[trick]):
            set_feature(features, covered_at + (trick * n + i) * NUM_SUITS + s.cover_suits[trick, i])
    return int(covered_at + s.max_tricks * n * NUM_SUITS)


@kernel
def write_rows(s: State, seat: int, features: NDArray[np.int8], at: int) -> int:
    """How much of each suit lies uncovered before each seat, and in the stock."""
    size = s.num_ranks - 1 + NUM_BONUS
    for player in range(s.num_players):
        start = at + seats_away(s, seat, player) * NUM_SUITS * size
        for suit in range(NUM_SUITS):
            start = write_count(features, start, s.row_sizes[player, suit], size)
    at += s.num_players * NUM_SUITS * size
    for suit in range(NUM_SUITS):
        at = write_count(features, at, s.stock[suit], NUM_BONUS)
    return at


@kernel
def write_bids(s: State, seat: int, features: NDArray[np.int8], at: int) -> int:
    """Bid cards, oracles as far as the observer knows them, how large they are, voids, the joker's suit."""
    n = s.num_players
    most_at = at + n * NUM_SUITS
    third_at = most_at + 2 * n * NUM_SUITS
    laid_at = third_at + n * NUM_SUITS
    voids_at = laid_at + n * MOST_BID_CARDS
    for owner in range(n):
        offset = seats_away(s, seat, owner) * NUM_SUITS
        for suit in range(NUM_SUITS):
            features[np.uintp(at + offset + suit)] = s.bid_suits[owner, suit]
            features[np.uintp(voids_at + offset + suit)] = s.known_voids[owner, suit]
        is_known = is_passed(s) or owner == right_of(s, seat)
        num_laid = 0
        for side in range(2):
            for i in range(2):
                suit = s.bids[owner, side, i]
                is_laid = suit != NO_SUIT
                num_laid += is_laid
                # No branches, since nobody foresees them; where no suit is, nothing changes.
                at_suit = offset + max(suit, 0)
                features[np.uintp(most_at + side * n * NUM_SUITS + at_suit)] |= is_laid & is_known
                features[np.uintp(third_at + at_suit)] |= is_laid & is_known & (i == 1)
        write_count(features, laid_at + seats_away(s, seat, owner) * MOST_BID_CARDS, num_laid, MOST_BID_CARDS)
    at = voids_at + n * NUM_SUITS
    return write_one_hot(features, at, s.joker_suit, NUM_SUITS)


@kernel
def write_wishes(s: State, seat: int, features: NDArray[np.int8], at: int) -> int:
    """Who wants a special bid, as far as the observer knows."""
    for player in range(s.num_players):
        start = at + seats_away(s, seat, player) * NUM_ANSWERS
        is_known = player == seat or s.phase != Phase.WISH
        features[np.uintp(start)] = is_known and s.wishes[player] == Wish.YES
        features[np.uintp(start + 1)] = is_known and s.wishes[player] == Wish.NO
    return int(at + s.num_players * NUM_ANSWERS)


@kernel
def write_secrets_laid(s: State, seat: int, features: NDArray[np.int8], at: int) -> int:
    """Who has laid its secret card, and where a 4 lies on it."""
    for player in range(s.num_players):
        start = at + seats_away(s, seat, player)
        features[np.uintp(start)] = s.secrets[player] != NO_CARD
        features[np.uintp(start + s.num_players)] = s.secret_covered[player]
    return int(at + 2 * s.num_players)
