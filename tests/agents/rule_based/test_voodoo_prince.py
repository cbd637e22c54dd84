"""The rule-based Voodoo Prince player: what it may know, what it must do, and that it plays well."""

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.games.voodoo_prince_positions import filled, position
from trick_agents.rule_based import RulesAgent
from trick_agents.rule_based.voodoo_prince import choose
from trick_envs import make_game
from trick_envs.core.agent import Agent, RandomAgent
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import COMPILED
from trick_envs.core.random import Streams
from trick_envs.games.voodoo_prince.game import HAND_SIZE

PLAYER_COUNTS = tuple(HAND_SIZE)
RULES = RulesAgent()

variants = pytest.mark.parametrize(
    "game",
    [
        pytest.param(make_game("voodoo_prince", n, two_player_scoring=scoring), id=f"{n} players, {scoring}")
        for n in PLAYER_COUNTS
        for scoring in ("shortfall", "literal")
    ],
)


def play_one_step(game: Game, states: States, is_rules: NDArray[np.bool_], rng: Streams) -> None:
    """One decision in every game that isn't over: by rules where `is_rules` says so, else at random."""
    actions = np.zeros(len(states), np.int32)
    agents: tuple[Agent, Agent] = (RandomAgent(), RULES)
    for agent, chosen in zip(agents, (~is_rules, is_rules), strict=True):
        games = np.flatnonzero(chosen & (game.current_players(states) >= 0))
        actions[games] = agent.act(game, states[games], rng.take(games))
    game.step(states, actions)


@cache
def some_positions(game: Game) -> States:
    """Positions from all over games in which a coin decides whether to play by rules or at random."""
    num_games, count = (12, 300) if COMPILED else (1, 30)
    states = game.new_states(num_games, seed=3)
    rng = Streams(num_games, seed=4)
    coins = np.random.default_rng(5)
    seen = []
    while (game.current_players(states) >= 0).any():
        seen.append(states[game.current_players(states) >= 0])
        play_one_step(game, states, coins.random(num_games) < 0.5, rng)
    everything = np.concatenate(seen).view(game.state_dtype)
    return everything[coins.choice(len(everything), count, replace=False)]


def action_in(d: dict[str, object], **options: str) -> str:
    """What the player does in a position."""
    game = make_game("voodoo_prince", len(d["hands"]), **options)  # type: ignore[arg-type]
    return game.action_to_string(int(RULES.act(game, game.from_dict(d), Streams(1, seed=0))[0]))


def last_to_play(hand: str, trick: str) -> dict[str, object]:
    """The first trick of a round; seat 0 is to play last to it. All other cards are any that fit."""
    cards = trick.split()
    n = len(cards) + 1
    hands = [cards.split() for cards in filled([hand, *cards], HAND_SIZE[n])]
    for cards_of_seat, card in zip(hands[1:], cards, strict=True):
        cards_of_seat.remove(card)
    plays = [[seat, card] for seat, card in enumerate(cards, 1)]
    return position([" ".join(cards) for cards in hands], trick=plays, leader=1, mover=0)


def two_seats_left(hand: str, card: str, tricks: list[int]) -> dict[str, object]:
    """Of four, seats 3 and 2 have left, after 6 and 8 tricks; seat 1 has led, seat 0 is to follow."""
    size = len(hand.split())
    hands = filled([hand, card, "", ""], HAND_SIZE[4])
    others = [" ".join(cards.split()[1:]) for cards in hands[1:]]
    sizes = (size - 1, 5, 7)
    kept = [" ".join(cards.split()[:length]) for cards, length in zip(others, sizes, strict=True)]
    return position(
        [hand, *kept],
        trick=[[1, card]],
        leader=1,
        mover=0,
        tricks=[*tricks, 3, 3],
        round_points=[0, 0, 5, 3],
    )


def duel(hand: str, card: str, tricks: list[int]) -> dict[str, object]:
    """Two players: seat 1 has led a card, seat 0 is to follow."""
    hands = filled([hand, card], HAND_SIZE[2])
    other = hands[1].split()[1 : len(hand.split())]
    return position([hand, " ".join(other)], trick=[[1, card]], leader=1, mover=0, tricks=tricks)


# --- fair and correct ----------------------------------------------------------------------------------


