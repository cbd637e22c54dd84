"""Gummi Trick: positions as data: refused when they can't be, and what they may leave out."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given

from tests.games import gummi_trick_reference as reference
from tests.games.gummi_trick_positions import (
    GAME,
    NAME,
    SEEDS,
    after,
    position,
    trick_of,
    variants,
)
from tests.helpers import Change, both, put, reached_states
from trick_envs import make_game
from trick_envs.core.game import Game

START = trick_of("R5 R8 B2 B1")
MIDDLE = after(START, "R5 R8 B2 facedown")
"""Seat 1 and two others have won; seat 3 turned up its first face-down card. The trick goes on below."""
MIDDLE = after(MIDDLE, f"{MIDDLE['hands'][MIDDLE['mover']][0]} facedown")
"""Within the second trick: its leader has played from the hand, the next seat has turned up a card."""

WITHOUT_PAST = position(["R1 O1 B4", "R7 O2 B5", "G3 Y8", "G4 Y9 B6"], 2, trick="Y1 Y2*", leader=2)

OVER = after(position(["O1", "R1"], 0), "O1 R1")


def forget(*keys: str) -> Change:
    """A change that leaves keys out."""
    return lambda d: [d.pop(key) for key in keys]


def swap(first: str, second: str) -> Change:
    """A change that swaps two cards wherever they are."""

    def change(d: dict[str, Any]) -> None:
        keys = ("hands", "trick", "history", "face_down", "face_up")
        text = json.dumps({key: d[key] for key in keys})
        text = text.replace(f'"{first}"', '"-"').replace(f'"{second}"', f'"{first}"')
        d.update(json.loads(text.replace('"-"', f'"{second}"')))

    return change


NO_PAST = forget("history", "known_voids")
HELD = MIDDLE["hands"][0][0]
UNUSED = next(card for card in reference.deck(4) if card not in str(START).split("'"))

IMPOSSIBLE = [
    ("a card in two hands", START, put("hands", 0, 1, START["hands"][1][0]), "is there twice"),
    ("a card in a hand and face down", START, put("face_down", 0, 0, START["hands"][1][0]), "is there twice"),
    ("a card in a hand and in the trick", MIDDLE, put("trick", 0, 1, HELD), "is there twice"),
    ("a card in a hand and in history", MIDDLE, put("history", 0, 1, 1, HELD), "is there twice"),
    ("a card in a hand and face up", WITHOUT_PAST, put("face_up", 0, 0, "R1"), "R1 is there twice"),
    (
        "a card face up twice",
        WITHOUT_PAST,
        lambda d: put("face_up", 0, 0, d["face_up"][0][1])(d),
        "is there twice",
    ),
    (
        "a card of a colour that isn't in play",
        START,
        put("hands", 0, 0, "P1"),
        "unknown card 'P1'",
    ),
    ("a rank below 1", START, put("hands", 0, 0, "R0"), "unknown card 'R0'"),
    ("a rank above 10", START, put("face_down", 0, 0, "R11"), "unknown card 'R11'"),
    ("no text for a card", START, put("hands", 0, 0, 5), "unknown card 5"),
    ("ten cards in hand", START, lambda d: d["hands"][0].append("R4"), "the hand of seat 0 has 10 cards"),
    (
        "four face-down cards",
        START,
        lambda d: d["face_down"][0].append(d["hands"][0].pop()),
        "face_down of seat 0 has 4 cards; allowed are at most 3",
    ),
    ("a card too few", START, lambda d: d["hands"][0].pop(), r"the seats have \[11, 12, 12, 12\] cards"),
    (
        "a hand for a face-down card",
        MIDDLE,
        lambda d: d["hands"][0].append(d["face_down"][0].pop()),
        "in hand and",
    ),
    (
        "all with a card too few",
        START,
        lambda d: [hand.pop() for hand in d["hands"]],
        "after 1 tricks, face_up has",
    ),
    ("three hands", START, lambda d: d["hands"].pop(), "hands has 3 entries; allowed are 4"),
    (
        "five seats face down",
        START,
        lambda d: d["face_down"].append([]),
        "face_down has 5 entries; allowed are 4",
    ),
    ("no hands", START, put("hands", None), "hands is None; allowed is a list"),
    ("a hand as text", START, put("hands", 0, "R1 R2"), "the hand of seat 0 is 'R1 R2'; allowed is a list"),
    (
        "face-down cards as text",
        START,
        put("face_down", 0, "R1"),
        "face_down of seat 0 is 'R1'; allowed is a list",
    ),
    ("no face_down", START, forget("face_down"), "has no 'face_down'"),
    ("no colour_order", START, forget("colour_order"), "has no 'colour_order'"),
    ("no face_up", START, forget("face_up"), "has no 'face_up'"),
    ("no taken", START, forget("taken"), "has no 'taken'"),
    ("another mover", WITHOUT_PAST, put("mover", 2), "mover is 2; in this position it is 0"),
    ("no mover", WITHOUT_PAST, put("mover", None), "mover is None; in this position it is 0"),
    ("another leader", WITHOUT_PAST, put("leader", 3), "seat 2 can't have played Y1"),
    ("another leader with a past", MIDDLE, lambda d: put("leader", (d["leader"] + 1) % 4)(d), "leader is"),
    ("no leader", WITHOUT_PAST, put("leader", None), "leader is None; allowed are whole numbers from 0 to 3"),
    (
        "a trick by another seat",
        WITHOUT_PAST,
        put("trick", 1, 0, 0),
        r"cards in hand and face down|can't have",
    ),
    (
        "a trick by a seat beyond the table",
        WITHOUT_PAST,
        put("trick", 1, 0, 4),
        "the seat in trick is 4; allowed",
    ),
    (
        "a play without its source",
        WITHOUT_PAST,
        lambda d: d["trick"][1].pop(),
        "trick has 2 entries; allowed are 3",
    ),
    (
        "another source",
        WITHOUT_PAST,
        put("trick", 1, 2, "table"),
        "the source of Y2 is 'table'; allowed are 'hand'",
    ),
    ("no trick", WITHOUT_PAST, put("trick", None), "trick is None; allowed is a list"),
    (
        "a trick that is complete",
        WITHOUT_PAST,
        lambda d: d["trick"].extend([[0, d["hands"][0].pop(), "hand"], [1, d["hands"][1].pop(), "hand"]]),
        r"trick is by seats \[2, 3, 0, 1\]; allowed are fewer than 4",
    ),
    (
        "a card from the hand that should have followed",
        WITHOUT_PAST,
        both(swap("Y2", "G4"), put("trick", 1, 2, "hand"), put("colour_order", ["Y", "G"])),
        "seat 3 can't have played G4",
    ),
    (
        "another order of colours",
        WITHOUT_PAST,
        put("colour_order", ["Y", "G"]),
        r"colour_order is \['Y', 'G'\]",
    ),
    ("no order of colours", WITHOUT_PAST, put("colour_order", []), r"colour_order is \[\]; in this position"),
    ("a colour that isn't there", WITHOUT_PAST, put("colour_order", ["P"]), "unknown suit 'P'"),
    ("colours as text", WITHOUT_PAST, put("colour_order", "Y"), "colour_order is 'Y'; allowed is a list"),
    ("a void that isn't entered", MIDDLE, put("known_voids", [[]] * 4), "known_voids is"),
    ("a void that nothing has shown", START, put("known_voids", [["R"], [], [], []]), "known_voids is"),
    (
        "a void in a colour that is held",
        WITHOUT_PAST,
        put("known_voids", [["R"], [], [], []]),
        "seat 0 holds or held R, in which it is known to be void",
    ),
    (
        "a void in a colour that was played since",
        WITHOUT_PAST,
        both(
            put("hands", 2, ["G3", "G4"]),
            put("hands", 3, ["Y8", "Y9", "B6"]),
            put("known_voids", [[], [], ["Y"], []]),
        ),
        "seat 2 holds or held Y, in which it is known to be void",
    ),
    (
        "a void of no colour",
        WITHOUT_PAST,
        put("known_voids", [["P"], [], [], []]),
        "known_voids is 'P'; allowed",
    ),
    ("voids too short", WITHOUT_PAST, put("known_voids", [[]]), "known_voids has 1 entries; allowed are 4"),
    ("history with a play too few", MIDDLE, lambda d: d["history"][0].pop(), "is by seats|cards in hand"),
    ("history in another order", MIDDLE, lambda d: d["history"][0].reverse(), "can't have played"),
    ("history of another source", MIDDLE, put("history", 0, 3, 2, "hand"), "in hand and played|can't have"),
    (
        "history with a trick too many",
        START,
        put("history", [[[0, UNUSED, "hand"]]]),
        "seat 0 has 10 cards in hand and",
    ),
    ("history that is no list", MIDDLE, put("history", "R1"), "history is 'R1'; allowed is a list"),
    (
        "face_up that history doesn't give",
        MIDDLE,
        put("face_up", 1, []),
        "face_up of seat 1 is .*; by history",
    ),
    ("face_up of a loser", MIDDLE, put("face_up", 0, ["R5"]), "R5 is there twice|face_up of seat 0"),
    ("taken that history doesn't give", MIDDLE, put("taken", 2, 2), "scores of seat 2 is"),
    (
        "taken and scores that history doesn't give",
        MIDDLE,
        lambda d: both(put("taken", 0, 1), put("scores", 0, d["scores"][0] + 1))(d),
        "after 0 tricks, face_up has",
    ),
    (
        "too few cards won",
        WITHOUT_PAST,
        lambda d: both(lambda d: d["face_up"][0].pop(), rescored)(d),
        "after 7 tricks",
    ),
    (
        "a score from nowhere",
        START,
        put("scores", 0, 3),
        "scores of seat 0 is 3; by face_up and taken it is 0",
    ),
    ("a negative score", START, put("scores", 0, -1), "scores of seat 0 is -1; allowed are"),
    ("true for a score", START, put("scores", 0, True), "scores of seat 0 is True; allowed are"),
    ("true for taken", START, put("taken", 0, True), "taken of seat 0 is True; allowed are"),
    ("scores too long", START, put("scores", [0] * 5), "scores has 5 entries; allowed are 4"),
    ("a second round", START, put("round", 1), "round is 1; allowed are whole numbers from 0 to 0"),
    ("another phase", START, put("phase", "pass"), "phase is 'pass'; allowed are 'play', 'over'"),
    ("over with cards in hand", START, both(put("phase", "over"), put("leader", None)), "the seats have"),
    ("over with a leader", START, put("phase", "over"), "when the game is over, leader must be None"),
    ("winners before the end", START, put("winners", [1]), r"winners is \[1\]; in this position it is \[\]"),
]

IMPOSSIBLE_OVER = [
    ("other winners", put("winners", [1 - OVER["winners"][0]]), "winners is .*; in this position it is"),
    ("a leader", put("leader", 1), "when the game is over, leader must be None and trick empty"),
    ("a mover", put("mover", 1), "mover is 1; in this position it is None"),
    ("play goes on", both(put("phase", "play"), put("leader", 0)), "the seats have|phase is 'play'"),
    ("a card in hand", lambda d: d["hands"][0].append("Y1"), "the seats have"),
    ("another history", put("history", 0, 0, 1, "O2"), "face_up of seat 0 is|there twice"),
]


def rescored(d: dict[str, Any]) -> None:
    """Puts in the scores that follow from the rest."""
    for seat, cards in enumerate(d["face_up"]):
        points = sum(reference.POINTS[reference.rank(card) - 1] for card in cards)
        d["scores"][seat] = points + d["taken"][seat]


@pytest.mark.parametrize(
    ("d", "change", "message"), [pytest.param(*case[1:], id=case[0]) for case in IMPOSSIBLE]
)
def test_an_impossible_position_is_refused_and_named(d: dict[str, Any], change: Change, message: str) -> None:
    wrong = GAME.to_dict(GAME.from_dict(d))
    change(wrong)
    with pytest.raises(ValueError, match=message):
        GAME.from_dict(wrong)


@pytest.mark.parametrize(
    ("change", "message"), [pytest.param(*case[1:], id=case[0]) for case in IMPOSSIBLE_OVER]
)
def test_an_impossible_end_is_refused_and_named(change: Change, message: str) -> None:
    game = make_game(NAME, 2)
    game.from_dict(OVER)
    wrong = copy.deepcopy(OVER)
    change(wrong)
    with pytest.raises(ValueError, match=message):
        game.from_dict(wrong)


def test_what_was_won_before_a_position_without_its_past_has_to_be_possible() -> None:
    """Seat 0 has won eleven tricks of two and taken a lower card each time."""
    game = make_game(NAME, 2)

    def won_by(card: str, leader: int) -> dict[str, Any]:
        face_up = [f"R10 R9 R8 R7 R6 O10 O9 O8 O7 O6 {card}".split(), []]
        return position(["R1", "O1"], 0, face_up=face_up, taken=[11, 0], leader=leader)

    game.from_dict(won_by("Y10", 0))
    with pytest.raises(ValueError, match="seat 1 led after 11 tricks; allowed is a seat that won one"):
        game.from_dict(won_by("Y10", 1))
    with pytest.raises(ValueError, match="taken of seat 0 is 11; that doesn't fit the cards played"):
        game.from_dict(won_by("R2", 0))  # the only lower card is still in a hand


def test_hands_may_be_given_in_any_order_and_face_down_cards_in_theirs_only() -> None:
    shuffled = {**MIDDLE, "hands": [hand[::-1] for hand in MIDDLE["hands"]]}
    assert GAME.from_dict(shuffled).tobytes() == GAME.from_dict(MIDDLE).tobytes()
    turned = {**MIDDLE, "face_down": [cards[::-1] for cards in MIDDLE["face_down"]]}
    assert GAME.to_dict(GAME.from_dict(turned))["face_down"] == turned["face_down"]


@variants
@given(seed=SEEDS)
def test_any_last_part_of_the_history_is_enough(game: Game, seed: int) -> None:
    for state in reached_states(game, 5, seed):
        d = game.to_dict(state)
        for first in range(0, len(d["history"]), 3):
            part = {**d, "history": d["history"][first:]}
            assert game.to_dict(game.from_dict(part)) == part
