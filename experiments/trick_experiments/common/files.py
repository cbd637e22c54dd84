"""What commands write: texts, JSON and pictures, each complete or not at all."""

import json
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from trick_agents.files import replacing


def write_text(file: str | Path, text: str) -> None:
    """Writes a text file."""
    with replacing(file) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(file: str | Path, content: Any) -> None:
    """Writes what `json.dumps` accepts, for people to read, too."""
    write_text(file, json.dumps(content, indent=2) + "\n")


def write_figure(file: str | Path, figure: Figure, dpi: int = 110) -> None:
    """Writes a figure, in the format that the file's name ends with."""
    with replacing(file) as temporary:
        figure.savefig(temporary, dpi=dpi)
