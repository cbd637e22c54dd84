"""How strong are these agents against each other?

Every deal is played once for each way to rotate the agents through the seats, with the same cards and the
same chance ("duplicate deals"). Intervals are over deals.

    trick-envs evaluate --game voodoo_prince --agents rules random --deals 1000
"""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import tyro
from rich.console import Console

import trick_agents
from trick_agents import Agent
from trick_agents.files import write_json
from trick_envs.core.game import Game
from trick_envs.core.random import seeds_for
from trick_envs.core.registry import make_game
from trick_experiments.cli import check_counts, parse_options, print_rows, user_errors
from trick_experiments.evaluation.matches import (
    HEADINGS,
    TIME,
    Interval,
    as_cells,
    differences_by_deal,
    intervals,
    joined,
    means_by_deal,
    play_in_parts,
    warm_up,
)


@dataclass(frozen=True)
class Config:
    """Plays agents against each other on duplicate deals."""

    agents: Annotated[list[str], tyro.conf.arg(metavar="AGENT ...")]
    """Names ("random", "rules"), also with settings ("policy:file=F,greedy=false"), files of saved policies,
    or classes of your own ("module:Class"), one for each seat; the last one takes the seats that are left."""
    game: str = "voodoo_prince"
    """Name of the game, or a class of your own ("module:Class")."""
    players: int | None = None
    """Number of seats; by default the game's usual number."""
    options: list[str] = field(default_factory=list)
    """The game's settings, as "name=value"."""
    deals: int = 1000
    """Deals, at least two; each is played once for every seat."""
    seed: int = 0
    """Seed of all chance."""
    batch: int = 4096
    """Games at once; changes nothing in the result."""
    json: Path | None = None
    """Where to write the result."""


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
            raise ValueError(f"{name!r} is no entrant; allowed are {', '.join(entrants)}")
    check_counts(num_deals, batch)
    tables = [tuple(seats)]
    seeds = seeds_for(num_deals, seed)
    warm_up(game, entrants)
    start = perf_counter()
    results = joined(list(play_in_parts(game, entrants, tables, seeds, 0, batch, progress)))
    means = means_by_deal(results)
    return Result(
        agents=results.names,
        seats=list(seats),
        deals=num_deals,
        games=results.num_games,
        decisions=results.num_decisions,
        seconds=perf_counter() - start,
        milliseconds={name: work.milliseconds for name, work in results.work.items()},
        measures={name: intervals(values) for name, values in means.items()},
        differences={
            f"{one} - {other}": intervals(differences_by_deal(results, one, other))
            for one, other in combinations(results.names, 2)
        },
    )


def print_result(console: Console, result: Result) -> None:
    """Prints the result as tables."""
    rows = [
        [name, *as_cells(result.measures[name]), f"{result.milliseconds[name]:.3g}"] for name in result.agents
    ]
    title = f"{result.deals} deals × {len(result.seats)} rotations, 95 % intervals over deals"
    print_rows(console, title, [["agent", *HEADINGS, TIME], *rows])
    if result.differences:
        pairs = [[pair, *as_cells(found)] for pair, found in result.differences.items()]
        console.print()
        print_rows(console, "Differences, paired by deal", [["agents", *HEADINGS], *pairs])


def run(config: Config) -> dict[str, Any]:
    """Evaluates as configured; prints and stores the result."""
    game = make_game(config.game, config.players, **parse_options(config.options))
    if not 1 <= len(config.agents) <= game.num_players:
        raise ValueError(f"{len(config.agents)} agents are given; allowed are 1 to {game.num_players}")
    check_counts(config.deals, least_deals=2)  # of one there is no interval
    seats = config.agents + [config.agents[-1]] * (game.num_players - len(config.agents))
    entrants = {spec: trick_agents.make(spec, game) for spec in seats}
    result = evaluate(
        game, entrants, seats, config.deals, config.seed, config.batch, progress=sys.stderr.isatty()
    )
    console = Console()
    print_result(console, result)
    per_second = result.decisions / result.seconds
    console.print(f"{result.games} games in {result.seconds:.1f} s, {per_second:,.0f} decisions a second")
    report = {
        "game": game.name,
        "num_players": game.num_players,
        "options": game.options,
        "seed": config.seed,
        **asdict(result),
    }
    if config.json is not None:
        write_json(config.json, report)
    return report


@user_errors
def main(arguments: Sequence[str] | None = None, prog: str | None = None) -> None:
    """Reads the arguments, by default those of the command line."""
    run(tyro.cli(Config, prog=prog, description=__doc__, args=arguments))


if __name__ == "__main__":
    main()
