"""Training: a tiny run from end to end, stopped in every way and resumed, and mistakes told in one line.

Nothing is learned here in so few steps; that a policy learns is what the experiment itself shows.
"""

import csv
import hashlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")
pytest.importorskip("tyro")

import torch

import trick_agents
from trick_agents import Agent, PolicyAgent
from trick_envs import GAMES, game_class, make_game
from trick_envs.core.kernel import COMPILED
from trick_envs.core.random import Streams
from trick_experiments import train
from trick_experiments.common.files import LOCK, locked
from trick_experiments.learning import checkpoint, training
from trick_experiments.learning.self_play_env import SelfPlayVecEnv
from trick_experiments.learning.training import Config, parse_opponents

pytestmark = pytest.mark.skipif(not COMPILED, reason="thousands of decisions are for compiled code")

FIRST_GAME = next(iter(GAMES))
ROOT = Path(__file__).parents[2]

TINY: dict[str, Any] = {
    "steps": 1536,
    "n_envs": 16,
    "n_steps": 16,
    "batch_size": 128,
    "n_epochs": 1,
    # Fast learning, mostly from earlier selves: whatever of them is lost in stopping must show.
    "learning_rate": 0.03,
    "imitation_steps": 600,
    "opponents": ["rules@1", "self@8"],
    "width": 8,
    "table_width": 8,
    "evaluate_every": 512,
    "evaluate_deals": 2,
    "checkpoint_every": 512,
    "snapshot_every": 256,
    "snapshots": 2,
    "final_deals": 4,
}
"""Settings of a run of six updates."""

REFERENCES = ("random", "rules")


