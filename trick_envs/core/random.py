"""Random numbers: one small generator (splitmix64) for chance inside a game and for agents.

A game's generator lies in its record, and every agent has a stream of its own per game. So results
depend neither on the size of a batch, nor on its order, nor on threads.

Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", 2014.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.kernel import State, kernel
from trick_envs.core.validation import whole_number

Seed: TypeAlias = int | NDArray[np.uint64] | np.random.SeedSequence | None
"""A number, one number for each game, a seed sequence, or None for a different result each time."""

_INCREMENT = np.uint64(0x9E3779B97F4A7C15)
_FACTOR_1 = np.uint64(0xBF58476D1CE4E5B9)
_FACTOR_2 = np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)
_HALF = np.uint64(32)
_TO_UNIT = 2.0**-53
_BITS_OVER_53 = np.uint64(11)


@kernel
def next_random(s: State) -> Any:
    """The next 64 random bits of the game's generator."""
    s.rng = s.rng + _INCREMENT
    bits = s.rng
    bits = (bits ^ (bits >> _SHIFT_1)) * _FACTOR_1
    bits = (bits ^ (bits >> _SHIFT_2)) * _FACTOR_2
    return bits ^ (bits >> _SHIFT_3)


@kernel
def random_below(s: State, limit: int) -> int:
    """A whole number from 0 to limit - 1; uneven by less than limit / 2**32."""
    return np.int64(((next_random(s) >> _HALF) * np.uint64(limit)) >> _HALF)  # type: ignore[return-value]


@kernel
def random_unit(s: State) -> float:
    """A number from 0 up to, but not including, 1."""
    return np.float64(next_random(s) >> _BITS_OVER_53) * _TO_UNIT


@kernel
def shuffle(s: State, values: NDArray[Any], count: int) -> None:
    """Shuffles the first `count` values in place (Fisher and Yates)."""
    for last in range(count - 1, 0, -1):
        other = random_below(s, last + 1)
        kept = values[last]
        values[last] = values[other]
        values[other] = kept


def seeds_for(num_games: int, seed: Seed, purpose: int = 0) -> NDArray[np.uint64]:
    """One seed per game, shape (num_games,); game i's doesn't depend on how many there are.

    Args:
        num_games: How many seeds.
        seed: See `Seed`. An array is taken as it is: give each call one of its own.
        purpose: Different purposes get unrelated numbers from the same seed.

    Raises:
        ValueError: A negative or fractional seed, or an array of another shape.
    """
    if isinstance(seed, np.ndarray):
        if seed.shape != (num_games,) or seed.dtype.kind not in "ui" or (seed < 0).any():
            raise ValueError(
                f"seed has shape {seed.shape} and type {seed.dtype}; "
                f"allowed are whole numbers from 0 of shape ({num_games},)"
            )
        return seed.astype(np.uint64)
    if isinstance(seed, np.random.SeedSequence):
        entropy, spawn_key = seed.entropy, seed.spawn_key
    else:
        entropy = None if seed is None else whole_number(seed, "seed", 0, or_else=", or None")
        spawn_key = ()
    sequence = np.random.SeedSequence(entropy, spawn_key=(*spawn_key, purpose))
    return sequence.generate_state(num_games, np.uint64).astype(np.uint64, copy=False)


class Streams:
    """Random numbers for agents: one independent stream for each of N games.

    Examples:
        >>> streams = Streams(3, seed=1)
        >>> streams.random().shape
        (3,)
    """

    def __init__(self, num_games: int, seed: Seed = None) -> None:
        """Starts `num_games` streams; stream i doesn't depend on how many there are."""
        self._states = seeds_for(num_games, seed, purpose=1)
        self._games: NDArray[np.intp] | slice = slice(None)

    def __len__(self) -> int:
        return len(self._states if isinstance(self._games, slice) else self._games)

    def take(self, games: NDArray[np.intp]) -> "Streams":
        """The streams of some of the games. They stay the same streams: drawing moves the original on."""
        part = Streams.__new__(Streams)
        part._states = self._states
        part._games = games if isinstance(self._games, slice) else self._games[games]
        return part

    def bits(self) -> NDArray[np.uint64]:
        """64 random bits for each game, shape (N,). They serve as seeds, too."""
        bits = self._states[self._games] + _INCREMENT
        self._states[self._games] = bits
        bits = (bits ^ (bits >> _SHIFT_1)) * _FACTOR_1
        bits = (bits ^ (bits >> _SHIFT_2)) * _FACTOR_2
        return bits ^ (bits >> _SHIFT_3)

    def random(self) -> NDArray[np.float64]:
        """A number from 0 up to, but not including, 1 for each game, shape (N,)."""
        return (self.bits() >> _BITS_OVER_53).astype(np.float64) * _TO_UNIT


def check_streams(rng: Streams, num_games: int) -> None:
    """Raises `ValueError` unless there is a stream for each of so many games."""
    if not isinstance(rng, Streams) or len(rng) != num_games:
        what = f"{len(rng)} streams" if isinstance(rng, Streams) else repr(rng)
        raise ValueError(f"rng is {what}; allowed is Streams({num_games}, seed), one for each game")
