"""Learned policies: a file of numpy arrays, played without torch.

A policy is a multilayer perceptron from observations (D,) to one number for each action (A,), with ReLU
between the layers; the legal actions' numbers, through a softmax, are their probabilities.
"""

import json
import os
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agents.files import replacing
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import kernel
from trick_envs.core.random import Streams

Arrays = list[NDArray[np.float32]]

FORMAT = 1


class PolicyFileError(ValueError):
    """A file that holds no policy, or one for another game."""


class PolicyAgent:
    """Plays by a learned policy: draws by its probabilities, or takes the likeliest action."""

    SUFFIX: ClassVar[str] = ".npz"

    def __init__(self, weights: Arrays, biases: Arrays, greedy: bool = False) -> None:
        """The perceptron.

        Args:
            weights: Per layer, (inputs, outputs).
            biases: Per layer, (outputs,).
            greedy: Take the likeliest action instead of drawing.
        """
        self.weights = [np.ascontiguousarray(weight, np.float32) for weight in weights]
        self.biases = [np.ascontiguousarray(bias, np.float32) for bias in biases]
        self.greedy = greedy

    def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
        """One legal action for the mover of each game, shape (N,)."""
        logits = self.logits(game.observations(states))
        legal = game.action_masks(states) == 1
        logits[~legal] = -np.inf
        if self.greedy:
            return logits.argmax(axis=1).astype(np.int32)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True), dtype=np.float64)
        cumulated = np.cumsum(chances, axis=1)
        draws = rng.random() * cumulated[:, -1]
        return (cumulated > draws[:, None]).argmax(axis=1).astype(np.int32)

    def logits(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """One number for each action, legal or not, (N, A)."""
        values: NDArray[Any] = observations
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            if layer > 0:
                np.maximum(values, 0.0, out=values)
            outputs = np.empty((len(values), len(bias)), np.float32)
            _apply_layer(values, weight, bias, outputs)
            values = outputs
        return values

    # --- files --------------------------------------------------------------------------------------------

    def save(self, file: str | Path, game: Game, about: dict[str, Any] | None = None) -> None:
        """Writes the policy, for later `load`; the file appears complete or not at all.

        Args:
            file: Where to, usually ``*.npz``.
            game: What it plays.
            about: How it came to be, anything that `json.dumps` accepts.
        """
        head = {"format": FORMAT, **_settings(game), "about": about or {}}
        arrays: dict[str, Any] = {"head": np.frombuffer(json.dumps(head).encode(), np.uint8)}
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            arrays[f"weight_{layer}"] = weight
            arrays[f"bias_{layer}"] = bias
        with replacing(file) as temporary, temporary.open("wb") as stream:
            np.savez(stream, **arrays)

    @classmethod
    def load(cls, file: str | Path, game: Game, greedy: bool = False) -> "PolicyAgent":
        """Reads a policy that `save` wrote. Nothing in the file is run.

        Raises:
            PolicyFileError: There is no such file, it is damaged, or it was made for another game, number of
                players, options or format; the message says which.
        """
        head, arrays = _read(Path(file))
        if head.get("format") != FORMAT:
            raise PolicyFileError(f"{file} has format {head.get('format')!r}; allowed is {FORMAT}")
        for key, value in _settings(game).items():
            if head.get(key) != value:
                raise PolicyFileError(
                    f"{file} was made for {key} {head.get(key)!r}; allowed here is {value!r}"
                )
        num_layers = sum(name.startswith("weight_") for name in arrays)
        try:
            weights = [arrays[f"weight_{layer}"] for layer in range(num_layers)]
            biases = [arrays[f"bias_{layer}"] for layer in range(num_layers)]
        except KeyError as error:
            raise PolicyFileError(f"{file} is damaged: {error.args[0]} is missing") from error
        for array in (*weights, *biases):
            if array.dtype != np.float32 or array.ndim == 0 or not np.isfinite(array).all():
                raise PolicyFileError(f"{file} is damaged: its weights aren't all finite numbers of 32 bits")
        sizes = [game.observation_size, *(len(bias) for bias in biases)]
        shapes = [weight.shape for weight in weights]
        fitting = shapes == list(pairwise(sizes)) and all(bias.ndim == 1 for bias in biases)
        if not weights or not fitting or sizes[-1] != game.num_actions:
            raise PolicyFileError(
                f"{file} has layers of {shapes}; allowed are layers that lead from the game's "
                f"{game.observation_size} features to its {game.num_actions} actions"
            )
        return cls(weights, biases, greedy)


def _settings(game: Game) -> dict[str, Any]:
    """What a policy depends on; rewards change nothing in what it sees."""
    options = {name: value for name, value in game.options.items() if name != "reward"}
    return {"game": game.name, "num_players": game.num_players, "options": options}


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


@kernel
def _apply_layer(
    inputs: NDArray[Any],
    weight: NDArray[np.float32],
    bias: NDArray[np.float32],
    outputs: NDArray[np.float32],
) -> None:
    """Adds up the weights' rows, leaving out inputs that are 0, as most are.

    Each row of inputs by itself, so that its result doesn't depend on how many there are.
    """
    for i in range(len(inputs)):
        for k in range(len(bias)):
            outputs[i, k] = bias[k]
        for j in range(inputs.shape[1]):
            value = np.float32(inputs[i, j])
            if value != 0.0:
                for k in range(len(bias)):
                    outputs[i, k] += value * weight[j, k]
