"""Evaluation: duplicate deals are fair, results are right and repeatable, mistakes are told in one line."""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("scipy")
pytest.importorskip("tyro")

from scipy import stats

import trick_agents
from tests.helpers import DEFAULTS
from tests.policies import random_policy
from trick_agents import Agent
from trick_envs import GAMES, game_class, make_game
from trick_envs.core.agent import RandomAgent
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import COMPILED
from trick_envs.core.random import Streams
from trick_experiments.evaluate import main
from trick_experiments.evaluation.comparison import Result, evaluate
from trick_experiments.evaluation.matches import holm

FIRST_GAME = next(iter(GAMES))

every_game = pytest.mark.parametrize("game", DEFAULTS)


class FirstLegal:
    """Plays the first legal action: the same whatever its random numbers are."""

    def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
        """One legal action for the current player of each game."""
        return game.action_masks(states).argmax(axis=1).astype(np.int32)


def without_time(result: Result) -> dict[str, Any]:
    return asdict(result) | {"seconds": None, "milliseconds": None}


def seats_for(game: Game, *names: str) -> list[str]:
    """These agents at the first seats, the last one at all that are left."""
    return [*names[: game.num_players], *[names[-1]] * (game.num_players - len(names))]


# --- duplicate deals -----------------------------------------------------------------------------------


@every_game
def test_agents_that_do_the_same_come_out_the_same(game: Game) -> None:
    entrants: dict[str, Agent] = {"one": FirstLegal(), "other": FirstLegal()}
    result = evaluate(game, entrants, seats_for(game, "one", "other"), 6)
    assert list(result.differences) == ["one - other"]
    # Shares such as a third have no exact value, so sums in another order may differ in the last digit.
    for difference in result.differences["one - other"].values():
        assert (difference.mean, difference.low, difference.high) == pytest.approx((0, 0, 0), abs=1e-12)
    for name in entrants:
        share = result.measures[name]["win_share"]
        assert (share.mean, share.low, share.high) == pytest.approx([1 / game.num_players] * 3, abs=1e-12)
        assert result.measures[name]["rank"].mean == pytest.approx((game.num_players + 1) / 2)
    assert result.measures["one"]["score"].mean == pytest.approx(result.measures["other"]["score"].mean)


@every_game
def test_one_agent_at_all_seats_has_just_its_share(game: Game) -> None:
    result = evaluate(game, {"random": RandomAgent()}, ["random"] * game.num_players, 5)
    share = result.measures["random"]["win_share"]
    assert (share.mean, share.low, share.high) == pytest.approx([1 / game.num_players] * 3, abs=1e-12)
    assert result.differences == {}


@every_game
def test_the_result_depends_on_the_seed_and_not_on_the_batch(game: Game) -> None:
    entrants = {
        "random": RandomAgent(),
        "rules": trick_agents.make("rules", game),
        "policy": random_policy(game),
    }
    seats = seats_for(game, *entrants)
    deals, batches = (7, (1, game.num_players, 3 * game.num_players + 1, 4096)) if COMPILED else (2, (1,))
    results = [
        without_time(evaluate(game, entrants, seats, deals, seed=1, batch=batch))
        for batch in (*batches, 4096)
    ]
    assert all(result == results[0] for result in results)
    assert without_time(evaluate(game, entrants, seats, deals, seed=2)) != results[0]


@every_game
def test_games_and_decisions_are_counted(game: Game) -> None:
    result = evaluate(game, {"a": FirstLegal()}, ["a"] * game.num_players, 3)
    assert (result.deals, result.games) == (3, 3 * game.num_players)
    states = game.new_states(3, seed=0)
    decisions = 0
    while (game.current_players(states) >= 0).any():
        decisions += int((game.current_players(states) >= 0).sum())
        game.step(states, game.action_masks(states).argmax(axis=1))
    assert result.decisions == decisions * game.num_players


@pytest.mark.skipif(not COMPILED, reason="hundreds of games are for compiled code")
def test_a_stronger_agent_comes_out_ahead() -> None:
    game = make_game(FIRST_GAME)
    entrants = {"rules": trick_agents.make("rules", game), "random": RandomAgent()}
    result = evaluate(game, entrants, seats_for(game, "rules", "random"), 40)
    assert result.measures["rules"]["win_share"].low > 1 / game.num_players
    assert result.differences["rules - random"]["score"].low > 0
    assert result.differences["rules - random"]["rank"].high < 0
    assert all(p < 0.001 for p in result.p_values["rules - random"].values())


def test_p_values_are_corrected_for_the_number_of_pairs() -> None:
    game = make_game(FIRST_GAME)
    entrants: dict[str, Agent] = {name: RandomAgent() for name in "abcd"}
    result = evaluate(game, entrants, list("abcd"), 30, seed=3)
    assert list(result.p_values) == list(result.differences)
    for what in ("score", "win_share", "rank"):
        raw = []
        for found in result.differences.values():  # whose intervals are those of t-tests
            distance = abs(found[what].mean) / ((found[what].high - found[what].low) / 2)
            raw.append(2 * float(stats.t.sf(distance * stats.t.ppf(0.975, 29), 29)))
        assert [p[what] for p in result.p_values.values()] == pytest.approx(holm(raw))


