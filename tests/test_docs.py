"""The documents keep their word: examples run, tables are those of the code, what is named exists."""

import ast
import contextlib
import importlib
import importlib.util
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.examples import GUIDES, examples, run
from trick_agents import AGENTS, registry
from trick_agents.pretrained import FOLDER
from trick_envs import GAMES, game_class, make_game
from trick_envs.core.game import REWARD, Game
from trick_envs.core.kernel import COMPILED
from trick_envs.core.options import Option
from trick_experiments.__main__ import COMMANDS, module_of

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
NOTES = sorted((ROOT / "docs").glob("*.md"))

SHEETS = {name: ROOT / "trick_envs" / "games" / name / "README.md" for name in GAMES}
"""The games' spec sheets."""

TOURNAMENTS = sorted((ROOT / "docs" / "tournaments").glob("*/README.md"))

DOCUMENTS = [README, CONTRIBUTING, *NOTES, *GUIDES, *TOURNAMENTS, *SHEETS.values()]

every_sheet = pytest.mark.parametrize("name", SHEETS)


def as_params(files: list[Path]) -> list[Any]:
    """Files as parameters with readable ids."""
    return [pytest.param(file, id=str(file.relative_to(ROOT))) for file in files]


def blocks(file: Path, language: str) -> list[str]:
    """The code blocks of a document in one language."""
    return re.findall(
        rf"^```{language}\n(.*?)^```$", file.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


def section(file: Path, heading: str) -> str:
    """What stands below a heading."""
    parts = re.split(r"^## (.*)\n", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert heading in sections, f"{file} has no section {heading!r}"
    return sections[heading]


def table(text: str) -> list[dict[str, str]]:
    """The first Markdown table in a text, a dict for each row."""
    is_row = [line.startswith("|") for line in text.splitlines()]
    start = is_row.index(True)
    lines = text.splitlines()[start : [*is_row, False].index(False, start)]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]


# --- examples ------------------------------------------------------------------------------------------

WITH_EXAMPLES = as_params([file for file in DOCUMENTS if examples(file)])


@pytest.mark.skipif(not COMPILED, reason="examples play thousands of games")
@pytest.mark.parametrize("file", WITH_EXAMPLES)
def test_the_examples_of_a_document_run_and_print_what_it_shows(file: Path, tmp_path: Path) -> None:
    for module in ("stable_baselines3", "sb3_contrib", "torch"):
        if module in file.read_text(encoding="utf-8"):
            pytest.importorskip(module)
    for example, printed in run(file, tmp_path):
        if example.shown is not None:
            place = f"{file}:{example.line}; python -m tests.examples writes what is printed now"
            assert printed.rstrip() == example.shown.rstrip(), place


def test_there_are_examples() -> None:
    assert len(examples(README)) >= 3
    assert all(examples(file) for file in (*SHEETS.values(), *GUIDES))
    assert all(
        any(example.shown for example in examples(file)) for file in GUIDES if file.stem != "performance"
    )


def test_no_block_is_in_a_language_that_is_not_tested() -> None:
    for file in DOCUMENTS:
        text = file.read_text(encoding="utf-8")
        starts = re.findall(r"^```(.*)$", text, re.MULTILINE)[::2]
        assert {start.partition(" ")[0] for start in starts} <= {"python", "console", "text"}, file
        assert sum(start.startswith("python") for start in starts) == len(examples(file)), file


@pytest.mark.parametrize("file", as_params(DOCUMENTS))
def test_the_commands_of_a_document_are_accepted(file: Path) -> None:
    for block in blocks(file, "console"):
        for line in block.replace("\\\n", " ").splitlines():
            check_command(shlex.split(line, comments=True), [example.title for example in examples(file)])


def check_command(words: list[str], files: Collection[str | None] = ()) -> None:
    """Raises if a command, or one of its arguments, isn't known. `files`: those that the document shows."""
    match words:
        case ["make", *targets]:
            check_make(targets)
        case ["python", "-m", "pytest", file]:
            assert file in files, file
        case ["python", "-m", module] if module.startswith("tests."):
            assert (ROOT / module.replace(".", "/")).with_suffix(".py").is_file(), module
        case ["trick-envs", command, *arguments]:
            config = importlib.import_module(module_of(command)).Config
            errors = io.StringIO()
            with contextlib.redirect_stdout(errors), contextlib.redirect_stderr(errors):
                try:
                    pytest.importorskip("tyro").cli(config, args=arguments)
                except SystemExit:
                    pytest.fail(f"{shlex.join(words)}: {errors.getvalue()}")
        case ["pip", "install", what]:
            project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
            found = re.fullmatch(rf"(?:\.|{project['name']})(?:\[([a-z]+)\])?", what)
            assert found is not None, what
            assert found[1] in {None, *project["optional-dependencies"]}, what
        case _:
            pytest.fail(f"nothing is known of the command {shlex.join(words)!r}")


def check_make(words: list[str]) -> None:
    """Raises if `make` has no such target or setting."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for word in words:
        name, is_setting, _ = word.partition("=")
        known = rf"^{name} \?=" if is_setting else rf"^{name}:"
        assert re.search(known, makefile, re.MULTILINE), word


@pytest.mark.skipif(not COMPILED, reason="hundreds of tests play games")
def test_the_tests_of_the_guides_game_pass_as_it_says(tmp_path: Path) -> None:
    """By the command that the guide gives, outside the clone, with the files that it shows."""
    guide = ROOT / "docs" / "guides" / "adding_a_game.md"
    for example in examples(guide):
        if example.title is not None:
            file = tmp_path / example.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(example.code, encoding="utf-8")
    (command,) = [block for block in blocks(guide, "console") if "pytest" in block]
    _, *arguments = shlex.split(command)
    done = subprocess.run(
        [sys.executable, *arguments, "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    (num_passed,) = re.findall(r"(\d+) passed", done.stdout)
    assert int(num_passed) > 500


# --- what documents import -----------------------------------------------------------------------------

FACES = {
    "trick_envs",
    "trick_envs.testing",
    "trick_envs.toolkit",
    *(f"trick_envs.{name}_v0" for name in GAMES),
    "trick_agents",
    "trick_experiments",
}
"""The modules for users; what is named in them stays where it is."""


def imports_of(code: str) -> Iterator[tuple[str, list[str]]]:
    """The modules of this project that Python code imports, and the names that it takes from each."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found = [(name.name, []) for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            found = [(node.module or "", [name.name for name in node.names])]
        else:
            continue
        yield from ((module, names) for module, names in found if module.partition(".")[0] in FACES)


def code_of(file: Path) -> list[str]:
    """The Python blocks of a document, or the cells of a notebook."""
    if file.suffix == ".md":
        return [example.code for example in examples(file)]
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.parametrize("file", as_params([*DOCUMENTS, *sorted((ROOT / "notebooks").glob("*.ipynb"))]))
def test_documents_import_from_what_is_for_users_only(file: Path) -> None:
    imported = [found for code in code_of(file) for found in imports_of(code)]
    for module, names in imported:
        assert module in FACES, module
        face = importlib.import_module(module)
        for name in names:
            assert name in getattr(face, "__all__", dir(face)) or f"{module}.{name}" in FACES, (
                f"{module}.{name}"
            )
    assert imported or file not in GUIDES


@pytest.mark.parametrize("module", sorted(FACES))
def test_all_that_is_for_users_is_there_and_described(module: str) -> None:
    face = importlib.import_module(module)
    assert face.__doc__
    for name in getattr(face, "__all__", ()):
        assert name in dir(face)
        try:
            value = getattr(face, name)
        except ModuleNotFoundError as error:
            assert error.name in ("torch", "stable_baselines3", "sb3_contrib")  # noqa: PT017
            continue
        if callable(value):
            assert value.__doc__, name


# --- spec sheets ---------------------------------------------------------------------------------------


@every_sheet
def test_the_sheet_has_the_observation_of_the_code(name: str) -> None:
    game = make_game(name)
    text = section(SHEETS[name], "Observation")
    assert game.observation_layout.table("features") in text
    assert f"With {game.num_players} players" in text


@every_sheet
def test_the_sheet_has_the_options_of_the_code(name: str) -> None:
    def in_words(option: Option) -> str:
        return ", ".join(f"`{choice}`" for choice in option.choices) or option.allowed

    expected = [
        {
            "option": f"`{option.name}`",
            "default": f"`{option.default}`",
            "allowed": in_words(option),
            "meaning": option.meaning,
        }
        for option in (*make_game(name).own_options, REWARD)
    ]
    assert table(section(SHEETS[name], "Options")) == expected


@every_sheet
def test_the_sheet_has_the_sizes_of_the_code(name: str) -> None:
    kind = game_class(name)
    rows = table(section(SHEETS[name], "Sizes"))
    assert [row["players"] for row in rows] == [str(number) for number in kind.player_counts]
    for row in rows:
        game = kind(int(row["players"]))
        assert row["actions"] == str(game.num_actions)
        assert row["features"] == str(game.observation_size)


@every_sheet
def test_the_sheet_has_the_presets_of_the_code(name: str) -> None:
    kind = game_class(name)
    expected = [
        {
            "preset": f"`{preset}`",
            "players": str(num_players),
            **{f"`{option}`": f"`{value}`" for option, value in options.items()},
            "actions": str(kind(num_players, preset).num_actions),
            "features": str(kind(num_players, preset).observation_size),
        }
        for num_players in kind.player_counts
        for preset, options in kind.presets_for(num_players).items()
    ]
    assert table(section(SHEETS[name], "Presets")) == expected


@every_sheet
def test_the_sheet_has_the_actions_of_the_code(name: str) -> None:
    game = make_game(name)
    text = section(SHEETS[name], "Actions")
    assert f"With {game.num_players} players" in text
    assert game.action_layout.table("actions") in text


@every_sheet
def test_the_sheet_says_how_rewards_are_scaled_and_what_a_state_has(name: str) -> None:
    game = make_game(name)
    sheet = SHEETS[name].read_text(encoding="utf-8")
    scale = f"Scores are divided by {game.score_scale} in rewards" if game.score_scale != 1 else ""
    assert scale in sheet
    keys = set(game.to_dict(game.new_states(1, seed=0)[0]))
    assert keys <= set(re.findall(r"`(\w+)`", section(SHEETS[name], "States as plain Python")))
    phases = ", ".join(f"`{phase}`" for phase in game.phases)
    assert phases in section(SHEETS[name], "States as plain Python")


@every_sheet
def test_the_sheet_shows_a_game_as_it_is_rendered(name: str) -> None:
    game = make_game(name)
    (shown,) = blocks(SHEETS[name], "text")
    rendered = game.render(game.new_states(1, seed=0)[0], seat=0)
    # The sheet's position is another one; headings are the same.
    assert shown.splitlines()[1] == rendered.splitlines()[1]
    assert shown.startswith(game.title)


# --- README --------------------------------------------------------------------------------------------


def in_range(counts: tuple[int, ...]) -> str:
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]}–{counts[-1]}"


