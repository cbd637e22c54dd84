"""The rules of TIGHEE: the rule book's cases, and properties over random games."""

import copy
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from tests.games import tighee_reference as reference
from tests.games.tighee_positions import (
    NAME,
    SEEDS,
    SHORT,
    after,
    in_order,
    picking,
    play_texts,
    position,
    trick_of,
    variants,
)
from tests.helpers import play, reached_states
from trick_envs import make_game
from trick_envs.core.game import Game, States

DATA = Path(__file__).parent / "data"

GAME = make_game(NAME, 4)
THREE = make_game(NAME, 3)
GAMES = {3: THREE, 4: GAME}
BLACK_WAITS = {n: make_game(NAME, n, black_always_playable=False) for n in (3, 4)}
DRAWN_LEADER = make_game(NAME, 4, tied_for_least="random")

kinds = pytest.mark.parametrize("game", [GAME, THREE, SHORT], ids=["4 players", "3 players", "short"])


def mode_of(game: Game) -> str:
    """The cards in play."""
    return str(game.options["mode"])


def legal_texts(game: Game, d: dict[str, Any]) -> list[str]:
    """The legal actions in a position."""
    return [game.action_to_string(a) for a in np.flatnonzero(game.action_masks(game.from_dict(d))[0])]


# --- the rule book's examples -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("forest", "cards", "winner"),
    [
        pytest.param("R9", "R2 K3 R4", 2, id="1: all have the lead colour, the black one too: the highest"),
        pytest.param("R9", "R2 K3 B5", 2, id="1: the only card of another colour"),
        pytest.param("R9", "R5 K5 R1", 1, id="1: of equal ranks the later"),
        pytest.param("R9", "K6 R10 K11 R1", 2, id="2: a black lead has the forest's colour"),
        pytest.param("K1", "K6 K9 K3 G12", 3, id="2: black is led to a black forest, and one is off"),
        pytest.param("G9", "R7 K2 R12 R1", 1, id="3: black counts as green"),
        pytest.param("G9", "R9 B4 K4 P6", 2, id="3: two off-colour 4s: the later"),
        pytest.param("K2", "R3 K1 R5", 1, id="6: a black forest makes black off-colour"),
        pytest.param("K1", "K6 K9 K3 K12", 3, id="all black to a black forest: the highest"),
        pytest.param("B9", "B8 B3 K8 B1", 2, id="of equal highest ones the later, also a black one"),
        pytest.param("B9", "K8 B3 B8 B1", 2, id="of equal highest ones the later, also after a black lead"),
        pytest.param("B9", "B12 G12 R12 P12", 3, id="the lead's colour wins nothing when others are off"),
        pytest.param("B9", "B1 G12 B2 B3", 1, id="the lowest rank that is off, be it a 12"),
        pytest.param("B9", "B1 G2 K1 B3", 1, id="a black card that follows doesn't count as off"),
    ],
)
def test_the_winner_of_a_trick(forest: str, cards: str, winner: int) -> None:
    """Examples 1, 2, 3 and 6 and more like them; seat 0 leads."""
    n = len(cards.split())
    d = trick_of(cards, forest)
    result = after(GAMES[n], d, cards)
    assert [b - a for a, b in zip(d["tricks"], result["tricks"], strict=True)] == [
        int(seat == winner) for seat in range(n)
    ]
    assert result["leader"] == result["mover"] == winner
    assert result["history"] == [[[seat, card] for seat, card in enumerate(cards.split())]]
    assert result["forest_history"][-1] == forest
    assert result["forest"] == d["deck"][0]
    assert result["deck"] == d["deck"][1:]


def follower(forest: str, led: str, hand: str) -> dict[str, Any]:
    """Three players: seat 0 has led, seat 1 is to move with this hand."""
    size = len(hand.split())
    free = [card for card in reference.deck() if card not in (forest, led, *hand.split())]
    others = [" ".join(free[: size - 1]), hand, " ".join(free[size : 2 * size])]
    return position(others, forest, trick=[[0, led]])


@pytest.mark.parametrize(
    ("forest", "led", "hand", "legal"),
    [
        pytest.param("P9", "R7", "R1 G2", "R1", id="4: whoever has the lead colour must follow"),
        pytest.param("P9", "R7", "G2 P3", "G2 P3", id="4: whoever has neither may play anything"),
        pytest.param("P9", "R7", "G2 K3", "G2 K3", id="4: black needn't be played instead"),
        pytest.param("P9", "R7", "R1 K3", "K3 R1", id="4: black may be played instead of following"),
        pytest.param("P9", "R7", "R1 K3 G4", "K3 R1", id="4: but no other colour"),
        pytest.param("R9", "K6", "R1 G2", "R1", id="2❶ of the source: a black lead has the forest's colour"),
        pytest.param("R9", "K6", "G2 P3", "G2 P3", id="2❷ of the source: without that, and black, anything"),
        pytest.param("R9", "K6", "G2 K3", "G2 K3", id="2❸ of the source: black needn't follow black"),
        pytest.param("R9", "K6", "R1 K3", "K3 R1", id="2❹ of the source: black or the forest's colour"),
        pytest.param("R9", "K6", "R1 K12 G4", "K12 R1", id="5: a black lead has the forest's colour"),
        pytest.param("R9", "K6", "G4 K9", "G4 K9", id="5: black isn't forced, even where it counts as led"),
        pytest.param("R9", "R6", "G4 K9", "G4 K9", id="black isn't forced where it counts as red"),
        pytest.param("K9", "K6", "K2 G1", "K2", id="6: black is led to a black forest: black must follow"),
        pytest.param("K9", "K6", "G2 P4", "G2 P4", id="6: without black, anything"),
        pytest.param("K9", "R3", "R5 K1 P2", "K1 R5", id="6: black may be played though it is off-colour"),
        pytest.param("P9", "R7", "P1 G2", "G2 P1", id="the forest's colour needn't be followed"),
    ],
)
def test_what_may_be_played(forest: str, led: str, hand: str, legal: str) -> None:
    """Examples 4, 5 and 6; those of the source where these don't have them."""
    assert legal_texts(THREE, follower(forest, led, hand)) == legal.split()


