"""The rules of Take That Toy!: the rules' cases, and properties over random games."""

import copy
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from tests.games import take_that_toy_reference as reference
from tests.games.take_that_toy_positions import (
    EARLIER_FIVE,
    GAMES,
    NAME,
    SEEDS,
    after,
    burst_of,
    play_texts,
    position,
    variants,
)
from tests.helpers import play, reached_states
from trick_envs import make_game
from trick_envs.core.game import Game
from trick_envs.games.take_that_toy.rules import (
    MAX_BURST_CARDS,
    MAX_HAND,
    MAX_TRICKS,
    most_bursts,
    most_tricks,
)

DATA = Path(__file__).parent / "data"


tables = pytest.mark.parametrize("num_players", [3, 4, 5])


def winner_of(cards: str, **options: Any) -> int:
    """Who wins a trick that seat 0 leads; trump C."""
    hands = cards.split()
    d = after(make_game(NAME, len(hands), **options), position(hands), cards)
    (winner,) = [seat for seat, display in enumerate(d["display"]) if display]
    assert d["display"][winner] == sorted(hands)
    assert d["leader"] == d["mover"] == winner
    assert d["history"] == [[[seat, card] for seat, card in enumerate(hands)]]
    return winner


# --- the worked examples --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "winner"),
    [
        pytest.param("A3 A6 B8", 1, id="the highest card of the lead suit wins without a trump"),
        pytest.param("A8 C2 C1", 1, id="the highest trump wins; a 1 without its 7 is the lowest"),
        pytest.param("A8 C7 C1 C3", 2, id="a trump 1 beats the trump 7 beside it"),
        pytest.param("A1 A6 A7", 0, id="a 1 counts as 8 by a 7 that comes later"),
        pytest.param("A7 B1 A1", 2, id="a 1 counts as 8 by a 7 before it; another suit's 1 doesn't"),
        pytest.param("A4 B1 B7", 0, id="a turned 1 of another suit than the lead can't win"),
        pytest.param("A1 B7 A2", 2, id="a 7 of another suit turns no 1"),
        pytest.param("A8 A1 B5", 0, id="an 8 turns no 1"),
        pytest.param("C7 C8 C1", 2, id="a turned trump 1 beats the trump 8"),
        pytest.param("A7 A1 C1", 2, id="a trump 1 beats a turned 1"),
        pytest.param("A2 B8 D8 E8 A3", 4, id="what is neither trump nor lead suit can't win"),
        pytest.param("E1 B8 D8", 0, id="a lead 1 wins if nobody follows"),
    ],
)
def test_the_winner_of_a_trick(cards: str, winner: int) -> None:
    """Examples 1 and 2 and more like them; trump C, seat 0 leads."""
    for rule in ("one", "eight", "earlier", "later"):
        if cards != "C7 C8 C1":
            assert winner_of(cards, turned_one_vs_eight=rule) == winner
    assert winner_of(cards) == winner


@pytest.mark.parametrize(
    ("cards", "one", "eight", "earlier", "later"),
    [("A7 A8 A1", 2, 1, 1, 2), ("A7 A1 A8", 1, 2, 1, 2), ("A1 A8 A7", 0, 1, 0, 1), ("C8 C7 C1", 2, 0, 0, 2)],
)
def test_the_setting_says_whether_a_turned_one_or_the_real_eight_is_higher(
    cards: str, one: int, eight: int, earlier: int, later: int
) -> None:
    """Example 3."""
    expected = {"one": one, "eight": eight, "earlier": earlier, "later": later}
    for rule, winner in expected.items():
        assert winner_of(cards, turned_one_vs_eight=rule) == winner, rule


@pytest.mark.parametrize(
    ("cards", "one", "eight", "earlier", "later"),
    [
        ("A1 A2 A3", 0, 0, 0, 0),
        ("A3 B3 A1", 2, 2, 2, 2),
        ("A1 A2 B3", 1, 1, 1, 1),
        ("A4 A1 A3", 1, 0, 0, 1),
        ("A1 A4 A3", 0, 1, 0, 1),
        ("A4 A1 B3", 0, 0, 0, 0),
    ],
)
def test_in_a_deck_of_four_ranks_a_one_counts_as_four_by_the_three(
    cards: str, one: int, eight: int, earlier: int, later: int
) -> None:
    for rule, winner in {"one": one, "eight": eight, "earlier": earlier, "later": later}.items():
        game = make_game(NAME, 3, preset="mini", turned_one_vs_eight=rule)
        d = position(cards.split(), hand_size=4, num_ranks=4, trump_card="C3")
        assert after(game, d, cards)["leader"] == winner, rule