def test_the_readme_lists_all_games() -> None:
    rows = table(README.read_text(encoding="utf-8"))
    kinds: list[type[Game]] = [game_class(name) for name in GAMES]
    assert len(rows) == len(kinds)
    for row, kind in zip(rows, kinds, strict=True):
        assert row["game"].startswith(kind.title)
        assert row["players"] == in_range(kind.player_counts)
        assert f"(trick_envs/games/{kind.name}/README.md)" in row["spec sheet"]


def test_the_readme_has_the_strength_that_was_measured() -> None:
    matches = pytest.importorskip("trick_experiments.evaluation.matches")
    rows = {row["game"]: row for row in table(section(README, "How strong"))}
    for name in GAMES:
        game = make_game(name)
        report = json.loads((FOLDER / f"{name}-{game.num_players}p.json").read_text(encoding="utf-8"))
        row = rows.pop(game.title)
        for opponent, column in (("rules", "rule-based agents"), ("search:playouts=1000", "search")):
            share = matches.Interval(**report["results"][opponent]["measures"]["learner"]["win_share"])
            (cell,) = [text for heading, text in row.items() if f"against {column}" in heading]
            assert cell == f"{share:.3f}"
    assert not rows


@pytest.mark.parametrize("file", as_params(DOCUMENTS))
def test_what_make_is_told_to_do_is_there(file: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    settings = set(re.findall(r"^([A-Z]+) \?=", makefile, re.MULTILINE))
    text = file.read_text(encoding="utf-8")
    commands = re.findall(r"(?:^|`)make ([a-z]+)", text, re.MULTILINE)
    assert commands or file not in (README, CONTRIBUTING)
    assert set(commands) <= targets
    others = {"NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK", "PYTHONPATH"}
    assert set(re.findall(r"\b([A-Z]+)=", text)) - others <= settings


def test_make_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert set(re.findall(r"^([a-z]+):.*## ", makefile, re.MULTILINE)) == set(phony.split())


@pytest.mark.parametrize("file", as_params(DOCUMENTS))
def test_the_commands_in_a_document_are_there(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    for module in re.findall(r"python -m ([\w.]+)", text):
        assert importlib.util.find_spec(module) is not None, module
    for command in re.findall(r"trick-envs ([a-z-]+)", text):
        assert command in COMMANDS, command
    for agents in re.findall(r"--agents ([^-\n]*)", text):
        for agent in agents.split():
            is_known = agent.partition(":")[0] in AGENTS or agent.endswith(".npz")
            assert is_known or registry.OWN.fullmatch(agent), agent


@pytest.mark.parametrize("file", as_params([README, CONTRIBUTING, *TOURNAMENTS, *SHEETS.values()]))
def test_links_lead_to_files(file: Path) -> None:
    """Those of pages that are written for the site lead to pages that are made; test_site.py follows them."""
    for link in re.findall(r"\]\(([^)#]+)\)", file.read_text(encoding="utf-8")):
        if not link.startswith(("https://", "http://")):
            assert (file.parent / link).is_file(), link


def test_the_files_that_contributing_names_are_there() -> None:
    (tree,) = blocks(CONTRIBUTING, "text")
    names = {part.name for part in (*ROOT.glob("*"), *(ROOT / "trick_envs").rglob("*"))}
    names |= {part.name for part in (*(ROOT / "agents").rglob("*"), *(ROOT / "experiments").rglob("*"))}
    for line in tree.splitlines():
        for word in re.split(r"\s{3,}", line.strip())[0].split():
            if word != "games/<game>/":
                assert Path(word).name in names, word


# --- all files -----------------------------------------------------------------------------------------


def text_files() -> Iterator[tuple[Path, str]]:
    """All text files of the project, those not yet committed included."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is no checkout")
    for file in (ROOT / name for name in listed.decode().split("\0") if name):
        try:
            yield file, file.read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError):
            continue  # a picture, or a file whose removal isn't committed yet


def test_no_file_names_a_place_of_one_machine() -> None:
    places = [f"/{name}/" for name in ("work", "root", "home", "Users")]
    found = [
        f"{file.relative_to(ROOT)}: {place}"
        for file, text in text_files()
        for place in places
        if place in text
    ]
    assert found == []
