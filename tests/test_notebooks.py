"""The notebooks run from top to bottom, and show what they print and draw."""

import re
from pathlib import Path

import pytest

from trick_envs.core.kernel import COMPILED

pytest.importorskip("nbclient")

from tests import notebooks

every_notebook = pytest.mark.parametrize("file", notebooks.NOTEBOOKS, ids=lambda file: file.name)


def test_there_are_notebooks() -> None:
    assert [int(file.name[0]) for file in notebooks.NOTEBOOKS] == [1, 2, 3, 4, 5]


@pytest.mark.skipif(not COMPILED, reason="notebooks play thousands of games")
@every_notebook
def test_a_notebook_runs_and_its_outputs_are_those_of_the_code(file: Path) -> None:
    stored, now = notebooks.read(file), notebooks.executed(file)
    assert any(notebooks.num_pictures(cell) for cell in now.cells if cell.cell_type == "code")
    for before, after in zip(stored.cells, now.cells, strict=True):
        if before.cell_type == "code":
            assert notebooks.num_pictures(before) == notebooks.num_pictures(after)
            varies = notebooks.VARIES in before.metadata.get("tags", [])
            assert varies or notebooks.printed(before) == notebooks.printed(after), "run make notebooks"


@every_notebook
def test_a_notebook_is_small_and_names_no_machine(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert len(text) < 100_000
    assert set(notebooks.read(file).metadata) == {"kernelspec", "language_info"}
    cells = [cell for cell in notebooks.read(file).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    for link in re.findall(r"`(docs/[\w./]+)`", text):
        assert (notebooks.ROOT / link).exists(), link
