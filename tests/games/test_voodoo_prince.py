"""The rules of Voodoo Prince: the rule book's cases, and properties over random games."""

import copy
import itertools
import json
from collections.abc import Callable, Iterator
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from tests.games import voodoo_prince_reference as reference
from tests.games.voodoo_prince_positions import (
    COUNTS_1_0_2_2,
    GAME,
    NAME,
    SEEDS,
    SIX_FOUR,
    after,
    filled,
    play_texts,
    position,
    trick_of,
    variants,
)
from tests.helpers import play, reached_states
from trick_envs import make_game
from trick_envs.core.game import Game, States

DATA = Path(__file__).parent / "data"
MOST_TRICKS = {2: 13, 3: 11, 4: 11, 5: 14}


def legal_texts(game: Game, d: dict[str, Any]) -> list[str]:
    """The legal actions in a position."""
    return [game.action_to_string(a) for a in np.flatnonzero(game.action_masks(game.from_dict(d))[0])]


# --- the rule book's examples -------------------------------------------------------------------------


def test_who_reaches_the_goal_leaves_and_scores_the_tricks_of_all_others_and_the_last_leads_on() -> None:
    """Example 1, played through: counts 1,0,2,2 when seat 2 wins; then seat 0, then seat 3."""
    states = GAME.from_dict(COUNTS_1_0_2_2)

    d = play_texts(GAME, states, "P12 P1 P2 P3")
    assert d["tricks"] == [1, 0, 3, 2]
    assert d["out"] == [False, False, True, False]
    assert d["round_points"] == d["scores"] == [0, 0, 3, 0]  # 1 + 0 + 2
    assert d["leader"] == d["mover"] == 3  # the winner has left: the next to its left

    d = play_texts(GAME, states, "G1 G12 G2 R12 R1 R2")  # seat 2 is skipped
    assert d["tricks"] == [3, 0, 3, 2]
    assert d["round_points"] == d["scores"] == [5, 0, 3, 0]  # 0 + 3 + 2
    assert d["leader"] == d["mover"] == 1

    d = play_texts(GAME, states, "Y1 Y12")
    assert d["scores"] == [5, 0, 3, 6]  # 3 + 0 + 3; seat 1 has no trick and scores 0
    assert d["round"] == 1
    assert d["phase"] == "name_trump"
    assert d["leader"] == d["mover"] == 1
    assert d["trump"] is None
    assert d["tricks"] == d["round_points"] == [0, 0, 0, 0]
    assert [len(hand) for hand in d["hands"]] == [13, 13, 13, 13]
    assert d["history"] == d["trick"] == []

    GAME.step(states, [GAME.string_to_action("trump Y")])
    d = GAME.to_dict(states)
    assert (d["trump"], d["phase"], d["leader"], d["mover"]) == ("Y", "play", 1, 1)


@pytest.mark.parametrize(
    ("cards", "winner", "counts"),
    [
        pytest.param("Y0 Y12 Y5 Y9", 0, 1, id="a 0 beats the top card that comes later"),
        pytest.param("Y12 Y0 Y5 Y9", 1, 1, id="a 0 beats the top card that came before"),
        pytest.param("Y0 Y11 Y5 Y9", 1, 1, id="a 0 is the lowest without the top card"),
        pytest.param("Y5 B0 G12 Y12", 1, 1, id="the only trump wins, be it a 0; the 5 doesn't count"),
        pytest.param("Y5 G0 G12 Y3", 0, 2, id="0 and top of another suit don't win; won with a 5"),
        pytest.param("Y12 B0 Y0 B12", 1, 1, id="the trump 0 beats the top trump and the plain 0"),
        pytest.param("Y7 Y3 Y5 Y1", 0, 2, id="won with a 7"),
        pytest.param("Y5 Y7 Y3 Y8", 3, 1, id="5 and 7 in it, won with an 8"),
        pytest.param("Y12 B5 G7 B3", 1, 2, id="won with the trump 5"),
        pytest.param("Y1 G12 R12 P12", 0, 1, id="what is neither trump nor lead suit can't win"),
        pytest.param("B0 B1 B12 B11", 0, 1, id="trump is led: its 0 beats its top"),
        pytest.param("Y0 G12 R0 P3", 0, 1, id="a lead 0 wins if nobody follows"),
    ],
)
def test_the_winner_of_a_trick_with_four_players(cards: str, winner: int, counts: int) -> None:
    """Examples 2 to 6 and more like them; trump B, seat 0 leads."""
    d = after(GAME, trick_of(cards), cards)
    assert d["tricks"] == [counts if seat == winner else 0 for seat in range(4)]
    assert d["leader"] == d["mover"] == winner
    assert d["history"] == [[[seat, card] for seat, card in enumerate(cards.split())]]