@pytest.mark.parametrize(
    ("forest", "led", "hand", "legal"),
    [
        pytest.param("K9", "R3", "R5 K1 P2", "R5", id="black isn't played instead of following"),
        pytest.param("K9", "R3", "K1 P2", "K1 P2", id="without the lead colour anything, black too"),
        pytest.param("K9", "K6", "K2 G1", "K2", id="black is led to a black forest: black must follow"),
        pytest.param("R9", "R3", "R5 K1 P2", "K1 R5", id="black is free where it counts as red"),
        pytest.param("P9", "R3", "R5 K1 P2", "K1 R5", id="and where it counts as purple"),
    ],
)
def test_with_the_option_black_waits_when_the_forest_is_black(
    forest: str, led: str, hand: str, legal: str
) -> None:
    assert legal_texts(BLACK_WAITS[3], follower(forest, led, hand)) == legal.split()


def test_with_the_option_a_black_card_of_who_cannot_follow_still_wins_a_black_forest() -> None:
    cards = "R3 K5 R9 R12"
    d = after(BLACK_WAITS[4], trick_of(cards, "K9"), cards)
    assert d["leader"] == 1
    assert d["known_voids"] == [[], ["R"], [], []]


def test_with_the_option_a_black_card_instead_of_the_lead_colour_is_refused_in_a_position() -> None:
    d = after(THREE, follower("K9", "R3", "R5 K1 P2"), "K1")
    THREE.from_dict(d)
    with pytest.raises(ValueError, match="seat 1 can't have played K1"):
        BLACK_WAITS[3].from_dict(d)
    d = after(THREE, follower("R9", "R3", "R5 K1 P2"), "K1")
    assert BLACK_WAITS[3].to_dict(BLACK_WAITS[3].from_dict(d)) == d


def test_the_leader_may_play_anything() -> None:
    d = trick_of("R5 R1 R2 R3", "G9")
    assert legal_texts(GAME, d) == d["hands"][0]


@pytest.mark.parametrize(
    ("tricks", "points"), [(1, -10), (4, 50), (5, -50), (8, 100), (9, -90), (12, 169), (13, -130), (15, -150)]
)
def test_a_number_of_tricks_scores(tricks: int, points: int) -> None:
    """Example 7; seat 0 takes the last trick, and seat 2 has none."""
    leader = int(tricks == 1)  # somebody who has a trick
    d = position(["R8", "R2", "R3"], "B1", tricks=[tricks - 1, 15 - tricks, 0], leader=leader)
    d = after(THREE, d, "R2 R3 R8" if leader else "R8 R2 R3")
    assert d["round_points"][0] == d["scores"][0] == points
    assert d["round_points"][2] == 0


def test_only_the_count_at_the_end_matters() -> None:
    d = trick_of("R8 R2 R3", "G9", tricks=[4, 9, 0])
    d = after(THREE, d, "R8 R2 R3")
    assert d["tricks"] == [5, 9, 0]
    assert d["scores"] == [0, 0, 0]


LAST = position(["R8", "R2", "R3", "R4"], "B1", tricks=[3, 4, 4, 0])


def test_four_four_four_none_scores_and_the_seat_without_a_trick_leads_the_next_round() -> None:
    """Example 8."""
    d = after(GAME, LAST, "R8 R2 R3 R4")
    assert d["round_points"] == d["scores"] == [50, 50, 50, 0]
    assert (d["phase"], d["round"]) == ("pick", 1)
    assert d["round_leader"] == d["leader"] == d["mover"] == 3


# --- the round and the game ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "first", "leads"),
    [
        ([2, 3, 3, 3], 2, 2),  # all have 3: the first leader leads again
        ([2, 3, 3, 3], 1, 1),
        ([0, 5, 5, 1], 3, 1),  # seats 1 and 2 scored least: clockwise from 3, 0 comes first, then 1
        ([0, 5, 5, 1], 2, 2),
        ([0, 1, 5, 5], 0, 2),
    ],
)
def test_of_several_seats_that_scored_least_the_first_from_the_rounds_first_leader_leads(
    before: list[int], first: int, leads: int
) -> None:
    """Seat 0 takes the last trick, to which seat 1 leads."""
    d = position(["R8", "R2", "R3", "R4"], "B1", tricks=before, leader=1, round_leader=first)
    d = after(GAME, d, "R2 R3 R4 R8")
    assert d["round_leader"] == leads