@pytest.mark.parametrize(
    ("seats", "deals", "batch", "message"),
    [
        (["a"], 3, 10, "1 agents are given for"),
        (["a"] * 9, 3, 10, "9 agents are given for"),
        (["b"] * 4, 3, 10, "unknown entrant 'b'; choose from a"),
        (None, 0, 10, "deals is 0"),
        (None, 10**9, 10, "deals is 1000000000; allowed are whole numbers from 1 to 1000000"),
        (None, 3, 0, "batch is 0"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(
    seats: list[str] | None, deals: int, batch: int, message: str
) -> None:
    game = make_game(FIRST_GAME)
    with pytest.raises(ValueError, match=message):
        evaluate(game, {"a": RandomAgent()}, seats or ["a"] * game.num_players, deals, batch=batch)


# --- the command ---------------------------------------------------------------------------------------


def run_main(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    """Runs the command in this process."""
    monkeypatch.setattr(sys, "argv", ["evaluate", *arguments])
    main()


def test_the_command_prints_and_writes_a_result(tmp_path: Path) -> None:
    file = tmp_path / "new folder" / "result.json"
    command = [
        sys.executable,
        "-m",
        "trick_experiments.evaluate",
        "--agents",
        "rules",
        "random",
        "--deals",
        "5",
    ]
    done = subprocess.run(
        [*command, "--json", str(file)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    game = game_class(FIRST_GAME)()
    assert f"5 deals × {game.num_players} rotations" in done.stdout
    assert "rules - random" in done.stdout
    assert "one is better (95 % confidence" in " ".join(done.stdout.split())
    report = json.loads(file.read_text())
    assert report["game"] == game.name
    assert report["num_players"] == game.num_players
    assert report["options"] == game.options
    assert report["seed"] == 0
    assert report["deals"] == 5
    assert report["games"] == 5 * game.num_players
    assert report["agents"] == ["rules", "random"]
    assert report["seats"] == ["rules", *["random"] * (game.num_players - 1)]
    for measures in (report["measures"]["rules"], report["differences"]["rules - random"]):
        assert set(measures) == {"score", "win_share", "rank"}
        assert all(value["low"] <= value["mean"] <= value["high"] for value in measures.values())


@pytest.mark.parametrize("name", GAMES)
def test_the_command_plays_every_game_with_any_players_and_reward(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for num_players in game_class(name).player_counts:
        file = tmp_path / f"{num_players}.json"
        settings = ["--game", name, "--players", str(num_players), "--options", "reward=score"]
        outputs = ["--deals", "2", "--json", str(file)]
        run_main(monkeypatch, "--agents", "rules", "random", *settings, *outputs)
        report = json.loads(file.read_text())
        assert report["num_players"] == num_players
        assert report["options"]["reward"] == "score"
        assert report["measures"]["random"]["rank"]["mean"] > 0
    capsys.readouterr()


def test_the_last_agent_given_takes_the_seats_that_are_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game = make_game(FIRST_GAME)
    random_policy(game).save(tmp_path / "policy.npz", game)
    monkeypatch.chdir(tmp_path)
    n = game.num_players
    for given, seats in (
        (["random"], ["random"] * n),
        (["policy.npz", "random"], ["policy.npz"] + ["random"] * (n - 1)),
        (["random", "rules"] + ["random"] * (n - 2), ["random", "rules"] + ["random"] * (n - 2)),
    ):
        run_main(monkeypatch, "--agents", *given, "--deals", "2", "--json", "result.json")
        assert json.loads(Path("result.json").read_text())["seats"] == seats
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--agents", "nobody"], ["'nobody'", "random", "rules"]),
        (["--agents", "rules", "policy:file=missing.npz"], ["'missing.npz'"]),
        (["--agents", "missing.npz"], ["'missing.npz'"]),
        (["--agents", "no_such_module:Agent"], ["'no_such_module:Agent'", "No module", "random, rules"]),
        (["--agents", "rules:depth=3"], ["depth"]),
        (["--agents", *["random"] * 20], ["20 agents", "allowed are 1 to"]),
        (["--agents"], ["0 agents", "allowed are 1 to"]),
        (["--agents", "random", "--game", "chess"], ["'chess'", *GAMES]),
        (["--agents", "random", "--players", "9"], ["9", "allowed"]),
        (["--agents", "random", "--players", "0"], ["0", "allowed"]),
        (["--agents", "random", "--deals", "1"], ["deals is 1", "from 2"]),
        (["--agents", "random", "--deals", "-3"], ["deals is -3", "from 2"]),
        (
            ["--agents", "random", "--deals", "99999999999999"],
            ["deals is 99999999999999", "from 2 to 1000000"],
        ),
        (["--agents", "random", "--batch", "0"], ["batch is 0", "from 1"]),
        (["--agents", "random", "--batch", "9999999"], ["batch is 9999999", "from 1 to 1000000"]),
        (["--agents", "random", "--seed", "-1"], ["seed is -1", "from 0"]),
        (["--agents", "random", "--seed", "9" * 30], ["seed is 9999", f"from 0 to {2**64 - 1}"]),
        (["--agents", "random", "--options", "reward"], ["'reward'", "name=value"]),
        (["--agents", "random", "--options", "=score"], ["'=score'", "name=value"]),
        (["--agents", "random", "--options", "colour=red"], ["'colour'", "reward"]),
        (["--agents", "random", "--options", "reward=money"], ["'money'", "'outcome'", "'score'"]),
        (["--agents", "random", "--options", "reward=3"], ["reward is 3", "'outcome'"]),
    ],
    ids=lambda value: " ".join(value)[:60],
)
def test_a_mistake_is_told_in_one_line_and_nothing_is_written(
    arguments: list[str],
    parts: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as caught:
        run_main(monkeypatch, *arguments, "--json", "result.json")
    assert caught.value.code == 2
    output = capsys.readouterr()
    assert output.out == ""
    lines = output.err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    for part in parts:
        assert part in lines[0]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments", [[], ["--agents", "random", "--deals", "many"], ["--agents", "random", "--fast"]]
)
def test_arguments_that_cannot_be_read_end_with_code_2(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        run_main(monkeypatch, *arguments)
    assert caught.value.code == 2
    assert "Traceback" not in capsys.readouterr().err