def as_arguments(settings: dict[str, Any]) -> list[str]:
    """Settings as they are given to the command."""
    arguments = []
    for name, value in settings.items():
        values = value if isinstance(value, list) else [value]
        arguments += ["--" + name.replace("_", "-"), *map(str, values)]
    return arguments


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nothing stopped."""
    return training.train(Config(**TINY, results=tmp_path_factory.mktemp("finished")))


def arrays_of(run: Path) -> dict[str, NDArray[Any]]:
    """The policy's arrays; how long training took doesn't belong to them."""
    with np.load(run / "policy.npz") as data:
        return {name: data[name] for name in data.files if name != "head"}


def curve_of(run: Path) -> list[dict[str, str]]:
    """The learning curve without its times."""
    with (run / "learning_curve.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        del row["minutes"]
    return rows


def results_of(run: Path) -> dict[str, Any]:
    """The final evaluation without its times."""
    results = json.loads((run / "evaluation.json").read_text())
    del results["minutes"], results["share_in_environments"]
    for reference in REFERENCES:
        del results[reference]["seconds"], results[reference]["milliseconds"]
    return results


def assert_same_outcome(run: Path, other: Path) -> None:
    """Two runs must have come to exactly the same policy, by the same way."""
    arrays, others = arrays_of(run), arrays_of(other)
    assert set(arrays) == set(others)
    for name, array in arrays.items():
        assert array.tobytes() == others[name].tobytes(), name
    assert curve_of(run) == curve_of(other)
    assert results_of(run) == results_of(other)


# --- a run ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_a_run_leaves_a_policy_a_curve_and_an_evaluation(name: str, tmp_path: Path) -> None:
    run = training.train(Config(**TINY, game=name, results=tmp_path / "results"))
    assert run.parent == tmp_path / "results"
    assert [file.name for file in run.iterdir() if file.name.startswith(".")] == [LOCK]
    game = make_game(name)

    rows = curve_of(run)
    assert [int(row["steps"]) for row in rows] == [0, 512, 1024, 1536]
    for row in rows:
        for reference in REFERENCES:
            low, share, high = (float(row[f"{reference}_{what}"]) for what in ("low", "win_share", "high"))
            assert low <= share <= high
            assert 0 <= share <= 1
    assert (run / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert len(list((run / "tensorboard").glob("events.out.tfevents.*"))) == 1
    assert (run / checkpoint.NAME).is_file()

    config = json.loads((run / "config.json").read_text())
    assert config["settings"]["game"] == name
    assert config["settings"].items() >= TINY.items()
    assert {"python", "numpy", "torch", "trick-envs"} <= set(config["versions"])

    results = json.loads((run / "evaluation.json").read_text())
    assert results["steps"] == 1536
    assert results["minutes"] >= 0
    for reference in REFERENCES:
        assert results[reference]["deals"] == 4
        assert results[reference]["seats"] == ["learner"] + [reference] * (game.num_players - 1)
        assert 0 <= results[reference]["measures"]["learner"]["win_share"]["mean"] <= 1

    policy = trick_agents.make(str(run / "policy.npz"), game)
    states = game.new_states(20, seed=0)
    actions = policy.act(game, states, Streams(20, 0))
    assert game.action_masks(states)[np.arange(20), actions].all()


def test_the_same_seed_gives_the_same_run_and_another_seed_another(finished: Path, tmp_path: Path) -> None:
    assert_same_outcome(training.train(Config(**TINY, results=tmp_path)), finished)
    other = training.train(Config(**(TINY | {"steps": 256}), seed=1, results=tmp_path))
    arrays = arrays_of(finished)
    assert all(
        array.tobytes() != arrays[name].tobytes() for name, array in arrays_of(other).items() if array.size
    )


def test_runs_started_in_the_same_second_have_folders_of_their_own(tmp_path: Path) -> None:
    game = make_game(FIRST_GAME)
    folders = [training.new_folder(Config(results=tmp_path), game) for _ in range(12)]
    assert len(set(folders)) == 12
    assert all((folder / "config.json").is_file() for folder in folders)


def test_a_run_takes_a_game_with_other_players_and_options(tmp_path: Path) -> None:
    num_players = min(game_class(FIRST_GAME).player_counts)
    settings = TINY | {"steps": 256, "players": num_players, "options": ["reward=score"], "without": []}
    run = training.train(Config(**settings, results=tmp_path))
    assert isinstance(
        trick_agents.make(str(run / "policy.npz"), make_game(FIRST_GAME, num_players)), PolicyAgent
    )


def test_a_run_whose_minutes_are_over_stops_early_and_still_finishes(tmp_path: Path) -> None:
    run = training.train(Config(**TINY, minutes=1e-6, results=tmp_path))
    results = json.loads((run / "evaluation.json").read_text())
    assert results["steps"] < TINY["steps"]
    for name in ("policy.npz", "learning_curve.csv", "learning_curve.png", checkpoint.NAME):
        assert (run / name).is_file()
    # With more time it goes on from there, and trains all its steps.
    assert training.train(training.resumed(run, minutes=100)) == run
    assert json.loads((run / "evaluation.json").read_text())["steps"] == TINY["steps"]


def test_a_run_that_goes_on_without_minutes_learns_as_if_it_had_never_had_any(
    finished: Path, tmp_path: Path
) -> None:
    run = training.train(Config(**TINY, minutes=1e-6, results=tmp_path))
    assert results_of(run)["steps"] == 0
    training.train(training.resumed(run, minutes=None))
    assert_same_outcome(run, finished)


def test_a_log_has_a_line_for_each_point_of_the_learning_curve(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run = training.train(Config(**(TINY | {"n_steps": 1, "batch_size": 16, "steps": 1200}), results=tmp_path))
    errors = capfd.readouterr().err
    assert "\r" not in errors
    first, *lines = errors.splitlines()
    assert first.endswith(f"run {run}")
    assert len(lines) == len(curve_of(run)) == 4
    for line, row in zip(lines, curve_of(run), strict=True):
        assert line.startswith(f"{int(row['steps']):,} of 1,200 steps, ")
        for name in REFERENCES:
            assert f"{float(row[f'{name}_win_share']):.2f} ± " in line
            assert f" against {name}" in line


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_has_a_bar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    training.train(Config(**(TINY | {"steps": 256}), results=tmp_path))
    assert "step/s" in terminal.getvalue()
    assert "wins_rules=" in terminal.getvalue()
    assert " of 256 steps" not in terminal.getvalue()


def test_the_final_evaluation_is_of_the_policy_as_it_is_loaded(finished: Path) -> None:
    game = make_game(FIRST_GAME)
    policy = trick_agents.make(str(finished / "policy.npz"), game)
    results = results_of(finished)
    assert results["greedy"] is True
    for name in REFERENCES:
        reference = trick_agents.make(name, game)
        again = asdict(training.measure_learner(game, policy, name, reference, 4, training.FINAL_SEED))
        assert {key: again[key] for key in results[name]} == results[name]


# --- opponents -----------------------------------------------------------------------------------------


class Pool:
    """Keeps what opponents and weights a run gives its tables."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.given: list[tuple[list[Agent], list[float]]] = []
        by_tables, by_run = SelfPlayVecEnv.set_opponents, training.Training.set_opponents
        is_run = [False]

        def set_opponents(
            env: SelfPlayVecEnv, opponents: list[Agent] | None, weights: Sequence[float] | None = None
        ) -> None:
            if is_run[0]:
                self.given.append((list(opponents or []), list(weights or [])))
            by_tables(env, opponents, weights)

        def set_pool(callback: training.Training) -> None:
            is_run[0] = True
            by_run(callback)
            is_run[0] = False

        monkeypatch.setattr(SelfPlayVecEnv, "set_opponents", set_opponents)
        monkeypatch.setattr(training.Training, "set_opponents", set_pool)


