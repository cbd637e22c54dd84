"""The rules of Gummi Trick: the rule book's cases, and properties over random games."""

import copy
import itertools
import json
from collections.abc import Callable, Iterator
from math import perm
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from tests.games import gummi_trick_reference as reference
from tests.games.gummi_trick_positions import (
    GAME,
    NAME,
    SEEDS,
    after,
    ended,
    play_texts,
    position,
    trick_of,
    variants,
)
from tests.helpers import play, reached_states
from trick_envs import make_game
from trick_envs.core.game import Game, States

DATA = Path(__file__).parent / "data"
PLAYER_COUNTS = (2, 3, 4, 5)


def legal_texts(d: dict[str, Any]) -> list[str]:
    """The legal actions in a position."""
    game = make_game(NAME, d["num_players"])
    return [game.action_to_string(a) for a in np.flatnonzero(game.action_masks(game.from_dict(d))[0])]


# --- the rule book's examples -------------------------------------------------------------------------


def test_who_holds_the_first_colour_plays_it_or_a_face_down_card() -> None:
    """Example 1."""
    d = position(["G9 Y1", "R1 R10 B3", "G1 G2 G3", "Y8 Y9 Y10"], trick="R5")
    assert legal_texts(d) == ["R1", "R10", "facedown"]


@pytest.mark.parametrize(
    ("hand", "legal"),
    [("B3 G9", "B3 facedown"), ("Y1 G9", "Y1 G9 facedown"), ("R1 B3 G9", "R1 facedown")],
)
def test_who_holds_none_of_the_first_colour_plays_the_second_if_any(hand: str, legal: str) -> None:
    """Example 2: the colours came in the order R, B."""
    size = len(hand.split())
    others = [
        " ".join(cards[:length]) for cards, length in ((["G1", "G2"], size - 1), (["O1", "O2"], size - 1))
    ]
    d = position([*others, hand, " ".join(["O5", "O6", "O7"][:size])], trick="R5 B1")
    assert legal_texts(d) == legal.split()


def test_the_highest_card_of_each_colour_wins_its_colour_and_the_last_winner_leads() -> None:
    """Example 3."""
    d = after(trick_of("R5 R8 B2 B1"), "R5 R8 B2 B1")
    assert d["face_up"] == [[], ["R8"], ["B2"], []]
    assert d["taken"] == [0, 1, 1, 0]
    assert d["scores"] == [0, 1 + 1, 3 + 1, 0]
    assert d["leader"] == d["mover"] == 2
    assert d["trick"] == d["colour_order"] == []


def test_with_five_players_three_seats_win_and_a_lone_one_scores_four() -> None:
    """Example 4."""
    d = after(trick_of("R9 B3 R4 B7 G1"), "R9 B3 R4 B7 G1")
    assert d["face_up"] == [["R9"], [], [], ["B7"], ["G1"]]
    assert d["taken"] == [1, 0, 0, 1, 0]
    assert d["scores"] == [2, 0, 0, 2, 4]
    assert d["leader"] == 4


def test_the_last_winner_leads_not_the_last_seat() -> None:
    """Example 5."""
    d = after(trick_of("R9 B3 R4 B1 R2"), "R9 B3 R4 B1 R2")
    assert d["scores"] == [1 + 1 + 1, 3 + 1, 0, 0, 0]
    assert d["leader"] == d["mover"] == 1


@pytest.mark.parametrize(
    ("cards", "scores", "taken", "leader"),
    [("R5 Y1", [2, 4], [0, 0], 1), ("R5 R3", [2 + 1, 0], [1, 0], 0)],
)
def test_two_players_win_one_card_each_or_one_wins_both(
    cards: str, scores: list[int], taken: list[int], leader: int
) -> None:
    """Example 6."""
    d = after(trick_of(cards), cards)
    assert (d["scores"], d["taken"], d["leader"]) == (scores, taken, leader)


