"""The rule-based TIGHEE player: what it must do, and that it plays well."""

import numpy as np
import pytest

from tests.games.tighee_positions import position
from trick_agents.rule_based import RulesAgent
from trick_agents.rule_based.tighee import (
    VIEW,
    WANTED,
    WEIGHTS,
    WORTH,
    chance_to_take,
    look_at_cards,
    look_at_others,
)
from trick_envs import make_game
from trick_envs.core.agent import RandomAgent
from trick_envs.core.game import Game
from trick_envs.core.kernel import COMPILED
from trick_envs.core.random import Streams

RULES = RulesAgent()
FOUR_PLAYERS = 2  # their place in the tables

KINDS = {
    "3 players": make_game("tighee", 3),
    "3 players, short": make_game("tighee", 3, mode="short"),
    "4 players": make_game("tighee", 4),
}


BLACK_WAITS = make_game("tighee", 4, black_always_playable=False)


def action_in(d: dict[str, object], game: Game = KINDS["4 players"]) -> str:
    """What the player does in a position of four."""
    return game.action_to_string(int(RULES.act(game, game.from_dict(d), Streams(1, seed=0))[0]))


def last_to_play(hand: str, forest: str, trick: str, tricks: list[int]) -> dict[str, object]:
    """Seat 0 is to play last to a trick that seat 1 has led. The other hands are any that fit."""
    cards = trick.split()
    size = len(hand.split()) - 1
    free = [f"{suit}{rank}" for suit in "PGB" for rank in range(1, 13)]
    free = [card for card in free if card not in (*cards, *hand.split(), forest)]
    others = [" ".join(free[size * i : size * i + size]) for i in range(3)]
    plays = [[seat, card] for seat, card in enumerate(cards, 1)]
    return position([hand, *others], forest, trick=plays, leader=1, tricks=tricks)


# --- sensible ------------------------------------------------------------------------------------------


def test_its_aim_changes_with_the_tricks_taken_and_to_come() -> None:
    worth, wanted = WORTH[FOUR_PLAYERS], WANTED[FOUR_PLAYERS]
    assert worth[3, 1] > worth[2, 1]  # one short of 4
    assert wanted[3, 1] > 0.3
    assert wanted[4, 1] < 0.2
    assert wanted[4, 4] < wanted[3, 4]
    assert worth[4, 0] == 50
    assert worth[0, 0] == 0
    assert worth[5, 3] > -50  # 8 can still be reached


def test_last_to_play_it_takes_the_trick_that_makes_four() -> None:
    assert action_in(last_to_play("R3 R9", "G12", "R4 R5 R6", [3, 4, 2, 1])) == "R9"


def test_last_to_play_it_lets_others_have_the_trick_that_would_make_five() -> None:
    assert action_in(last_to_play("R3 R9", "G12", "R4 R5 R6", [4, 4, 1, 1])) == "R3"


def test_without_a_trick_it_stays_without_at_the_end() -> None:
    assert action_in(last_to_play("R3 R9", "G12", "R4 R5 R6", [0, 4, 3, 3])) == "R3"


def test_it_knows_that_the_lowest_card_of_another_colour_wins() -> None:
    assert action_in(last_to_play("G2 G9", "P12", "R4 B5 R6", [3, 4, 2, 1])) == "G2"
    assert action_in(last_to_play("G2 G9", "P12", "R4 B5 R6", [4, 4, 1, 1])) == "G9"


def test_it_knows_that_of_equal_cards_the_later_wins() -> None:
    assert action_in(last_to_play("G5 G9", "P12", "R4 B5 R6", [3, 4, 2, 1])) == "G5"


def test_it_knows_that_black_has_the_forests_colour() -> None:
    assert action_in(last_to_play("K9 R3", "R12", "R4 R5 R6", [3, 4, 2, 1])) == "K9"
    assert action_in(last_to_play("K9 R9", "P12", "R4 R5 R10", [3, 4, 2, 1])) == "K9"
    assert action_in(last_to_play("K9 R9", "P12", "R4 R5 R10", [4, 4, 1, 1])) == "R9"


def test_it_knows_when_black_waits() -> None:
    """Seat 0 has three tricks and leads to a black forest: if others can play black, the 12 won't win.

    None of them is known to be void in red, and each has a red card and black ones.
    """
    hands = ["R12 P1", "R2 K1", "R3 K2", "R4 K3"]
    d = position(hands, "K12", tricks=[3, 3, 4, 0])
    chances = {
        game.options["black_always_playable"]: chance_of_lead(game, d, "R12")
        for game in (KINDS["4 players"], BLACK_WAITS)
    }
    assert chances[False] > chances[True]


def chance_of_lead(game: Game, d: dict[str, object], card: str) -> float:
    """How likely the player thinks that a card takes the trick that it leads to."""
    state = game.from_dict(d)[0]
    view = np.zeros(1, VIEW)
    view[0].weights[:] = WEIGHTS[FOUR_PLAYERS]
    look_at_cards(state, view[0])
    look_at_others(state, view[0])
    return float(chance_to_take(state, view[0], game.string_to_action(card)))


# --- strong --------------------------------------------------------------------------------------------


@pytest.mark.skipif(not COMPILED, reason="hundreds of games are for compiled code")
@pytest.mark.parametrize(
    ("game", "least_share", "least_lead"),
    [
        pytest.param(KINDS["3 players"], 0.65, 100.0, id="3 players"),
        pytest.param(KINDS["3 players, short"], 0.58, 60.0, id="3 players, short"),
        pytest.param(KINDS["4 players"], 0.58, 75.0, id="4 players"),
    ],
)
def test_it_beats_random_players_by_far(game: Game, least_share: float, least_lead: float) -> None:
    n, num_deals = game.num_players, 200
    states = np.repeat(game.new_states(num_deals, seed=11), n)  # each deal is played once from each seat
    everyone = np.arange(len(states))
    seats = everyone % n
    rng = Streams(len(states), seed=12)
    while (game.current_players(states) >= 0).any():
        current_players = game.current_players(states)
        actions = np.zeros(len(states), np.int32)
        for agent, chosen in (
            (RULES, current_players == seats),
            (RandomAgent(), (current_players >= 0) & (current_players != seats)),
        ):
            games = np.flatnonzero(chosen)
            actions[games] = agent.act(game, states[games], rng.take(games))
        game.step(states, actions)
    winners, scores = game.winners(states), game.scores(states)
    own = scores[everyone, seats]
    assert (winners[everyone, seats] / winners.sum(axis=1)).mean() > least_share
    assert (own - (scores.sum(axis=1) - own) / (n - 1)).mean() > least_lead
