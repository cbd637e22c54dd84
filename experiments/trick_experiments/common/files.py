"""What commands write: texts, JSON and pictures, each complete or not at all, in folders of their own."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from matplotlib.figure import Figure

from trick_agents.files import replacing

LOCK = ".lock"
"""The file in a run's folder whose lock a process holds; it stays there, the lock ends with the process."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keeps a run's folder to this process; the folder is made if there is none.

    Raises:
        ValueError: Another process has it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise ValueError(
            f"{str(folder)!r} is in use by another process; allowed is another folder, or to wait for its end"
        ) from None
    try:
        yield
    finally:
        lock.release()


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
