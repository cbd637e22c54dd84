"""The benchmark runs and measures what it says. How fast anything is, no test asserts."""

import importlib.util
import json
import math
import sys
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")
pytest.importorskip("tyro")

from trick_envs import GAMES
from trick_envs.core.kernel import COMPILED
from trick_experiments import benchmark
from trick_experiments.benchmark import Config
from trick_experiments.learning import throughput, training

pytestmark = pytest.mark.skipif(not COMPILED, reason="thousands of decisions are for compiled code")

QUICK = {"seconds": 0.01, "repeats": 1, "batches": [1, 8]}

OWN_ROWS = [
    "batch of 1, observation and mask",
    "batch of 8, observation and mask",
    "random roll-outs",
    "worlds by resample, one for each decision",
    "AEC loop",
    "SeatVecEnv, 256 games, random opponents",
]


def assert_positive(rates: dict[str, float]) -> None:
    assert all(math.isfinite(rate) and rate > 0 for rate in rates.values())


@pytest.mark.parametrize("name", GAMES)
def test_all_rows_of_a_game_are_measured_and_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(benchmark, "peers", list)
    file = tmp_path / "rates.json"
    rates = benchmark.run(Config(game=name, **QUICK, training=False, json=file))
    assert list(rates) == OWN_ROWS
    assert_positive(rates)
    assert json.loads(file.read_text()) == rates
    assert name in capsys.readouterr().out


def test_peers_are_measured_where_they_are_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = []
    if importlib.util.find_spec("pyspiel"):
        expected += [benchmark.HEARTS, benchmark.HEARTS_BOTS]
    if importlib.util.find_spec("rlcard") and importlib.util.find_spec("pygame"):
        expected += [benchmark.LEDUC, benchmark.TEXAS]
    rows = benchmark.peers()
    assert [row.name for row in rows] == expected
    monkeypatch.setattr(benchmark, "peers", lambda: rows)
    rates = benchmark.run(Config(seconds=0.001, repeats=1, batches=[8], training=False))
    assert set(expected) <= set(rates)
    assert_positive(rates)
    table = capsys.readouterr().out
    for name in expected:
        assert f"× {name}"[:12] in table


def test_without_peers_there_are_no_ratios(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert benchmark.peers() == []
    benchmark.run(Config(**QUICK, training=False))
    assert "×" not in capsys.readouterr().out


def test_training_is_measured_in_all_ways(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny = partial(training.Config, n_steps=16, batch_size=128, n_epochs=1, width=8, table_width=8)
    monkeypatch.setattr(
        training, "Config", lambda n_envs=16, **settings: tiny(**({"n_envs": n_envs} | settings))
    )
    monkeypatch.setattr(benchmark, "peers", list)
    rates = benchmark.run(Config(**QUICK))
    ways = [name for name in rates if name.startswith("training")]
    for name, start in zip(ways, ("training by self-play (", "training, SeatVecEnv ("), strict=False):
        assert name.startswith(start)
        assert 0 <= int(name.partition("(")[2].partition("%")[0]) <= 100
    assert ways[2:] == [throughput.DUMMY]
    assert_positive(rates)
    assert f"× {throughput.DUMMY}"[:12] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--game", "chess"], ["'chess'", *GAMES]),
        (["--players", "9"], ["9", "allowed"]),
        (["--options", "reward"], ["'reward'", "name=value"]),
        (["--seconds", "0"], ["seconds is 0", "above 0"]),
        (["--seconds", "nan"], ["seconds is nan", "above 0"]),
        (["--seconds", "inf"], ["seconds is inf", "above 0 to 3600"]),
        (["--repeats", "0"], ["repeats is 0", "from 1 to 1000"]),
        (["--batches", "8", "9999999"], ["batches is 9999999", "from 1 to 1000000"]),
        (["--batches", "8", "0"], ["0", "from 1"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_a_mistake_is_told_in_one_line(
    arguments: list[str],
    parts: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmark", *arguments])
    with pytest.raises(SystemExit) as caught:
        benchmark.main()
    assert caught.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    for part in parts:
        assert part in line
