"""Take That Toy!: positions as data: refused when they can't be, and what they may leave out."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given

from tests.games import take_that_toy_reference as reference
from tests.games.take_that_toy_positions import (
    EARLIER_FIVE,
    GAMES,
    NAME,
    SEEDS,
    after,
    burst_of,
    position,
    variants,
)
from tests.helpers import Change, both, put, reached_states
from trick_envs import make_game
from trick_envs.core.game import Game

MIDDLE = after(
    GAMES[3],
    position(["A8 A2 B8 E5", "A1 A3 B1 E1", "A4 A5 B2 E4"]),
    "A8 A1 A4 A2 A3 A5 B2 B8",
)
"""Seats 0 and 2 have a trick, seat 2 leads the third, seat 1 is to move."""

START = position(["", "", ""])

FOUR_LAID_OUT = position(["", "", ""], ["A1 A2 A3 B1 B2 B3", "", ""])

LATE = after(
    GAMES[3],
    position(["A2 B8", "E4 B1", "B6 D4"], ["A3 A5 A6 B2 C2 D2", "", ""]),
    "A2 E4 B6 B8",
)
"""Seat 0 has burst with A2 A3 A5 A6 and leads B8; only the trick before is known."""

OVER = after(
    GAMES[3],
    position(["E5", "B3 E3", "E2 E1"], ["A3 B2 B5 C2 D2 D3 D4", "", ""], [EARLIER_FIVE]),
    "E5 B3 E2",
)


def swap(first: str, second: str, *keys: str) -> Change:
    """A change that swaps two cards wherever they are, or below some keys only."""

    def change(d: dict[str, Any]) -> None:
        text = json.dumps({key: d[key] for key in keys or d})
        text = text.replace(f'"{first}"', '"-"').replace(f'"{second}"', f'"{first}"')
        d.update(json.loads(text.replace('"-"', f'"{second}"')))

    return change


NO_PAST: Change = lambda d: d.pop("history")  # noqa: E731, a change among others

IMPOSSIBLE = [
    ("a card twice in a hand", MIDDLE, put("hands", 0, 1, "B8"), "B8 is there twice"),
    ("a card in a hand and a display", MIDDLE, put("hands", 0, 1, "A8"), "A8 is there twice"),
    ("a card in a hand and the trick", MIDDLE, put("hands", 0, 1, "B2"), "B2 is there twice"),
    ("the trump card in a hand", MIDDLE, put("hands", 0, 1, "C6"), "C6 is there twice"),
    ("a left-over card in a hand", LATE, lambda d: put("hands", 0, 0, d["left_over"][0])(d), "there twice"),
    ("a discarded card in a hand", LATE, lambda d: put("hands", 0, 0, d["discarded"][0])(d), "there twice"),
    ("a card of no suit", MIDDLE, put("hands", 0, 1, "F3"), "unknown card 'F3'"),
    ("a card below the lowest", MIDDLE, put("hands", 0, 1, "A0"), "unknown card 'A0'"),
    ("a card above the highest", MIDDLE, put("hands", 0, 1, "A9"), "unknown card 'A9'"),
    ("a number for a card", MIDDLE, put("hands", 0, 1, 5), "unknown card 5"),
    ("a hand too small", MIDDLE, lambda d: d["hands"][0].pop(), "39 cards; allowed are all 40"),
    (
        "a hand too large",
        MIDDLE,
        lambda d: d["hands"][0].append(d["left_over"].pop()),
        "39|hands of .* don't fit|40",
    ),
    (
        "hands of sizes that don't fit",
        MIDDLE,
        lambda d: d["hands"][0].append(d["hands"][1].pop()),
        "don't fit",
    ),
    ("11 cards", MIDDLE, put("hands", 0, reference.DECK[:11]), "has 11 cards; allowed are at most 10"),
    ("two hands", MIDDLE, lambda d: d["hands"].pop(), "hands has 2 entries; allowed are 3"),
    ("hands as text", MIDDLE, put("hands", "A1"), "hands is 'A1'; allowed is a list"),
    ("no trump card", MIDDLE, put("trump_card", None), "unknown card None"),
    ("another trump", MIDDLE, put("trump", "A"), "trump is 'A'; by the trump card it is 'C'"),
    ("a trump of no suit", MIDDLE, put("trump", "Z"), "trump is 'Z'; allowed are 'A'"),
    ("another round", MIDDLE, put("round", 1), "round is 1; allowed are whole numbers from 0 to 0"),
    ("another mover", MIDDLE, put("mover", 0), "mover is 0; in this position it is 1"),
    ("no mover", MIDDLE, put("mover", None), "mover is None; in this position it is 1"),
    ("another leader", MIDDLE, put("leader", 0), r"trick is by seats \[2, 0\], leader 0"),
    ("no leader", MIDDLE, put("leader", None), "leader is None; allowed are whole numbers from 0 to 2"),
    ("true for a leader", MIDDLE, put("leader", True), "leader is True; allowed are whole numbers"),
    ("a trick by one seat twice", MIDDLE, put("trick", 1, 0, 2), r"trick is by seats \[2, 2\]"),
    ("a play of three", MIDDLE, lambda d: d["trick"][1].append(0), "trick has 3 entries; allowed are 2"),
    ("a trick that is no list", MIDDLE, put("trick", None), "trick is None; allowed is a list"),
    ("a score too high", MIDDLE, put("scores", 0, 4), "the score of seat 0 is 4; its display has"),
    ("a score beyond five", MIDDLE, put("scores", 0, 6), "the score of seat 0 is 6; allowed are"),
    ("scores too short", MIDDLE, lambda d: d["scores"].pop(), "scores has 2 entries; allowed are 3"),
    ("a winner too early", MIDDLE, put("winners", [0]), r"winners is \[0\]; in this position it is \[\]"),
    ("a card in another display", MIDDLE, lambda d: d["display"][1].append(d["display"][0].pop()), "score"),
    (
        "a card from a display left over",
        MIDDLE,
        lambda d: d["left_over"].append(d["display"][0].pop()),
        "has",
    ),
    ("history by other seats", MIDDLE, put("history", 0, 0, 0, 1), "clockwise"),
    ("history without a play", MIDDLE, lambda d: d["history"][0].pop(), "2 entries; allowed are 3"),
    ("history with the tricks swapped", MIDDLE, lambda d: d["history"].reverse(), "history|display"),
    ("history of other cards", MIDDLE, swap("A3", "E5", "history"), "by history seat"),
    ("too much history", MIDDLE, lambda d: d["history"].append(d["history"][0]), "history has 3 tricks"),
    ("history as text", MIDDLE, put("history", "A1"), "history is 'A1'; allowed is a list"),
    ("no burst of all that was discarded", LATE, put("bursts", []), "discarded is|don't fit"),
    ("a burst of three", LATE, lambda d: d["bursts"][0]["cards"].pop(0), "can't be; allowed are at least 4"),
    ("a burst of two suits", LATE, put("bursts", 0, "cards", 0, "B1"), "can't be; allowed are at least 4"),
    ("a burst of the same card", LATE, put("bursts", 0, "cards", 0, "A3"), "A3 is there twice"),
    ("a burst of another seat", LATE, put("bursts", 0, "seat", 1), "dealt is"),
    ("a burst of a seat beyond the table", LATE, put("bursts", 0, "seat", 3), "the seat of a burst is 3"),
    ("a burst as a list", LATE, put("bursts", 0, []), r"a burst is \[\]; allowed is a dict"),
    ("a burst without its cards", LATE, lambda d: d["bursts"][0].pop("cards"), "has no 'cards'"),
    ("a burst dealt to one", LATE, lambda d: d["bursts"][0]["dealt"].pop("1"), "dealt is"),
    ("a burst dealt to its own seat", LATE, put("bursts", 0, "dealt", "0", "A2"), "dealt is"),
    (
        "a dealt card that isn't in the burst",
        LATE,
        put("bursts", 0, "dealt", "1", "A8"),
        "isn't in the burst",
    ),
    (
        "a dealt card that another seat holds",
        LATE,
        lambda d: swap(d["bursts"][0]["dealt"]["1"], d["bursts"][0]["dealt"]["2"], "hands")(d),
        "was dealt to seat",
    ),
    (
        "a dealt card that was discarded",
        LATE,
        lambda d: swap(d["bursts"][0]["dealt"]["1"], d["discarded"][0], "hands", "discarded")(d),
        "by bursts",
    ),
    (
        "a card of a burst left over",
        LATE,
        lambda d: swap(d["left_over"][0], d["discarded"][0], "left_over", "discarded")(d),
        "left_over is",
    ),
    (
        "four of a suit laid out",
        FOUR_LAID_OUT,
        swap("B1", "A4"),
        "4 cards of a suit; allowed are 3",
    ),
    ("a past without the burst", LATE, lambda d: d["history"][0].reverse(), "clockwise"),
    (
        "a burst that the past doesn't show",
        LATE,
        swap("A2", "B1", "hands", "trick", "history"),
        "twice|history",
    ),
    ("over with a leader", OVER, put("leader", 0), "leader must be None"),
    (
        "over with another winner",
        OVER,
        put("winners", [1]),
        r"winners is \[1\]; in this position it is \[0\]",
    ),
    (
        "over without a reason",
        MIDDLE,
        both(put("phase", "over"), put("leader", None), put("trick", [])),
        "cards",
    ),
    (
        "over with cards in all hands and no five suits",
        START,
        both(put("phase", "over"), put("leader", None), put("mover", None)),
        "no display has all suits, and no hand is empty",
    ),
    (
        "play on with five suits",
        OVER,
        both(put("phase", "play"), put("leader", 0), put("mover", 0), put("winners", [])),
        "phase is 'play', but a display has all suits",
    ),
]


@pytest.mark.parametrize(
    ("start", "change", "message"), [case[1:] for case in IMPOSSIBLE], ids=[case[0] for case in IMPOSSIBLE]
)
def test_an_impossible_position_is_refused(start: dict[str, Any], change: Change, message: str) -> None:
    assert GAMES[3].to_dict(GAMES[3].from_dict(start))["hands"] == start["hands"]
    d = copy.deepcopy(start)
    change(d)
    with pytest.raises(ValueError, match=message) as error:
        GAMES[3].from_dict(d)
    assert "\n" not in str(error.value)


SEPARATELY = make_game(NAME, 5, several_bursts="separately")
LAST_CARD_ENDS = make_game(NAME, 3, hand_size=4, last_card_ends=True)
LAST_CARD_DOES_NOT_END = make_game(NAME, 3, hand_size=4)
ROUNDS = make_game(NAME, 3, num_rounds=3)

TWO_AT_ONCE = after(
    SEPARATELY,
    position(
        ["A2 D5", "B4 D6", "C1", "D1 D3", "A5 D4"],
        ["", "", "A1 A3 A4 B1 B2 B3", "", ""],
        [burst_of(2, "D3 D4 D5 D6", to_3="D3", to_4="D4", to_0="D5", to_1="D6")],
    ),
    "A2 B4 C1 D1 A5",
)
"""Seat 2 has burst with A and B in the latest trick, and D before."""

FIVE_BURSTS = position(
    ["A1", "A2", "A3", "A4", ""],
    None,
    [
        burst_of(seat, "A1 A2 A3 A4", **{f"to_{(seat + i) % 5}": f"A{i}" for i in range(1, 5)})
        for seat in range(5)
    ],
)
"""Nothing is left of twenty cards that were won: by four tricks, which can't bring five bursts of A."""