def test_a_seat_with_two_tricks_that_wins_with_a_seven_leaves_with_four_and_counts_four() -> None:
    """Example 7."""
    d = position(
        [
            "P7 B1 B2 B3 B4 B6 B8 B9 B10 Y0",
            "P1 Y12 Y8 G1 G2 G3 G4 G6 G7 G8",
            "P2 Y1 Y2 R1 R2 R3 R4 R5 R6 R7",
            "P3 Y3 Y4 R8 R9 R10 R11 R12 G9 G10",
        ],
        tricks=[2, 2, 0, 0],
        leader=0,
    )
    d["hands"] = [hand[:10] for hand in d["hands"]]
    states = GAME.from_dict(d)
    d = play_texts(GAME, states, "P7 P1 P2 P3")
    assert d["tricks"] == [4, 2, 0, 0]
    assert d["out"] == [True, False, False, False]
    assert d["round_points"] == [2, 0, 0, 0]
    d = play_texts(GAME, states, "Y12 Y1 Y3")
    assert d["tricks"] == [4, 3, 0, 0]
    assert d["round_points"] == [2, 4, 0, 0]


@pytest.mark.parametrize(
    ("cards", "winner"), [("Y15 Y0 Y4 Y12 G1", 1), ("Y15 Y0 Y4 B2 G1", 3), ("Y12 Y0 Y4 Y10 G1", 0)]
)
def test_the_winner_of_a_trick_with_five_players(cards: str, winner: int) -> None:
    """Example 8: the top card is the 15."""
    d = after(make_game(NAME, 5), trick_of(cards), cards)
    assert d["tricks"] == [int(seat == winner) for seat in range(5)]


@pytest.mark.parametrize("num_players", [2, 3])
def test_the_top_card_is_the_ten_with_two_and_three_players(num_players: int) -> None:
    game = make_game(NAME, num_players)
    cards = " ".join(["Y10", "Y0", "Y9"][:num_players])
    assert after(game, trick_of(cards), cards)["tricks"][:2] == [0, 1]
    cards = " ".join(["Y9", "Y0", "Y8"][:num_players])
    assert after(game, trick_of(cards), cards)["tricks"][:2] == [1, 0]


def test_three_players_leave_with_four_tricks() -> None:
    """Example 9."""
    game = make_game(NAME, 3)
    states = game.from_dict(
        position(
            ["Y9 B1 B2 B3 B4 B5 B6", "Y1 G9 G10 B7 B8 B9 B10", "Y2 G1 G2 R1 R2 R3 R4"],
            tricks=[3, 2, 1],
            leader=0,
        )
    )
    d = play_texts(game, states, "Y9 Y1 Y2")
    assert d["tricks"] == [4, 2, 1]
    assert d["round_points"] == [3, 0, 0]
    assert d["leader"] == 1
    d = play_texts(game, states, "G9 G1 G10 G2")
    assert d["scores"] == [3, 5, 1]  # 4 + 1, and seat 2 its own trick
    assert (d["phase"], d["leader"], d["mover"]) == ("name_trump", 2, 2)


@pytest.mark.parametrize("card", ["Y9", "Y5"])
def test_with_two_players_the_last_scores_its_shortfall(card: str) -> None:
    """Example 10: 6-4, seat 0 wins, with a 9 (7-4) or a 5 (8-4)."""
    d = after(make_game(NAME, 2), SIX_FOUR, f"{card} Y1")
    assert d["scores"] == [4, 3]
    assert (d["phase"], d["round"], d["leader"], d["mover"]) == ("name_trump", 1, 1, 1)


