"""Tournaments: balanced, stopped and resumed without a trace, complete reports, mistakes in one line."""

import csv
import json
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import combinations, permutations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")
pytest.importorskip("matplotlib")
pytest.importorskip("tyro")

from matplotlib.image import imread
from rich.console import Console

from tests.policies import random_policy
from trick_envs import GAMES, game_class, make_game
from trick_envs.core import kernel
from trick_envs.core.kernel import COMPILED
from trick_experiments import tournament
from trick_experiments.common import cli
from trick_experiments.common.files import LOCK, locked
from trick_experiments.evaluation import matches, report
from trick_experiments.evaluation import tournament as played
from trick_experiments.evaluation.matches import Results, Table
from trick_experiments.evaluation.tournament import Run, comparisons_by_deal, rate, summarise, tables_for
from trick_experiments.tournament import Config

ROOT = Path(__file__).parents[2]
REPORT_FILES = {"report.json", "agents.csv", "pairs.csv", "cross_table.png", "ratings.png", "README.md"}
SMALL: dict[str, Any] = {
    "agents": ["random", "rules"],
    "game": "voodoo_prince",
    "players": 2,
    "options": ["preset=mini"],
    "deals": 6,
}
GAME = make_game("voodoo_prince", 2, preset="mini")

compiled_only = pytest.mark.skipif(not COMPILED, reason="thousands of games are for compiled code")


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(played, "RESAMPLES", 50)


def play(folder: Path, **changes: Any) -> dict[str, Any]:
    """Plays a small tournament, and gives its report as it is stored, without times."""
    tournament.run(Config(**(SMALL | {"folder": folder} | changes)))
    return stored(folder)


def stored(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "report.json").read_text())
    assert found.pop("milliseconds").keys() == found["agents"].keys()
    return found


def arguments(**changes: Any) -> list[str]:
    """The small tournament as it is typed."""
    words = []
    for name, value in (SMALL | changes).items():
        words += [f"--{name}", *map(str, value if isinstance(value, list) else [value])]
    return words


def parts_of(folder: Path) -> list[Path]:
    return sorted(folder.glob("deals-*.npz"))


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


# --- who sits where --------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_agents", range(2, 9))
@pytest.mark.parametrize("num_seats", range(2, 6))
def test_tables_are_balanced(num_agents: int, num_seats: int) -> None:
    names = [f"agent {number}" for number in range(num_agents)]
    tables = tables_for(names, num_seats)
    assert all(len(table) == num_seats for table in tables)
    assert len({tuple(sorted(table)) for table in tables}) == len(tables)
    seats = Counter(name for table in tables for name in table)
    assert set(seats) == set(names)
    assert len(set(seats.values())) == 1
    meetings: Counter[frozenset[str]] = Counter()
    for table in tables:
        counts = Counter(table)
        assert max(counts.values()) - min(counts[name] for name in names if name in counts) <= 1
        assert len(counts) == min(num_agents, num_seats)
        for one, other in combinations(counts, 2):
            meetings[frozenset((one, other))] += counts[one] * counts[other]
    assert len(meetings) == comb(num_agents, 2)
    assert len(set(meetings.values())) == 1


def test_tables_do_not_depend_on_the_order_of_agents() -> None:
    assert tables_for(["c", "a", "b"], 4) == tables_for(["a", "b", "c"], 4)
    assert tables_for(["c", "a", "b"], 2) == [("a", "b"), ("a", "c"), ("b", "c")]


def test_another_agent_adds_tables_and_changes_none() -> None:
    assert set(tables_for(["a", "b", "c", "d"], 3)) < set(tables_for(["e", "a", "b", "c", "d"], 3))


def meetings_at(tables: list[Table]) -> Counter[tuple[str, str]]:
    return Counter(pair for table in tables for pair in combinations(table, 2))


