"""From runs to what comes with the project: published policies, probes, and the report on all of it."""

import json
import re
import shlex
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")
pytest.importorskip("tyro")

import tyro

import trick_agents
from tests.experiments.test_train import TINY
from tests.helpers import reached_states
from trick_envs import GAMES, make_game
from trick_envs.core.kernel import COMPILED
from trick_experiments import probe, publish, results, tournament
from trick_experiments.evaluate import Config as Comparison
from trick_experiments.evaluate import run as compare
from trick_experiments.evaluation.matches import Interval
from trick_experiments.learning import training

pytestmark = pytest.mark.skipif(not COMPILED, reason="thousands of decisions are for compiled code")

FIRST_GAME = next(iter(GAMES))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run."""
    settings = TINY | {"steps": 256, "seed": 3}
    return training.train(training.Config(**settings, results=tmp_path_factory.mktemp("runs")))


@pytest.fixture(scope="module")
def published(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the policy of that run."""
    folder = tmp_path_factory.mktemp("pretrained")
    publish.run(publish.Config(finished, reference_opponents=["random@4", "rules@6"], folder=folder))
    return folder


# --- publishing ------------------------------------------------------------------------------------------


def test_a_published_policy_is_that_of_the_run_in_half_precision(finished: Path, published: Path) -> None:
    game = make_game(FIRST_GAME)
    files = sorted(file.name for file in published.iterdir())
    assert files == [f"{FIRST_GAME}-{game.num_players}p{suffix}" for suffix in (".json", ".npz")]
    one, other = (
        trick_agents.PolicyAgent.load(f, game) for f in (finished / "policy.npz", published / files[1])
    )
    seen = game.observations(reached_states(game, 60, seed=1))
    np.testing.assert_allclose(one.logits(seen), other.logits(seen), rtol=0.02, atol=0.02)


def test_a_published_policy_says_what_it_was_measured_against(published: Path) -> None:
    (file,) = published.glob("*.json")
    about = json.loads(file.read_text())
    assert {name: result["deals"] for name, result in about["results"].items()} == {"random": 4, "rules": 6}
    assert about["seed"] == 3
    assert about["steps"] == 256


def test_the_command_of_a_published_policy_trains_with_the_same_settings(
    finished: Path, published: Path
) -> None:
    (file,) = published.glob("*.json")
    words = shlex.split(json.loads(file.read_text())["command"])
    assert words[:2] == ["trick-envs", "train"]
    again = tyro.cli(training.Config, args=words[2:])
    assert again == replace(training.resumed(finished), results=again.results, resume=None)


@pytest.mark.parametrize(
    "settings",
    [
        {"episode": "game", "privileged_critic": True},
        {"without": ["played_in", "round"], "options": ["num_rounds=2", "goal=2"], "minutes": 2.5},
        {"game": "gummi_trick", "players": 2, "algorithm": "seat", "opponents": ["rules@1", "self@0.5"]},
    ],
    ids=str,
)
def test_a_command_says_every_setting_as_the_command_line_takes_it(settings: dict[str, Any]) -> None:
    config = training.Config(**settings)
    words = shlex.split(publish.command_of(config))
    assert tyro.cli(training.Config, args=words[2:]) == config


def test_a_measurement_that_is_stopped_leaves_the_published_policy_as_it_was(
    finished: Path, published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "pretrained"
    shutil.copytree(published, folder)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}

    def stop(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "measure_learner", stop)
    with pytest.raises(KeyboardInterrupt):
        publish.run(publish.Config(finished, folder=folder))
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"reference_opponents": ["rules"]}, ["'rules'", "agent@deals"]),
        ({"reference_opponents": ["rules@0"]}, ["'rules@0'", "from 1"]),
        ({"reference_opponents": ["rules@99999999"]}, ["'rules@99999999'", "from 1 to 1000000"]),
        ({"reference_opponents": ["rules@" + "9" * 5000]}, ["'rules@999", "from 1 to 1000000"]),
        ({"seed": -1}, ["seed is -1", "from 0"]),
        ({"reference_opponents": ["nobody@3"]}, ["'nobody'", "choose from"]),
        ({"run": Path("nowhere")}, ["'nowhere' is no run"]),
    ],
)
def test_what_cannot_be_published_is_refused_and_nothing_is_written(
    changes: dict[str, Any], words: list[str], finished: Path, tmp_path: Path
) -> None:
    settings = {"run": finished, "folder": tmp_path / "new"} | changes
    with pytest.raises(ValueError, match=".*".join(map(re.escape, words))):
        publish.run(publish.Config(**settings))
    assert not (tmp_path / "new").exists()