@variants
def test_it_decides_by_what_the_mover_knows(game: Game) -> None:
    states = some_positions(game)
    actions = RULES.act(game, states, Streams(len(states), seed=1))
    for seed in range(4):
        elsewhere = game.resample(states, game.current_players(states), seed)
        assert (RULES.act(game, elsewhere, Streams(len(states), seed=1)) == actions).all()


@variants
def test_it_acts_legally_and_leaves_the_states_alone(game: Game) -> None:
    states = some_positions(game)
    before = states.tobytes()
    actions = RULES.act(game, states, Streams(len(states), seed=1))
    assert actions.shape == (len(states),)
    assert actions.dtype == np.int32
    assert game.action_masks(states)[np.arange(len(states)), actions].all()
    assert states.tobytes() == before


@variants
def test_it_decides_in_a_batch_as_it_does_in_single_games(game: Game) -> None:
    states = some_positions(game)
    actions = RULES.act(game, states, Streams(len(states), seed=1))
    draws = Streams(len(states), seed=1).random()
    assert [choose(states[i], draws[i]) for i in range(len(states))] == actions.tolist()


# --- sensible ------------------------------------------------------------------------------------------


def test_last_to_play_it_ducks_early_in_the_round() -> None:
    assert action_in(last_to_play("Y2 Y10 G3 G11 G12 R4 R5 R8 P2 P6 P9 B11 B12", "Y4 Y9 Y6")) == "Y2"


def test_when_it_cannot_win_it_throws_off_neither_its_lowest_nor_its_highest_card() -> None:
    card = action_in(last_to_play("R1 R6 R12 G0 G6 G12 P1 P6 P12 G1 R2 P2 G11", "Y4 Y9 Y6"))
    assert card in ("R6", "G6", "P6")


def test_with_two_seats_left_it_leaves_when_it_can() -> None:
    assert action_in(two_seats_left("G3 Y3 Y9", "Y8", [2, 2])) == "Y9"


def test_it_wins_with_a_seven_when_two_tricks_let_it_leave() -> None:
    assert action_in(two_seats_left("G3 Y3 Y7 Y9", "Y6", [1, 2])) == "Y7"


def test_it_knows_that_a_zero_beats_the_top_card() -> None:
    assert action_in(two_seats_left("Y0 Y3 Y4", "Y12", [2, 2])) == "Y0"


def test_it_names_the_suit_as_trump_in_which_it_is_long_and_high() -> None:
    hand = "B1 B2 G0 G1 R8 R9 R10 R11 R12 Y1 Y2 P3 P4"
    hands = filled([hand, "", "", ""], HAND_SIZE[4])
    assert action_in(position(hands, phase="name_trump", trump=None, round=1)) == "trump R"


def test_of_two_it_reaches_the_goal_only_when_that_scores_more_than_falling_short() -> None:
    assert action_in(duel("G1 Y3 Y9", "Y6", [6, 4])) == "Y9"  # 4 points against 3
    assert action_in(duel("G1 G4 Y3 Y9", "Y6", [6, 3])) == "Y3"  # it would be 3 against 4


# --- strong --------------------------------------------------------------------------------------------


@pytest.mark.skipif(not COMPILED, reason="hundreds of games are for compiled code")
@pytest.mark.parametrize(
    ("num_players", "least_share", "least_lead"),
    [(2, 0.93, 10.0), (3, 0.85, 8.0), (4, 0.7, 8.0), (5, 0.5, 8.0)],
)
def test_it_beats_random_players_by_far(num_players: int, least_share: float, least_lead: float) -> None:
    game = make_game("voodoo_prince", num_players)
    num_deals = 100
    # Every deal is played once from each seat.
    states = np.repeat(game.new_states(num_deals, seed=11), num_players)
    everyone = np.arange(len(states))
    seats = everyone % num_players
    rng = Streams(len(states), seed=12)
    while (game.current_players(states) >= 0).any():
        play_one_step(game, states, game.current_players(states) == seats, rng)
    winners = game.winners(states)
    scores = game.scores(states)
    share = (winners[everyone, seats] / winners.sum(axis=1)).mean()
    own = scores[everyone, seats]
    lead = (own - (scores.sum(axis=1) - own) / (num_players - 1)).mean()
    assert share > least_share
    assert lead > least_lead
