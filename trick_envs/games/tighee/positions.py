"""TIGHEE positions to and from plain Python."""

from collections.abc import Mapping
from typing import Any

from trick_envs.core import validation
from trick_envs.core.cards import NO_CARD
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import State
from trick_envs.core.positions import CardReader, known_tricks, plays_of, replay, seat_or_none, voids
from trick_envs.core.state import NOBODY
from trick_envs.games.tighee import rules
from trick_envs.games.tighee.rules import SUITS, Phase

Play = tuple[int, int]
"""A seat and the card that it played."""


def write_dict(game: Game, s: State, d: dict[str, Any]) -> None:
    """Adds all keys that aren't the same in every game."""
    deck, n = game.deck, game.num_players
    known = known_tricks(s)
    turned_up = rules.num_turned_up(s)
    if s.phase == Phase.PICK:
        face_down = s.deck[: s.num_spares].tolist()
    else:
        face_down = s.deck[turned_up : s.max_tricks].tolist()
    d.update(
        leader=seat_or_none(s.leader),
        hands=[deck.texts(s.hands[seat, : s.hand_sizes[seat]]) for seat in range(n)],
        trick=plays_of(s, deck, int(s.num_tricks)),
        history=[plays_of(s, deck, trick) for trick in known],
        forest=deck.text(s.deck[s.num_tricks]) if s.phase == Phase.PLAY else None,
        deck=[deck.text(card) for card in face_down],
        forest_history=[deck.text(card) for card in s.deck[: s.num_tricks]],
        picks=[deck.texts(s.picks[seat, : s.num_picks[seat]]) for seat in range(n)],
        tricks=s.tricks[:n].tolist(),
        round_points=s.round_points[:n].tolist(),
        round_leader=seat_or_none(s.round_leader),
        known_voids=[deck.suit_letters(s.known_voids[seat]) for seat in range(n)],
    )


def read_dict(game: Game, states: States, d: Mapping[str, Any]) -> None:
    """Fills a blank state (1,).

    The part of the round whose tricks are given is played again from its beginning and must come out as
    given. Of what was before, everything is checked that doesn't need the tricks.
    """
    s = states[0]
    n = game.num_players
    rules.clear_round(s)
    s.round_number = validation.whole_number(validation.read(d, "round"), "round", 0, int(s.num_rounds) - 1)
    if s.phase == Phase.OVER and s.round_number + 1 != s.num_rounds:
        raise ValueError(f"the game is over in round {s.round_number}; allowed is {s.num_rounds - 1}")
    reader = CardReader(game.deck)
    for seat, hand in enumerate(validation.items(validation.read(d, "hands"), "hands", n)):
        _fill_hand(s, seat, reader.cards(hand, f"the hand of seat {seat}", int(s.hand_size)))
    trick = [reader.play(play, "trick", n) for play in validation.items(validation.read(d, "trick"), "trick")]
    history = [
        [reader.play(play, "history", n) for play in validation.items(plays, "a trick in history")]
        for plays in validation.items(validation.given(d, "history", []), "history")
    ]
    num_old_forests = _read_deck(game, s, d, reader)
    _read_leaders(s, d)
    _read_numbers(s, d)
    if s.phase == Phase.PICK:
        _check_picking(s, [*history, *trick])
    else:
        _read_trick(s, trick)
        if num_old_forests != s.num_tricks:
            raise ValueError(f"forest_history has {num_old_forests} cards; allowed are {s.num_tricks}")
        _fill_history(s, history)
        _check_past(s)
    if s.phase == Phase.OVER:
        s.winners[:n] = s.scores[:n] == s.scores[:n].max()
    if history or trick:
        start = _beginning(states, history, trick)
        replay(game, start, game.to_dict(states), [play for plays in (*history, trick) for play in plays])
        states[:] = start
    voids(states[0], d, SUITS, is_all_known=len(history) == s.num_tricks)


def _fill_hand(s: State, seat: int, cards: list[int]) -> None:
    s.hands[seat] = NO_CARD
    s.hands[seat, : len(cards)] = cards
    s.hand_sizes[seat] = len(cards)


def _read_deck(game: Game, s: State, d: Mapping[str, Any], reader: CardReader) -> int:
    """The deck and who laid what into it. Returns how many cards of it were turned up in earlier tricks."""
    n = game.num_players
    old = [reader.card(c) for c in validation.items(validation.read(d, "forest_history"), "forest_history")]
    forest = validation.read(d, "forest")
    now = [] if forest is None else [reader.card(forest)]
    face_down = [reader.card(card) for card in validation.items(validation.read(d, "deck"), "deck")]
    if (forest is not None) != (s.phase == Phase.PLAY):
        raise ValueError(f"forest is {forest!r}; allowed is a card during play, None otherwise")
    given = validation.items(validation.read(d, "picks"), "picks", n)
    if s.phase == Phase.PICK:
        if old:  # while cards are picked there is no deck but the spare cards
            raise ValueError("forest_history has cards; while cards are picked, allowed is []")
        pick_reader = reader  # these cards are nowhere else
        spares = face_down
    else:
        pick_reader = CardReader(game.deck)
        s.deck[: s.max_tricks] = _checked_deck(s, [*old, *now, *face_down])
    for seat, cards in enumerate(given):
        for card in pick_reader.cards(cards, f"picks of seat {seat}", int(s.pick_size)):
            rules.add_to_picks(s, seat, card)
    if s.phase != Phase.PICK:
        spares = _cards_nobody_picked(game, s)
    if len(spares) != s.num_spares:
        raise ValueError(f"the deck has {len(spares)} cards that nobody picked; allowed are {s.num_spares}")
    if s.phase == Phase.PICK:
        s.deck[: s.num_spares] = sorted(spares)
    return len(old)


