"""The network's layers that dense products are slow for, compiled.

Of an observation's features 5 to 10 % are 1, so a product with the weights is a sum of a few of their rows,
and the weights' gradient adds to the same few rows. Both are loops here: dense products read and write all.

What there is to do in a suit matters only where there is something to do, in about half of them. What comes
after the first layer is told those suits, the *rows*: (R,), n * S + s for suit s of observation n, ascending.

Letters: N observations, D features, S suits with K of them each, M of the table, W numbers for each suit,
T for the table, R rows.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import linear

from trick_envs.core.kernel import kernel

Floats = NDArray[np.floating[Any]]
Numbers = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def dense_first_layer(
    observations: torch.Tensor,
    rows: torch.Tensor,
    suit_columns: torch.Tensor,
    table_columns: torch.Tensor,
    suit_from_features: torch.Tensor,
    suit_bias: torch.Tensor,
    suit_from_table: torch.Tensor,
    table_from_features: torch.Tensor,
) -> Numbers:
    """The layer by products of torch's, for other devices than the CPU.

    Args:
        observations: (N, D) zeros and ones.
        rows: (R,).
        suit_columns: (S, K) the features of each suit.
        table_columns: (M,) those of the table.
        suit_from_features: (W, K).
        suit_bias: (W,).
        suit_from_table: (W, M).
        table_from_features: (T, M).

    Returns:
        The rows' numbers, after ReLU, (R, W), the mean of all suits' numbers, (N, W), and what the table's
        features give the table, (N, T).
    """
    suits = observations[:, suit_columns].to(suit_bias.dtype)
    table = observations[:, table_columns].to(suit_bias.dtype)
    first = torch.relu(linear(suits, suit_from_features, suit_bias) + linear(table, suit_from_table)[:, None])
    return first.flatten(0, 1)[rows], first.mean(dim=1), linear(table, table_from_features)


def sparse_first_layer(*settings: torch.Tensor) -> Numbers:
    """The same by sums of the weights' rows, on the CPU."""
    result: Numbers = _SumsOfRows.apply(*settings)  # type: ignore[no-untyped-call]
    return result


class _SumsOfRows(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        observations: torch.Tensor,
        rows: torch.Tensor,
        suit_columns: torch.Tensor,
        table_columns: torch.Tensor,
        suit_from_features: torch.Tensor,
        suit_bias: torch.Tensor,
        suit_from_table: torch.Tensor,
        table_from_features: torch.Tensor,
    ) -> Numbers:
        n, num_suits = len(observations), len(suit_columns)
        ones = np.empty(n * (suit_columns.numel() + len(table_columns)), np.int16)
        ends = np.empty((n, num_suits + 1), np.int32)
        find_ones(
            observations.to(torch.int8).numpy(), suit_columns.numpy(), table_columns.numpy(), ones, ends
        )
        # Rows, the outputs of one input, lie in one line in the transposed weights.
        weights = [
            weight.detach().T.contiguous()
            for weight in (suit_from_features, suit_from_table, table_from_features)
        ]
        suits = suit_bias.new_empty((n, num_suits, len(suit_bias)))
        mean = suit_bias.new_zeros((n, len(suit_bias)))
        table = suit_bias.new_zeros((n, len(table_from_features)))
        arrays = [array.detach().numpy() for array in (*weights, suit_bias, suits, mean, table)]
        add_rows(ones, ends, *arrays)
        ctx.save_for_backward(suits, rows)
        ctx.found = ones, ends
        ctx.shapes = [weight.shape for weight in weights]
        return suits.flatten(0, 1).index_select(0, rows), mean, table

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        suits, rows = ctx.saved_tensors
        of_rows, of_mean, of_table = (gradient.contiguous() for gradient in gradients)
        suit_bias = suits.new_zeros(suits.shape[2])
        weights = [suits.new_zeros(shape) for shape in ctx.shapes]
        ones, ends = ctx.found
        arrays = [array.numpy() for array in (suits, rows, of_rows, of_mean, of_table, *weights, suit_bias)]
        add_to_rows(ones, ends, *arrays)
        suit_from_features, suit_from_table, table_from_features = (weight.T for weight in weights)
        return *[None] * 4, suit_from_features, suit_bias, suit_from_table, table_from_features


def add_of_table(suits: torch.Tensor, of_table: torch.Tensor, owners: torch.Tensor) -> torch.Tensor:
    """Adds what the table gives to each row, and applies ReLU.

    Args:
        suits: (R, W).
        of_table: (N, W).
        owners: (R,) each row's observation.
    """
    if suits.device.type != "cpu":
        return torch.relu(suits + of_table[owners])
    result: torch.Tensor = _AddOfTable.apply(suits, of_table, owners)  # type: ignore[no-untyped-call]
    return result


class _AddOfTable(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, suits: torch.Tensor, of_table: torch.Tensor, owners: torch.Tensor) -> torch.Tensor:
        result = torch.empty_like(suits)
        add_owners(suits.detach().numpy(), of_table.detach().numpy(), owners.numpy(), result.numpy())
        ctx.save_for_backward(result, owners)
        ctx.num_owners = len(of_table)
        return result

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        result, owners = ctx.saved_tensors
        of_suits = torch.empty_like(result)
        of_table = result.new_zeros((ctx.num_owners, result.shape[1]))
        gradient = gradients[0].contiguous()
        add_to_owners(*(array.numpy() for array in (result, owners, gradient, of_suits, of_table)))
        return of_suits, of_table, None


