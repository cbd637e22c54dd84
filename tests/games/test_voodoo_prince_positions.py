"""Voodoo Prince: positions as data: refused when they can't be, and what they may leave out."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given

from tests.games.voodoo_prince_positions import (
    COUNTS_1_0_2_2,
    GAME,
    NAME,
    SEEDS,
    SIX_FOUR,
    after,
    filled,
    position,
    variants,
)
from tests.helpers import Change, both, put, reached_states
from trick_envs import make_game
from trick_envs.core.game import Game

START = position(
    [
        "B1 B2 B3 G1 G2 R1 R2 Y0 Y1 Y2 P1 P2 P3",
        "B4 B5 B6 G3 G4 R3 R4 Y3 Y4 Y12 P4 P5 P6",
        "B7 B8 B9 B10 G5 G6 G7 R5 R6 R7 P7 P8 P9",
        "B11 B12 G8 G9 G10 R8 R9 R10 Y5 Y6 Y7 Y9 P10",
    ],
)
MIDDLE = after(GAME, START, "Y1 Y12 P7 Y9  P4 P8 P10 P1  R8 R1")
"""Seats 1 and 3 have a trick, seat 2 is void in Y, seat 3 leads the third trick, seat 1 is to move."""

LATE = after(GAME, COUNTS_1_0_2_2, "P12 P1 P2 P3")
"""Seat 2 has just left; only that trick is known."""

OVER_GAME = make_game(NAME, 4, num_rounds=1)
OVER = after(OVER_GAME, COUNTS_1_0_2_2, "P12 P1 P2 P3 G1 G12 G2 R12 R1 R2 Y1 Y12")

NAMING = position(
    filled([""] * 4, 13), phase="name_trump", trump=None, round=1, leader=2, scores=[5, 3, 4, 2]
)


def swap(first: str, second: str) -> Change:
    """A change that swaps two cards wherever they are."""

    def change(d: dict[str, Any]) -> None:
        text = json.dumps({key: d[key] for key in ("hands", "trick", "history")})
        text = text.replace(f'"{first}"', '"-"').replace(f'"{second}"', f'"{first}"')
        d.update(json.loads(text.replace('"-"', f'"{second}"')))

    return change


def forget(*keys: str) -> Change:
    """A change that leaves keys out."""
    return lambda d: [d.pop(key) for key in keys]


NO_PAST = forget("history", "known_voids")
LAST_TRICK_ONLY = both(lambda d: d["history"].pop(0), forget("known_voids"))

IMPOSSIBLE = [
    ("a card twice in a hand", MIDDLE, put("hands", 0, 1, "B1"), "B1 is there twice"),
    ("a card in two hands", MIDDLE, put("hands", 0, 1, "B4"), "B4 is there twice"),
    ("a card in a hand and in the trick", MIDDLE, put("hands", 0, 1, "R8"), "R8 is there twice"),
    ("a card in a hand and in history", MIDDLE, put("hands", 0, 1, "Y12"), "Y12 is there twice"),
    ("a card twice in the trick", MIDDLE, put("trick", 1, 1, "R8"), "R8 is there twice"),
    ("a card of no suit", MIDDLE, put("hands", 0, 1, "Z3"), "unknown card 'Z3'"),
    ("a card above the top", MIDDLE, put("hands", 0, 1, "B13"), "unknown card 'B13'"),
    ("a card with a leading 0", MIDDLE, put("hands", 0, 1, "B01"), "unknown card 'B01'"),
    ("a card in small letters", MIDDLE, put("hands", 0, 1, "b2"), "unknown card 'b2'"),
    ("a card with a space", MIDDLE, put("hands", 0, 1, "B2 "), "unknown card 'B2 '"),
    (
        "a card with another script's digit",
        MIDDLE,
        put("hands", 0, 1, "B²"),
        "unknown card",
    ),
    ("a card with arabic digits", MIDDLE, put("hands", 0, 1, "B٢"), "unknown card"),
    ("a number for a card", MIDDLE, put("hands", 0, 1, 5), "unknown card 5"),
    ("nothing for a card", MIDDLE, put("hands", 0, 1, None), "unknown card None"),
    ("a list for a card", MIDDLE, put("hands", 0, 1, ["B2"]), r"unknown card \['B2'\]"),
    ("a trump action for a card", MIDDLE, put("trick", 1, 1, "trump B"), "unknown card 'trump B'"),
    ("a card too few", MIDDLE, lambda d: d["hands"][0].pop(), r"hands of \[9, 11, 11, 10\] cards"),
    (
        "a card too many",
        MIDDLE,
        lambda d: d["hands"][0].append("Y8"),
        r"hands of \[11, 11, 11, 10\] cards",
    ),
    (
        "all hands too small",
        MIDDLE,
        lambda d: [h.pop() for h in d["hands"]],
        "cards don't fit tricks",
    ),
    (
        "14 cards",
        START,
        lambda d: d["hands"][0].append("Y8"),
        "seat 0 has 14 cards; allowed are at most 13",
    ),
    ("three hands", MIDDLE, lambda d: d["hands"].pop(), "hands has 3 entries; allowed are 4"),
    ("five hands", MIDDLE, lambda d: d["hands"].append([]), "hands has 5 entries; allowed are 4"),
    ("no hands", MIDDLE, put("hands", None), "hands is None; allowed is a list"),
    (
        "hands by seat",
        MIDDLE,
        put("hands", {0: [], 1: [], 2: [], 3: []}),
        "hands is {.*}; allowed is a list",
    ),
    (
        "a hand as text",
        MIDDLE,
        put("hands", 0, "B1 B2"),
        "the hand of seat 0 is 'B1 B2'; allowed is a list",
    ),
    (
        "out without the goal",
        MIDDLE,
        put("out", 0, True),
        "out of seat 0 is True; with 0 tricks it is False",
    ),
    (
        "in with the goal",
        LATE,
        put("out", 2, False),
        "out of seat 2 is False; with 3 tricks it is True",
    ),
    ("out as a number", MIDDLE, put("out", 0, 0), "out of seat 0 is 0; with 0 tricks it is False"),
    (
        "out as nothing",
        MIDDLE,
        put("out", 0, None),
        "out of seat 0 is None; with 0 tricks it is False",
    ),
    ("out too short", MIDDLE, put("out", [False] * 3), "out has 3 entries; allowed are 4"),
    ("another mover", MIDDLE, put("mover", 2), "mover is 2; in this position it is 1"),
    ("no mover", MIDDLE, put("mover", None), "mover is None; in this position it is 1"),
    (
        "true for mover 1",
        MIDDLE,
        put("mover", True),
        "mover is True; allowed are whole numbers from 0 to 3",
    ),
    ("a float mover", MIDDLE, put("mover", 1.0), "mover is 1.0; allowed are whole numbers"),
    (
        "a mover beyond the table",
        MIDDLE,
        put("mover", 4),
        "mover is 4; allowed are whole numbers from 0 to 3",
    ),
    ("another leader", MIDDLE, put("leader", 0), r"trick is by seats \[3, 0\], leader 0"),
    (
        "no leader",
        MIDDLE,
        put("leader", None),
        "leader is None; allowed are whole numbers from 0 to 3",
    ),
    ("true for a leader", MIDDLE, put("leader", True), "leader is True; allowed are whole numbers"),
    (
        "a leader beyond the table",
        MIDDLE,
        put("leader", 4),
        "leader is 4; allowed are whole numbers",
    ),
    (
        "a leader that is out",
        LATE,
        put("leader", 2),
        r"trick is by seats \[\], leader 2; allowed .* \[3, 0, 1\]",
    ),
    (
        "a leader that is not the next of one that left",
        LATE,
        both(put("leader", 0), put("mover", 0)),
        "mover is 0; by",
    ),
    (
        "the same, without a past",
        LATE,
        both(put("leader", 0), put("mover", 0), NO_PAST),
        "leader is 0; it didn't win the trick before",
    ),
    (
        "a leader without a trick",
        COUNTS_1_0_2_2,
        both(put("leader", 1), put("mover", 1)),
        "leader is 1; it didn't win the trick before",
    ),
    (
        "a leader that lost the last trick",
        MIDDLE,
        both(put("trick", []), NO_PAST, put("leader", 0)),
        "cards",
    ),
    ("a trick by other seats", MIDDLE, put("trick", 1, 0, 1), r"trick is by seats \[3, 1\]"),
    ("a trick by one seat twice", MIDDLE, put("trick", 1, 0, 3), r"trick is by seats \[3, 3\]"),
    (
        "a trick by a seat beyond the table",
        MIDDLE,
        put("trick", 1, 0, 4),
        "the seat in trick is 4; allowed are",
    ),
    ("a trick by true", MIDDLE, put("trick", 1, 0, True), "the seat in trick is True; allowed are"),
    ("a play without a seat", MIDDLE, put("trick", 1, "R1"), "trick is 'R1'; allowed is a list"),
    (
        "a play of three",
        MIDDLE,
        lambda d: d["trick"][1].append(0),
        "trick has 3 entries; allowed are 2",
    ),
    ("no trick", MIDDLE, put("trick", None), "trick is None; allowed is a list"),
    (
        "a trick that is complete",
        MIDDLE,
        lambda d: d["trick"].extend([[1, d["hands"][1].pop()], [2, d["hands"][2].pop()]]),
        r"trick is by seats \[3, 0, 1, 2\].* not all",
    ),
    (
        "a revoke in the trick",
        MIDDLE,
        both(swap("R1", "G1"), NO_PAST),
        "seat 0 can't have played G1",
    ),
    (
        "a void that isn't entered",
        MIDDLE,
        put("known_voids", 2, []),
        r"known_voids is \[\[\], \[\], \[\], \[\]\]",
    ),
    (
        "a void that nothing has shown",
        MIDDLE,
        put("known_voids", 2, ["G", "Y"]),
        "known_voids is .*'G'",
    ),
    (
        "a void in a suit that is held",
        MIDDLE,
        both(forget("history"), put("known_voids", 0, ["B"])),
        "seat 0 holds or held B, in which it is known to be void",
    ),
    (
        "a void in a suit that was played since",
        MIDDLE,
        both(
            lambda d: d["history"].pop(0),
            put("known_voids", 2, ["Y"]),
            put("known_voids", 3, ["P"]),
        ),
        "seat 3 holds or held P, in which it is known to be void",
    ),
    ("a void at the start", START, put("known_voids", [["Y"], [], [], []]), "known_voids is"),
    (
        "a void of no suit",
        MIDDLE,
        put("known_voids", 2, ["Z"]),
        "known_voids is 'Z'; allowed are 'B'",
    ),
    (
        "a void as text",
        MIDDLE,
        put("known_voids", 2, "Y"),
        "known_voids of a seat is 'Y'; allowed is a list",
    ),
    (
        "voids too short",
        MIDDLE,
        put("known_voids", [[]] * 3),
        "known_voids has 3 entries; allowed are 4",
    ),
    (
        "voids that are no list",
        MIDDLE,
        put("known_voids", 0),
        "known_voids is 0; allowed is a list",
    ),
    (
        "a revoke in history",
        MIDDLE,
        swap("P1", "G1"),
        "history or trick: seat 0 can't have played G1",
    ),
    (
        "a revoke in half a history",
        MIDDLE,
        both(swap("P1", "G1"), LAST_TRICK_ONLY),
        "seat 0 can't have played G1",
    ),
    (
        "history that gives other tricks",
        MIDDLE,
        put("tricks", [1, 0, 0, 1]),
        "tricks|more tricks than",
    ),
    (
        "half a history that gives more tricks",
        MIDDLE,
        both(put("tricks", [1, 1, 0, 0]), LAST_TRICK_ONLY),
        "by history seat 3 has more tricks than 0",
    ),
    (
        "history with another leader",
        MIDDLE,
        lambda d: d["history"][1].insert(0, d["history"][1].pop()),
        "seat",
    ),
    (
        "history in no order",
        MIDDLE,
        lambda d: d["history"][0].reverse(),
        "history or trick: seat 2 can't have",
    ),
    (
        "half a history in no order",
        MIDDLE,
        both(lambda d: d["history"][1].reverse(), LAST_TRICK_ONLY),
        "leader is 0; it didn't win the trick before",
    ),
    (
        "history with the tricks swapped",
        MIDDLE,
        lambda d: d["history"].reverse(),
        "history or trick: seat",
    ),
    (
        "history that lacks a play",
        MIDDLE,
        lambda d: d["history"][0].pop(),
        "history or trick: seat 1|history is",
    ),
    (
        "half a history that lacks a play",
        MIDDLE,
        both(lambda d: d["history"][1].pop(), LAST_TRICK_ONLY),
        "seat",
    ),
    (
        "a trick of one in history",
        MIDDLE,
        lambda d: d["history"].append([[0, "Y8"]]),
        "history has 3 tricks",
    ),
    ("an empty trick in history", MIDDLE, put("history", 0, []), "a trick in history has"),
    (
        "a seat twice in history",
        MIDDLE,
        put("history", 0, 1, 0, 0),
        "a trick in history has the same seat twice",
    ),
    (
        "a seat beyond the table in history",
        MIDDLE,
        put("history", 0, 1, 0, 4),
        "the seat in history is 4",
    ),
    ("history that is no list", MIDDLE, put("history", "Y1"), "history is 'Y1'; allowed is a list"),
    ("history that is a number", MIDDLE, put("history", 0), "history is 0; allowed is a list"),
    (
        "a trick in history that is no list",
        MIDDLE,
        put("history", 0, "Y1"),
        "a trick in history is 'Y1'; allowed",
    ),
    (
        "more tricks than were played",
        MIDDLE,
        put("tricks", [2, 2, 2, 0]),
        "don't fit tricks|more tricks",
    ),
    (
        "fewer tricks than were played",
        MIDDLE,
        both(put("tricks", [0, 0, 0, 1]), NO_PAST),
        "don't fit tricks",
    ),
    (
        "too many seats with a trick",
        MIDDLE,
        both(put("tricks", [1, 1, 0, 1]), NO_PAST),
        r"hands of .* don't fit tricks \[1, 1, 0, 1\]",
    ),
    ("true for a trick", MIDDLE, put("tricks", 1, True), "tricks of seat 1 is True; allowed are"),
    ("a negative trick", MIDDLE, put("tricks", 1, -1), "tricks of seat 1 is -1; allowed are"),
    (
        "five tricks",
        MIDDLE,
        put("tricks", 1, 5),
        "tricks of seat 1 is 5; allowed are whole numbers from 0 to 4",
    ),
    ("a trick as a float", MIDDLE, put("tricks", 1, 1.0), "tricks of seat 1 is 1.0; allowed are"),
    ("tricks too short", MIDDLE, put("tricks", [0, 1, 0]), "tricks has 3 entries; allowed are 4"),
    ("scores too long", MIDDLE, put("scores", [0] * 5), "scores has 5 entries; allowed are 4"),
    ("scores that are no list", MIDDLE, put("scores", 0), "scores is 0; allowed is a list"),
    ("a negative score", MIDDLE, put("scores", 0, -1), "scores of seat 0 is -1; allowed are"),
    ("a text for a score", MIDDLE, put("scores", 0, "0"), "scores of seat 0 is '0'; allowed are"),
    ("true for a score", MIDDLE, put("scores", 0, True), "scores of seat 0 is True; allowed are"),
    (
        "a score from nowhere",
        MIDDLE,
        put("scores", 0, 3),
        "seat 0 has a score of 3, of it 0 points in round 0",
    ),
    ("more than a round can bring", NAMING, put("scores", 0, 12), "scores? of .*12"),
    (
        "a score below the round's points",
        LATE,
        put("scores", 2, 0),
        "seat 2 has a score of 0, of it 3 points",
    ),
    (
        "points of a seat that is in",
        MIDDLE,
        both(put("round_points", 1, 2), put("scores", 1, 2)),
        "round_points of seat 1 is 2; while it is in, allowed is 0",
    ),
    (
        "points that the others' tricks don't give",
        LATE,
        both(put("round_points", 2, 4), put("scores", 2, 4), NO_PAST),
        r"round_points is \[0, 0, 4, 0\]; that doesn't fit",
    ),
    (
        "the same with the last trick",
        LATE,
        both(put("round_points", 2, 4), put("scores", 2, 4)),
        r"is \[0, 0, 4, 0\]; by history and trick it is \[0, 0, 3, 0\]",
    ),
    (
        "true for points",
        MIDDLE,
        put("round_points", 0, True),
        "round_points of seat 0 is True; allowed are",
    ),
    (
        "points too short",
        MIDDLE,
        put("round_points", []),
        "round_points has 0 entries; allowed are 4",
    ),
    (
        "a round too many",
        NAMING,
        put("round", 5),
        "round is 5; allowed are whole numbers from 0 to 4",
    ),
    ("a negative round", NAMING, put("round", -1), "round is -1; allowed are"),
    ("true for round 1", NAMING, put("round", True), "round is True; allowed are"),
    ("a text for a round", NAMING, put("round", "1"), "round is '1'; allowed are"),
    ("no trump", MIDDLE, put("trump", None), "trump is None; allowed are 'B', 'G', 'R', 'Y', 'P'"),
    ("a trump of no suit", MIDDLE, put("trump", "Z"), "trump is 'Z'; allowed are"),
    ("two trumps", MIDDLE, put("trump", "BG"), "trump is 'BG'; allowed are"),
    ("a number for trump", MIDDLE, put("trump", 0), "trump is 0; allowed are"),
    (
        "trump while it is being named",
        NAMING,
        put("trump", "B"),
        "trump is 'B'; while it is being named",
    ),
    (
        "naming in round 0",
        NAMING,
        both(put("round", 0), put("scores", [0] * 4)),
        "'name_trump' in round 0",
    ),
    (
        "naming after a trick",
        MIDDLE,
        both(put("phase", "name_trump"), put("trump", None), put("round", 1)),
        "hands",
    ),
    (
        "naming with a card on the table",
        NAMING,
        lambda d: d["trick"].append([2, d["hands"][2].pop()]),
        "seat 2",
    ),
    (
        "another phase",
        MIDDLE,
        put("phase", "deal"),
        "phase is 'deal'; allowed are 'name_trump', 'play', 'over'",
    ),
    ("a number for a phase", MIDDLE, put("phase", 1), "phase is 1; allowed are"),
    (
        "over while four are in",
        MIDDLE,
        put("phase", "over"),
        "4 seats are in; allowed is 1 when the game is over",
    ),
    (
        "winners before the end",
        MIDDLE,
        put("winners", [1]),
        r"winners is \[1\]; in this position it is \[\]",
    ),
    (
        "winners that are no list",
        MIDDLE,
        put("winners", None),
        "winners is None; allowed is a list",
    ),
]

IMPOSSIBLE_OVER = [
    ("other winners", put("winners", [0]), r"winners is \[0\]; in this position it is \[3\]"),
    ("no winners", put("winners", []), r"winners is \[\]; in this position it is \[3\]"),
    ("true for a winner", put("winners", [True]), "a winner is True; allowed are"),
    ("a winner beyond the table", put("winners", [4]), "a winner is 4; allowed are"),
    ("a leader", put("leader", 1), "when the game is over, leader must be None and trick empty"),
    ("a mover", put("mover", 1), "mover is 1; in this position it is None"),
    (
        "a trick",
        lambda d: d["trick"].append([1, d["hands"][1].pop()]),
        "leader must be None and trick empty",
    ),
    ("play goes on", put("phase", "play"), "1 seats are in; allowed is 1 when the game is over"),
    ("everybody out", both(put("tricks", 1, 3), put("out", 1, True)), "0 seats are in"),
    (
        "points of the last seat",
        both(put("round_points", 1, 1), put("scores", 1, 1), NO_PAST),
        "round_points of seat 1 is 1; allowed is 0",
    ),
    (
        "the last seat played on alone",
        both(lambda d: d["hands"][1].pop(), put("tricks", 1, 1), NO_PAST),
        "round_points",
    ),
    (
        "points of a leaver",
        both(put("round_points", 3, 5), put("scores", 3, 5), NO_PAST),
        "round_points is .*doesn't fit",
    ),
    (
        "two left at the same time",
        both(put("hands", 0, ["B1", "B2", "B3", "B4"]), NO_PAST),
        "don't fit tricks",
    ),
]


@pytest.mark.parametrize(
    ("d", "change", "message"), [pytest.param(*case[1:], id=case[0]) for case in IMPOSSIBLE]
)
def test_an_impossible_position_is_refused_and_named(d: dict[str, Any], change: Change, message: str) -> None:
    GAME.from_dict(d)
    wrong = copy.deepcopy(d)
    change(wrong)
    with pytest.raises(ValueError, match=message):
        GAME.from_dict(wrong)


@pytest.mark.parametrize(
    ("change", "message"), [pytest.param(*case[1:], id=case[0]) for case in IMPOSSIBLE_OVER]
)
def test_an_impossible_end_is_refused_and_named(change: Change, message: str) -> None:
    OVER_GAME.from_dict(OVER)
    wrong = copy.deepcopy(OVER)
    change(wrong)
    with pytest.raises(ValueError, match=message):
        OVER_GAME.from_dict(wrong)


def test_a_game_is_over_in_its_last_round_only() -> None:
    with pytest.raises(ValueError, match="the game is over in round 0; allowed is 4"):
        GAME.from_dict(OVER)


def test_with_two_players_the_points_of_the_last_seat_follow_the_setting() -> None:
    shortfall, literal = (
        make_game(NAME, 2, num_rounds=1, two_player_scoring=scoring) for scoring in ("shortfall", "literal")
    )
    ends = {game: after(game, SIX_FOUR, "Y9 Y1") for game in (shortfall, literal)}
    bare = {game: {**end, "history": []} for game, end in ends.items()}
    shortfall.from_dict(bare[shortfall])
    literal.from_dict(bare[literal])
    with pytest.raises(ValueError, match="round_points of seat 1 is 4; allowed is 3"):
        shortfall.from_dict(bare[literal])
    with pytest.raises(ValueError, match="round_points of seat 1 is 3; allowed is 4"):
        literal.from_dict(bare[shortfall])


def test_hands_may_be_given_in_any_order() -> None:
    shuffled = {**MIDDLE, "hands": [hand[::-1] for hand in MIDDLE["hands"]]}
    assert GAME.from_dict(shuffled).tobytes() == GAME.from_dict(MIDDLE).tobytes()


def test_without_known_voids_a_position_knows_what_its_history_shows() -> None:
    d = {key: value for key, value in MIDDLE.items() if key != "known_voids"}
    assert GAME.to_dict(GAME.from_dict(d))["known_voids"] == [[], [], ["Y"], []]
    d["history"] = d["history"][1:]
    assert GAME.to_dict(GAME.from_dict(d))["known_voids"] == [[], [], [], []]
    assert GAME.to_dict(GAME.from_dict({**d, "known_voids": [[], [], ["Y"], []]}))["known_voids"][2] == ["Y"]


@variants
@given(seed=SEEDS)
def test_any_last_part_of_the_history_is_enough(game: Game, seed: int) -> None:
    for state in reached_states(game, 5, seed):
        d = game.to_dict(state)
        for first in range(0, len(d["history"]), 3):
            part = {**d, "history": d["history"][first:]}
            assert game.to_dict(game.from_dict(part)) == part