def test_a_face_down_card_may_be_played_whatever_the_hand_holds_and_its_colour_joins_the_order() -> None:
    """Example 7: seat 1 holds R7 but turns up G10; seat 2 holds no R but a G."""
    d = position(["R1 O1", "R7 O2", "G3 Y8"], ["O5", "G10", "O6"], leader=0)
    d = after(d, "R1 facedown")
    assert d["trick"] == [[0, "R1", "hand"], [1, "G10", "facedown"]]
    assert d["colour_order"] == ["R", "G"]
    assert d["known_voids"] == [[], [], []]  # a face-down card shows nothing
    assert legal_texts(d) == ["G3", "facedown"]


@pytest.mark.parametrize(
    ("num_players", "dealt", "cards"), [(2, 24, 30), (3, 36, 40), (4, 48, 50), (5, 60, 60)]
)
def test_each_seat_gets_nine_cards_and_three_face_down(num_players: int, dealt: int, cards: int) -> None:
    """Example 8."""
    game = make_game(NAME, num_players)
    assert len(game.deck) == cards
    for state in game.new_states(20, seed=1):
        d = game.to_dict(state)
        assert [len(hand) for hand in d["hands"]] == [9] * num_players
        assert [len(covered) for covered in d["face_down"]] == [3] * num_players
        assert len({card for part in (*d["hands"], *d["face_down"]) for card in part}) == dealt


NINETEEN_ALL = ended(
    ["R8 Y8 Y1 Y9 Y5 G7 O9 Y2", "Y10 G9 G6 R4 R6 R3 G10", "G4 O7 O2 O10 O6 R10 R5 O8 G5"], [5, 3, 4]
)
SEVENTEEN_ALL = ended(["R3 O8 O6 Y10 R10 R9 O5 R7", "Y6 R4 O9 Y5 R1 Y7 Y8"], [5, 4])


def test_seats_with_equal_points_and_equally_many_cards_share_the_win() -> None:
    """Example 9."""
    game = make_game(NAME, 3)
    states = game.from_dict({**NINETEEN_ALL, "winners": [0, 2]})
    d = game.to_dict(states)
    assert d["scores"] == [19, 15, 19]
    assert d["winners"] == [0, 2]
    np.testing.assert_allclose(game.returns(states)[0], [0.5, -1, 0.5])


def test_of_seats_with_equal_points_the_one_with_more_cards_wins() -> None:
    """Example 10."""
    game = make_game(NAME, 2)
    d = game.to_dict(game.from_dict({**SEVENTEEN_ALL, "winners": [0]}))
    assert d["scores"] == [17, 17]
    assert d["winners"] == [0]


# --- playing ------------------------------------------------------------------------------------------


def test_the_leader_may_play_anything() -> None:
    d = trick_of("R5 R8 B2 B1")
    assert legal_texts(d) == [*d["hands"][0], "facedown"]


def test_without_face_down_cards_only_the_hand_is_left_and_the_other_way_round() -> None:
    d = position(["O1", "R7 R8", "G3"], ["O5", "", "O6"], leader=1)
    assert legal_texts(d) == ["R7", "R8"]
    d = position(["O1 O2", "", "G3 G4"], ["", "Y4 Y2", ""], leader=1)
    assert legal_texts(d) == ["facedown"]
    assert after(d, "facedown")["trick"] == [[1, "Y4", "facedown"]]


def test_face_down_cards_turn_up_in_their_order() -> None:
    d = position(["O1 O2", "Y1 Y2"], ["R9 R2", "O9 O3"])
    d = after(d, "facedown facedown")  # seat 1, the last of two winners, leads
    assert d["history"] == [[[0, "R9", "facedown"], [1, "O9", "facedown"]]]
    assert d["face_down"] == [["R2"], ["O3"]]
    assert d["leader"] == 1


def test_a_face_down_card_of_a_colour_in_the_trick_can_win_it() -> None:
    d = position(["R5 O2", "R1 R2"], ["O4", "R9"])
    d = after(d, "R5 facedown")
    assert d["face_up"][1][-1] == "R9"
    assert d["taken"] == [0, 1]
    assert d["leader"] == 1


