"""How strong are these agents against each other?

Every deal is played once for each way to rotate the agents through the seats, with the same cards and the
same chance ("duplicate deals"). Intervals are over deals.

    trick-envs evaluate --game voodoo_prince --agents rules random --deals 1000
"""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console

import trick_agents
from trick_envs.core.registry import make_game
from trick_experiments.common.cli import BATCH, DEALS, SEED, check_numbers, parse_options, user_errors
from trick_experiments.common.files import write_json
from trick_experiments.evaluation.comparison import evaluate, print_result


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
    deals: Annotated[int, DEALS] = 1000
    """Deals, at least two; each is played once for every seat."""
    seed: Annotated[int, SEED] = 0
    """Seed of all chance."""
    batch: Annotated[int, BATCH] = 4096
    """Games at once; changes nothing in the result."""
    json: Path | None = None
    """Where to write the result."""


def run(config: Config) -> dict[str, Any]:
    """Evaluates as configured; prints and stores the result."""
    check_numbers(config)
    game = make_game(config.game, config.players, **parse_options(config.options))
    if not 1 <= len(config.agents) <= game.num_players:
        raise ValueError(f"{len(config.agents)} agents are given; allowed are 1 to {game.num_players}")
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
