"""The rule-based Gummi Trick player: what it must do, and that it plays well."""

from typing import Any

import numpy as np
import pytest

from tests.games.gummi_trick_positions import position
from tests.games.gummi_trick_reference import deck, order_of
from tests.helpers import reached_states
from trick_agents.rule_based import RulesAgent
from trick_agents.rule_based.gummi_trick import choose
from trick_envs import make_game
from trick_envs.core.agent import Agent, RandomAgent
from trick_envs.core.kernel import COMPILED
from trick_envs.core.random import Streams

RULES = RulesAgent()


def action_in(d: dict[str, Any]) -> str:
    """What the player does in a position."""
    game = make_game("gummi_trick", len(d["hands"]))
    return game.action_to_string(int(RULES.act(game, game.from_dict(d), Streams(1, seed=0))[0]))


def last_to_play(hand: str, trick: str, face_down: int = 2) -> dict[str, Any]:
    """Seat 0 is to play last to this trick. All other cards are any that fit."""
    cards, size = trick.split(), len(hand.split())
    n = len(cards) + 1
    free = [card for card in deck(n) if card not in hand.split() and card[0] not in order_of(cards)]
    others = [" ".join(free.pop() for _ in range(size - 1)) for _ in cards]
    return position([hand, *others], face_down, trick=trick, leader=1)


# --- correct -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_it_decides_in_a_batch_as_it_does_in_single_games(num_players: int) -> None:
    game = make_game("gummi_trick", num_players, points=[4, 4, 4, 3, 3, 3, 2, 2, 2, 1])
    states = reached_states(game, 60 if COMPILED else 10, seed=5)
    states = states[game.current_players(states) >= 0]
    actions = RULES.act(game, states, Streams(len(states), seed=1))
    assert game.action_masks(states)[np.arange(len(states)), actions].all()
    draws = Streams(len(states), seed=1).random()
    assert [choose(states[i], draws[i]) for i in range(len(states))] == actions.tolist()


# --- sensible ------------------------------------------------------------------------------------------


def test_last_to_play_it_gathers_a_colour_with_no_higher_card_than_it_takes() -> None:
    assert action_in(last_to_play("R1 R9 R10", "R5 R8 R2")) == "R9"


def test_holding_none_of_the_tricks_colours_it_wins_a_new_one_with_its_lowest_card() -> None:
    assert action_in(last_to_play("G1 G5 G10", "R5 R8 R2")) == "G1"
    assert action_in(last_to_play("G1 O9 G10", "R5 R8 R2")) == "G1"


def test_when_all_that_it_can_follow_with_loses_it_turns_up_a_face_down_card() -> None:
    assert action_in(last_to_play("R1 R3 R5", "R6 R8 R4")) == "facedown"


def test_it_keeps_its_face_down_cards_while_it_can_win() -> None:
    assert action_in(last_to_play("O5 O10 Y1", "R10 O3 O4")) == "O5"


def test_without_a_way_out_it_feeds_the_winner_its_lowest_card() -> None:
    assert action_in(last_to_play("R2 R3 G9", "R5 R8 R4", face_down=0)) == "R2"


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_it_leads_a_low_card_of_a_colour_that_all_others_lack(num_players: int) -> None:
    hands = ["R1 R7 O10 Y1", "O1 O2 O3 Y2", "Y3 Y5 Y6 O4", "G1 G2 G3 G4"][:num_players]
    others_lack = {"known_voids": [[], *[["R"]] * (num_players - 1)]}
    assert action_in(position(hands, 1, **others_lack)) == "R1"
    assert action_in(position(hands, 1)) != "R1"


# --- strong --------------------------------------------------------------------------------------------


@pytest.mark.skipif(not COMPILED, reason="hundreds of games are for compiled code")
@pytest.mark.parametrize(
    ("num_players", "least_share", "least_lead"),
    [(2, 0.78, 5.5), (3, 0.65, 5.5), (4, 0.56, 5.5), (5, 0.48, 5.5)],
)
def test_it_beats_random_players_by_far(num_players: int, least_share: float, least_lead: float) -> None:
    game = make_game("gummi_trick", num_players)
    # Every deal is played once from each seat.
    states = np.repeat(game.new_states(150, seed=11), num_players)
    everyone = np.arange(len(states))
    seats = everyone % num_players
    rng = Streams(len(states), seed=12)
    agents: tuple[Agent, Agent] = (RandomAgent(), RULES)
    while (game.current_players(states) >= 0).any():
        actions = np.zeros(len(states), np.int32)
        for agent, is_rules in zip(agents, (False, True), strict=True):
            games = np.flatnonzero((game.current_players(states) == seats) == is_rules)
            games = games[game.current_players(states)[games] >= 0]
            actions[games] = agent.act(game, states[games], rng.take(games))
        game.step(states, actions)
    winners, scores = game.winners(states), game.scores(states)
    own = scores[everyone, seats]
    lead = (own - (scores.sum(axis=1) - own) / (num_players - 1)).mean()
    assert (winners[everyone, seats] / winners.sum(axis=1)).mean() > least_share
    assert lead > least_lead