def test_a_colour_of_the_trick_shows_voids_before_it_and_a_new_colour_in_all() -> None:
    states = GAME.from_dict(trick_of("R5 B2 G1 B1"))
    assert play_texts(GAME, states, "R5")["known_voids"] == [[], [], [], []]
    assert play_texts(GAME, states, "B2")["known_voids"] == [[], ["R"], [], []]
    assert play_texts(GAME, states, "G1")["known_voids"] == [[], ["R"], ["R", "B"], []]
    assert play_texts(GAME, states, "B1")["known_voids"] == [[], ["R"], ["R", "B"], ["R"]]


def test_the_points_of_the_ranks_are_an_option() -> None:
    points = [1, 2, 3, 4, 1, 2, 3, 4, 1, 2]
    d = after(trick_of("R5 R8 B2 B1"), "R5 R8 B2 B1", points=points)
    assert d["scores"] == [0, 4 + 1, 2 + 1, 0]
    assert make_game(NAME, 4, points=tuple(points)) == make_game(NAME, 4, points=points)


@pytest.mark.parametrize(
    "points", [[4], [4] * 11, [0] * 10, [5] * 10, [1.0] * 10, [True] * 10, "1111111111", {1: 2}, None, 3]
)
def test_points_that_are_no_numbers_from_one_to_four_are_refused(points: object) -> None:
    with pytest.raises(ValueError, match=r"points is .*; allowed are lists of 2 to 10 whole"):
        make_game(NAME, points=points)


@pytest.mark.parametrize(("num_points", "num_ranks"), [(9, 10), (2, 10), (10, 9), (4, 5)])
def test_points_are_one_for_each_rank(num_points: int, num_ranks: int) -> None:
    message = f"points has {num_points} numbers and num_ranks is {num_ranks}; allowed is one for each rank"
    with pytest.raises(ValueError, match=message):
        make_game(NAME, points=[1] * num_points, num_ranks=num_ranks, hand_size=2)


def test_in_a_smaller_deck_cards_score_what_they_do_in_the_whole_one() -> None:
    game = make_game(NAME, 4, num_ranks=6, hand_size=4)
    assert game.options["points"] == [4, 3, 3, 2, 2, 2]
    points = [1, 2, 3, 4, 4, 4]
    assert make_game(NAME, 4, num_ranks=6, hand_size=4, points=points).options["points"] == points


def test_a_position_with_other_points_is_refused_to_start_from() -> None:
    states = make_game(NAME, 4, points=[1] * 10).new_states(1, seed=1)
    with pytest.raises(ValueError, match="made with other settings: points isn't"):
        GAME.position(states)


def test_scores_are_rewards_at_the_end_of_each_trick_divided_by_ten() -> None:
    game = make_game(NAME, 4, reward="score")
    states = game.from_dict(trick_of("R5 R8 B2 B1"))
    for text in ("R5", "R8", "B2"):
        assert not game.step(states, [game.string_to_action(text)]).any()
    rewards = game.step(states, [game.string_to_action("B1")])
    np.testing.assert_allclose(rewards, [[0, 0.2, 0.4, 0]], rtol=1e-6)


@variants
@given(seed=SEEDS)
def test_a_game_has_a_trick_for_each_card_of_a_seat_and_all_are_won(game: Game, seed: int) -> None:
    n, num_tricks = game.num_players, game.options["hand_size"] + game.options["num_face_down"]
    steps = list(play(game, 2, seed))
    assert len(steps) == num_tricks * n + 1
    for state in steps[-1][0]:
        d = game.to_dict(state)
        assert d["phase"] == "over"
        assert not any(d["hands"])
        assert not any(d["face_down"])
        assert sum(map(len, d["face_up"])) + sum(d["taken"]) == num_tricks * n
        assert len({card for trick in d["history"] for _, card, _ in trick}) == num_tricks * n
        assert d["mover"] is d["leader"] is None


