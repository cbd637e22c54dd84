"""The rule-based Oracle Land player: what it must do, and that it plays well."""

from typing import Any

import numpy as np
import pytest

from tests.games.oracle_land_positions import dealt, first_trick, position
from trick_agents.rule_based import RulesAgent
from trick_agents.rule_based.oracle_land import (
    LOSE,
    OUTCOMES,
    VIEW,
    WEIGHTS,
    lay,
    look_at_cards,
    look_at_outcomes,
    look_at_rows,
    worth_with_trick,
)
from trick_envs import make_game
from trick_envs.core.agent import RandomAgent
from trick_envs.core.game import Game
from trick_envs.core.kernel import COMPILED
from trick_envs.core.random import Streams

RULES = RulesAgent()
THREE = make_game("oracle_land", 3)
FOUR = make_game("oracle_land", 4)

BIDS = [{"most": ["S"], "least": ["D"]} for _ in range(3)]


def action_in(d: dict[str, Any]) -> str:
    """What the player does in a position of three."""
    return THREE.action_to_string(int(RULES.act(THREE, THREE.from_dict(d), Streams(1, seed=0))[0]))


# --- sensible ------------------------------------------------------------------------------------------


def test_it_bids_against_the_cards_that_it_passes() -> None:
    """Most of the suit that its neighbour lacks, least of that of which it has most."""
    d = dealt(["C2 C3 C5 C6 C7 C8 S5", "D2 D3 D5 D6 D7 D8 D4", "S2 S3 S6 S7 H2 H3 H5"])
    d["hands"] = [d["hands"][1], d["hands"][2], d["hands"][0]]  # seat 0 holds what seat 2 will play
    states = THREE.from_dict(d)
    held = {suit: sum(card[0] == suit for card in d["hands"][0]) for suit in "SDCH"}
    most = action_in(d)
    assert held[most[-1]] == min(held.values())
    THREE.step(states, [THREE.string_to_action(most)])
    least = action_in(THREE.to_dict(states))
    assert held[least[-1]] == max(held.values())


@pytest.mark.parametrize(
    ("row", "suit"),
    [
        pytest.param("S5 S6 S7 H5 C5", "S", id="S is most already; D must stay alone at the bottom"),
        pytest.param("S5 S6 H5 H6 C5", "S", id="S has to leave H behind"),
        pytest.param("S5 S6 S7 S8 C5 C6", "H", id="H has to leave D alone at the bottom"),
    ],
)
def test_it_adds_the_joker_where_most_succeeds(row: str, suit: str) -> None:
    d = position(["", "", ""], "S3 D3 C3", row=row, phase="joker", bids=BIDS, secret_covered=[False] * 3)
    d["round"], d["wishes"] = 1, [False] * 3
    states = THREE.from_dict(d)
    action = action_in(d)
    points = {}
    for other in "SDCH":
        tried = states.copy()
        THREE.step(tried, [THREE.string_to_action(f"joker {other}")])
        points[other] = THREE.scores(tried)[0, 0]
    assert points[action[-1]] == max(points.values())
    assert points[suit] == max(points.values())


def test_it_takes_the_bonus_card_of_which_it_wants_most() -> None:
    states = THREE.from_dict({**first_trick("H8 H3 D5"), "bids": BIDS})
    for text in ("H8", "H3", "D5"):
        THREE.step(states, [THREE.string_to_action(text)])
    assert THREE.current_players(states)[0] == 2
    assert action_in(THREE.to_dict(states)) == "bonus S"


def test_it_covers_the_suit_of_which_it_wants_least() -> None:
    states = THREE.from_dict({**first_trick("S8 D3 H4"), "bids": BIDS})
    for text in ("S8", "D3", "H4", "bonus C"):
        THREE.step(states, [THREE.string_to_action(text)])
    d = THREE.to_dict(states)
    assert {suit for suit, cards in d["rows"][0].items() if cards} == {"S", "D"}
    assert (d["phase"], action_in(d)) == ("cover", "cover D")