def test_a_run_that_is_not_finished_is_refused(finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished, tmp_path / "run")
    (tmp_path / "run" / "evaluation.json").unlink()
    with pytest.raises(ValueError, match=r"no finished run: it has no evaluation\.json"):
        publish.run(publish.Config(tmp_path / "run", folder=tmp_path / "new"))


# --- probing ---------------------------------------------------------------------------------------------


def test_a_probe_trains_against_the_agent_alone() -> None:
    config = probe.training_of(probe.Config("search:worlds=3", game=FIRST_GAME, steps=1000))
    assert config.opponents == ["search:worlds=3@1"]
    assert config.expert == "search:worlds=3"
    assert config.reference_opponents == ["search:worlds=3"]
    assert config.pool_share == 1.0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["--deals", "99999999999999"],
            "deals is 99999999999999; allowed are whole numbers from 2 to 1000000",
        ),
        (["--steps", "0"], "steps is 0; allowed are whole numbers from 1 to 1000000000000"),
        (
            ["--imitation-steps", "-1"],
            "imitation_steps is -1; allowed are whole numbers from 0 to 1000000000000",
        ),
        (["--seed", "4294967296"], "seed is 4294967296; allowed are whole numbers from 0 to 4294967295"),
    ],
)
def test_a_probe_with_a_wrong_number_is_refused_in_one_line(
    words: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as caught:
        probe.main(["--agent", "random", *words])
    assert caught.value.code == 2
    assert capsys.readouterr().err == f"error: {told}\n"
    assert list(tmp_path.iterdir()) == []


def test_a_probe_finds_what_random_play_loses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mini = make_game(FIRST_GAME, 2, preset="mini")
    options = [f"{name}={mini.options[name]}" for name in ("num_rounds", "num_ranks", "hand_size", "goal")]
    report = probe.run(
        probe.Config(
            "random",
            game=FIRST_GAME,
            players=2,
            options=options,
            steps=150_000,
            imitation_steps=8192,
            deals=400,
            results=tmp_path / "runs",
            json=tmp_path / "probe.json",
        )
    )
    assert json.loads((tmp_path / "probe.json").read_text()) == report
    share = Interval(**report["win_share"])
    assert share.low > 0.5
    assert report["score_difference"]["mean"] > 0
    assert f"wins {share.mean:.3f}" in capsys.readouterr().out


# --- the report ------------------------------------------------------------------------------------------


def test_the_report_shows_what_is_stored(published: Path, finished: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    for name in ("matches", "probes", "curves"):
        (folder / name).mkdir(parents=True)
    stored = compare(Comparison(["search:worlds=1", "rules"], deals=3, json=folder / "matches" / "any.json"))
    share = {"mean": 0.4321, "low": 0.4, "high": 0.46}
    found = {"agent": "rules", "game": FIRST_GAME, "num_players": 4, "steps": 777, "win_share": share}
    (folder / "probes" / "any.json").write_text(json.dumps(found | {"score_difference": share}))
    for seed in (0, 1):
        shutil.copy(finished / "learning_curve.csv", folder / "curves" / f"{FIRST_GAME}-self_play-{seed}.csv")
    report = tournament.run(
        tournament.Config(
            ["random", "rules"],
            deals=4,
            folder=tmp_path / "run",
            report=tmp_path / "tournaments" / f"{FIRST_GAME}-policies",
        )
    )
    results.run(results.Config(docs=tmp_path, pretrained=published))
    text = (tmp_path / "results.md").read_text(encoding="utf-8")
    mean = stored["measures"]["search:worlds=1"]["win_share"]["mean"]
    assert f"| {mean:.3f} ±" in text
    assert "0.432 ± 0.030" in text
    assert "the mean of 2\nseeds" in text
    ahead = report["pairs"][0]["ahead"]["mean"]
    assert f"| {ahead:.2f}* |" in text  # which of the two is better is clear after four deals
    for name in ("strength", "curves"):
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_a_report_on_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no policies are stored"):
        results.run(results.Config(docs=tmp_path, pretrained=tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_agents_are_sorted_into_families() -> None:
    assert results.family_of("pretrained") == "policy"
    assert results.family_of("search:playouts=9,prior=pretrained") == "policy with search"
    assert results.family_of("search:playouts=9,rollouts=rules") == "search, rule-based roll-outs"
    assert results.family_of("ismcts:iterations=9") == "ISMCTS"