@variants
@given(seed=SEEDS)
def test_every_step_is_as_the_slow_reference_plays_it(game: Game, seed: int) -> None:
    steps = play(game, 1, seed)
    states, actions, _ = next(steps)
    d = game.to_dict(states[0])
    for next_states, next_actions, _ in steps:
        texts = [game.action_to_string(a) for a in np.flatnonzero(game.action_masks(states)[0])]
        assert texts == reference.legal(d)
        expected = reference.play(d, game.action_to_string(actions[0]), game.options["points"])
        d = game.to_dict(next_states[0])
        assert d == expected
        states, actions = next_states, next_actions


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_first_leaders_hands_and_face_down_cards_are_uniform(num_players: int) -> None:
    """Chi-square tests over many deals; the seed is fixed."""
    game = make_game(NAME, num_players)
    states = game.new_states(4000, seed=11)
    last = num_players - 1
    columns = [states["leader"], states["hands"][:, 0].ravel()]
    columns += [states["face_down"][:, last, place] for place in range(3)]
    for column, size in zip(columns, [num_players, *[len(game.deck)] * 4], strict=True):
        assert stats.chisquare(np.bincount(column, minlength=size)).pvalue > 1e-4


@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_no_score_is_above_what_the_layout_has_room_for(num_players: int) -> None:
    for points in ([1] * 10, [4, 3, 3, 2, 2, 2, 1, 1, 1, 1], [4] * 10):
        game = make_game(NAME, num_players, points=points)
        states = game.new_states(3000, seed=3)
        game.play_randomly(states)
        assert states["scores"].max() <= game.observation_layout["scores"].axes["count"]
        assert states["taken"].max() <= game.observation_layout["taken"].axes["count"]


# --- observations -------------------------------------------------------------------------------------


def thermometer(count: int, size: int) -> list[int]:
    """The first `count` of `size` features are set."""
    return [int(i < count) for i in range(size)]


def expected_observation(game: Game, d: dict[str, Any], seat: int) -> list[int]:
    """An observation, computed slowly from a dict: group by group, by their names in the layout."""
    n = game.num_players
    seats = [(seat + i) % n for i in range(n)]
    cards, suits = reference.deck(n, game.options["num_ranks"]), reference.colours(n)
    most_covered = game.options["num_face_down"]
    num_tricks = game.options["hand_size"] + most_covered
    done = len(d["history"])
    earlier = {(who, card) for trick in d["history"] for who, card, _ in trick}
    in_trick = {(who, card) for who, card, _ in d["trick"]}
    turned_up = {
        card for trick in (*d["history"], d["trick"]) for _, card, source in trick if source == "facedown"
    }
    shown_in = [{card for _, card, _ in trick} for trick in d["history"]] + [set()] * (num_tricks - done)
    leaders = [*(trick[0][0] for trick in d["history"]), d["leader"]]
    order = [*d["colour_order"], *[None] * (n - 1 - len(d["colour_order"]))]
    most_score = game.observation_layout["scores"].axes["count"]
    groups = {
        "hand": [card in d["hands"][seat] for card in cards],
        "trick": [(player, card) in in_trick for player in seats for card in cards],
        "played": [(player, card) in earlier for player in seats for card in cards],
        "played_in": [card in shown for shown in shown_in for card in cards],
        "leader_in": [
            number < len(leaders) and leaders[number] == player
            for number in range(num_tricks)
            for player in seats
        ],
        "turned_up": [card in turned_up for card in cards],
        "face_up": [card in d["face_up"][player] for player in seats for card in cards],
        "known_voids": [suit in d["known_voids"][player] for player in seats for suit in suits],
        "colour_order": [suit == colour for colour in order for suit in suits],
        "current_player": [player == d["mover"] for player in seats],
        "leader": [player == d["leader"] for player in seats],
        "num_tricks": [number == done for number in range(num_tricks)],
        "face_down": [x for player in seats for x in thermometer(len(d["face_down"][player]), most_covered)],
        "taken": [x for player in seats for x in thermometer(d["taken"][player], num_tricks * (n - 1))],
        "scores": [x for player in seats for x in thermometer(d["scores"][player], most_score)],
    }
    assert set(groups) == set(game.observation_layout)
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

