"""The decisions of all seats, each linked to the same seat's next one.

Letters: N tables, S seats.
"""

from collections.abc import Generator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBufferSamples

NONE = -1


class SelfPlayBuffer:
    """Decisions of all seats, each linked to the same seat's next one.

    A decision whose seat has neither decided again nor reached an end is *open*; it is kept for the next
    update. Capacity: the decisions of T steps, and those that may be open, one for each seat.
    """

    def __init__(
        self,
        num_steps: int,
        num_tables: int,
        num_seats: int,
        num_features: int,
        num_actions: int,
        gamma: float,
        gae_lambda: float,
        device: torch.device,
    ) -> None:
        """Makes room."""
        self.gamma, self.gae_lambda, self.device = gamma, gae_lambda, device
        self.num_seats = num_seats
        size = (num_steps + num_seats) * num_tables
        self.observations = np.zeros((size, num_features), np.int8)
        self.masks = np.zeros((size, num_actions), np.int8)
        self.actions = np.zeros(size, np.int64)
        self.all_values = np.zeros(size, np.float32)
        self.log_probs = np.zeros(size, np.float32)
        self.rewards = np.zeros(size, np.float32)
        self.next = np.zeros(size, np.intp)
        self.advantages = np.zeros(size, np.float32)
        self.last = np.full((num_tables, num_seats), NONE, np.intp)
        """(N, S) the open decision of each seat."""
        self.gained = np.zeros((num_tables, num_seats), np.float32)
        """(N, S) what has come to the seat since."""
        self.groups: list[slice] = []
        """Decisions of the same time, in order; the first ones were open before."""
        self.size = 0
        self.ready = np.zeros(0, np.intp)

    _ROWS = ("observations", "masks", "actions", "all_values", "log_probs")

    def open_decisions(self) -> dict[str, NDArray[Any]]:
        """All that is kept from one update to the next."""
        rows = self.last[self.last != NONE]
        kept = {name: getattr(self, name)[rows] for name in self._ROWS}
        return {**kept, "is_open": self.last != NONE, "gained": self.gained.copy()}

    def restore(self, kept: dict[str, NDArray[Any]]) -> None:
        """Forgets all decisions but these, as `open_decisions` gave them."""
        is_open = kept["is_open"]
        self.size = int(is_open.sum())
        for name in self._ROWS:
            getattr(self, name)[: self.size] = kept[name]
        self.last[:] = NONE
        self.last[is_open] = np.arange(self.size)
        self.gained[:] = kept["gained"]
        self.groups = [slice(0, self.size)]

    def reset(self) -> None:
        """Forgets all decisions but the open ones."""
        self.restore(self.open_decisions())

    def add(
        self,
        observations: NDArray[np.int8],
        masks: NDArray[np.int8],
        actions: NDArray[np.int64],
        values: NDArray[np.float32],
        log_probs: NDArray[np.float32],
        seats: NDArray[np.int8],
    ) -> None:
        """Adds a decision at each table, (N, …)."""
        n = len(seats)
        rows = np.arange(self.size, self.size + n)
        group = slice(self.size, self.size + n)
        for name, given in zip(self._ROWS, (observations, masks, actions, values, log_probs), strict=True):
            getattr(self, name)[group] = given
        tables = np.arange(n)
        before = self.last[tables, seats]
        linked = before != NONE
        self.rewards[before[linked]] = self.gained[tables, seats][linked]
        self.next[before[linked]] = rows[linked]
        self.last[tables, seats] = rows
        self.gained[tables, seats] = 0
        self.groups.append(group)
        self.size += n

    def add_rewards(self, rewards: NDArray[np.float32], ended: NDArray[np.bool_]) -> None:
        """Adds what came to all seats, (N, S), and where that was the end, (N,)."""
        self.gained += rewards
        done = (self.last != NONE) & ended[:, None]
        self.rewards[self.last[done]] = self.gained[done]
        self.next[self.last[done]] = NONE
        self.last[done] = NONE
        self.gained[ended] = 0

    def compute_returns(self) -> None:
        """Generalised advantage estimates along each seat's own decisions, but for those that are open."""
        is_open = np.zeros(self.size, np.bool_)
        is_open[self.last[self.last != NONE]] = True
        for group in reversed(self.groups):
            following = self.next[group]
            goes_on = (following != NONE) & ~is_open[group]
            following = np.where(goes_on, following, 0)
            after = np.where(goes_on, self.all_values[following], 0)
            # Nothing is known beyond an open decision but its value.
            later = np.where(goes_on & ~is_open[following], self.advantages[following], 0)
            error = self.rewards[group] + self.gamma * after - self.all_values[group]
            self.advantages[group] = error + self.gamma * self.gae_lambda * later
        self.ready = np.flatnonzero(~is_open)

    @property
    def values(self) -> NDArray[np.float32]:
        """The critic's values of the decisions that are learned from."""
        return self.all_values[self.ready]

    @property
    def returns(self) -> NDArray[np.float32]:
        """What these turned out to be worth."""
        return self.advantages[self.ready] + self.values

    def get(self, batch_size: int | None = None) -> Generator[MaskableRolloutBufferSamples, None, None]:
        """All decisions that aren't open, shuffled, in minibatches; the last one has what is left.

        A single decision that is left joins the minibatch before it: alone, it couldn't be normalised.
        """
        rows = np.random.permutation(self.ready)  # noqa: NPY002, Stable-Baselines3's generator
        size = batch_size or max(1, len(rows))
        starts = list(range(0, len(rows), size))
        if len(starts) > 1 and len(rows) - starts[-1] == 1:
            del starts[-1]
        for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
            chosen = rows[start:end]
            yield MaskableRolloutBufferSamples(
                observations=self._tensor(self.observations[chosen]),
                actions=self._tensor(self.actions[chosen]),
                old_values=self._tensor(self.all_values[chosen]),
                old_log_prob=self._tensor(self.log_probs[chosen]),
                advantages=self._tensor(self.advantages[chosen]),
                returns=self._tensor(self.advantages[chosen] + self.all_values[chosen]),
                action_masks=self._tensor(self.masks[chosen]),
            )

    def _tensor(self, array: NDArray[Any]) -> torch.Tensor:
        return torch.as_tensor(array, device=self.device)
