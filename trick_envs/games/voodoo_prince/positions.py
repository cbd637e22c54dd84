"""Voodoo Prince positions to and from plain Python."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from trick_envs.core import validation
from trick_envs.core.cards import NO_CARD
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import State
from trick_envs.core.positions import CardReader, known_tricks, plays_of, replay, seat_or_none, voids
from trick_envs.core.state import NOBODY
from trick_envs.games.voodoo_prince import rules
from trick_envs.games.voodoo_prince.rules import NO_SUIT, SUITS, Phase, TwoPlayerScoring

Play = tuple[int, int]
"""A seat and the card that it played."""


def write_dict(game: Game, s: State, d: dict[str, Any]) -> None:
    """Adds all keys that aren't the same in every game."""
    deck, n = game.deck, game.num_players
    known = known_tricks(s)
    d.update(
        leader=seat_or_none(s.leader),
        hands=[deck.texts(s.hands[seat, : s.hand_sizes[seat]]) for seat in range(n)],
        trick=plays_of(s, deck, int(s.num_tricks)),
        history=[plays_of(s, deck, trick) for trick in known],
        trump=None if s.trump == NO_SUIT else SUITS[s.trump],
        tricks=s.tricks[:n].tolist(),
        out=[bool(out) for out in s.out[:n]],
        round_points=s.round_points[:n].tolist(),
        known_voids=[deck.suit_letters(s.known_voids[seat]) for seat in range(n)],
    )


def read_dict(game: Game, states: States, d: Mapping[str, Any]) -> None:
    """Fills a blank state (1,).

    The part of the round whose tricks are given is played again from its beginning and must come out as
    given. Of what was before, everything is checked that doesn't need the tricks.
    """
    s = states[0]
    n = game.num_players
    _clear(s)
    s.round_number = validation.whole_number(validation.read(d, "round"), "round", 0, int(s.num_rounds) - 1)
    _read_trump(s, d)
    _read_tricks_and_points(s, d)
    reader = CardReader(game.deck)
    for seat, hand in enumerate(validation.items(validation.read(d, "hands"), "hands", n)):
        _fill_hand(s, seat, reader.cards(hand, f"the hand of seat {seat}", int(s.hand_size)))
    trick = [reader.play(play, "trick", n) for play in validation.items(validation.read(d, "trick"), "trick")]
    history = [
        [reader.play(play, "history", n) for play in validation.items(plays, "a trick in history")]
        for plays in validation.items(validation.given(d, "history", []), "history")
    ]
    _read_trick(s, d, trick)
    _fill_history(s, history)
    if s.phase == Phase.OVER:
        s.winners[:n] = s.scores[:n] == s.scores[:n].max()
    start = _beginning(states, history, trick)
    _check_past(start[0])
    start["known_voids"] = 0
    replay(game, start, game.to_dict(states), [play for plays in (*history, trick) for play in plays])
    voids(start[0], d, SUITS, is_all_known=len(history) == s.num_tricks)
    states[:] = start


def _clear(s: State) -> None:
    s.hands[:] = NO_CARD
    s.played[:] = NO_CARD
    s.trick_leaders[:] = NOBODY
    s.trump = NO_SUIT


def _fill_hand(s: State, seat: int, cards: list[int]) -> None:
    s.hands[seat] = NO_CARD
    s.hands[seat, : len(cards)] = cards
    s.hand_sizes[seat] = len(cards)


def _read_trump(s: State, d: Mapping[str, Any]) -> None:
    trump = validation.read(d, "trump")
    if s.phase != Phase.NAME_TRUMP:
        s.trump = SUITS.index(validation.choice(trump, "trump", tuple(SUITS)))
    elif trump is not None:
        raise ValueError(f"trump is {trump!r}; while it is being named, allowed is None")
    elif s.round_number == 0:
        raise ValueError("phase is 'name_trump' in round 0, in which the trump suit is turned up")


