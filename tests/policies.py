"""Small policies with random weights for tests: the one place that knows how a policy comes to be."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents import PolicyAgent
from trick_envs.core.game import Game


def tiny_model(game: Game, seed: int = 0, **settings: Any) -> Any:
    """A MaskablePPO as `experiments.train` builds it, but with weights that are large enough to matter."""
    pytest.importorskip("sb3_contrib")
    torch = pytest.importorskip("torch")
    from experiments import train
    from trick_envs.sb3 import SeatVecEnv

    torch.set_num_threads(1)
    config = train.Config(
        **({"envs": 1, "rollout": 2, "minibatch": 2, "width": 16, "hidden": [16], "seed": seed} | settings)
    )
    model = train.build(config, game, SeatVecEnv(game, config.envs, seed=seed))
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.policy.parameters():
            parameter.normal_(0.0, 0.4, generator=generator)
    return model


def random_policy(game: Game, seed: int = 0, greedy: bool = False, **settings: Any) -> PolicyAgent:
    """A policy for a game, with random weights."""
    model = tiny_model(game, seed, **settings)
    from experiments.learner import export

    return export(model, greedy)


def plain_logits(policy: PolicyAgent, observations: NDArray[np.int8]) -> NDArray[np.float64]:
    """What a policy's network says, in matrix products of double precision."""
    values = observations.astype(np.float64)
    for layer, (weight, bias) in enumerate(zip(policy.weights, policy.biases, strict=True)):
        if layer > 0:
            values = np.maximum(values, 0.0)
        values = values @ weight.astype(np.float64) + bias
    return values
