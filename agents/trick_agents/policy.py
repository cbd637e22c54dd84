"""Learned policies: a file of numpy arrays, played without torch."""

import json
import os
import zipfile
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from trick_agents.files import replacing
from trick_agents.network import SuitNetwork
from trick_envs.core.errors import DamagedDataError
from trick_envs.core.game import Game, States
from trick_envs.core.random import Streams, check_streams

FORMAT = 2

NEWER_GROUPS = {
    "voodoo_prince": ("leader_in",),
    "gummi_trick": ("leader_in",),
    "oracle_land": ("third", "bid_cards"),
}
"""Feature groups that games didn't have yet when files of format 1, which don't name them, were written."""


class PolicyFileError(DamagedDataError):
    """A file that holds no policy, or one for another game."""


class PolicyAgent:
    """Plays by a network: the legal actions' numbers, through a softmax, are their probabilities."""

    SUFFIX: ClassVar[str] = ".npz"

    def __init__(self, network: SuitNetwork, greedy: bool = True) -> None:
        """`greedy`: take the likeliest action; otherwise draw by the probabilities."""
        self.network = network
        self.greedy = greedy

    def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
        """One legal action for the current player of each game, shape (N,)."""
        check_streams(rng, len(states))
        logits = self.logits(game.observations(states))
        logits[game.action_masks(states) == 0] = -np.inf
        if self.greedy:
            return logits.argmax(axis=1).astype(np.int32)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True), dtype=np.float64)
        cumulated = np.cumsum(chances, axis=1)
        draws = rng.random() * cumulated[:, -1]
        return (cumulated > draws[:, None]).argmax(axis=1).astype(np.int32)

    def logits(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """One number for each action, legal or not, (N, A).

        Raises:
            ValueError: Observations of another game, or for another number of players or other options.
        """
        return self.network.logits(observations)

    # --- files --------------------------------------------------------------------------------------------

    def save(
        self, file: str | Path, game: Game, about: dict[str, Any] | None = None, half: bool = False
    ) -> None:
        """Writes the policy, for later `load`; the file appears complete or not at all.

        Args:
            file: Where to, usually ``*.npz``.
            game: What it plays.
            about: How it came to be, anything that `json.dumps` accepts.
            half: Half precision: a smaller file, for a policy that is trained no further.
        """
        groups = [name for name in game.observation_layout if name not in self.network.without]
        head = {"format": FORMAT, **game.variant, "groups": groups, "about": about or {}}
        arrays: dict[str, Any] = {
            "head": np.frombuffer(json.dumps(head).encode(), np.uint8),
            **{
                name: array.astype(np.float16) if half else array
                for name, array in self.network.arrays.items()
            },
        }
        with replacing(file) as temporary, temporary.open("wb") as stream:
            np.savez(stream, **arrays)

    @classmethod
    def load(cls, file: str | Path, game: Game, greedy: bool = True) -> "PolicyAgent":
        """Reads a policy that `save` wrote. Nothing in the file is run.

        Args:
            file: The file.
            game: What it is to play.
            greedy: Take the likeliest action, which is how policies are strongest; otherwise draw by the
                probabilities.

        Raises:
            PolicyFileError: There is no such file, it is damaged, or it was made for another game, number of
                players, options or format; the message says which.
        """
        head, arrays = _read(Path(file))
        if head.get("format") not in (1, FORMAT):
            raise PolicyFileError(f"{file} has format {head.get('format')!r}; allowed is {FORMAT}")
        for key, value in game.variant.items():
            found = head.get(key)
            if key == "options" and isinstance(found, dict):
                # An option that came later has the default that it was played by before.
                found = {option.name: option.default for option in game.own_options} | found
            if found != value:
                raise PolicyFileError(
                    f"{file} was made for {key} {head.get(key)!r}; allowed here is {value!r}"
                )
        without = _without(file, head, game)
        arrays = {
            name: array.astype(np.float32) if array.dtype == np.float16 else array
            for name, array in arrays.items()
        }
        try:
            return cls(SuitNetwork(game, arrays, without), greedy)
        except ValueError as error:
            raise PolicyFileError(f"{file} is damaged: {error}") from error


def _without(file: str | Path, head: dict[str, Any], game: Game) -> list[str]:
    """The feature groups that a policy doesn't see: those that its file doesn't name."""
    groups = list(game.observation_layout)
    if head["format"] == 1:
        left_out = head.get("without")
        if not isinstance(left_out, list) or not all(name in groups for name in left_out):
            raise PolicyFileError(f"{file} is damaged: it was made without {left_out!r}")
        return [*left_out, *NEWER_GROUPS.get(game.name, ())]
    seen = head.get("groups")
    if not isinstance(seen, list) or not all(isinstance(name, str) for name in seen):
        raise PolicyFileError(f"{file} is damaged: its groups are {seen!r}")
    if seen != [name for name in groups if name in seen]:
        raise PolicyFileError(
            f"{file} sees the feature groups {', '.join(seen)}; those of {game.name} are {', '.join(groups)}"
        )
    return [name for name in groups if name not in seen]


def _read(file: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    if not os.path.isfile(file):
        raise PolicyFileError(f"there is no file {str(file)!r}")
    try:
        with zipfile.ZipFile(file) as archive:
            # numpy reads no further than an array's own head says, and so doesn't notice all damage.
            if archive.testzip() is not None:
                raise ValueError("a checksum is wrong")
        with np.load(file, allow_pickle=False) as data:
            arrays = {name: np.asarray(data[name]) for name in data.files}
        head = json.loads(arrays.pop("head").tobytes())
    except Exception as error:  # what damage brings about in these readers is no short list
        raise PolicyFileError(f"{file} is damaged or no saved policy: {error}") from error
    if not isinstance(head, dict):
        raise PolicyFileError(f"{file} is damaged or no saved policy: its head is {type(head).__name__}")
    return head, arrays
