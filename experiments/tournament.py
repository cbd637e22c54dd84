"""A tournament: any number of agents, everybody against everybody, on duplicate deals.

    python -m experiments.tournament --game gummi_trick --agents random rules search ismcts --deals 200

All agents sit at tables together in a balanced way (see `tables_for`). The run's folder holds what was
played; a run that was stopped goes on when the same command is given again, and comes to the same result.
"""

import hashlib
import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import tyro
from openskill.models import PlackettLuce
from rich.console import Console
from tqdm import tqdm

import agents as agents_
from agents import Agent
from agents.files import replacing, write_text
from experiments.cli import parse_options, user_errors
from experiments.matches import (
    MEASURES,
    Results,
    Table,
    Work,
    differences,
    interval,
    intervals,
    joined,
    means_by_deal,
    names_at,
    play_deals,
    standing,
    variances,
    warm_up,
)
from experiments.report import print_report, write_report
from trick_envs import __version__, make_game
from trick_envs.core.game import Game
from trick_envs.core.random import seeds_for

PART_SECONDS = 10.0  # about how long a part of a run takes; when the run is stopped, one part is lost
MAX_RATED_GAMES = 20_000


@dataclass(frozen=True)
class Config:
    """Plays a tournament."""

    agents: Annotated[list[str], tyro.conf.arg(metavar="AGENT ...")]
    """Names ("random", "rules"), also with settings ("search:playouts=200,rollouts=rules"), or files of
    saved policies; at least two."""
    game: str = "voodoo_prince"
    """Name of the game."""
    players: int | None = None
    """Number of seats; by default the game's usual number."""
    options: list[str] = field(default_factory=list)
    """The game's settings, as "name=value"."""
    deals: int = 200
    """Deals; at every table each is played once for every seat."""
    seed: int = 0
    """Seed of all chance."""
    batch: int = 4096
    """Games at once, at most; changes nothing in the result."""
    folder: Path | None = None
    """Where the run is stored, and goes on if it is there. By default results/tournament-GAME-PLAYERS."""
    report: Path | None = None
    """Where the tables and pictures are put. By default the run's folder."""


# --- who sits where --------------------------------------------------------------------------------------


def tables_for(names: list[str], num_seats: int) -> list[Table]:
    """The tables of a balanced tournament.

    With at least as many agents as seats: every set of agents that fills the seats, so that all meet equally
    often. With fewer, seats are shared out as evenly as possible; if some get one more than others, there
    is a table for each way to choose them. The order of places doesn't depend on how `names` is sorted.

    Raises:
        ValueError: Fewer than two agents, or one twice.
    """
    names = sorted(names)
    if len(set(names)) < len(names) or len(names) < 2:
        raise ValueError(f"agents are {', '.join(names)}; allowed are two or more different ones")
    if len(names) >= num_seats:
        return list(combinations(names, num_seats))
    rounds, more = divmod(num_seats, len(names))
    return [(*names * rounds, *lucky) for lucky in combinations(names, more)]


# --- playing, in parts that are stored -------------------------------------------------------------------


class Run:
    """A tournament's folder: its settings, and the deals played so far, a file for each part."""

    SETTINGS = "tournament.json"

    def __init__(self, folder: Path, settings: dict[str, Any], tables: list[Table]) -> None:
        """Begins a run, or goes on with it.

        Raises:
            ValueError: The folder holds a run with other settings.
        """
        self.folder = folder
        self.tables = tables
        file = folder / self.SETTINGS
        if file.exists():
            before = json.loads(file.read_text(encoding="utf-8"))
            for name in (*settings, *before):
                if before.get(name) != settings.get(name):
                    raise ValueError(
                        f"{name} is {settings.get(name)!r}, but the run in {folder} has "
                        f"{before.get(name)!r}; allowed is the same, or another folder"
                    )
        else:
            write_text(file, json.dumps(settings, indent=2) + "\n")
        self.parts = [self._read(file) for file in sorted(folder.glob("deals-*.npz"))]

    @property
    def num_deals(self) -> int:
        """How many deals have been played."""
        return sum(part.num_deals for part in self.parts)

    def add(self, part: Results) -> None:
        """Stores the next deals."""
        names = names_at(self.tables)
        with replacing(self.folder / f"deals-{self.num_deals:07}.npz") as temporary:
            np.savez_compressed(
                temporary,
                scores=part.scores,
                winners=part.winners,
                decisions=[part.work[name].decisions for name in names],
                seconds=[part.work[name].seconds for name in names],
            )
        self.parts.append(part)

    def _read(self, file: Path) -> Results:
        with np.load(file, allow_pickle=False) as data:
            work = [
                Work(int(decisions), float(seconds))
                for decisions, seconds in zip(data["decisions"], data["seconds"], strict=True)
            ]
            by_name = dict(zip(names_at(self.tables), work, strict=True))
            return Results(self.tables, data["scores"], data["winners"], by_name)


