"""Matches: duplicate deals are fair, nobody's games depend on anybody else's, and the sums are right."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from math import factorial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("scipy")

from scipy import stats

import trick_agents
from tests.helpers import MINIS
from tests.policies import random_policy
from trick_agents import Agent
from trick_envs import make_game
from trick_envs.core.agent import RandomAgent
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import COMPILED
from trick_envs.core.random import Streams, seeds_for
from trick_experiments.evaluation import matches
from trick_experiments.evaluation.matches import (
    MEASURES,
    Interval,
    Results,
    Table,
    Values,
    Work,
    as_cells,
    differences,
    differences_by_deal,
    holm,
    interval,
    is_better,
    joined,
    means_by_deal,
    measure,
    names_at,
    p_value,
    p_values,
    play_deals,
    play_in_parts,
    seats_of_places,
    standing,
    variances,
    warm_up,
)

every_game = pytest.mark.parametrize("game", MINIS)


class FirstLegal:
    """Plays the first legal action: the same whatever its random numbers are."""

    def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
        """One legal action for the current player of each game."""
        return game.action_masks(states).argmax(axis=1).astype(np.int32)


class Drawing(FirstLegal):
    """Plays the first legal action, and keeps what it drew."""

    def __init__(self) -> None:
        self.drawn: list[int] = []

    def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
        """One legal action for the current player of each game."""
        self.drawn += rng.bits().tolist()
        return super().act(game, states, rng)


class Watching(FirstLegal):
    """Plays the first legal action, and keeps how many it had."""

    def __init__(self) -> None:
        self.choices: list[int] = []

    def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
        """One legal action for the current player of each game."""
        self.choices += game.action_masks(states).sum(axis=1).tolist()
        return super().act(game, states, rng)


class Played:
    """Keeps what `matches.play` was given and what came out."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seatings: list[NDArray[np.intp]] = []
        self.seeds: list[NDArray[np.uint64]] = []
        self.states: list[States] = []
        real = matches.play

        def play(
            game: Game, players: Sequence[Agent], seating: Any, seeds: Any, streams: Any
        ) -> tuple[States, list[Work]]:
            states, work = real(game, players, seating, seeds, streams)
            self.seatings.append(seating)
            self.seeds.append(seeds)
            self.states.append(states)
            return states, work

        monkeypatch.setattr(matches, "play", play)

    @property
    def seating(self) -> NDArray[np.intp]:
        """(G, S) who sat where, in all games so far."""
        return np.concatenate(self.seatings)

    @property
    def seed(self) -> NDArray[np.uint64]:
        """(G,) the seeds of all games so far."""
        return np.concatenate(self.seeds)


def play_tables(
    game: Game,
    entrants: Mapping[str, Agent],
    tables: Sequence[Table],
    num_deals: int,
    seed: int = 0,
    batch: int = 4096,
) -> Results:
    return joined(list(play_in_parts(game, entrants, tables, seeds_for(num_deals, seed), batch=batch)))


def filled(game: Game, *names: str) -> Table:
    """A table with these agents in turn until it is full."""
    return tuple((names * game.num_players)[: game.num_players])


def outcome(results: Results) -> tuple[Any, ...]:
    """All but the times."""
    decisions = {name: work.decisions for name, work in results.work.items()}
    return results.tables, results.scores.tolist(), results.winners.tolist(), decisions


# --- who sits where --------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_seats", [2, 3, 4, 5])
def test_places_are_rotated_through_all_seats(num_seats: int) -> None:
    seats = seats_of_places(num_seats, 0, 30)
    assert seats.shape == (30, num_seats, num_seats)
    for deal in seats:
        assert deal[:, 0].tolist() == list(range(num_seats))
        for k, rotation in enumerate(deal):
            assert sorted(rotation) == list(range(num_seats))
            assert rotation.tolist() == [(seat + k) % num_seats for seat in deal[0]]


