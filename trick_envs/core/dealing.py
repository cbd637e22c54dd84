"""Dealing hidden cards so that all possible worlds are equally likely.

The task: unseen cards go to receivers (hands, a face-down pile). Each receiver gets a known number of
cards; some are known to hold no card of certain kinds (a void suit). Every way to deal the cards that
respects this must be equally likely.

How uniformity is reached: receivers that are barred from the same kinds form a group. Dealing to groups,
card by card, one can *count* the ways to finish: ``ways[i, room]`` is the number of ways to deal the cards
from the i-th on when the groups have that much room left. The cards that somebody is barred from come
first; after them everything is allowed, and the count is a multinomial coefficient. Each card is then
given to a group with probability (ways to finish after that) / (ways to finish before). All ways to split a
group's cards among its receivers are equally many, whatever the cards; a shuffle does that.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.kernel import State, kernel
from trick_envs.core.random import random_unit, shuffle


@kernel
def deal_unseen(
    s: State,
    kinds: NDArray[Any],
    num_cards: int,
    room: NDArray[Any],
    barred: NDArray[np.uint8],
    receivers: NDArray[Any],
) -> None:
    """Deals `num_cards` unseen cards by the game's generator.

    Args:
        s: The state whose generator is used; nothing else of it is read or written.
        kinds: (≥ num_cards,) the kind of each card.
        num_cards: How many cards there are, the sum of `room`.
        room: (R,) how many cards each receiver gets.
        barred: (R, K) 1 where a receiver holds no card of a kind.
        receivers: (≥ num_cards,) written: who gets each card.
    """
    if not _is_anybody_barred(room, barred):
        _deal_freely(s, num_cards, room, receivers)
        return
    group_of = np.empty(len(room), np.int64)
    num_groups = _group_receivers(barred, group_of)
    group_room = np.zeros(num_groups, np.int64)
    for receiver in range(len(room)):
        group_room[group_of[receiver]] += room[receiver]
    group_barred = np.zeros((num_groups, barred.shape[1]), np.uint8)
    for receiver in range(len(room)):
        for kind in range(barred.shape[1]):
            group_barred[group_of[receiver], kind] = barred[receiver, kind]
    order = np.empty(num_cards, np.int64)
    num_limited = _limited_first(kinds, num_cards, group_room, group_barred, order)
    groups = np.empty(num_cards, np.int64)
    _deal_to_groups(s, kinds, order, num_limited, group_room, group_barred, groups)
    for group in range(num_groups):
        _split_group(s, group, groups, order, group_of, room, receivers)


@kernel
def _is_anybody_barred(room: NDArray[Any], barred: NDArray[np.uint8]) -> bool:
    for receiver in range(len(room)):
        if room[receiver] > 0:
            for kind in range(barred.shape[1]):
                if barred[receiver, kind]:
                    return True
    return False


@kernel
def _deal_freely(s: State, num_cards: int, room: NDArray[Any], receivers: NDArray[Any]) -> None:
    """Anybody may get anything: the receivers' numbers are shuffled over the cards."""
    card = 0
    for receiver in range(len(room)):
        for _ in range(room[receiver]):
            receivers[card] = receiver
            card += 1
    shuffle(s, receivers, num_cards)


@kernel
def _group_receivers(barred: NDArray[np.uint8], group_of: NDArray[np.int64]) -> int:
    """Gives receivers that are barred from the same kinds the same group number."""
    num_groups = 0
    for receiver in range(len(group_of)):
        group_of[receiver] = num_groups
        for other in range(receiver):
            same = True
            for kind in range(barred.shape[1]):
                same = same and barred[receiver, kind] == barred[other, kind]
            if same:
                group_of[receiver] = group_of[other]
                break
        if group_of[receiver] == num_groups:
            num_groups += 1
    return num_groups


