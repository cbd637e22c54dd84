"""A tournament: any number of agents, everybody against everybody, on duplicate deals.

    trick-envs tournament --game gummi_trick --agents random rules search ismcts --deals 200

All agents sit at tables together in a balanced way (see `tables_for`). The run's folder holds what was
played; a run that was stopped goes on when the same command is given again, and comes to the same result.
"""

import hashlib
import json
import shlex
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations, pairwise
from math import comb
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro
from openskill.models import PlackettLuce
from rich.console import Console

import trick_agents
from trick_agents import Agent
from trick_agents.files import replacing, write_json
from trick_envs import __version__, make_game
from trick_envs.core.game import Game
from trick_envs.core.random import seeds_for
from trick_experiments.cli import (
    check_counts,
    check_folder,
    parse_options,
    uninterrupted,
    user_errors,
    variant_words,
)
from trick_experiments.evaluation.matches import (
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
    play_in_parts,
    standing,
    variances,
    warm_up,
)
from trick_experiments.evaluation.report import REPORT, print_report, write_report

MAX_RATED_GAMES = 20_000


@dataclass(frozen=True)
class Config:
    """Plays a tournament."""

    agents: Annotated[list[str], tyro.conf.arg(metavar="AGENT ...")]
    """Names ("random", "rules"), also with settings ("search:playouts=200,rollouts=rules"), files of saved
    policies, or classes of your own ("module:Class"); at least two."""
    game: str = "voodoo_prince"
    """Name of the game, or a class of your own ("module:Class")."""
    players: int | None = None
    """Number of seats; by default the game's usual number."""
    options: list[str] = field(default_factory=list)
    """The game's settings, as "name=value"."""
    deals: int = 200
    """Deals, at least two; at every table each is played once for every seat."""
    tables: int | None = None
    """Tables, at most, with more agents than seats. By default every set of agents that fills the seats is
    one; with fewer tables all still sit equally often, and meet about equally often."""
    seed: int = 0
    """Seed of all chance."""
    batch: int = 4096
    """Games at once, at most; changes nothing in the result."""
    folder: Path | None = None
    """Where the run is stored, and goes on if it is there. By default results/tournament-GAME-PLAYERS."""
    report: Path | None = None
    """Where the tables and pictures are put. By default the run's folder."""


# --- who sits where --------------------------------------------------------------------------------------


def tables_for(names: list[str], num_seats: int, most: int | None = None) -> list[Table]:
    """The tables of a balanced tournament.

    With at least as many agents as seats: every set of agents that fills the seats, so that all meet equally
    often, or a cyclic design of at most so many tables. With fewer, seats are shared out as evenly as
    possible; if some get one more than others, there is a table for each way to choose them. The order of
    places doesn't depend on how `names` is sorted.

    Raises:
        ValueError: Fewer than two agents, one twice, or too few tables for all to meet.
    """
    names = sorted(names)
    if len(set(names)) < len(names) or len(names) < 2:
        raise ValueError(f"agents are {', '.join(names)}; allowed are two or more different ones")
    if len(names) >= num_seats:
        if most is None or most >= comb(len(names), num_seats):
            tables = list(combinations(names, num_seats))
        else:
            sets = cyclic_design(len(names), num_seats, most)
            tables = [tuple(names[i] for i in places) for places in sets]
    else:
        rounds, more = divmod(num_seats, len(names))
        tables = [(*names * rounds, *lucky) for lucky in combinations(names, more)]
    if most is not None and most < len(tables):
        raise ValueError(
            f"tables is {most}; allowed are {len(tables)} or more, for {len(names)} agents to meet at "
            f"{num_seats} seats"
        )
    return tables


