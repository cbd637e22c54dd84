"""The examples of documents: run in order, all of a document in one namespace.

A Python block with a file's name (``title="..."``) is that file; every other one is run. A block of text
right below one that is run shows what it prints. After a change, write what they print now into them:

    python -m tests.examples
"""

import io
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from trick_envs.core import registry
from trick_experiments.common.files import write_text

ROOT = Path(__file__).resolve().parents[1]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))

_BLOCK = re.compile(
    r"^```python(?: title=\"(?P<title>[^\"\n]+)\")?\n(?P<code>.*?)^```$(?:\n\n```text\n(?P<shown>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Example:
    """A Python block of a document."""

    code: str
    title: str | None
    """The name of the file that it is; None: it is run."""
    shown: str | None
    """What the document says that it prints, if it does."""
    span: tuple[int, int]
    """Where `shown` stands in the document."""
    line: int
    """The block's first line."""


def examples(file: Path) -> list[Example]:
    """All Python blocks of a document."""
    text = file.read_text(encoding="utf-8")
    return [
        Example(
            found["code"],
            found["title"],
            found["shown"],
            found.span("shown"),
            text.count("\n", 0, found.start("code")) + 1,
        )
        for found in _BLOCK.finditer(text)
    ]


def run(file: Path, folder: Path) -> Iterator[tuple[Example, str]]:
    """Runs a document's examples in a folder: each that is run, and what it prints."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    found = examples(file)
    with _importing_from(folder):
        for example in found:
            if example.title is not None:
                path = folder / example.title
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(example.code, encoding="utf-8")
                continue
            printed = io.StringIO()
            with redirect_stdout(printed):
                # Errors have the document's own lines.
                code = "\n" * (example.line - 1) + example.code
                exec(compile(code, str(file), "exec"), namespace)
            yield example, printed.getvalue()


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    """Imports from a folder that is also the current one; leaves no modules and no games behind."""
    path, modules, games = sys.path[:], set(sys.modules), dict(registry.GAMES)
    sys.path.insert(0, str(folder))
    try:
        with chdir(folder):
            yield
    finally:
        sys.path[:] = path
        registry._games.clear()
        registry._games.update(games)
        for name in set(sys.modules) - modules:
            if folder in Path(getattr(sys.modules[name], "__file__", None) or "/").parents:
                del sys.modules[name]


def refresh(file: Path) -> bool:
    """Writes what the examples print into the document; whether that changed it."""
    text = file.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        ran = list(run(file, Path(folder)))
    new = text
    for example, printed in reversed(ran):
        if example.shown is not None:
            start, end = example.span
            new = new[:start] + printed.rstrip() + "\n" + new[end:]
    if new != text:
        write_text(file, new)
    return new != text


if __name__ == "__main__":
    for guide in GUIDES:
        print(f"{guide.relative_to(ROOT)}: {'changed' if refresh(guide) else 'as before'}")
