"""What all commands share: settings of a game as texts, and errors for people."""

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


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


def check_counts(deals: int, batch: int) -> None:
    """Raises `ValueError` unless there is something to play."""
    if deals < 1 or batch < 1:
        raise ValueError(f"deals is {deals}, batch is {batch}; allowed are whole numbers from 1")


def user_errors(main: Callable[P, R]) -> Callable[P, R]:
    """A command's `main` that says what is wrong in one line: exit code 2 for bad input, 130 for Ctrl-C."""

    @functools.wraps(main)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return main(*args, **kwargs)
        except (ValueError, OSError) as error:
            print(f"error: {error}", file=sys.stderr)
            raise SystemExit(2) from error
        except KeyboardInterrupt:
            print("stopped", file=sys.stderr)
            raise SystemExit(130) from None

    return wrapped
