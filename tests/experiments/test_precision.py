"""How many games a comparison takes: the numbers are right, and the note shows those that were found."""

import json
import sys
from dataclasses import fields
from itertools import product
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("scipy")
pytest.importorskip("tyro")

import trick_agents
from trick_envs import GAMES, make_game
from trick_envs.core.kernel import COMPILED
from trick_envs.core.random import Streams
from trick_experiments import precision
from trick_experiments.evaluation.report import markdown_table
from trick_experiments.precision import MARKS, Careless, Row, cells, with_table

DOCS = Path(__file__).parents[2] / "docs"

ROW = Row(
    game="some_game",
    title="Some Game",
    num_players=4,
    against="random",
    deals=100,
    difference=0.1,
    low=0.08,
    high=0.12,
    variance={"single": 0.5, "rotated": 0.4, "duplicate": 0.25},
    games_per_deal=4,
)


def stored_rows(file: Path) -> list[Row]:
    names = [field.name for field in fields(Row)]
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    return [Row(**{name: row[name] for name in names}) for row in rows]


def test_games_for_a_difference_find_it_in_four_of_five_attempts() -> None:
    rng = np.random.default_rng(0)
    games = ROW.games_for(0.05, "single")
    attempts = rng.normal(0.05, np.sqrt(ROW.variance["single"] / games), 20_000)
    assert (attempts > ROW.half_width(games, "single")).mean() == pytest.approx(0.8, abs=0.01)


def test_games_follow_variance_and_difference() -> None:
    assert ROW.games_for(0.05, "single") == pytest.approx(2 * ROW.games_for(0.05, "duplicate"), abs=2)
    assert ROW.games_for(0.02, "single") == pytest.approx(6.25 * ROW.games_for(0.05, "single"), rel=0.001)
    assert ROW.deals_for(0.05) == -(-ROW.games_for(0.05, "duplicate") // 4)
    assert ROW.half_width(400, "single") == pytest.approx(ROW.half_width(100, "single") / 2)
    assert ROW.half_width(100, "single") == pytest.approx(1.96 * np.sqrt(0.005), rel=0.001)


def test_a_careless_agent_leaves_a_tenth_of_its_moves_to_chance() -> None:
    game = make_game("voodoo_prince")
    states = game.new_states(2000 if COMPILED else 200, 0)

    rules = trick_agents.make("rules", game)
    careful = rules.act(game, states, Streams(len(states), 0))
    actions = Careless(rules).act(game, states, Streams(len(states), 0))
    masks = game.action_masks(states)
    assert masks[np.arange(len(states)), actions].all()
    expected = precision.CARELESS * (1 - 1 / masks.sum(axis=1).mean())
    assert (actions != careful).mean() == pytest.approx(expected, abs=0.03 if COMPILED else 0.08)


def test_the_table_takes_the_place_of_the_one_before() -> None:
    text = f"before\n\n{MARKS[0]}\nold\n{MARKS[1]}\n\nafter\n"
    once = with_table(text, "| new |")
    assert once == f"before\n\n{MARKS[0]}\n\n| new |\n\n{MARKS[1]}\n\nafter\n"
    assert with_table(once, "| new |") == once


@pytest.mark.parametrize("text", ["", MARKS[0], MARKS[1], MARKS[1] + MARKS[0]])
def test_a_document_without_marks_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="the document has no"):
        with_table(text, "| new |")


def test_the_note_shows_what_was_found() -> None:
    rows = stored_rows(DOCS / "precision.json")
    assert [(row.game, row.against) for row in rows] == list(product(GAMES, ("random", "careless")))
    note = (DOCS / "comparing_agents.md").read_text(encoding="utf-8")
    assert f"{MARKS[0]}\n\n{markdown_table(cells(rows))}\n\n{MARKS[1]}" in note


@pytest.mark.skipif(not COMPILED, reason="hundreds of games are for compiled code")
def test_the_command_measures_and_writes_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(precision, "GAMES", {"gummi_trick": ""})
    (tmp_path / "comparing_agents.md").write_text(f"{MARKS[0]}\n{MARKS[1]}\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["precision", "--deals", "60", "--folder", str(tmp_path)])
    precision.main()
    output = capsys.readouterr()
    assert output.err == ""
    assert "Gummi" in output.out
    rows = stored_rows(tmp_path / "precision.json")
    assert [row.against for row in rows] == ["random", "careless"]
    assert rows[0].low > 0
    for row in rows:
        assert row.low < row.difference < row.high
        # The interval of the difference is that of duplicate deals.
        half = row.half_width(row.deals * row.games_per_deal, "duplicate")
        assert (row.high - row.low) / 2 == pytest.approx(half, rel=0.05)
    assert (tmp_path / "precision.png").read_bytes().startswith(b"\x89PNG")
    assert markdown_table(cells(rows)) in (tmp_path / "comparing_agents.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["--deals", "47"], "deals is 47; allowed are whole numbers from 48 to 1000000"),
        (
            ["--deals", "99999999999999"],
            "deals is 99999999999999; allowed are whole numbers from 48 to 1000000",
        ),
        (["--seed", "-1"], "seed is -1; allowed are whole numbers from 0"),
        (["--folder", "nowhere"], "nowhere"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    words: list[str],
    part: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["precision", *words])
    with pytest.raises(SystemExit) as caught:
        precision.main()
    assert caught.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert part in line
    assert list(tmp_path.iterdir()) == []
