"""The engine below seat environments, self-play and matches: learners and agents at the tables of a batch."""

import numpy as np
import pytest
from numpy.typing import NDArray

import trick_envs
from tests.helpers import random_actions
from trick_envs import Game, RandomAgent, States, Streams
from trick_envs.envs.tables import LEARNER, Tables

games = pytest.mark.parametrize("game", [trick_envs.make_game(name) for name in trick_envs.GAMES], ids=repr)


class Counting(RandomAgent):
    """Plays at random and counts its decisions."""

    def __init__(self) -> None:
        self.decisions = 0

    def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
        """One legal action for each."""
        self.decisions += len(states)
        return super().act(game, states, rng)


def tables_of(game: Game, num_tables: int, agents: int = 1, seed: int = 3) -> Tables:
    streams = [Streams(num_tables, seed + i) for i in range(agents)]
    tables = Tables(game, num_tables, [Counting() for _ in range(agents)], streams)
    tables.begin(game.new_states(num_tables, seed))
    return tables


@games
def test_without_learners_every_game_ends_and_is_told_once(game: Game) -> None:
    tables = tables_of(game, 6, agents=2)
    tables.agent_at[:] = np.arange(game.num_players) % 2
    ended = [table for over in tables.play_agents() for table in over]
    assert sorted(ended) == list(range(6))
    assert (game.current_players(tables.states) == -1).all()
    np.testing.assert_allclose(tables.gained, game.returns(tables.states), atol=1e-5)
    assert list(tables.play_agents()) == []


@games
def test_with_learners_everywhere_no_agent_is_asked(game: Game) -> None:
    tables = tables_of(game, 4)
    before = tables.states.tobytes()
    assert tables.is_learner.all()
    assert list(tables.play_agents()) == []
    assert tables.states.tobytes() == before
    assert tables.agents[0].decisions == 0  # type: ignore[attr-defined]


@games
def test_it_plays_up_to_a_learners_turn_whatever_differs_between_tables(game: Game) -> None:
    n = game.num_players
    tables = tables_of(game, 2 * n)
    tables.agent_at[:] = 0
    tables.agent_at[np.arange(2 * n), np.arange(2 * n) % n] = LEARNER
    rng = np.random.default_rng(1)
    for _ in range(20):
        for _ in tables.play_agents():
            pass
        current = game.current_players(tables.states)
        going_on = current >= 0
        assert (current[going_on] == (np.arange(2 * n) % n)[going_on]).all()
        tables.play(going_on, random_actions(game, tables.states, rng))


@games
def test_a_table_is_the_same_whatever_others_there_are(game: Game) -> None:
    few, many = tables_of(game, 2), tables_of(game, 7)
    for tables in (few, many):
        tables.agent_at[:] = 0
        list(tables.play_agents())
    assert few.states.tobytes() == many.states[:2].tobytes()


def test_a_new_game_at_a_table_goes_on_and_rounds_are_told() -> None:
    game = trick_envs.make_game("voodoo_prince", preset="mini")
    tables = tables_of(game, 3)
    tables.agent_at[:] = 0
    rounds = 0
    for over in tables.play_agents():
        rounds += len(over)
        assert tables.round_ended.any()
        if rounds < 10:
            tables.begin(game.new_states(3, rounds))
    assert rounds >= 10


def test_the_clock_is_told_of_every_decision() -> None:
    game = trick_envs.make_game("tighee", preset="mini")
    told: list[tuple[int, int]] = []
    agent = Counting()
    tables = Tables(game, 5, [agent], [Streams(5, 1)], lambda *what: told.append(what[:2]))
    tables.agent_at[:] = 0
    tables.begin(game.new_states(5, 1))
    list(tables.play_agents())
    assert sum(count for _, count in told) == agent.decisions > 0
    assert {number for number, _ in told} == {0}
