"""Games between agents on duplicate deals, and what they say about the agents.

Every deal is played once for each way to rotate the agents through the seats, with the same cards and the
same chance, so that luck of the cards is the same for all. Intervals are over deals.

An agent's random numbers depend on the deal, on who else sits at the table, on the rotation and on the
agent's name, and on nothing else: other tables and other deals change nothing.

Letters: D deals, T tables, S seats. An agent has a *place* at a table. The circular order of the places
changes from deal to deal, so that each comes to sit beside each; then they are rotated through the seats.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from tqdm import tqdm

from trick_agents import Agent
from trick_envs.core.agent import decide
from trick_envs.core.game import Game, States
from trick_envs.core.random import Streams
from trick_envs.envs.tables import Tables

MEASURES = ("score", "win_share", "rank")
HEADINGS = ("mean score", "win share", "mean rank")
TIME = "ms/move"  # the heading of an agent's time per decision
FORMS = (".2f", ".3f", ".3f")
CONFIDENCE = 0.95
FAMILY = "95 % confidence for all pairs together"
MARK = "*"  # stands where one of two agents is better
SAME = 1e-9  # so near each other, values are equal but for rounding
PART_SECONDS = 5.0  # about how long a part of many deals takes; so much is lost when a run is stopped
GROWTH = 8  # a part has at most so many times the deals of the one before, whose time tells how many

Table = tuple[str, ...]
"""The name of the agent at each place."""

Values = dict[str, NDArray[np.float64]]
"""Arrays by measure."""


@dataclass(frozen=True)
class Interval:
    """A mean over deals and its 95 % interval."""

    mean: float
    low: float
    high: float

    def __format__(self, form: str) -> str:
        """The mean and half the interval's width, both in a form for numbers, such as ``.2f``."""
        return f"{self.mean:{form}} ± {(self.high - self.low) / 2:{form}}"


def interval(values: NDArray[np.float64]) -> Interval:
    """The mean of values (one for each deal) and its 95 % interval by Student's t."""
    mean = float(values.mean())
    if len(values) < 2 or np.ptp(values) < SAME:
        return Interval(mean, mean, mean)
    found = stats.ttest_1samp(values, 0.0).confidence_interval(CONFIDENCE)
    return Interval(mean, float(found.low), float(found.high))


