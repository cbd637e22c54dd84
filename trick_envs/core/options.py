"""Settings of a game, described once: for checking, for error messages and for the spec sheets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Option:
    """One setting: either a choice of texts or a whole number."""

    name: str
    default: str | int
    meaning: str
    choices: tuple[str, ...] = ()
    minimum: int = 0
    maximum: int = 2**31 - 1
    """Records have room for no more."""

    @property
    def allowed(self) -> str:
        """What is allowed, in words."""
        if self.choices:
            return ", ".join(map(repr, self.choices))
        return f"whole numbers from {self.minimum} to {self.maximum}"

    def check(self, value: Any) -> str | int:
        """The value, if it is allowed.

        Raises:
            ValueError: It isn't.
        """
        if self.choices:
            good = isinstance(value, str) and value in self.choices
        else:
            whole = isinstance(value, int) and not isinstance(value, bool)
            good = whole and self.minimum <= value <= self.maximum
        if not good:
            raise ValueError(f"{self.name} is {value!r}; allowed are {self.allowed}")
        return value

    def code(self, value: str | int) -> int:
        """The value as it stands in records: a choice's place in the list, or the number."""
        return value if isinstance(value, int) else self.choices.index(value)


def check_options(options: Sequence[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """All settings, those that aren't given with their defaults.

    Raises:
        ValueError: An unknown name, or a value that isn't allowed.
    """
    names = [option.name for option in options]
    for name in given:
        if name not in names:
            raise ValueError(f"{name!r} is no option; allowed are {', '.join(names)}")
    return {option.name: option.check(given.get(option.name, option.default)) for option in options}