@pytest.mark.parametrize("card", ["Y9", "Y5"])
def test_with_two_players_and_literal_scoring_both_score_the_lasts_tricks(card: str) -> None:
    """Example 10, literal."""
    d = after(make_game(NAME, 2, two_player_scoring="literal"), SIX_FOUR, f"{card} Y1")
    assert d["scores"] == [4, 4]
    assert (d["phase"], d["leader"], d["mover"]) == ("name_trump", 1, 1)


@pytest.mark.parametrize(
    ("hand", "legal"),
    [("Y3 B9 G1", "Y3"), ("B9 G1", "B9 G1"), ("Y3 Y0 B9", "Y0 Y3"), ("B9 B0", "B0 B9")],
)
def test_who_can_follow_must(hand: str, legal: str) -> None:
    """Example 11: Y is led."""
    game = make_game(NAME, 2)
    size = len(hand.split())
    hands = filled(["", hand], size)
    hands[0] = " ".join(["G2", "G3", "G4"][: size - 1])
    finished = 13 - size
    d = position(hands, tricks=[6, finished - 6], trick=[[0, "Y7"]], mover=1)
    assert legal_texts(game, d) == legal.split()


def test_the_leader_may_play_anything() -> None:
    d = trick_of("Y5 Y1 Y2 Y3")
    assert legal_texts(GAME, d) == d["hands"][0]


# --- the round and the game ---------------------------------------------------------------------------


def test_in_a_deck_up_to_five_the_zero_is_above_the_five_which_counts_two() -> None:
    game = make_game(NAME, 4, preset="mini")
    hands = ["Y5 B1 G1", "Y0 B2 G2", "Y3 B3 G3", "Y4 B4 G4"]
    assert after(game, position(hands), "Y5 Y0 Y3 Y4")["tricks"] == [0, 1, 0, 0]
    hands[1] = "Y2 B2 G2"
    d = after(game, position(hands), "Y5 Y2 Y3 Y4")
    assert (d["tricks"], d["out"], d["leader"]) == ([2, 0, 0, 0], [True, False, False, False], 1)


