"""The rule-based Take That Toy! player: what it must do, and that it plays well."""

import numpy as np
import pytest

from tests.games.take_that_toy_positions import position
from trick_agents.rule_based import RulesAgent
from trick_envs import make_game
from trick_envs.core.agent import Agent, RandomAgent
from trick_envs.core.kernel import COMPILED
from trick_envs.core.random import Streams

RULES = RulesAgent()


def choice_of(hand: str, trick: str, displays: list[str]) -> str:
    """What seat 0 plays last to a trick that seat 1 led; trump C. The other hands are any that fit."""
    n = len(displays)
    hand_size = len(hand.split()) + sum(len(display.split()) for display in displays) // n
    game = make_game("take_that_toy", n, hand_size=hand_size)
    plays = [[seat, card] for seat, card in enumerate(trick.split(), 1)]
    hands = [hand, *[""] * (n - 1)]
    d = position(hands, displays, hand_size=hand_size, trick=plays, leader=1, mover=0)
    return game.action_to_string(int(RULES.act(game, game.from_dict(d), Streams(1, seed=0))[0]))


NOTHING = ["", "", ""]
NO_E = "A1 A2 B1 C1 C2 D1"
THREE_A = "A1 A2 A3 B1 C1 D1"


@pytest.mark.parametrize(("hand", "best"), [("E8 A5 B6", "E8"), ("C7 A5 B6", "C7"), ("C7 E8 B6", "E8")])
def test_it_takes_the_trick_that_brings_its_fifth_suit(hand: str, best: str) -> None:
    assert choice_of(hand, "E3 E4", [NO_E, "", ""]) == best


def test_it_plays_the_missing_suit_itself_when_that_wins() -> None:
    assert choice_of("C8 E8 B6", "E3 B4", [NO_E, "", ""]) == "E8"


def test_it_does_not_take_the_fourth_of_a_suit() -> None:
    assert choice_of("A8 B4", "A4 B3", ["A1 A2 A3 B1 B2 D1", "", ""]) == "B4"


def test_it_feeds_bursts_to_others() -> None:
    assert choice_of("A5 D5 E5", "B8 B2", ["", THREE_A, ""]) == "A5"


@pytest.mark.parametrize("hand", ["E5 B3", "E1 D8"])
def test_it_keeps_a_fifth_suit_from_others(hand: str) -> None:
    assert choice_of(hand, "B8 B2", ["", THREE_A, ""]) == hand.split()[1]


def test_it_takes_a_trick_away_from_who_would_win_by_it() -> None:
    assert choice_of("C3 D2", "E8 B2", ["", THREE_A, ""]) == "C3"


def test_it_knows_that_a_one_counts_as_eight_beside_its_seven() -> None:
    assert choice_of("E1 A5 B6", "E7 E8", [NO_E, "", ""]) == "E1"


def test_it_knows_that_its_seven_turns_anothers_one() -> None:
    assert choice_of("E7 E3", "E1 E2", [NO_E, "", ""]) == "E3"


@pytest.mark.parametrize("hand", ["A6 A8", "C2 C8"])
def test_it_wins_with_the_lowest_card_that_does(hand: str) -> None:
    assert choice_of(hand, "A3 B5", NOTHING) == hand.split()[0]


@pytest.mark.skipif(not COMPILED, reason="hundreds of games are for compiled code")
@pytest.mark.parametrize(("num_players", "least_share"), [(3, 0.6), (4, 0.42), (5, 0.29)])
def test_it_beats_random_players_by_far(num_players: int, least_share: float) -> None:
    game = make_game("take_that_toy", num_players)
    # Every deal is played once from each seat.
    states = np.repeat(game.new_states(150, seed=11), num_players)
    everyone = np.arange(len(states))
    seats = everyone % num_players
    rng = Streams(len(states), seed=12)
    agents: tuple[Agent, Agent] = (RandomAgent(), RULES)
    while (game.current_players(states) >= 0).any():
        current_players = game.current_players(states)
        actions = np.zeros(len(states), np.int32)
        for agent, chosen in zip(agents, (current_players != seats, current_players == seats), strict=True):
            games = np.flatnonzero(chosen & (current_players >= 0))
            actions[games] = agent.act(game, states[games], rng.take(games))
        game.step(states, actions)
    winners = game.winners(states)
    assert (winners[everyone, seats] / winners.sum(axis=1)).mean() > least_share
