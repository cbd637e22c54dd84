"""The network of learned policies, in numpy.

Suits are alike in trick-taking games, so suits share weights: what the network learns about one suit it knows
about all. Features and actions that belong to suits are permutation equivariant in them (M. Zaheer et al.,
"Deep sets", 2017). Letters: N observations, S suits, W numbers for each suit, T for the table.

1. Each suit's features and those of the table give W numbers for the suit: what there is in it.
2. The mean of these over the suits and the table's features give T numbers for the table.
3. Each suit's numbers and the table's give W numbers for the suit again: what there is to do in it.
4. From these come the numbers of the actions that belong to a suit, as playing one of its cards; those of all
   other actions come from the table's.

Every step is a sum of linear maps, with ReLU after all but the last.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.game import Game
from trick_envs.core.kernel import kernel, large_kernel
from trick_envs.core.layout import Layout

Arrays = Mapping[str, NDArray[np.float32]]


def split_by_suit(layout: Layout, without: Collection[str] = ()) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The indices in a layout that belong to a suit, (S, K), each suit's in one order, and the others, (M,).

    Args:
        layout: Of observations or of actions.
        without: Groups that are left out.

    Raises:
        ValueError: No group of suits is left.
    """
    of_suits: list[NDArray[np.intp]] = []
    others = [np.zeros(0, np.intp)]
    for group in layout.values():
        if group.name in without:
            continue
        if "suit" in group.axes:
            suits_first = np.moveaxis(group.indices, list(group.axes).index("suit"), 0)
            of_suits.append(suits_first.reshape(len(suits_first), -1))
        else:
            others.append(group.indices.ravel())
    if not of_suits:
        raise ValueError("no group is left that belongs to a suit; allowed is at least one")
    return np.concatenate(of_suits, axis=1), np.concatenate(others)


