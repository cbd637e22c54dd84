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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.game import Game
from trick_envs.core.kernel import kernel
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
        w = self.arrays
        n, (num_suits, num_features) = len(observations), self._suit_features.shape
        table = np.ascontiguousarray(observations[:, self._table_features])
        suits = observations[:, self._suit_features].reshape(n * num_suits, num_features)
        first = np.repeat(_applied(table, w["suit_from_table"], w["suit_bias"]), num_suits, axis=0)
        _add_product(suits, w["suit_from_features"], first)
        np.maximum(first, 0.0, out=first)
        middle = _applied(table, w["table_from_features"], w["table_bias"])
        mean = first.reshape(n, num_suits, first.shape[1]).mean(axis=1)
        _add_product(mean, w["table_from_suits"], middle)
        np.maximum(middle, 0.0, out=middle)
        last = np.repeat(_applied(middle, w["again_from_table"], w["again_bias"]), num_suits, axis=0)
        _add_product(first, w["again_from_suit"], last)
        np.maximum(last, 0.0, out=last)
        logits = np.empty((n, self._num_actions), np.float32)
        of_suits = _applied(last, w["suit_actions"], w["suit_actions_bias"])
        logits[:, self._suit_actions] = of_suits.reshape(n, *self._suit_actions.shape)
        logits[:, self._table_actions] = _applied(middle, w["table_actions"], w["table_actions_bias"])
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


def _applied(
    inputs: NDArray[Any], weight: NDArray[np.float32], bias: NDArray[np.float32]
) -> NDArray[np.float32]:
    outputs = np.repeat(bias[None], len(inputs), axis=0)
    _add_product(inputs, weight, outputs)
    return outputs


@kernel
def _add_product(inputs: NDArray[Any], weight: NDArray[np.float32], outputs: NDArray[np.float32]) -> None:
    """Adds up the weights' rows, leaving out inputs that are 0, as most are.

    Each row of inputs by itself, so that its result doesn't depend on how many there are.
    """
    for i in range(len(inputs)):
        for j in range(inputs.shape[1]):
            value = np.float32(inputs[i, j])
            if value != 0.0:
                for k in range(outputs.shape[1]):
                    outputs[i, k] += value * weight[j, k]
