"""Dealing hidden cards so that all possible worlds are equally likely.

The task: unseen cards go to receivers (hands, a face-down pile). Each receiver gets a known number of
cards, its capacity; some are excluded from certain classes of cards (a void suit). Every way to deal the
cards that respects this must be equally likely.

How uniformity is reached: receivers that are excluded from the same classes form a group. Dealing to
groups, card by card, one can *count* the ways to finish: ``ways[i, capacity]`` is the number of ways to deal
the cards from the i-th on when the groups have that much capacity left. The cards that somebody is excluded
from come first; after them everything is allowed, and the count is a multinomial coefficient. Each card is
then given to a group with probability (ways to finish after that) / (ways to finish before). All ways to
split a group's cards among its receivers are equally many, whatever the cards; a shuffle does that.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.kernel import State, kernel
from trick_envs.core.random import random_unit, shuffle


@kernel
def deal_unseen(
    s: State,
    classes: NDArray[Any],
    num_cards: int,
    capacity: NDArray[Any],
    excluded: NDArray[np.uint8],
    receivers: NDArray[Any],
) -> None:
    """Deals `num_cards` unseen cards by the game's generator.

    Args:
        s: The state whose generator is used; nothing else of it is read or written.
        classes: (≥ num_cards,) the class of each card.
        num_cards: How many cards there are, the sum of `capacity`.
        capacity: (R,) how many cards each receiver gets.
        excluded: (R, K) 1 where a receiver holds no card of a class.
        receivers: (≥ num_cards,) written: who gets each card.
    """
    if not _is_anybody_excluded(capacity, excluded):
        _deal_freely(s, num_cards, capacity, receivers)
        return
    group_of = np.empty(len(capacity), np.int64)
    num_groups = _group_receivers(excluded, group_of)
    group_capacity = np.zeros(num_groups, np.int64)
    for receiver in range(len(capacity)):
        group_capacity[group_of[receiver]] += capacity[receiver]
    group_excluded = np.zeros((num_groups, excluded.shape[1]), np.uint8)
    for receiver in range(len(capacity)):
        for card_class in range(excluded.shape[1]):
            group_excluded[group_of[receiver], card_class] = excluded[receiver, card_class]
    order = np.empty(num_cards, np.int64)
    num_limited = _limited_first(classes, num_cards, group_capacity, group_excluded, order)
    groups = np.empty(num_cards, np.int64)
    _deal_to_groups(s, classes, order, num_limited, group_capacity, group_excluded, groups)
    for group in range(num_groups):
        _split_group(s, group, groups, order, group_of, capacity, receivers)


@kernel
def _is_anybody_excluded(capacity: NDArray[Any], excluded: NDArray[np.uint8]) -> bool:
    for receiver in range(len(capacity)):
        if capacity[receiver] > 0:
            for card_class in range(excluded.shape[1]):
                if excluded[receiver, card_class]:
                    return True
    return False


@kernel
def _deal_freely(s: State, num_cards: int, capacity: NDArray[Any], receivers: NDArray[Any]) -> None:
    """Anybody may get anything: the receivers' numbers are shuffled over the cards."""
    card = 0
    for receiver in range(len(capacity)):
        for _ in range(capacity[receiver]):
            receivers[card] = receiver
            card += 1
    shuffle(s, receivers, num_cards)


@kernel
def _group_receivers(excluded: NDArray[np.uint8], group_of: NDArray[np.int64]) -> int:
    """Gives receivers that are excluded from the same classes the same group number."""
    num_groups = 0
    for receiver in range(len(group_of)):
        group_of[receiver] = num_groups
        for other in range(receiver):
            same = True
            for card_class in range(excluded.shape[1]):
                same = same and excluded[receiver, card_class] == excluded[other, card_class]
            if same:
                group_of[receiver] = group_of[other]
                break
        if group_of[receiver] == num_groups:
            num_groups += 1
    return num_groups


@kernel
def _limited_first(
    classes: NDArray[Any],
    num_cards: int,
    group_capacity: NDArray[np.int64],
    group_excluded: NDArray[np.uint8],
    order: NDArray[np.int64],
) -> int:
    """Orders the cards: first those of classes that some group is excluded from. Returns their number."""
    count = 0
    for wanted in (True, False):
        for card in range(num_cards):
            limited = False
            for group in range(len(group_capacity)):
                if group_capacity[group] > 0 and group_excluded[group, classes[card]]:
                    limited = True
            if limited == wanted:
                order[count] = card
                count += 1
        if wanted:
            num_limited = count
    return num_limited


