"""Settings of a game, described once: for checking, for error messages and for the spec sheets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from trick_envs.core.errors import UnsupportedSettingError
from trick_envs.core.validation import is_whole_number

Value: TypeAlias = str | int | list[int]
"""Of a setting; True and False are whole numbers, too."""
MAX_ROUNDS = 20
"""Scores grow with the rounds of a game, and observations with the scores."""


@dataclass(frozen=True)
class Option:
    """One setting: a choice of texts and truth values, a whole number or a list of whole numbers."""

    name: str
    default: Value
    meaning: str
    choices: tuple[str | bool, ...] = ()
    """False and True, if they are among these, come first: in records they are 0 and 1."""
    minimum: int = 0
    maximum: int = 0
    """To be given with numbers."""
    length: int = 0
    """How many numbers the list has at most; 0: a single one."""
    shortest: int = 0
    """How many numbers the list has at least; 0: as many as at most."""

    def __post_init__(self) -> None:
        if not self.choices and self.maximum <= self.minimum:
            raise ValueError(
                f"option {self.name} has minimum {self.minimum} and maximum {self.maximum}; "
                f"allowed are maximums above the minimum"
            )

    @property
    def allowed(self) -> str:
        """What is allowed, in words."""
        if self.choices:
            return ", ".join(map(repr, self.choices))
        lengths = f"{self.shortest} to {self.length}" if self.shortest else self.length
        lists = f"lists of {lengths} " if self.length else ""
        return f"{lists}whole numbers from {self.minimum} to {self.maximum}"

    def check(self, value: Any) -> Value:
        """The value, if it is allowed.

        Raises:
            ValueError: It isn't.
        """
        if self.choices:
            # 0 and 1 equal False and True, but aren't choices.
            good = any(type(value) is type(choice) and value == choice for choice in self.choices)
        elif self.length:
            shortest = self.shortest or self.length
            is_list = isinstance(value, list | tuple) and shortest <= len(value) <= self.length
            good = is_list and all(is_whole_number(one, self.minimum, self.maximum) for one in value)
        else:
            good = is_whole_number(value, self.minimum, self.maximum)
        if not good:
            raise ValueError(f"{self.name} is {value!r}; allowed are {self.allowed}")
        if self.choices:
            checked: Value = value
            return checked
        return [int(one) for one in value] if self.length else int(value)

    def code(self, value: Value) -> int | list[int]:
        """The value as it stands in records: a text's index among the choices, or the numbers.

        A list is filled up with zeros.
        """
        if isinstance(value, list):
            return value + [0] * (self.length - len(value))
        return self.choices.index(value) if isinstance(value, str) else value


def check_options(options: Sequence[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """All settings, those that aren't given with their defaults.

    Raises:
        UnsupportedSettingError: An unknown name.
        ValueError: A value that isn't allowed.
    """
    names = [option.name for option in options]
    for name in given:
        if name not in names:
            allowed = ", ".join(names)
            raise UnsupportedSettingError(
                f"unknown option {name!r}; choose from {allowed}, num_players and preset"
            )
    return {option.name: option.check(given.get(option.name, option.default)) for option in options}
