"""Kernels are compiled once: for all callers, for all whole numbers, and by one process for all."""

import gc
import json
import os
import subprocess
import sys
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from filelock import FileLock
from numba.core.runtime import _nrt_python, rtsys

from trick_envs.core import compiling
from trick_envs.core.compiling import Kernel
from trick_envs.core.kernel import COMPILED, kernel

ROOT = Path(__file__).resolve().parents[2]

COUNTING = """
import json, sys, time
from pathlib import Path
import numba.core.event

compiled = []

class Listener(numba.core.event.Listener):
    def on_start(self, event):
        if "args" in event.data:  # not a part of another kernel
            compiled.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event):
        pass

numba.core.event.register("numba:compile", Listener())
"""
"""The beginning of a program that notes what it compiles to be called, numba's own functions included."""

START = """
import trick_envs, trick_envs.core.batch
game = trick_envs.make_game("voodoo_prince")
print("ready", flush=True)
sys.stdin.readline()
game.new_states(1, 0)
print(json.dumps([name for name in compiled if hasattr(trick_envs.core.batch, name)]))
"""

needs_numba = pytest.mark.skipif(not COMPILED, reason="nothing is compiled")


def start(code: str, folder: Path) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    return subprocess.Popen(
        [sys.executable, "-c", COUNTING + code],
        cwd=ROOT,
        env={**environment, "NUMBA_CACHE_DIR": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_of_processes_that_start_together_one_compiles_and_the_others_wait(tmp_path: Path) -> None:
    processes = [start(START, tmp_path) for _ in range(3)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    answers = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], answers
    assert sorted(json.loads(out) for out, _ in answers) == [[], [], ["restart_finished"]]


def test_who_cannot_have_the_lock_compiles_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")
    with compiling._alone(file / "below" / "a.lock"):
        pass
    monkeypatch.setattr(compiling, "MAX_WAIT", 0)
    with FileLock(tmp_path / "a.lock"), compiling._alone(tmp_path / "a.lock"):
        pass


ANNOUNCED = """
import trick_envs
from trick_envs.core import compiling
compiling._announcement.left = 0.0
game = trick_envs.make_game("voodoo_prince")
game.returns(game.new_states(1, 0))
"""


def test_a_process_says_once_that_it_compiles_and_not_if_it_does_not(tmp_path: Path) -> None:
    _, first = start(ANNOUNCED, tmp_path).communicate()
    assert first.count("compiling") == first.count("\n") == 1
    _, second = start(ANNOUNCED, tmp_path).communicate()
    assert second == ""
    silent = "import logging; logging.getLogger('trick_envs').setLevel(logging.ERROR)"
    _, third = start(silent + ANNOUNCED, tmp_path / "other").communicate()
    assert third == ""


class Way(IntEnum):
    UP = 1
    DOWN = 2


@kernel
def half(number: int) -> int:
    return number // 2


@kernel
def halves(numbers: Any, small: int) -> int:
    return half(numbers[0]) + half(small) + half(Way.DOWN) + half(9) + half(np.int16(7))


@needs_numba
def test_a_kernel_is_compiled_once_for_all_whole_numbers() -> None:
    inner: Any = half
    assert halves(np.full(1, 12, np.int8), 3) == 6 + 1 + 1 + 4 + 3
    assert halves(np.full(1, 12, np.int8), np.int32(3)) == 15  # type: ignore[arg-type]
    assert isinstance(inner, Kernel)
    assert len(inner._parts) <= 1  # none where the caller was stored
    outer: Any = halves
    assert len(outer.signatures) == 1


@kernel
def set_first(numbers: Any, number: int) -> int:
    if number > 0:
        numbers[0] = number
    return int(numbers[0])


@kernel
def make(number: int) -> Any:
    numbers = np.zeros(4, np.int64)
    set_first(numbers, number)
    return numbers


@kernel
def same(numbers: Any) -> Any:
    return numbers


@kernel
def last_row(table: Any) -> int:
    row = table[-1]
    set_first(row, 7)
    return int(row[0])


@kernel
def sum_of_copies(numbers: Any) -> int:
    table = np.zeros((3, 4), np.int64)
    table[1, :] = numbers
    table[2] = 5
    return set_first(same(numbers), 0) + set_first(make(3), 0) + last_row(table) + table[1, 0] + table[2, 1]


@kernel
def many(numbers: Any, times: int) -> int:
    total = 0
    for _ in range(times):
        total += sum_of_copies(numbers) + set_first(numbers, 1)
    return total


@needs_numba
def test_references_are_counted_only_where_arrays_are_made_and_none_is_lost() -> None:
    numbers = np.full(4, 2)
    many(numbers, 1)
    held = sys.getrefcount(numbers)
    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    assert many(numbers, 100) == 100 * (1 + 3 + 7 + 1 + 5 + 1)
    after = rtsys.get_allocation_stats()
    _nrt_python.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free > 0
    assert sys.getrefcount(numbers) == held
    compiled: Any
    for compiled, counts in ((set_first, False), (make, True), (same, True), (last_row, True)):
        for part in compiled._parts.values():  # none where the caller was stored
            assert ("NRT_" in part.library.get_llvm_str()) == counts


def test_garbage_is_collected_again_afterwards() -> None:
    assert gc.isenabled()
    with compiling._without_garbage_collection():
        assert not gc.isenabled()
        with compiling._without_garbage_collection():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
