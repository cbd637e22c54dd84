"""Checkpoints of a training run: everything that it needs to go on as if it had never stopped."""

import hashlib
import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from trick_agents.files import replacing
from trick_envs.envs.sb3 import BatchVecEnv
from trick_experiments.learning.self_play_ppo import SelfPlayPPO

NAME = "checkpoint.bin"
_DIGEST_SIZE = 32


def save(file: Path, model: MaskablePPO, env: BatchVecEnv, state: dict[str, Any]) -> None:
    """Writes the model, the games in progress, all generators of random numbers, and `state`."""
    buffer = io.BytesIO()
    model.save(buffer)
    open_decisions = model.decisions.open_decisions() if isinstance(model, SelfPlayPPO) else None
    content = {
        "model": buffer.getvalue(),
        "env": env,
        "open_decisions": open_decisions,
        # Stable-Baselines3 shuffles by numpy's and torch's global generators.
        "numpy_random": np.random.get_state(),  # noqa: NPY002
        "torch_random": torch.get_rng_state(),
        "cuda_random": _cuda_random(),
        "state": state,
    }
    data = pickle.dumps(content)
    with replacing(file) as temporary:
        temporary.write_bytes(hashlib.sha256(data).digest() + data)


def _cuda_random() -> list[torch.Tensor]:
    """The generators of all CUDA devices, which actions are drawn by there; none where CUDA isn't in use."""
    in_use = torch.cuda.is_initialized()  # type: ignore[no-untyped-call]
    return torch.cuda.get_rng_state_all() if in_use else []


def load(file: Path, device: str) -> tuple[MaskablePPO, BatchVecEnv, dict[str, Any]]:
    """Reads what `save` wrote. Checkpoints are trusted: load only your own.

    Raises:
        ValueError: There is none, it is damaged, or of another version.
    """
    if not file.is_file():
        raise ValueError(f"there is no checkpoint {str(file)!r}: the run was stopped before its first")
    data = file.read_bytes()
    if hashlib.sha256(data[_DIGEST_SIZE:]).digest() != data[:_DIGEST_SIZE]:
        raise ValueError(f"checkpoint {str(file)!r} is damaged: its checksum is wrong")
    try:
        content = pickle.loads(data[_DIGEST_SIZE:])  # noqa: S301
    except (ImportError, AttributeError) as error:
        raise ValueError(f"checkpoint {str(file)!r} was written by another version: {error}") from error
    env: BatchVecEnv = content["env"]
    kind = MaskablePPO if content["open_decisions"] is None else SelfPlayPPO
    model = kind.load(io.BytesIO(content["model"]), env, device=device, force_reset=False)
    if isinstance(model, SelfPlayPPO):
        model.decisions.restore(content["open_decisions"])
    np.random.set_state(content["numpy_random"])  # noqa: NPY002
    torch.set_rng_state(content["torch_random"])
    if torch.cuda.is_available():  # a run may go on with fewer devices, or with none
        states = content.get("cuda_random", [])[: torch.cuda.device_count()]
        for number, random in enumerate(states):
            torch.cuda.set_rng_state(random, number)
    return model, env, content["state"]