def test_in_a_deck_up_to_four_no_trick_counts_two() -> None:
    sizes = {"hand_size": 5, "goal": 2}
    game = make_game(NAME, 3, num_ranks=5, **sizes)
    assert game.observation_layout["tricks"].axes["count"] == 2
    assert make_game(NAME, 3, num_ranks=6, **sizes).observation_layout["tricks"].axes["count"] == 3
    d = game.to_dict(game.new_states(1, seed=1))
    with pytest.raises(ValueError, match="tricks of seat 0 is 3; allowed are whole numbers from 0 to 2"):
        game.from_dict({**d, "tricks": [3, 0, 0]})


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"num_ranks": 5}, "hand_size is 13 and num_ranks is 5; allowed .* at most 6 of these 25 cards"),
        ({"hand_size": 10}, "goal is 3 and hand_size is 10; allowed for 4 players are goals of at most 2"),
        ({"goal": 4}, "goal is 4; allowed are whole numbers from 1 to 3"),
        ({"hand_size": 2}, "hand_size is 2; allowed are whole numbers from 3 to 14"),
    ],
)
def test_sizes_with_which_cards_could_run_out_are_refused(sizes: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_game(NAME, 4, **sizes)


@variants
@given(seed=SEEDS)
def test_cards_never_run_out_and_a_round_has_at_most_so_many_tricks(game: Game, seed: int) -> None:
    most = 0
    for states, _, _ in play(game, 6, seed):
        assert (states["hand_sizes"][:, : game.num_players] >= 0).all()
        going_on = states["current_player"] >= 0
        sizes = states["hand_sizes"][np.arange(6), np.maximum(states["current_player"], 0)]
        assert (sizes[going_on] > 0).all()
        most = max(most, int(states["num_tricks"].max()))
    assert most <= game.num_players * game.options["goal"] - 1 <= game.options["hand_size"]


@pytest.mark.parametrize("num_players", MOST_TRICKS)
def test_a_round_can_have_exactly_the_most_tricks(num_players: int) -> None:
    """All but one take their goal and the last just misses it, never by a double trick."""
    n, goal = num_players, reference.GOAL[num_players]
    game = make_game(NAME, n, num_rounds=1)
    assert game.new_states(1, 0)["max_tricks"][0] == MOST_TRICKS[n] == n * goal - 1
    size = reference.HAND[n] - (MOST_TRICKS[n] - 1)
    hands = filled(["Y9", "Y8", "Y6", "Y4", "Y3"][:n], size)
    tricks = [goal] * n
    tricks[n - 2 :] = [goal - 1, goal - 1]
    # The seats left one after another, with the hands that they had.
    points, total, free = (
        [0] * n,
        0,
        [card for card in reference.deck(n) if card not in " ".join(hands)],
    )
    for seat in range(n - 2):
        total += goal
        points[seat] = total - goal
        missing = MOST_TRICKS[n] - 1 - total
        hands[seat] += "".join(f" {free.pop()}" for _ in range(missing))
    d = position(hands, tricks=tricks, round_points=points, leader=n - 2)
    lead, follow = hands[n - 2].split()[0], hands[n - 1].split()[0]
    d = after(game, d, f"{lead} {follow}")
    assert d["phase"] == "over"
    assert sum(d["tricks"]) == MOST_TRICKS[n]


@variants
@given(seed=SEEDS)
def test_a_game_has_its_number_of_rounds_and_the_leader_names_trump_in_all_but_the_first(
    game: Game, seed: int
) -> None:
    rounds = {}
    for states, _, _ in play(game, 1, seed):
        d = game.to_dict(states[0])
        is_first_of_round = not d["history"] and not d["trick"] and d["round"] not in rounds
        if is_first_of_round:
            rounds[d["round"]] = d
            assert d["phase"] == ("name_trump" if d["round"] else "play")
            assert [len(hand) for hand in d["hands"]] == [game.options["hand_size"]] * game.num_players
        if d["phase"] == "name_trump":
            assert reference.legal(d) == legal_texts(game, d) == [f"trump {suit}" for suit in "BGRYP"]
            assert d["mover"] == d["leader"]
    assert list(rounds) == list(range(game.options["num_rounds"]))


@pytest.mark.parametrize("suit", "BGRYP")
def test_any_suit_may_be_named_trump(suit: str) -> None:
    d = position(filled([""] * 4, 13), phase="name_trump", trump=None, round=1, leader=2, scores=[5, 3, 4, 2])
    states = GAME.from_dict(d)
    GAME.step(states, [GAME.string_to_action(f"trump {suit}")])
    assert (states["trump"][0], GAME.to_dict(states)["trump"]) == ("BGRYP".index(suit), suit)
    assert GAME.current_players(states)[0] == 2


@pytest.mark.parametrize("num_players", reference.TOP)
def test_first_leaders_trump_suits_and_cards_are_uniform(num_players: int) -> None:
    """Chi-square tests over many deals; the seed is fixed."""
    game = make_game(NAME, num_players)
    size = reference.HAND[num_players]
    states = game.new_states(4000, seed=11)
    leaders = np.bincount(states["leader"], minlength=num_players)
    trumps = np.bincount(states["trump"], minlength=5)
    dealt = np.bincount(states["hands"][:, 0, :size].ravel(), minlength=len(reference.deck(num_players)))
    for counts in (leaders, trumps, dealt):
        assert stats.chisquare(counts).pvalue > 1e-4


def test_a_void_is_known_from_when_a_seat_does_not_follow_and_until_the_next_deal() -> None:
    states = GAME.from_dict(trick_of("Y5 G0 B12 Y3"))
    assert play_texts(GAME, states, "Y5")["known_voids"] == [[], [], [], []]
    assert play_texts(GAME, states, "G0")["known_voids"] == [[], ["Y"], [], []]
    assert play_texts(GAME, states, "B12 Y3")["known_voids"] == [[], ["Y"], ["Y"], []]


def test_voids_are_listed_in_suit_order_and_a_plain_follow_shows_nothing() -> None:
    d = {**COUNTS_1_0_2_2, "known_voids": [["P"], [], [], []]}
    d["hands"] = copy.deepcopy(d["hands"])
    d["hands"][0][d["hands"][0].index("P2")] = "R11"
    states = GAME.from_dict(d)
    assert play_texts(GAME, states, "P12 P1 R11 P3")["known_voids"] == [["P"], [], [], []]
    assert play_texts(GAME, states, "Y12")["known_voids"] == [["P"], [], [], []]
    assert play_texts(GAME, states, "B1")["known_voids"] == [["Y", "P"], [], [], []]


def test_known_voids_are_emptied_at_each_deal() -> None:
    d = {**SIX_FOUR, "known_voids": [["G", "R"], ["P"]]}
    assert after(make_game(NAME, 2), d, "Y9 Y1")["known_voids"] == [[], []]


def test_a_finished_game_keeps_everything_as_the_last_trick_left_it() -> None:
    game = make_game(NAME, 4, num_rounds=1)
    d = after(game, COUNTS_1_0_2_2, "P12 P1 P2 P3 G1 G12 G2 R12 R1 R2 Y1 Y12")
    assert d["phase"] == "over"
    assert d["mover"] is None
    assert d["leader"] is None
    assert d["round"] == 0
    assert d["trick"] == []
    assert len(d["history"]) == 4
    assert d["tricks"] == [3, 0, 3, 3]
    assert d["out"] == [True, False, True, True]  # the seat that is left is never out
    assert d["round_points"] == d["scores"] == [5, 0, 3, 6]
    assert d["winners"] == [3]
    assert d["trump"] == "B"
    assert d["hands"][2] == ["Y2", "Y3", "Y4", "Y5", "Y6", "Y7", "Y8"]  # kept, face down


@pytest.mark.parametrize(
    ("before", "winners", "outcome"),
    [
        ([0, 0, 0, 0], [3], [-1 / 3, -1 / 3, -1 / 3, 1]),
        ([1, 6, 0, 0], [0, 1, 3], [1 / 3, 1 / 3, -1, 1 / 3]),
        ([1, 6, 3, 0], [0, 1, 2, 3], [0, 0, 0, 0]),
        ([0, 7, 0, 1], [1, 3], [-1 / 2, 1 / 2, -1 / 2, 1 / 2]),
    ],
)
def test_the_highest_total_wins_and_ties_share_the_win(
    before: list[int], winners: list[int], outcome: list[float]
) -> None:
    """The round brings 5, 0, 3, 6."""
    game = make_game(NAME, 4, num_rounds=2)
    states = game.from_dict({**COUNTS_1_0_2_2, "round": 1, "scores": before})
    d = play_texts(game, states, "P12 P1 P2 P3 G1 G12 G2 R12 R1 R2 Y1 Y12")
    assert d["winners"] == winners
    np.testing.assert_allclose(game.returns(states)[0], outcome, rtol=1e-6)


def test_points_are_rewards_at_once_divided_by_ten() -> None:
    game = make_game(NAME, 4, reward="score")
    states = game.from_dict(COUNTS_1_0_2_2)
    play_texts(game, states, "P12 P1 P2")
    np.testing.assert_allclose(game.step(states, [game.string_to_action("P3")]), [[0, 0, 0.3, 0]], rtol=1e-6)
    play_texts(game, states, "G1 G12 G2 R12 R1 R2 Y1")
    np.testing.assert_allclose(game.step(states, [game.string_to_action("Y12")]), [[0, 0, 0, 0.6]], rtol=1e-6)


@variants
@given(seed=SEEDS)
def test_every_step_is_as_the_slow_reference_plays_it(game: Game, seed: int) -> None:
    steps = play(game, 1, seed)
    states, actions, _ = next(steps)
    d = game.to_dict(states[0])
    for next_states, next_actions, _ in steps:
        texts = [game.action_to_string(a) for a in np.flatnonzero(game.action_masks(states)[0])]
        assert texts == reference.legal(d)
        expected = reference.play(d, game.action_to_string(actions[0]), game.options)
        d = game.to_dict(next_states[0])
        if expected["hands"] is None:  # a new deal
            expected["hands"] = d["hands"]
        assert d == expected
        states, actions = next_states, next_actions


# --- observations -------------------------------------------------------------------------------------


def thermometer(count: int, size: int) -> list[int]:
    """The first `count` of `size` features are set."""
    return [int(i < count) for i in range(size)]


def expected_observation(game: Game, d: dict[str, Any], seat: int) -> list[int]:
    """An observation, computed slowly from a dict: group by group, by their names in the layout."""
    n = game.num_players
    seats = [(seat + i) % n for i in range(n)]
    cards = reference.deck(n, game.options["num_ranks"])
    goal, most_tricks = game.options["goal"], n * game.options["goal"] - 1
    plays = [[tuple(pair) for pair in trick] for trick in d["history"]]
    num_rounds = game.options["num_rounds"]
    most_taken = goal + 1 if f"{reference.SUITS[0]}5" in cards else goal
    most = max(goal, sum([most_taken] * (n - 2)) + goal - 1)
    in_trick = {tuple(pair) for pair in d["trick"]}
    shown_in = [{card for _, card in trick} for trick in plays]
    leaders = [*(trick[0][0] for trick in plays), d["leader"]]
    earlier = {pair for trick in plays for pair in trick}
    groups = {
        "hand": [card in d["hands"][seat] for card in cards],
        "trick": [(player, card) in in_trick for player in seats for card in cards],
        "played": [(player, card) in earlier for player in seats for card in cards],
        "played_in": [
            card in shown for shown in [*shown_in, *[()] * (most_tricks - len(plays))] for card in cards
        ],
        "leader_in": [
            number < len(leaders) and leaders[number] == player
            for number in range(most_tricks)
            for player in seats
        ],
        "known_voids": [suit in d["known_voids"][player] for player in seats for suit in "BGRYP"],
        "trump": [suit == d["trump"] for suit in "BGRYP"],
        "current_player": [player == d["mover"] for player in seats],
        "leader": [player == d["leader"] for player in seats],
        "out": [d["out"][player] for player in seats],
        "num_tricks": [number == len(plays) for number in range(most_tricks)],
        "tricks": [x for player in seats for x in thermometer(d["tricks"][player], most_taken)],
        "round_points": [x for player in seats for x in thermometer(d["round_points"][player], most)],
        "round": [number == d["round"] for number in range(num_rounds)],
        "scores": [x for player in seats for x in thermometer(d["scores"][player], num_rounds * most)],
    }
    assert set(groups) == set(game.observation_layout)
    assert max(d["round_points"]) <= most
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


# --- what a seat knows --------------------------------------------------------------------------------

NINE_EIGHT = position(filled(["Y9 Y8", "Y1 Y2"], 13), leader=0)


def test_the_information_text_tells_orders_of_play_apart() -> None:
    """The same cards, taken by the same seat, in another order: other texts, and other observations."""
    game = make_game(NAME, 2)
    first, second = game.from_dict(NINE_EIGHT), game.from_dict(NINE_EIGHT)
    one, two = play_texts(game, first, "Y9 Y1 Y8 Y2"), play_texts(game, second, "Y8 Y2 Y9 Y1")
    assert one["history"] != two["history"]
    assert {**one, "history": 0} == {**two, "history": 0}
    for seat in (0, 1):
        texts = {game.information_state_string(states, seat) for states in (first, second)}
        assert len(texts) == 2
        assert (game.observations(first, seat) != game.observations(second, seat)).any()


def test_the_information_text_is_the_same_when_only_hidden_cards_differ() -> None:
    game = make_game(NAME, 2)
    other = copy.deepcopy(NINE_EIGHT)
    unused = next(c for c in reference.deck(2) if c not in NINE_EIGHT["hands"][0] + NINE_EIGHT["hands"][1])
    other["hands"][1][0] = unused
    other["hands"][1].sort(key=reference.deck(2).index)
    first, second = (play_texts_states(game, d, "Y9 Y1") for d in (NINE_EIGHT, other))
    assert game.information_state_string(first, 0) == game.information_state_string(second, 0)
    assert game.information_state_string(first, 1) != game.information_state_string(second, 1)


def play_texts_states(game: Game, d: dict[str, Any], texts: str) -> States:
    """The states after these cards."""
    states = game.from_dict(d)
    play_texts(game, states, texts)
    return states


def test_the_information_text_tells_scores_apart() -> None:
    d = {**COUNTS_1_0_2_2, "round": 1, "scores": [1, 2, 3, 4]}
    first, second = GAME.from_dict(d), GAME.from_dict({**d, "scores": [1, 2, 3, 5]})
    assert GAME.information_state_string(first, 0) != GAME.information_state_string(second, 0)


@variants
@given(seed=SEEDS)
def test_resampling_changes_nothing_but_the_other_hands(game: Game, seed: int) -> None:
    states = reached_states(game, 6, seed)
    for seat in range(game.num_players):
        for before, drawn in zip(states, game.resample(states, seat, seed), strict=True):
            old, new = game.to_dict(before), game.to_dict(drawn)
            old["hands"], new["hands"] = [old["hands"][seat]], [new["hands"][seat]]
            assert new == old


def test_a_hand_that_has_left_the_round_stays_hidden() -> None:
    d = after(GAME, COUNTS_1_0_2_2, "P12 P1 P2 P3")
    states = np.repeat(GAME.from_dict(d), 50)
    hands = {tuple(GAME.to_dict(world)["hands"][2]) for world in GAME.resample(states, 0, seed=1)}
    assert len(hands) == 50
    assert d["hands"][2][0] not in GAME.render(states[0], 0).split()


def possible_worlds(d: dict[str, Any], seat: int, limit: int) -> list[tuple[tuple[str, ...], ...]] | None:
    """All hands of all seats that fit what a seat has seen; None if there may be too many to list."""
    n = d["num_players"]
    shown = [card for plays in (*d["history"], d["trick"]) for _, card in plays]
    unseen = [card for card in reference.deck(n) if card not in d["hands"][seat] and card not in shown]

    def fitting(player: int, left: list[str]) -> list[str]:
        return [card for card in left if card[0] not in d["known_voids"][player]]

    bound = 1
    for player in range(n):
        if player != seat:
            bound *= comb(len(fitting(player, unseen)), len(d["hands"][player]))
    if bound > limit:
        return None

    def deals(player: int, left: list[str]) -> Iterator[tuple[tuple[str, ...], ...]]:
        if player == n:
            yield ()
            return
        size = len(d["hands"][player])
        choices = [tuple(d["hands"][seat])]
        if player != seat:
            choices = list(itertools.combinations(fitting(player, left), size))
        for hand in choices:
            for rest in deals(player + 1, [card for card in left if card not in hand]):
                yield (hand, *rest)

    return list(deals(0, unseen))


def late_cases(least: int, most: int, count: int) -> list[tuple[Game, States, int, list[Any]]]:
    """Late positions of random games of two, in which a seat knows so much that few worlds are left."""
    game = make_game(NAME, 2, num_rounds=1)
    cases: list[tuple[Game, States, int, list[Any]]] = []
    for states, _, _ in play(game, 200, seed=20):
        for i in np.flatnonzero(states["num_tricks"] >= 8):
            d, seat = game.to_dict(states[i]), int(i % 2)
            worlds = possible_worlds(d, seat, limit=most) if d["known_voids"][1 - seat] else None
            if worlds and len(worlds) >= least and len(cases) < count:
                cases.append((game, states[i : i + 1].copy(), seat, worlds))
    assert len(cases) == count
    return cases


def nested_voids_case() -> tuple[Game, States, int, list[Any]]:
    """Three players: seat 0 has left, seat 1 can hold only Y and P, seat 2 only P."""
    game = make_game(NAME, 3)
    d = position(
        ["Y1 Y2 P0 P1 P2 P3 P4 P5 P6", "Y3 P7", "P8 P9 P10"],
        tricks=[4, 3, 3],
        leader=1,
        trick=[[1, "Y0"]],
        mover=2,
        known_voids=[[], ["B", "G", "R"], ["B", "G", "R", "Y"]],
        history=[],
    )
    return game, game.from_dict(d), 0, possible_worlds(d, 0, limit=5000)


@pytest.mark.parametrize(
    "cases",
    [
        pytest.param(lambda: late_cases(least=10, most=60, count=3), id="two players, late"),
        pytest.param(lambda: late_cases(least=100, most=500, count=2), id="two players, more worlds"),
        pytest.param(lambda: [nested_voids_case()], id="three players with nested voids"),
    ],
)
def test_resampling_reaches_every_possible_world_equally_often(
    cases: Callable[[], list[Any]],
) -> None:
    """All worlds are listed by brute force; a chi-square test with a fixed seed."""
    for game, state, seat, worlds in cases():
        number = {world: i for i, world in enumerate(worlds)}
        drawn = game.resample(np.repeat(state, 25 * len(worlds)), seat, seed=12)
        texts = np.array(game.action_texts)
        counts = np.zeros(len(worlds), int)
        for hands, sizes in zip(drawn["hands"], drawn["hand_sizes"], strict=True):
            world = (texts[hands[p, : sizes[p]]].tolist() for p in range(game.num_players))
            counts[number[tuple(map(tuple, world))]] += 1
        assert counts.min() > 0
        assert stats.chisquare(counts).pvalue > 1e-4


# --- data ---------------------------------------------------------------------------------------------

COUNTS = json.loads((DATA / "voodoo_prince_counts.json").read_text())["positions"]


@pytest.mark.parametrize("case", COUNTS, ids=[case["comment"] for case in COUNTS])
def test_all_plays_below_an_ending_are_counted(case: dict[str, Any]) -> None:
    d = case["position"]
    game = make_game(NAME, d["num_players"], **case["options"])
    for depth, count in case["counts"]:
        assert game.count_plays(game.from_dict(d), depth) == count
    depth, count = next(pair for pair in reversed(case["counts"]) if pair[1] < 3000)
    full = game.to_dict(game.from_dict(d))
    assert reference.count_plays(full, depth, game.options) == count


@pytest.mark.parametrize("file", ["voodoo_prince_4_players.txt", "voodoo_prince_2_players_literal.txt"])
def test_a_written_down_game_is_played_line_by_line(file: str) -> None:
    lines = [line.split("#")[0].split() for line in (DATA / file).read_text().splitlines()]
    lines = [line for line in lines if line]
    game: Game | None = None
    states, d, hands = None, {}, []
    for keyword, *words in lines:
        if keyword == "players":
            options = dict(word.split("=") for word in words[1:])
            options["num_rounds"] = int(options["num_rounds"])
            game = make_game(NAME, int(words[0]), **options)
        elif keyword == "round":  # round R leader L, and trump S if it is turned up
            hands, facts = [], dict(zip(words[1::2], words[2::2], strict=True))
            start = {"round": int(words[0]), "leader": int(facts["leader"])}
            start["trump"] = facts.get("trump")
            start["phase"] = "play" if start["trump"] else "name_trump"
            start["scores"] = d.get("scores", [0] * game.num_players)
            if d:
                assert {key: d[key] for key in start} == start
        elif keyword == "hand":
            hands.append(" ".join(words[1:]))
            assert int(words[0]) == len(hands) - 1
            if len(hands) == game.num_players:
                states = game.from_dict(position(hands, **start))
                d = game.to_dict(states)
        elif keyword == "trump":
            assert game.action_masks(states)[0, game.string_to_action(f"trump {words[0]}")]
            game.step(states, [game.string_to_action(f"trump {words[0]}")])
            d = game.to_dict(states)
        elif keyword == "trick":
            d = replay_trick(game, states, d, words)
        elif keyword == "scores":
            assert d["scores"] == [int(word) for word in words]
        elif keyword == "winners":
            assert d["winners"] == [int(word) for word in words]
            assert d["phase"] == "over"
        else:
            raise AssertionError(f"unknown line: {keyword}")
    assert d["phase"] == "over"


def replay_trick(game: Game, states: States, before: dict[str, Any], words: list[str]) -> dict[str, Any]:
    """Plays a line such as `trick 0:Y5 1:Y7 wins 1 tricks 0 2 leaves 1 with 3 last 0 with 1`."""
    at = words.index("wins")
    for word in words[:at]:
        seat, card = word.split(":")
        assert game.current_players(states)[0] == int(seat)
        play_texts(game, states, card)
    d = game.to_dict(states)
    winner, facts = int(words[at + 1]), words[at + 2 :]
    n = game.num_players
    assert facts[0] == "tricks"
    tricks, facts = [int(word) for word in facts[1 : n + 1]], facts[n + 1 :]
    gained = [0] * n
    for who in range(0, len(facts), 4):  # leaves S with P, last S with P
        gained[int(facts[who + 1])] += int(facts[who + 3])
    assert [new - old for new, old in zip(d["scores"], before["scores"], strict=True)] == gained
    has_ended = "last" in facts
    assert has_ended == (d["round"] > before["round"] or d["phase"] == "over")
    if not has_ended:
        assert d["tricks"] == tricks
        leaves = "leaves" in facts
        assert d["out"][winner] == leaves
        assert leaves or d["leader"] == winner
    elif d["phase"] == "over":
        assert d["tricks"] == tricks
    return d