def _read_tricks_and_points(s: State, d: Mapping[str, Any]) -> None:
    n, goal, most = int(s.num_players), int(s.goal), int(s.max_round_points)
    for key, high in (
        ("tricks", int(s.max_taken)),
        ("round_points", most),
        ("scores", most * (int(s.round_number) + 1)),
    ):
        for seat, value in enumerate(validation.items(validation.read(d, key), key, n)):
            s[key][seat] = validation.whole_number(value, f"{key} of seat {seat}", 0, high)
    for seat, out in enumerate(validation.items(validation.read(d, "out"), "out", n)):
        reached = bool(s.tricks[seat] >= goal)
        if out is not reached:
            raise ValueError(f"out of seat {seat} is {out!r}; with {s.tricks[seat]} tricks it is {reached}")
        s.out[seat] = out
        if s.round_points[seat] and not out and s.phase != Phase.OVER:
            raise ValueError(
                f"round_points of seat {seat} is {s.round_points[seat]}; while it is in, allowed is 0"
            )
        if not 0 <= s.scores[seat] - s.round_points[seat] <= most * s.round_number:
            raise ValueError(
                f"seat {seat} has a score of {s.scores[seat]}, of it {s.round_points[seat]} points "
                f"in round {s.round_number}; before it, allowed are 0 to {most * s.round_number}"
            )
    num_in = n - int(s.out.sum())
    if (num_in == 1) != (s.phase == Phase.OVER) or num_in == 0:
        raise ValueError(f"{num_in} seats are in; allowed is 1 when the game is over, at least 2 before")
    if s.phase == Phase.OVER and s.round_number + 1 != s.num_rounds:
        raise ValueError(f"the game is over in round {s.round_number}; allowed is {s.num_rounds - 1}")


def _read_trick(s: State, d: Mapping[str, Any], trick: list[Play]) -> None:
    """The leader, the current player and trick, and how many tricks there were, by the hands' sizes."""
    n = int(s.num_players)
    leader = validation.read(d, "leader")
    if s.phase == Phase.OVER:
        if leader is not None or trick:
            raise ValueError("when the game is over, leader must be None and trick empty")
        s.leader = s.current_player = NOBODY
        seats_in = []
    else:
        s.leader = validation.seat(leader, "leader", n)
        seats_in = [seat % n for seat in range(s.leader, s.leader + n) if not s.out[seat % n]]
        seats = [seat for seat, _ in trick]
        if s.leader not in seats_in or seats != seats_in[: len(seats)] or len(seats) == len(seats_in):
            raise ValueError(
                f"trick is by seats {seats}, leader {s.leader}; allowed are the first of {seats_in}, not all"
            )
        s.current_player = seats_in[len(seats)]
    s.cards_in_trick = len(trick)
    finished = [int(s.hand_size - s.hand_sizes[seat]) for seat in range(n)]
    for seat, _ in trick:
        finished[seat] -= 1
    s.num_tricks = max(finished)
    _check_num_tricks(s, finished)
    for seat, card in trick:
        s.played[s.num_tricks, seat] = card
    if s.phase != Phase.OVER:
        s.trick_leaders[s.num_tricks] = s.leader


