"""Voodoo Prince positions to and from plain Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trick_envs.core import reading
from trick_envs.core.cards import NO_CARD, Deck
from trick_envs.core.game import States
from trick_envs.core.kernel import State
from trick_envs.core.state import NOBODY
from trick_envs.games.voodoo_prince.rules import NO_SUIT, SUITS, Phase

if TYPE_CHECKING:
    from trick_envs.games.voodoo_prince.game import VoodooPrince

Play = tuple[int, int]
"""A seat and the card that it played."""


def write_dict(s: State, deck: Deck, d: dict[str, Any]) -> None:
    """Adds all keys that aren't the same in every game."""
    n = int(s.num_players)
    known = [trick for trick in range(s.num_tricks) if s.trick_leaders[trick] != NOBODY]
    d.update(
        leader=None if s.leader == NOBODY else int(s.leader),
        hands=[deck.texts(s.hands[seat, : s.hand_sizes[seat]]) for seat in range(n)],
        trick=_plays(s, deck, int(s.num_tricks)),
        history=[_plays(s, deck, trick) for trick in known],
        trump=None if s.trump == NO_SUIT else SUITS[s.trump],
        tricks=s.tricks[:n].tolist(),
        out=[bool(out) for out in s.out[:n]],
        round_points=s.round_points[:n].tolist(),
        known_voids=[deck.suit_letters(s.known_voids[seat]) for seat in range(n)],
    )


def _plays(s: State, deck: Deck, trick: int) -> list[list[Any]]:
    """A trick's plays in their order."""
    n, leader = int(s.num_players), int(s.trick_leaders[trick])
    plays = [(seat % n, int(s.played[trick, seat % n])) for seat in range(leader, leader + n)]
    return [[seat, deck.text(card)] for seat, card in plays if card != NO_CARD]


def read_dict(game: VoodooPrince, states: States, d: Mapping[str, Any]) -> None:
    """Fills a blank state (1,).

    A position whose whole past is given is played from the deal on and must come out as given; of any other
    one everything is checked that doesn't need the past.
    """
    s = states[0]
    n = game.num_players
    _clear(s)
    s.round_number = reading.whole_number(reading.read(d, "round"), "round", 0, int(s.num_rounds) - 1)
    _read_trump(s, d)
    _read_tricks_and_points(s, d)
    reader = reading.CardReader(game.deck)
    for seat, hand in enumerate(reading.items(reading.read(d, "hands"), "hands", n)):
        _fill_hand(s, seat, reader.cards(hand, f"the hand of seat {seat}", int(s.hand_size)))
    trick = [reader.play(play, "trick", n) for play in reading.items(reading.read(d, "trick"), "trick")]
    history = [
        [reader.play(play, "history", n) for play in reading.items(plays, "a trick in history")]
        for plays in reading.items(d.get("history") or [], "history")
    ]
    _read_trick(s, d, trick)
    _read_voids(s, d)
    _fill_history(s, history)
    if s.phase == Phase.OVER:
        s.winners[:n] = s.scores[:n] == s.scores[:n].max()
    if len(history) == s.num_tricks:
        _replay(game, states, d, [play for plays in (*history, trick) for play in plays])


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
    trump = reading.read(d, "trump")
    if s.phase != Phase.NAME_TRUMP:
        s.trump = SUITS.index(reading.choice(trump, "trump", tuple(SUITS)))
    elif trump is not None:
        raise ValueError(f"trump is {trump!r}; while it is being named, allowed is None")
    elif s.round_number == 0:
        raise ValueError("phase is 'name_trump' in round 0, in which the trump suit is turned up")


def _read_tricks_and_points(s: State, d: Mapping[str, Any]) -> None:
    n, goal, most = int(s.num_players), int(s.goal), int(s.max_round_points)
    for key, high in (
        ("tricks", goal + 1),
        ("round_points", most),
        ("scores", most * (int(s.round_number) + 1)),
    ):
        for seat, value in enumerate(reading.items(reading.read(d, key), key, n)):
            s[key][seat] = reading.whole_number(value, f"{key} of seat {seat}", 0, high)
    for seat, out in enumerate(reading.items(reading.read(d, "out"), "out", n)):
        reached = bool(s.tricks[seat] >= goal)
        if out is not reached:
            raise ValueError(f"out of seat {seat} is {out!r}; with {s.tricks[seat]} tricks it is {reached}")
        s.out[seat] = out
        if s.scores[seat] < s.round_points[seat]:
            raise ValueError(f"seat {seat} has a score of {s.scores[seat]}, less than its points in this round")
        if s.round_points[seat] and not out and s.phase != Phase.OVER:
            raise ValueError(f"round_points of seat {seat} is {s.round_points[seat]}; while it is in, allowed is 0")
    num_in = n - int(s.out.sum())
    if (num_in == 1) != (s.phase == Phase.OVER) or num_in == 0:
        raise ValueError(f"{num_in} seats are in; allowed is 1 when the game is over, at least 2 before")
    if s.phase == Phase.OVER and s.round_number + 1 != s.num_rounds:
        raise ValueError(f"the game is over in round {s.round_number}; allowed is {s.num_rounds - 1}")