@kernel
def _limited_first(
    kinds: NDArray[Any],
    num_cards: int,
    group_room: NDArray[np.int64],
    group_barred: NDArray[np.uint8],
    order: NDArray[np.int64],
) -> int:
    """Orders the cards: first those of kinds that some group is barred from. Returns their number."""
    count = 0
    for wanted in (True, False):
        for card in range(num_cards):
            limited = False
            for group in range(len(group_room)):
                if group_room[group] > 0 and group_barred[group, kinds[card]]:
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
    kinds: NDArray[Any],
    order: NDArray[np.int64],
    num_limited: int,
    group_room: NDArray[np.int64],
    group_barred: NDArray[np.uint8],
    groups: NDArray[np.int64],
) -> None:
    """Writes the group of each card, in the cards' order."""
    # A position of the count is the room left of all groups but the largest, as one mixed-radix number.
    largest = 0
    for group in range(len(group_room)):
        if group_room[group] > group_room[largest]:
            largest = group
    weights = np.zeros(len(group_room), np.int64)
    num_positions = 1
    for group in range(len(group_room)):
        if group != largest:
            weights[group] = num_positions
            num_positions *= group_room[group] + 1
    ways = _count_ways(kinds, order, num_limited, group_room, group_barred, largest, weights, num_positions)
    position = num_positions - 1
    room = group_room.copy()
    for i in range(num_limited):
        target = random_unit(s) * ways[i, position]
        chosen = -1
        for group in range(len(room)):
            if room[group] > 0 and not group_barred[group, kinds[order[i]]]:
                share = ways[i + 1, position - weights[group]]
                if share > 0.0:
                    chosen = group
                    target -= share
                    if target < 0.0:
                        break
        groups[i] = chosen
        room[chosen] -= 1
        position -= weights[chosen]
    _deal_freely(s, len(order) - num_limited, room, groups[num_limited:])


@kernel
def _count_ways(
    kinds: NDArray[Any],
    order: NDArray[np.int64],
    num_limited: int,
    group_room: NDArray[np.int64],
    group_barred: NDArray[np.uint8],
    largest: int,
    weights: NDArray[np.int64],
    num_positions: int,
) -> NDArray[np.float64]:
    """(num_limited + 1, num_positions): the ways to deal the cards from the i-th on, as the module says."""
    num_groups = len(group_room)
    num_free = len(order) - num_limited
    factorials = np.ones(len(order) + 1, np.float64)
    for k in range(1, len(order) + 1):
        factorials[k] = factorials[k - 1] * k
    ways = np.zeros((num_limited + 1, num_positions), np.float64)
    # At each position, of all groups but the largest: the room of all of them, and 1 for each that has any.
    room_of_others = np.empty(num_positions, np.int64)
    has_room = np.zeros((num_groups, num_positions), np.float64)
    room = np.zeros(num_groups, np.int64)
    for position in range(num_positions):
        room[largest] = 0
        room_of_others[position] = room.sum()
        for group in range(num_groups):
            if room[group] > 0:
                has_room[group, position] = 1.0
        room[largest] = num_free - room_of_others[position]
        if 0 <= room[largest] <= group_room[largest]:
            total = factorials[num_free]
            for group in range(num_groups):
                total /= factorials[room[group]]
            ways[num_limited, position] = total
        for group in range(num_groups):  # on to the next position
            if group != largest:
                room[group] += 1
                if room[group] <= group_room[group]:
                    break
                room[group] = 0
    # Position by position without a branch, in loops that the compiler turns into vector instructions.
    for i in range(num_limited - 1, -1, -1):
        row, after = ways[i], ways[i + 1]
        for group in range(num_groups):
            if group_barred[group, kinds[order[i]]]:
                continue
            if group == largest:
                least = len(order) - i - group_room[largest]  # with less it would have more than all its room
                for place in range(np.uintp(num_positions)):
                    row[place] += after[place] if room_of_others[place] >= least else 0.0
            else:
                has, weight = has_room[group], np.uintp(weights[group])
                for place in range(weight, np.uintp(num_positions)):
                    row[place] += has[place] * after[place - weight]
    return ways


@kernel
def _split_group(
    s: State,
    group: int,
    groups: NDArray[np.int64],
    order: NDArray[np.int64],
    group_of: NDArray[np.int64],
    room: NDArray[Any],
    receivers: NDArray[Any],
) -> None:
    """Splits a group's cards among its receivers."""
    slots = np.empty(len(order), np.int64)
    num_slots = 0
    for receiver in range(len(room)):
        if group_of[receiver] == group:
            for _ in range(room[receiver]):
                slots[num_slots] = receiver
                num_slots += 1
    shuffle(s, slots, num_slots)
    slot = 0
    for i in range(len(order)):
        if groups[i] == group:
            receivers[order[i]] = slots[slot]
            slot += 1
