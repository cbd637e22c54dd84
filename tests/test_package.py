"""The package: what is in it, what it imports, and what importing it does."""

import ast
import os
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import gymnasium
import pettingzoo
import pytest

import trick_envs

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "trick_envs"
FOR_LEARNING = {"trick_agents", "trick_experiments", "tests", "torch", "stable_baselines3", "sb3_contrib"}
"""What only the extra `train`, or nobody who installs the package, has."""


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def imports_of(file: Path) -> Iterator[str]:
    """The modules that a source imports, wherever in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} has a relative import"
            assert node.module is not None
            yield node.module


def test_the_wheel_takes_all_three_packages(project: dict[str, Any]) -> None:
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == [
        "trick_envs",
        "agents/trick_agents",
        "experiments/trick_experiments",
    ]


def test_the_wheel_has_the_sources_the_sheets_and_the_types_and_nothing_else(
    project: dict[str, Any], tmp_path: Path
) -> None:
    pytest.importorskip("hatchling")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert {str(file.relative_to(ROOT)) for file in sources()} <= names
    assert {f"trick_envs/games/{name}/README.md" for name in trick_envs.GAMES} <= names
    assert "trick_envs/py.typed" in names
    assert {Path(name).suffix for name in names} == {".py", ".md", ".typed", ".npz", ".json"}
    assert {Path(name).parts[0] for name in names} == {"trick_envs", "trick_agents", "trick_experiments"}


def test_the_package_has_types() -> None:
    assert (PACKAGE / "py.typed").is_file()


def test_the_package_needs_only_what_it_says(project: dict[str, Any]) -> None:
    needed = {name.split(">")[0] for name in project["project"]["dependencies"]}
    for file in sources():
        allowed = needed | {"trick_envs"}
        if file == PACKAGE / "envs" / "sb3.py":
            allowed |= {"stable_baselines3"}
        used = {module.partition(".")[0] for module in imports_of(file)} - sys.stdlib_module_names
        assert used <= allowed, file


def test_only_the_stable_baselines3_view_imports_what_learning_needs() -> None:
    users = {
        file.relative_to(PACKAGE).as_posix()
        for file in sources()
        if {module.partition(".")[0] for module in imports_of(file)} & FOR_LEARNING
    }
    assert users == {"envs/sb3.py"}


def test_the_core_knows_no_game() -> None:
    for file in (PACKAGE / "core").glob("*.py"):
        assert not any(module.startswith("trick_envs.games") for module in imports_of(file)), file


def test_every_game_has_a_package_and_a_module() -> None:
    for name, place in trick_envs.GAMES.items():
        assert str(place).startswith(f"trick_envs.games.{name}.")
        assert (PACKAGE / f"{name}_v0.py").is_file()
        assert trick_envs.game_class(name).name == name


def test_importing_the_package_loads_no_game_and_nothing_that_learns() -> None:
    code = "import sys, trick_envs; print(*sys.modules)"
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
    )
    loaded = set(done.stdout.split())
    assert not loaded & (FOR_LEARNING | {"numba", "trick_envs.games", "trick_envs.core.game"})


@pytest.mark.parametrize("name", trick_envs.GAMES)
def test_importing_the_package_registers_its_environments(name: str) -> None:
    title = "".join(word.capitalize() for word in name.split("_"))
    assert gymnasium.spec(f"trick_envs/{title}-v0").kwargs == {"game": name}
    assert gymnasium.make(f"trick_envs/{title}-v0").observation_space.shape is not None
    env = pettingzoo.make("aec", f"trick_envs/{name}_v0")
    env.reset(seed=0)
    assert env.agents


def test_the_version_is_that_of_the_installed_package() -> None:
    assert version("trick-envs") == trick_envs.__version__