@kernel
def find_ones(
    observations: NDArray[np.int8],
    suit_columns: NDArray[np.int64],
    table_columns: NDArray[np.int64],
    ones: NDArray[np.int16],
    ends: NDArray[np.int32],
) -> None:
    """Lists the features that are 1, of each suit and then of the table.

    Args:
        observations: (N, D).
        suit_columns: (S, K).
        table_columns: (M,).
        ones: (N * (S * K + M),) all lists, one behind the other; written as far as they go.
        ends: (N, S + 1) where each of them ends; written.
    """
    num_suits = len(suit_columns)
    found = 0
    for n in range(len(observations)):
        # A number is written always and kept if it is one's: a branch would often be mispredicted.
        for suit in range(num_suits):
            for i in range(suit_columns.shape[1]):
                ones[found] = i
                found += observations[n, suit_columns[suit, i]] != 0
            ends[n, suit] = found
        for i in range(len(table_columns)):
            ones[found] = i
            found += observations[n, table_columns[i]] != 0
        ends[n, num_suits] = found


@kernel
def add_rows(
    ones: NDArray[np.int16],
    ends: NDArray[np.int32],
    suit_from_features: Floats,
    suit_from_table: Floats,
    table_from_features: Floats,
    suit_bias: Floats,
    suits: Floats,
    mean: Floats,
    table: Floats,
) -> None:
    """The layer: writes the suits' numbers, and adds to their mean and the table's, which are 0."""
    num_suits, width = suits.shape[1], suits.shape[2]
    # Of the arrays' type: with others all sums would be of float64 numbers, at half the speed.
    zero, share = suits.dtype.type(0), suits.dtype.type(1 / num_suits)
    start = 0
    for n in range(len(suits)):
        first = suits[n, 0]  # what all suits begin with
        for k in range(width):
            first[k] = suit_bias[k]
        for i in range(ends[n, num_suits - 1], ends[n, num_suits]):
            row = ones[i]
            for k in range(width):
                first[k] += suit_from_table[row, k]
            for k in range(table.shape[1]):
                table[n, k] += table_from_features[row, k]
        for suit in range(1, num_suits):
            for k in range(width):
                suits[n, suit, k] = first[k]
        for suit in range(num_suits):
            for i in range(start, ends[n, suit]):
                row = ones[i]
                for k in range(width):
                    suits[n, suit, k] += suit_from_features[row, k]
            start = ends[n, suit]
            for k in range(width):
                suits[n, suit, k] = max(suits[n, suit, k], zero)
                mean[n, k] += suits[n, suit, k] * share
        start = ends[n, num_suits]


@kernel
def add_to_rows(
    ones: NDArray[np.int16],
    ends: NDArray[np.int32],
    suits: Floats,
    rows: NDArray[np.int64],
    of_rows: Floats,
    of_mean: Floats,
    of_table: Floats,
    suit_from_features: Floats,
    suit_from_table: Floats,
    table_from_features: Floats,
    suit_bias: Floats,
) -> None:
    """The layer's gradient: from those of what it gave, `of_…`; adds to the last four."""
    num_suits, width = suits.shape[1], suits.shape[2]
    zero, share = suits.dtype.type(0), suits.dtype.type(1 / num_suits)
    start = next_row = 0
    of_suit, of_all = np.empty_like(suit_bias), np.empty_like(suit_bias)
    for n in range(len(suits)):
        for k in range(width):
            of_all[k] = 0
        for suit in range(num_suits):
            for k in range(width):
                of_suit[k] = of_mean[n, k] * share
            if next_row < len(rows) and rows[next_row] == n * num_suits + suit:
                for k in range(width):
                    of_suit[k] += of_rows[next_row, k]
                next_row += 1
            for k in range(width):
                of_suit[k] = of_suit[k] if suits[n, suit, k] > zero else zero
                of_all[k] += of_suit[k]
            for i in range(start, ends[n, suit]):
                row = ones[i]
                for k in range(width):
                    suit_from_features[row, k] += of_suit[k]
            start = ends[n, suit]
        for i in range(start, ends[n, num_suits]):
            row = ones[i]
            for k in range(width):
                suit_from_table[row, k] += of_all[k]
            for k in range(of_table.shape[1]):
                table_from_features[row, k] += of_table[n, k]
        start = ends[n, num_suits]
        for k in range(width):
            suit_bias[k] += of_all[k]


@kernel
def add_owners(suits: Floats, of_table: Floats, owners: NDArray[np.int64], result: Floats) -> None:
    """Writes the sums, after ReLU."""
    zero = result.dtype.type(0)
    for row in range(len(suits)):
        owner = owners[row]
        for k in range(suits.shape[1]):
            result[row, k] = max(suits[row, k] + of_table[owner, k], zero)


@kernel
def add_to_owners(
    result: Floats, owners: NDArray[np.int64], gradient: Floats, of_suits: Floats, of_table: Floats
) -> None:
    """The gradients of the sums: writes those of suits, and adds to those of the table's numbers."""
    zero = result.dtype.type(0)
    for row in range(len(result)):
        owner = owners[row]
        for k in range(result.shape[1]):
            of_suits[row, k] = gradient[row, k] if result[row, k] > zero else zero
        for k in range(result.shape[1]):
            of_table[owner, k] += of_suits[row, k]
