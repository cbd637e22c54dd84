"""The network that learns, in torch, and its way into a policy file."""

import warnings
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from trick_agents import PolicyAgent
from trick_agents.network import SuitNetwork, split_by_suit
from trick_envs.core.game import Game
from trick_experiments.learning.legal_actions import evaluate, legal_softmax
from trick_experiments.learning.self_play_env import hand_of
from trick_experiments.learning.sparse_layers import add_of_table, dense_first_layer, sparse_first_layer


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


class Features(NamedTuple):
    """What extractors give to heads."""

    suits: torch.Tensor
    """(R, W) numbers of suits."""
    rows: torch.Tensor
    """(R,) which suits these are, see `sparse_layers`."""
    table: torch.Tensor
    """(N, T) numbers of the table."""


class TableExtractor(BaseFeaturesExtractor):
    """Steps 1 and 2 of `trick_agents.network`: W numbers for each of S suits, T for the table."""

    def __init__(
        self,
        observation_space: Box,
        suits: list[list[int]],
        table: list[int],
        width: int,
        table_width: int,
    ) -> None:
        """`suits` (S, K), `table` (M,): features of each suit and the table that it sees."""
        super().__init__(observation_space, table_width)
        self.suit_columns = nn.Buffer(torch.tensor(suits).flatten())
        self.table_columns = nn.Buffer(torch.tensor(table, dtype=torch.int64))
        self.num_suits, self.width, self.table_width = len(suits), width, table_width
        self.suit_from_features = nn.Linear(len(suits[0]), width)
        self.suit_from_table = nn.Linear(len(table), width, bias=False)
        self.table_from_suits = nn.Linear(width, table_width)
        self.table_from_features = nn.Linear(len(table), table_width, bias=False)

    def forward(self, observations: torch.Tensor, rows: torch.Tensor | None = None) -> Features:
        """From observations (N, D), zeros and ones of any type; without `rows`, for all suits."""
        if rows is None:
            rows = torch.arange(len(observations) * self.num_suits, device=observations.device)
        first_layer = sparse_first_layer if observations.device.type == "cpu" else dense_first_layer
        first, mean, of_table = first_layer(
            observations,
            rows,
            self.suit_columns.view(self.num_suits, -1),
            self.table_columns,
            self.suit_from_features.weight,
            self.suit_from_features.bias,
            self.suit_from_table.weight,
            self.table_from_features.weight,
        )
        return Features(first, rows, torch.relu(self.table_from_suits(mean) + of_table))