def test_four_of_a_suit_burst_in_a_small_deck_too() -> None:
    game = make_game(NAME, 3, preset="mini")
    d = position(
        ["A1 B2", "B4 E2", "B3 E3"], ["A2 A3 A4 D1 D2 E1", "", ""], hand_size=4, num_ranks=4, trump_card="C4"
    )
    d = after(game, d, "A1 B4 B3")
    assert d["bursts"][0]["cards"] == ["A1", "A2", "A3", "A4"]
    assert d["display"] == [["B3", "B4", "D1", "D2", "E1"], [], []]
    assert [len(hand) for hand in d["hands"]] == [1, 2, 2]


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        (
            {"num_ranks": 5},
            "hand_size is 8 and num_ranks is 5; allowed for 4 players are hands of at most 6 of",
        ),
        (
            {"num_ranks": 4, "hand_size": 5},
            "hand_size is 5 and num_ranks is 4; allowed .* at most 4 of these 20",
        ),
        ({"num_ranks": 3}, "num_ranks is 3; allowed are whole numbers from 4 to 8"),
    ],
)
def test_sizes_that_leave_no_trump_card_or_no_burst_are_refused(sizes: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_game(NAME, 4, **sizes)


def test_nobody_has_to_follow() -> None:
    """Example 4: A5 is led."""
    game = make_game(NAME, 3, hand_size=3)
    states = game.from_dict(position(["A5", "A2 B1 C8", ""], hand_size=3))
    play_texts(game, states, "A5")
    legal = [game.action_to_string(action) for action in np.flatnonzero(game.action_masks(states)[0])]
    assert legal == ["A2", "B1", "C8"]


@pytest.mark.parametrize("seed", range(5))
def test_a_burst_in_the_trick_that_brings_the_fifth_suit_comes_first_and_nobody_wins(seed: int) -> None:
    """Example 5."""
    d = position(["A2", "E4", "B6"], ["A3 A5 A6 B2 C2 D2", "", ""])
    sizes = [len(hand) for hand in d["hands"]]
    d = after(GAMES[3], d, "A2 E4 B6", seed)
    assert d["display"] == [["B2", "B6", "C2", "D2", "E4"], [], []]
    assert d["scores"] == [4, 0, 0]
    assert (d["phase"], d["winners"], d["leader"]) == ("play", [], 0)
    (burst,) = d["bursts"]
    assert (burst["seat"], burst["cards"]) == (0, ["A2", "A3", "A5", "A6"])
    assert set(burst["dealt"]) == {"1", "2"}
    assert sorted([*burst["dealt"].values(), *d["discarded"]]) == burst["cards"]
    assert all(burst["dealt"][str(seat)] in d["hands"][seat] for seat in (1, 2))
    assert [len(hand) for hand in d["hands"]] == [sizes[0] - 1, sizes[1], sizes[2]]


def test_five_suits_win_at_once_with_cards_still_in_all_hands() -> None:
    """Example 6."""
    d = position(["E5", "B3 E3", "E2 E1"], ["A3 B2 B5 C2 D2 D3 D4", "", ""], [EARLIER_FIVE])
    d = after(GAMES[3], d, "E5 B3 E2")
    assert d["display"][0] == ["A3", "B2", "B3", "B5", "C2", "D2", "D3", "D4", "E2", "E5"]
    assert (d["phase"], d["mover"], d["leader"]) == ("over", None, None)
    assert d["winners"] == [0]
    assert d["scores"] == [5, 0, 0]
    assert all(d["hands"])
    assert GAMES[3].returns(GAMES[3].from_dict(d)).tolist() == [[1.0, -0.5, -0.5]]


@pytest.mark.parametrize("seed", range(5))
def test_two_suits_that_burst_at_once_are_shuffled_together(seed: int) -> None:
    """Example 7."""
    d = after(GAMES[5], TWO_SUITS_BURST, "A2 B4 C1 D1 A5", seed)
    assert d["display"][2] == ["C1", "D1"]
    burst = d["bursts"][1]
    assert burst["cards"] == ["A1", "A2", "A3", "A4", "A5", "B1", "B2", "B3", "B4"]
    assert set(burst["dealt"]) == {"0", "1", "3", "4"}
    assert len(d["discarded"]) == 5
    assert sorted([*burst["dealt"].values(), *d["discarded"]]) == burst["cards"]


@pytest.mark.parametrize(
    ("displays", "winners"),
    [
        (["A1 A2 B1 B2 C1 C2 D1", "A3 A4 B3 B4 C3 C4 D3 D4", "A5 A6 A7 B5 B6 B7 E1 E2 E3"], [1]),
        (["A1 B1", "A2 B2 C1 C2", "D1 E1 E2"], [1]),
        (["A1 A2 A3", "B1 C1", "D1 D2 D3 E1"], [2]),
        (["A1 B1 C1", "A2 B2 C2", "A3 B3 C3"], [0, 1, 2]),
        (["A1 B1 B2", "A2 C1 C2", "E1 E2 E3"], [0, 1]),
    ],
)
def test_with_an_empty_hand_most_suits_win_then_most_cards(displays: list[str], winners: list[int]) -> None:
    """Example 8 and more like it."""
    hand_size = sum(len(display.split()) for display in displays) // 3
    game = make_game(NAME, 3, hand_size=hand_size)
    d = position(["", "", ""], displays, hand_size=hand_size, leader=None, phase="over", winners=winners)
    assert game.to_dict(game.from_dict(d))["winners"] == winners
    others = [seat for seat in range(3) if seat not in winners]
    with pytest.raises(ValueError, match="winners is"):
        game.from_dict({**d, "winners": others})


def test_the_last_trick_counts_before_the_hands_are_looked_at() -> None:
    game = make_game(NAME, 3, hand_size=3)
    d = position(["A8", "B2", "D3"], ["A1 B1", "A2 C1 C2 B3", ""], hand_size=3)
    d = after(game, d, "A8 B2 D3")
    assert d["phase"] == "over"
    assert d["scores"] == [3, 3, 0]  # 5 cards against 4
    assert d["winners"] == [0]


def test_a_seat_that_receives_a_card_after_playing_its_last_one_plays_on() -> None:
    """Example 9, first half: seat 1 has no card left when seat 0 bursts."""
    game = make_game(NAME, 3, hand_size=4)
    assert [len(hand) for hand in SEAT_1_IS_REFILLED["hands"]] == [2, 1, 2]
    d = after(game, SEAT_1_IS_REFILLED, "A8 A1 E1")
    assert [len(hand) for hand in d["hands"]] == [1, 1, 2]
    assert (d["phase"], d["leader"]) == ("play", 0)


def test_a_seat_that_bursts_with_its_last_card_ends_the_game() -> None:
    """Example 9, second half: it gets nothing."""
    game = make_game(NAME, 3, hand_size=4)
    d = position(["A8", "A1", "B4"], ["A3 A4 A5", "B1 B2 B3", "D1 D2 D3"], hand_size=4)
    d = after(game, d, "A8 A1 B4")
    assert d["phase"] == "over"
    assert [len(hand) for hand in d["hands"]] == [0, 1, 1]
    assert d["display"][0] == ["B4"]
    assert d["winners"] == [1, 2]


def test_a_card_of_a_burst_can_be_played_from_the_next_trick_on_and_is_not_laid_out_before() -> None:
    states = GAMES[3].from_dict(position(["A2", "E4", "B6"], ["A3 A5 A6 B2 C2 D2", "", ""]))
    d = play_texts(GAMES[3], states, "A2 E4 B6")
    received = d["bursts"][0]["dealt"]["1"]
    assert not any(card[0] == "A" for display in d["display"] for card in display)
    d = play_texts(GAMES[3], states, f"{d['hands'][0][0]} {received}")
    assert d["trick"][1] == [1, received]


# --- options: several suits that burst at once, and the last card ---------------------------------------

TWO_SUITS_BURST = position(
    ["A2 D5", "B4 D6", "C1", "D1 D3", "A5 D4"],
    ["", "", "A1 A3 A4 B1 B2 B3", "", ""],
    [burst_of(2, "D3 D4 D5 D6", to_3="D3", to_4="D4", to_0="D5", to_1="D6")],
)
"""Example 7: with A2 B4 C1 D1 A5, seat 2 gets its fourth cards of both A and B."""


@pytest.mark.parametrize("seed", range(5))
def test_suits_that_burst_separately_are_each_dealt_to_all_others(seed: int) -> None:
    d = after(make_game(NAME, 5, several_bursts="separately"), TWO_SUITS_BURST, "A2 B4 C1 D1 A5", seed)
    assert d["display"][2] == ["C1", "D1"]
    first, second = d["bursts"][1:]
    assert (first["seat"], first["cards"]) == (2, ["A1", "A2", "A3", "A4", "A5"])
    assert (second["seat"], second["cards"]) == (2, ["B1", "B2", "B3", "B4"])
    assert set(first["dealt"]) == {"0", "1", "3", "4"}
    assert sorted(second["dealt"].values()) == second["cards"]
    assert sorted([*first["dealt"].values(), *d["discarded"]]) == first["cards"]
    before = [len(hand) for hand in TWO_SUITS_BURST["hands"]]
    assert [len(hand) for hand in d["hands"]] == [
        size - 1 + (0 if seat == 2 else 2) for seat, size in enumerate(before)
    ]
    for burst in (first, second):
        assert all(card in d["hands"][int(seat)] for seat, card in burst["dealt"].items())


@pytest.mark.parametrize("seed", range(5))
def test_a_single_suit_that_bursts_is_dealt_in_the_same_way_by_either_setting(seed: int) -> None:
    d = position(["A2", "E4", "B6"], ["A3 A5 A6 B2 C2 D2", "", ""])
    games = [make_game(NAME, 3, several_bursts=setting) for setting in ("together", "separately")]
    together, separately = (after(game, d, "A2 E4 B6", seed) for game in games)
    assert together == separately


def test_suits_that_burst_separately_are_dealt_uniformly() -> None:
    game = make_game(NAME, 5, several_bursts="separately")
    states = np.repeat(game.from_dict(TWO_SUITS_BURST), 3000)
    states["rng"] = np.arange(3000)
    for text in ("A2", "B4", "C1", "D1", "A5"):
        game.step(states, np.full(3000, game.string_to_action(text)))
    for number, num_deals in ((1, 5 * 4 * 3 * 2), (2, 4 * 3 * 2)):
        _, counts = np.unique(states["dealt"][:, number], axis=0, return_counts=True)
        assert len(counts) == num_deals
        assert stats.chisquare(counts).pvalue > 1e-4


def test_hands_can_grow_beyond_the_deal_if_four_suits_burst_separately() -> None:
    a_burst_twice = [burst_of(0, "A1 A2 A3 A4", to_1="A1", to_2="A2", to_3="A3", to_4="A4")] * 2
    displays = ["B1 B2 B3 C1 C2 C3 D1 D2 D3 E1 E2 E3", "", "", "", ""]
    d = position(["C8", "B4 A1", "D4 A2", "E4 A3", "B5 A4"], displays, a_burst_twice)
    game = make_game(NAME, 5, several_bursts="separately")
    d = after(game, d, "C8 B4 D4 E4 B5")
    assert [len(hand) for hand in d["hands"]] == [1, 7, 7, 7, 7]
    assert d["phase"] == "play"
    assert [burst["cards"][0][0] for burst in d["bursts"][2:]] == ["B", "C", "D", "E"]
    assert game.options["hand_size"] == 6
    assert game.observation_layout["hand_sizes"].axes["count"] >= 7


def five_who_could_go_on_for_ever() -> dict[str, Any]:
    """Ten tricks from hands of 3; in five of them A and B burst together, and all cards came back."""
    cards = {suit: [f"{suit}{rank}" for rank in (1, 2, 3, 4)] for suit in "AB"}
    bursts = []
    for burster, suits in ((0, "AB"), (1, "AB"), (2, "AB"), (3, "AB"), (4, "AB"), (0, "A"), (1, "A")):
        others = [seat for seat in range(5) if seat != burster]
        for suit in suits:
            dealt = {f"to_{seat}": card for seat, card in zip(others, cards[suit], strict=True)}
            bursts.append(burst_of(burster, " ".join(cards[suit]), **dealt))
    held = [
        f"{bursts[9]['dealt'].get(str(seat), '')} {bursts[11]['dealt'].get(str(seat), '')}"
        for seat in range(5)
    ]
    return position(held, ["D1 E1", "", "", "", ""], bursts, hand_size=3)


def test_a_round_of_five_that_could_go_on_for_ever_ends_after_eleven_tricks() -> None:
    game = make_game(NAME, 5, hand_size=3, several_bursts="separately")
    d = five_who_could_go_on_for_ever()
    assert [len(hand) for hand in d["hands"]] == [2, 2, 3, 3, 3]
    assert game.new_states(1, 0)["max_tricks"][0] == 11
    states = game.from_dict(d)
    while game.current_players(states)[0] >= 0:
        game.step(states, game.action_masks(states).argmax(axis=1))
    d = game.to_dict(states)
    assert len(d["history"]) == 1
    assert all(d["hands"])
    assert d["phase"] == "over"
    assert game.to_dict(game.from_dict({**d, "history": []})) == {**d, "history": []}
    with pytest.raises(ValueError, match="phase is 'play' after 11 tricks"):
        game.from_dict({**d, "history": [], "phase": "play", "leader": 0, "mover": 0, "winners": []})


SEAT_1_IS_REFILLED = position(
    ["A8 E2", "A1", "E1"],
    ["A3 A4 A5", "B1 B2", ""],
    [burst_of(1, "E1 E2 E3 E4", to_2="E1", to_0="E2")],
    hand_size=4,
)
"""Example 9: with A8 A1 E1, seat 1 plays its last card and gets another one."""


@pytest.mark.parametrize("several_bursts", ["together", "separately"])
def test_the_last_card_ends_the_round_though_a_burst_deals_another_one(several_bursts: str) -> None:
    game = make_game(NAME, 3, hand_size=4, last_card_ends=True, several_bursts=several_bursts)
    d = after(game, SEAT_1_IS_REFILLED, "A8 A1 E1")
    assert [len(hand) for hand in d["hands"]] == [1, 1, 2]
    assert (d["phase"], d["winners"]) == ("over", [1])
    assert d["display"] == [["E1"], ["B1", "B2"], []]
    assert game.to_dict(game.from_dict(d)) == d
    bare = {**d, "history": []}
    assert game.to_dict(game.from_dict(bare)) == bare


def test_a_burst_does_not_end_the_round_while_all_seats_still_have_a_card() -> None:
    game = make_game(NAME, 3, last_card_ends=True)
    d = after(game, position(["A2", "E4", "B6"], ["A3 A5 A6 B2 C2 D2", "", ""]), "A2 E4 B6")
    assert d == after(GAMES[3], position(["A2", "E4", "B6"], ["A3 A5 A6 B2 C2 D2", "", ""]), "A2 E4 B6")
    assert d["phase"] == "play"


# --- options: several rounds ----------------------------------------------------------------------------

LAST_TRICK = position(["A8", "B2", "D3"], ["A1 B1", "A2 C1 C2 B3", ""], hand_size=3)
"""With A8 B2 D3 seat 0 has three suits and five cards, seat 1 three suits and four cards."""


def test_each_of_several_rounds_is_a_point_for_its_winner_and_a_new_one_is_dealt() -> None:
    game = make_game(NAME, 3, hand_size=3, num_rounds=3, reward="score")
    states = game.from_dict({**LAST_TRICK, "round": 1, "scores": [0, 1, 0]})
    play_texts(game, states, "A8 B2")
    rewards = game.step(states, [game.string_to_action("D3")])
    np.testing.assert_allclose(rewards, [[0.2, 0, 0]], rtol=1e-6)
    d = game.to_dict(states)
    assert (d["round"], d["scores"], d["phase"], d["winners"]) == (2, [1, 1, 0], "play", [])
    assert [len(hand) for hand in d["hands"]] == [3, 3, 3]
    assert len(d["left_over"]) == 40 - 9 - 1
    assert (d["trick"], d["history"], d["bursts"], d["discarded"]) == ([], [], [], [])
    assert d["display"] == [[], [], []]
    assert d["mover"] == d["leader"]


def test_scores_of_several_rounds_stay_as_they_are_within_a_round() -> None:
    game = make_game(NAME, 3, num_rounds=2)
    d = {**position(["A2", "E4", "B6"], ["A3 A5 A6 B2 C2 D2", "", ""]), "round": 1, "scores": [1, 1, 0]}
    assert after(game, d, "A2 E4 B6")["scores"] == [1, 1, 0]


@pytest.mark.parametrize(
    ("scores", "total", "winners"),
    [([0, 2, 0], [1, 2, 0], [1]), ([1, 0, 1], [2, 0, 1], [0]), ([1, 2, 1], [2, 2, 1], [0, 1])],
)
def test_whoever_has_won_most_rounds_wins_the_game_and_ties_share_it(
    scores: list[int], total: list[int], winners: list[int]
) -> None:
    game = make_game(NAME, 3, hand_size=3, num_rounds=3)
    d = after(game, {**LAST_TRICK, "round": 2, "scores": scores}, "A8 B2 D3")
    assert (d["phase"], d["round"], d["scores"], d["winners"]) == ("over", 2, total, winners)
    assert game.to_dict(game.from_dict(d)) == d


def test_a_round_whose_win_is_shared_is_a_point_for_each_of_its_winners() -> None:
    game = make_game(NAME, 3, hand_size=4, num_rounds=2)
    d = position(["A8", "A1", "B4"], ["A3 A4 A5", "B1 B2 B3", "D1 D2 D3"], hand_size=4)
    d = after(game, {**d, "scores": [0, 0, 0]}, "A8 A1 B4")
    assert (d["round"], d["scores"]) == (1, [0, 1, 1])


def test_five_suits_win_the_round_not_the_game() -> None:
    game = make_game(NAME, 3, num_rounds=2)
    d = position(["E5", "B3 E3", "E2 E1"], ["A3 B2 B5 C2 D2 D3 D4", "", ""], [EARLIER_FIVE], scores=[0, 0, 0])
    d = after(game, d, "E5 B3 E2")
    assert (d["phase"], d["round"], d["scores"]) == ("play", 1, [1, 0, 0])


@tables
def test_every_round_is_dealt_anew_and_led_by_any_seat(num_players: int) -> None:
    """Chi-square tests over the second rounds of many games; the seed is fixed."""
    game = make_game(NAME, num_players, hand_size=1, num_rounds=2)
    states = game.new_states(1000, seed=3)
    first = states.copy()
    for _ in range(num_players):
        game.step(states, game.action_masks(states).argmax(axis=1))
    assert (states["round_number"] == 1).all()
    for leader in range(num_players):  # whoever led the first round
        counts = np.bincount(states["leader"][first["leader"] == leader], minlength=num_players)
        assert stats.chisquare(counts).pvalue > 1e-4
    for counts in (
        np.bincount(states["trump_card"], minlength=40),
        np.bincount((states["hands"][:, 0, 0] - first["hands"][:, 0, 0]) % 40, minlength=40),
    ):
        assert stats.chisquare(counts).pvalue > 1e-4


def test_a_single_round_and_the_first_of_several_are_the_same_game() -> None:
    single, several = make_game(NAME, 4), make_game(NAME, 4, num_rounds=3)
    states, longer = single.new_states(10, seed=8), several.new_states(10, seed=8)
    groups = set(single.observation_layout) - {"scores"}
    assert set(several.observation_layout) - groups == {"num_suits", "scores", "round"}
    for _ in range(15):  # three tricks
        assert (single.action_masks(states) == several.action_masks(longer)).all()
        seen, again = single.observations(states, 0), several.observations(longer, 0)
        for name in groups:
            in_single = single.observation_layout.read(seen, name)
            assert (several.observation_layout.read(again, name) == in_single).all()
        actions = single.action_masks(states).argmax(axis=1)
        single.step(states, actions)
        several.step(longer, actions)


# --- facts ----------------------------------------------------------------------------------------------


@variants
@given(seed=SEEDS)
def test_every_step_is_as_the_slow_reference_plays_it(game: Game, seed: int) -> None:
    steps = play(game, 1, seed)
    states, actions, _ = next(steps)
    d = game.to_dict(states[0])
    for next_states, next_actions, _ in steps:
        legal = [game.action_to_string(a) for a in np.flatnonzero(game.action_masks(states)[0])]
        assert legal == d["hands"][d["mover"]]
        after_step = game.to_dict(next_states[0])
        is_new_round = after_step["round"] > d["round"]
        new = [] if is_new_round else after_step["bursts"][len(d["bursts"]) :]
        dealt = None if is_new_round else [burst["dealt"] for burst in new]
        text = game.action_to_string(actions[0])
        assert after_step == reference.play(d, text, game.options, dealt, after_step)
        d = after_step
        states, actions = next_states, next_actions


@variants
@given(seed=SEEDS)
def test_hands_never_exceed_their_first_size_and_shrink_in_all_with_every_trick(
    game: Game, seed: int
) -> None:
    """Unless several suits burst at once and are dealt one by one."""
    n = game.num_players
    is_together = game.options["several_bursts"] == "together"
    in_hands: dict[tuple[int, int], int] = {}
    for states, _, _ in play(game, 1, seed):
        s = states[0]
        assert s.hand_sizes.max() <= s.max_hand <= MAX_HAND
        assert s.max_hand == game.options["hand_size"] or (n == 5 and not is_together)
        assert s.num_tricks <= s.max_tricks <= MAX_TRICKS
        assert s.num_bursts <= (s.num_tricks if is_together else most_bursts(n, s.num_tricks))
        if s.cards_in_trick == 0:
            in_hands[int(s.round_number), int(s.num_tricks)] = int(s.hand_sizes[:n].sum())
    for (before, size), (after_it, later_size) in itertools.pairwise(sorted(in_hands.items())):
        if before[0] == after_it[0]:
            assert later_size < size or not is_together


@variants
@given(seed=SEEDS)
def test_all_cards_are_in_one_place_each(game: Game, seed: int) -> None:
    for states, _, _ in play(game, 1, seed):
        d = game.to_dict(states[0])
        places = [*d["left_over"], *d["discarded"], d["trump_card"], *(card for _, card in d["trick"])]
        places += [card for cards in (*d["hands"], *d["display"]) for card in cards]
        deck = reference.deck(game.options["num_ranks"])
        assert sorted(places) == deck
        assert len(d["left_over"]) == len(deck) - 1 - game.num_players * game.options["hand_size"]


@tables
@pytest.mark.parametrize("several_bursts", ["together", "separately"])
def test_up_to_four_suits_can_burst_at_once(num_players: int, several_bursts: str) -> None:
    """Each trick card can bring one suit its fourth card, and four full suits are the most."""
    hand_size = 39 // num_players
    game = make_game(NAME, num_players, hand_size=hand_size, several_bursts=several_bursts)
    trick = ["A8", "B8", "D8", "E8", "D7"][:num_players]
    suits = ["A", "B", "D", "E"][: min(num_players, 4)]
    display = [f"{suit}{rank}" for suit in suits for rank in (1, 2, 3)]
    displays = [" ".join(display), *[""] * (num_players - 1)]
    missing = -len(display) % num_players
    displays[1] = " ".join(["C1", "C2", "C3"][:missing])
    d = after(game, position(trick, displays, hand_size=hand_size), " ".join(trick))
    bursts = d["bursts"]
    assert len(bursts) == (1 if several_bursts == "together" else len(suits))
    cards = [card for burst in bursts for card in burst["cards"]]
    assert {card[0] for card in cards} == set(suits)
    assert len(cards) == len(display) + num_players <= 12 + num_players <= MAX_BURST_CARDS
    assert all(len(burst["dealt"]) == num_players - 1 for burst in bursts)


@tables
def test_the_most_tricks_are_those_of_the_sheet(num_players: int) -> None:
    game = GAMES[num_players]
    assert game.new_states(1, 0)["max_tricks"][0] == reference.MOST_TRICKS[num_players]
    assert most_tricks(num_players, 1) == 1


@tables
def test_the_first_leader_the_trump_card_and_the_hands_are_uniform(num_players: int) -> None:
    """Chi-square tests over many deals; the seed is fixed."""
    game = GAMES[num_players]
    states = game.new_states(4000, seed=11)
    leaders = np.bincount(states["leader"], minlength=num_players)
    trumps = np.bincount(states["trump_card"], minlength=40)
    dealt = np.bincount(states["hands"][:, 0, : reference.HAND[num_players]].ravel(), minlength=40)
    for counts in (leaders, trumps, dealt):
        assert stats.chisquare(counts).pvalue > 1e-4


def test_a_burst_is_dealt_uniformly() -> None:
    d = position(["A2", "E4", "B6"], ["A3 A5 A6 B2 C2 D2", "", ""])
    states = np.repeat(GAMES[3].from_dict(d), 3000)
    states["rng"] = np.arange(3000)
    for text in ("A2", "E4", "B6"):
        GAMES[3].step(states, np.full(3000, GAMES[3].string_to_action(text)))
    _, counts = np.unique(states["dealt"][:, 0, 1:3], axis=0, return_counts=True)
    assert len(counts) == 12
    assert stats.chisquare(counts).pvalue > 1e-4


def test_a_score_can_fall_and_changes_are_rewards_divided_by_five() -> None:
    game = make_game(NAME, 3, reward="score")
    states = game.from_dict(position(["A2", "B4", "B6"], ["A3 A5 A6 B2 C2 D2", "", ""]))
    play_texts(game, states, "A2 B4")
    np.testing.assert_allclose(game.step(states, [game.string_to_action("B6")]), [[-0.2, 0, 0]], rtol=1e-6)


def test_a_hand_size_that_leaves_no_card_over_is_refused() -> None:
    for num_players, most in ((3, 13), (4, 9), (5, 7)):
        assert make_game(NAME, num_players, hand_size=most).options["hand_size"] == most
        assert make_game(NAME, num_players).options["hand_size"] == reference.HAND[num_players]
        for wrong in (0, most + 1):
            message = f"hand_size is {wrong}; allowed are whole numbers from 1 to {most}"
            with pytest.raises(ValueError, match=message):
                make_game(NAME, num_players, hand_size=wrong)


# --- counts and a whole game ----------------------------------------------------------------------------

COUNTED = json.loads((DATA / "take_that_toy_counts.json").read_text(encoding="utf-8"))["positions"]


@pytest.mark.parametrize("case", COUNTED, ids=lambda case: case["comment"])
def test_plays_below_fixed_endings_are_counted(case: dict[str, Any]) -> None:
    d = case["position"]
    game = make_game(NAME, d["num_players"], **case["options"])
    for depth, count in case["counts"]:
        assert game.count_plays(game.from_dict(d), depth) == count
        if count < 2000:
            start = {**copy.deepcopy(d), "history": []}
            assert reference.count_plays(start, depth, game.options) == count


def words(line: str) -> dict[str, str]:
    """Pairs like ``2:A5`` by the seat's text."""
    return dict(word.split(":") for word in line.split())


def test_a_whole_game_that_a_person_can_follow() -> None:
    lines = (DATA / "take_that_toy_3_players.txt").read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if line and not line.startswith("#")]
    game = make_game(NAME, 3)
    states, d, hands = game.new_states(0, 0), dict[str, Any](), list[str]()
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "hand":
            hands.append(rest.partition(" ")[2])
        elif word == "trump":
            card, _, leader = rest.split()
            states = game.from_dict(position(hands, trump_card=card, leader=int(leader)))
        elif word == "trick":
            plays, _, winner = rest.partition(" wins ")
            d = play_texts(game, states, " ".join(words(plays).values()))
            assert [str(seat) for seat, _ in d["history"][-1]] == list(words(plays))
            assert d["leader"] in (int(winner), None)
        elif word == "burst":
            cards, _, dealt = rest.partition(" dealt ")
            d = dealt_otherwise(d, words(dealt))
            states = game.from_dict(d)
            assert d["bursts"][-1]["cards"] == cards.split()
        elif word == "display":
            seat, _, cards = rest.partition(" ")
            assert d["display"][int(seat)] == cards.split()
        else:
            assert word == "winners"
            assert d["winners"] == [int(seat) for seat in rest.split()]
    assert d["phase"] == "over"


