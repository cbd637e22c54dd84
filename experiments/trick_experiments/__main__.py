"""The command ``trick-envs``: everything that can be done with the suite from a terminal.

Each command is a module of this package with its own arguments; only the one that is asked for is imported.
"""

import importlib
import os
import sys
from collections.abc import Callable

import tyro

COMMANDS = {
    "train": "Learn a policy for all seats of a game.",
    "evaluate": "Play agents against each other on duplicate deals.",
    "tournament": "Compare any number of agents, with ratings and a report.",
    "probe": "Train against a frozen agent: how far can it be exploited?",
    "publish": "Put a run's policy among those that come with the project.",
    "results": "Write the report on all that was measured and stored.",
    "precision": "Measure how many deals it takes to tell two agents apart.",
    "benchmark": "Measure decisions a second, beside other suites.",
    "warm-up": "Compile everything beforehand, for images and clusters.",
}
"""What each command is for, by its name."""

FOR_LEARNING = {"torch", "stable_baselines3", "sb3_contrib", "tensorboard"}
"""Packages that come with the extra ``train``."""


def module_of(command: str) -> str:
    """The name of a command's module."""
    return f"trick_experiments.{command.replace('-', '_')}"


def run(command: str, arguments: list[str]) -> None:
    """Runs a command with its arguments.

    Raises:
        SystemExit: As the command says; 2 also where a package that it needs isn't installed.
    """
    try:
        module = importlib.import_module(module_of(command))
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in FOR_LEARNING:
            raise
        print(
            f"error: {command} needs {error.name}; install it with: pip install 'trick-envs[train]'",
            file=sys.stderr,
        )
        raise SystemExit(2) from None
    module.main(arguments, prog=f"trick-envs {command}")


def _named(command: str, about: str) -> Callable[[], None]:
    """A function with a command's name and description, which stands for it in the list of commands."""

    def stand_in() -> None: ...

    stand_in.__name__, stand_in.__doc__ = command, about
    return stand_in


def main() -> None:
    """Reads the command line. Classes of the reader's own are searched in the present folder, too."""
    if not {"", os.getcwd()} & set(sys.path):
        sys.path.append("")  # which an installed command isn't started with, unlike `python -m`
    command, *arguments = sys.argv[1:] or [""]
    if command in COMMANDS:
        run(command, arguments)
        return
    # Help, or a name that isn't there: tyro says which there are.
    stand_ins = {name: _named(name, about) for name, about in COMMANDS.items()}
    tyro.extras.subcommand_cli_from_dict(
        stand_ins, prog="trick-envs", description="Trick-taking card games: agents, training, comparisons."
    )


if __name__ == "__main__":
    main()