def test_snapshots_of_the_learner_join_the_pool_and_the_oldest_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = Pool(monkeypatch)
    opponents = ["rules@5", "random@1", "self@4"]
    training.train(Config(**(TINY | {"opponents": opponents, "pfsp_exponent": 0.0}), results=tmp_path))
    fixed = [type(agent) for agent in pool.given[0][0]]
    assert fixed == [type(trick_agents.make(name, make_game(FIRST_GAME))) for name in ("rules", "random")]
    for players, _ in pool.given:
        assert [type(agent) for agent in players] == fixed + [PolicyAgent] * (len(players) - 2)
    assert [weights for _, weights in pool.given] == [[5, 1], [5, 1, 4]] + [[5, 1, 2, 2]] * 4
    snapshots = [players[2:] for players, _ in pool.given]
    for before, after in pairwise(snapshots[2:]):
        assert after[0] is before[1]
        assert after[1] not in before
    first, last = snapshots[1][0], snapshots[-1][-1]
    assert isinstance(first, PolicyAgent)
    assert isinstance(last, PolicyAgent)
    observations = SelfPlayVecEnv(make_game(FIRST_GAME), 4, seed=0).reset()
    assert (first.logits(observations) != last.logits(observations)).any()


def test_before_there_is_a_snapshot_a_learner_plays_against_random_players(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = Pool(monkeypatch)
    settings = TINY | {"steps": 512, "opponents": ["self@1"], "pfsp_exponent": 0.0}
    training.train(Config(**settings, results=tmp_path))
    assert [weights for _, weights in pool.given] == [[], [1]]


def test_the_pool_prefers_opponents_that_the_learner_loses_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = Pool(monkeypatch)
    settings = TINY | {
        "opponents": ["rules@1", "random@1"],
        "pool_share": 1.0,
        "pfsp_exponent": 2.0,
        "imitation_steps": 0,
    }
    game = {"game": FIRST_GAME, "options": ["num_rounds=1"], "learning_rate": 1e-6, "steps": 8192}
    training.train(Config(**(settings | game), results=tmp_path))
    assert pool.given[0][1] == [0.25, 0.25]  # nothing is known yet
    rules, random = pool.given[-1][1]
    # A learner that plays at random loses most games to the one, and about half to the other.
    assert rules > 1.5 * random
    assert 0.1 < random < 0.5


def test_references_are_the_agents_that_are_measured_against(tmp_path: Path) -> None:
    settings = TINY | {"steps": 256, "reference_opponents": ["search:worlds=1"]}
    run = training.train(Config(**settings, results=tmp_path))
    assert "search:worlds=1_win_share" in curve_of(run)[0]
    results = json.loads((run / "evaluation.json").read_text())
    assert results["search:worlds=1"]["agents"] == ["learner", "search:worlds=1"]
    assert "rules" not in results


def test_opponents_are_agents_with_weights() -> None:
    texts = ["rules@5", "self@0.5", "policy:file=a@b.npz@2", "results/policy.npz@1e1"]
    pool = [("rules", 5), ("self", 0.5), ("policy:file=a@b.npz", 2), ("results/policy.npz", 10)]
    assert parse_opponents(texts) == pool


@pytest.mark.parametrize(
    "text", ["rules", "rules@", "@3", "@", "", "rules@much", "rules@0", "rules@-1", "rules@nan", "5"]
)
def test_an_opponent_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"allowed is agent@weight, weight above 0") as caught:
        parse_opponents(["random@1", text])
    assert repr(text) in str(caught.value)