def test_it_lays_a_card_of_the_suit_of_which_it_wants_most() -> None:
    d = dealt(["S3 D3 D5 C3 C5 H3 H5", "S2 S4 S5 S6 S7 S8 D2", "D6 D7 D8 C2 C6 C7 C8"])
    states = THREE.from_dict(d)
    for text in ("most S", "least D", "most S", "least D", "most S", "least D"):
        THREE.step(states, [THREE.string_to_action(text)])
    assert action_in(THREE.to_dict(states)) == "secret S3"


def test_last_to_play_it_takes_what_it_wants_and_leaves_what_it_does_not() -> None:
    """Seat 2 wants spades and no diamonds."""
    fillers = ["C3 C5", "H3 H5", "C6 C7"]
    for led, wins in (("S5 S6", True), ("D5 D6", False)):
        one, two = led.split()
        suit = one[0]
        hands = [fillers[0], fillers[1], f"{suit}3 {suit}8 C6"]
        d = position(hands, "H6 H7 H8", bids=BIDS, trick=[[0, one], [1, two]])
        assert (action_in(d) == f"{suit}8") == wins


def look(game: Game, d: dict[str, Any]) -> tuple[Any, Any]:
    """A position, as a state that can be changed, and an empty view of it."""
    view = np.zeros(1, VIEW)
    view[0].weights[:] = WEIGHTS
    return game.from_dict(d)[0], view[0]


def test_it_knows_what_fours_cover_in_empty_rows() -> None:
    """Seat 2 wants least of diamonds, and its secret card is one: good if the 4 covers that."""
    d = {**first_trick("S5 D4 S8"), "bids": BIDS}
    d["secret"][2], other = "D5", d["secret"][2]
    d["hands"] = [[other if card == "D5" else card for card in hand] for hand in d["hands"]]
    d["left_over"] = [other if card == "D5" else card for card in d["left_over"]]
    worths = {}
    for covers in ("trick", "secret"):
        game = make_game("oracle_land", 3, four_into_empty_rows=covers)
        states = game.from_dict(d)
        for text in ("S5", "D4"):
            game.step(states, [game.string_to_action(text)])
        state, view = look(game, game.to_dict(states))
        look_at_rows(state, view, 2, 5)
        lay(state.copy(), state, game.string_to_action("S8"))
        worths[covers] = worth_with_trick(state, view, 2, 5)
    assert worths["secret"] > worths["trick"]


def test_it_knows_when_a_single_four_loses() -> None:
    """Seat 1 has a 4 for a trick in hearts; seat 2, which has no hearts, may still play a lower card."""
    d = position(["C3", "D4 C6", "S3 S5"], "H6 H7 H8", bids=BIDS, trick=[[0, "H5"]])
    chance = {}
    for loses in (False, "always"):
        game = make_game("oracle_land", 3, last_four_loses=loses)
        state, view = look(game, d)
        look_at_cards(state, view)
        work = state.copy()
        lay(state, work, game.string_to_action("D4"))
        chances = np.empty(OUTCOMES)
        look_at_outcomes(state, view, work, chances)
        chance[loses] = chances[LOSE]
    assert chance["always"] == 1 > chance[False]


# --- strong --------------------------------------------------------------------------------------------


@pytest.mark.skipif(not COMPILED, reason="hundreds of games are for compiled code")
@pytest.mark.parametrize(
    ("game", "least_share", "least_lead"),
    [
        pytest.param(THREE, 0.9, 2.3, id="3 players"),
        pytest.param(FOUR, 0.83, 2.0, id="4 players"),
        pytest.param(make_game("oracle_land", 3, preset="mini"), 0.4, 0.1, id="3 players, mini"),
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
    assert winners[everyone, seats].mean() > least_share
    assert (own - (scores.sum(axis=1) - own) / (n - 1)).mean() > least_lead