class SuitNetwork:
    """From observations to one number for each action.

    Arrays by name: ``suit_*`` are the steps' weights and biases for each suit, ``table_*`` for the table, as
    `shapes` lists them.
    """

    def __init__(self, game: Game, arrays: Arrays, without: Collection[str] = ()) -> None:
        """Takes the weights.

        Args:
            game: Whose layouts say what belongs to which suit.
            arrays: All that `shapes` lists, float32.
            without: Feature groups that the network doesn't see.

        Raises:
            ValueError: An array that is missing, of another shape or type, or not finite.
        """
        self.without = tuple(without)
        self._num_features, self._num_actions = game.observation_size, game.num_actions
        self._suit_features, self._table_features = split_by_suit(game.observation_layout, without)
        self._suit_actions, self._table_actions = split_by_suit(game.action_layout)
        for name in ("suit_bias", "table_bias"):
            if name not in arrays or arrays[name].ndim != 1:
                raise ValueError(f"there is no array {name!r} of one axis")
        self.arrays: dict[str, NDArray[np.float32]] = {}
        width, table = len(arrays["suit_bias"]), len(arrays["table_bias"])
        for name, shape in shapes(game, without, width, table).items():
            array = arrays.get(name)
            if array is None or array.shape != shape or array.dtype != np.float32:
                found = "missing" if array is None else f"of shape {array.shape} and type {array.dtype}"
                raise ValueError(f"array {name!r} is {found}; allowed is shape {shape} and type float32")
            if not np.isfinite(array).all():
                raise ValueError(f"array {name!r} has numbers that aren't finite")
            self.arrays[name] = np.ascontiguousarray(array)

    def logits(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """One number for each action, legal or not, (N, A); each row as if it were the only one.

        Raises:
            ValueError: Observations that don't have D features.
        """
        if observations.ndim != 2 or observations.shape[1] != self._num_features:
            raise ValueError(
                f"observations have shape {observations.shape}; allowed here is (N, {self._num_features}), "
                "as in the game that the policy was made for"
            )
        logits = np.empty((len(observations), self._num_actions), np.float32)
        _write_logits(
            np.ascontiguousarray(observations),
            self._suit_features,
            self._table_features,
            self._suit_actions,
            self._table_actions,
            _Weights(**self.arrays),
            logits,
        )
        return logits


def shapes(game: Game, without: Collection[str], width: int, table: int) -> dict[str, tuple[int, ...]]:
    """The shapes of a network's arrays; weights are (inputs, outputs).

    Args:
        game: The rules.
        without: Feature groups that the network doesn't see.
        width: W.
        table: T.
    """
    suit_features, table_features = split_by_suit(game.observation_layout, without)
    suit_actions, table_actions = split_by_suit(game.action_layout)
    return {
        "suit_from_features": (suit_features.shape[1], width),
        "suit_from_table": (len(table_features), width),
        "suit_bias": (width,),
        "table_from_suits": (width, table),
        "table_from_features": (len(table_features), table),
        "table_bias": (table,),
        "again_from_suit": (width, width),
        "again_from_table": (table, width),
        "again_bias": (width,),
        "suit_actions": (width, suit_actions.shape[1]),
        "suit_actions_bias": (suit_actions.shape[1],),
        "table_actions": (table, len(table_actions)),
        "table_actions_bias": (len(table_actions),),
    }


class _Weights(NamedTuple):
    """What `shapes` lists, as compiled code takes it."""

    suit_from_features: NDArray[np.float32]
    suit_from_table: NDArray[np.float32]
    suit_bias: NDArray[np.float32]
    table_from_suits: NDArray[np.float32]
    table_from_features: NDArray[np.float32]
    table_bias: NDArray[np.float32]
    again_from_suit: NDArray[np.float32]
    again_from_table: NDArray[np.float32]
    again_bias: NDArray[np.float32]
    suit_actions: NDArray[np.float32]
    suit_actions_bias: NDArray[np.float32]
    table_actions: NDArray[np.float32]
    table_actions_bias: NDArray[np.float32]


@large_kernel
def _write_logits(
    observations: NDArray[np.int8],
    suit_features: NDArray[np.intp],
    table_features: NDArray[np.intp],
    suit_actions: NDArray[np.intp],
    table_actions: NDArray[np.intp],
    w: _Weights,
    logits: NDArray[np.float32],
) -> None:
    """Fills the logits, (N, A). One observation after another, so that all its numbers stay near."""
    num_suits, width, table = len(suit_features), len(w.suit_bias), len(w.table_bias)
    zero = np.float32(0)
    first = np.empty((num_suits, width), np.float32)
    mean, middle, last = np.empty(width, np.float32), np.empty(table, np.float32), np.empty(width, np.float32)
    first_bias, last_bias = np.empty(width, np.float32), np.empty(width, np.float32)
    of_suit = np.empty(len(w.suit_actions_bias), np.float32)
    of_table = np.empty(len(w.table_actions_bias), np.float32)
    on_table = np.empty(len(table_features) + 1, np.intp)
    rows = np.empty(max(suit_features.shape[1], width, table) + 1, np.intp)
    for i in range(len(observations)):
        features = observations[i]
        num_on_table = _find_ones(features, table_features, on_table)
        first_bias[:] = w.suit_bias
        _add_rows(on_table, num_on_table, w.suit_from_table, first_bias)
        mean[:] = zero
        for suit in range(num_suits):
            first[suit] = first_bias
            _add_rows(
                rows, _find_ones(features, suit_features[suit], rows), w.suit_from_features, first[suit]
            )
            for k in range(np.uintp(width)):
                first[suit, k] = max(first[suit, k], zero)
                mean[k] += first[suit, k]
        for k in range(np.uintp(width)):
            mean[k] /= np.float32(num_suits)
        middle[:] = w.table_bias
        _add_rows(on_table, num_on_table, w.table_from_features, middle)
        _add_product(mean, w.table_from_suits, middle, rows)
        for k in range(np.uintp(table)):
            middle[k] = max(middle[k], zero)
        last_bias[:] = w.again_bias
        _add_product(middle, w.again_from_table, last_bias, rows)
        for suit in range(num_suits):
            last[:] = last_bias
            _add_product(first[suit], w.again_from_suit, last, rows)
            for k in range(np.uintp(width)):
                last[k] = max(last[k], zero)
            of_suit[:] = w.suit_actions_bias
            _add_product(last, w.suit_actions, of_suit, rows)
            for k in range(len(of_suit)):
                logits[i, suit_actions[suit, k]] = of_suit[k]
        of_table[:] = w.table_actions_bias
        _add_product(middle, w.table_actions, of_table, rows)
        for k in range(len(of_table)):
            logits[i, table_actions[k]] = of_table[k]


@kernel
def _find_ones(features: NDArray[np.int8], indices: NDArray[np.intp], rows: NDArray[np.intp]) -> int:
    """Writes which of the features at the indices are 1; returns how many. `rows` has room for one more."""
    num = 0
    for j in range(np.uintp(len(indices))):  # without a branch, which the processor couldn't foresee
        rows[num] = j
        num += features[indices[j]]
    return num


@kernel
def _add_rows(
    rows: NDArray[np.intp], num: int, weight: NDArray[np.float32], outputs: NDArray[np.float32]
) -> None:
    """Adds the first `num` rows of a weight, four at once, which writes the outputs a fourth as often."""
    size = np.uintp(len(outputs))
    for i in range(0, num - 3, 4):
        a, b, c, d = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
        for k in range(size):
            outputs[k] += (weight[a, k] + weight[b, k]) + (weight[c, k] + weight[d, k])
    for i in range(num - num % 4, num):
        for k in range(size):
            outputs[k] += weight[rows[i], k]


@kernel
def _add_product(
    inputs: NDArray[np.float32],
    weight: NDArray[np.float32],
    outputs: NDArray[np.float32],
    rows: NDArray[np.intp],
) -> None:
    """Adds inputs times weight, leaving out inputs that are 0, as many are after a ReLU."""
    size = np.uintp(len(outputs))
    num = 0
    for j in range(np.uintp(len(inputs))):
        rows[num] = j
        num += inputs[j] != 0
    for i in range(0, num - 3, 4):
        a, b, c, d = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
        p, q, r, s = inputs[a], inputs[b], inputs[c], inputs[d]
        for k in range(size):
            outputs[k] += (p * weight[a, k] + q * weight[b, k]) + (r * weight[c, k] + s * weight[d, k])
    for i in range(num - num % 4, num):
        value = inputs[rows[i]]
        for k in range(size):
            outputs[k] += value * weight[rows[i], k]