@pytest.mark.parametrize(
    ("num_agents", "num_seats", "most"), [(9, 4, 20), (12, 4, 60), (12, 3, 40), (17, 5, 100), (20, 4, 200)]
)
def test_fewer_tables_are_nearly_balanced(num_agents: int, num_seats: int, most: int) -> None:
    names = [f"agent {number:2}" for number in range(num_agents)]
    tables = tables_for(names, num_seats, most)
    assert most - num_agents < len(tables) <= most
    assert len({frozenset(table) for table in tables}) == len(tables)
    seats = Counter(name for table in tables for name in table)
    assert set(seats.values()) == {len(tables) * num_seats // num_agents}
    meetings = meetings_at(tables)
    assert len(meetings) == comb(num_agents, 2)
    assert max(meetings.values()) - min(meetings.values()) <= 2
    assert tables_for(names[::-1], num_seats, most) == tables


@pytest.mark.parametrize(("num_agents", "num_seats"), [(7, 3), (13, 4), (21, 5)])
def test_a_perfect_design_is_found_where_there_is_one(num_agents: int, num_seats: int) -> None:
    """Projective planes: as many tables as agents, at which any two meet once."""
    tables = tables_for([f"agent {number:2}" for number in range(num_agents)], num_seats, num_agents)
    assert len(tables) == num_agents
    assert set(meetings_at(tables).values()) == {1}


@pytest.mark.parametrize(
    ("agents", "num_seats", "most", "needed"),
    [("abcde", 4, 4, 5), ("abcdefgh", 3, 15, 16), ("abcd", 2, 5, 6), ("abc", 4, 2, 3), ("abcde", 4, 0, 5)],
)
def test_too_few_tables_are_refused(agents: str, num_seats: int, most: int, needed: int) -> None:
    with pytest.raises(ValueError, match=rf"^tables is {most}; allowed are {needed} or more"):
        tables_for(list(agents), num_seats, most)
    assert len(tables_for(list(agents), num_seats, needed)) == needed


def test_with_tables_enough_all_are_played() -> None:
    assert tables_for(list("abcdef"), 3, 20) == tables_for(list("abcdef"), 3)
    assert tables_for(list("abcdef"), 3, 19) == tables_for(list("abcdef"), 3, 18)


# --- going on --------------------------------------------------------------------------------------------


def stop_after(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while the part after so many is played."""
    real = matches.play_deals
    left = iter(range(number))

    def play_deals(*args: Any) -> Results:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(matches, "play_deals", play_deals)


@pytest.mark.parametrize(
    ("changes", "parts"),
    [({}, 0), ({}, 1), ({"batch": 1}, 4), ({"agents": ["random", "rules", "policy.npz"], "batch": 1}, 2)],
    ids=str,
)
def test_a_run_that_was_stopped_goes_on_to_the_same_result(
    changes: dict[str, Any],
    parts: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    random_policy(GAME).save("policy.npz", GAME)
    expected = play(tmp_path / "at once", **changes)
    folder = tmp_path / "stopped"
    with monkeypatch.context() as patch:
        stop_after(parts, patch)
        patch.setattr(sys, "argv", ["tournament", *arguments(folder=folder, **changes)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            tournament.main()
    assert caught.value.code == 130
    output = capsys.readouterr()
    assert output.out == ""
    deals = {0: 0, 1: 1, 2: 2, 4: 4}[parts]
    assert output.err == (f"stopped: {deals} of 6 deals are stored in {folder}; the same command goes on\n")
    assert len(parts_of(folder)) == parts
    assert set(contents(folder)) == {LOCK, Run.SETTINGS, *(file.name for file in parts_of(folder))}
    before = contents(folder)
    assert play(folder, **changes) == expected
    assert contents(folder).items() >= before.items()


def test_ctrl_c_while_the_report_is_made_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*args: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(tournament, "summarise", interrupted)
        with pytest.raises(KeyboardInterrupt, match="6 of 6 deals are stored"):
            play(tmp_path / "run")
    before = contents(tmp_path / "run")
    assert play(tmp_path / "run") == play(tmp_path / "other")
    assert contents(tmp_path / "run").items() >= before.items()
    capsys.readouterr()


@compiled_only
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=lambda n: n.name)
def test_a_run_that_was_killed_goes_on_to_the_same_result(
    number: signal.Signals, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "killed"
    command = [sys.executable, "-m", "trick_experiments.tournament", *arguments(deals=100_000, batch=1)]
    process = subprocess.Popen(
        [*command, "--folder", str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Where the tests run in a shell's background, Ctrl-C is ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        end = time.monotonic() + 120
        while len(parts_of(folder)) < 3 and process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    played = len(parts_of(folder))
    assert 3 <= played < 100_000
    assert out == ""
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert err == f"stopped: {played} of 100000 deals are stored in {folder}; the same command goes on\n"
        assert set(contents(folder)) == {LOCK, Run.SETTINGS, *(file.name for file in parts_of(folder))}
    else:
        assert process.returncode == -number
    assert play(folder, deals=played + 5) == play(tmp_path / "at once", deals=played + 5)
    capsys.readouterr()


def test_a_finished_run_goes_on_with_more_deals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = play(tmp_path / "grown", deals=4)
    assert few["deals"] == 4
    more = play(tmp_path / "grown", deals=9)
    assert more["deals"] == 9
    assert more == play(tmp_path / "at once", deals=9)
    capsys.readouterr()


def test_a_finished_run_is_reported_again_without_playing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = play(tmp_path / "run")
    stop_after(0, monkeypatch)
    assert play(tmp_path / "run") == expected
    assert play(tmp_path / "run", agents=["rules", "random"])["pairs"][0]["one"] == "rules"
    capsys.readouterr()


def test_options_that_are_lists_are_the_same_when_the_run_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lists: dict[str, Any] = {"game": "gummi_trick", "players": 3, "deals": 2}
    options = make_game("gummi_trick", 3, preset="mini").options
    name, value = next((name, value) for name, value in options.items() if isinstance(value, list | tuple))
    lists["options"] = ["preset=mini", f"{name}={','.join(map(str, value))}"]
    assert play(tmp_path, **lists) == play(tmp_path, **lists)
    capsys.readouterr()


def test_what_a_killed_run_was_writing_is_cleared_when_it_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = play(tmp_path, deals=4)
    for name in ("deals-0000004-0a_1b2cd.npz", "report-0a_1b2cd.json", "tournament-0a_1b2cd.json"):
        (tmp_path / f".{name}").write_bytes(b"PK")
    (tmp_path / ".notes-0a_1b2cd.txt").touch()  # somebody else's
    assert play(tmp_path, deals=4) == expected
    assert {file.name for file in tmp_path.glob(".*")} == {LOCK, ".notes-0a_1b2cd.txt"}
    capsys.readouterr()


def test_a_folder_is_for_one_process_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = play(tmp_path, deals=4)
    (tmp_path / ".deals-0000004-0a_1b2cd.npz").touch()
    before = contents(tmp_path)
    with locked(tmp_path):
        line = refused(monkeypatch, capsys, arguments(folder=tmp_path))
    assert f"{str(tmp_path)!r} is in use by another process" in line
    assert contents(tmp_path) == before
    assert play(tmp_path, deals=4) == expected


@compiled_only
def test_a_second_process_is_refused_while_the_first_one_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = arguments(folder=tmp_path / "run", deals=100_000, batch=1)
    command = [sys.executable, "-m", "trick_experiments.tournament", *words]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            end = time.monotonic() + 120
            while not parts_of(tmp_path / "run") and process.poll() is None and time.monotonic() < end:
                time.sleep(0.01)
            assert "in use by another process" in refused(monkeypatch, capsys, words)
        finally:
            process.kill()
    assert play(tmp_path / "run", deals=len(parts_of(tmp_path / "run")) + 1)["deals"] > 1
    capsys.readouterr()


# --- what isn't gone on with -----------------------------------------------------------------------------


def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str]) -> str:
    """What the command says against its arguments, in one line."""
    capsys.readouterr()
    monkeypatch.setattr(sys, "argv", ["tournament", *words])
    with pytest.raises(SystemExit) as caught:
        tournament.main()
    assert caught.value.code == 2
    output = capsys.readouterr()
    assert output.out == ""
    (line,) = output.err.splitlines()
    assert line.startswith("error: ")
    return line


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"seed": 3}, ["seed is 3", "has 0"]),
        ({"players": 3}, ["num_players is 3", "has 2"]),
        ({"options": ["preset=mini", "reward=score"]}, ["'score'", "'outcome'"]),
        ({"game": "gummi_trick"}, ["game is gummi_trick", "has voodoo_prince"]),
        (
            {"agents": ["random", "rules", "policy.npz"]},
            ["agents is random, rules, policy.npz", "random, rules;"],
        ),
        ({"agents": ["random", "policy.npz"]}, ["agents is random, policy.npz", "random, rules;"]),
        ({"deals": 5}, ["deals is 5", "6 already", "as many or more"]),
    ],
    ids=str,
)
def test_a_run_with_other_settings_is_refused(
    changes: dict[str, Any],
    parts: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path("run")
    random_policy(GAME).save("policy.npz", GAME)
    play(folder)
    before = contents(folder)
    line = refused(monkeypatch, capsys, arguments(folder=folder, **changes))
    for part in (*parts, "'run'"):
        assert part in line
    assert contents(folder) == before


@pytest.mark.parametrize("spec", ["policy.npz", "policy:greedy=true,file=policy.npz"])
def test_a_run_with_a_changed_policy_is_refused(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    entrants = ["random", spec]
    random_policy(GAME, seed=0).save("policy.npz", GAME)
    expected = play(Path("run"), agents=entrants)
    random_policy(GAME, seed=1).save("policy.npz", GAME)
    line = refused(monkeypatch, capsys, arguments(folder="run", agents=entrants))
    assert f"{spec} as changed since" in line
    random_policy(GAME, seed=0).save("policy.npz", GAME)
    assert play(Path("run"), agents=entrants) == expected
    capsys.readouterr()


def test_a_run_of_another_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play(tmp_path)
    monkeypatch.setattr(tournament, "__version__", "99.0")
    assert "version is 99.0, but the run" in refused(monkeypatch, capsys, arguments(folder=tmp_path))


@pytest.mark.parametrize("package", range(3))
def test_a_run_of_other_code_is_refused(
    package: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    copies = [tmp_path / folder.name for folder in tournament.PACKAGES]
    assert [folder.name for folder in copies] == ["trick_envs", "trick_agents", "trick_experiments"]
    for folder, copied in zip(tournament.PACKAGES, copies, strict=True):
        shutil.copytree(folder, copied, ignore=shutil.ignore_patterns("__pycache__", "*.npz"))
    monkeypatch.setattr(tournament, "PACKAGES", tuple(copies))
    expected = play(tmp_path / "run")
    kernel.fingerprint.cache_clear()
    assert play(tmp_path / "run") == expected
    before = contents(tmp_path / "run")
    with next(copies[package].rglob("[a-z]*.py")).open("a") as file:
        file.write("# an edit\n")
    kernel.fingerprint.cache_clear()
    line = refused(monkeypatch, capsys, arguments(folder=tmp_path / "run", deals=9))
    assert "the code of trick-envs has changed: its fingerprint is " in line
    assert json.loads(before[Run.SETTINGS])["code"] in line
    assert f"the run in {str(tmp_path / 'run')!r}" in line
    assert contents(tmp_path / "run") == before


OWN_MODULE = """
from numpy import int32
from beside import CHOICE
from trick_envs.games.voodoo_prince.game import VoodooPrince

class Own(VoodooPrince):
    pass

class Agent:
    def act(self, game, states, rng):
        return game.action_masks(states).argmax(axis=1).astype(int32)
"""


@pytest.mark.parametrize(
    ("changes", "edited", "told"),
    [
        ({"agents": ["random", "mine:Agent"]}, "mine.py", "agents is mine:Agent as changed since"),
        ({"agents": ["random", "mine:Agent"]}, "beside.py", "agents is mine:Agent as changed since"),
        ({"game": "mine:Own"}, "mine.py", "the code of the game has changed"),
        ({"game": "mine:Own"}, "beside.py", "the code of the game has changed"),
    ],
)
def test_a_run_with_changed_code_of_ones_own_is_refused(
    changes: dict[str, Any],
    edited: str,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "mine.py").write_text(OWN_MODULE)
    (sources / "beside.py").write_text("CHOICE = 0\n")
    for module in ("mine", "beside"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.syspath_prepend(str(sources))
    expected = play(tmp_path / "run", **changes)
    kernel.fingerprint.cache_clear()
    assert play(tmp_path / "run", **changes) == expected
    with (sources / edited).open("a") as file:
        file.write("# an edit\n")
    kernel.fingerprint.cache_clear()
    assert told in refused(monkeypatch, capsys, arguments(folder=tmp_path / "run", **changes))
    for module in ("mine", "beside"):
        monkeypatch.delitem(sys.modules, module, raising=False)


def truncate(data: bytes) -> bytes:
    return data[: len(data) // 2]


def flip(data: bytes) -> bytes:
    middle = len(data) // 3
    return data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :]


@pytest.mark.parametrize(
    "damage", [truncate, flip, lambda data: b"", lambda data: b"{}", lambda data: b"[3]"]
)
@pytest.mark.parametrize("name", [Run.SETTINGS, "deals-0000001.npz"])
def test_damage_is_told_in_one_line(
    name: str,
    damage: Callable[[bytes], bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    expected = play(tmp_path)
    file = tmp_path / name
    intact = file.read_bytes()
    file.write_bytes(damage(intact))
    line = refused(monkeypatch, capsys, arguments(folder=tmp_path))
    assert f"'{file}' is damaged" in line
    file.write_bytes(intact)
    assert play(tmp_path) == expected
    capsys.readouterr()


def test_a_part_of_other_tables_is_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play(tmp_path / "run")
    play(tmp_path / "three", players=3)
    (file, *_), (other, *_) = parts_of(tmp_path / "run"), parts_of(tmp_path / "three")
    file.write_bytes(other.read_bytes())
    assert f"'{file}' is damaged" in refused(monkeypatch, capsys, arguments(folder=tmp_path / "run"))


def test_a_missing_part_is_told_and_later_ones_can_be_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = play(tmp_path, batch=1)
    files = parts_of(tmp_path)
    assert len(files) == 6
    files[2].unlink()
    line = refused(monkeypatch, capsys, arguments(folder=tmp_path))
    assert "no deals-0000002.npz" in line
    assert "deals-0000003.npz" in line
    for file in files[3:]:
        file.unlink()
    assert play(tmp_path) == expected
    capsys.readouterr()


@pytest.mark.parametrize("argument", ["folder", "report"])
def test_nothing_is_written_among_other_peoples_files(
    argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    others = tmp_path / "others"
    others.mkdir()
    (others / "README.md").write_text("mine")
    words = arguments(**({"folder": tmp_path / "run"} | {argument: others}))
    assert f"'{others}' has files, but no " in refused(monkeypatch, capsys, words)
    words = arguments(**({"folder": tmp_path / "run"} | {argument: others / "README.md"}))
    assert "is no folder" in refused(monkeypatch, capsys, words)
    assert [file.name for file in tmp_path.rglob("*")] == ["others", "README.md"]
    assert (others / "README.md").read_text() == "mine"


def test_hidden_files_are_in_nobodys_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / ".gitkeep").touch()
    (tmp_path / ".deals-0000000-half.npz").write_bytes(b"PK")  # what a killed run may leave behind
    assert play(tmp_path)["deals"] == 6
    capsys.readouterr()


# --- ratings ---------------------------------------------------------------------------------------------


def results_of(
    tables: list[Table], strength: dict[str, float], num_deals: int = 30, seed: int = 0
) -> Results:
    """Results in which scores are strength and luck."""
    n = len(tables[0])
    strengths = np.array([[strength[name] for name in table] for table in tables])
    luck = np.random.default_rng(seed).integers(-5, 6, (num_deals, len(tables), n, n))
    scores = (strengths[None, :, None, :] + luck).astype(np.int32)
    return Results(tables, scores, (scores == scores.max(axis=-1, keepdims=True)).astype(np.int8))


@pytest.mark.parametrize("num_seats", [2, 3, 4, 5])
def test_ratings_follow_strength(num_seats: int) -> None:
    names = list("dbca")
    results = results_of(tables_for(names, num_seats), {"a": 0, "b": 3, "c": 6, "d": 9})
    ratings = rate(results)
    assert sorted(names, key=lambda name: ratings[name].mean) == ["a", "b", "c", "d"]
    assert all(0 < rating.deviation < 200 for rating in ratings.values())
    assert np.mean([rating.mean for rating in ratings.values()]) == pytest.approx(1500)
    assert rate(results) == ratings


def test_a_rating_says_the_odds_to_be_ahead() -> None:
    results = results_of([("a", "b")], {"a": 0, "b": 0}, 44)
    results.winners[:] = 0
    results.scores[:] = [0, 1]
    results.scores[:4] = [1, 0]  # of 88 games one loses 80; the drawn one that is added makes 80.5 to 8.5
    ratings = rate(results)
    assert ratings["b"].mean - ratings["a"].mean == pytest.approx(400 * np.log10(80.5 / 8.5))
    results.scores[4:12] = 3  # a tie is half a game won by each: 72.5 to 16.5
    assert rate(results)["b"].mean - rate(results)["a"].mean == pytest.approx(400 * np.log10(72.5 / 16.5))


def test_the_ratings_of_known_strengths_are_found() -> None:
    """Rankings drawn from Plackett and Luce's model, as sorted times of exponential clocks."""
    strength = {"a": 1.0, "b": 2.0, "c": 4.0, "d": 8.0, "e": 16.0}
    tables = tables_for(list(strength), 3)
    rates = np.array([[strength[name] for name in table] for table in tables])
    times = np.random.default_rng(0).exponential(1 / np.broadcast_to(rates[None, :, None], (2000, 10, 3, 3)))
    scores = -times.argsort(axis=-1).argsort(axis=-1).astype(np.int32)
    ratings = rate(Results(tables, scores, (scores == 0).astype(np.int8)))
    for one, other in combinations(strength, 2):
        expected = 400 * np.log10(strength[one] / strength[other])
        deviation = np.hypot(ratings[one].deviation, ratings[other].deviation)
        assert ratings[one].mean - ratings[other].mean == pytest.approx(expected, abs=4 * deviation)
        assert deviation < 3


@pytest.mark.parametrize("num_seats", [2, 3, 4])
def test_ratings_are_the_same_for_any_order_of_the_deals(num_seats: int) -> None:
    names = list("abc")
    results = results_of(tables_for(names, num_seats), {"a": 0, "b": 1, "c": 0}, 20)
    ratings = rate(results)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(20)
        assert rate(Results(results.tables, results.scores[order], results.winners[order])) == ratings


@pytest.mark.parametrize("num_seats", [2, 3, 4])
def test_an_agent_that_is_better_by_everything_is_not_rated_below(num_seats: int) -> None:
    names = list("abcdef")[: num_seats + 2]
    num_better = 0
    for seed in range(10):
        results = results_of(tables_for(names, num_seats), dict.fromkeys(names, 0.0), 10, seed)
        ratings, means = rate(results), matches.means_by_deal(results)
        ahead = comparisons_by_deal(results).sum(axis=0)
        for one, other in permutations(names, 2):
            i, j = results.names.index(one), results.names.index(other)
            more, less = (
                {what: by_deal.mean() for what, by_deal in means[name].items()} for name in (one, other)
            )
            if (
                more["score"] > less["score"]
                and more["win_share"] > less["win_share"]
                and more["rank"] < less["rank"]
                and ahead[i, j] > ahead[j, i]
            ):
                num_better += 1
                assert ratings[one].mean > ratings[other].mean
    assert num_better > 20


def test_equal_agents_are_rated_alike_and_more_games_say_more() -> None:
    strength = dict.fromkeys("abc", 0.0)
    few, many = (rate(results_of(tables_for(list("abc"), 3), strength, deals)) for deals in (5, 60))
    for name in "abc":
        assert many[name].mean == pytest.approx(1500, abs=2 * many[name].deviation)
        assert many[name].deviation < few[name].deviation


def test_deviations_are_those_of_tournaments_played_again() -> None:
    tables, strength = tables_for(list("abc"), 3), {"a": 0.0, "b": 1.0, "c": 2.0}
    ratings = [rate(results_of(tables, strength, 50, seed)) for seed in range(60)]
    for name in "abc":
        found = np.std([rating[name].mean for rating in ratings], ddof=1)
        assert np.mean([rating[name].deviation for rating in ratings]) == pytest.approx(found, rel=0.3)


def test_agents_that_always_draw_are_rated_alike() -> None:
    results = results_of([("a", "b")], {"a": 0, "b": 0})
    results.scores[:] = 1
    results.winners[:] = 1
    ratings = rate(results)
    assert ratings["a"].mean == pytest.approx(1500)
    assert ratings["b"].mean == pytest.approx(1500)


def test_who_wins_all_games_has_a_finite_rating_and_little_is_known_of_it() -> None:
    few, many = (rate(results_of([("a", "b")], {"a": 0, "b": 99}, deals)) for deals in (2, 200))
    assert 1500 < few["b"].mean < many["b"].mean < 2500
    assert all(rating.deviation > 50 for rating in (*few.values(), *many.values()))


def test_an_agent_at_several_places_is_not_compared_with_itself() -> None:
    results = results_of(tables_for(["a", "b"], 3), {"a": 0, "b": 2}, 5)
    won = comparisons_by_deal(results)
    assert (won[:, [0, 1], [0, 1]] == 0).all()
    # Two tables, three rotations, two comparisons of one of the agents with the other one's two places.
    assert (won.sum(axis=(1, 2)) == 2 * 3 * 2).all()


# --- reports ---------------------------------------------------------------------------------------------


def read_csv(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(name="three")
def _three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A run of three agents, one with a long name, whose report is elsewhere."""
    monkeypatch.chdir(tmp_path)
    file = Path("results/a-folder-of-a-run-with-a-long-name/policy.npz")
    random_policy(GAME).save(file, GAME)
    entrants = ["rules", "random", f"policy:file={file},greedy=true"]
    play_config = Config(
        **(SMALL | {"agents": entrants, "folder": Path("run"), "report": Path("shown/here")})
    )
    tournament.run(play_config)
    capsys.readouterr()
    return tmp_path / "shown" / "here"


def test_a_report_is_complete(three: Path) -> None:
    assert {file.name for file in three.iterdir()} == REPORT_FILES
    assert not REPORT_FILES & {file.name for file in (three.parents[1] / "run").iterdir()}
    found = json.loads((three / "report.json").read_text())
    assert found["title"] == GAME.title
    assert found["options"] == GAME.options
    assert (found["deals"], found["tables"], found["games"]) == (6, 3, 6 * 3 * 2)
    assert found["decisions"] == sum(about["decisions"] for about in found["agents"].values())
    names = list(found["agents"])
    assert names[:2] == ["rules", "random"]
    assert found["milliseconds"].keys() == set(names)
    for about in found["agents"].values():
        for what in ("score", "win_share", "rank"):
            assert about[what]["low"] <= about[what]["mean"] <= about[what]["high"]
        assert about["rating"]["deviation"] > 0
    assert sum(about["win_share"]["mean"] for about in found["agents"].values()) == pytest.approx(3 / 2)
    assert [(pair["one"], pair["other"]) for pair in found["pairs"]] == list(combinations(names, 2))
    for pair in found["pairs"]:
        assert pair["difference"].keys() == pair["variance"].keys() == {"score", "win_share", "rank"}
        assert pair["p_value"].keys() == {"ahead", "score", "win_share", "rank"}
        assert all(0 < p <= 1 for p in pair["p_value"].values())
        assert 0 <= pair["ahead"]["mean"] <= 1


def test_a_mark_says_who_is_better_with_all_pairs_looked_at(tmp_path: Path) -> None:
    # Of ten pairs, two agents are apart by as much as would be told if they were the only pair.
    names = list("abcde")
    results = results_of(tables_for(names, 2), {"a": 0, "b": 0, "c": 0, "d": 4, "e": 1}, 12, seed=3)
    results.work = {name: matches.Work(1, 1.0) for name in names}
    found = {"title": "Title", "num_players": 2, "options": {}, "seed": 0, "command": "none"}
    found |= {"milliseconds": dict.fromkeys(names, 1.0), **summarise(results, names)}
    rows = report.cross_rows(found)
    excluded, marked = set(), set()
    for pair in found["pairs"]:
        i, j = names.index(pair["one"]) + 1, names.index(pair["other"]) + 1
        assert rows[i][j].endswith("*") == rows[j][i].endswith("*") == (pair["p_value"]["ahead"] < 0.05)
        if pair["p_value"]["ahead"] < 0.05:
            marked.add((i, j))
        if not pair["ahead"]["low"] <= 0.5 <= pair["ahead"]["high"]:
            excluded.add((i, j))
    assert marked < excluded
    assert {(1, 4), (2, 4), (3, 4)} <= marked
    report.write_report(tmp_path, found)
    assert "where one\nis better (95 % confidence for all pairs" in (tmp_path / "README.md").read_text(
        "utf-8"
    )
    for pair in found["pairs"]:
        del pair["p_value"]  # a report of before
    assert "*" not in "".join(cell for row in report.cross_rows(found) for cell in row)


def test_spreadsheets_have_the_figures_of_the_report(three: Path) -> None:
    found = json.loads((three / "report.json").read_text())
    rows = read_csv(three / "agents.csv")
    assert [row["agent"] for row in rows] == list(found["agents"])
    for row, about in zip(rows, found["agents"].values(), strict=True):
        assert float(row["win_share_low"]) == about["win_share"]["low"]
        assert float(row["rating"]) == about["rating"]["mean"]
        assert float(row["milliseconds"]) == found["milliseconds"][row["agent"]]
    for row, pair in zip(read_csv(three / "pairs.csv"), found["pairs"], strict=True):
        assert (row["one"], row["other"]) == (pair["one"], pair["other"])
        assert float(row["ahead_mean"]) == pair["ahead"]["mean"]
        assert float(row["ahead_p_value"]) == pair["p_value"]["ahead"]
        assert float(row["score_difference_p_value"]) == pair["p_value"]["score"]
        assert float(row["rank_difference_high"]) == pair["difference"]["rank"]["high"]


def test_pictures_are_pictures_of_a_reasonable_size(three: Path) -> None:
    for name in ("cross_table.png", "ratings.png"):
        height, width, _ = imread(three / name).shape
        assert 200 < height < 1500
        assert 500 < width < 1500


def test_the_page_names_all_agents_and_how_it_was_made(three: Path) -> None:
    page = (three / "README.md").read_text(encoding="utf-8")
    found = json.loads((three / "report.json").read_text())
    for name in found["agents"]:
        assert f"| `{name}` |" in page
    assert found["command"] in page
    assert "36 games, 6 deals, 3 tables" in page


def test_the_command_of_a_report_makes_it_again(three: Path) -> None:
    found = stored(three)
    words = found["command"].split()
    assert words[:2] == ["trick-envs", "tournament"]
    tournament.main([*words[2:], "--folder", "again"])
    assert stored(Path("again")) == found


def test_fewer_tables_are_played_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names = [f"{number}.npz" for number in range(7)]
    game = make_game("voodoo_prince", 3, preset="mini")
    for seed, name in enumerate(names):
        random_policy(game, seed=seed).save(name, game)
    folder = Path("run")
    found = play(folder, agents=names, players=3, deals=2, tables=7)
    assert (found["tables"], found["games"], len(found["pairs"])) == (7, 2 * 7 * 3, 21)
    assert found["command"].endswith(" --tables 7")
    line = refused(monkeypatch, capsys, arguments(folder=folder, agents=names, players=3, tables=14))
    assert "tables is 14" in line
    assert "has 7" in line


@pytest.mark.parametrize("width", [30, 60, 80, 200])
def test_tables_fit_any_terminal(three: Path, width: int) -> None:
    found = json.loads((three / "report.json").read_text())
    console = Console(width=width, record=True, force_terminal=False, quiet=False)
    with console.capture() as capture:
        report.print_report(console, found)
    text = capture.get()
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    if width >= 80:
        for name, about in found["agents"].items():
            share = f"{matches.Interval(**about['win_share']):.3f}"
            assert sum(share in line for line in text.splitlines()) >= 1, name


def test_long_names_are_broken_where_their_parts_end() -> None:
    assert cli.broken("search:worlds=50,rollouts=rules", 20) == "search:worlds=50,\nrollouts=rules"
    assert cli.broken("random", 20) == "random"
    assert cli.broken("results/run/policy.npz", 12) == "results/run/\npolicy.npz"
    for name in ("a" * 50, "policy:file=" + "b" * 30, "/a//b,,c::d", ","):
        assert all(len(line) <= 8 for line in cli.broken(name, 8).split("\n"))
        assert cli.broken(name, 8).replace("\n", "") == name


# --- the command -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_the_command_plays_every_game(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for num_players in game_class(name).player_counts:
        folder = tmp_path / f"{num_players}"
        words = arguments(game=name, players=num_players, deals=2, folder=folder)
        monkeypatch.setattr(sys, "argv", ["tournament", *words])
        tournament.main()
        output = capsys.readouterr()
        assert output.err == ""
        assert f"{num_players} players" in output.out
        found = stored(folder)
        assert (found["game"], found["num_players"]) == (name, num_players)
        assert set(contents(folder)) >= REPORT_FILES


def test_the_usual_folder_is_named_after_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    tournament.run(Config(**SMALL))
    assert (tmp_path / "results" / "tournament-voodoo_prince-2" / "report.json").is_file()
    capsys.readouterr()


@compiled_only
def test_search_agents_take_part_and_go_on_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entrants = ["random", "search:worlds=2", "ismcts:iterations=5"]
    expected = play(tmp_path / "at once", agents=entrants, deals=3)
    play(tmp_path / "grown", agents=entrants, deals=2)
    assert play(tmp_path / "grown", agents=entrants, deals=3) == expected
    capsys.readouterr()


@compiled_only
def test_agents_with_a_time_limit_take_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = play(tmp_path, agents=["random", "search:milliseconds=0.2"], deals=2)
    assert found["agents"]["search:milliseconds=0.2"]["decisions"] > 0
    capsys.readouterr()


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"agents": ["random"]}, ["agents are random", "two or more"]),
        ({"agents": ["random", "random"]}, ["random, random", "different"]),
        ({"agents": []}, ["agents are", "two or more"]),
        ({"agents": ["random", "nobody"]}, ["'nobody'", "rules"]),
        ({"agents": ["random", "missing.npz"]}, ["'missing.npz'"]),
        ({"agents": ["random", "rules:depth=3"]}, ["depth"]),
        ({"game": "chess"}, ["'chess'", *GAMES]),
        ({"players": 9}, ["9", "allowed"]),
        ({"options": ["colour=red"]}, ["'colour'"]),
        ({"options": ["preset"]}, ["'preset'", "name=value"]),
        ({"deals": 0}, ["deals is 0", "from 2"]),
        ({"deals": 1}, ["deals is 1", "from 2"]),
        ({"deals": 99999999999999}, ["deals is 99999999999999", "whole numbers from 2 to 1000000"]),
        ({"tables": 0}, ["tables is 0", "from 1 to 1000000"]),
        ({"batch": 0}, ["batch is 0", "from 1"]),
        ({"batch": 10**12}, ["batch is 1000000000000", "from 1 to 1000000"]),
        ({"seed": -1}, ["seed is -1", "from 0"]),
    ],
    ids=str,
)
def test_a_mistake_is_told_in_one_line_and_nothing_is_written(
    changes: dict[str, Any],
    parts: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    line = refused(monkeypatch, capsys, arguments(**changes))
    for part in parts:
        assert part in line
    assert list(tmp_path.iterdir()) == []
