"""TIGHEE: positions as data: refused when they can't be, and what they may leave out or show."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given

from tests.games import tighee_reference as reference
from tests.games.tighee_positions import (
    NAME,
    SEEDS,
    SHORT,
    after,
    picking,
    position,
    variants,
)
from tests.helpers import Change, both, put, reached_states
from trick_envs import make_game
from trick_envs.core.game import Game

START = position(
    [
        "B1 B2 B3 B4 B5 B6 B7 B8 G1 G2",
        "G3 G4 G5 G6 G7 G8 K1 K2 K3 R1",
        "R2 R3 R4 R5 R6 P1 P2 P3 P4 P5",
    ],
    "K4",
    mode="short",
)
MIDDLE = after(SHORT, START, "B1 G3 R2  P1 G1 G4  B2")
"""Of three, seats 2 and 0 have a trick; seat 1 is void in B and P, 2 in B, 0 in P. Seat 1 is to follow."""

DECK = reference.deck(8)
PICKING = after(
    SHORT,
    picking([" ".join(DECK[13 * seat : 13 * seat + 13]) for seat in range(3)], mode="short"),
    "B1 B2 B3 G7",
)
"""Seat 0 has picked three cards, seat 1 one."""

LATER = {
    **PICKING,
    "round": 1,
    "leader": 0,
    "round_leader": 0,
    "round_points": [-20, 50, 50],
    "scores": [-20, 50, 50],
}
"""The same in the second round."""

OVER_GAME = make_game(NAME, 3, mode="short", num_rounds=1)
OVER = after(OVER_GAME, position(["R8", "R2", "R3"], "B1", mode="short", tricks=[3, 4, 2]), "R8 R2 R3")
"""Tricks 4, 4, 2; only the last trick is known."""


def swap(first: str, second: str) -> Change:
    """A change that swaps two cards wherever they are."""

    def change(d: dict[str, Any]) -> None:
        text = json.dumps(d)
        text = text.replace(f'"{first}"', '"-"').replace(f'"{second}"', f'"{first}"')
        d.update(json.loads(text.replace('"-"', f'"{second}"')))

    return change


def forget(*keys: str) -> Change:
    """A change that leaves keys out."""
    return lambda d: [d.pop(key) for key in keys]


NO_PAST = forget("history", "known_voids")
LAST_TRICK_ONLY = both(lambda d: d["history"].pop(0), forget("known_voids"))

IMPOSSIBLE = [
    ("a card twice in a hand", MIDDLE, put("hands", 0, 1, "B3"), "B3 is there twice"),
    ("a card in two hands", MIDDLE, put("hands", 0, 0, "G5"), "G5 is there twice"),
    ("a card in a hand and in the trick", MIDDLE, put("hands", 0, 0, "B2"), "B2 is there twice"),
    ("a card in a hand and in history", MIDDLE, put("hands", 0, 0, "R2"), "R2 is there twice"),
    ("a card in a hand and in the deck", MIDDLE, put("hands", 0, 0, "P8"), "P8 is there twice"),
    ("the forest in a hand", MIDDLE, lambda d: put("hands", 0, 0, d["forest"])(d), "is there twice"),
    ("an old forest in a hand", MIDDLE, put("hands", 0, 0, "K4"), "K4 is there twice"),
    ("a pick in a hand, while cards are picked", PICKING, put("hands", 0, 0, "B1"), "B1 is there twice"),
    ("a card picked twice", MIDDLE, put("picks", 0, 0, "K6"), "K6 is there twice"),
    ("a card picked by two", MIDDLE, lambda d: put("picks", 0, 0, d["picks"][1][0])(d), "is there twice"),
    ("a card of no suit", MIDDLE, put("hands", 0, 1, "Z3"), "unknown card 'Z3'"),
    ("a card above the short game's top", MIDDLE, put("hands", 0, 1, "B9"), "unknown card 'B9'"),
    ("a card of rank 0", MIDDLE, put("hands", 0, 1, "B0"), "unknown card 'B0'"),
    ("a number for a card", MIDDLE, put("hands", 0, 1, 5), "unknown card 5"),
    ("nothing for a card of the deck", MIDDLE, put("deck", 0, None), "unknown card None"),
    ("a card too few", MIDDLE, lambda d: d["hands"][0].pop(), r"hands of \[6, 8, 8\] cards don't fit"),
    ("a card too many", OVER, lambda d: d["hands"][0].append("R7"), "R7 is there twice|cards don't fit"),
    ("14 cards", START, lambda d: put("hands", 0, reference.deck()[:14])(d), "allowed are at most 13|is no"),
    ("two hands", MIDDLE, lambda d: d["hands"].pop(), "hands has 2 entries; allowed are 3"),
    ("no hands", MIDDLE, put("hands", None), "hands is None; allowed is a list"),
    ("a hand as text", MIDDLE, put("hands", 0, "B1 B2"), "the hand of seat 0 is 'B1 B2'; allowed is a list"),
    ("a deck too short", MIDDLE, lambda d: d["deck"].pop(), "have 9 cards; allowed are 10"),
    ("a deck as text", MIDDLE, put("deck", "K5"), "deck is 'K5'; allowed is a list"),
    ("no forest", MIDDLE, put("forest", None), "forest is None; allowed is a card during play"),
    ("a forest while cards are picked", PICKING, put("forest", "P8"), "P8 is there twice|forest is 'P8'"),
    (
        "an old forest too many",
        MIDDLE,
        lambda d: d["forest_history"].append(d["deck"].pop()),
        "forest_history has 3 cards; allowed are 2",
    ),
    (
        "an old forest while cards are picked",
        PICKING,
        lambda d: d["forest_history"].append(d["deck"].pop()),
        "forest_history has cards",
    ),
    ("a spare card too few", PICKING, put("deck", []), "the deck has 0 cards that nobody picked"),
    ("a card nobody laid down", MIDDLE, lambda d: d["picks"][0].pop(), "the deck has 2 cards that nobody"),
    ("a pick that isn't in the deck", MIDDLE, put("picks", 0, 0, "B1"), "picks have B1, which isn't in"),
    ("four picks", MIDDLE, put("picks", 0, ["K4", "K5", "K6", "K7"]), "picks of seat 0 has 4 cards"),
    ("picks of two seats", MIDDLE, lambda d: d["picks"].pop(), "picks has 2 entries; allowed are 3"),
    ("another mover", MIDDLE, put("mover", 2), "mover is 2; in this position it is 1"),
    ("no mover", MIDDLE, put("mover", None), "mover is None; in this position it is 1"),
    ("true for mover 1", MIDDLE, put("mover", True), "mover is True; allowed are whole numbers"),
    ("another picker", PICKING, put("mover", 2), "mover is 2; in this position it is 1"),
    ("another leader", MIDDLE, put("leader", 1), r"trick is by seats \[0\], leader 1"),
    ("no leader", MIDDLE, put("leader", None), "leader is None; allowed are whole numbers from 0 to 2"),
    ("a leader beyond the table", MIDDLE, put("leader", 3), "leader is 3; allowed are whole numbers"),
    ("true for a leader", MIDDLE, put("leader", True), "leader is True; allowed are whole numbers"),
    (
        "a leader without a trick",
        MIDDLE,
        both(put("trick", []), put("leader", 1), put("hands", 0, 0, "B2"), NO_PAST),
        "cards don't fit|leader is 1; it didn't win the trick before",
    ),
    ("another first leader", START, put("round_leader", 1), "leader is 0; of the first trick it is"),
    ("another first leader, by history", MIDDLE, put("round_leader", 1), "leader is 0; of the first trick"),
    ("no first leader", MIDDLE, put("round_leader", None), "round_leader is None; allowed are whole numbers"),
    ("a first leader before it is drawn", PICKING, put("round_leader", 0), "round_leader is 0; before"),
    ("a leader before it is drawn", PICKING, put("leader", 0), "leader is 0; while cards are picked"),
    ("no leader of a later round", LATER, put("leader", None), "leader is None; allowed are whole numbers"),
    (
        "a first leader that didn't score least",
        LATER,
        both(put("round_leader", 1), put("leader", 1)),
        "round_leader is 1; it didn't score least",
    ),
    ("picks in no order", LATER, put("round_points", [50, -20, 50]), "scores?|round_leader is 0; it didn't"),
    (
        "the second seat picks first",
        PICKING,
        both(put("picks", [[], ["G7"], []]), lambda d: d["hands"][0].extend(["B1", "B2", "B3"])),
        r"seats \[0, 1, 2\] have picked \[0, 1, 0\] cards",
    ),
    (
        "a hand too small while cards are picked",
        PICKING,
        lambda d: d["hands"][2].pop(),
        "seat 2 has 12 cards in hand and 0 picked; allowed are 13 together",
    ),
    (
        "a trick while cards are picked",
        PICKING,
        lambda d: d["trick"].append([0, d["hands"][0].pop()]),
        "must be empty, or zeros, while cards are picked",
    ),
    ("tricks while cards are picked", PICKING, put("tricks", [1, 0, 0]), "must be empty, or zeros"),
    ("a trick by other seats", MIDDLE, put("trick", 0, 0, 1), r"trick is by seats \[1\], leader 0"),
    ("a trick by a seat beyond the table", MIDDLE, put("trick", 0, 0, 3), "the seat in trick is 3"),
    ("a play without a seat", MIDDLE, put("trick", 0, "B2"), "trick is 'B2'; allowed is a list"),
    ("no trick", MIDDLE, put("trick", None), "trick is None; allowed is a list"),
    (
        "a trick that is complete",
        MIDDLE,
        lambda d: d["trick"].extend([[1, d["hands"][1].pop()], [2, d["hands"][2].pop()]]),
        r"trick is by seats \[0, 1, 2\].* not all",
    ),
    ("a revoke in history", MIDDLE, swap("R2", "K4"), "is there twice|can't have|isn't|by history"),
    (
        "a seat follows in history that held the lead colour",
        MIDDLE,
        swap("R3", "B1"),
        "history or trick: seat|by history",
    ),
    ("history that gives other tricks", MIDDLE, put("tricks", [0, 1, 1]), "tricks|more tricks|leader"),
    ("history that gives more tricks", MIDDLE, put("tricks", [2, 0, 0]), "by history seat 2 has more tricks"),
    (
        "half a history before which nobody won",
        MIDDLE,
        both(put("tricks", [1, 1, 0]), LAST_TRICK_ONLY),
        "leader is 2; it didn't win the trick before",
    ),
    ("history in no order", MIDDLE, lambda d: d["history"][0].reverse(), "leader|history|by history"),
    ("history with the tricks swapped", MIDDLE, lambda d: d["history"].reverse(), "leader|history or trick"),
    ("history that lacks a play", MIDDLE, lambda d: d["history"][0].pop(), r"by seats \[0, 1\]; not one"),
    ("an empty trick in history", MIDDLE, put("history", 0, []), r"by seats \[\]; not one each"),
    ("a trick too many in history", START, put("history", [[[0, "B1"]]]), "there twice|history has 1 tricks"),
    ("history that is no list", MIDDLE, put("history", "B1"), "history is 'B1'; allowed is a list"),
    ("tricks that weren't played", MIDDLE, put("tricks", [2, 0, 1]), r"don't fit tricks \[2, 0, 1\]"),
    ("true for a trick", MIDDLE, put("tricks", 0, True), "tricks of seat 0 is True; allowed are"),
    ("a negative trick", MIDDLE, put("tricks", 1, -1), "tricks of seat 1 is -1; allowed are"),
    ("eleven tricks", MIDDLE, put("tricks", 1, 11), "tricks of seat 1 is 11; allowed are"),
    ("tricks too short", MIDDLE, put("tricks", [1, 1]), "tricks has 2 entries; allowed are 3"),
    ("a score in the first round", MIDDLE, put("scores", 0, 50), "scores of seat 0 is 50; allowed are"),
    ("points in the first round", MIDDLE, put("round_points", 0, -10), "round_points of seat 0 is -10"),
    ("a text for a score", MIDDLE, put("scores", 0, "0"), "scores of seat 0 is '0'; allowed are"),
    ("a score that isn't the round's points", LATER, put("scores", 0, 50), "seat 0 has a score of 50, of it"),
    ("a score of no rounds", LATER, put("scores", 0, -13), "seat 0 has a score of -13, of it"),
    (
        "points of no round",
        LATER,
        both(put("round_points", [-10, 50, 50]), put("scores", [-10, 50, 50])),
        r"round_points is \[-10, 50, 50\]; no round of 10 tricks gives that",
    ),
    (
        "points of no number of tricks",
        LATER,
        both(put("round_points", [-15, 50, 50]), put("scores", [-15, 50, 50])),
        "round_points is .*; no round",
    ),
    ("a round too many", MIDDLE, put("round", 3), "round is 3; allowed are whole numbers from 0 to 2"),
    ("true for a round", LATER, put("round", True), "round is True; allowed are"),
    ("another phase", MIDDLE, put("phase", "deal"), "phase is 'deal'; allowed are 'pick', 'play', 'over'"),
    ("play before all have picked", PICKING, put("phase", "play"), "forest is None; allowed is a card"),
    ("picking while cards are played", MIDDLE, put("phase", "pick"), "forest is 'K6'; allowed|is .*twice"),
    ("winners before the end", MIDDLE, put("winners", [1]), r"winners is \[1\]; in this position it is \[\]"),
    ("a void that isn't entered", MIDDLE, put("known_voids", 2, []), "known_voids is .*something else"),
    ("a void that nothing has shown", MIDDLE, put("known_voids", 2, ["B", "G"]), "known_voids is .*else"),
    (
        "a void in a suit that is held",
        MIDDLE,
        both(forget("history"), put("known_voids", 0, ["G", "P"])),
        "seat 0 holds or held G, in which it is known to be void",
    ),
    ("a void of no suit", MIDDLE, put("known_voids", 2, ["Z"]), "known_voids is 'Z'; allowed are 'B'"),
    ("a void as text", MIDDLE, put("known_voids", 2, "B"), "known_voids of a seat is 'B'; allowed is a list"),
    ("voids too short", MIDDLE, put("known_voids", [[]] * 2), "known_voids has 2 entries; allowed are 3"),
    ("a void while cards are picked", PICKING, put("known_voids", 0, ["B"]), "known_voids is .*else"),
]

IMPOSSIBLE_OVER = [
    ("other winners", put("winners", [0]), r"winners is \[0\]; in this position it is \[0, 1\]"),
    ("a leader", put("leader", 1), "leader is 1; when the game is over, allowed is None"),
    ("a mover", put("mover", 1), "mover is 1; in this position it is None"),
    ("a forest", lambda d: put("forest", d["forest_history"].pop())(d), "forest is 'B1'; allowed is"),
    ("play goes on", put("phase", "play"), "forest is None; allowed is a card during play"),
    ("a trick", lambda d: d["trick"].append(d["history"][0].pop()), "trick is by seats"),
    (
        "points that the tricks don't give",
        both(put("round_points", [-20, 50, 50]), put("scores", [-20, 50, 50]), NO_PAST),
        r"round_points is \[-20, 50, 50\]; by tricks it is \[50, 50, -20\]",
    ),
    (
        "other tricks than the last one gives",
        both(
            put("tricks", [0, 6, 4]),
            put("round_points", [0, -60, 50]),
            put("scores", [0, -60, 50]),
            put("winners", [2]),
        ),
        "by history seat 0 has more tricks than 0",
    ),
    ("a card in hand", lambda d: d["hands"][0].append("B2"), "there twice|cards don't fit"),
]


@pytest.mark.parametrize(
    ("d", "change", "message"), [pytest.param(*case[1:], id=case[0]) for case in IMPOSSIBLE]
)
def test_an_impossible_position_is_refused_and_named(d: dict[str, Any], change: Change, message: str) -> None:
    game = OVER_GAME if d is OVER else SHORT
    game.from_dict(d)
    wrong = copy.deepcopy(d)
    change(wrong)
    with pytest.raises(ValueError, match=message):
        game.from_dict(wrong)


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
    with pytest.raises(ValueError, match="the game is over in round 0; allowed is 2"):
        SHORT.from_dict(OVER)


def test_hands_and_picks_may_be_given_in_any_order() -> None:
    turned = {**MIDDLE, **{key: [cards[::-1] for cards in MIDDLE[key]] for key in ("hands", "picks")}}
    assert SHORT.from_dict(turned).tobytes() == SHORT.from_dict(MIDDLE).tobytes()


def test_without_known_voids_a_position_knows_what_its_history_shows() -> None:
    d = {key: value for key, value in MIDDLE.items() if key != "known_voids"}
    assert SHORT.to_dict(SHORT.from_dict(d))["known_voids"] == [["P"], ["B", "P"], ["B"]]
    d["history"] = d["history"][1:]
    assert SHORT.to_dict(SHORT.from_dict(d))["known_voids"] == [["P"], ["P"], []]
    d["known_voids"] = [["P"], ["B", "P"], ["B"]]
    assert SHORT.to_dict(SHORT.from_dict(d))["known_voids"] == [["P"], ["B", "P"], ["B"]]


@variants
@given(seed=SEEDS)
def test_any_last_part_of_the_history_is_enough(game: Game, seed: int) -> None:
    for state in reached_states(game, 5, seed):
        d = game.to_dict(state)
        for first in range(0, len(d["history"]), 3):
            part = {**d, "history": d["history"][first:]}
            assert game.to_dict(game.from_dict(part)) == part


# --- text ---------------------------------------------------------------------------------------------


def test_a_seat_is_shown_its_own_cards_only() -> None:
    own = set(SHORT.render(SHORT.from_dict(MIDDLE)[0], 0).split())
    assert {*MIDDLE["hands"][0], *MIDDLE["picks"][0], MIDDLE["forest"]} <= own
    hidden = {*MIDDLE["hands"][1], *MIDDLE["hands"][2], *MIDDLE["deck"]} - {*MIDDLE["picks"][0]}
    assert not hidden & own
    assert hidden <= set(SHORT.render(SHORT.from_dict(MIDDLE)[0]).split())