def test_a_pool_of_nobody_is_refused() -> None:
    with pytest.raises(ValueError, match="no opponents; allowed is at least one"):
        parse_opponents([])


@pytest.mark.parametrize(
    ("setting", "value", "named"),
    [
        ("expert", "nobody", "expert has 'nobody'"),
        ("opponents", ["random@1", "nobody@1"], "opponents has 'nobody'"),
        ("reference_opponents", ["random", "nobody"], "reference_opponents has 'nobody'"),
    ],
)
def test_an_agent_that_does_not_exist_is_refused_by_the_setting_that_names_it(
    setting: str, value: Any, named: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=named):
        training.train(Config(**(TINY | {setting: value}), results=tmp_path))
    assert not list(tmp_path.iterdir())


WITHOUT = {
    "voodoo_prince": ["played_in", "leader_in", "round", "scores"],
    "gummi_trick": ["played_in", "leader_in", "scores"],
    "tighee": ["played_in", "round", "score_tens", "score_ones"],
    "take_that_toy": ["scores", "suit_played_in", "played_in"],
    "oracle_land": [
        *["played_in", "number_in", "joker_in", "leader_in", "bonus_in", "covered_in", "round", "scores"]
    ],
}
"""The feature groups that the policies which come with the project don't see, in order."""


@pytest.mark.parametrize("name", GAMES)
def test_what_a_network_does_not_see_follows_from_the_kinds_of_features(name: str) -> None:
    config = Config(game=name, n_envs=2, imitation_steps=0)
    game = make_game(name)
    model = training.build(config, game, training.make_env(config, game))
    assert model.policy.features_extractor_kwargs["without"] == WITHOUT[name]


def test_a_game_without_a_rule_based_agent_is_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The expert isn't asked for where nothing is imitated."""
    monkeypatch.setattr("trick_agents.rule_based.is_registered", lambda dtype, name: False)
    settings = {
        "imitation_steps": 0,
        "opponents": ["random@1", "self@1"],
        "reference_opponents": ["random"],
        "steps": 256,
    }
    run = training.train(Config(**(TINY | settings), results=tmp_path))
    assert (run / "policy.npz").is_file()


