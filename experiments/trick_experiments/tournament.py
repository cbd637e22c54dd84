"""A tournament: any number of agents, everybody against everybody, on duplicate deals.

    trick-envs tournament --game gummi_trick --agents random rules search ismcts --deals 200

All agents sit at tables together in a balanced way (see `tables_for`). The run's folder holds what was
played; a run that was stopped goes on when the same command is given again, and comes to the same result.
With other code, policies or settings it doesn't go on, since its games would be of two kinds.
"""

import hashlib
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console

import trick_agents
import trick_envs
from trick_agents import Agent
from trick_agents.files import clear_leftovers
from trick_envs import __version__, make_game
from trick_envs.core.game import Game
from trick_envs.core.kernel import fingerprint, stamp
from trick_experiments.common.cli import (
    BATCH,
    DEALS,
    SEED,
    Whole,
    check_folder,
    check_numbers,
    parse_options,
    user_errors,
    variant_words,
)
from trick_experiments.common.files import locked
from trick_experiments.evaluation.matches import Table
from trick_experiments.evaluation.report import FILES, REPORT, print_report, write_report
from trick_experiments.evaluation.tournament import (
    CODE,
    GAME_CODE,
    Run,
    play_tournament,
    summarise,
    tables_for,
)


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
    deals: Annotated[int, DEALS] = 200
    """Deals, at least two; at every table each is played once for every seat."""
    tables: Annotated[int | None, Whole(1, 1_000_000)] = None
    """Tables, at most, with more agents than seats. By default every set of agents that fills the seats is
    one; with fewer tables all still sit equally often, and meet about equally often."""
    seed: Annotated[int, SEED] = 0
    """Seed of all chance."""
    batch: Annotated[int, BATCH] = 4096
    """Games at once, at most; changes nothing in the result."""
    folder: Path | None = None
    """Where the run is stored, and goes on if it is there. By default results/tournament-GAME-PLAYERS."""
    report: Path | None = None
    """Where the tables and pictures are put. By default the run's folder."""


PACKAGES = tuple(
    Path(str(file)).resolve().parent for file in (trick_envs.__file__, trick_agents.__file__, __file__)
)
"""The folders of this project's sources."""


def settings_of(config: Config, game: Game, num_tables: int) -> dict[str, Any]:
    """What the games of a run depend on, the code included."""
    game_file = getattr(sys.modules[type(game).__module__], "__file__", None)  # a notebook's cells have none
    return {
        "game": game.name,
        "num_players": game.num_players,
        "options": game.options,
        "agents": {
            spec: [digest_of(file) for file in trick_agents.files_of(spec, game)] for spec in config.agents
        },
        "tables": num_tables,
        "seed": config.seed,
        "version": __version__,
        CODE: fingerprint(PACKAGES),
        GAME_CODE: stamp(game_file) if game_file else "",
    }


def digest_of(file: Path) -> str:
    """What changes with a file; for a module, also with the sources beside it that it may import."""
    if file.suffix == ".py":
        return stamp(str(file))
    return hashlib.sha256(file.read_bytes()).hexdigest()


def run(config: Config) -> dict[str, Any]:
    """Plays a tournament as configured, or goes on with it; prints and stores the report."""
    check_numbers(config)  # whatever is wrong is refused before anything is written
    game = make_game(config.game, config.players, **parse_options(config.options))
    tables = tables_for(config.agents, game.num_players, config.tables)
    entrants = {spec: trick_agents.make(spec, game) for spec in config.agents}
    folder = config.folder or Path("results") / f"tournament-{game.name}-{game.num_players}"
    if config.report not in (None, folder):
        check_folder(config.report, REPORT)
    check_folder(folder, Run.SETTINGS)
    with locked(folder):
        clear_leftovers(folder, *Run.FILES, *FILES)
        return _run(config, game, entrants, folder, tables)


def _run(
    config: Config, game: Game, entrants: dict[str, Agent], folder: Path, tables: list[Table]
) -> dict[str, Any]:
    """The same, once all is checked but what the folder holds."""
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