class SuitExtractor(TableExtractor):
    """Steps 1–3 of `trick_agents.network`."""

    def __init__(self, observation_space: Box, without: list[str], **settings: Any) -> None:
        """`without`: groups left out; all else is as for `TableExtractor`."""
        super().__init__(observation_space, **settings)
        self.without = without
        self.again_from_suit = nn.Linear(self.width, self.width)
        self.again_from_table = nn.Linear(self.table_width, self.width, bias=False)

    def forward(self, observations: torch.Tensor, rows: torch.Tensor | None = None) -> Features:
        """As `TableExtractor`'s, with the suits' numbers of step 3."""
        first, rows, table = super().forward(observations, rows)
        last = add_of_table(self.again_from_suit(first), self.again_from_table(table), rows // self.num_suits)
        return Features(last, rows, table)


class ActionHead(nn.Module):
    """Step 4 of `trick_agents.network`: one number for each action, (N, A)."""

    def __init__(self, extractor: SuitExtractor, suits: list[list[int]], table: list[int]) -> None:
        """`suits` (S, K) and `table` (M,): the actions of each suit and of the table."""
        super().__init__()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a game may have no actions of the table
            self.suit_actions = nn.Linear(extractor.width, len(suits[0]))
            self.table_actions = nn.Linear(extractor.table_width, len(table))
        places = [place for suit in suits for place in suit] + table
        self.num_suits = len(suits)
        self.order = nn.Buffer(torch.tensor(places).argsort())
        self.suit_places = nn.Buffer(torch.tensor(suits).flatten(), persistent=False)
        for layer in (self.suit_actions, self.table_actions):
            # At the beginning all legal actions are about equally likely.
            nn.init.uniform_(layer.weight, -1e-3, 1e-3)
            nn.init.zeros_(layer.bias)

    def rows_with_actions(self, masks: torch.Tensor) -> torch.Tensor:
        """The suits in which an action is legal, (R,), for masks (N, A)."""
        of_suits = masks.index_select(1, self.suit_places).view(len(masks) * self.num_suits, -1)
        return of_suits.any(dim=1).nonzero()[:, 0]

    def forward(self, features: Features) -> torch.Tensor:
        """What the extractor gives to (N, A); 0 for actions of suits that it doesn't give."""
        suits, rows, table = features
        of_rows = self.suit_actions(suits)
        of_suits = of_rows.new_zeros((len(table) * self.num_suits, of_rows.shape[1]))
        of_suits = of_suits.index_copy(0, rows, of_rows).view(len(table), -1)
        return torch.cat([of_suits, self.table_actions(table)], dim=1).index_select(1, self.order)


class ValueHead(nn.Module):
    """The critic: what the table's numbers promise, (N, 1)."""

    def __init__(self, table_width: int) -> None:
        """`table_width`: T."""
        super().__init__()
        self.hidden = nn.Linear(table_width, table_width)
        self.value = nn.Linear(table_width, 1)

    def forward(self, features: Features) -> torch.Tensor:
        """What an extractor gives to (N, 1)."""
        value: torch.Tensor = self.value(torch.relu(self.hidden(features.table)))
        return value


class SuitPolicy(MaskableActorCriticPolicy):
    """Actor and critic, the actor's head knowing which actions belong to which suit.

    Both share one extractor, or the critic has its own, which sees more.
    """

    def __init__(
        self,
        *args: Any,
        suit_actions: list[list[int]],
        table_actions: list[int],
        critic: dict[str, Any] | None,
        **kwargs: Any,
    ) -> None:
        """Takes settings; those not named here are as for Stable-Baselines3's policies.

        Args:
            args: As there.
            suit_actions: (S, K) the actions of each suit.
            table_actions: (M,) all others.
            critic: Settings of the critic's own `TableExtractor`; None: it takes the actor's numbers.
            kwargs: As there.
        """
        self._actions = (suit_actions, table_actions)
        self._critic = critic
        kwargs["share_features_extractor"] = critic is None
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        extractor = self.features_extractor
        assert isinstance(extractor, SuitExtractor)
        self.action_net = ActionHead(extractor, *self._actions)
        if self._critic is not None:
            assert isinstance(self.observation_space, Box)
            self.vf_features_extractor = TableExtractor(self.observation_space, **self._critic)
        self.value_net = ValueHead(extractor.table_width)  # type: ignore[assignment]
        # Fused: one pass over all parameters, where dozens of small steps for each take a tenth of an update.
        self.optimizer = torch.optim.Adam(
            self.parameters(), lr=lr_schedule(1), fused=True, **self.optimizer_kwargs
        )

    def forward(
        self,
        obs: torch.Tensor,
        deterministic: bool = False,
        action_masks: NDArray[Any] | torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """(N, D) to actions, drawn or the likeliest, (N,), values, (N, 1), and log-probabilities, (N,)."""
        masks = self._masks(obs, action_masks)
        logits, values = self._logits_and_values(obs, masks)
        chances, log_chances = legal_softmax(logits, masks)
        if deterministic:
            actions = chances.argmax(dim=1)
        else:
            cumulated = chances.cumsum(dim=1, dtype=torch.float64)
            draws = torch.rand(len(cumulated), 1, dtype=torch.float64, device=cumulated.device)
            actions = torch.searchsorted(cumulated, draws * cumulated[:, -1:], right=True)[:, 0]
        return actions, values, log_chances.gather(1, actions[:, None])[:, 0]

    def evaluate_actions(
        self,
        obs: torch.Tensor,
        actions: torch.Tensor,
        action_masks: NDArray[Any] | torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """(N, D) to values, (N, 1), the actions' log-probabilities and the entropies, (N,)."""
        masks = self._masks(obs, action_masks)
        logits, values = self._logits_and_values(obs, masks)
        log_probs, entropies = evaluate(logits, masks, actions)
        return values, log_probs, entropies

    def _logits_and_values(
        self, observations: torch.Tensor, masks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """(N, D) to (N, A), right for legal actions only, and (N, 1)."""
        assert isinstance(self.action_net, ActionHead)
        of_actor = self.pi_features_extractor(observations, self.action_net.rows_with_actions(masks))
        of_critic = of_actor if self.share_features_extractor else self.vf_features_extractor(observations)
        return self.action_net(of_actor), self.value_net(of_critic)

    def _masks(self, observations: torch.Tensor, masks: NDArray[Any] | torch.Tensor | None) -> torch.Tensor:
        """(N, A) int8; without masks all actions are legal."""
        if masks is None:
            assert isinstance(self.action_space, Discrete)
            shape = (len(observations), int(self.action_space.n))
            return torch.ones(shape, dtype=torch.int8, device=observations.device)
        return torch.as_tensor(masks, device=observations.device).to(torch.int8)


def policy_settings(
    game: Game, width: int, table_width: int, without: Collection[str], privileged_critic: bool = False
) -> dict[str, Any]:
    """Settings of `SuitPolicy` for MaskablePPO.

    Args:
        game: The rules.
        width: Numbers for each suit.
        table_width: Numbers for the table.
        without: Feature groups that the network doesn't see.
        privileged_critic: Observations end with the others' hands, as `SelfPlayVecEnv` adds them; the critic
            sees them, the actor doesn't.

    Raises:
        ValueError: A feature group that the game doesn't have.
    """
    layout = game.observation_layout
    for name in without:
        if name not in layout:
            raise ValueError(f"{name!r} is no feature group of {game.name}; allowed are {', '.join(layout)}")
    suits, table = split_by_suit(layout, without)
    suit_actions, table_actions = split_by_suit(game.action_layout)
    sizes = {"width": width, "table_width": table_width}
    critic = None
    if privileged_critic:
        critic = {"suits": open_suits(game, suits), "table": table.tolist(), **sizes}
    return {
        "features_extractor_class": SuitExtractor,
        "features_extractor_kwargs": {
            "suits": suits.tolist(),
            "table": table.tolist(),
            "without": list(without),
            **sizes,
        },
        "suit_actions": suit_actions.tolist(),
        "table_actions": table_actions.tolist(),
        "critic": critic,
        "net_arch": [],
        "ortho_init": False,
        "normalize_images": False,
    }


def open_suits(game: Game, suits: NDArray[np.intp]) -> list[list[int]]:
    """Each suit's features (S, K), with those of the others' hands, which lie after the observation."""
    hand = hand_of(game)
    of_hand = np.moveaxis(hand.indices - hand.start, list(hand.axes).index("suit"), 0)
    hands = [game.observation_size + i * hand.size + of_hand for i in range(game.num_players - 1)]
    together: list[list[int]] = np.concatenate([suits, *hands], axis=1).tolist()
    return together


def export(model: MaskablePPO, game: Game, greedy: bool = True) -> PolicyAgent:
    """The model's actor as an agent that needs no torch."""
    extractor, head = model.policy.features_extractor, model.policy.action_net
    assert isinstance(extractor, SuitExtractor)
    assert isinstance(head, ActionHead)
    arrays: dict[str, torch.Tensor] = {
        "suit_bias": extractor.suit_from_features.bias,
        "table_bias": extractor.table_from_suits.bias,
        "again_bias": extractor.again_from_suit.bias,
        "suit_actions_bias": head.suit_actions.bias,
        "table_actions_bias": head.table_actions.bias,
    }
    for module in (extractor, head):
        arrays |= {
            name: layer.weight.T for name, layer in module.named_children() if isinstance(layer, nn.Linear)
        }
    return PolicyAgent(
        SuitNetwork(game, {name: _numpy(array) for name, array in arrays.items()}, extractor.without), greedy
    )


def _numpy(tensor: torch.Tensor) -> NDArray[np.float32]:
    return np.array(tensor.detach().cpu().numpy(), np.float32)
