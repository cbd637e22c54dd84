"""Gummi Trick positions to and from plain Python."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from trick_envs.core import validation
from trick_envs.core.cards import NO_CARD, Deck, rank_of
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import State
from trick_envs.core.positions import CardReader, known_tricks, seat_or_none, seats_in_order, voids
from trick_envs.games.gummi_trick import rules
from trick_envs.games.gummi_trick.rules import Phase

FACE_DOWN = "facedown"
SOURCES = ("hand", FACE_DOWN)
"""Where a card was played from; its index in it is the record's `turned_up`."""


class Play(NamedTuple):
    """A card that a seat played."""

    seat: int
    card: int
    turned_up: bool


class Given(NamedTuple):
    """What a dict says: the cards by number, the others as they stand in it."""

    hands: list[list[int]]
    face_down: list[list[int]]
    trick: list[Play]
    history: list[list[Play]]
    face_up: list[list[str]]
    taken: list[int]
    scores: list[int]
    leader: int | None


def write_dict(game: Game, s: State, d: dict[str, Any]) -> None:
    """Adds all keys that aren't the same in every game."""
    deck, n = game.deck, game.num_players
    known = known_tricks(s)
    d.update(
        leader=seat_or_none(s.leader),
        hands=[deck.texts(s.hands[seat, : s.hand_sizes[seat]]) for seat in range(n)],
        trick=_plays(s, deck, int(s.num_tricks)),
        history=[_plays(s, deck, trick) for trick in known],
        face_down=[_in_order(deck, s.face_down[seat, : s.face_down_left[seat]]) for seat in range(n)],
        colour_order=[deck.suits[suit] for suit in s.colour_order[: s.num_colours]],
        face_up=[_in_order(deck, s.face_up[seat, : s.num_face_up[seat]]) for seat in range(n)],
        taken=s.taken[:n].tolist(),
        known_voids=[deck.suit_letters(s.known_voids[seat, : s.num_suits]) for seat in range(n)],
    )


def _in_order(deck: Deck, cards: Any) -> list[str]:
    return [deck.text(card) for card in cards]


def _plays(s: State, deck: Deck, trick: int) -> list[list[Any]]:
    """A trick's plays in their order."""
    played, turned_up = s.played[trick], s.turned_up[trick]
    return [[seat, deck.text(played[seat]), SOURCES[turned_up[seat]]] for seat in seats_in_order(s, trick)]


def read_dict(game: Game, states: States, d: Mapping[str, Any]) -> None:
    """Fills a blank state (1,).

    The part of the game whose tricks are given is played again from its beginning and must come out as given.
    Of what was before, everything is checked that doesn't need the tricks.
    """
    s = states[0]
    rules.clear_table(s)
    validation.whole_number(validation.read(d, "round"), "round", 0, 0)
    phase = int(s.phase)
    reader = CardReader(game.deck)
    given = _read(s, d, reader)
    _set_up_beginning(game, s, given, reader, is_over=phase == Phase.OVER)
    num_known = len(given.history)
    is_all_known = s.num_tricks == 0
    _replay(game, states, [play for plays in (*given.history, given.trick) for play in plays])
    _compare(game, states, d, given, num_known, phase)
    # A card that was turned up says nothing of the hand.
    turned_up = {int(card) for card in s.played[s.turned_up != 0]}
    voids(s, d, game.deck.suits, is_all_known, exempt=turned_up)


def _read(s: State, d: Mapping[str, Any], reader: CardReader) -> Given:
    """All that is there, each entry checked for itself."""
    n = int(s.num_players)

    def by_seat(key: str) -> list[Any]:
        return validation.items(validation.read(d, key), key, n)

    def numbers(key: str, high: int) -> list[int]:
        return [
            validation.whole_number(value, f"{key} of seat {seat}", 0, high)
            for seat, value in enumerate(by_seat(key))
        ]

    hands = [
        reader.cards(hand, f"the hand of seat {seat}", int(s.hand_size))
        for seat, hand in enumerate(by_seat("hands"))
    ]
    face_down = [
        _cards_in_order(reader, cards, f"face_down of seat {seat}", int(s.num_face_down))
        for seat, cards in enumerate(by_seat("face_down"))
    ]
    trick = [
        _play(reader, play, "trick", n) for play in validation.items(validation.read(d, "trick"), "trick")
    ]
    history = [
        [_play(reader, play, "history", n) for play in validation.items(plays, "a trick in history")]
        for plays in validation.items(validation.given(d, "history", []), "history")
    ]
    face_up = [
        validation.items(cards, f"face_up of seat {seat}") for seat, cards in enumerate(by_seat("face_up"))
    ]
    leader = validation.read(d, "leader")
    if s.phase != Phase.OVER:
        validation.seat(leader, "leader", n)
    elif leader is not None or trick:
        raise ValueError("when the game is over, leader must be None and trick empty")
    taken, scores = numbers("taken", int(s.max_tricks) * (n - 1)), numbers("scores", int(s.max_score))
    return Given(hands, face_down, trick, history, face_up, taken, scores, leader)