def p_value(values: NDArray[np.float64], even: float = 0.0) -> float:
    """How likely values (one for each deal) have a mean as far from `even`, if that is the true one.

    By Student's t. Where all deals came out the same, that has no value; then by their sides alone, which are
    all one with a probability of 2 / 2**D.
    """
    if np.ptp(values) < SAME:
        return 1.0 if abs(values[0] - even) < SAME else 2.0 ** (1 - len(values))
    return float(stats.ttest_1samp(values, even).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values corrected for their number, in the same order.

    Among equal agents a pair has one below 0.05 in 5 % of all comparisons, however many pairs there are.
    Source: S. Holm, "A simple sequentially rejective multiple test procedure", 1979.
    """
    values = np.asarray(p_values, np.float64)
    order = values.argsort()
    steps = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    corrected = np.empty_like(values)
    corrected[order] = np.minimum(steps, 1)
    return corrected.tolist()


def p_values(pairs: Sequence[Values]) -> list[dict[str, float]]:
    """For each pair and measure, how likely such a difference is between equals, corrected for all pairs.

    `pairs`: the differences by deal, (D,); of ``ahead`` the shares.
    """
    even = {"ahead": 0.5}
    measures = list(pairs[0]) if pairs else []
    by_measure = [holm([p_value(pair[what], even.get(what, 0)) for pair in pairs]) for what in measures]
    return [dict(zip(measures, found, strict=True)) for found in zip(*by_measure, strict=True)]


def is_better(p_value: float) -> bool:
    """Whether a corrected p-value says that one of two agents is better than the other."""
    return p_value < 1 - CONFIDENCE - SAME


def as_cells(found: Mapping[str, Interval], p_values: Mapping[str, float] | None = None) -> list[str]:
    """The interval of each measure as text, for tables with `HEADINGS`; with p-values also a mark or a blank.

    The mark says that one of two agents is better by this measure.
    """
    texts = [format(found[what], form) for what, form in zip(MEASURES, FORMS, strict=True)]
    if p_values is None:
        return texts
    marks = [MARK if is_better(p_values[what]) else " " for what in MEASURES]
    return [text + mark for text, mark in zip(texts, marks, strict=True)]


def intervals(values: Values) -> dict[str, Interval]:
    """The interval of each measure, from its values by deal."""
    return {what: interval(by_deal) for what, by_deal in values.items()}


# --- playing ---------------------------------------------------------------------------------------------


@dataclass
class Work:
    """How many decisions an agent made, and how long they took."""

    decisions: int = 0
    seconds: float = 0.0

    @property
    def milliseconds(self) -> float:
        """Time per decision."""
        return 1000 * self.seconds / self.decisions

    def add(self, other: "Work") -> None:
        """Adds more of it."""
        self.decisions += other.decisions
        self.seconds += other.seconds


@dataclass
class Results:
    """What came out of some deals."""

    tables: list[Table]
    scores: NDArray[np.int32]
    """(D, T, S, S) by deal, table, rotation and place."""
    winners: NDArray[np.int8]
    """(D, T, S, S), 1: has won, alone or shared."""
    work: dict[str, Work] = field(default_factory=dict)
    """By agent."""

    @property
    def names(self) -> list[str]:
        """The agents, in the order in which they come at the tables."""
        return names_at(self.tables)

    @property
    def num_deals(self) -> int:
        """D."""
        return len(self.scores)

    @property
    def num_games(self) -> int:
        """All games."""
        return self.scores[..., 0].size

    @property
    def num_decisions(self) -> int:
        """All decisions."""
        return sum(work.decisions for work in self.work.values())

    def places_of(self, name: str) -> NDArray[np.bool_]:
        """(T, S) the places of an agent."""
        return np.array([[other == name for other in table] for table in self.tables])


def names_at(tables: Sequence[Table]) -> list[str]:
    """Everybody who sits at some tables, once."""
    return list(dict.fromkeys(name for table in tables for name in table))


def joined(parts: Sequence[Results]) -> Results:
    """All deals of several parts, in their order, at the same tables."""
    tables = parts[0].tables
    work = {name: Work() for name in names_at(tables)}
    for part in parts:
        for name, done in part.work.items():
            work[name].add(done)
    scores, winners = ([getattr(part, what) for part in parts] for what in ("scores", "winners"))
    return Results(tables, np.concatenate(scores), np.concatenate(winners), work)


def warm_up(game: Game, entrants: Mapping[str, Agent]) -> None:
    """Lets every agent choose once, so that no clock measures the compiler."""
    states = game.new_states(1, 0)
    while game.action_masks(states).sum() == 1:  # nothing to choose: a search wouldn't even begin
        game.step(states, game.action_masks(states).argmax(axis=1))
    for agent in entrants.values():
        decide(agent, game, states, np.array([0]), Streams(1, 0))
    game.step(states, game.action_masks(states).argmax(axis=1))


def play_in_parts(
    game: Game,
    entrants: Mapping[str, Agent],
    tables: Sequence[Table],
    seeds: NDArray[np.uint64],
    first: int = 0,
    batch: int = 4096,
    progress: bool = False,
) -> Iterator[Results]:
    """Plays deals in parts that take some seconds each, and gives each part when it has been played.

    Args:
        game: The rules.
        entrants: The agents by name.
        tables: Who sits together.
        seeds: (D,) one for each deal, also for those that have been played before.
        first: The number of the first deal to play.
        batch: Games at once, at least one deal's at a table; doesn't change the results.
        progress: Show a bar with the time left.
    """
    limit = max(1, batch // game.num_players)
    size = 1
    with tqdm(total=len(seeds), initial=first, unit="deal", disable=not progress) as bar:
        while first < len(seeds):
            start = perf_counter()
            part = play_deals(game, entrants, tables, seeds[first : first + size], first)
            in_time = int(size * PART_SECONDS / (perf_counter() - start))
            yield part
            bar.update(part.num_deals)
            first += part.num_deals
            size = max(1, min(GROWTH * size, in_time, limit))


def play_deals(
    game: Game,
    entrants: Mapping[str, Agent],
    tables: Sequence[Table],
    seeds: NDArray[np.uint64],
    first: int = 0,
) -> Results:
    """Plays some deals at all tables in all rotations.

    Args:
        game: The rules.
        entrants: The agents by name.
        tables: Who sits together.
        seeds: (D,) one for each deal.
        first: The number of the first of these deals.
    """
    n = game.num_players
    shape = (len(seeds), len(tables), n, n)
    results = Results(list(tables), np.empty(shape, np.int32), np.empty(shape, np.int8))
    results.work = {name: Work() for name in results.names}
    seat_of = seats_of_places(n, first, len(seeds)).reshape(-1, n)
    for t, table in enumerate(tables):
        names = names_at([table])
        by_place = np.array([names.index(name) for name in table])
        seating = np.empty(seat_of.shape, np.intp)
        np.put_along_axis(seating, seat_of, np.broadcast_to(by_place, seat_of.shape), axis=1)
        players = [entrants[name] for name in names]
        streams = [_streams(seeds, table, name) for name in names]
        states, work = play(game, players, seating, np.repeat(seeds, n), streams)
        for name, done in zip(names, work, strict=True):
            results.work[name].add(done)
        for values, out in ((game.scores(states), results.scores), (game.winners(states), results.winners)):
            out[:, t] = np.take_along_axis(values, seat_of, axis=1).reshape(len(seeds), n, n)
    return results


def circular_orders(num_seats: int) -> NDArray[np.intp]:
    """All orders in which places can follow each other round the table, the seats of the places in rows."""
    return np.array([(0, *rest) for rest in permutations(range(1, num_seats))])


def seats_of_places(num_seats: int, first: int, num_deals: int) -> NDArray[np.intp]:
    """The seat of each place in some deals, (D, S, S) by deal, rotation and place."""
    orders = circular_orders(num_seats)
    order = orders[np.arange(first, first + num_deals) % len(orders)]
    return (order[:, None, :] + np.arange(num_seats)[None, :, None]) % num_seats


def play(
    game: Game,
    players: Sequence[Agent],
    seating: NDArray[np.intp],
    seeds: NDArray[np.uint64],
    streams: Sequence[Streams],
) -> tuple[States, list[Work]]:
    """Plays G games to their end, all at once.

    Args:
        game: The rules.
        players: The agents.
        seating: (G, S) which of `players` sits where.
        seeds: (G,) for the games' own chance.
        streams: For each of `players`, G streams of random numbers.

    Returns:
        The finished games (G,) and each player's work.
    """
    work = [Work() for _ in players]

    def clock(number: int, decisions: int, seconds: float) -> None:
        work[number].add(Work(decisions, seconds))

    tables = Tables(game, len(seeds), players, streams, clock)
    tables.agent_at[:] = seating
    tables.begin(game.new_states(len(seeds), seeds))
    for _ in tables.play_agents():
        pass  # finished games stay as they are
    return tables.states, work


def _streams(seeds: NDArray[np.uint64], table: Table, name: str) -> Streams:
    """An agent's streams for all rotations of some deals at a table."""
    text = "\n".join((name, *table)).encode()
    key = int.from_bytes(hashlib.sha256(text).digest()[:8], "little")
    rows = [np.random.SeedSequence([int(seed), key]).generate_state(len(table), np.uint64) for seed in seeds]
    return Streams(len(seeds) * len(table), np.concatenate(rows))


# --- what came out ---------------------------------------------------------------------------------------


def measure(scores: NDArray[np.int32], winners: NDArray[np.int8]) -> Values:
    """Score, win share and rank of everybody in finished games, each of the shape given, (..., S).

    A shared win counts in part; 1 is the best rank, and equal scores share the mean rank.
    """
    return {
        "score": scores.astype(np.float64),
        "win_share": winners / winners.sum(axis=-1, keepdims=True, dtype=np.float64),
        "rank": stats.rankdata(-scores, axis=-1),
    }


def means_by_deal(results: Results) -> dict[str, Values]:
    """The mean of each agent's measures in each deal, (D,)."""
    measured = measure(results.scores, results.winners)
    return {name: _means(measured, results.places_of(name)) for name in results.names}


def differences_by_deal(results: Results, one: str, other: str) -> Values:
    """The mean difference between two agents in each deal, (D,), at the tables where both sit."""
    per_game = differences(results, one, other)
    return {what: per_game[what].mean(axis=(1, 2)) for what in MEASURES}


def differences(results: Results, one: str, other: str) -> Values:
    """The difference between two agents in each game where both sit, (D, T', S) by deal, table, rotation.

    Beside the measures: `ahead`, 1 where the one is ahead of the other, 0.5 where they are equal, else 0.

    Raises:
        ValueError: They never meet.
    """
    mine, theirs = results.places_of(one), results.places_of(other)
    both = np.flatnonzero(mine.any(axis=1) & theirs.any(axis=1))
    if not len(both):
        raise ValueError(f"{one!r} and {other!r} never meet")
    by_table: dict[str, list[NDArray[np.float64]]] = {what: [] for what in (*MEASURES, "ahead")}
    for t in both:
        for what, values in measure(results.scores[:, t], results.winners[:, t]).items():
            by_table[what].append(values[..., mine[t]].mean(axis=-1) - values[..., theirs[t]].mean(axis=-1))
        height = standing(results.scores[:, t], results.winners[:, t])
        above = np.sign(height[..., mine[t], None] - height[..., None, theirs[t]])
        by_table["ahead"].append((above + 1).mean(axis=(-2, -1)) / 2)
    return {what: np.stack(values, axis=1) for what, values in by_table.items()}


def standing(scores: NDArray[np.int32], winners: NDArray[np.int8]) -> NDArray[np.int64]:
    """How high everybody stands in finished games: by score, and a winner above others with as much."""
    return 2 * scores.astype(np.int64) + winners


def _means(measured: Values, places: NDArray[np.bool_]) -> Values:
    """Means over an agent's places at all tables, and over rotations, by deal: (D,)."""
    return {
        what: np.moveaxis(values, 2, 1)[..., places].mean(axis=(1, 2)) for what, values in measured.items()
    }


@dataclass(frozen=True)
class Variances:
    """Of the difference between two agents, for one game each, so that they compare."""

    single: float
    """Each game its own deal, with seats by chance."""
    rotated: float
    """Each game its own deal, but all seatings equally often."""
    duplicate: float
    """All seatings of a deal play the same cards."""


def variances(differences: NDArray[np.float64], num_orders: int = 1) -> Variances:
    """How much each way of playing leaves to luck, from one measure's differences (D, T, S).

    `num_orders`: how many circular orders of the places the deals go through in turn, to tell all seatings
    apart; with 1, a rotation counts as one seating, whatever the order.
    """
    num_deals = len(differences)
    per_deal = differences.reshape(num_deals, -1)
    same_order = [per_deal[first::num_orders] for first in range(num_orders)]
    return Variances(
        single=float(per_deal.var() * num_deals / (num_deals - 1)),
        rotated=float(np.mean([deals.var(axis=0, ddof=1) for deals in same_order])),
        duplicate=float(per_deal.mean(axis=1).var(ddof=1) * per_deal.shape[1]),
    )