def test_a_finished_run_that_is_resumed_says_so_and_goes_on_with_more(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run = training.train(Config(**(TINY | {"steps": 256}), results=tmp_path))
    assert "give more of them" not in capfd.readouterr().err
    training.train(training.resumed(run))
    assert "has had its 256 steps" in capfd.readouterr().err
    training.train(training.resumed(run, steps=512))
    assert "give more of them" not in capfd.readouterr().err
    assert json.loads((run / "evaluation.json").read_text())["steps"] == 512


# --- stopped and resumed -------------------------------------------------------------------------------


def stop_at(steps: int, monkeypatch: pytest.MonkeyPatch, times: int = 1) -> None:
    """Presses Ctrl-C once a run has come so far."""
    real = training.Training._on_step
    left = [times]

    def on_step(callback: training.Training) -> bool:
        going_on = real(callback)
        if callback.steps >= steps and left[0]:
            left[0] -= 1
            os.kill(os.getpid(), signal.SIGINT)
        return going_on

    monkeypatch.setattr(training.Training, "_on_step", on_step)


@pytest.mark.parametrize("steps", [16, 512, 700, 1260])
def test_a_run_stopped_by_ctrl_c_and_resumed_ends_as_if_it_had_never_stopped(
    steps: int, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with monkeypatch.context() as patch:
        stop_at(steps, patch)
        with pytest.raises(KeyboardInterrupt):
            training.train(Config(**TINY, results=tmp_path))
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers
    (run,) = tmp_path.iterdir()
    assert (run / checkpoint.NAME).is_file()
    assert not (run / "policy.npz").exists()
    assert training.train(training.resumed(run)) == run
    assert_same_outcome(run, finished)


def test_a_run_stopped_after_every_update_ends_as_if_it_had_never_stopped(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = Config(**TINY, results=tmp_path)
    for steps in range(100, 1300, 256):
        with monkeypatch.context() as patch:
            stop_at(steps, patch)
            with pytest.raises(KeyboardInterrupt):
                training.train(config)
        (run,) = tmp_path.iterdir()
        config = training.resumed(run)
    training.train(config)
    assert_same_outcome(run, finished)


def test_one_learning_seat_stopped_and_resumed_ends_as_if_it_had_never_stopped(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = TINY | {"algorithm": "seat"}
    whole = training.train(Config(**settings, results=tmp_path / "whole"))
    with monkeypatch.context() as patch:
        stop_at(700, patch)
        with pytest.raises(KeyboardInterrupt):
            training.train(Config(**settings, results=tmp_path / "stopped"))
    (run,) = (tmp_path / "stopped").iterdir()
    training.train(training.resumed(run))
    assert_same_outcome(run, whole)
    assert arrays_of(run)["table_bias"].tobytes() != arrays_of(finished)["table_bias"].tobytes()


def test_ctrl_c_in_the_last_update_comes_too_late_to_stop_anything(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_at(1400, monkeypatch)
    assert_same_outcome(training.train(Config(**TINY, results=tmp_path)), finished)


def test_ctrl_c_twice_stops_at_once_and_leaves_the_last_checkpoint(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        stop_at(800, patch, times=2)
        with pytest.raises(KeyboardInterrupt):
            training.train(Config(**TINY, results=tmp_path))
    (run,) = tmp_path.iterdir()
    model, _, _ = checkpoint.load(run / checkpoint.NAME, "cpu")
    assert model.num_timesteps == 512
    training.train(training.resumed(run))
    assert_same_outcome(run, finished)


HANGING_RUN = """
import sys, time
from pathlib import Path
from trick_experiments import train
from trick_experiments.learning import training

class Training(training.Training):
    def _on_step(self):
        if self.steps >= 700:
            Path("hangs").touch()
            while not self.stop_asked:
                time.sleep(0.01)
        return super()._on_step()

training.Training = Training
train.main()
"""
"""The command, but in the midst of an update after the first checkpoint it waits until it is stopped."""


def run_and_send(number: int, folder: Path) -> subprocess.CompletedProcess[str]:
    """Starts a run in a process of its own, and sends it a signal in the midst of an update."""
    command = [sys.executable, "-c", HANGING_RUN, *as_arguments(TINY), "--results", str(folder / "results")]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            while process.poll() is None and not (folder / "hangs").exists():
                time.sleep(0.02)
            process.send_signal(number)
            output, errors = process.communicate(timeout=300)
        finally:
            process.kill()
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def test_the_command_stopped_by_ctrl_c_says_how_to_go_on(finished: Path, tmp_path: Path) -> None:
    done = run_and_send(signal.SIGINT, tmp_path)
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    (run,) = (tmp_path / "results").iterdir()
    assert f"--resume {run}" in done.stderr
    model, _, _ = checkpoint.load(run / checkpoint.NAME, "cpu")
    assert model.num_timesteps == 768
    training.train(training.resumed(run))
    assert_same_outcome(run, finished)


def test_a_killed_run_goes_on_from_its_last_checkpoint(finished: Path, tmp_path: Path) -> None:
    done = run_and_send(signal.SIGKILL, tmp_path)
    assert done.returncode == -signal.SIGKILL, done.stderr
    (run,) = (tmp_path / "results").iterdir()
    model, _, _ = checkpoint.load(run / checkpoint.NAME, "cpu")
    assert model.num_timesteps == 512
    training.train(training.resumed(run))
    assert_same_outcome(run, finished)


def test_a_finished_run_resumed_stays_as_it_is(finished: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(finished, tmp_path / "run"))
    training.train(training.resumed(run))
    assert_same_outcome(run, finished)


def test_a_finished_run_takes_more_steps(finished: Path, tmp_path: Path) -> None:
    run = Path(shutil.copytree(finished, tmp_path / "run"))
    training.train(training.resumed(run, steps=2048))
    assert results_of(run)["steps"] == 2048
    rows = curve_of(run)
    assert [int(row["steps"]) for row in rows] == sorted({int(row["steps"]) for row in rows})
    assert int(rows[-1]["steps"]) == 2048
    assert rows[: len(curve_of(finished)) - 1] == curve_of(finished)[:-1]
    assert json.loads((run / "config.json").read_text())["settings"]["steps"] == 2048


KILLED_IN_WRITING = """
import os, signal
from pathlib import Path
from trick_experiments import train

real = Path.write_bytes

def write_bytes(path, data):
    if path.name.startswith(".checkpoint-") and (path.parent / "checkpoint.bin").exists():
        real(path, data[:1000])
        os.kill(os.getpid(), signal.SIGKILL)
    return real(path, data)

Path.write_bytes = write_bytes
train.main()
"""
"""The command, killed in the midst of writing its second checkpoint."""


def test_what_a_killed_run_was_writing_is_cleared_when_it_goes_on(finished: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED_IN_WRITING, *as_arguments(TINY), "--results", str(tmp_path)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == -signal.SIGKILL
    (run,) = tmp_path.iterdir()
    (left,) = run.glob(".checkpoint-*.bin")
    assert left.stat().st_size == 1000
    (run / ".policy-0a_1b2cd.npz").touch()
    others = {".policy-notes.npz", ".somebody-0a_1b2cd.npz", "policy-0a_1b2cd.npz", ".gitkeep"}
    for name in others:
        (run / name).touch()
    training.train(training.resumed(run))
    assert {file.name for file in run.iterdir() if file.name[0] == "." or "policy-" in file.name} == {
        *others,
        LOCK,
    }
    assert_same_outcome(run, finished)


def test_a_run_is_resumed_by_one_process_at_a_time(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Path(shutil.copytree(finished, tmp_path / "run"))
    left = run / ".checkpoint-0a_1b2cd.bin"
    left.touch()  # for all that the second process knows, the first one is writing there
    before = {file.name: file.read_bytes() for file in run.iterdir() if file.is_file()}
    with locked(run):
        line = told_in_one_line(["--resume", str(run), "--steps", "2048"], monkeypatch, capsys)
    assert line == (
        f"error: {str(run)!r} is in use by another process; allowed is another folder, or to wait for its end"
    )
    assert {file.name: file.read_bytes() for file in run.iterdir() if file.is_file()} == before
    training.train(training.resumed(run))
    assert not left.exists()


def test_a_new_run_has_its_folder_to_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def learn(config: Config, *args: Any) -> None:
        (run,) = config.results.iterdir()
        with pytest.raises(ValueError, match="in use by another process"), locked(run):
            pass
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "learn", learn)
    with pytest.raises(KeyboardInterrupt):
        training.train(Config(**TINY, results=tmp_path))
    (run,) = tmp_path.iterdir()
    with locked(run):
        pass


# --- mistakes ------------------------------------------------------------------------------------------


def told_in_one_line(
    arguments: Sequence[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """Runs the command in this process; it must end with one line of error, which is returned."""
    monkeypatch.setattr(sys, "argv", ["train", *arguments])
    capsys.readouterr()
    with pytest.raises(SystemExit) as caught:
        train.main()
    assert caught.value.code == 2
    output = capsys.readouterr()
    assert output.out == ""
    lines = output.err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    return lines[0]


@pytest.mark.parametrize(
    ("settings", "parts"),
    [
        ({"game": "chess"}, ["'chess'", *GAMES]),
        ({"players": 9}, ["9", "allowed"]),
        ({"options": ["reward"]}, ["'reward'", "name=value"]),
        ({"options": ["colour=red"]}, ["'colour'", "reward"]),
        ({"reward": "money"}, ["'money'", "'relative_score'"]),
        ({"opponents": ["rules"]}, ["'rules'", "agent@weight"]),
        ({"opponents": ["nobody@1"]}, ["'nobody'", "random"]),
        ({"opponents": ["rules@inf"]}, ["inf", "allowed"]),
        ({"opponents": ["missing.npz@1"]}, ["'missing.npz'"]),
        ({"without": ["dreams"]}, ["'dreams'", "hand"]),
        ({"batch_size": 100}, ["batch_size is 100", "256"]),
        ({"n_envs": 0}, ["n_envs is 0", "from 1 to"]),
        ({"n_envs": 2**16, "n_steps": 2**7}, ["n_envs * n_steps is 8388608", "from 1 to 4194304"]),
        ({"steps": -5}, ["steps is -5", "from 1 to 1000000000000"]),
        ({"steps": 10**13}, ["steps is 10000000000000", "from 1 to 1000000000000"]),
        ({"seed": 2**32}, ["seed is 4294967296", "from 0 to 4294967295"]),
        ({"final_deals": 99999999999999}, ["final_deals is 99999999999999", "from 1 to 1000000"]),
        ({"learning_rate": "inf"}, ["learning_rate is inf", "above 0 to 1"]),
        ({"learning_rate": 2}, ["learning_rate is 2.0", "above 0 to 1"]),
        ({"imitation_learning_rate": "inf"}, ["imitation_learning_rate is inf", "above 0 to 1"]),
        ({"gamma": "-inf"}, ["gamma is -inf", "above 0 to 1"]),
        ({"gae_lambda": 1.01}, ["gae_lambda is 1.01", "from 0 to 1"]),
        ({"minutes": "inf"}, ["minutes is inf", "above 0 to 1000000"]),
        ({"pfsp_exponent": "inf"}, ["pfsp_exponent is inf", "from 0 to 100"]),
        ({"opponents": ["rules@1e300", "random@1"]}, ["'rules@1e300'", "weight above 0 to 1000000"]),
        ({"threads": 10**9}, ["threads is 1000000000", "from 1 to 1024"]),
        ({"width": 10**9}, ["width is 1000000000", "from 1 to 4096"]),
        ({"seed": -1}, ["seed is -1", "from 0"]),
        ({"ent_coef": -0.5}, ["ent_coef is -0.5", "from 0"]),
        ({"learning_rate": "nan"}, ["learning_rate is nan", "above 0"]),
        ({"minutes": 0}, ["minutes is 0", "above 0"]),
        ({"table_width": 0}, ["table_width is 0", "from 1 to 4096"]),
        ({"device": "toaster"}, ["toaster"]),
        ({"algorithm": "magic"}, ["'magic'", "'seat'", "'self_play'"]),
        ({"algorithm": "self_play", "pool_share": 1.5}, ["pool_share is 1.5", "0 to 1"]),
    ],
    ids=str,
)
def test_a_wrong_setting_is_told_in_one_line_and_nothing_is_written(
    settings: dict[str, Any],
    parts: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    line = told_in_one_line(as_arguments(TINY | settings), monkeypatch, capsys)
    for part in parts:
        assert part in line
    assert list(tmp_path.iterdir()) == []


def remove(file: str) -> Callable[[Path], None]:
    return lambda run: (run / file).unlink()


def write(file: str, data: bytes) -> Callable[[Path], object]:
    return lambda run: (run / file).write_bytes(data)


def cut_off(file: str, length: int) -> Callable[[Path], object]:
    return lambda run: (run / file).write_bytes((run / file).read_bytes()[:length])


def of_another_version(run: Path) -> None:
    """A checkpoint of a version in which a module had another name."""
    data = b"cno_such_module\nThing\n."
    (run / checkpoint.NAME).write_bytes(hashlib.sha256(data).digest() + data)


@pytest.mark.parametrize(
    ("damage", "parts"),
    [
        pytest.param(shutil.rmtree, ["is no run"], id="no folder"),
        pytest.param(remove("config.json"), ["is no run", "config.json"], id="no config"),
        pytest.param(cut_off("config.json", 100), ["config.json"], id="half a config"),
        pytest.param(write("config.json", b"[]"), ["config.json"], id="a list as config"),
        pytest.param(write("config.json", b"{}"), ["config.json"], id="an empty config"),
        pytest.param(write("config.json", b"\xff\xff"), ["config.json"], id="a config that is no text"),
        pytest.param(
            write("config.json", b'{"settings": {"results": "results", "speed": 3}}'),
            ["config.json", "another version", "speed"],
            id="unknown settings",
        ),
        pytest.param(remove(checkpoint.NAME), ["no checkpoint"], id="no checkpoint"),
        pytest.param(cut_off(checkpoint.NAME, 0), ["damaged"], id="an empty checkpoint"),
        pytest.param(cut_off(checkpoint.NAME, 20), ["damaged"], id="a bit of a checkpoint"),
        pytest.param(cut_off(checkpoint.NAME, -1), ["damaged"], id="a checkpoint without its last byte"),
        pytest.param(write(checkpoint.NAME, b"x" * 500), ["damaged"], id="another kind of file"),
        pytest.param(of_another_version, ["another version"], id="a checkpoint of another version"),
    ],
)
def test_a_folder_that_cannot_be_resumed_is_told_in_one_line(
    damage: Callable[[Path], object],
    parts: list[str],
    finished: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = Path(shutil.copytree(finished, tmp_path / "run"))
    damage(run)
    line = told_in_one_line(["--resume", str(run)], monkeypatch, capsys)
    for part in [str(run), *parts]:
        assert part in line


@pytest.mark.parametrize(
    "settings", [{"seed": 3}, {"game": "chess"}, {"n_envs": 32}, {"opponents": ["rules@1"]}, {"players": 3}]
)
def test_a_resumed_run_keeps_its_settings(
    settings: dict[str, Any],
    finished: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = {file.name: file.read_bytes() for file in finished.iterdir() if file.is_file()}
    arguments = ["--resume", str(finished), *as_arguments(settings)]
    line = told_in_one_line(arguments, monkeypatch, capsys)
    assert f"leave out {next(iter(settings))}" in line
    assert {file.name: file.read_bytes() for file in finished.iterdir() if file.is_file()} == before


@pytest.mark.parametrize(("num_saved", "num_found"), [(0, 2), (2, 2), (2, 1), (1, 2)])
def test_checkpoints_keep_the_generators_of_all_cuda_devices(
    num_saved: int, num_found: int, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, env, state = checkpoint.load(finished / checkpoint.NAME, "cpu")
    saved = [torch.full((16,), 10 + number, dtype=torch.uint8) for number in range(num_saved)]
    found: dict[int, torch.Tensor] = {}
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: num_saved > 0)
    monkeypatch.setattr(torch.cuda, "get_rng_state_all", lambda: saved)
    checkpoint.save(tmp_path / checkpoint.NAME, model, env, state)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: num_found)
    monkeypatch.setattr(torch.cuda, "set_rng_state", lambda given, device: found.update({device: given}))
    with monkeypatch.context() as patch:
        patch.setattr(torch.cuda, "is_available", lambda: False)
        checkpoint.load(tmp_path / checkpoint.NAME, "cpu")
    assert found == {}
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    checkpoint.load(tmp_path / checkpoint.NAME, "cpu")
    assert [found[device].tolist() for device in sorted(found)] == [one.tolist() for one in saved[:num_found]]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
def test_a_restored_generator_of_a_cuda_device_draws_the_same(finished: Path, tmp_path: Path) -> None:
    model, env, state = checkpoint.load(finished / checkpoint.NAME, "cuda")
    torch.rand(3, device="cuda")
    checkpoint.save(tmp_path / checkpoint.NAME, model, env, state)
    drawn = torch.rand(3, device="cuda")
    checkpoint.load(tmp_path / checkpoint.NAME, "cuda")
    assert (torch.rand(3, device="cuda") == drawn).all()


def test_a_checkpoint_that_cannot_be_written_leaves_the_old_one(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / checkpoint.NAME
    file.write_bytes((finished / checkpoint.NAME).read_bytes())
    model, env, state = checkpoint.load(file, "cpu")

    def fail(path: Path, data: bytes) -> int:
        with path.open("wb") as stream:
            stream.write(data[:100])
        raise OSError("no space left")

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(OSError, match="no space left"):
        checkpoint.save(file, model, env, state)
    assert file.read_bytes() == (finished / checkpoint.NAME).read_bytes()
    assert [left.name for left in tmp_path.iterdir()] == [checkpoint.NAME]
