"""Oracle Land: positions as data: refused when they can't be, and what they may leave out or show."""

import copy
from typing import Any

import pytest
from hypothesis import given

from tests.games.oracle_land_positions import (
    SEEDS,
    SUITS,
    THREE,
    after,
    dealt,
    position,
    variants,
)
from tests.helpers import Change, play, put, reached_states
from trick_envs.core.game import Game


def midway() -> dict[str, Any]:
    """A position of three players in a first deal, after two tricks and a card of the third."""
    for states, _, _ in play(THREE, 20, seed=3):
        for state in states:
            d = THREE.to_dict(state)
            if (
                d["phase"] == "play"
                and len(d["history"]) == 2
                and len(d["trick"]) == 1
                and any(d["known_voids"])
            ):
                return d
    raise AssertionError("no such position")


MIDDLE = midway()
DEALT = dealt(["S2 S3 S4 S5 S6 S7 S8", "D2 D3 D4 D5 D6 D7 D8", "C2 C3 C4 C5 C6 C7 C8"])
BIDDING = after(THREE, DEALT, "most S", "least D", "most C")
OVER = after(
    THREE,
    position(["", "", ""], "S3 D2 C2", row="S5 H5 H6", phase="joker", round=1, wishes=[False] * 3),
    "joker S",
)


def first_played(d: dict[str, Any]) -> str:
    """The card of the first play of the deal."""
    return str(d["history"][0][0][1][:2])


NO_PAST: Change = lambda d: [d.pop(key) for key in ("history", "known_voids")]  # noqa: E731

IMPOSSIBLE = [
    ("a card twice", MIDDLE, lambda d: put("hands", 0, 0, d["hands"][1][0])(d), "is there twice"),
    ("a played card in a hand", MIDDLE, lambda d: put("hands", 0, 0, first_played(d))(d), "twice|elsewhere"),
    ("a bonus card in a hand", DEALT, put("hands", 0, 0, "S9"), "S9 is there twice|unknown card 'S9'"),
    ("a card of no suit", MIDDLE, put("hands", 0, 0, "Z3"), "unknown card 'Z3'"),
    ("a hand too short", MIDDLE, lambda d: d["hands"][0].pop(), "nowhere|don't fit"),
    ("two hands", MIDDLE, lambda d: d["hands"].pop(), "hands has 2 entries; allowed are 3"),
    ("another mover", MIDDLE, lambda d: put("mover", (d["mover"] + 1) % 3)(d), "in this position it is"),
    ("another leader", MIDDLE, lambda d: put("leader", (d["leader"] + 1) % 3)(d), "leader is"),
    ("another joker", MIDDLE, lambda d: put("joker", (d["joker"] + 1) % 3)(d), "leader is|joker is"),
    (
        "leader and joker that didn't win the last trick",
        MIDDLE,
        lambda d: d.update(joker=(d["joker"] + 1) % 3, leader=(d["joker"] + 1) % 3),
        "trick begins with|didn't win last_trick",
    ),
    ("a joker before the first lead", BIDDING, put("joker", 0), "before the first trick, allowed is None"),
    ("a suit for the joker before the scoring", MIDDLE, put("joker_suit", "S"), "joker_suit is 'S'; before"),
    ("no last trick", MIDDLE, put("last_trick", None), "last_trick is None"),
    (
        "another winner of the last trick",
        MIDDLE,
        lambda d: put("last_trick", "winner", d["last_trick"]["loser"])(d),
        "of last_trick is",
    ),
    (
        "another last trick than in history",
        MIDDLE,
        lambda d: d["history"].pop(),
        "doesn't end with last_trick",
    ),
    ("a history that lacks a play", MIDDLE, lambda d: d["history"][0].pop(), "plays; not one each"),
    ("a history in another order", MIDDLE, lambda d: d["history"][0].reverse(), "clockwise order|can't have"),
    (
        "other bonus cards than taken",
        MIDDLE,
        lambda d: put("bonuses", 0, "H" if d["bonuses"][0] != "H" else "S")(d),
        "by history",
    ),
    ("a cover too many", MIDDLE, lambda d: d["covers"][0].append("S"), "by history|can't have done"),
    ("a secret card that isn't laid", MIDDLE, put("secret", 0, None), "have laid their secret cards"),
    (
        "a secret card covered",
        MIDDLE,
        lambda d: put("secret_covered", 0, not d["secret_covered"][0])(d),
        "nowhere",
    ),
    (
        "a number for covered",
        MIDDLE,
        put("secret_covered", 0, 1),
        "secret_covered is 1; allowed are True, False",
    ),
    ("a row with a 4", MIDDLE, lambda d: d["rows"][0]["S"].append("S4"), "twice|no 4"),
    (
        "a row with another suit",
        DEALT,
        lambda d: d["rows"][0]["S"].append(d["left_over"].pop()),
        "cards of that suit",
    ),
    ("no row of a suit", MIDDLE, lambda d: d["rows"][0].pop("C"), "allowed is a dict with S, D, C, H"),
    ("a stock in another order", DEALT, lambda d: d["stock"]["S"].reverse(), "the rest of the 9 on the 10"),
    (
        "bonus cards taken before the first trick",
        DEALT,
        lambda d: d["rows"][0]["S"].append(d["stock"]["S"].pop(0)),
        "bonus cards have been taken",
    ),
    ("a 4 to cover", MIDDLE, put("to_cover", ["S4"]), "there twice|can't be"),
    (
        "a moon without the option",
        MIDDLE,
        lambda d: d["moon"].append(d["left_over"].pop()),
        "moon has 1 cards",
    ),
    ("a card left over too few", DEALT, lambda d: d["left_over"].pop(), "left_over 6; allowed are 0 and 7"),
    (
        "a bid with a suit twice",
        MIDDLE,
        lambda d: put("bids", 0, "least", d["bids"][0]["most"])(d),
        "different bid cards",
    ),
    ("a bid too short", MIDDLE, put("bids", 0, "least", []), "made in this order"),
    ("a bid out of order", BIDDING, put("bids", 1, {"most": ["S"], "least": ["D"]}), "made in this order"),
    ("least before most", BIDDING, put("bids", 0, {"most": [], "least": ["C"]}), "made in this order"),
    (
        "a special bid in the first deal",
        MIDDLE,
        lambda d: d["bids"][0].update(most=["S", "C"], least=["D"]),
        "made in this order",
    ),
    ("a wish in the first deal", MIDDLE, put("wishes", 0, True), "allowed are wishes of seats"),
    ("a number for a wish", MIDDLE, put("wishes", 0, 1), "a wish is 1; allowed are True, False, None"),
    (
        "a bid card too few",
        MIDDLE,
        lambda d: d["bid_suits"][0].pop(),
        "allowed are 4 in all|different bid cards",
    ),
    (
        "a point in the first deal",
        MIDDLE,
        lambda d: (
            d["scores"].__setitem__(0, 1),
            d["bid_suits"][0].pop(),
            d["bids"][0].update(most=["S"], least=["D"]),
        ),
        "so many points can't",
    ),
    ("the wish phase in the first deal", DEALT, put("phase", "wish"), "phase is 'wish' in round 0"),
    ("play before the secret cards", BIDDING, put("phase", "play"), "joker is None|made in this order"),
    ("a trick while bids are made", BIDDING, put("trick", [[0, "D2"]]), "there twice|that can't be"),
    ("a play that is none", MIDDLE, put("trick", 0, 1, "bonus S"), "allowed are plays such as 'S2'"),
    (
        "a follower with the joker",
        MIDDLE,
        lambda d: d["trick"].append([(d["leader"] + 1) % 3, d["hands"][(d["leader"] + 1) % 3].pop(0) + "+"]),
        "can't have done|mover is",
    ),
    (
        "a void that nothing has shown",
        MIDDLE,
        lambda d: put("known_voids", [list(SUITS)] * 3)(d),
        "known_voids is|known to be void",
    ),
    ("winners before the end", MIDDLE, put("winners", [1]), "winners is"),
    ("a round too many", MIDDLE, put("round", 2), "round is 2; allowed are whole numbers from 0 to 1"),
    ("true for a round", MIDDLE, put("round", True), "round is True; allowed are"),
]

