"""How much can a learner win against an agent that doesn't change?

A best-response probe: a policy is trained for a fixed budget with the agent at all other seats, beginning
by imitating that same agent, and then measured against it, taking its likeliest actions. What it wins beyond
an even share is by how much the agent can at least be exploited.

    trick-envs probe --agent pretrained --game voodoo_prince
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import tyro

from trick_experiments.common.cli import DEALS, check_numbers, user_errors
from trick_experiments.common.files import write_json
from trick_experiments.evaluation.matches import Interval
from trick_experiments.learning import training


@dataclass(frozen=True)
class Config:
    """Trains against a frozen agent."""

    agent: str
    """The agent, as for `trick_experiments.evaluate`."""
    game: str = "voodoo_prince"
    """Name of the game, or a class of your own ("module:Class")."""
    players: int | None = None
    """Number of seats; by default the game's usual number."""
    options: list[str] = field(default_factory=list)
    """The game's settings, as "name=value"."""
    steps: Annotated[int, training.STEPS] = 1_500_000
    """Decisions of the learner, imitation included."""
    imitation_steps: Annotated[int, training.STEPS_OR_NONE] = 500_000
    """How many of the agent's own decisions it learns first."""
    seed: Annotated[int, training.SEED] = 0
    """Seed of all chance."""
    deals: Annotated[int, DEALS] = 1000
    """Duplicate deals on which the learner is measured in the end."""
    results: Path = Path("results")
    """Where the run is stored, in a folder of its own."""
    json: Path | None = None
    """Where to write the result."""


def training_of(config: Config) -> training.Config:
    """The training that probes."""
    return training.Config(
        game=config.game,
        players=config.players,
        options=config.options,
        opponents=[f"{config.agent}@1"],
        pool_share=1.0,
        expert=config.agent,
        imitation_steps=config.imitation_steps,
        steps=config.steps,
        seed=config.seed,
        reference_opponents=[config.agent],
        final_deals=config.deals,
        evaluate_every=max(1, config.steps // 10),
        results=config.results,
    )


def run(config: Config) -> dict[str, Any]:
    """Probes as configured; prints and stores the result."""
    check_numbers(config)
    folder = training.train(training_of(config))
    evaluation = json.loads((folder / "evaluation.json").read_text(encoding="utf-8"))
    found = evaluation[config.agent]
    share = Interval(**found["measures"]["learner"]["win_share"])
    even = 1 / len(found["seats"])
    print(
        f"After {evaluation['steps']:,} decisions a learner wins {share:.3f} of its games against "
        f"{len(found['seats']) - 1} x {config.agent} by its likeliest actions; even is {even:.3f}."
    )
    report = {
        "agent": config.agent,
        "game": config.game,
        "num_players": len(found["seats"]),
        "steps": evaluation["steps"],
        "imitation_steps": config.imitation_steps,
        "minutes": evaluation["minutes"],
        "greedy": evaluation["greedy"],
        "seed": config.seed,
        "deals": config.deals,
        "win_share": asdict(share),
        "score_difference": found["differences"][f"learner - {config.agent}"]["score"],
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