TWO = position(["R9 R8 O9 O8", "R1 R2 Y1 Y2"], 0)


def both_ways(one: str, other: str) -> tuple[Game, States, States]:
    """The same position, played on in two ways."""
    game = make_game(NAME, 2)
    first, second = game.from_dict(TWO), game.from_dict(TWO)
    play_texts(game, first, one)
    play_texts(game, second, other)
    return game, first, second


def test_the_information_text_tells_orders_of_play_apart() -> None:
    """The same cards, won by the same seat, in another order: other texts, and other observations."""
    game, first, second = both_ways("R9 R1 R8 R2", "R8 R2 R9 R1")
    for seat in (0, 1):
        texts = {game.information_state_string(states, seat) for states in (first, second)}
        assert len(texts) == 2
        assert (game.observations(first, seat) != game.observations(second, seat)).any()


def test_the_information_text_tells_a_card_from_the_hand_from_one_that_was_turned_up() -> None:
    game = make_game(NAME, 2)
    by_hand = position(["R9 O3", "R1 O7"], ["O4", "O6"], face_up=[["O10"] * 0] * 2)
    by_hand = {**by_hand, **won_before(2, 9)}
    covered = copy.deepcopy(by_hand)
    covered["hands"][0], covered["face_down"][0] = ["O3", "O4"], ["R9"]
    first, second = game.from_dict(by_hand), game.from_dict(covered)
    play_texts(game, first, "R9")
    play_texts(game, second, "facedown")
    for seat in (0, 1):
        assert game.information_state_string(first, seat) != game.information_state_string(second, seat)
        assert (game.observations(first, seat) != game.observations(second, seat)).any()


def won_before(num_players: int, num_tricks: int) -> dict[str, Any]:
    """Face-up cards, none of the others that the tests above use, for tricks in which nothing was taken."""
    used = {"R9", "O3", "R1", "O7", "O4", "O6"}
    free = iter([card for card in reference.deck(num_players) if card not in used])
    face_up = [[next(free) for _ in range(num_tricks)] for _ in range(num_players)]
    scores = [sum(reference.POINTS[reference.rank(card) - 1] for card in cards) for cards in face_up]
    return {"face_up": face_up, "scores": scores}


def test_the_information_text_is_the_same_when_only_hidden_cards_differ() -> None:
    d = trick_of("R5 R8 B2 B1")
    other = copy.deepcopy(d)
    for seat in range(4):
        other["face_down"][seat].reverse()
    other["hands"][2], other["hands"][3] = other["hands"][3], other["hands"][2]
    first, second = GAME.from_dict(d), GAME.from_dict(other)
    for seat in (0, 1):
        assert GAME.information_state_string(first, seat) == GAME.information_state_string(second, seat)
    assert GAME.information_state_string(first, 2) != GAME.information_state_string(second, 2)


def test_a_picture_shows_a_seat_its_own_hand_and_nobodys_face_down_cards() -> None:
    d = trick_of("R5 R8 B2 B1")
    states = GAME.from_dict(d)
    words = set(GAME.render(states[0], 1).split())
    assert set(d["hands"][1]) <= words
    hidden = {card for part in (*d["face_down"], d["hands"][0], d["hands"][2]) for card in part}
    assert not hidden & words
    assert hidden <= set(GAME.render(states[0]).split())


@variants
@given(seed=SEEDS)
def test_resampling_changes_nothing_but_other_hands_and_face_down_cards(game: Game, seed: int) -> None:
    states = reached_states(game, 6, seed)
    for seat in range(game.num_players):
        for before, drawn in zip(states, game.resample(states, seat, seed), strict=True):
            old, new = game.to_dict(before), game.to_dict(drawn)
            assert [len(cards) for cards in new["face_down"]] == [len(cards) for cards in old["face_down"]]
            for d in (old, new):
                d["hands"], d["face_down"] = [d["hands"][seat]], []
            assert new == old