LAST_CARD = position(
    ["A8 E2", "A1", "E1"],
    ["A3 A4 A5", "B1 B2", ""],
    [burst_of(1, "E1 E2 E3 E4", to_2="E1", to_0="E2")],
    hand_size=4,
)
REFILLED = after(LAST_CARD_DOES_NOT_END, LAST_CARD, "A8 A1 E1")
"""Seat 1 has played its last card, and the burst of seat 0 has dealt it another one."""

ENDED = after(LAST_CARD_ENDS, LAST_CARD, "A8 A1 E1")
"""The same, where that is the end."""

PLAYED_SINCE = after(
    make_game(NAME, 3, hand_size=5),
    position(
        ["A8 E2 D1", "A1 D2", "E1 D3 D4"],
        ["A3 A4 A5", "B1 B2", ""],
        [burst_of(1, "E1 E2 E3 E4", to_2="E1", to_0="E2")],
        hand_size=5,
    ),
    "A8 A1 E1",
)
"""Seat 0 has burst; seat 1 has D2 and what it got."""

THIRD_ROUND = after(ROUNDS, {**position(["A8", "A1", "B1"]), "round": 2, "scores": [0, 2, 1]}, "A8 A1 B1")

OVER_BY_ROUNDS = after(
    ROUNDS,
    {
        **position(["E5", "B3 E3", "E2 E1"], ["A3 B2 B5 C2 D2 D3 D4", "", ""], [EARLIER_FIVE]),
        "round": 2,
        "scores": [0, 2, 1],
    },
    "E5 B3 E2",
)
"""Seat 0 has won the third round, seat 1 the game."""