def _checked_deck(s: State, deck: list[int]) -> list[int]:
    if len(deck) != s.max_tricks:
        raise ValueError(
            f"forest_history, forest and deck have {len(deck)} cards; allowed are {s.max_tricks}"
        )
    return deck


def _cards_nobody_picked(game: Game, s: State) -> list[int]:
    """Of a whole deck; raises if cards were picked that aren't in it."""
    deck = s.deck[: s.max_tricks].tolist()
    seats = range(game.num_players)
    picked = [card for seat in seats for card in s.picks[seat, : s.num_picks[seat]].tolist()]
    for card in picked:
        if card not in deck:
            raise ValueError(f"picks have {game.deck.text(card)}, which isn't in the deck")
    return [card for card in deck if card not in picked]


def _read_leaders(s: State, d: Mapping[str, Any]) -> None:
    n = int(s.num_players)
    first, leader = validation.read(d, "round_leader"), validation.read(d, "leader")
    is_drawn = s.phase != Phase.PICK or s.round_number > 0
    if first is not None or is_drawn:
        s.round_leader = validation.seat(first, "round_leader", n)
    else:
        s.round_leader = NOBODY
    if not is_drawn and first is not None:
        raise ValueError(f"round_leader is {first!r}; before the first leader is drawn, allowed is None")
    if s.phase == Phase.OVER:
        if leader is not None:
            raise ValueError(f"leader is {leader!r}; when the game is over, allowed is None")
        s.leader = NOBODY
    else:
        s.leader = validation.seat(leader, "leader", n) if is_drawn or leader is not None else NOBODY
    if s.phase == Phase.PICK and s.leader != s.round_leader:
        raise ValueError(f"leader is {leader!r}; while cards are picked, allowed is {first!r}")


def _read_numbers(s: State, d: Mapping[str, Any]) -> None:
    """Tricks, the points of the round finished last, and scores."""
    n, finished = int(s.num_players), int(s.round_number) + (s.phase == Phase.OVER)
    least, most = int(s.least_round_points), int(s.most_round_points)
    for key, low, high in (
        ("tricks", 0, int(s.max_tricks)),
        ("round_points", least * min(1, finished), most * min(1, finished)),
        ("scores", least * finished, most * finished),
    ):
        for seat, value in enumerate(validation.items(validation.read(d, key), key, n)):
            s[key][seat] = validation.whole_number(value, f"{key} of seat {seat}", low, high)
    for seat in range(n):
        before = int(s.scores[seat] - s.round_points[seat])
        if not _can_be_score(s, before, max(0, finished - 1)):
            raise ValueError(
                f"seat {seat} has a score of {s.scores[seat]}, of it {s.round_points[seat]} points in the "
                f"round finished last; {max(0, finished - 1)} rounds before can't give the rest"
            )
    _check_round_points(s, finished)


def _can_be_score(s: State, score: int, num_rounds: int) -> bool:
    """Whether so many rounds can give a score, as far as bounds and its last digit tell."""
    num_odd = -score % 10  # rounds in which 169 points were made, or ten more
    return s.least_round_points * num_rounds <= score <= s.most_round_points * num_rounds and (
        num_odd == 0 or (num_odd <= num_rounds and s.max_tricks >= rules.EXACT_TRICKS[-1])
    )


def _check_round_points(s: State, finished: int) -> None:
    """That the points of the round finished last, if there is one, are those of a round."""
    n = int(s.num_players)
    points = s.round_points[:n].tolist()
    if finished == 0:
        return
    tricks_for = {int(rules.points_for(count)): count for count in range(s.max_tricks + 1)}
    if not set(points) <= set(tricks_for) or sum(tricks_for[p] for p in points) != s.max_tricks:
        raise ValueError(f"round_points is {points}; no round of {s.max_tricks} tricks gives that")
    if s.phase == Phase.OVER:
        expected = [int(rules.points_for(count)) for count in s.tricks[:n].tolist()]
        if points != expected:
            raise ValueError(f"round_points is {points}; by tricks it is {expected}")
    elif points[s.round_leader] != min(points):
        raise ValueError(f"round_leader is {s.round_leader}; it didn't score least in the round before")