IMPOSSIBLE_OVER = [
    ("other scores", put("scores", 1, 4), "points and"),
    ("other winners", lambda d: put("winners", [(d["winners"][0] + 1) % 3])(d), "winners is"),
    ("a leader", put("leader", 0), "leader is 0"),
    ("no suit for the joker", put("joker_suit", None), "joker_suit is None; allowed are"),
    ("another suit for the joker", put("joker_suit", "H"), "by rows and bids it is"),
    ("the first deal", put("round", 0), "the game is over in round 0; allowed is 1"),
    (
        "a card in a row moved",
        lambda d: d["rows"][1]["S"].append(d["rows"][0]["S"].pop()),
        "by rows and bids|nowhere",
    ),
]


@pytest.mark.parametrize(
    ("d", "change", "message"), [pytest.param(*case[1:], id=case[0]) for case in IMPOSSIBLE]
)
def test_an_impossible_position_is_refused_and_named(d: dict[str, Any], change: Change, message: str) -> None:
    THREE.from_dict(d)
    wrong = copy.deepcopy(d)
    change(wrong)
    with pytest.raises(ValueError, match=message):
        THREE.from_dict(wrong)


@pytest.mark.parametrize(
    ("change", "message"), [pytest.param(*case[1:], id=case[0]) for case in IMPOSSIBLE_OVER]
)
def test_an_impossible_end_is_refused_and_named(change: Change, message: str) -> None:
    THREE.from_dict(OVER)
    wrong = copy.deepcopy(OVER)
    change(wrong)
    with pytest.raises(ValueError, match=message):
        THREE.from_dict(wrong)


@variants
@given(seed=SEEDS)
def test_any_last_part_of_the_history_is_enough(game: Game, seed: int) -> None:
    for state in reached_states(game, 5, seed):
        d = game.to_dict(state)
        for first in range(1, len(d["history"]), 2):
            part = {**d, **{key: d[key][first:] for key in ("history", "bonuses", "covers")}}
            assert game.to_dict(game.from_dict(part)) == part


def test_without_what_was_taken_a_position_still_knows_its_plays() -> None:
    d = {key: value for key, value in MIDDLE.items() if key not in ("bonuses", "covers")}
    again = THREE.to_dict(THREE.from_dict(d))
    assert {**again, "bonuses": 0, "covers": 0} == {**MIDDLE, "bonuses": 0, "covers": 0}
    assert again["bonuses"] == [None] * 2


# --- text ---------------------------------------------------------------------------------------------


def test_a_seat_is_shown_its_own_cards_and_those_that_it_has_passed() -> None:
    shown = set(THREE.render(THREE.from_dict(MIDDLE), 0).split())
    assert {*MIDDLE["hands"][0], MIDDLE["secret"][0], *MIDDLE["hands"][2], MIDDLE["secret"][2]} <= shown
    hidden = {*MIDDLE["hands"][1], MIDDLE["secret"][1], *MIDDLE["left_over"]}
    assert not hidden & shown
    assert hidden <= set(THREE.render(THREE.from_dict(MIDDLE)).split())