def dealt_otherwise(d: dict[str, Any], dealt: dict[str, str]) -> dict[str, Any]:
    """The position in which the latest burst was dealt in this way."""
    d = copy.deepcopy(d)
    burst = d["bursts"][-1]
    for seat, card in burst["dealt"].items():
        d["hands"][int(seat)].remove(card)
    for seat, card in dealt.items():
        d["hands"][int(seat)] = sorted([*d["hands"][int(seat)], card])
    d["discarded"] = sorted({*d["discarded"], *burst["cards"]} - set(dealt.values()))
    burst["dealt"] = dealt
    return d


# --- observations ---------------------------------------------------------------------------------------


def thermometer(count: int, size: int) -> list[int]:
    """The first `count` of `size` features are set."""
    return [int(i < count) for i in range(size)]


def held_from(d: dict[str, Any], number: int) -> dict[int, str]:
    """The cards of a burst that their receivers still hold."""
    later = {card for burst in d["bursts"][number + 1 :] for card in burst["cards"]}
    dealt = {int(seat): card for seat, card in d["bursts"][number]["dealt"].items()}
    return {seat: card for seat, card in dealt.items() if card in d["hands"][seat] and card not in later}


def unknown_cards(d: dict[str, Any], number: int, seat: int) -> list[str]:
    """The cards of a burst of which a seat doesn't know where they are."""
    burst, held = d["bursts"][number], held_from(d, number)
    known = {card for who, card in burst["dealt"].items() if int(who) == seat or int(who) not in held}
    return [card for card in burst["cards"] if card not in known]


