"""The network that learns, and its way into a policy file."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from gymnasium.spaces import Box
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from agents import PolicyAgent
from trick_envs.core.game import Game


class GroupExtractor(BaseFeaturesExtractor):
    """The first layer, shared by actor and critic: a linear map of some feature groups, with ReLU."""

    def __init__(self, observation_space: Box, columns: list[int], width: int) -> None:
        """`columns`: which features are seen; `width`: outputs."""
        super().__init__(observation_space, width)
        self.register_buffer("columns", torch.tensor(columns))
        self.linear = nn.Linear(len(columns), width)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """(N, D) to (N, width)."""
        return torch.relu(self.linear(observations.index_select(1, self.columns)))  # type: ignore[arg-type]


class Decay:
    """A learning rate that falls linearly to a tenth, with the steps or the time, whichever is over first."""

    def __init__(self, initial: float) -> None:
        """`initial`: at the beginning."""
        self.initial = initial
        self.left = 1.0
        """The share of the time that is left, where time is limited."""

    def __call__(self, progress_remaining: float) -> float:
        """The rate when that share of the steps is left."""
        return self.initial * max(0.1, min(progress_remaining, self.left))


def policy_settings(game: Game, width: int, hidden: Sequence[int], without: Sequence[str]) -> dict[str, Any]:
    """Settings of the policy network for MaskablePPO.

    Args:
        game: The rules.
        width: Outputs of the first layer.
        hidden: Sizes of the further layers, for actor and critic each.
        without: Feature groups that the network doesn't see.

    Raises:
        ValueError: A feature group that the game doesn't have.
    """
    layout = game.observation_layout
    for name in without:
        if name not in layout:
            raise ValueError(f"{name!r} is no feature group of {game.name}; allowed are {', '.join(layout)}")
    columns = [
        column
        for group in layout.values()
        if group.name not in without
        for column in range(group.start, group.start + group.size)
    ]
    return {
        "features_extractor_class": GroupExtractor,
        "features_extractor_kwargs": {"columns": columns, "width": width},
        "net_arch": {"pi": list(hidden), "vf": list(hidden)},
        "activation_fn": nn.ReLU,
        "normalize_images": False,
    }


def export(model: MaskablePPO, greedy: bool = False) -> PolicyAgent:
    """The model's actor as an agent that needs no torch."""
    policy = model.policy
    extractor = policy.features_extractor
    assert isinstance(extractor, GroupExtractor)
    first = np.zeros((model.observation_space.shape[0], extractor.linear.out_features), np.float32)  # type: ignore[index]
    first[_numpy(extractor.columns)] = _numpy(extractor.linear.weight).T  # type: ignore[arg-type]
    layers = [layer for layer in policy.mlp_extractor.policy_net if isinstance(layer, nn.Linear)]
    layers.append(policy.action_net)  # type: ignore[arg-type]
    weights = [first, *(_numpy(layer.weight).T for layer in layers)]
    biases = [_numpy(extractor.linear.bias), *(_numpy(layer.bias) for layer in layers)]
    return PolicyAgent([weight.copy() for weight in weights], [bias.copy() for bias in biases], greedy)


def _numpy(tensor: torch.Tensor) -> Any:
    return tensor.detach().cpu().numpy()