def _read_trick(s: State, d: Mapping[str, Any], trick: list[Play]) -> None:
    """The leader, the mover, the current trick and how many tricks there were, by the hands' sizes."""
    n = int(s.num_players)
    leader = reading.read(d, "leader")
    if s.phase == Phase.OVER:
        if leader is not None or trick:
            raise ValueError("when the game is over, leader must be None and trick empty")
        s.leader = s.mover = NOBODY
        seats_in = []
    else:
        s.leader = reading.seat(leader, "leader", n)
        seats_in = [seat % n for seat in range(s.leader, s.leader + n) if not s.out[seat % n]]
        seats = [seat for seat, _ in trick]
        if s.leader not in seats_in or seats != seats_in[: len(seats)] or len(seats) == len(seats_in):
            raise ValueError(
                f"trick is by seats {seats}, leader {s.leader}; allowed are the first of {seats_in}, not all"
            )
        s.mover = seats_in[len(seats)]
    for seat, card in trick:
        follows = card // s.num_ranks == trick[0][1] // s.num_ranks
        if not follows:
            s.known_voids[seat, trick[0][1] // s.num_ranks] = 1
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
    last_tricks = [count for seat, count in enumerate(finished) if s.out[seat]]
    good = (
        all(count == s.num_tricks for seat, count in enumerate(finished) if not s.out[seat])
        and all(0 <= s.tricks[seat] <= 2 * count for seat, count in enumerate(finished))
        and len(set(last_tricks)) == len(last_tricks)
        and s.num_tricks <= s.tricks.sum() <= 2 * s.num_tricks
        and s.num_tricks <= s.max_tricks
    )
    if not good or (s.phase == Phase.NAME_TRUMP and s.num_tricks > 0):
        sizes = s.hand_sizes[: s.num_players].tolist()
        tricks = s.tricks[: s.num_players].tolist()
        raise ValueError(f"hands of {sizes} cards don't fit tricks {tricks}, seats out and cards in the trick")


def _read_voids(s: State, d: Mapping[str, Any]) -> None:
    """What is known, and that no hand contradicts it."""
    n = int(s.num_players)
    if d.get("known_voids") is not None:
        shown = s.known_voids.copy()
        s.known_voids[:] = 0
        for seat, letters in enumerate(reading.items(d["known_voids"], "known_voids", n)):
            for letter in reading.items(letters, "known_voids of a seat"):
                s.known_voids[seat, SUITS.index(reading.choice(letter, "known_voids", tuple(SUITS)))] = 1
        if (shown > s.known_voids).any():
            raise ValueError("known_voids doesn't have what the current trick shows")
    for seat in range(n):
        for card in s.hands[seat, : s.hand_sizes[seat]]:
            if s.known_voids[seat, card // s.num_ranks]:
                raise ValueError(f"seat {seat} holds {SUITS[card // s.num_ranks]}, in which it is known to be void")


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


def _replay(game: VoodooPrince, states: States, d: Mapping[str, Any], plays: list[Play]) -> None:
    """Plays the round from its deal; raises where that is against the rules or ends otherwise than given."""
    given = game.to_dict(states)
    start = states.copy()
    s = start[0]
    _clear(s)
    s.trump = states[0].trump
    s.phase = Phase.NAME_TRUMP if s.trump == NO_SUIT else Phase.PLAY
    for name in ("tricks", "out", "round_points", "known_voids", "winners", "num_tricks", "cards_in_trick"):
        start[name] = 0
    s.scores -= states[0].round_points
    for seat in range(game.num_players):
        held = [card for card in states[0].hands[seat] if card != NO_CARD]
        _fill_hand(s, seat, sorted(held + [card for who, card in plays if who == seat]))
    s.leader = s.mover = s.trick_leaders[0] = plays[0][0] if plays else states[0].leader
    for seat, card in plays:
        if s.mover != seat or not game.action_masks(start)[0, card]:
            raise ValueError(f"history or trick: seat {seat} can't have played {game.deck.text(card)}")
        game.step(start, [card])
    replayed = game.to_dict(start)
    for key, value in replayed.items():
        if value != given[key] and (key != "known_voids" or key in d):
            raise ValueError(f"{key} is {given[key]!r}; by history and trick it is {value!r}")
    states[:] = start