def possible_burst_cards(d: dict[str, Any], seat: int, player: int) -> set[str]:
    """The cards that a seat may hold from a burst, as an observer knows it."""
    cards: set[str] = set()
    for number in range(len(d["bursts"])):
        held = held_from(d, number)
        if player in held:
            cards |= {held[player]} if player == seat else set(unknown_cards(d, number, seat))
    return cards


def expected_observation(game: Game, d: dict[str, Any], seat: int) -> list[int]:
    """An observation, computed slowly from a dict: group by group, by their names in the layout."""
    n, num_rounds = game.num_players, game.options["num_rounds"]
    most, most_held = (game.new_states(1, 0)[name][0] for name in ("max_tricks", "max_hand"))
    seats = [(seat + i) % n for i in range(n)]
    num_ranks = game.options["num_ranks"]
    cards, suits = reference.deck(num_ranks), reference.SUITS
    in_trick = {tuple(pair) for pair in d["trick"]}
    past = [dict(trick) for trick in d["history"]] + [{}] * (most - len(d["history"]))
    lead = (d["history"] or [d["trick"]])[0]
    first_leader = lead[0][0] if lead else d["leader"]
    seen = {*d["hands"][seat], d["trump_card"], *(card for _, card in d["trick"])}
    seen |= {card for display in d["display"] for card in display}
    seen |= {card for burst in d["bursts"] for card in burst["cards"]}
    counts = [
        thermometer(sum(card[0] == suit for card in d["display"][player]), 3)
        for player in seats
        for suit in suits
    ]
    of_rounds: dict[str, list[Any]] = {}
    if num_rounds > 1:
        of_rounds["scores"] = [x for player in seats for x in thermometer(d["scores"][player], num_rounds)]
        of_rounds["round"] = [number == d["round"] for number in range(num_rounds)]
    groups = {
        "hand": [card in d["hands"][seat] for card in cards],
        "trick": [(player, card) in in_trick for player in seats for card in cards],
        "display": [card in d["display"][player] for player in seats for card in cards],
        "suit_counts": [x for count in counts for x in count],
        "burst": [card in possible_burst_cards(d, seat, player) for player in seats for card in cards],
        "unseen": [card not in seen for card in cards],
        "trump_card": [card == d["trump_card"] for card in cards],
        "trump": [suit == d["trump"] for suit in suits],
        "current_player": [player == d["mover"] for player in seats],
        "leader": [player == d["leader"] for player in seats],
        "first_leader": [player == first_leader for player in seats],
        "hand_sizes": [x for player in seats for x in thermometer(len(d["hands"][player]), most_held)],
        "scores" if num_rounds == 1 else "num_suits": [
            x for player in seats for x in thermometer(reference.suits_of(d["display"][player]), 5)
        ],
        "num_tricks": thermometer(len(d["history"]), most),
        **of_rounds,
        "suit_played_in": [
            trick.get(player, "-")[0] == suit for trick in past for player in seats for suit in suits
        ],
        "played_in": [
            trick.get(player, "-")[1:] == str(rank)
            for trick in past
            for player in seats
            for rank in range(1, num_ranks + 1)
        ],
    }
    assert list(groups) == list(game.observation_layout)
    return [int(feature) for name in game.observation_layout for feature in groups[name]]


