"""How strong are these agents against each other?

Every deal is played once for each way to rotate the agents through the seats, with the same cards and the
same chance ("duplicate deals"), so that luck of the cards is the same for all. Intervals are over deals.

    python -m experiments.evaluate --game voodoo_prince --agents rules random --deals 1000
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import tyro
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy import stats
from tqdm import tqdm

import agents as agents_
from agents import Agent
from agents.files import write_text
from experiments.cli import parse_options, user_errors
from trick_envs import make_game
from trick_envs.core.agent import decide
from trick_envs.core.game import Game, States
from trick_envs.core.random import Streams, seeds_for
from trick_envs.core.state import NOBODY

MEASURES = ("score", "win_share", "rank")
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Config:
    """Plays agents against each other on duplicate deals."""

    agents: Annotated[list[str], tyro.conf.arg(metavar="AGENT ...")]
    """Names ("random", "rules"), also with settings ("policy:file=F,greedy=true"), or files of saved
    policies, one for each seat; the last one takes the seats that are left."""
    game: str = "voodoo_prince"
    """Name of the game."""
    players: int | None = None
    """Number of seats; by default the game's usual number."""
    options: list[str] = field(default_factory=list)
    """The game's settings, as "name=value"."""
    deals: int = 1000
    """Deals; each is played once for every seat."""
    seed: int = 0
    """Seed of all chance."""
    batch: int = 4096
    """Games at once; changes nothing in the result."""
    json: Path | None = None
    """Where to write the result."""


@dataclass(frozen=True)
class Interval:
    """A mean over deals and its 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {(self.high - self.low) / 2:.3f}"


@dataclass(frozen=True)
class Result:
    """What came out for each agent, in the order given; agents of the same name are taken together."""

    agents: list[str]
    seats: list[str]
    """Who sat where before the rotation."""
    deals: int
    games: int
    decisions: int
    seconds: float
    measures: dict[str, dict[str, Interval]]
    """By agent, then by measure: `score`, `win_share` (of one seat: a shared win counts in part) and `rank`
    (1 is best; equal scores share the mean rank)."""
    differences: dict[str, dict[str, Interval]]
    """By "A - B", then by measure, paired by deal."""


def play(
    game: Game,
    players: Sequence[Agent],
    seating: NDArray[np.intp],
    seeds: NDArray[np.uint64],
    streams: Sequence[Streams],
) -> tuple[States, int]:
    """Plays G games to their end, all at once.

    Args:
        game: The rules.
        players: The agents.
        seating: (G, S) which of `players` sits where.
        seeds: (G,) for the games' own chance.
        streams: For each of `players`, G streams of random numbers.

    Returns:
        The finished games (G,) and how many decisions there were.
    """
    states = game.new_states(len(seeds), seeds)
    actions = np.zeros(len(seeds), np.int32)
    unfinished = np.arange(len(seeds))
    num_decisions = 0
    while len(unfinished):
        turn = seating[unfinished, states["mover"][unfinished]]
        for number, player in enumerate(players):
            games = unfinished[turn == number]
            if len(games):
                actions[games] = decide(player, game, states, games, streams[number])
        game.step(states, actions)
        num_decisions += len(unfinished)
        unfinished = np.flatnonzero(states["mover"] != NOBODY)
    return states, num_decisions


def measure(game: Game, states: States) -> dict[str, NDArray[np.float64]]:
    """Score, win share and rank of each seat in finished games, each (G, S)."""
    winners = game.winners(states).astype(np.float64)
    scores = game.scores(states).astype(np.float64)
    return {
        "score": scores,
        "win_share": winners / winners.sum(axis=1, keepdims=True),
        "rank": stats.rankdata(-scores, axis=1),
    }


def interval(values: NDArray[np.float64]) -> Interval:
    """The mean of values (one for each deal) and its 95 % interval by Student's t."""
    mean = float(values.mean())
    if len(values) < 2 or np.ptp(values) < 1e-9:  # equal, but for rounding
        return Interval(mean, mean, mean)
    found = stats.ttest_1samp(values, 0.0).confidence_interval(CONFIDENCE)
    return Interval(mean, float(found.low), float(found.high))


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
        ValueError: Not one agent for each seat, or not at least one deal.
    """
    n = game.num_players
    if len(seats) != n:
        raise ValueError(f"{len(seats)} agents are given for {n} seats")
    if num_deals < 1 or batch < 1:
        raise ValueError(f"deals is {num_deals}, batch is {batch}; allowed are whole numbers from 1")
    names = list(dict.fromkeys(seats))
    rotations = np.array([[names.index(seats[(seat - turn) % n]) for seat in range(n)] for turn in range(n)])
    all_seeds = seeds_for(num_deals, seed)
    per_deal = {name: {what: np.zeros(num_deals) for what in MEASURES} for name in names}
    num_decisions = 0
    start = perf_counter()
    chunk = max(1, batch // n)
    with tqdm(total=num_deals, unit="deal", disable=not progress) as bar:
        for first in range(0, num_deals, chunk):
            seeds = all_seeds[first : first + chunk]
            seating = np.tile(rotations, (len(seeds), 1))
            streams = [_streams(seeds, n, place) for place in range(len(names))]
            states, count = play(
                game, [entrants[name] for name in names], seating, np.repeat(seeds, n), streams
            )
            num_decisions += count
            for what, values in measure(game, states).items():
                for place, name in enumerate(names):
                    mine = np.where(seating == place, values, 0.0).reshape(len(seeds), n * n)
                    per_deal[name][what][first : first + chunk] = mine.sum(axis=1) / (n * seats.count(name))
            bar.update(len(seeds))
    return Result(
        agents=names,
        seats=list(seats),
        deals=num_deals,
        games=num_deals * n,
        decisions=num_decisions,
        seconds=perf_counter() - start,
        measures={name: {what: interval(per_deal[name][what]) for what in MEASURES} for name in names},
        differences={
            f"{one} - {other}": {
                what: interval(per_deal[one][what] - per_deal[other][what]) for what in MEASURES
            }
            for i, one in enumerate(names)
            for other in names[i + 1 :]
        },
    )


def _streams(seeds: NDArray[np.uint64], num_rotations: int, place: int) -> Streams:
    """An agent's streams for all games of some deals: they depend on the deal, the rotation and its place."""
    rows = [
        np.random.SeedSequence([int(seed), place]).generate_state(num_rotations, np.uint64) for seed in seeds
    ]
    return Streams(len(seeds) * num_rotations, np.concatenate(rows))


