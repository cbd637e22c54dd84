"""The three packages: what is in them, what they import, and what importing them does."""

import ast
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import gymnasium
import pettingzoo
import pytest

import trick_envs
from tests.helpers import gymnasium_id
from trick_experiments.__main__ import COMMANDS, module_of

ROOT = Path(__file__).parents[1]
PACKAGES = {
    "trick_envs": ROOT / "trick_envs",
    "trick_agents": ROOT / "agents" / "trick_agents",
    "trick_experiments": ROOT / "experiments" / "trick_experiments",
}
PACKAGE = PACKAGES["trick_envs"]

SOURCES = {
    ".".join((name, *file.relative_to(folder).with_suffix("").parts)).removesuffix(".__init__"): file
    for name, folder in PACKAGES.items()
    for file in sorted(folder.rglob("*.py"))
}
"""All modules by name, and their files."""

SB3_VIEW = "trick_envs.envs.sb3"
"""The one module outside of trick_experiments that needs what the extra `train` brings."""


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def nodes_of(module: str) -> list[ast.stmt]:
    """What a module consists of."""
    return ast.parse(SOURCES[module].read_text(encoding="utf-8")).body


def at_module_level(nodes: list[ast.stmt], typing: bool) -> Iterator[ast.stmt]:
    """The statements outside of functions and classes; those for type checkers if `typing`."""
    for node in nodes:
        yield node
        if isinstance(node, ast.If) and (typing or ast.unparse(node.test) != "TYPE_CHECKING"):
            yield from at_module_level(node.body + node.orelse, typing)
        elif isinstance(node, ast.With):
            yield from at_module_level(node.body, typing)
        elif isinstance(node, ast.Try):
            handled = [statement for handler in node.handlers for statement in handler.body]
            yield from at_module_level(node.body + node.orelse + node.finalbody + handled, typing)


def named_in(nodes: Iterable[ast.AST], module: str) -> Iterator[str]:
    """The modules that import statements among these name."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} has a relative import"
            assert node.module is not None
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                yield inner if inner in SOURCES else node.module


@cache
def imports_of(module: str) -> frozenset[str]:
    """The modules that a module imports, wherever in it."""
    every = (node for statement in nodes_of(module) for node in ast.walk(statement))
    return frozenset(named_in(every, module))


@cache
def reached_from(module: str, typing: bool = False) -> frozenset[str]:
    """All modules that importing a module imports, directly or not; those for type checkers if `typing`."""
    reached: set[str] = set()
    ahead = [module]
    while ahead:
        name = ahead.pop()
        new = set(named_in(at_module_level(nodes_of(name), typing), name)) - reached
        reached |= new
        ahead.extend(new & SOURCES.keys())
    return frozenset(reached)


def is_in(module: str, *packages: str) -> bool:
    """Whether a module is one of these or lies in one of them."""
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def packages_in(requirements: list[str]) -> set[str]:
    """The packages that requirements name, as they are imported."""
    return {re.split(r"[<>=\[]", name)[0].replace("-", "_") for name in requirements}


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
    for folder in PACKAGES.values():
        assert {file.relative_to(folder.parent).as_posix() for file in folder.rglob("*.py")} <= names
    assert {f"trick_envs/games/{name}/README.md" for name in trick_envs.GAMES} <= names
    assert "trick_envs/py.typed" in names
    assert {Path(name).suffix for name in names} == {".py", ".md", ".typed", ".npz", ".json"}
    assert {Path(name).parts[0] for name in names} == {"trick_envs", "trick_agents", "trick_experiments"}


def test_the_package_has_types() -> None:
    assert (PACKAGE / "py.typed").is_file()


def test_the_packages_need_only_what_they_say(project: dict[str, Any]) -> None:
    base = packages_in(project["project"]["dependencies"])
    extras = {name: packages_in(needs) for name, needs in project["project"]["optional-dependencies"].items()}
    for module in SOURCES:
        allowed = base | set(PACKAGES)
        if module == SB3_VIEW or is_in(module, "trick_experiments"):
            allowed |= extras["train"]
        if module == "trick_experiments.benchmark":
            allowed |= extras["bench"] | {"pyspiel"}
        used = {name.partition(".")[0] for name in imports_of(module)} - sys.stdlib_module_names
        assert used <= allowed, module


LEARNING = {"torch", "stable_baselines3", "sb3_contrib", "tensorboard"}
"""What only the extra `train` brings."""

FOR_LEARNING = ("learning", "train", "probe", "publish")
"""The modules of `trick_experiments` that need it."""

WITHOUT_LEARNING = [
    module
    for module in SOURCES
    if not is_in(module, SB3_VIEW, *(f"trick_experiments.{name}" for name in FOR_LEARNING))
]
"""The modules that work without it."""


@pytest.mark.parametrize("module", WITHOUT_LEARNING)
def test_agents_and_comparisons_work_without_what_learning_needs(module: str) -> None:
    assert not {name.partition(".")[0] for name in reached_from(module)} & LEARNING


BELOW = ("trick_envs", "trick_agents", "trick_experiments.common")
"""What all of `trick_experiments` may import from."""

LAYERS = {
    "trick_envs.core": ("trick_envs.core",),
    "trick_envs.envs": ("trick_envs.core", "trick_envs.envs"),
    "trick_envs.testing": ("trick_envs.core", "trick_envs.testing"),
    "trick_envs.toolkit": ("trick_envs.core",),
    **{
        f"trick_envs.games.{name}": ("trick_envs.core", f"trick_envs.games.{name}")
        for name in trick_envs.GAMES
    },
    "trick_envs": ("trick_envs",),
    "trick_agents": ("trick_envs", "trick_agents"),
    "trick_experiments.common": ("trick_envs.core", "trick_agents", "trick_experiments.common"),
    "trick_experiments.evaluation": (*BELOW, "trick_experiments.evaluation"),
    "trick_experiments.learning": (*BELOW, "trick_experiments.evaluation", "trick_experiments.learning"),
    **{
        module_of(command): (
            *BELOW,
            "trick_experiments.evaluation",
            "trick_experiments.learning",
            module_of(command),
        )
        for command in COMMANDS
    },
    "trick_experiments": ("trick_envs", "trick_agents", "trick_experiments"),
}
"""Which parts of the project each part may import from, wherever in it."""


@pytest.mark.parametrize("part", LAYERS)
def test_no_part_imports_from_a_layer_above_it(part: str) -> None:
    modules = [module for module in SOURCES if is_in(module, part)]
    assert modules
    for module in modules:
        own = {name for name in imports_of(module) if is_in(name, *PACKAGES)}
        assert {name for name in own if not is_in(name, *LAYERS[part])} == set(), module


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports for type checkers count, too: where they go round, something lies in the wrong module."""
    reached = {module: reached_from(module, typing=True) & SOURCES.keys() for module in SOURCES}
    circles = {
        frozenset(other for other in reached[module] if module in reached[other])
        for module in SOURCES
        if module in reached[module]
    }
    assert circles == set()