@variants
@given(seed=SEEDS)
def test_observations_are_what_the_layout_says(game: Game, seed: int) -> None:
    states = reached_states(game, 8, seed)
    for i in range(len(states)):
        d = game.to_dict(states[i])
        for seat in range(game.num_players):
            seen = game.observations(states[i : i + 1], seat)[0]
            assert seen.tolist() == expected_observation(game, d, seat)


@pytest.mark.parametrize("first", ["A5 A1 A2 A4 B1 B2", "A4 B1 B2 A5 A1 A2", "A5 B1 B2 A4 A1 A2"])
def test_who_played_what_when_is_seen_and_told(first: str) -> None:
    """The same cards, taken by the same seat, in another order: other texts, other observations."""
    d = position(["A4 A5", "A1 B1", "A2 B2"])
    states, other = GAMES[3].from_dict(d), GAMES[3].from_dict(d)
    play_texts(GAMES[3], states, first)
    play_texts(GAMES[3], other, "A4 A1 B2 A5 B1 A2")
    for seat in range(3):
        texts = {GAMES[3].information_state_string(which, seat) for which in (states, other)}
        assert len(texts) == 2
        assert (GAMES[3].observations(states, seat) != GAMES[3].observations(other, seat)).any()


@variants
def test_information_and_observation_tell_the_same_apart(game: Game) -> None:
    """In states reached from a deal, two seats' observations are equal exactly when their texts are."""
    states = reached_states(game, 40, seed=3, num_games=8)
    both = np.concatenate([states, game.resample(states, 0, seed=1)]).view(game.state_dtype)
    for seat in range(game.num_players):
        seen = [game.observations(both[i : i + 1], seat).tobytes() for i in range(len(both))]
        # The observer's own number isn't a feature; it is the same here.
        texts = [game.information_state_string(state, seat) for state in both]
        for i, j in itertools.combinations(range(len(both)), 2):
            assert (seen[i] == seen[j]) == (texts[i] == texts[j])