def _check_picking(s: State, plays: list[Any]) -> None:
    """While cards are picked: the current player, by the numbers of picks, and that all else is untouched."""
    n = int(s.num_players)
    if plays or s.tricks.any():
        raise ValueError("trick, history and tricks must be empty, or zeros, while cards are picked")
    first = max(0, int(s.round_leader))
    order = [seat % n for seat in range(first, first + n)]
    numbers = [int(s.num_picks[seat]) for seat in order]
    unfinished = [place for place, number in enumerate(numbers) if number < s.pick_size]
    if not unfinished or any(numbers[unfinished[0] + 1 :]):
        raise ValueError(
            f"seats {order} have picked {numbers} cards; allowed are {s.pick_size} each, one seat after "
            "another, and not all"
        )
    s.current_player = order[unfinished[0]]
    for seat in range(n):
        if s.hand_sizes[seat] + s.num_picks[seat] != s.hand_size:
            raise ValueError(
                f"seat {seat} has {s.hand_sizes[seat]} cards in hand and {s.num_picks[seat]} picked; "
                f"allowed are {s.hand_size} together"
            )


def _read_trick(s: State, trick: list[Play]) -> None:
    """The current player, the current trick and how many tricks there were, by the hands' sizes."""
    n = int(s.num_players)
    seats = [seat for seat, _ in trick]
    if s.phase == Phase.OVER:
        s.current_player = NOBODY
        if trick:
            raise ValueError(f"trick is by seats {seats}; when the game is over, allowed is []")
    else:
        order = [seat % n for seat in range(s.leader, s.leader + n)]
        if len(seats) >= n or seats != order[: len(seats)]:
            raise ValueError(
                f"trick is by seats {seats}, leader {s.leader}; allowed are the first of {order}, not all"
            )
        s.current_player = order[len(seats)]
    finished = {int(s.max_tricks - s.hand_sizes[seat]) - seats.count(seat) for seat in range(n)}
    s.num_tricks = max(finished)
    is_end = s.num_tricks == s.max_tricks
    if len(finished) > 1 or s.num_tricks != s.tricks.sum() or is_end != (s.phase == Phase.OVER):
        sizes = s.hand_sizes[:n].tolist()
        raise ValueError(f"hands of {sizes} cards don't fit tricks {s.tricks[:n].tolist()}, trick and phase")
    s.cards_in_trick = len(trick)
    for seat, card in trick:
        s.played[s.num_tricks, seat] = card
    if s.phase != Phase.OVER:
        s.trick_leaders[s.num_tricks] = s.leader


def _fill_history(s: State, history: list[list[Play]]) -> None:
    """The last tricks of a past that isn't known any further."""
    n = int(s.num_players)
    if len(history) > s.num_tricks:
        raise ValueError(f"history has {len(history)} tricks; the hands' sizes allow {s.num_tricks}")
    for trick, plays in enumerate(history, int(s.num_tricks) - len(history)):
        if {seat for seat, _ in plays} != set(range(n)) or len(plays) != n:
            raise ValueError(f"a trick in history is by seats {[seat for seat, _ in plays]}; not one each")
        s.trick_leaders[trick] = plays[0][0]
        for seat, card in plays:
            s.played[trick, seat] = card


def _check_past(s: State) -> None:
    """That the leader can have won the trick before."""
    if s.phase == Phase.OVER:
        return
    if s.num_tricks == 0 and s.leader != s.round_leader:
        raise ValueError(f"leader is {s.leader}; of the first trick it is round_leader, {s.round_leader}")
    if s.num_tricks > 0 and s.tricks[s.leader] == 0:
        raise ValueError(f"leader is {s.leader}; it didn't win the trick before")


def _beginning(states: States, history: list[list[Play]], trick: list[Play]) -> States:
    """The position before the earliest trick that is given."""
    start = states.copy()
    s = start[0]
    first = int(s.num_tricks) - len(history)
    for number in range(first, s.num_tricks):
        s.num_tricks, s.leader = number, s.trick_leaders[number]
        winner = rules.winner_of_trick(s)
        s.tricks[winner] -= 1
        if s.tricks[winner] < 0:
            raise ValueError(f"by history seat {winner} has more tricks than {states[0].tricks[winner]}")
    if s.phase == Phase.OVER:
        s.phase = Phase.PLAY
        s.winners[:] = 0
        s.scores -= s.round_points
    plays = [play for trick in (*history, trick) for play in trick]
    s.leader = s.current_player = plays[0][0]
    s.num_tricks, s.cards_in_trick = first, 0
    s.played[first:] = NO_CARD
    s.trick_leaders[first:] = NOBODY
    s.trick_leaders[first] = s.leader
    for seat in range(s.num_players):
        held = [card for card in s.hands[seat].tolist() if card != NO_CARD]
        _fill_hand(s, seat, sorted(held + [card for who, card in plays if who == seat]))
    _check_past(s)
    return start