def cyclic_design(num_things: int, size: int, most: int) -> list[tuple[int, ...]]:
    """Sets of so many of the numbers below `num_things`, in which all come equally often.

    With a set come all that it goes to when each number becomes the next, in a circle. Sets are added while
    there aren't more than `most`, and beyond that until any two numbers have met: always the one after which
    meetings are the most even. Source: cyclic designs, e.g. J. A. John, E. R. Williams, "Cyclic and Computer
    Generated Designs", 1995.
    """
    firsts = []
    for others in combinations(range(1, num_things), size - 1):
        gaps = tuple(b - a for a, b in pairwise((0, *others, num_things)))
        turned = {gaps[i:] + gaps[:i] for i in range(size)}
        if gaps == min(turned) and len(turned) == size:  # one of those that go to each other; all different
            firsts.append((0, *others))
    places = np.array(firsts, np.intp).reshape(-1, size)
    # How often each number meets the one so much further on, in all sets that come with one.
    meetings = np.zeros((len(places), num_things), np.int64)
    further = (places[:, :, None] - places[:, None, :]) % num_things
    np.add.at(meetings, (np.arange(len(places))[:, None, None], further), 1)
    meetings = meetings[:, 1:]
    met = np.zeros(num_things - 1, np.int64)
    sets: list[tuple[int, ...]] = []
    while len(places) and (len(sets) + num_things <= most or not met.all()):
        best = int(((met + meetings) ** 2).sum(axis=1).argmin())
        met += meetings[best]
        sets += [tuple(sorted((places[best] + shift) % num_things)) for shift in range(num_things)]
        places, meetings = np.delete(places, best, axis=0), np.delete(meetings, best, axis=0)
    return sets if met.all() else list(combinations(range(num_things), size))


# --- playing, in parts that are stored -------------------------------------------------------------------


