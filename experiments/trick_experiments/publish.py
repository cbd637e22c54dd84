"""Puts the policy of a finished run among those that come with the project, with all that is known of it.

It is stored in half precision and measured as stored, taking the likeliest actions: at one seat, with random,
rule-based and search agents at all others.

    trick-envs publish results/RUN
"""

import json
import shlex
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console

import trick_agents
from trick_agents import PolicyAgent
from trick_agents.pretrained import FOLDER, file_for
from trick_envs.core.registry import make_game
from trick_experiments.common.cli import (
    MAX_DEALS,
    SEED,
    check_numbers,
    parse_options,
    uninterrupted,
    user_errors,
)
from trick_experiments.common.files import write_json
from trick_experiments.evaluation.comparison import print_result
from trick_experiments.learning import training

NO_MATTER = ("results", "resume", "device", "threads")


@dataclass(frozen=True)
class Config:
    """Publishes the policy of a run."""

    run: tyro.conf.Positional[Path]
    """The folder of a finished run of `trick_experiments.train`."""
    reference_opponents: list[str] = field(
        default_factory=lambda: ["random@1000", "rules@2000", "search:playouts=1000@200"]
    )
    """What the policy is measured against, each as "agent@deals"."""
    seed: Annotated[int, SEED] = 2
    """Seed of these deals; training uses 0 and 1."""
    folder: Path = FOLDER
    """Where the policy and its JSON file go."""


def settings_of(config: training.Config) -> dict[str, Any]:
    """What a run's policy depends on."""
    return {name: value for name, value in asdict(config).items() if name not in NO_MATTER}


def command_of(config: training.Config) -> str:
    """The command that trains so: all settings that aren't the default's."""
    words = ["trick-envs", "train"]
    default = settings_of(training.Config())
    for name, value in settings_of(config).items():
        if value != default[name]:
            flag = name.replace("_", "-")
            if isinstance(value, bool):
                words.append(f"--{flag}" if value else f"--no-{flag}")
            else:
                words += [f"--{flag}", *map(str, value if isinstance(value, list) else [value])]
    return shlex.join(words)


def parse_reference_opponents(texts: list[str]) -> dict[str, int]:
    """Numbers of deals by agent, from "agent@deals" texts.

    Raises:
        ValueError: A text of another form.
    """
    found = {}
    for text in texts:
        name, _, deals = text.rpartition("@")
        # Longer texts than any number that is allowed aren't even read as one.
        if not name or not deals.isdecimal() or len(deals) > 20 or not 1 <= int(deals) <= MAX_DEALS:
            raise ValueError(
                f"reference opponent {text!r} has the wrong form; allowed is agent@deals, deals from 1 to "
                f"{MAX_DEALS}"
            )
        found[name] = int(deals)
    return found


def run(config: Config) -> dict[str, Any]:
    """Publishes as configured; prints and stores what was found."""
    check_numbers(config)
    reference_opponents = parse_reference_opponents(config.reference_opponents)
    trained = training.resumed(config.run)
    evaluation = config.run / "evaluation.json"
    if not evaluation.is_file():
        raise ValueError(f"{str(config.run)!r} is no finished run: it has no {evaluation.name}")
    game = make_game(trained.game, trained.players, **parse_options(trained.options))
    entrants = {name: trick_agents.make(name, game) for name in reference_opponents}
    about = json.loads(evaluation.read_text(encoding="utf-8"))
    about = {name: about[name] for name in ("seed", "steps", "minutes", "share_in_environments")}
    versions = json.loads((config.run / "config.json").read_text(encoding="utf-8"))["versions"]

    file = config.folder / file_for(game.name, game.num_players).name
    with tempfile.TemporaryDirectory() as folder:
        stored = Path(folder) / file.name
        PolicyAgent.load(config.run / "policy.npz", game).save(stored, game, half=True)
        policy = PolicyAgent.load(stored, game, greedy=True)
    results = {}
    for name, deals in reference_opponents.items():
        result = training.measure_learner(game, policy, name, entrants[name], deals, config.seed)
        print_result(Console(), result)
        results[name] = asdict(result)
    report = {
        **game.variant,
        "command": command_of(trained),
        "settings": settings_of(trained),
        **about,
        "versions": versions,
        "measured_with_seed": config.seed,
        "results": results,
    }
    with uninterrupted():  # the two belong together
        policy.save(file, game, about, half=True)
        write_json(file.with_suffix(".json"), report | {"bytes": file.stat().st_size})
    return report


@user_errors
def main(arguments: Sequence[str] | None = None, prog: str | None = None) -> None:
    """Reads the arguments, by default those of the command line."""
    run(tyro.cli(Config, prog=prog, description=__doc__, args=arguments))


if __name__ == "__main__":
    main()
