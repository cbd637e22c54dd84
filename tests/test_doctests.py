"""The examples in docstrings do what they say, in all modules of the three packages."""

import doctest
import importlib
from pathlib import Path

import pytest

from tests.test_package import LEARNING, SOURCES

OPTIONAL = LEARNING | {"pyspiel", "open_spiel", "rlcard", "pygame"}
"""What isn't installed with the packages themselves."""


def with_examples() -> list[str]:
    """The modules that have examples, by their text."""
    return [name for name, file in SOURCES.items() if ">>> " in file.read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", with_examples())
def test_the_examples_in_a_modules_docstrings_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)  # what examples write is gone afterwards
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in OPTIONAL:
            raise
        pytest.skip(f"{error.name} isn't installed")
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        runner.run(test)
    results = runner.summarize(verbose=False)
    assert results.failed == 0, capsys.readouterr().out
    assert results.attempted > 0, f"the examples of {name} aren't found"


def test_what_people_meet_first_has_examples() -> None:
    assert {
        "trick_agents.pretrained",
        "trick_agents.registry",
        "trick_envs.core.agent",
        "trick_envs.core.game",
        "trick_envs.core.layout",
        "trick_envs.core.random",
        "trick_envs.core.registry",
        "trick_envs.envs.aec",
        "trick_envs.envs.sb3",
        "trick_envs.envs.seat",
        "trick_envs.envs.vector",
        "trick_envs.testing.agents",
        "trick_envs.testing.games",
        "trick_envs.testing.play",
        "trick_envs.testing.settings",
    } <= set(with_examples())