@pytest.mark.parametrize(
    ("before", "least"),
    [
        pytest.param([2, 3, 3, 3], [0, 1, 2, 3], id="all have 3"),
        pytest.param([0, 5, 5, 1], [1, 2], id="the round's leader isn't among them"),
        pytest.param([0, 1, 5, 5], [2, 3], id="the round's leader is among them"),
        pytest.param([0, 1, 4, 6], [3], id="one seat scored least"),
    ],
)
def test_with_the_option_one_of_several_seats_that_scored_least_is_drawn(
    before: list[int], least: list[int]
) -> None:
    """All of them are equally likely; nothing tells who it will be before the round is over."""
    d = position(["R8", "R2", "R3", "R4"], "B1", tricks=before, leader=1, round_leader=3)
    states = DRAWN_LEADER.from_dict(d)
    play_texts(DRAWN_LEADER, states, "R2 R3 R4")
    many = np.repeat(states, 2000)
    many["rng"] = DRAWN_LEADER.new_states(2000, seed=6)["rng"]
    DRAWN_LEADER.step(many, np.full(2000, DRAWN_LEADER.string_to_action("R8")))
    assert (many["leader"] == many["round_leader"]).all()
    assert (many["current_player"] == many["round_leader"]).all()
    seats, counts = np.unique(many["round_leader"], return_counts=True)
    assert seats.tolist() == least
    assert len(least) == 1 or stats.chisquare(counts).pvalue > 1e-4


def test_resampling_draws_the_next_leader_anew() -> None:
    """What a seat that looks ahead plays on from doesn't know the real game's draw."""
    d = position(["R8", "R2", "R3", "R4"], "B1", tricks=[2, 3, 3, 3])
    states = DRAWN_LEADER.from_dict(d)
    drawn = DRAWN_LEADER.resample(np.repeat(states, 200), 0, seed=3)
    for text in ("R8", "R2", "R3", "R4"):
        DRAWN_LEADER.step(drawn, np.full(200, DRAWN_LEADER.string_to_action(text)))
    assert np.unique(drawn["round_leader"]).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("game", [GAME, DRAWN_LEADER], ids=["clockwise", "drawn"])
def test_any_of_several_seats_that_scored_least_may_lead_in_a_position_and_no_other(game: Game) -> None:
    d = after(GAME, position(["R8", "R2", "R3", "R4"], "B1", tricks=[0, 5, 5, 1], leader=1), "R2 R3 R4 R8")
    for seat in (1, 2):
        lead = dict.fromkeys(("mover", "leader", "round_leader"), seat)
        assert game.to_dict(game.from_dict({**d, **lead}))["round_leader"] == seat
    with pytest.raises(ValueError, match="round_leader is 3; it didn't score least in the round before"):
        game.from_dict({**d, **dict.fromkeys(("mover", "leader", "round_leader"), 3)})


@variants
@given(seed=SEEDS)
def test_a_game_has_its_rounds_and_each_its_picks_and_tricks(game: Game, seed: int) -> None:
    n, k = game.num_players, game.options["pick_size"]
    size = game.options["hand_size"] - k
    decisions: Counter[Any] = Counter()
    for states, _, _ in play(game, 1, seed):
        d = game.to_dict(states[0])
        decisions[d["round"], d["phase"], d["mover"]] += 1
        if d["phase"] == "pick":
            assert len(d["deck"]) == size - n * k
            assert d["deck"] == sorted(d["deck"], key=reference.deck().index)
            first = d["round_leader"] or 0
            order = [(first + i) % n for i in range(n)]
            counts = [len(d["picks"][seat]) for seat in order]
            assert counts == sorted(counts, reverse=True)
            assert sum(0 < count < k for count in counts) <= 1
        else:
            deck = [*d["forest_history"], *([d["forest"]] if d["forest"] else []), *d["deck"]]
            assert len(deck) == size
            assert {card for picks in d["picks"] for card in picks} <= set(deck)
            assert len(d["forest_history"]) == sum(d["tricks"])
    for number in range(game.options["num_rounds"]):
        for seat in range(n):
            assert decisions[number, "pick", seat] == k
            assert decisions[number, "play", seat] == size
    assert len(decisions) == 2 * n * game.options["num_rounds"] + 1


def test_picking_goes_seat_by_seat_and_then_the_deck_is_shuffled_and_a_leader_drawn() -> None:
    cards = reference.deck(8)
    d = picking([" ".join(cards[13 * seat : 13 * seat + 13]) for seat in range(3)], mode="short")
    assert d["deck"] == ["P8"]
    states = SHORT.from_dict(d)
    d = play_texts(SHORT, states, "B3 B1")
    assert (d["picks"], d["mover"], d["leader"]) == ([["B1", "B3"], [], []], 0, None)
    d = play_texts(SHORT, states, "G1 K1 G8 G6 P5 P6")
    assert (d["mover"], d["phase"], d["deck"]) == (2, "pick", ["P8"])
    first = play_texts(SHORT, states.copy(), "P7")
    assert first["phase"] == "play"
    assert first["leader"] == first["round_leader"] == first["mover"]
    assert first["picks"] == [["B1", "B3", "G1"], ["G6", "G8", "K1"], ["P5", "P6", "P7"]]
    laid = [card for picks in first["picks"] for card in picks]
    assert sorted([first["forest"], *first["deck"]]) == sorted([*laid, "P8"])
    many = np.repeat(states, 3000)
    many["rng"] = SHORT.new_states(3000, seed=5)["rng"]
    SHORT.step(many, np.full(3000, SHORT.string_to_action("P7")))
    assert stats.chisquare(np.bincount(many["leader"], minlength=3)).pvalue > 1e-4
    for place in range(10):
        counts = np.unique(many["deck"][:, place], return_counts=True)[1]
        assert len(counts) == 10
        assert stats.chisquare(counts).pvalue > 1e-4