AS_IT_IS: Change = lambda d: None  # noqa: E731, a change among others


def undo_trick(d: dict[str, Any]) -> None:
    """Gives the cards of the current trick back."""
    for seat, card in d["trick"]:
        d["hands"][seat].append(card)
    d["trick"] = []


IMPOSSIBLE_WITH_OPTIONS = [
    (
        "two suits in a burst",
        SEPARATELY,
        TWO_AT_ONCE,
        put("bursts", 1, "cards", ["A1", "A2", "A3", "A4", "B1", "B2", "B3", "B4"]),
        "can't be; allowed are at least 4 cards of one suit",
    ),
    (
        "bursts of one trick in another order than given",
        SEPARATELY,
        TWO_AT_ONCE,
        lambda d: d["bursts"].append(d["bursts"].pop(1)),
        "had another burst than given",
    ),
    (
        "a burst of another trick",
        SEPARATELY,
        TWO_AT_ONCE,
        lambda d: d["bursts"].append(d["bursts"].pop(0)),
        "had another burst than given|can't have played|by history",
    ),
    (
        "too many bursts",
        SEPARATELY,
        TWO_AT_ONCE,
        lambda d: put("bursts", 33 * d["bursts"][:1])(d),
        "at most 32",
    ),
    ("more bursts than tricks", SEPARATELY, FIVE_BURSTS, AS_IT_IS, "don't fit 5 bursts"),
    ("a hand too large", SEPARATELY, TWO_AT_ONCE, put("hands", 0, reference.DECK[:13]), "at most 12"),
    (
        "play on after a burst that refilled a hand",
        LAST_CARD_ENDS,
        REFILLED,
        AS_IT_IS,
        "phase is 'play'; by history and trick it is 'over'",
    ),
    (
        "over after a burst that refilled no hand",
        make_game(NAME, 3, last_card_ends=True),
        LATE,
        both(NO_PAST, put("phase", "over"), put("leader", None), put("mover", None), undo_trick),
        "no display has all suits, and no hand is empty",
    ),
    (
        "over though all have played since the burst that may have refilled a hand",
        make_game(NAME, 3, hand_size=5, last_card_ends=True),
        after(
            make_game(NAME, 3, hand_size=5), PLAYED_SINCE, f"D1 D2 {PLAYED_SINCE['bursts'][1]['dealt']['2']}"
        ),
        both(NO_PAST, put("phase", "over"), put("leader", None), put("mover", None)),
        "no display has all suits, and no hand is empty",
    ),
    (
        "over when a burst has refilled the hand, by the other setting",
        LAST_CARD_DOES_NOT_END,
        ENDED,
        NO_PAST,
        "no display has all suits, and no hand is empty",
    ),
    (
        "a round too many",
        ROUNDS,
        THIRD_ROUND,
        put("round", 3),
        "round is 3; allowed are whole numbers from 0 to 2",
    ),
    (
        "too many rounds won",
        ROUNDS,
        THIRD_ROUND,
        put("scores", [0, 3, 0]),
        r"scores are \[0, 3, 0\]; allowed is",
    ),
    ("a round without a winner", ROUNDS, THIRD_ROUND, put("scores", [0, 1, 0]), r"scores are \[0, 1, 0\]"),
    (
        "a score beyond the rounds",
        ROUNDS,
        THIRD_ROUND,
        put("scores", 0, 4),
        "the score of seat 0 is 4; allowed",
    ),
    ("over before the last round", ROUNDS, OVER_BY_ROUNDS, put("round", 1), "phase is 'over' in round 1"),
    (
        "the last round's winner without its point",
        ROUNDS,
        OVER_BY_ROUNDS,
        put("scores", [0, 2, 1]),
        r"scores are \[0, 2, 1\]",
    ),
    (
        "the last round's winner as the winner",
        ROUNDS,
        OVER_BY_ROUNDS,
        put("winners", [0]),
        r"winners is \[0\]; in this position it is \[1\]",
    ),
]


@pytest.mark.parametrize(
    ("game", "start", "change", "message"),
    [case[1:] for case in IMPOSSIBLE_WITH_OPTIONS],
    ids=[case[0] for case in IMPOSSIBLE_WITH_OPTIONS],
)
def test_a_position_that_is_impossible_with_other_options_is_refused(
    game: Game, start: dict[str, Any], change: Change, message: str
) -> None:
    d = copy.deepcopy(start)
    change(d)
    with pytest.raises(ValueError, match=message) as error:
        game.from_dict(d)
    assert "\n" not in str(error.value)


@variants
@given(seed=SEEDS)
def test_part_of_the_past_is_enough_and_is_checked(game: Game, seed: int) -> None:
    for state in reached_states(game, 6, seed):
        d = game.to_dict(state)
        for known in range(len(d["history"]) + 1):
            part = {**d, "history": d["history"][known:]}
            assert game.to_dict(game.from_dict(part)) == part
