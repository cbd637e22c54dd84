"""Dealing unseen cards: every world, all listed by brute force, is dealt equally often."""

import itertools
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from trick_envs.core.dealing import deal_unseen

RECORD = np.dtype((np.record, np.dtype([("none_of_a_game", np.uint64), ("rng", np.uint64)])))
NUM_CLASSES = 4


@dataclass(frozen=True)
class Task:
    """Cards by their classes, the capacity of each receiver, and the classes that it is excluded from."""

    classes: str
    capacity: tuple[int, ...]
    voids: tuple[str, ...]

    def worlds(self) -> list[tuple[int, ...]]:
        """All ways to deal: who gets each card."""
        slots = [receiver for receiver, size in enumerate(self.capacity) for _ in range(size)]
        return sorted(
            world
            for world in set(itertools.permutations(slots))
            if all(
                card_class not in self.voids[who] for card_class, who in zip(self.classes, world, strict=True)
            )
        )

    def deals(self, count: int, seed: int) -> Counter[tuple[int, ...]]:
        """Many deals by the kernel."""
        classes = np.array([int(card_class) for card_class in self.classes], np.int32)
        excluded = np.array(
            [[str(card_class) in void for card_class in range(NUM_CLASSES)] for void in self.voids], np.uint8
        )
        capacity = np.array(self.capacity, np.int32)
        receivers = np.empty(len(classes), np.int32)
        states = np.zeros(1, RECORD)
        states["rng"] = seed
        found: Counter[tuple[int, ...]] = Counter()
        for _ in range(count):
            deal_unseen(states[0], classes, len(classes), capacity, excluded, receivers)
            found[tuple(receivers.tolist())] += 1
        return found


TASKS = {
    "nobody has a void": Task("00112", (2, 2, 1), ("", "", "")),
    "one void": Task("0001112", (2, 2, 3), ("0", "", "")),
    "one void, and the others must take all of that class": Task("000112", (2, 2, 2), ("0", "", "")),
    "two with the same void": Task("0011223", (2, 2, 3), ("0", "0", "")),
    "voids that interact": Task("0011223", (2, 2, 3), ("0", "01", "")),
    "voids in all classes but one": Task("00111222", (2, 2, 4), ("12", "02", "")),
    "three with different voids": Task("00112233", (3, 3, 2), ("0", "1", "2")),
    "three with different voids and a pile": Task("0011223", (1, 2, 1, 3), ("0", "12", "2", "")),
    "a pile that takes most": Task("00011223", (1, 1, 6), ("0", "01", "")),
    "receivers without capacity, with and without voids": Task("001122", (0, 3, 0, 3), ("012", "0", "", "")),
    "a void in a class that isn't there": Task("00112", (2, 3), ("3", "")),
    "everybody has a void": Task("001122", (2, 2, 2), ("0", "1", "2")),
    "only one world": Task("000111", (3, 3), ("0", "")),
    "only one receiver": Task("012", (3,), ("",)),
}


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_every_world_is_dealt_equally_often(task: Task) -> None:
    worlds = task.worlds()
    count = max(3000, 30 * len(worlds))
    deals = task.deals(count, seed=2024)
    assert set(deals) == set(worlds)
    assert 1 <= len(worlds) <= 500
    if len(worlds) > 1:
        assert stats.chisquare([deals[world] for world in worlds]).pvalue > 1e-4


def test_no_cards_can_be_dealt_to_nobody() -> None:
    assert Task("", (0, 0), ("0", "")).deals(1, seed=1) == {(): 1}


def test_large_tasks_respect_capacity_and_voids() -> None:
    """As many cards and seats as in a game; the voids are those of a deal that is drawn first."""
    rng = np.random.default_rng(3)
    for _ in range(100):
        capacity = (14, 14, 9, 3, 10)
        voids = [
            "".join(str(card_class) for card_class in rng.permutation(NUM_CLASSES)[: rng.integers(4)])
            for _ in range(4)
        ]
        voids.append("")
        classes = ""
        for size, void in zip(capacity, voids, strict=True):
            allowed = [str(card_class) for card_class in range(NUM_CLASSES) if str(card_class) not in void]
            classes += "".join(rng.choice(allowed, size))
        task = Task("".join(rng.permutation(list(classes))), capacity, tuple(voids))
        (world,) = task.deals(1, seed=int(rng.integers(2**62)))
        assert Counter(world) == dict(enumerate(capacity))
        assert all(
            card_class not in task.voids[who] for card_class, who in zip(task.classes, world, strict=True)
        )
