"""Small policies with random weights for tests: the one place that knows how a policy comes to be."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from trick_agents import PolicyAgent
from trick_agents.network import split_by_suit
from trick_envs.core.game import Game


def tiny_model(game: Game, seed: int = 0, **settings: Any) -> Any:
    """A MaskablePPO as training builds it, but with weights that are large enough to matter."""
    pytest.importorskip("sb3_contrib")
    torch = pytest.importorskip("torch")
    from trick_experiments.learning import training

    torch.set_num_threads(1)
    config = training.Config(
        **(
            {"n_envs": 1, "n_steps": 2, "batch_size": 2, "width": 8, "table_width": 8, "seed": seed}
            | settings
        )
    )
    model = training.build(config, game, training.make_env(config, game))
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.policy.parameters():
            parameter.normal_(0.0, 0.3, generator=generator)
    return model


def random_policy(game: Game, seed: int = 0, greedy: bool = False, **settings: Any) -> PolicyAgent:
    """A policy for a game, with random weights."""
    model = tiny_model(game, seed, **settings)
    from trick_experiments.learning.policy_network import export

    return export(model, game, greedy)


def plain_logits(policy: PolicyAgent, game: Game, observations: NDArray[np.int8]) -> NDArray[np.float64]:
    """What a policy's network says, suit by suit, in matrix products of double precision."""
    w = {name: array.astype(np.float64) for name, array in policy.network.arrays.items()}
    suits, table_places = split_by_suit(game.observation_layout, policy.network.without)
    suit_actions, table_actions = split_by_suit(game.action_layout)
    seen = observations.astype(np.float64)
    table = seen[:, table_places]
    first = [
        np.maximum(seen[:, suit] @ w["suit_from_features"] + table @ w["suit_from_table"] + w["suit_bias"], 0)
        for suit in suits
    ]
    mean = sum(first) / len(first)
    middle = mean @ w["table_from_suits"] + table @ w["table_from_features"] + w["table_bias"]
    middle = np.maximum(middle, 0)
    logits = np.full((len(seen), game.num_actions), np.nan)
    logits[:, table_actions] = middle @ w["table_actions"] + w["table_actions_bias"]
    for actions, numbers in zip(suit_actions, first, strict=True):
        again = numbers @ w["again_from_suit"] + middle @ w["again_from_table"] + w["again_bias"]
        logits[:, actions] = np.maximum(again, 0) @ w["suit_actions"] + w["suit_actions_bias"]
    return logits
