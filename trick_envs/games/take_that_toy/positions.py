"""Take That Toy! positions to and from plain Python."""

from collections.abc import Mapping
from typing import Any

from trick_envs.core import validation
from trick_envs.core.cards import NO_CARD, Deck, rank_of, suit_of
from trick_envs.core.game import Game, States
from trick_envs.core.hands import add_to_hand, remove_from_hand
from trick_envs.core.kernel import State
from trick_envs.core.positions import CardReader, known_tricks, plays_of, seat_or_none
from trick_envs.core.state import NOBODY
from trick_envs.core.tricks import forget_trick
from trick_envs.games.take_that_toy import rules
from trick_envs.games.take_that_toy.rules import MOST_OF_SUIT, NUM_SUITS, SUITS, Phase, SeveralBursts

Play = tuple[int, int]
"""A seat and the card that it played."""


# --- writing ----------------------------------------------------------------------------------------------


def write_dict(game: Game, s: State, d: dict[str, Any]) -> None:
    """Adds all keys that aren't the same in every game."""
    deck, n = game.deck, game.num_players
    known = known_tricks(s)
    hands = [s.hands[seat, : s.hand_sizes[seat]].tolist() for seat in range(n)]
    display = [[card for card, lies in enumerate(row) if lies] for row in s.display[:n].tolist()]
    bursts = [_burst_cards(s, number) for number in range(s.num_bursts)]
    trick = [card for card in s.played[s.num_tricks].tolist() if card != NO_CARD]
    in_play = {card for cards in (*hands, *display, trick, [int(s.trump_card)]) for card in cards}
    burst = {card for cards in bursts for card in cards}
    d.update(
        leader=seat_or_none(s.leader),
        hands=[deck.texts(hand) for hand in hands],
        trick=plays_of(s, deck, int(s.num_tricks)),
        history=[plays_of(s, deck, trick) for trick in known],
        trump=SUITS[s.trump],
        trump_card=deck.text(s.trump_card),
        display=[deck.texts(cards) for cards in display],
        bursts=[
            {
                "seat": int(s.burst_seats[number]),
                "cards": deck.texts(cards),
                "dealt": {
                    str(seat): deck.text(s.dealt[number, seat])
                    for seat in range(n)
                    if seat != s.burst_seats[number]
                },
            }
            for number, cards in enumerate(bursts)
        ],
        left_over=deck.texts(set(range(len(deck))) - in_play - burst),
        discarded=deck.texts(burst - in_play),
    )


