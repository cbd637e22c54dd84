"""What all commands share: settings of a game as texts, tables on screen, and errors for people."""

import functools
import re
import signal
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from rich import box
from rich.console import Console
from rich.table import Table

P = ParamSpec("P")
R = TypeVar("R")

GAP = 2  # spaces between columns
LEAST_NAME = 8  # letters of a name that stay beside each other


def parse_options(pairs: Sequence[str]) -> dict[str, Any]:
    """A game's settings from "name=value" texts; numbers, lists of them, true and false are read as such.

    Raises:
        ValueError: A text of another form.
    """
    options: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise ValueError(f"option {pair!r} has the wrong form; allowed is name=value")
        options[name] = _value(value)
    return options


def _value(text: str) -> Any:
    """A number, a list of numbers, a truth value or a text."""
    if "," in text:
        return [_value(part) for part in text.split(",")]
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return int(text) if text.lstrip("-").isdecimal() else text


def variant_words(game: str, players: int | None, options: Sequence[str]) -> list[str]:
    """The part of a command that says what is played."""
    words = ["--game", game]
    if players is not None:
        words += ["--players", str(players)]
    return words + (["--options", *options] if options else [])


def check_counts(deals: int, batch: int = 1, least_deals: int = 1) -> None:
    """Raises `ValueError` unless there is enough to play."""
    if deals < least_deals:
        raise ValueError(f"deals is {deals}; allowed are whole numbers from {least_deals}")
    if batch < 1:
        raise ValueError(f"batch is {batch}; allowed are whole numbers from 1")


def check_folder(folder: Path, mark: str) -> None:
    """Raises `ValueError` if a folder holds other things than what is to be written there.

    Args:
        folder: It may be new, or empty but for hidden files.
        mark: A file that tells that the rest is ours.
    """
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{str(folder)!r} is no folder; allowed is one, or a new name")
    if not folder.is_dir() or (folder / mark).is_file():
        return
    if any(not file.name.startswith(".") for file in folder.iterdir()):
        raise ValueError(
            f"{str(folder)!r} has files, but no {mark}; allowed are new or empty folders, and those with it"
        )


def broken(name: str, width: int) -> str:
    """An agent's name in lines of a width, broken where its parts end, if they are short enough."""
    lines = [""]
    for part in re.findall(r".[^,:/]*[,:/]*", name):
        if lines[-1] and len(lines[-1] + part) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(piece for line in lines for piece in textwrap.wrap(line, width))


def print_rows(console: Console, title: str, rows: Sequence[Sequence[str]]) -> None:
    """Prints a table of headings and rows. Numbers are broken only if names can't give way any more."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    room = console.width - sum(widths[1:]) - GAP * len(widths[1:])
    table = Table(
        title=title, box=box.SIMPLE_HEAD, show_edge=False, padding=(0, GAP - 1, 0, 0), pad_edge=False
    )
    for i, heading in enumerate(rows[0]):
        is_number = i > 0
        table.add_column(
            heading,
            justify="right" if is_number else "left",
            overflow="fold",
            no_wrap=is_number and room >= LEAST_NAME,
        )
    for name, *numbers in rows[1:]:
        table.add_row(broken(name, max(room, LEAST_NAME)), *numbers)
    console.print(table)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Puts Ctrl-C off, for as long as something is being written."""
    if threading.current_thread() is not threading.main_thread():
        yield  # which Ctrl-C doesn't reach
        return
    asked = []
    before = signal.signal(signal.SIGINT, lambda number, frame: asked.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


def user_errors(main: Callable[P, R]) -> Callable[P, R]:
    """A command's `main` that says what is wrong in one line: exit code 2 for bad input, 130 for Ctrl-C."""

    @functools.wraps(main)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return main(*args, **kwargs)
        except (ValueError, OSError) as error:
            print(f"error: {error}", file=sys.stderr)
            raise SystemExit(2) from error
        except KeyboardInterrupt as stop:
            print(f"stopped: {stop}" if stop.args else "stopped", file=sys.stderr)
            raise SystemExit(130) from None

    return wrapped