def test_a_seats_own_face_down_cards_are_drawn_anew() -> None:
    states = np.repeat(GAME.from_dict(trick_of("R5 R8 B2 B1")), 50)
    worlds = GAME.resample(states, 0, seed=1)
    assert len({tuple(GAME.to_dict(world)["face_down"][0]) for world in worlds}) > 40


World = tuple[tuple[str, ...], ...]
"""All hands, then all face-down cards in their order."""


def possible_worlds(d: dict[str, Any], seat: int, limit: int) -> list[World] | None:
    """All that the cards may be for what a seat has seen; None if there may be too many to list."""
    n = d["num_players"]
    shown = {card for plays in (*d["history"], d["trick"]) for _, card, _ in plays}
    shown |= {card for cards in d["face_up"] for card in cards} | set(d["hands"][seat])
    unseen = [card for card in reference.deck(n) if card not in shown]
    sizes = [len(d["hands"][player]) for player in range(n) if player != seat]
    sizes += [len(cards) for cards in d["face_down"]]
    if perm(len(unseen), sum(sizes)) > limit:
        return None

    def hands(player: int, left: list[str]) -> Iterator[World]:
        if player == n:
            for cards in itertools.permutations(left, sum(len(covered) for covered in d["face_down"])):
                places = iter(cards)
                yield tuple(tuple(next(places) for _ in covered) for covered in d["face_down"])
            return
        fitting = [card for card in left if card[0] not in d["known_voids"][player]]
        choices: Any = itertools.combinations(fitting, len(d["hands"][player]))
        if player == seat:
            choices = [tuple(d["hands"][seat])]
        for hand in choices:
            for rest in hands(player + 1, [card for card in left if card not in hand]):
                yield (hand, *rest)

    return list(hands(0, unseen))


def late_cases(
    num_players: int, least: int, most: int, count: int
) -> list[tuple[Game, States, int, list[World]]]:
    """Late positions with few worlds left, where the seat has face-down cards and others known voids."""
    game = make_game(NAME, num_players)
    cases: list[tuple[Game, States, int, list[World]]] = []
    for states, _, _ in play(game, 200, seed=20):
        for i in np.flatnonzero(states["num_tricks"] >= 8):
            d, seat = game.to_dict(states[i]), int(i % num_players)
            others = [d["known_voids"][player] for player in range(num_players) if player != seat]
            holds = all(d["hands"][player] for player in range(num_players))
            if holds and d["face_down"][seat] and any(others) and len(cases) < count:
                worlds = possible_worlds(d, seat, limit=4 * most)
                if worlds and least <= len(worlds) <= most:
                    cases.append((game, states[i : i + 1].copy(), seat, worlds))
    assert len(cases) == count
    return cases


def without_past_case() -> tuple[Game, States, int, list[World]]:
    """Two players whose past is unknown: the cards taken face down are unseen, too."""
    game = make_game(NAME, 2)
    face_up = ["R10 R9 R8 R7 O10 O9 O8 O7", "Y10 Y9 Y8 Y7 Y6 Y5 R6 O6 R5 O5"]
    d = position(
        ["R4 O1", "Y4"],
        ["", "Y1"],
        face_up=[cards.split() for cards in face_up],
        taken=[2, 0],
        leader=1,
        mover=1,
        known_voids=[[], ["R"]],
    )
    return game, game.from_dict(d), 0, possible_worlds({**d, "history": []}, 0, 5000) or []


