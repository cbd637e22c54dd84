"""The command trick-envs: it finds its commands, and says what is missing."""

import importlib
import math
import subprocess
import sys
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import trick_experiments
from trick_experiments.__main__ import COMMANDS, module_of
from trick_experiments.common.cli import Real, Whole

WITHOUT_TORCH = ("evaluate", "tournament", "results", "precision", "benchmark", "warm-up")

BLOCKED = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "stable_baselines3", "sb3_contrib", "tensorboard"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
from trick_experiments.__main__ import main
sys.argv = ["trick-envs", *sys.argv[1:]]
main()
"""


def run(*arguments: str, blocked: bool = False) -> subprocess.CompletedProcess[str]:
    start = ["-c", BLOCKED] if blocked else ["-m", "trick_experiments"]
    return subprocess.run([sys.executable, *start, *arguments], capture_output=True, text=True, check=False)


def test_every_module_with_a_command_is_listed() -> None:
    folder = Path(str(trick_experiments.__file__)).parent
    with_main = {
        file.stem for file in folder.glob("[a-z]*.py") if "def main(" in file.read_text(encoding="utf-8")
    }
    assert {f"trick_experiments.{module}" for module in with_main} == set(map(module_of, COMMANDS))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_can_be_called_by_its_module(command: str) -> None:
    for package in ("torch", "sb3_contrib"):
        if command not in WITHOUT_TORCH:
            pytest.importorskip(package)
    module = importlib.import_module(module_of(command))
    with pytest.raises(SystemExit) as stop:
        module.main(["--help"], prog=f"trick-envs {command}")
    assert stop.value.code == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_every_number_of_a_command_has_bounds(command: str) -> None:
    for package in ("torch", "sb3_contrib"):
        if command not in WITHOUT_TORCH:
            pytest.importorskip(package)
    config = importlib.import_module(module_of(command)).Config
    for name, hint in get_type_hints(config, include_extras=True).items():
        kind = hint.__origin__ if hasattr(hint, "__metadata__") else hint
        kinds = {kind, *get_args(kind)}
        if kinds & {int, float} and name != "players":  # what the game says
            (bounds,) = (b for b in getattr(hint, "__metadata__", ()) if isinstance(b, Whole | Real))
            assert isinstance(bounds, Whole) == (int in kinds), name
            assert math.isfinite(bounds.high), name


def test_the_list_of_commands_is_the_help() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert all(command in done.stdout for command in COMMANDS)


def test_a_command_that_is_not_there_is_refused() -> None:
    done = run("evalute")
    assert done.returncode == 2
    assert "evalute" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", WITHOUT_TORCH)
def test_comparing_agents_needs_no_torch(command: str) -> None:
    done = run(command, "--help", blocked=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", ["train", "publish", "probe"])
def test_what_learns_says_what_to_install(command: str) -> None:
    done = run(command, "--help", blocked=True)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "pip install 'trick-envs[train]'" in done.stderr


OWN_AGENT = """
class Lowest:
    def act(self, game, states, rng):
        return game.action_masks(states).argmax(axis=1).astype("int32")
"""


def test_the_installed_command_finds_modules_in_the_present_folder(tmp_path: Path) -> None:
    (tmp_path / "agents_here.py").write_text(OWN_AGENT, encoding="utf-8")
    script = "import sys; from trick_experiments.__main__ import main; sys.argv[0] = 'trick-envs'; main()"
    words = ["evaluate", "--agents", "agents_here:Lowest", "--deals", "2", "--options", "preset=mini"]
    # -P: as an installed script, which is started without the present folder
    command = [sys.executable, "-P", "-c", script, *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "agents_here:Lowest" in done.stdout
