"""The notebooks: run from top to bottom, in a process of their own.

    python -m tests.notebooks

stores what they print and draw, which is how they are read where nobody runs them.
"""

import os
import re
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from trick_experiments.common.files import write_text

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

VARIES = "varies"
"""Tag of a cell that prints other numbers with another version of torch."""


def read(file: Path) -> Any:
    """A notebook."""
    return nbformat.read(file, as_version=4)  # type: ignore[no-untyped-call]


def executed(file: Path) -> Any:
    """The notebook after a run. Raises what a cell raises."""
    notebook = read(file)
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    client = NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        record_timing=False,
        extra_arguments=["--log-level=ERROR"],
    )
    client.execute(cwd=str(ROOT), env={**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "ignore"})
    for cell in notebook.cells:
        if cell.cell_type == "code":
            # Progress and warnings of other packages are nothing to keep.
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    notebook.metadata.language_info = {"name": "python"}
    return notebook


def printed(cell: Any) -> str:
    """What a cell has printed."""
    return "".join(output.text for output in cell.outputs if output.output_type == "stream")


def num_pictures(cell: Any) -> int:
    """How many pictures a cell has drawn."""
    return sum("image/png" in output.get("data", {}) for output in cell.outputs)


def store(file: Path) -> None:
    """Runs a notebook and writes it with its outputs."""
    text = nbformat.writes(executed(file))  # type: ignore[no-untyped-call]
    write_text(file, re.sub(r"\n*\Z", "\n", text))


if __name__ == "__main__":
    for notebook_file in NOTEBOOKS:
        store(notebook_file)
        print(f"{notebook_file.relative_to(ROOT)}: {notebook_file.stat().st_size // 1000} kB")