# --- what a seat knows ----------------------------------------------------------------------------------

TWO_BURSTS = position(
    ["E1 A3 B7 B8", "E2 C8 D7", "A4 D8 E8"],
    ["A1 A2 B1 B2 B3 C1 C2 C3 D1 D2 D3", "B4 B5 B6 C4 C5 C7 D4 D5 D6", ""],
    [
        burst_of(2, "E1 E2 E3 E4 E5 E6 E7", to_0="E1", to_1="E2"),
        burst_of(1, "A3 A4 A5 A6 A7 A8", to_0="A3", to_2="A4"),
    ],
    hand_size=13,
)
"""Nothing is left over: only the hands and the discarded cards are hidden."""

FULL_GAME = make_game(NAME, 3, hand_size=13)


def possible_worlds(d: dict[str, Any], seat: int) -> set[tuple[tuple[str, ...], ...]]:
    """All hands of all seats that fit what a seat has seen, with who got what of each burst."""
    n = d["num_players"]
    others = [player for player in range(n) if player != seat]
    held = [held_from(d, number) for number in range(len(d["bursts"]))]
    seen = {card for burst in d["bursts"] for card in burst["cards"]}
    hidden = [card for player in others for card in d["hands"][player] if card not in seen]
    hidden = sorted([*hidden, *d["left_over"]])
    sizes = {p: len(d["hands"][p]) - sum(p in holders for holders in held) for p in others}

    def burst_deals(number: int) -> Iterator[dict[int, list[str]]]:
        if number == len(held):
            yield {player: [] for player in others}
            return
        holders = [player for player in held[number] if player != seat]
        for cards in itertools.permutations(unknown_cards(d, number, seat), len(holders)):
            for rest in burst_deals(number + 1):
                dealt = dict(zip(holders, cards, strict=True))
                yield {p: rest[p] + ([dealt[p]] if p in dealt else []) for p in others}

    def deals(players: list[int], left: list[str]) -> Iterator[dict[int, list[str]]]:
        if not players:
            yield {}
            return
        for hand in itertools.combinations(left, sizes[players[0]]):
            for rest in deals(players[1:], [card for card in left if card not in hand]):
                yield {players[0]: list(hand), **rest}

    return {
        tuple(tuple(d["hands"][seat]) if p == seat else tuple(sorted(bursts[p] + hands[p])) for p in range(n))
        for bursts in burst_deals(0)
        for hands in deals(others, hidden)
    }


