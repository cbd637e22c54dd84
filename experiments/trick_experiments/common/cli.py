"""What all commands share: settings of a game as texts, bounds, tables on screen, and errors for people."""

import functools
import re
import signal
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, get_type_hints

from rich import box
from rich.console import Console
from rich.table import Table

from trick_envs.core.validation import number, whole_number

P = ParamSpec("P")
R = TypeVar("R")

MAX_DEALS = 1_000_000
"""So many deals tell differences of a thousandth apart; what came out of them takes hundreds of megabytes."""
MAX_BATCH = 1_000_000
"""So many games at once take about a gigabyte."""
MAX_SEED = 2**64 - 1

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


@dataclass(frozen=True)
class Whole:
    """Annotates a setting, or a list of them, that is a whole number within bounds."""

    low: int
    high: int

    def check(self, value: Any, what: str) -> None:
        """Raises `ValueError` unless a value is one."""
        whole_number(value, what, self.low, self.high)


@dataclass(frozen=True)
class Real:
    """Annotates a setting that is a number from 0, or above 0, to a bound."""

    high: float
    positive: bool = False

    def check(self, value: Any, what: str) -> None:
        """Raises `ValueError` unless a value is one."""
        number(value, what, positive=self.positive, high=self.high)


DEALS = Whole(2, MAX_DEALS)  # of one there is no interval
BATCH = Whole(1, MAX_BATCH)
SEED = Whole(0, MAX_SEED)


def check_numbers(config: Any) -> None:
    """Raises `ValueError` where a setting of a command isn't within the bounds that it is annotated with."""
    for name, hint in get_type_hints(type(config), include_extras=True).items():
        value = getattr(config, name)
        for bounds in getattr(hint, "__metadata__", ()):
            if isinstance(bounds, Whole | Real) and value is not None:
                for one in value if isinstance(value, list) else [value]:
                    bounds.check(one, name)


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
        except MemoryError as error:
            print(f"error: there is not enough memory: {error}; allowed is less at once", file=sys.stderr)
            raise SystemExit(2) from error
        except KeyboardInterrupt as stop:
            print(f"stopped: {stop}" if stop.args else "stopped", file=sys.stderr)
            raise SystemExit(130) from None

    return wrapped