def print_result(console: Console, result: Result) -> None:
    """Prints the result as tables."""
    means = Table(title=f"{result.deals} deals × {len(result.seats)} rotations, 95 % intervals over deals")
    for heading in ("agent", "mean score", "win share", "mean rank"):
        means.add_column(heading, justify="left" if heading == "agent" else "right")
    for name in result.agents:
        means.add_row(name, *(str(result.measures[name][what]) for what in MEASURES))
    differences = Table(title="Differences, paired by deal")
    for heading in ("agents", "score", "win share", "rank"):
        differences.add_column(heading, justify="left" if heading == "agents" else "right")
    for pair, values in result.differences.items():
        differences.add_row(pair, *(str(values[what]) for what in MEASURES))
    console.print(means)
    if result.differences:
        console.print(differences)


def run(config: Config) -> dict[str, Any]:
    """Evaluates as configured; prints and stores the result."""
    game = make_game(config.game, config.players, **parse_options(config.options))
    if not 1 <= len(config.agents) <= game.num_players:
        raise ValueError(f"{len(config.agents)} agents are given; allowed are 1 to {game.num_players}")
    seats = config.agents + [config.agents[-1]] * (game.num_players - len(config.agents))
    entrants = {spec: agents_.make(spec, game) for spec in seats}
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
        write_text(config.json, json.dumps(report, indent=2) + "\n")
    return report


@user_errors
def main() -> None:
    """Reads the command line."""
    run(tyro.cli(Config, description=__doc__))


if __name__ == "__main__":
    main()