@pytest.mark.parametrize("num_seats", [2, 3, 4, 5])
def test_each_place_comes_to_sit_beside_each_other_equally_often(num_seats: int) -> None:
    num_orders = factorial(num_seats - 1)
    seats = seats_of_places(num_seats, 0, num_orders)
    assert len(np.unique(seats[:, 0], axis=0)) == num_orders
    left_of: Counter[tuple[int, int]] = Counter()
    for order in seats[:, 0]:
        place_at = order.argsort()
        for seat in range(num_seats):
            left_of[int(place_at[seat]), int(place_at[(seat + 1) % num_seats])] += 1
    pairs = [(i, j) for i, j in product(range(num_seats), repeat=2) if i != j]
    assert dict(left_of) == dict.fromkeys(pairs, num_orders // (num_seats - 1))


def test_the_order_round_the_table_is_that_of_the_deals_number() -> None:
    everything = seats_of_places(4, 0, 20)
    assert (seats_of_places(4, 7, 13) == everything[7:]).all()
    assert (everything[6:12] == everything[:6]).all()


@every_game
def test_in_every_deal_each_agent_sits_at_each_seat_equally_often(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    entrants = {name: RandomAgent() for name in "abcdefgh"[: game.num_players]}
    for table in (filled(game, *entrants), filled(game, "a", "b")):
        with monkeypatch.context() as patch:
            played = Played(patch)
            play_tables(game, entrants, [table], 4, batch=2 * game.num_players)
        assert len(np.unique(played.seed)) == 4
        for seed in np.unique(played.seed):
            seating = played.seating[played.seed == seed]
            assert len(seating) == game.num_players
            for number, name in enumerate(names_at([table])):
                assert ((seating == number).sum(axis=0) == table.count(name)).all()


@every_game
def test_what_is_stored_is_what_was_played(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    entrants = {"a": RandomAgent(), "b": FirstLegal(), "c": trick_agents.make("rules", game)}
    tables = [filled(game, "a", "b"), filled(game, "c", "b", "a")]
    played = Played(monkeypatch)
    results = play_deals(game, entrants, tables, seeds_for(3, 0))
    assert results.num_games == 3 * 2 * game.num_players
    assert results.num_deals == 3
    seats = seats_of_places(game.num_players, 0, 3)
    for t, table in enumerate(tables):
        names = names_at([table])
        states = played.states[t]
        for game_number, (deal, rotation) in enumerate(product(range(3), range(game.num_players))):
            for place, name in enumerate(table):
                seat = seats[deal, rotation, place]
                assert names[played.seatings[t][game_number, seat]] == name
                assert results.scores[deal, t, rotation, place] == game.scores(states)[game_number, seat]
                assert results.winners[deal, t, rotation, place] == game.winners(states)[game_number, seat]


# --- duplicate deals -------------------------------------------------------------------------------------


@every_game
def test_all_games_of_a_deal_have_the_same_cards(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played(monkeypatch)
    tables = [filled(game, "a", "b"), filled(game, "b")]
    play_tables(game, {"a": RandomAgent(), "b": FirstLegal()}, tables, 3)
    dealt = game.new_states(len(played.seed), played.seed)
    assert len(dealt) == 2 * 3 * game.num_players
    assert len(np.unique(played.seed)) == 3
    assert len({state.tobytes() for state in dealt}) == 3


@every_game
def test_a_deal_is_the_same_among_any_number_of_deals(game: Game) -> None:
    entrants = {"a": RandomAgent(), "b": trick_agents.make("rules", game)}
    tables = [filled(game, "a", "b")]
    few, many = (play_tables(game, entrants, tables, num_deals, seed=4) for num_deals in (2, 5))
    assert many.num_deals == 5
    assert (many.scores[:2] == few.scores).all()
    assert (many.winners[:2] == few.winners).all()


@every_game
def test_deals_depend_on_the_seed_alone(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = []
    for agent, seed in ((RandomAgent(), 4), (FirstLegal(), 4), (FirstLegal(), 5)):
        with monkeypatch.context() as patch:
            played = Played(patch)
            play_tables(game, {"a": agent}, [filled(game, "a")], 3, seed)
        seeds.append(np.unique(played.seed).tolist())
    assert seeds[0] == seeds[1]
    assert not set(seeds[0]) & set(seeds[2])


# --- agents' own chance ----------------------------------------------------------------------------------


@every_game
def test_another_agent_or_table_changes_no_other_game(game: Game) -> None:
    entrants: dict[str, Agent] = {name: RandomAgent() for name in "abc"} | {
        "rules": trick_agents.make("rules", game)
    }
    tables = [filled(game, "a", "b"), filled(game, "rules", "a")]
    before = play_tables(game, entrants, tables, 4)
    more = play_tables(game, entrants, [filled(game, "c"), tables[1], filled(game, "c", "a"), tables[0]], 4)
    for t, there in ((0, 3), (1, 1)):
        assert (more.scores[:, there] == before.scores[:, t]).all()
        assert (more.winners[:, there] == before.winners[:, t]).all()


@every_game
def test_how_much_one_agent_draws_changes_nothing_for_others(game: Game) -> None:
    table = [filled(game, "a", "b")]
    found = [
        play_tables(game, {"a": quiet, "b": RandomAgent()}, table, 4) for quiet in (FirstLegal(), Drawing())
    ]
    assert outcome(found[0]) == outcome(found[1])


@every_game
def test_no_two_streams_are_the_same(game: Game) -> None:
    entrants = {name: Drawing() for name in "abc"}
    play_tables(game, entrants, [filled(game, "a", "b"), filled(game, "a", "c")], 3)
    drawn = [number for agent in entrants.values() for number in agent.drawn]
    assert len(set(drawn)) == len(drawn)


@every_game
def test_an_agents_chance_depends_on_its_name_and_table(game: Game) -> None:
    def drawn(table: Table) -> list[int]:
        entrants = {name: Drawing() for name in table}
        play_tables(game, entrants, [table], 2)
        return entrants["a"].drawn

    assert drawn(filled(game, "a", "b")) == drawn(filled(game, "a", "b"))
    assert not set(drawn(filled(game, "a", "b"))) & set(drawn(filled(game, "a", "c")))


# --- parts and batches -----------------------------------------------------------------------------------


@every_game
def test_results_do_not_depend_on_the_batch_nor_on_time(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    entrants = {
        "random": RandomAgent(),
        "rules": trick_agents.make("rules", game),
        "policy": random_policy(game),
    }
    tables = [filled(game, *entrants), filled(game, "rules", "policy")]
    num_deals = 7 if COMPILED else 2
    expected = outcome(play_deals(game, entrants, tables, seeds_for(num_deals, 1)))
    for batch in (1, game.num_players, 3 * game.num_players + 1, 4096):
        assert outcome(play_tables(game, entrants, tables, num_deals, 1, batch)) == expected
    monkeypatch.setattr(matches, "PART_SECONDS", 0.0)
    assert outcome(play_tables(game, entrants, tables, num_deals, 1)) == expected


def sizes_of_parts(num_deals: int, first: int = 0, batch: int = 4096) -> list[int]:
    game = make_game("voodoo_prince", num_players=2, preset="mini")
    seeds = seeds_for(num_deals, 0)
    parts = play_in_parts(game, {"a": FirstLegal()}, [("a", "a")], seeds, first, batch)
    return [part.num_deals for part in parts]


def test_parts_grow_as_far_as_time_and_batch_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "PART_SECONDS", 1e9)
    assert sizes_of_parts(20) == [1, 8, 11]
    assert sizes_of_parts(20, batch=10) == [1, 5, 5, 5, 4]
    assert sizes_of_parts(20, first=18) == [1, 1]
    assert sizes_of_parts(20, first=20) == []
    monkeypatch.setattr(matches, "PART_SECONDS", 0.0)
    assert sizes_of_parts(4) == [1] * 4


@every_game
def test_a_run_can_begin_with_any_deal(game: Game) -> None:
    entrants = {"a": RandomAgent(), "b": FirstLegal()}
    tables = [filled(game, "a", "b")]
    seeds = seeds_for(8, 0)
    everything = joined(list(play_in_parts(game, entrants, tables, seeds)))
    rest = joined(list(play_in_parts(game, entrants, tables, seeds, first=3)))
    assert (rest.scores == everything.scores[3:]).all()
    assert (rest.winners == everything.winners[3:]).all()


def test_parts_are_joined_with_their_work() -> None:
    rng = np.random.default_rng(0)
    parts = [random_results(rng, [("a", "b")], num_deals) for num_deals in (2, 1, 3)]
    for number, part in enumerate(parts):
        part.work = {"a": Work(number, 0.5), "b": Work(10, 0.25 * number)}
    whole = joined(parts)
    assert whole.num_deals == 6
    assert whole.scores.tolist() == [deal for part in parts for deal in part.scores.tolist()]
    assert whole.winners.tolist() == [deal for part in parts for deal in part.winners.tolist()]
    assert whole.work == {"a": Work(3, 1.5), "b": Work(30, 0.75)}
    assert whole.num_decisions == 33
    assert whole.work["a"].milliseconds == pytest.approx(500)


@every_game
def test_all_decisions_are_counted_for_whoever_makes_them(game: Game) -> None:
    entrants = {"a": Watching(), "b": Watching()}
    results = play_tables(game, entrants, [filled(game, "a", "b")], 3)
    assert results.work.keys() == entrants.keys()
    for name, agent in entrants.items():
        assert results.work[name].decisions == len(agent.choices)
        assert results.work[name].seconds > 0
    assert results.num_decisions == len(entrants["a"].choices) + len(entrants["b"].choices)


@every_game
def test_agents_warm_up_on_a_choice(game: Game) -> None:
    entrants = {"a": Watching(), "b": Watching()}
    warm_up(game, entrants)
    for agent in entrants.values():
        assert len(agent.choices) == 1
        assert agent.choices[0] > 1


# --- measures --------------------------------------------------------------------------------------------


def test_measures_of_finished_games_share_wins_and_ranks_among_equals() -> None:
    game = make_game("voodoo_prince", num_players=4)
    states = game.new_states(4, seed=0)
    game.play_randomly(states)
    states["scores"][:, :4] = [[7, 9, 4, 2], [7, 9, 9, 2], [5, 5, 5, 5], [-1, 0, -3, -3]]
    states["winners"][:, :4] = [[0, 1, 0, 0], [0, 1, 1, 0], [1, 1, 1, 1], [0, 1, 0, 0]]
    measured = measure(game.scores(states), game.winners(states))
    assert measured["score"].tolist() == [[7, 9, 4, 2], [7, 9, 9, 2], [5, 5, 5, 5], [-1, 0, -3, -3]]
    assert measured["win_share"].tolist() == [[0, 1, 0, 0], [0, 0.5, 0.5, 0], [0.25] * 4, [0, 1, 0, 0]]
    assert measured["rank"].tolist() == [[2, 1, 3, 4], [3, 1.5, 1.5, 4], [2.5] * 4, [2, 1, 3.5, 3.5]]


@every_game
def test_measures_of_a_game_add_up(game: Game) -> None:
    states = game.new_states(50, seed=0)
    game.play_randomly(states)
    measured = measure(game.scores(states), game.winners(states))
    assert measured["win_share"].sum(axis=1) == pytest.approx(np.ones(50))
    assert measured["rank"].sum(axis=1) == pytest.approx(np.full(50, sum(range(game.num_players + 1))))
    assert (measured["score"] == game.scores(states)).all()


def test_a_winner_stands_above_others_with_as_much() -> None:
    height = standing(np.array([[3, 3, 4, 2]], np.int32), np.array([[0, 1, 0, 0]], np.int8))[0]
    assert np.argsort(height).tolist() == [3, 0, 1, 2]
    assert len(set(height.tolist())) == 4


def random_results(rng: np.random.Generator, tables: Sequence[Table], num_deals: int) -> Results:
    """Results with many equal scores, and ties that are broken by chance or not."""
    n = len(tables[0])
    scores = rng.integers(-3, 4, (num_deals, len(tables), n, n)).astype(np.int32)
    best = scores == scores.max(axis=-1, keepdims=True)
    luck = rng.random(scores.shape)
    alone = luck == np.where(best, luck, -1).max(axis=-1, keepdims=True)
    shared = rng.random(scores.shape[:-1])[..., None] < 0.5
    return Results(list(tables), scores, np.where(shared, best, alone).astype(np.int8))


SEATINGS: list[list[Table]] = [
    [("a", "b", "a")],
    [("a", "b", "c", "a"), ("a", "b", "c", "b"), ("a", "b", "c", "c")],
    list(combinations("abcde", 3)),
    list(combinations("abc", 2)),
]


def slow_values(results: Results, d: int, t: int, r: int) -> dict[str, list[float]]:
    """Score, win share and rank at each place in one game, counted by hand."""
    scores = results.scores[d, t, r].tolist()
    winners = results.winners[d, t, r].tolist()
    ranks = [1 + sum(other > mine for other in scores) + (scores.count(mine) - 1) / 2 for mine in scores]
    return {"score": scores, "win_share": [won / sum(winners) for won in winners], "rank": ranks}


def slow_means(results: Results, name: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {what: [] for what in MEASURES}
    for d in range(results.num_deals):
        seen: dict[str, list[float]] = {what: [] for what in MEASURES}
        for t, table in enumerate(results.tables):
            for r in range(len(table)):
                for what, values in slow_values(results, d, t, r).items():
                    seen[what] += [value for value, other in zip(values, table, strict=True) if other == name]
        for what in MEASURES:
            found[what].append(sum(seen[what]) / len(seen[what]))
    return found


def is_ahead(results: Results, game: tuple[int, int, int], i: int, j: int) -> float:
    """1 if place i is ahead of place j, 0.5 if they are equal."""
    one, other = ((results.scores[game][k], results.winners[game][k]) for k in (i, j))
    return 1.0 if one > other else 0.5 if one == other else 0.0


def slow_differences(results: Results, one: str, other: str) -> Values:
    found: dict[str, list[list[list[float]]]] = {what: [] for what in (*MEASURES, "ahead")}
    for d in range(results.num_deals):
        for what in found:
            found[what].append([])
        for t, table in enumerate(results.tables):
            mine = [i for i, name in enumerate(table) if name == one]
            theirs = [i for i, name in enumerate(table) if name == other]
            if not mine or not theirs:
                continue
            for what in found:
                found[what][d].append([])
            for r in range(len(table)):
                for what, values in slow_values(results, d, t, r).items():
                    mean, mean_other = (sum(values[i] for i in at) / len(at) for at in (mine, theirs))
                    found[what][d][-1].append(mean - mean_other)
                pairs = [is_ahead(results, (d, t, r), i, j) for i in mine for j in theirs]
                found["ahead"][d][-1].append(sum(pairs) / len(pairs))
    return {what: np.array(values) for what, values in found.items()}


@pytest.mark.parametrize("tables", SEATINGS, ids=str)
def test_means_are_those_of_a_slow_count(tables: list[Table]) -> None:
    results = random_results(np.random.default_rng(1), tables, 5)
    means = means_by_deal(results)
    assert list(means) == results.names == names_at(tables)
    for name in means:
        for what, expected in slow_means(results, name).items():
            assert means[name][what] == pytest.approx(expected)


@pytest.mark.parametrize("tables", SEATINGS, ids=str)
def test_differences_are_those_of_a_slow_count(tables: list[Table]) -> None:
    results = random_results(np.random.default_rng(2), tables, 5)
    for one, other in combinations(results.names, 2):
        found, expected = differences(results, one, other), slow_differences(results, one, other)
        assert found.keys() == expected.keys() == {*MEASURES, "ahead"}
        for what in expected:
            assert found[what].shape == expected[what].shape
            assert found[what] == pytest.approx(expected[what])
        for what, by_deal in differences_by_deal(results, one, other).items():
            assert by_deal == pytest.approx([np.mean(deal) for deal in expected[what]])
        back = differences(results, other, one)
        assert back["ahead"] == pytest.approx(1 - found["ahead"])
        assert back["score"] == pytest.approx(-found["score"])


def test_agents_that_never_meet_have_no_difference() -> None:
    results = random_results(np.random.default_rng(0), [("a", "b"), ("c", "d")], 2)
    with pytest.raises(ValueError, match="'a' and 'c' never meet"):
        differences(results, "a", "c")


# --- luck ------------------------------------------------------------------------------------------------


def luck(num_deals: int, by_deal: float, by_rotation: float, by_game: float) -> NDArray[np.float64]:
    """Differences (D, 1, 4) with so much luck that comes with the deal, with the seats, with each game."""
    rng = np.random.default_rng(3)
    shape = (num_deals, 1, 4)
    seats = np.array([-1.0, 1.0, -1.0, 1.0])
    return (
        by_deal * rng.normal(size=(num_deals, 1, 1)) + by_rotation * seats + by_game * rng.normal(size=shape)
    )


def test_variances_tell_where_luck_comes_from() -> None:
    only_games = variances(luck(20_000, 0, 0, 2))
    for found in (only_games.single, only_games.rotated, only_games.duplicate):
        assert found == pytest.approx(4, rel=0.05)
    with_seats = variances(luck(20_000, 0, 3, 2))
    assert with_seats.single == pytest.approx(13, rel=0.05)
    assert with_seats.rotated == pytest.approx(4, rel=0.05)
    assert with_seats.duplicate == pytest.approx(4, rel=0.05)
    # Luck that favours an agent in all seatings of a deal isn't evened out: the deals are too few, then.
    with_deals = variances(luck(20_000, 1, 0, 2))
    assert with_deals.single == pytest.approx(5, rel=0.05)
    assert with_deals.duplicate == pytest.approx(8, rel=0.05)


def test_variances_are_those_of_a_slow_count() -> None:
    values = np.random.default_rng(4).normal(size=(6, 2, 3))
    found = variances(values)
    flat = [x for deal in values.tolist() for table in deal for x in table]
    mean = sum(flat) / len(flat)
    assert found.single == pytest.approx(sum((x - mean) ** 2 for x in flat) / len(flat) * 6 / 5)
    columns = [[deal[t][r] for deal in values.tolist()] for t in range(2) for r in range(3)]
    by_column = [sum((x - sum(c) / 6) ** 2 for x in c) / 5 for c in columns]
    assert found.rotated == pytest.approx(sum(by_column) / 6)
    means = [sum(map(sum, deal)) / 6 for deal in values.tolist()]
    assert found.duplicate == pytest.approx(6 * sum((x - mean) ** 2 for x in means) / 5)


def test_the_luck_of_seats_is_told_apart_for_each_order_round_the_table() -> None:
    by_order = np.tile(np.array([-2.0, 0.0, 2.0]), 6_000)[:, None, None]
    values = by_order * np.array([1, 1, -1, -1]) + luck(18_000, 0, 0, 1)
    assert variances(values, num_orders=3).rotated == pytest.approx(1, rel=0.05)
    assert variances(values).rotated == pytest.approx(1 + 8 / 3, rel=0.05)


def test_a_duplicate_interval_is_that_of_the_duplicate_variance() -> None:
    results = random_results(np.random.default_rng(5), [("a", "b", "a")], 4000)
    found = differences(results, "a", "b")["score"]
    by_deal = interval(found.mean(axis=(1, 2)))
    half = 1.96 * np.sqrt(variances(found).duplicate / results.num_games)
    assert (by_deal.high - by_deal.low) / 2 == pytest.approx(half, rel=0.01)


# --- intervals -------------------------------------------------------------------------------------------


def test_an_interval_is_that_of_students_t() -> None:
    for values in ([1.0, 2.0, 4.0], [0.0, 1.0], np.random.default_rng(0).normal(3, 2, 100)):
        array = np.asarray(values)
        found = interval(array)
        half = stats.t.ppf(0.975, len(array) - 1) * array.std(ddof=1) / np.sqrt(len(array))
        assert found.mean == pytest.approx(array.mean())
        assert (found.low, found.high) == pytest.approx((array.mean() - half, array.mean() + half))


@pytest.mark.parametrize("values", [[0.25], [0.25] * 7])
def test_the_interval_of_one_value_is_that_value(values: list[float]) -> None:
    assert interval(np.array(values)) == Interval(0.25, 0.25, 0.25)


def test_95_of_100_intervals_hold_the_true_mean() -> None:
    rng = np.random.default_rng(0)
    found = [interval(rng.normal(1.0, 3.0, 8)) for _ in range(1000)]
    assert sum(one.low <= 1.0 <= one.high for one in found) / len(found) == pytest.approx(0.95, abs=0.02)


def test_an_interval_is_written_as_mean_and_half_its_width() -> None:
    found = Interval(-1.234, -2.0, -0.468)
    assert f"{found:.2f}" == "-1.23 ± 0.77"
    measured = {"rank": found, "score": found, "win_share": found}
    assert as_cells(measured) == ["-1.23 ± 0.77", "-1.234 ± 0.766", "-1.234 ± 0.766"]
    p_values = {"score": 0.049, "win_share": 0.05, "rank": 1.0}
    assert as_cells(measured, p_values) == ["-1.23 ± 0.77*", "-1.234 ± 0.766 ", "-1.234 ± 0.766 "]


# --- who is better ---------------------------------------------------------------------------------------


def test_p_values_are_corrected_as_holm_says() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.02]) == pytest.approx([0.5, 0.04])
    assert holm([0.9, 0.8]) == pytest.approx([1, 1])
    assert holm([0.04]) == [0.04]
    assert holm([]) == []


def test_of_two_agents_one_is_better_where_the_interval_excludes_0() -> None:
    rng = np.random.default_rng(0)
    found = []
    for _ in range(200):
        values = rng.normal(0.3, 1, 40)
        (p,) = p_values([{"score": values, "ahead": values + 0.5}])
        assert p["score"] == pytest.approx(p["ahead"])
        outside = not interval(values).low <= 0 <= interval(values).high
        assert is_better(p["score"]) == outside
        found.append(outside)
    assert 0.2 < np.mean(found) < 0.8


def test_deals_that_all_came_out_the_same_count_by_their_sides() -> None:
    for num_deals in (1, 2, 8):
        same = np.full(num_deals, 0.25)
        assert p_value(same) == 2.0 ** (1 - num_deals)
        assert p_value(same, even=0.25) == 1
    assert not is_better(p_value(np.full(5, 3.0)))
    assert is_better(p_value(np.full(6, 3.0)))


def equal_agents(rng: np.random.Generator, num_deals: int = 100) -> Results:
    """Six equal agents at one table; scores are luck, part of it the deal's."""
    luck = rng.integers(0, 20, (num_deals, 1, 6, 6)) + rng.integers(0, 20, (num_deals, 1, 1, 6))
    scores = luck.astype(np.int32)
    winners = (scores == scores.max(axis=-1, keepdims=True)).astype(np.int8)
    return Results([tuple("abcdef")], scores, winners)


def test_of_equal_agents_one_is_called_better_in_5_percent_of_all_comparisons() -> None:
    rng = np.random.default_rng(1)
    num_excluded, num_better = 0, 0
    for _ in range(400):
        results = equal_agents(rng)
        share = measure(results.scores, results.winners)["win_share"].mean(axis=(1, 2))
        pairs = [{"win_share": share[:, i] - share[:, j]} for i, j in combinations(range(6), 2)]
        found = [interval(values["win_share"]) for values in pairs]
        num_excluded += any(not one.low <= 0 <= one.high for one in found)
        num_better += any(is_better(p["win_share"]) for p in p_values(pairs))
    assert num_excluded / 400 > 0.3
    assert 0.02 <= num_better / 400 <= 0.08