def _cards_in_order(reader: CardReader, value: Any, what: str, most: int) -> list[int]:
    texts = validation.items(value, what)
    if len(texts) > most:
        raise ValueError(f"{what} has {len(texts)} cards; allowed are at most {most}")
    return [reader.card(text) for text in texts]


def _play(reader: CardReader, value: Any, what: str, num_players: int) -> Play:
    who, text, source = validation.items(value, what, 3)
    seat = validation.seat(who, f"the seat in {what}", num_players)
    card = reader.card(text)
    return Play(seat, card, validation.choice(source, f"the source of {text}", SOURCES) == "facedown")


def _set_up_beginning(game: Game, s: State, given: Given, reader: CardReader, is_over: bool) -> None:
    """The position before the earliest trick that is given."""
    _set_up_cards(s, given)
    s.num_tricks = _num_tricks(s, given, is_over) - len(given.history)
    if s.num_tricks < 0:
        raise ValueError(f"history has {len(given.history)} tricks; the hands' sizes allow fewer")
    _set_up_won(game, s, given, reader)
    if is_over and not given.history:
        rules.finish_game(s)
        return
    s.phase = Phase.PLAY
    s.leader = given.history[0][0].seat if given.history else given.leader
    s.current_player = s.leader
    s.trick_leaders[s.num_tricks] = s.leader
    if s.num_tricks > 0 and s.num_face_up[s.leader] == 0:
        raise ValueError(f"seat {s.leader} led after {s.num_tricks} tricks; allowed is a seat that won one")


def _set_up_cards(s: State, given: Given) -> None:
    """The hands and the face-down cards as they were before all plays that are given."""
    plays = [play for plays in (*given.history, given.trick) for play in plays]
    for seat in range(s.num_players):
        held = given.hands[seat] + [card for who, card, up in plays if who == seat and not up]
        covered = [card for who, card, up in plays if who == seat and up] + given.face_down[seat]
        for cards, most, where in ((held, s.hand_size, "hand"), (covered, s.num_face_down, "face_down")):
            if len(cards) > most:
                raise ValueError(
                    f"seat {seat} has {len(cards)} cards in {where} and played from there; allowed are {most}"
                )
        s.hands[seat, : len(held)] = sorted(held)
        s.hand_sizes[seat] = len(held)
        s.face_down[seat, : len(covered)] = covered
        s.face_down_left[seat] = len(covered)


def _num_tricks(s: State, given: Given, is_over: bool) -> int:
    """How many tricks are finished, by the number of cards that the seats have left."""
    n = int(s.num_players)
    left = [len(given.hands[seat]) + len(given.face_down[seat]) for seat in range(n)]
    in_trick = [play.seat for play in given.trick]
    before = {left[seat] + (seat in in_trick) for seat in range(n)}
    count = int(s.max_tricks) - min(before)
    if len(before) > 1 or count < 0 or (count == s.max_tricks) != is_over:
        raise ValueError(
            f"the seats have {left} cards in hand and face down; allowed are equally many, one less in whom "
            "the trick has a card of, and none exactly when the game is over"
        )
    if len(in_trick) >= n:
        raise ValueError(f"trick is by seats {in_trick}; allowed are fewer than {n}")
    return count


