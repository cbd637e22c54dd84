"""Agents against each other on duplicate deals, each deal with the agents rotated through all seats."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from time import perf_counter

from rich.console import Console

from trick_agents import Agent
from trick_envs.core.game import Game
from trick_envs.core.random import seeds_for
from trick_envs.core.validation import whole_number
from trick_experiments.common.cli import BATCH, MAX_DEALS, print_rows
from trick_experiments.evaluation.matches import (
    FAMILY,
    HEADINGS,
    MARK,
    TIME,
    Interval,
    as_cells,
    differences_by_deal,
    intervals,
    joined,
    means_by_deal,
    p_values,
    play_in_parts,
    warm_up,
)


@dataclass(frozen=True)
class Result:
    """What came out for each agent, in the order given; agents of the same name are taken together."""

    agents: list[str]
    seats: list[str]
    """Who sat at the table; the order round it changes from deal to deal, and each is rotated."""
    deals: int
    games: int
    decisions: int
    seconds: float
    milliseconds: dict[str, float]
    """Time per decision, by agent."""
    measures: dict[str, dict[str, Interval]]
    """By agent, then by measure, of one seat: see `trick_experiments.evaluation.matches.measure`."""
    differences: dict[str, dict[str, Interval]]
    """By "A - B", then by measure, paired by deal."""
    p_values: dict[str, dict[str, float]]
    """By "A - B", then by measure: how likely such a difference is between equals, corrected by Holm's method
    for the number of pairs. One of two is better by a measure if it is below 0.05, whatever other pairs are
    looked at."""


def evaluate(
    game: Game,
    entrants: dict[str, Agent],
    seats: Sequence[str],
    num_deals: int,
    seed: int = 0,
    batch: int = 4096,
    progress: bool = False,
) -> Result:
    """Plays every deal with the agents rotated through all seats.

    Args:
        game: The rules.
        entrants: The agents by name.
        seats: The name of the agent at each seat, before the rotation.
        num_deals: How many deals.
        seed: For all chance. Deal d is the same for any number of deals and any agents.
        batch: Games at once, at least one deal's; doesn't change the result.
        progress: Show a bar.

    Raises:
        ValueError: Not one agent for each seat, a name without an agent, or not at least one deal.
    """
    n = game.num_players
    if len(seats) != n:
        raise ValueError(f"{len(seats)} agents are given for {n} seats")
    for name in seats:
        if name not in entrants:
            raise ValueError(f"unknown entrant {name!r}; choose from {', '.join(entrants)}")
    whole_number(num_deals, "deals", 1, MAX_DEALS)
    BATCH.check(batch, "batch")
    tables = [tuple(seats)]
    seeds = seeds_for(num_deals, seed)
    warm_up(game, entrants)
    start = perf_counter()
    results = joined(list(play_in_parts(game, entrants, tables, seeds, 0, batch, progress)))
    means = means_by_deal(results)
    pairs = {
        f"{one} - {other}": differences_by_deal(results, one, other)
        for one, other in combinations(results.names, 2)
    }
    return Result(
        agents=results.names,
        seats=list(seats),
        deals=num_deals,
        games=results.num_games,
        decisions=results.num_decisions,
        seconds=perf_counter() - start,
        milliseconds={name: work.milliseconds for name, work in results.work.items()},
        measures={name: intervals(values) for name, values in means.items()},
        differences={pair: intervals(values) for pair, values in pairs.items()},
        p_values=dict(zip(pairs, p_values(list(pairs.values())), strict=True)),
    )


def print_result(console: Console, result: Result) -> None:
    """Prints the result as tables."""
    rows = [
        [name, *as_cells(result.measures[name]), f"{result.milliseconds[name]:.3g}"] for name in result.agents
    ]
    title = f"{result.deals} deals × {len(result.seats)} rotations, 95 % intervals over deals"
    print_rows(console, title, [["agent", *HEADINGS, TIME], *rows])
    if result.differences:
        pairs = [
            [pair, *as_cells(found, result.p_values[pair])] for pair, found in result.differences.items()
        ]
        console.print()
        print_rows(console, "Differences, paired by deal", [["agents", *HEADINGS], *pairs])
        console.print(f"{MARK} one is better ({FAMILY})")