def _check_num_tricks(s: State, finished: list[int]) -> None:
    """`finished`: the tricks that each seat took part in, by the size of its hand."""
    most = int(s.max_trick_value)
    last_tricks = [count for seat, count in enumerate(finished) if s.out[seat]]
    good = (
        all(count == s.num_tricks for seat, count in enumerate(finished) if not s.out[seat])
        and all(0 <= s.tricks[seat] <= most * count for seat, count in enumerate(finished))
        and len(set(last_tricks)) == len(last_tricks)
        and sum(-(-s.tricks // most)) <= s.num_tricks <= s.tricks.sum()
        and s.num_tricks <= s.max_tricks
    )
    if not good or (s.phase == Phase.NAME_TRUMP and s.num_tricks > 0):
        sizes = s.hand_sizes[: s.num_players].tolist()
        tricks = s.tricks[: s.num_players].tolist()
        raise ValueError(
            f"hands of {sizes} cards don't fit tricks {tricks}, seats out and cards in the trick"
        )


def _fill_history(s: State, history: list[list[Play]]) -> None:
    """The last tricks of a past that isn't known any further."""
    if len(history) > s.num_tricks:
        raise ValueError(f"history has {len(history)} tricks; the hands' sizes allow {s.num_tricks}")
    for trick, plays in enumerate(history, int(s.num_tricks) - len(history)):
        if not 2 <= len({seat for seat, _ in plays}) == len(plays):
            raise ValueError("a trick in history has the same seat twice, or fewer than two seats")
        s.trick_leaders[trick] = plays[0][0]
        for seat, card in plays:
            s.played[trick, seat] = card


def _beginning(states: States, history: list[list[Play]], trick: list[Play]) -> States:
    """The position before the earliest trick that is given."""
    start = states.copy()
    s = start[0]
    first = int(s.num_tricks) - len(history)
    for number in range(first, s.num_tricks):
        s.num_tricks, s.leader = number, s.trick_leaders[number]
        winner = rules.winner_of_trick(s)
        s.tricks[winner] -= rules.trick_value(s, s.played[number, winner])
        if s.tricks[winner] < 0:
            raise ValueError(f"by history seat {winner} has more tricks than {states[0].tricks[winner]}")
    plays = [play for trick in (*history, trick) for play in trick]
    if history:
        s.phase = Phase.PLAY
        s.winners[:] = 0
    if plays:
        s.leader = s.current_player = plays[0][0]
    s.num_tricks, s.cards_in_trick = first, 0
    s.played[first:] = NO_CARD
    s.trick_leaders[first:] = NOBODY
    s.trick_leaders[first] = s.leader
    for seat in range(s.num_players):
        held = [card for card in s.hands[seat].tolist() if card != NO_CARD]
        held += [card for who, card in plays if who == seat]
        if len(held) > s.hand_size:
            raise ValueError(
                f"seat {seat} has {len(held)} cards in hand and played; allowed are {s.hand_size}"
            )
        _fill_hand(s, seat, sorted(held))
        s.out[seat] = s.tricks[seat] >= s.goal
        if s.phase != Phase.OVER and not s.out[seat]:
            s.scores[seat] -= s.round_points[seat]
            s.round_points[seat] = 0
    return start


def _check_past(s: State) -> None:
    """That a past can give the tricks, the points and the leader of a position between two tricks."""
    leavers = sorted(
        (int(s.hand_size - s.hand_sizes[seat]), seat) for seat in range(s.num_players) if s.out[seat]
    )
    tricks_at = [(0, 0)]  # how many tricks there had been, and as they count, when a seat left
    tricks_at += [(number, int(s.tricks[seat] + s.round_points[seat])) for number, seat in leavers]
    tricks_at.append((int(s.num_tricks), int(s.tricks.sum())))
    for (before, counted_before), (after, counted) in pairwise(tricks_at):
        if not after - before <= counted - counted_before <= s.max_trick_value * (after - before):
            points = s.round_points[: s.num_players].tolist()
            raise ValueError(f"round_points is {points}; that doesn't fit tricks, hands and seats out")
    if s.phase == Phase.OVER:
        _check_last_seat(s, leavers[-1][0])
    elif s.num_tricks > 0:
        winner = leavers[-1][1] if leavers and leavers[-1][0] == s.num_tricks else s.leader
        if s.tricks[winner] == 0 or s.leader != rules.seat_in_from(s, winner):
            raise ValueError(
                f"leader is {s.leader}; it didn't win the trick before, nor follows one that left"
            )


def _check_last_seat(s: State, last_trick: int) -> None:
    """When the game is over. `last_trick`: the number of tricks when the last seat left."""
    last = s.out[: s.num_players].tolist().index(0)
    points = s.tricks[last]
    if s.num_players == 2 and s.two_player_scoring == TwoPlayerScoring.SHORTFALL:
        points = s.goal - points
    if s.round_points[last] != points:
        raise ValueError(f"round_points of seat {last} is {s.round_points[last]}; allowed is {points}")
    if last_trick != s.num_tricks:
        raise ValueError(
            f"seat {last} played on alone; allowed is a hand as large as that of the last to leave"
        )