def _set_up_won(game: Game, s: State, given: Given, reader: CardReader) -> None:
    """What each seat had won before the tricks that are given."""
    n = int(s.num_players)
    won, taken = _won_in(s, given.history)
    for seat in range(n):
        texts, ending = given.face_up[seat], [game.deck.text(card) for card in won[seat]]
        start = len(texts) - len(ending)
        if start < 0 or texts[start:] != ending:
            raise ValueError(f"face_up of seat {seat} is {texts!r}; by history it ends with {ending!r}")
        cards = _cards_in_order(reader, texts[:start], f"face_up of seat {seat}", int(s.num_tricks))
        s.face_up[seat, : len(cards)] = cards
        s.num_face_up[seat] = len(cards)
        s.taken[seat] = given.taken[seat] - taken[seat]
        points = sum(int(s.points[rank_of(s, card)]) for card in cards)
        s.scores[seat] = points + s.taken[seat]
        total = int(s.scores[seat]) + taken[seat]
        total += sum(int(s.points[rank_of(s, card)]) for card in won[seat])
        if given.scores[seat] != total:
            raise ValueError(
                f"scores of seat {seat} is {given.scores[seat]}; by face_up and taken it is {total}"
            )
    _check_won(s, given)


def _won_in(s: State, history: list[list[Play]]) -> tuple[list[list[int]], list[int]]:
    """The cards with which each seat wins in these tricks, and how many others it takes."""
    n = int(s.num_players)
    won: list[list[int]] = [[] for _ in range(n)]
    taken = [0] * n
    for plays in history:
        if sorted(play.seat for play in plays) != list(range(n)):
            seats = [play.seat for play in plays]
            raise ValueError(f"a trick in history is by seats {seats}; allowed is each seat once")
        for seat, card, _ in plays:
            s.played[s.num_tricks, seat] = card
        for seat in range(n):
            count = rules.cards_won_by(s, seat)
            if count > 0:
                won[seat].append(int(s.played[s.num_tricks, seat]))
                taken[seat] += count - 1
    s.played[s.num_tricks] = NO_CARD
    return won, taken


def _check_won(s: State, given: Given) -> None:
    """That tricks can have given what was won before those that are known."""
    n, num_tricks = int(s.num_players), int(s.num_tricks)
    face_up, taken = s.num_face_up[:n].tolist(), s.taken[:n].tolist()
    if sum(face_up) < num_tricks or sum(face_up) + sum(taken) != n * num_tricks:
        raise ValueError(
            f"after {num_tricks} tricks, face_up has {face_up} cards and taken is {taken}; allowed are "
            f"{n * num_tricks} together, at least one of each trick face up"
        )
    known = {card for cards in (*given.hands, *given.face_down) for card in cards}
    known |= {play.card for plays in (*given.history, given.trick) for play in plays}
    known |= {int(card) for card in s.face_up[:n].ravel()}
    for seat in range(n):
        most = 0
        for card in s.face_up[seat, : s.num_face_up[seat]].tolist():
            lower = set(range(card - rank_of(s, card), card)) - known
            most += min(n - 1, len(lower))
        if not 0 <= s.taken[seat] <= most:
            raise ValueError(
                f"taken of seat {seat} is {given.taken[seat]}; that doesn't fit the cards played"
            )


def _replay(game: Game, states: States, plays: list[Play]) -> None:
    """Plays on; raises where that is against the rules."""
    for seat, card, turned_up in plays:
        s = states[0]
        action = int(s.num_cards) if turned_up else card
        if s.current_player != seat or not game.action_masks(states)[0, action]:
            raise ValueError(f"history or trick: seat {seat} can't have played {game.deck.text(card)}")
        game.step(states, [action])


def _compare(
    game: Game, states: States, d: Mapping[str, Any], given: Given, num_known: int, phase: int
) -> None:
    """Raises where the position has come out otherwise than given."""
    s = states[0]
    order = [
        game.deck.suits[game.deck.suit(letter)]
        for letter in validation.items(validation.read(d, "colour_order"), "colour_order")
    ]
    replayed = game.to_dict(states)
    for key, value in (("leader", given.leader), ("colour_order", order), ("taken", given.taken)):
        if value != replayed[key]:
            raise ValueError(f"{key} is {value!r}; in this position it is {replayed[key]!r}")
    if s.phase != phase:
        raise ValueError(f"phase is {d['phase']!r}; in this position it is {replayed['phase']!r}")