def _burst_cards(s: State, number: int) -> list[int]:
    """The cards of a burst."""
    ranks = s.burst_ranks[number].tolist()
    return [card for card in range(s.num_cards) if ranks[card // s.num_ranks] >> card % s.num_ranks & 1]


# --- reading ----------------------------------------------------------------------------------------------


def read_dict(game: Game, states: States, d: Mapping[str, Any]) -> None:
    """Fills a blank state (1,).

    The tricks that are given are taken back and played again, and must come out as given. Of what was
    before, everything is checked that the cards' places and the bursts tell.
    """
    s = states[0]
    n = game.num_players
    rules.clear_table(s)
    s.round_number = validation.whole_number(validation.read(d, "round"), "round", 0, int(s.num_rounds) - 1)
    trick = _read_places(game, s, d)
    _read_bursts(game, s, d)
    _read_trick(s, d, trick)
    _check_bursts(game.deck, s)
    _check_left_out(game, s, d)
    _check_sizes(s)
    _read_scores(s, d)
    _check_end(s)
    _check_rounds(s)
    history = [
        _read_plays(game.deck, plays, "a trick in history", n)
        for plays in validation.items([] if d.get("history") is None else d["history"], "history")
    ]
    if history or trick:
        _replay(game, states, history, trick)


def _read_places(game: Game, s: State, d: Mapping[str, Any]) -> list[Play]:
    """All cards of the deck, each in one place; fills hands and displays, and returns the current trick."""
    n = game.num_players
    reader = CardReader(game.deck)
    s.trump_card = reader.card(validation.read(d, "trump_card"))
    s.trump = suit_of(s, s.trump_card)
    trump = SUITS[s.trump]
    if validation.choice(validation.read(d, "trump"), "trump", tuple(SUITS)) != trump:
        raise ValueError(f"trump is {d['trump']!r}; by the trump card it is {trump!r}")
    for seat, hand in enumerate(validation.items(validation.read(d, "hands"), "hands", n)):
        for card in reader.cards(hand, f"the hand of seat {seat}", int(s.max_hand)):
            add_to_hand(s, seat, card)
    for seat, cards in enumerate(validation.items(validation.read(d, "display"), "display", n)):
        _lay_out(s, seat, reader.cards(cards, f"the display of seat {seat}", NUM_SUITS * MOST_OF_SUIT))
    plays = validation.items(validation.read(d, "trick"), "trick")
    trick = [reader.play(play, "trick", n) for play in plays]
    num_cards = len(game.deck)
    left_over = reader.cards(
        validation.read(d, "left_over"), "left_over", num_cards - 1 - n * int(s.hand_size)
    )
    discarded = reader.cards(validation.read(d, "discarded"), "discarded", num_cards)
    on_table = int(s.hand_sizes.sum() + s.display.sum()) + len(trick) + len(left_over) + len(discarded) + 1
    if on_table != num_cards:
        raise ValueError(f"the position has {on_table} cards; allowed are all {num_cards}")
    return trick


def _lay_out(s: State, seat: int, cards: list[int]) -> None:
    """Puts cards into a display."""
    for card in cards:
        s.display[seat, card] = 1
        s.suit_counts[seat, suit_of(s, card)] += 1


def _read_bursts(game: Game, s: State, d: Mapping[str, Any]) -> None:
    """Fills in the bursts, each checked by itself; the hands tell which dealt cards are still held."""
    n, deck = game.num_players, game.deck
    bursts = validation.items(validation.read(d, "bursts"), "bursts")
    most, most_suits = int(s.max_tricks), min(n, NUM_SUITS - 1)
    if s.several_bursts == SeveralBursts.SEPARATELY:
        most, most_suits = rules.most_bursts(n, most), 1
    if len(bursts) > most:
        raise ValueError(f"bursts has {len(bursts)} entries; allowed are at most {most}")
    for number, burst in enumerate(bursts):
        if not isinstance(burst, Mapping):
            raise ValueError(f"a burst is {burst!r}; allowed is a dict")
        burster = validation.seat(validation.read(burst, "seat"), "the seat of a burst", n)
        cards = CardReader(deck).cards(
            validation.read(burst, "cards"), "a burst", MOST_OF_SUIT * (NUM_SUITS - 1) + n
        )
        for card in cards:
            s.burst_ranks[number, suit_of(s, card)] |= 1 << rank_of(s, card)
        counts = [int(ranks).bit_count() for ranks in s.burst_ranks[number].tolist()]
        num_suits = sum(count > 0 for count in counts)
        if not 1 <= num_suits <= most_suits or any(0 < count <= MOST_OF_SUIT for count in counts):
            suits = "of one suit" if most_suits == 1 else f"each of 1 to {most_suits} suits"
            raise ValueError(
                f"the burst {' '.join(deck.texts(cards))} can't be; allowed are at least "
                f"{MOST_OF_SUIT + 1} cards {suits}"
            )
        s.burst_seats[number] = burster
        _read_dealt(game, s, number, validation.read(burst, "dealt"), cards)
    s.num_bursts = len(bursts)
    latest = _latest_bursts(s)
    for number in range(s.num_bursts):
        for seat in range(n):
            card = int(s.dealt[number, seat])
            s.dealt_held[number, seat] = latest.get(card) == number and card in s.hands[seat]


def _read_dealt(game: Game, s: State, number: int, dealt: Any, cards: list[int]) -> None:
    """Who got which card of a burst."""
    receivers = [str(seat) for seat in range(game.num_players) if seat != s.burst_seats[number]]
    if not isinstance(dealt, Mapping) or set(dealt) != set(receivers):
        raise ValueError(f"dealt is {dealt!r}; allowed is a dict with a card for each of {receivers}")
    reader = CardReader(game.deck)
    for seat in receivers:
        card = reader.card(dealt[seat])
        if card not in cards:
            raise ValueError(f"{dealt[seat]} was dealt to seat {seat}, but isn't in the burst")
        s.dealt[number, int(seat)] = card


def _latest_bursts(s: State) -> dict[int, int]:
    """The latest burst that each card was in."""
    return {card: number for number in range(s.num_bursts) for card in _burst_cards(s, number)}


def _check_bursts(deck: Deck, s: State) -> None:
    """That every card that was in a burst is where its latest burst, and later play, can have put it."""
    latest = _latest_bursts(s)
    hands, display, trick = s.hands.tolist(), s.display, s.played[s.num_tricks].tolist()
    for number in range(s.num_bursts):
        dealt = s.dealt[number].tolist()
        for card in _burst_cards(s, number):
            seat = dealt.index(card) if card in dealt else NOBODY
            if latest[card] > number:
                good = seat != NOBODY  # or it would have been discarded
            elif seat == NOBODY:
                good = not display[:, card].any() and card not in trick and not any(card in h for h in hands)
            else:
                good = bool(card in hands[seat] or trick[seat] == card or display[:, card].any())
            if not good:
                where = "discarded" if seat == NOBODY else f"dealt to seat {seat}"
                raise ValueError(f"by bursts, {deck.text(card)} was {where}; it is elsewhere")


def _check_left_out(game: Game, s: State, d: Mapping[str, Any]) -> None:
    """That `left_over` and `discarded` are what the other cards say."""
    places: dict[str, Any] = {}
    write_dict(game, s, places)
    for key in ("left_over", "discarded"):
        if sorted(d[key]) != sorted(places[key]):
            raise ValueError(f"{key} is {d[key]!r}; by bursts it is {places[key]!r}")


def _read_trick(s: State, d: Mapping[str, Any], trick: list[Play]) -> None:
    """The leader, the current player and trick; how many tricks there were follows from the hands."""
    n = int(s.num_players)
    leader = validation.read(d, "leader")
    if s.phase == Phase.OVER:
        if leader is not None or trick:
            raise ValueError("when the game is over, leader must be None and trick empty")
        s.leader = s.current_player = NOBODY
    else:
        s.leader = validation.seat(leader, "leader", n)
        seats = [seat for seat, _ in trick]
        allowed = [seat % n for seat in range(s.leader, s.leader + n)]
        if seats != allowed[: len(seats)] or len(seats) == n:
            raise ValueError(
                f"trick is by seats {seats}, leader {s.leader}; allowed are the first of {allowed}, not all"
            )
        s.current_player = allowed[len(seats)]
    s.cards_in_trick = len(trick)
    finished = s.hand_size + (s.dealt[:, :n] != NO_CARD).sum(axis=0) - s.hand_sizes[:n]
    for seat, _ in trick:
        finished[seat] -= 1
    if len(set(finished.tolist())) != 1 or not _fewest_tricks(s) <= finished[0] <= s.max_tricks:
        raise ValueError(
            f"hands of {s.hand_sizes[:n].tolist()} cards don't fit {s.num_bursts} bursts "
            f"and {len(trick)} cards in the trick"
        )
    s.num_tricks = finished[0]
    for seat, card in trick:
        s.played[s.num_tricks, seat] = card
    if s.phase != Phase.OVER:
        s.trick_leaders[s.num_tricks] = s.leader


def _fewest_tricks(s: State) -> int:
    """How many tricks the bursts need at least.

    A suit that bursts needs a card of the trick and, as a display holds three of a suit at most, all beyond
    that number.
    """
    count, cards_left = 0, 0
    for number in range(s.num_bursts):
        needed = max(1, len(_burst_cards(s, number)) - MOST_OF_SUIT)
        if not _may_be_at_once(s, number) or needed > cards_left:
            count, cards_left = count + 1, int(s.num_players)
        cards_left -= needed
    return count


def _may_be_at_once(s: State, number: int) -> bool:
    """Whether a burst may be of the same trick as the one before it: of the same seat, and a later suit."""
    if number == 0 or s.several_bursts == SeveralBursts.TOGETHER:
        return False
    before, suit = (suit_of(s, _burst_cards(s, i)[0]) for i in (number - 1, number))
    return bool(s.burst_seats[number] == s.burst_seats[number - 1]) and before < suit


def _check_sizes(s: State) -> None:
    """That displays and bursts together are the finished tricks."""
    num_won = int(s.num_tricks * s.num_players)
    num_burst = sum(len(_burst_cards(s, number)) for number in range(s.num_bursts))
    num_laid_out = int(s.display.sum())
    if num_laid_out + num_burst != num_won:
        raise ValueError(
            f"displays hold {num_laid_out} cards; by hands and bursts, allowed are {num_won - num_burst}"
        )
    if s.suit_counts.max() > MOST_OF_SUIT:
        raise ValueError(f"a display holds {s.suit_counts.max()} cards of a suit; allowed are {MOST_OF_SUIT}")


def _read_scores(s: State, d: Mapping[str, Any]) -> None:
    """Suits in the displays or, of several rounds, those won."""
    n, num_rounds = int(s.num_players), int(s.num_rounds)
    most = NUM_SUITS if num_rounds == 1 else num_rounds
    for seat, value in enumerate(validation.items(validation.read(d, "scores"), "scores", n)):
        s.scores[seat] = validation.whole_number(value, f"the score of seat {seat}", 0, most)
        num_suits = rules.num_suits(s, seat)
        if num_rounds == 1 and s.scores[seat] != num_suits:
            raise ValueError(f"the score of seat {seat} is {value}; its display has {num_suits} suits")


def _check_end(s: State) -> None:
    """That the round, and with it the game, is over exactly if it has to be; finds the winners."""
    n = int(s.num_players)
    all_suits = [seat for seat in range(n) if rules.num_suits(s, seat) == NUM_SUITS]
    yet_to_play = [seat for seat in range(n) if s.played[s.num_tricks, seat] == NO_CARD]
    empty = [seat for seat in yet_to_play if s.hand_sizes[seat] == 0]
    is_longest = s.num_tricks == s.max_tricks
    if s.phase == Phase.OVER:
        if s.round_number + 1 < s.num_rounds:
            raise ValueError(
                f"phase is 'over' in round {s.round_number}; allowed is the last, {s.num_rounds - 1}"
            )
        if not all_suits and not empty and not is_longest and not _may_be_refilled(s):
            raise ValueError("phase is 'over', but no display has all suits, and no hand is empty")
        rules.finish_game(s)
    elif all_suits or empty:
        raise ValueError("phase is 'play', but a display has all suits, or a hand is empty")
    elif is_longest:
        raise ValueError(f"phase is 'play' after {s.num_tricks} tricks; a round has no more")
    if len(all_suits) > 1:
        raise ValueError(f"seats {all_suits} have all suits; allowed is one")


def _may_be_refilled(s: State) -> bool:
    """Whether the last trick may have ended the round though its bursts dealt a card to every empty hand."""
    if not s.last_card_ends:
        return False
    for num_dealt, number in enumerate(range(s.num_bursts - 1, -1, -1), 1):
        others = [seat for seat in range(s.num_players) if seat != s.burst_seats[number]]
        if not all(s.dealt_held[number, seat] for seat in others):
            return False  # somebody has played since
        if any(s.hand_sizes[seat] == num_dealt for seat in others):
            return True
        if not _may_be_at_once(s, number):
            return False
    return False


def _check_rounds(s: State) -> None:
    """That the rounds before this one have the winners that the scores say: one, or several that share it."""
    if s.num_rounds == 1:
        return
    n, finished = int(s.num_players), int(s.round_number)
    won = _won_before(s)
    if not all(0 <= score <= finished for score in won) or sum(won) < finished:
        raise ValueError(
            f"scores are {s.scores[:n].tolist()}; allowed is a point a round, {finished} before this one, "
            "for its winner or for each of those that share it"
        )


def _won_before(s: State) -> list[int]:
    """The rounds that each seat has won without the current one, for which it has its point when over."""
    won: list[int] = s.scores[: s.num_players].tolist()
    if s.phase == Phase.OVER:
        best = rules.worth_of_best_display(s)
        return [score - (rules.worth_of_display(s, seat) == best) for seat, score in enumerate(won)]
    return won


# --- the past ---------------------------------------------------------------------------------------------


def _read_plays(deck: Deck, value: Any, what: str, num_players: int) -> list[Play]:
    """A finished trick, in the order of play."""
    reader = CardReader(deck)
    plays = [reader.play(play, what, num_players) for play in validation.items(value, what, num_players)]
    if [seat for seat, _ in plays] != [(plays[0][0] + i) % num_players for i in range(num_players)]:
        raise ValueError(f"{what} is by seats {[seat for seat, _ in plays]}; allowed is clockwise order")
    return plays


def _replay(game: Game, states: States, history: list[list[Play]], trick: list[Play]) -> None:
    """Takes the given tricks back, plays them again, and raises where that isn't possible."""
    given = game.to_dict(states) | {
        "history": [[[seat, game.deck.text(card)] for seat, card in plays] for plays in history]
    }
    s = states[0]
    if len(history) > s.num_tricks:
        raise ValueError(f"history has {len(history)} tricks; the hands' sizes allow {s.num_tricks}")
    bursts = [(int(s.burst_seats[i]), _burst_cards(s, i), s.dealt[i].copy()) for i in range(s.num_bursts)]
    if s.num_rounds > 1:
        s.scores[: s.num_players] = _won_before(s)
    _take_back_trick(s, trick)
    for plays in reversed(history):
        _take_back_finished(game.deck, s, plays)
    rng = s.rng
    for seat, card in (play for plays in (*history, trick) for play in plays):
        if s.current_player != seat or not game.action_masks(states)[0, card]:
            raise ValueError(f"history or trick: seat {seat} can't have played {game.deck.text(card)}")
        num_bursts = int(s.num_bursts)
        game.step(states, [card])
        for number in range(num_bursts, s.num_bursts):
            _deal_as_given(s, number, bursts)
    s.rng = rng
    replayed = game.to_dict(states)
    for key, value in replayed.items():
        if value != given[key]:
            raise ValueError(f"{key} is {given[key]!r}; by history and trick it is {value!r}")


def _take_back_trick(s: State, trick: list[Play]) -> None:
    """The cards of the current trick go back to the hands."""
    for seat, card in reversed(trick):
        s.played[s.num_tricks, seat] = NO_CARD
        s.cards_in_trick -= 1
        s.current_player = seat
        _take_back_card(s, seat, card)


def _take_back_card(s: State, seat: int, card: int) -> None:
    """A card that was played goes back to the hand. If it came from a burst, it is held again."""
    if s.hand_sizes[seat] == s.max_hand:
        raise ValueError(f"by history, seat {seat} had more than {s.max_hand} cards")
    add_to_hand(s, seat, card)
    number = _latest_bursts(s).get(card)
    if number is not None and s.dealt[number, seat] == card:
        s.dealt_held[number, seat] = 1


def _take_back_finished(deck: Deck, s: State, plays: list[Play]) -> None:
    """Takes back a finished trick, and the bursts after it if there were any."""
    forget_trick(s, int(s.num_tricks))
    s.num_tricks -= 1
    s.phase = Phase.PLAY
    s.winners[:] = 0
    s.leader = plays[0][0]
    for seat, card in plays:
        s.played[s.num_tricks, seat] = card
    winner = rules.winner_of_trick(s)
    missing = [card for _, card in plays if not s.display[winner, card]]
    while missing:
        burst = _take_back_burst(deck, s, winner, missing)
        missing = [card for card in missing if card not in burst]
    for _, card in plays:
        s.display[winner, card] = 0
        s.suit_counts[winner, suit_of(s, card)] -= 1
    if s.num_rounds == 1:
        s.scores[winner] = rules.num_suits(s, winner)
    s.trick_leaders[s.num_tricks] = s.leader
    s.cards_in_trick = len(plays)
    _take_back_trick(s, plays)


def _take_back_burst(deck: Deck, s: State, winner: int, missing: list[int]) -> list[int]:
    """The latest burst's cards, some of those `missing` among them, go back to the winner's display."""
    number = int(s.num_bursts) - 1
    cards = _burst_cards(s, number) if number >= 0 and s.burst_seats[number] == winner else []
    if not set(missing) & set(cards):
        raise ValueError(f"by history seat {winner} won {deck.text(missing[0])}, which isn't in its display")
    for seat in range(s.num_players):
        if seat != winner:
            if not s.dealt_held[number, seat]:
                raise ValueError(f"by history seat {seat} still holds {deck.text(s.dealt[number, seat])}")
            remove_from_hand(s, seat, s.dealt[number, seat])
    rules.clear_burst(s, number)
    s.num_bursts = number
    _lay_out(s, winner, cards)
    return cards


def _deal_as_given(s: State, number: int, bursts: list[tuple[int, list[int], Any]]) -> None:
    """Replaces what chance dealt of a new burst by what is given."""
    burster, cards, dealt = bursts[number]
    if burster != s.burst_seats[number] or cards != _burst_cards(s, number):
        raise ValueError(f"by history seat {s.burst_seats[number]} had another burst than given")
    for seat in range(s.num_players):
        if seat != burster:
            remove_from_hand(s, seat, s.dealt[number, seat])
    for seat in range(s.num_players):
        if seat != burster:
            add_to_hand(s, seat, int(dealt[seat]))
            s.dealt[number, seat] = dealt[seat]