def test_in_later_rounds_the_leader_picks_first() -> None:
    states = GAME.from_dict(LAST)
    d = play_texts(GAME, states, "R8 R2 R3 R4")
    current_players = []
    for _ in range(12):
        current_players.append(int(GAME.current_players(states)[0]))
        GAME.step(states, [np.flatnonzero(GAME.action_masks(states)[0])[0]])
    assert current_players == [3, 3, 3, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    d = GAME.to_dict(states)
    assert (d["phase"], d["leader"], d["mover"]) == ("play", 3, 3)


@pytest.mark.parametrize(
    ("forest", "cards", "voids"),
    [
        pytest.param("G9", "R7 B2 R12 P1", ["", "R", "", "R"], id="another colour shows a void"),
        pytest.param("G9", "R7 K2 R12 K1", ["", "", "", ""], id="a black card shows nothing"),
        pytest.param("R9", "R7 K2 B12 K1", ["", "", "R", ""], id="nor where it has the lead colour"),
        pytest.param("R9", "K7 K2 B12 R1", ["", "", "R", ""], id="a black lead has the forest's colour"),
        pytest.param("K9", "K7 G2 K12 R1", ["", "K", "", "K"], id="no black to a black lead and forest"),
        pytest.param("K9", "R7 K2 G12 R1", ["", "", "R", ""], id="black to a black forest shows nothing"),
    ],
)
def test_what_a_card_shows(forest: str, cards: str, voids: list[str]) -> None:
    assert after(GAME, trick_of(cards, forest), cards)["known_voids"] == [list(letters) for letters in voids]


def test_known_voids_are_listed_in_suit_order_and_emptied_at_each_deal() -> None:
    hands = ["R7 G1", "R2 G2", "B12 B11", "R1 G3"]
    d = position(hands, "G9", tricks=[4, 4, 2, 0], known_voids=[[], [], ["G", "P"], []])
    states = GAME.from_dict(d)
    assert play_texts(GAME, states, "R7 R2 B12 R1")["known_voids"] == [[], [], ["G", "R", "P"], []]
    assert play_texts(GAME, states, "B11 G3 G1 G2")["known_voids"] == [[], [], [], []]


def test_a_finished_game_keeps_everything_as_the_last_trick_left_it() -> None:
    game = make_game(NAME, 4, num_rounds=1)
    d = after(game, LAST, "R8 R2 R3 R4")
    assert (d["phase"], d["mover"], d["leader"], d["round"]) == ("over", None, None, 0)
    assert d["hands"] == [[], [], [], []]
    assert d["trick"] == d["deck"] == []
    assert d["forest"] is None
    assert d["forest_history"] == [*LAST["forest_history"], "B1"]
    assert d["picks"] == LAST["picks"]
    assert d["history"] == [[[0, "R8"], [1, "R2"], [2, "R3"], [3, "R4"]]]
    assert d["tricks"] == [4, 4, 4, 0]
    assert d["round_points"] == d["scores"] == [50, 50, 50, 0]
    assert d["round_leader"] == 0
    assert d["winners"] == [0, 1, 2]
    np.testing.assert_allclose(game.returns(game.from_dict(d))[0], [1 / 3, 1 / 3, 1 / 3, -1], rtol=1e-6)


@pytest.mark.parametrize(
    ("before", "winners", "outcome"),
    [
        ([0, -50, -50, 0], [0], [1, -1 / 3, -1 / 3, -1 / 3]),
        ([-60, -60, -60, -20], [0, 1, 2], [1 / 3, 1 / 3, 1 / 3, -1]),
        ([-60, -60, -60, -10], [0, 1, 2, 3], [0, 0, 0, 0]),
        ([0, 100, -60, 169], [3], [-1 / 3, -1 / 3, -1 / 3, 1]),
    ],
)
def test_the_highest_total_wins_be_it_negative_and_ties_share_the_win(
    before: list[int], winners: list[int], outcome: list[float]
) -> None:
    """The round brings 50, 50, 50, 0. Scores before it are those of several rounds."""
    game = make_game(NAME, 4, num_rounds=6)
    states = game.from_dict({**LAST, "round": 5, "scores": before, "round_points": [-30, -30, -30, -30]})
    d = play_texts(game, states, "R8 R2 R3 R4")
    assert d["scores"] == [a + b for a, b in zip(before, [50, 50, 50, 0], strict=True)]
    assert d["winners"] == winners
    np.testing.assert_allclose(game.returns(states)[0], outcome, rtol=1e-6)


def test_points_are_rewards_at_the_end_of_a_round_divided_by_fifty() -> None:
    game = make_game(NAME, 4, reward="score")
    states = game.from_dict(LAST)
    for text in ("R8", "R2", "R3"):
        assert not game.step(states, [game.string_to_action(text)]).any()
    np.testing.assert_allclose(game.step(states, [game.string_to_action("R4")]), [[1, 1, 1, 0]])


@variants
@given(seed=SEEDS)
def test_every_step_is_as_the_slow_reference_plays_it(game: Game, seed: int) -> None:
    steps = play(game, 1, seed)
    states, actions, _ = next(steps)
    d = game.to_dict(states[0])
    for next_states, next_actions, _ in steps:
        texts = [game.action_to_string(a) for a in np.flatnonzero(game.action_masks(states)[0])]
        assert texts == reference.legal(d, game.options)
        text = game.action_to_string(actions[0])
        expected = reference.play(d, text, game.options)
        d = game.to_dict(next_states[0])
        if expected["hands"] is None:  # a new deal
            expected.update(hands=d["hands"], deck=d["deck"])
        if expected["deck"] is None:
            expected.update(forest=d["forest"], deck=d["deck"])
        if expected["round_leader"] is None and d["round_leader"] is not None:  # drawn now
            expected.update(dict.fromkeys(("round_leader", "leader", "mover"), d["leader"]))
        assert d == expected
        states, actions = next_states, next_actions


# --- options ------------------------------------------------------------------------------------------


def test_the_short_game_is_for_three_players() -> None:
    with pytest.raises(ValueError, match="mode is 'short'; allowed are 'normal'"):
        make_game(NAME, 4, mode="short")
    assert make_game(NAME, 3, mode="short").options["mode"] == "short"


def test_the_mode_says_which_sizes_are_the_default_and_given_sizes_come_first() -> None:
    sizes = {"num_ranks": 8, "hand_size": 13, "pick_size": 3}
    assert SHORT.options | sizes == SHORT.options
    other = make_game(NAME, 3, mode="short", hand_size=11, pick_size=2)
    assert other.options == SHORT.options | {"hand_size": 11, "pick_size": 2}


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        (
            {"hand_size": 6},
            "hand_size is 6, pick_size is 3; allowed are hands of 4 to 15 cards after laying down",
        ),
        (
            {"hand_size": 8},
            "hand_size is 8, pick_size is 3; allowed for 4 players is a pick_size of at most 1",
        ),
        ({"pick_size": 1}, "pick_size is 1 and num_ranks is 12; allowed .* at most 12 of these 60 cards"),
        ({"num_ranks": 3}, "num_ranks is 3; allowed are whole numbers from 4 to 12"),
    ],
)
def test_sizes_with_too_few_tricks_or_cards_are_refused(sizes: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_game(NAME, 4, **sizes)


def test_the_deck_gets_cards_that_nobody_was_dealt_where_the_picks_are_too_few() -> None:
    game = make_game(NAME, 3, num_ranks=8, hand_size=11, pick_size=2)
    states = game.new_states(1, seed=1)
    spares = game.to_dict(states)["deck"]
    assert len(spares) == 9 - 3 * 2
    while (d := game.to_dict(states))["phase"] == "pick":
        game.step(states, [game.action_masks(states)[0].argmax()])
    picks = [card for picks in d["picks"] for card in picks]
    assert sorted([d["forest"], *d["deck"]]) == sorted([*spares, *picks])
    assert sum(map(len, d["hands"])) + 9 == 40 - 4  # four cards are set aside


@pytest.mark.parametrize("num_players", [3, 4])
def test_there_are_as_many_rounds_as_players(num_players: int) -> None:
    assert make_game(NAME, num_players).options["num_rounds"] == num_players
    assert make_game(NAME, num_players, num_rounds=2).options["num_rounds"] == 2


@kinds
def test_deals_are_uniform(game: Game) -> None:
    """Chi-square tests over many deals; the seed is fixed."""
    states = game.new_states(3000, seed=11)
    size = len(game.deck) // game.num_players
    dealt = np.bincount(states["hands"][:, 0, :size].ravel(), minlength=len(game.deck))
    assert stats.chisquare(dealt).pvalue > 1e-4
    if game is SHORT:
        assert stats.chisquare(np.bincount(states["deck"][:, 0], minlength=40)).pvalue > 1e-4
    assert (states["deck"][:, game is SHORT :] == -1).all()


# --- observations -------------------------------------------------------------------------------------


def thermometer(count: int, size: int) -> list[int]:
    """The first `count` of `size` features are set."""
    return [int(i < count) for i in range(size)]


def expected_observation(game: Game, d: dict[str, Any], seat: int) -> list[int]:
    """An observation, computed slowly from a dict: group by group, by their names in the layout."""
    n = game.num_players
    seats = [(seat + i) % n for i in range(n)]
    most_picks, num_rounds = game.options["pick_size"], game.options["num_rounds"]
    cards, size = reference.deck(game.options["num_ranks"]), game.options["hand_size"] - most_picks
    in_trick = {tuple(pair) for pair in d["trick"]}
    earlier = {tuple(pair) for trick in d["history"] for pair in trick}
    shown_in = [
        {forest, *(card for _, card in trick)}
        for forest, trick in zip(d["forest_history"], d["history"], strict=True)
    ]
    lead = reference.colour(d["trick"][0][1], d["forest"]) if d["trick"] else None
    points = [reference.points(count) for count in range(size + 1)]
    above_least = [d["scores"][player] - min(points) * num_rounds for player in seats]
    tens = (max(points) - min(points)) * num_rounds // 10
    groups = {
        "hand": [card in d["hands"][seat] for card in cards],
        "picks": [card in d["picks"][seat] for card in cards],
        "forest": [card == d["forest"] for card in cards],
        "old_forests": [card in d["forest_history"] for card in cards],
        "trick": [(player, card) in in_trick for player in seats for card in cards],
        "played": [(player, card) in earlier for player in seats for card in cards],
        "played_in": [
            card in shown for shown in [*shown_in, *[()] * (size - len(shown_in))] for card in cards
        ],
        "black": [suit == "K" for suit in "BGKRP"],
        "lead_colour": [suit == lead for suit in "BGKRP"],
        "known_voids": [suit in d["known_voids"][player] for player in seats for suit in "BGKRP"],
        "phase": [d["phase"] == phase for phase in ("pick", "play")],
        "current_player": [player == d["mover"] for player in seats],
        "leader": [player == d["leader"] for player in seats],
        "round_leader": [player == d["round_leader"] for player in seats],
        "num_picks": [x for player in seats for x in thermometer(len(d["picks"][player]), most_picks)],
        "num_tricks": [number == sum(d["tricks"]) for number in range(size)],
        "round": [number == d["round"] for number in range(num_rounds)],
        "tricks": [x for player in seats for x in thermometer(d["tricks"][player], size)],
        "score_tens": [x for above in above_least for x in thermometer(above // 10, tens)],
        "score_ones": [above % 10 == digit for above in above_least for digit in range(10)],
    }
    assert set(groups) == set(game.observation_layout)
    assert min(above_least) >= 0
    assert max(above_least) // 10 <= tens
    return [int(feature) for name in game.observation_layout for feature in groups[name]]


@variants
@given(seed=SEEDS)
def test_observations_are_what_the_layout_says(game: Game, seed: int) -> None:
    states = reached_states(game, 6, seed)
    for i in range(len(states)):
        d = game.to_dict(states[i])
        for seat in range(game.num_players):
            seen = game.observations(states[i : i + 1], seat)[0]
            assert seen.tolist() == expected_observation(game, d, seat)


def test_a_position_without_its_past_shows_its_old_forests_in_their_tricks() -> None:
    d = trick_of("R7 R2 R12 R1", "G9")
    seen = GAME.observations(GAME.from_dict(d), 1)[0]
    layout = GAME.observation_layout
    assert not layout.read(seen, "played").any()
    by_trick = layout.read(seen, "played_in").reshape(12, 60)
    assert [[GAME.action_texts[card] for card in np.flatnonzero(row)] for row in by_trick] == [
        *([card] for card in d["forest_history"]),
        [],
        [],
    ]


# --- what a seat knows --------------------------------------------------------------------------------

TWO_LEFT = position(["R12 R11 R10", "R1 R2 R3", "G1 G2 G3"], "B1", tricks=[8, 4, 0])


def test_the_information_text_tells_orders_of_play_apart() -> None:
    """The same cards, taken by the same seat, in another order: other texts, and other observations."""
    first, second = THREE.from_dict(TWO_LEFT), THREE.from_dict(TWO_LEFT)
    one = play_texts(THREE, first, "R12 R1 G1 G2 R11 R2")
    two = play_texts(THREE, second, "R12 R2 G1 G2 R11 R1")
    assert one["history"] != two["history"]
    assert {**one, "history": 0} == {**two, "history": 0}
    for seat in range(3):
        texts = {THREE.information_state_string(states, seat) for states in (first, second)}
        assert len(texts) == 2
        assert (THREE.observations(first, seat) != THREE.observations(second, seat)).any()


def test_the_information_text_is_the_same_when_only_hidden_cards_differ() -> None:
    hands, picks, deck = (copy.deepcopy(TWO_LEFT) for _ in range(3))
    hands["hands"][2][0], hands["hands"][1][0] = hands["hands"][1][0], hands["hands"][2][0]
    hands["hands"] = [in_order(hand) for hand in hands["hands"]]
    picks["picks"][2][0], picks["picks"][1][0] = picks["picks"][1][0], picks["picks"][2][0]
    deck["deck"].reverse()

    def texts(d: dict[str, Any]) -> list[str]:
        return [THREE.information_state_string(THREE.from_dict(d), seat) for seat in range(3)]

    known = texts(TWO_LEFT)
    for other, who_knows in ((hands, (1, 2)), (picks, (1, 2)), (deck, ())):
        assert [text != same for text, same in zip(texts(other), known, strict=True)] == [
            seat in who_knows for seat in range(3)
        ]


def test_the_information_text_tells_scores_and_own_picks_apart() -> None:
    d = {**TWO_LEFT, "round": 1, "scores": [50, 50, -70], "round_points": [50, 50, -70], "round_leader": 2}
    other = {**d, "scores": [50, -70, 50], "round_points": [50, -70, 50], "round_leader": 1}
    texts = {THREE.information_state_string(THREE.from_dict(p), 0) for p in (TWO_LEFT, d, other)}
    assert len(texts) == 3


@variants
@given(seed=SEEDS)
def test_resampling_changes_nothing_but_what_is_hidden(game: Game, seed: int) -> None:
    states = reached_states(game, 6, seed)
    for seat in range(game.num_players):
        for before, drawn in zip(states, game.resample(states, seat, seed), strict=True):
            old, new = game.to_dict(before), game.to_dict(drawn)
            for key in ("hands", "picks"):
                for mine, other in zip(old[key], new[key], strict=True):
                    assert len(mine) == len(other)
                old[key], new[key] = old[key][seat], new[key][seat]
            assert len(old.pop("deck")) == len(new.pop("deck"))
            assert new == old


def worlds_of(game: Game, d: dict[str, Any], seat: int) -> Iterator[Any]:
    """All worlds that fit what a seat has seen in play: the other hands, the deck left, all picks."""
    n = game.num_players
    shown = [card for plays in (*d["history"], d["trick"]) for _, card in plays]
    shown += [*d["forest_history"], d["forest"]]
    mine = [*d["hands"][seat], *d["picks"][seat]]
    unseen = [card for card in reference.deck(game.options["num_ranks"]) if card not in (*mine, *shown)]
    own_left = [card for card in d["picks"][seat] if card not in shown]
    size = len(d["deck"]) - len(own_left)
    others = [player for player in range(n) if player != seat]

    def hands(players: list[int], left: list[str]) -> Iterator[tuple[dict[int, tuple[str, ...]], list[str]]]:
        if not players:
            yield {}, left
            return
        free = [card for card in left if card[0] not in d["known_voids"][players[0]]]
        for hand in itertools.combinations(free, len(d["hands"][players[0]])):
            for rest, over in hands(players[1:], [card for card in left if card not in hand]):
                yield {players[0]: hand, **rest}, over

    def owners(players: list[int], cards: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], ...]]:
        if not players:
            yield ()
            return
        for picks in itertools.combinations(cards, len(d["picks"][seat])):
            for rest in owners(players[1:], tuple(card for card in cards if card not in picks)):
                yield (picks, *rest)

    old = [card for card in (*d["forest_history"], d["forest"]) if card not in d["picks"][seat]]
    for dealt, over in hands(others, unseen):
        for face_down in itertools.combinations(over, size):  # the others were played, and aren't known
            for deck in itertools.permutations([*face_down, *own_left]):
                pool = tuple(sorted([*old, *face_down], key=reference.deck().index))
                for picks in owners(others, pool):
                    yield tuple(dealt[player] for player in others), deck, picks


def drawn_worlds(game: Game, states: States, seat: int) -> Counter[Any]:
    """How often each world is there."""
    n = game.num_players
    others = [player for player in range(n) if player != seat]
    sizes, turned_up = states[0]["hand_sizes"][:n], states[0]["num_tricks"] + 1
    parts = [states["hands"][:, :n, : max(sizes)], states["picks"][:, :n], states["deck"][:, turned_up:]]
    table = np.concatenate([part.reshape(len(states), -1) for part in parts], axis=1)
    number_of: dict[bytes, int] = {}
    counts = Counter(number_of.setdefault(row.tobytes(), i) for i, row in enumerate(table))
    worlds: Counter[Any] = Counter()
    for i, count in counts.items():
        d = game.to_dict(states[i])
        hands, picks = (tuple(tuple(d[key][player]) for player in others) for key in ("hands", "picks"))
        worlds[hands, tuple(d["deck"]), picks] += count
    return worlds


def late_case(voids: bool, left: int, most: int) -> tuple[Game, dict[str, Any], int]:
    """A late position of a random short game, in which what is known of voids matters, or nothing is."""
    for states, _, _ in play(SHORT, 60, seed=20):
        for state in states[states["num_tricks"] == 10 - left]:
            d = SHORT.to_dict(state)
            others = [letters for player, letters in enumerate(d["known_voids"]) if player != 0]
            hidden = {card[0] for hand in d["hands"][1:] for card in hand} | {card[0] for card in d["deck"]}
            matters = any(set(letters) & hidden for letters in others)
            if d["phase"] == "play" and matters == voids:
                count = sum(1 for _ in itertools.islice(worlds_of(SHORT, d, 0), most + 1))
                if 100 < count <= most:
                    return SHORT, d, 0
    raise AssertionError("no such position")


def bare_case() -> tuple[Game, dict[str, Any], int]:
    """Earlier tricks aren't known, so their cards may be anywhere; seats 1 and 2 have only P, 1 also R."""
    forests = ["R1", "R2", "R3", "R4", "P2", "P3", "P4", "P5", "P6", "P1"]
    d = position(
        ["", "P7", "P8"],
        "P1",
        mode="short",
        tricks=[3, 3, 3],
        trick=[[0, "R8"]],
        history=[],
        forest_history=forests[:9],
        picks=[forests[:3], forests[3:6], forests[6:9]],
        known_voids=[[], ["B", "G", "K"], ["B", "G", "K", "R"]],
    )
    return SHORT, d, 0


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(lambda: late_case(voids=False, left=1, most=300), id="the last trick"),
        pytest.param(lambda: late_case(voids=True, left=2, most=2000), id="voids that matter"),
        pytest.param(bare_case, id="a past that isn't known, with nested voids"),
    ],
)
def test_resampling_reaches_every_possible_world_equally_often(
    case: Callable[[], tuple[Game, dict[str, Any], int]],
) -> None:
    """All worlds are listed by brute force; a chi-square test with a fixed seed."""
    game, d, seat = case()
    worlds = set(worlds_of(game, d, seat))
    assert len(worlds) > 50
    states = np.repeat(game.from_dict(d), 20 * len(worlds))
    counts = drawn_worlds(game, game.resample(states, seat, seed=12), seat)
    assert set(counts) == worlds
    assert stats.chisquare(list(counts.values())).pvalue > 1e-4


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(SHORT, id="with a spare card"),
        pytest.param(
            make_game(NAME, 3, num_ranks=8, hand_size=11, pick_size=2),
            id="with spare cards and cards set aside",
        ),
    ],
)
def test_while_cards_are_picked_every_unseen_card_may_be_anywhere(game: Game) -> None:
    """Pairs of unseen cards, too, are where chance puts them: too many worlds to list."""
    hand_size, pick_size = game.options["hand_size"], game.options["pick_size"]
    num_spares = hand_size - 4 * pick_size
    states = game.new_states(1, seed=3)
    for _ in range(2 * pick_size - 1):  # seat 0 has picked all its cards, seat 1 all but one
        game.step(states, [np.flatnonzero(game.action_masks(states)[0])[0]])
    num_draws = 6000
    drawn = game.resample(np.repeat(states, num_draws), 2, seed=9)
    rows = np.arange(num_draws)[:, None]
    parts = [
        drawn["hands"][:, 0, : hand_size - pick_size],
        drawn["hands"][:, 1, : hand_size - pick_size + 1],
        drawn["picks"][:, 0, :pick_size],
        drawn["picks"][:, 1, : pick_size - 1],
        drawn["deck"][:, :num_spares],
    ]
    aside = len(parts)
    places = np.full((num_draws, 40), aside)
    for place, part in enumerate(parts):
        places[rows, part] = place
    own = set(states["hands"][0, 2].tolist())
    unseen = np.array([card for card in range(40) if card not in own])
    room = np.array([part.shape[1] for part in parts])
    if len(unseen) > room.sum():
        room = np.append(room, len(unseen) - room.sum())
    for card in unseen:
        counts = np.bincount(places[:, card], minlength=len(room))
        assert stats.chisquare(counts, num_draws * room / len(unseen)).pvalue > 1e-4
    pairs = np.bincount(places[:, unseen[0]] * len(room) + places[:, unseen[-1]], minlength=len(room) ** 2)
    expected = (np.outer(room, room) - np.diag(room)).ravel() / (len(unseen) * (len(unseen) - 1))
    assert pairs[expected == 0].sum() == 0
    expected, pairs = expected[expected > 0], pairs[expected > 0]
    assert stats.chisquare(pairs, num_draws * expected).pvalue > 1e-4