class Run:
    """A tournament's folder: its settings, and the deals played so far, a file for each part."""

    SETTINGS = "tournament.json"

    def __init__(self, folder: Path, settings: dict[str, Any], tables: list[Table]) -> None:
        """Begins a run, or goes on with it.

        Raises:
            ValueError: The folder holds something else, a run with other settings, or a damaged one.
        """
        self.folder = folder
        self.tables = tables
        self.parts: list[Results] = []
        file = folder / self.SETTINGS
        settings = json.loads(json.dumps(settings))  # as they are read again
        check_folder(folder, self.SETTINGS)
        if file.is_file():
            self._check(file, settings)
            for part in sorted(folder.glob("deals-*.npz")):
                self.parts.append(self._read(part))
        else:
            write_json(file, settings)

    def _check(self, file: Path, settings: dict[str, Any]) -> None:
        """Raises `ValueError` unless the stored settings are these."""
        try:
            before = dict(json.loads(file.read_text(encoding="utf-8")))
            entrants, entrants_before = settings["agents"], dict(before["agents"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{str(file)!r} is damaged; allowed is another folder") from error
        for name in dict.fromkeys((*settings, *before)):
            now, was = settings.get(name), before.get(name)
            if now == was:
                continue
            if name == "agents" and entrants.keys() == entrants_before.keys():
                changed = ", ".join(spec for spec in entrants if entrants[spec] != entrants_before[spec])
                now, was = f"{changed} as changed since", "the file as it was"
            elif name == "agents":
                now, was = ", ".join(entrants), ", ".join(entrants_before)
            raise ValueError(
                f"{name} is {now}, but the run in {str(self.folder)!r} has {was}; "
                "allowed is the same, or another folder"
            )

    @property
    def num_deals(self) -> int:
        """How many deals have been played."""
        return sum(part.num_deals for part in self.parts)

    def add(self, part: Results) -> None:
        """Stores the next deals."""
        names = names_at(self.tables)
        with uninterrupted():
            with replacing(self.folder / self._next_name()) as temporary:
                np.savez_compressed(
                    temporary,
                    scores=part.scores,
                    winners=part.winners,
                    decisions=[part.work[name].decisions for name in names],
                    seconds=[part.work[name].seconds for name in names],
                )
            self.parts.append(part)

    def _next_name(self) -> str:
        """The name of the file for the next deals, which says how many there are before."""
        return f"deals-{self.num_deals:07}.npz"

    def _read(self, file: Path) -> Results:
        """The next deals, from their file.

        Raises:
            ValueError: It is damaged, or doesn't follow those before.
        """
        if file.name != self._next_name():
            raise ValueError(f"{str(self.folder)!r} has no {self._next_name()}, but a later {file.name}")
        names = names_at(self.tables)
        try:
            with zipfile.ZipFile(file) as archive:
                # numpy reads no further than an array's own head says, and so doesn't notice all damage.
                if archive.testzip() is not None:
                    raise ValueError("a checksum is wrong")
            with np.load(file, allow_pickle=False) as data:
                work = map(Work, data["decisions"].tolist(), data["seconds"].tolist())
                by_name = dict(zip(names, work, strict=True))
                part = Results(self.tables, data["scores"], data["winners"], by_name)
            num_seats = len(self.tables[0])
            shape = (part.num_deals, len(self.tables), num_seats, num_seats)
            if not part.scores.shape == part.winners.shape == shape:
                raise ValueError(f"its scores have shape {part.scores.shape}")
        except Exception as error:  # what damage brings about in these readers is no short list
            raise ValueError(f"{str(file)!r} is damaged; delete it and all later ones to go on") from error
        return part


def play_tournament(
    game: Game, entrants: Mapping[str, Agent], run: Run, num_deals: int, seed: int, batch: int, progress: bool
) -> Results:
    """Plays what the run lacks, and stores it part by part."""
    if run.num_deals < num_deals:
        warm_up(game, entrants)
    seeds = seeds_for(num_deals, seed)
    for part in play_in_parts(game, entrants, run.tables, seeds, run.num_deals, batch, progress):
        run.add(part)
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
    for deal in height[-max(1, MAX_RATED_GAMES // per_deal) :]:
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


def settings_of(config: Config, game: Game, num_tables: int) -> dict[str, Any]:
    """What the games of a run depend on."""
    return {
        "game": game.name,
        "num_players": game.num_players,
        "options": game.options,
        "agents": {
            spec: [
                hashlib.sha256(file.read_bytes()).hexdigest() for file in trick_agents.files_of(spec, game)
            ]
            for spec in config.agents
        },
        "tables": num_tables,
        "seed": config.seed,
        "version": __version__,
    }


def run(config: Config) -> dict[str, Any]:
    """Plays a tournament as configured, or goes on with it; prints and stores the report."""
    game = make_game(config.game, config.players, **parse_options(config.options))
    check_counts(config.deals, config.batch, least_deals=2)
    seeds_for(1, config.seed)  # whatever is wrong is refused before anything is written
    tables = tables_for(config.agents, game.num_players, config.tables)
    entrants = {spec: trick_agents.make(spec, game) for spec in config.agents}
    folder = config.folder or Path("results") / f"tournament-{game.name}-{game.num_players}"
    if config.report not in (None, folder):
        check_folder(config.report, REPORT)
    stored = Run(folder, settings_of(config, game, len(tables)), tables)
    if stored.num_deals > config.deals:
        raise ValueError(
            f"deals is {config.deals}, but the run in {str(folder)!r} has {stored.num_deals} already; "
            "allowed are as many or more"
        )
    try:
        progress = sys.stderr.isatty()
        results = play_tournament(game, entrants, stored, config.deals, config.seed, config.batch, progress)
        report = {
            "title": game.title,
            "game": game.name,
            "num_players": game.num_players,
            "options": game.options,
            "seed": config.seed,
            "command": _command(config),
            **summarise(results, config.agents),
            "milliseconds": {name: done.milliseconds for name, done in results.work.items()},
        }
        write_report(config.report or folder, report)
    except KeyboardInterrupt:
        played = f"{stored.num_deals} of {config.deals} deals are stored in {folder}"
        raise KeyboardInterrupt(f"{played}; the same command goes on") from None
    print_report(Console(), report)
    return report


def _command(config: Config) -> str:
    """The command that plays the same tournament."""
    words = ["trick-envs", "tournament"]
    words += variant_words(config.game, config.players, config.options)
    words += ["--agents", *config.agents, "--deals", str(config.deals), "--seed", str(config.seed)]
    words += [] if config.tables is None else ["--tables", str(config.tables)]
    return shlex.join(words)


@user_errors
def main(arguments: Sequence[str] | None = None, prog: str | None = None) -> None:
    """Reads the arguments, by default those of the command line."""
    run(tyro.cli(Config, prog=prog, description=__doc__, args=arguments))


if __name__ == "__main__":
    main()
