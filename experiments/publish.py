"""Puts the policy of a finished run among those that come with the project, with all that is known of it.

It is stored in half precision and measured as stored, taking the likeliest actions: at one seat, with random,
rule-based and search agents at all others.

    python -m experiments.publish results/RUN
"""

import json
import shlex
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import tyro
from rich.console import Console

import agents as agents_
from agents import PolicyAgent
from agents.files import write_text
from agents.pretrained import FOLDER, file_for
from experiments import train
from experiments.cli import parse_options, user_errors
from experiments.evaluate import print_result
from trick_envs import make_game


@dataclass(frozen=True)
class Config:
    """Publishes the policy of a run."""

    run: tyro.conf.Positional[Path]
    """The folder of a finished run of `experiments.train`."""
    yardsticks: list[str] = field(
        default_factory=lambda: ["random@1000", "rules@2000", "search:playouts=1000@200"]
    )
    """What the policy is measured against, each as "agent@deals"."""
    seed: int = 2
    """Seed of these deals; training uses 0 and 1."""
    folder: Path = FOLDER
    """Where the policy and its JSON file go."""


def command_of(config: train.Config) -> str:
    """The command that trains so: all settings that aren't the default's."""
    words = ["python", "-m", "experiments.train"]
    default = train.Config()
    for setting in fields(config):
        value = getattr(config, setting.name)
        is_shown = setting.name not in ("results", "resume", "device", "threads")
        if is_shown and value != getattr(default, setting.name):
            values = value if isinstance(value, list) else [value]
            words += ["--" + setting.name.replace("_", "-"), *map(str, values)]
    return shlex.join(words)


def parse_yardsticks(texts: list[str]) -> dict[str, int]:
    """Numbers of deals by agent, from "agent@deals" texts.

    Raises:
        ValueError: A text of another form.
    """
    found = {}
    for text in texts:
        name, _, deals = text.rpartition("@")
        if not name or not deals.isdecimal() or int(deals) < 1:
            raise ValueError(f"yardstick {text!r} has the wrong form; allowed is agent@deals, deals from 1")
        found[name] = int(deals)
    return found


def run(config: Config) -> dict[str, Any]:
    """Publishes as configured; prints and stores what was found."""
    yardsticks = parse_yardsticks(config.yardsticks)
    trained = train.resumed(config.run)
    evaluation = config.run / "evaluation.json"
    if not evaluation.is_file():
        raise ValueError(f"{str(config.run)!r} is no finished run: it has no {evaluation.name}")
    game = make_game(trained.game, trained.players, **parse_options(trained.options))
    entrants = {name: agents_.make(name, game) for name in yardsticks}
    about = json.loads(evaluation.read_text(encoding="utf-8"))
    about = {name: about[name] for name in ("seed", "steps", "minutes", "share_in_environments")}
    versions = json.loads((config.run / "config.json").read_text(encoding="utf-8"))["versions"]

    file = config.folder / file_for(game.name, game.num_players).name
    PolicyAgent.load(config.run / "policy.npz", game).save(file, game, about, half=True)
    policy = PolicyAgent.load(file, game, greedy=True)
    results = {}
    for name, deals in yardsticks.items():
        result = train.measure_learner(game, policy, name, entrants[name], deals, config.seed)
        print_result(Console(), result)
        results[name] = asdict(result)
    report = {
        "game": game.name,
        "title": game.title,
        "num_players": game.num_players,
        "options": {name: value for name, value in game.options.items() if name != "reward"},
        "command": command_of(trained),
        **about,
        "versions": versions,
        "bytes": file.stat().st_size,
        "measured_with_seed": config.seed,
        "results": results,
    }
    write_text(file.with_suffix(".json"), json.dumps(report, indent=2) + "\n")
    return report


@user_errors
def main() -> None:
    """Reads the command line."""
    run(tyro.cli(Config, description=__doc__))


if __name__ == "__main__":
    main()