def play_tournament(
    game: Game, entrants: Mapping[str, Agent], run: Run, num_deals: int, seed: int, batch: int, progress: bool
) -> Results:
    """Plays what the run lacks, and stores it part by part.

    Raises:
        ValueError: The run has more deals already.
    """
    if run.num_deals > num_deals:
        raise ValueError(
            f"deals is {num_deals}, but the run has {run.num_deals} already; allowed are as many"
        )
    if run.num_deals < num_deals:
        warm_up(game, entrants)
    seeds = seeds_for(num_deals, seed)
    limit = max(1, batch // game.num_players)
    size = 1
    with tqdm(total=num_deals, initial=run.num_deals, unit="deal", disable=not progress) as bar:
        while run.num_deals < num_deals:
            start = perf_counter()
            first = run.num_deals
            run.add(play_deals(game, entrants, run.tables, seeds[first : first + size], first))
            bar.update(run.num_deals - first)
            in_time = int(size * PART_SECONDS / (perf_counter() - start))
            size = max(1, min(2 * size, in_time, limit))
    return joined(run.parts)


# --- what came out ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rating:
    """A Plackett–Luce rating (openskill); it starts at 25 with an uncertainty of 25/3."""

    mean: float
    deviation: float


def rate(results: Results) -> dict[str, Rating]:
    """Rates all agents by the games in their order, the last ones if there are very many.

    An agent that sits at several places of a table gets the mean of what happens to them.
    """
    # The agents don't change while they play, so nothing is added to the uncertainty.
    model = PlackettLuce(tau=0.0)
    ratings = {name: model.rating(name=name) for name in results.names}
    height = standing(results.scores, results.winners)
    num_seats = height.shape[-1]
    per_deal = len(results.tables) * num_seats
    first = max(0, results.num_deals - MAX_RATED_GAMES // per_deal)
    for deal in height[first:]:
        for table, games in zip(results.tables, deal, strict=True):
            for heights in games:
                teams = [[model.create_rating([ratings[name].mu, ratings[name].sigma])] for name in table]
                rated = model.rate(teams, ranks=(-heights).tolist())
                for name in set(table):
                    mine = [team[0] for team, other in zip(rated, table, strict=True) if other == name]
                    ratings[name].mu = float(np.mean([one.mu for one in mine]))
                    ratings[name].sigma = float(np.mean([one.sigma for one in mine]))
    return {name: Rating(rating.mu, rating.sigma) for name, rating in ratings.items()}


def summarise(results: Results, names: Sequence[str]) -> dict[str, Any]:
    """All that is reported: by agent, and by pair of agents."""
    means = means_by_deal(results)
    ratings = rate(results)
    pairs = []
    for one, other in combinations(names, 2):
        per_game = differences(results, one, other)
        per_deal = {what: values.mean(axis=(1, 2)) for what, values in per_game.items()}
        ahead = per_deal.pop("ahead")
        pairs.append(
            {
                "one": one,
                "other": other,
                "ahead": asdict(interval(ahead)),
                "difference": {what: asdict(found) for what, found in intervals(per_deal).items()},
                "variance": {what: asdict(variances(per_game[what])) for what in MEASURES},
            }
        )
    return {
        "deals": results.num_deals,
        "tables": len(results.tables),
        "games": results.num_games,
        "decisions": results.num_decisions,
        "agents": {
            name: {
                **{what: asdict(found) for what, found in intervals(means[name]).items()},
                "rating": asdict(ratings[name]),
                "decisions": results.work[name].decisions,
            }
            for name in names
        },
        "pairs": pairs,
    }


# --- the command -----------------------------------------------------------------------------------------


def settings_of(config: Config, game: Game) -> dict[str, Any]:
    """What the games of a run depend on."""
    return {
        "game": game.name,
        "num_players": game.num_players,
        "options": game.options,
        "agents": {
            spec: [hashlib.sha256(file.read_bytes()).hexdigest() for file in agents_.files_of(spec)]
            for spec in config.agents
        },
        "seed": config.seed,
        "version": __version__,
    }


def run(config: Config) -> dict[str, Any]:
    """Plays a tournament as configured, or goes on with it; prints and stores the report."""
    game = make_game(config.game, config.players, **parse_options(config.options))
    if config.deals < 1 or config.batch < 1:
        raise ValueError(
            f"deals is {config.deals}, batch is {config.batch}; allowed are whole numbers from 1"
        )
    tables = tables_for(config.agents, game.num_players)
    entrants = {spec: agents_.make(spec, game) for spec in config.agents}
    folder = config.folder or Path("results") / f"tournament-{game.name}-{game.num_players}"
    seeds_for(1, config.seed)  # a wrong seed is refused before anything is written
    stored = Run(folder, settings_of(config, game), tables)
    try:
        results = play_tournament(
            game, entrants, stored, config.deals, config.seed, config.batch, progress=sys.stderr.isatty()
        )
    except KeyboardInterrupt:
        print(f"{stored.num_deals} deals are stored in {folder}; the same command goes on", file=sys.stderr)
        raise
    report = {
        "title": game.title,
        "game": game.name,
        "num_players": game.num_players,
        "options": game.options,
        "seed": config.seed,
        "command": _command(config),
        **summarise(results, config.agents),
        "milliseconds": {name: 1000 * work.seconds / work.decisions for name, work in results.work.items()},
    }
    print_report(Console(), report)
    write_report(config.report or folder, report)
    return report


def _command(config: Config) -> str:
    """The command that plays the same tournament."""
    words = ["python", "-m", "experiments.tournament", "--game", config.game]
    if config.players is not None:
        words += ["--players", str(config.players)]
    if config.options:
        words += ["--options", *config.options]
    words += ["--agents", *config.agents, "--deals", str(config.deals), "--seed", str(config.seed)]
    return shlex.join(words)


@user_errors
def main() -> None:
    """Reads the command line."""
    run(tyro.cli(Config, description=__doc__))


if __name__ == "__main__":
    main()