@kernel
def _deal_to_groups(
    s: State,
    classes: NDArray[Any],
    order: NDArray[np.int64],
    num_limited: int,
    group_capacity: NDArray[np.int64],
    group_excluded: NDArray[np.uint8],
    groups: NDArray[np.int64],
) -> None:
    """Writes the group of each card, in the cards' order."""
    # A column of the count is the capacity left of all groups but the largest, as one mixed-radix number.
    largest = 0
    for group in range(len(group_capacity)):
        if group_capacity[group] > group_capacity[largest]:
            largest = group
    weights = np.zeros(len(group_capacity), np.int64)
    num_columns = 1
    for group in range(len(group_capacity)):
        if group != largest:
            weights[group] = num_columns
            num_columns *= group_capacity[group] + 1
    ways = _count_ways(
        classes, order, num_limited, group_capacity, group_excluded, largest, weights, num_columns
    )
    column = num_columns - 1
    capacity = group_capacity.copy()
    for i in range(num_limited):
        target = random_unit(s) * ways[i, column]
        chosen = -1
        for group in range(len(capacity)):
            if capacity[group] > 0 and not group_excluded[group, classes[order[i]]]:
                share = ways[i + 1, column - weights[group]]
                if share > 0.0:
                    chosen = group
                    target -= share
                    if target < 0.0:
                        break
        groups[i] = chosen
        capacity[chosen] -= 1
        column -= weights[chosen]
    _deal_freely(s, len(order) - num_limited, capacity, groups[num_limited:])


@kernel
def _count_ways(
    classes: NDArray[Any],
    order: NDArray[np.int64],
    num_limited: int,
    group_capacity: NDArray[np.int64],
    group_excluded: NDArray[np.uint8],
    largest: int,
    weights: NDArray[np.int64],
    num_columns: int,
) -> NDArray[np.float64]:
    """(num_limited + 1, num_columns): the ways to deal the cards from the i-th on, as the module says."""
    num_groups = len(group_capacity)
    num_free = len(order) - num_limited
    factorials = np.ones(len(order) + 1, np.float64)
    for k in range(1, len(order) + 1):
        factorials[k] = factorials[k - 1] * k
    ways = np.zeros((num_limited + 1, num_columns), np.float64)
    # In each column, of all groups but the largest: the capacity of all of them, and 1 for each that has any.
    capacity_of_others = np.empty(num_columns, np.int64)
    has_capacity = np.zeros((num_groups, num_columns), np.float64)
    capacity = np.zeros(num_groups, np.int64)
    for column in range(num_columns):
        capacity[largest] = 0
        capacity_of_others[column] = capacity.sum()
        for group in range(num_groups):
            if capacity[group] > 0:
                has_capacity[group, column] = 1.0
        capacity[largest] = num_free - capacity_of_others[column]
        if 0 <= capacity[largest] <= group_capacity[largest]:
            total = factorials[num_free]
            for group in range(num_groups):
                total /= factorials[capacity[group]]
            ways[num_limited, column] = total
        for group in range(num_groups):  # on to the next column
            if group != largest:
                capacity[group] += 1
                if capacity[group] <= group_capacity[group]:
                    break
                capacity[group] = 0
    # Column by column without a branch, in loops that the compiler turns into vector instructions.
    for i in range(num_limited - 1, -1, -1):
        row, after = ways[i], ways[i + 1]
        for group in range(num_groups):
            if group_excluded[group, classes[order[i]]]:
                continue
            if group == largest:
                # With less than that the largest group would have more than all its capacity.
                least = len(order) - i - group_capacity[largest]
                for j in range(np.uintp(num_columns)):
                    row[j] += after[j] if capacity_of_others[j] >= least else 0.0
            else:
                has, weight = has_capacity[group], np.uintp(weights[group])
                for j in range(weight, np.uintp(num_columns)):
                    row[j] += has[j] * after[j - weight]
    return ways


@kernel
def _split_group(
    s: State,
    group: int,
    groups: NDArray[np.int64],
    order: NDArray[np.int64],
    group_of: NDArray[np.int64],
    capacity: NDArray[Any],
    receivers: NDArray[Any],
) -> None:
    """Splits a group's cards among its receivers."""
    slots = np.empty(len(order), np.int64)
    num_slots = 0
    for receiver in range(len(capacity)):
        if group_of[receiver] == group:
            for _ in range(capacity[receiver]):
                slots[num_slots] = receiver
                num_slots += 1
    shuffle(s, slots, num_slots)
    slot = 0
    for i in range(len(order)):
        if groups[i] == group:
            receivers[order[i]] = slots[slot]
            slot += 1