# --- data ---------------------------------------------------------------------------------------------

COUNTS = json.loads((DATA / "tighee_counts.json").read_text())["positions"]


@pytest.mark.parametrize("case", COUNTS, ids=[case["comment"] for case in COUNTS])
def test_all_plays_below_an_ending_are_counted(case: dict[str, Any]) -> None:
    d = case["position"]
    game = make_game(NAME, d["num_players"], **case["options"])
    for depth, count in case["counts"]:
        assert game.count_plays(game.from_dict(d), depth) == count
    depth, count = next(pair for pair in reversed(case["counts"]) if pair[1] < 1000)
    full = game.to_dict(game.from_dict(d))
    assert reference.count_plays(full, depth, game.options) == count


def test_a_written_down_game_is_played_line_by_line() -> None:
    lines = (DATA / "tighee_3_players_short.txt").read_text().splitlines()
    game = SHORT
    states, d = game.new_states(1, seed=0), {}
    hands: list[str] = []
    for keyword, *words in filter(None, (line.split("#")[0].split() for line in lines)):
        if keyword == "players":
            mode, num_rounds = (word.split("=")[1] for word in words[1:])
            game = make_game(NAME, int(words[0]), mode=mode, num_rounds=int(num_rounds))
        elif keyword == "round":
            assert d.get("round", 0) == int(words[0])
            hands = []
        elif keyword == "hand":
            hands.append(" ".join(words[1:]))
        elif keyword == "spare":
            past = ("mover", "leader", "round", "scores", "round_points", "round_leader")
            states = game.from_dict(picking(hands, mode_of(game), **{key: d[key] for key in past if d}))
            assert game.to_dict(states)["deck"] == words
        elif keyword == "lays":
            assert game.current_players(states)[0] == int(words[0])
            d = play_texts(game, states, " ".join(words[1:]))
            assert d["picks"][int(words[0])] == words[1:]
        elif keyword == "deck":
            assert sorted([d["forest"], *d["deck"]]) == sorted(words)
            d.update(forest=words[0], deck=words[1:])
        elif keyword == "leads":
            leader = int(words[0])
            assert d["round"] == 0 or d["leader"] == leader
            d.update(leader=leader, round_leader=leader, mover=leader)
            states = game.from_dict(d)
        elif keyword == "trick":
            d = replay_trick(game, states, words)
        elif keyword in ("points", "scores", "winners"):
            key = "round_points" if keyword == "points" else keyword
            assert d[key] == [int(word) for word in words]
        else:
            raise AssertionError(f"unknown line: {keyword}")
    assert d["phase"] == "over"


def replay_trick(game: Game, states: States, words: list[str]) -> dict[str, Any]:
    """Plays a line such as `trick forest P3  1:R5 2:K4 0:B2  wins 0  tricks 1 0 0`."""
    before = game.to_dict(states)
    assert words[:2] == ["forest", before["forest"]]
    at = words.index("wins")
    for word in words[2:at]:
        seat, card = word.split(":")
        assert game.current_players(states)[0] == int(seat)
        play_texts(game, states, card)
    d = game.to_dict(states)
    winner, tricks = int(words[at + 1]), [int(word) for word in words[at + 3 :]]
    assert tricks == [count + (seat == winner) for seat, count in enumerate(before["tricks"])]
    if d["phase"] == "play":
        assert (d["leader"], d["tricks"]) == (winner, tricks)
    return d
