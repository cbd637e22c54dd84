"""What a clause of a contract is, and how one is found broken."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Scope: TypeAlias = Literal["play", "variant", "settings"]
"""What a clause is about: random games, of which each seed plays others; what a game with its settings is,
for which one seed is enough; or all settings of its class."""


class ContractError(AssertionError):
    """A clause of a contract is broken; the message says which one, by whom, with which seed and how."""

    def __init__(self, message: str, clause: str = "") -> None:
        super().__init__(message)
        self.clause = clause
        """The name of the clause."""


@dataclass(frozen=True)
class Clause:
    """One clause of a contract; call it to check it.

    The last two arguments of `check` are a seed and a number of games, those before them what is checked.
    """

    check: Callable[..., None]
    scope: Scope

    @property
    def name(self) -> str:
        """The name, as in `GAME_CLAUSES` and `AGENT_CLAUSES`."""
        return self.check.__name__

    @property
    def sentence(self) -> str:
        """What the clause says."""
        return (self.check.__doc__ or self.name).partition("\n")[0]

    def __call__(self, *subjects: object, seed: int = 0, num_games: int = 4) -> None:
        """Checks the clause.

        Args:
            subjects: A game; for a clause on agents an agent and a game.
            seed: Of all chance.
            num_games: How many games are played.

        Raises:
            ContractError: It is broken.
        """
        try:
            self.check(*subjects, seed, num_games)
        except Exception as error:
            detail = str(error) if isinstance(error, AssertionError) else f"{type(error).__name__}: {error}"
            who = " in ".join(map(repr, subjects))
            raise ContractError(
                f"{self.name}: {self.sentence} Not so for {who} with seed {seed}: {detail}", self.name
            ) from error


def check_clauses(
    clauses: Mapping[str, Clause],
    chosen: Iterable[str] | None,
    subjects: tuple[object, ...],
    seeds: Iterable[int],
    num_games: int,
) -> None:
    """Checks clauses by their names (None: all), those that aren't about random games by the first seed.

    Raises:
        ContractError: One of them is broken.
        ValueError: An unknown clause, no seed, or no game.
    """
    names, numbers = list(clauses if chosen is None else chosen), list(seeds)
    for name in names:
        if name not in clauses:
            raise ValueError(f"unknown clause {name!r}; choose from {', '.join(clauses)}")
    if not numbers:
        raise ValueError("seeds must have at least one seed, got none")
    if num_games < 1:
        raise ValueError(f"num_games must be at least 1, got {num_games!r}")
    for name in names:
        for seed in numbers if clauses[name].scope == "play" else numbers[:1]:
            clauses[name](*subjects, seed=seed, num_games=num_games)


Check: TypeAlias = Callable[..., None]


def by_name(
    play: Iterable[Check] = (), variant: Iterable[Check] = (), settings: Iterable[Check] = ()
) -> dict[str, Clause]:
    """Clauses by name, of the checks of each scope."""
    clauses = [
        *(Clause(check, "play") for check in play),
        *(Clause(check, "variant") for check in variant),
        *(Clause(check, "settings") for check in settings),
    ]
    return {clause.name: clause for clause in clauses}


# --- what checks say -----------------------------------------------------------------------------------


def require(condition: object, detail: str) -> None:
    """Raises `AssertionError` with the detail unless the condition holds, also under ``python -O``."""
    if not condition:
        raise AssertionError(detail)


def require_equal(found: Any, expected: Any, what: str, tolerance: float = 0) -> None:
    """Raises `AssertionError` with the first difference unless two arrays have the same shape and values."""
    found, expected = np.asarray(found), np.asarray(expected)
    require(found.shape == expected.shape, f"{what} has shape {found.shape}, expected is {expected.shape}")
    differs = found != expected if tolerance == 0 else ~(np.abs(found - expected) <= tolerance)
    if np.any(differs):
        index = tuple(int(i) for i in np.argwhere(differs)[0])
        raise AssertionError(f"{what} at {index} is {found[index]}, expected is {expected[index]}")


def require_equal_states(found: NDArray[Any], expected: NDArray[Any], what: str, *but: str) -> None:
    """Raises `AssertionError` with the first field that differs unless two arrays have the same records.

    `but`: names of fields that may differ.
    """
    for name in found.dtype.names or ():
        if name not in but:
            require_equal(found[name], expected[name], f"{what}: the field {name}")


def require_array(found: Any, shape: tuple[int, ...], dtype: Any, what: str) -> None:
    """Raises `AssertionError` unless this is an array of the shape and type."""
    require(isinstance(found, np.ndarray), f"{what} is {found!r}, expected is an array")
    require(
        found.shape == shape and found.dtype == dtype,
        f"{what} has shape {found.shape} and type {found.dtype}, expected are {shape} and {np.dtype(dtype)}",
    )


def require_refusal(call: Callable[[], object], what: str, *named: str) -> None:
    """Raises `AssertionError` unless the call raises `ValueError` with one line that names all of these."""
    try:
        call()
    except ValueError as error:
        message = str(error)
        require("\n" not in message, f"{what} is refused with several lines: {message!r}")
        for part in named:
            require(part in message, f"{what} is refused with {message!r}, which doesn't name {part}")
        return
    raise AssertionError(f"{what} isn't refused")