@pytest.mark.parametrize(
    "cases",
    [
        pytest.param(lambda: late_cases(2, least=20, most=700, count=3), id="two players, late"),
        pytest.param(lambda: late_cases(3, least=50, most=600, count=3), id="three players, late"),
        pytest.param(lambda: late_cases(5, least=10, most=400, count=2), id="five players, at the end"),
        pytest.param(lambda: [without_past_case()], id="two players without a past"),
    ],
)
def test_resampling_reaches_every_possible_world_equally_often(cases: Callable[[], list[Any]]) -> None:
    """All worlds are listed by brute force; a chi-square test with fixed seeds."""
    for seed, (game, state, seat, worlds) in enumerate(cases()):
        number = {world: i for i, world in enumerate(worlds)}
        drawn = game.resample(np.repeat(state, 25 * len(worlds)), seat, seed)
        texts = np.array(game.action_texts)
        counts = np.zeros(len(worlds), int)
        parts = (drawn["hands"], drawn["hand_sizes"], drawn["face_down"], drawn["face_down_left"])
        for hands, sizes, face_down, face_down_left in zip(*parts, strict=True):
            seats = range(game.num_players)
            world = [texts[hands[p, : sizes[p]]].tolist() for p in seats]
            world += [texts[face_down[p, : face_down_left[p]]].tolist() for p in seats]
            counts[number[tuple(map(tuple, world))]] += 1
        assert counts.min() > 0
        assert stats.chisquare(counts).pvalue > 1e-4


# --- data ---------------------------------------------------------------------------------------------

COUNTS = json.loads((DATA / "gummi_trick_counts.json").read_text())["positions"]


@pytest.mark.parametrize("case", COUNTS, ids=[case["comment"] for case in COUNTS])
def test_all_plays_below_an_ending_are_counted(case: dict[str, Any]) -> None:
    d = case["position"]
    game = make_game(NAME, d["num_players"], **case["options"])
    full = game.to_dict(game.from_dict(d))
    for depth, count in case["counts"]:
        assert game.count_plays(game.from_dict(d), depth) == count
        assert reference.count_plays(full, depth) == count


def test_a_written_down_game_is_played_line_by_line() -> None:
    lines = [
        line.split("#")[0].split() for line in (DATA / "gummi_trick_4_players.txt").read_text().splitlines()
    ]
    hands, face_down, leader = [], [], 0
    states, d = None, {}
    for keyword, *words in [line for line in lines if line]:
        if keyword == "players":
            assert words[:2] == ["4", "leader"]
            leader = int(words[2])
        elif keyword == "hand":
            hands.append(" ".join(words[1:]))
        elif keyword == "down":
            face_down.append(" ".join(words[1:]))
            if len(face_down) == 4:
                states = GAME.from_dict(position(hands, face_down, leader=leader))
                d = GAME.to_dict(states)
        elif keyword == "trick":
            d = replay_trick(states, d, words)
        elif keyword == "winners":
            assert d["phase"] == "over"
            assert d["winners"] == [int(word) for word in words]
        else:
            raise AssertionError(f"unknown line: {keyword}")
    assert d["phase"] == "over"


def replay_trick(states: States, before: dict[str, Any], words: list[str]) -> dict[str, Any]:
    """Plays a line such as `trick 0:R5 1:B7* wins R5+0 B7+0 scores 2 1`."""
    wins, scores = words.index("wins"), words.index("scores")
    seat_of = {}
    for word in words[:wins]:
        seat, text = word.split(":")
        seat_of[text.rstrip("*")] = int(seat)
        assert GAME.current_players(states)[0] == int(seat)
        d = play_texts(GAME, states, "facedown" if text.endswith("*") else text)
    played = d["history"][-1]
    assert [card for _, card, _ in played] == [word.split(":")[1].rstrip("*") for word in words[:wins]]
    winners = []
    for word in words[wins + 1 : scores]:
        card, taken = word.split("+")
        winners.append(seat_of[card])
        assert d["face_up"][winners[-1]] == [*before["face_up"][winners[-1]], card]
        assert d["taken"][winners[-1]] - before["taken"][winners[-1]] == int(taken)
    assert d["scores"] == [int(word) for word in words[scores + 1 :]]
    assert d["leader"] in (winners[-1], None)
    return d