SEPARATELY = make_game(NAME, 3, hand_size=13, several_bursts="separately")


@pytest.mark.parametrize(
    ("game", "texts", "seat", "num_worlds"),
    [
        # The cards of each burst, then those that never burst.
        pytest.param(FULL_GAME, "", 0, 6 * 5 * 6, id="a receiver of both bursts"),
        pytest.param(FULL_GAME, "", 1, 6 * (6 * 5) * 6, id="who burst second, and a receiver of the first"),
        pytest.param(FULL_GAME, "", 2, (7 * 6) * 5 * 6, id="who burst first, and a receiver of the second"),
        pytest.param(FULL_GAME, "E1", 1, (6 * 5) * 6, id="all that others got of the first burst was played"),
        pytest.param(FULL_GAME, "E1 E2 D8", 2, 5 * 3 * 6, id="a trick later, when four D have burst"),
        pytest.param(FULL_GAME, "B7 C8 E8", 0, 6 * 5 * 7 * 2, id="a trick later, when B and C have burst"),
        pytest.param(SEPARATELY, "B7 C8 E8", 0, 6 * 5 * (3 * 3) * 2, id="when B and C have burst separately"),
    ],
)
def test_resampling_reaches_every_possible_world_equally_often(
    game: Game, texts: str, seat: int, num_worlds: int
) -> None:
    """All worlds are listed by brute force; a chi-square test with a fixed seed."""
    states = game.from_dict(TWO_BURSTS)
    worlds = possible_worlds(play_texts(game, states, texts), seat)
    drawn = game.resample(np.repeat(states, 12 * num_worlds), seat, seed=12)
    _, first, counts = np.unique(drawn["hands"], axis=0, return_index=True, return_counts=True)
    assert {tuple(map(tuple, game.to_dict(drawn[i])["hands"])) for i in first} == worlds
    assert len(worlds) == num_worlds
    assert stats.chisquare(counts).pvalue > 1e-4


