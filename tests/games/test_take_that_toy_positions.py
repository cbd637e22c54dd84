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
    SEEDS,
    after,
    position,
    variants,
)
from tests.helpers import Change, both, put, reached_states
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


@variants
@given(seed=SEEDS)
def test_part_of_the_past_is_enough_and_is_checked(game: Game, seed: int) -> None:
    for state in reached_states(game, 6, seed):
        d = game.to_dict(state)
        for known in range(len(d["history"]) + 1):
            part = {**d, "history": d["history"][known:]}
            assert game.to_dict(game.from_dict(part)) == part