def test_every_game_has_a_package_and_a_module() -> None:
    for name, place in trick_envs.GAMES.items():
        assert str(place).startswith(f"trick_envs.games.{name}.")
        assert (PACKAGE / f"{name}_v0.py").is_file()
        assert trick_envs.game_class(name).name == name


def loaded_by(code: str) -> set[str]:
    """The modules that are loaded when a program has run in a process of its own."""
    places = [str(folder.parent) for folder in PACKAGES.values()]
    path = os.pathsep.join([*places, os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
    )
    return set(done.stdout.split())


def test_importing_the_environments_loads_no_game_and_nothing_that_learns() -> None:
    loaded = loaded_by("import trick_envs")
    assert not loaded & (LEARNING | {"numba", "trick_envs.games", "trick_envs.core.game", "trick_agents"})


def test_importing_the_experiments_loads_none_of_them() -> None:
    loaded = loaded_by("import trick_experiments")
    assert {name for name in loaded if is_in(name, *PACKAGES, *LEARNING, "numba")} == {"trick_experiments"}


def test_a_command_does_not_hide_what_the_experiments_offer_under_its_name() -> None:
    first, second = "from trick_experiments import evaluate", "from trick_experiments.evaluate import main"
    loaded_by(f"{first}; {second}; assert evaluate.__code__ is not main.__code__")
    loaded_by(f"{second}; {first}; assert evaluate.__code__ is not main.__code__")


@pytest.mark.parametrize("name", trick_envs.GAMES)
def test_importing_the_package_registers_its_environments(name: str) -> None:
    assert gymnasium.spec(gymnasium_id(name)).kwargs == {"game": name}
    assert gymnasium.make(gymnasium_id(name)).observation_space.shape is not None
    if hasattr(pettingzoo, "make"):  # since 1.27
        env = pettingzoo.make("aec", f"trick_envs/{name}_v0")
        env.reset(seed=0)
        assert env.agents


def test_the_version_is_that_of_the_installed_package() -> None:
    assert version("trick-envs") == trick_envs.__version__