def test_left_over_cards_are_resampled_uniformly_too() -> None:
    game = make_game(NAME, 3, hand_size=1)
    states = game.from_dict(position(["A1", "B1", "D1"], hand_size=1))
    drawn = game.resample(np.repeat(states, 12 * 38 * 37), 0, seed=5)
    _, counts = np.unique(drawn["hands"][:, 1:3, 0], axis=0, return_counts=True)
    assert len(counts) == 38 * 37
    assert stats.chisquare(counts).pvalue > 1e-4


@variants
@given(seed=SEEDS)
def test_resampling_changes_nothing_but_what_is_hidden(game: Game, seed: int) -> None:
    states = reached_states(game, 8, seed)
    for seat in range(game.num_players):
        for before, drawn in zip(states, game.resample(states, seat, seed), strict=True):
            old, new = game.to_dict(before), game.to_dict(drawn)
            for d in (old, new):
                held = [held_from(d, number) for number in range(len(d["bursts"]))]
                for burst, holders in zip(d["bursts"], held, strict=True):
                    for player in holders:
                        if player != seat:
                            burst["dealt"][str(player)] = "hidden"
                d["hands"] = [d["hands"][seat], *map(len, d["hands"])]
                d["left_over"], d["discarded"] = len(d["left_over"]), len(d["discarded"])
            assert new == old


def test_of_several_rounds_the_number_and_what_was_won_is_told_and_shown() -> None:
    game = make_game(NAME, 3, hand_size=3, num_rounds=3)
    states = game.from_dict({**LAST_TRICK, "round": 1, "scores": [0, 1, 0]})
    assert game.render(states).startswith(
        "Take That Toy!: round 2 of 3, trump C (C6)\n  seat  won  suits  cards"
    )
    assert "> 0       0      2      2  A8\n  1       1      3      4  B2\n" in game.render(states)
    assert game.information_state_string(states, 0).startswith("seat 0, round 1, play, scores [0, 1, 0]\n")
    single = make_game(NAME, 3, hand_size=3)
    states = single.from_dict(LAST_TRICK)
    assert single.render(states).startswith("Take That Toy!: trump C (C6)\n  seat  suits  cards")
    assert single.information_state_string(states, 0).startswith("seat 0, play, scores [2, 3, 0]\n")


def test_only_the_receiver_is_told_and_shown_what_it_got() -> None:
    states = FULL_GAME.from_dict(TWO_BURSTS)
    for seat, shown in ((0, "0: E1"), (1, "1: E2"), (2, "to the others")):
        assert f"burst of 2  E1 E2 E3 E4 E5 E6 E7; dealt {shown}\n" in FULL_GAME.render(states, seat)
    assert "dealt 0: E1  1: E2\n" in FULL_GAME.render(states)
