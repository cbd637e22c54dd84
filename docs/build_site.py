"""The pages of the site that aren't written by hand: MkDocs calls the functions ``on_...`` as it builds.

Games come from their spec sheets and from the code, the reference from the modules, notebooks from their
files, the changelog and the note for contributors from the project's folder.
"""

import base64
import importlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from trick_envs import GAMES, make_game
from trick_envs.core.game import Game, States
from trick_envs.core.state import MAX_SEATS, fields_of

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"
TOURNAMENTS = ROOT / "docs" / "tournaments"
FIGURE = "<!-- figure -->"
"""Where the start page has the README's figure."""

PARTS = (
    "trick_envs",
    "trick_envs.core",
    "trick_envs.envs",
    "trick_envs.games",
    "trick_agents",
    "trick_experiments",
)
"""The parts of the reference; a module belongs to the last one that its name begins with."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fills in the parts of the navigation that follow from the project."""
    parts = {
        "games": [{make_game(name).title: f"games/{name}.md"} for name in GAMES],
        "notebooks": [{title_of(file): f"notebooks/{file.stem}.md"} for file in notebooks()],
        "tournaments": [
            {make_game(name).title: f"tournaments/{name}/README.md"}
            for name in GAMES
            if (TOURNAMENTS / name / "README.md").exists()
        ],
        "reference": [
            {
                part: [
                    {module.removeprefix(f"{part}."): f"reference/{module}.md"} for module in modules_of(part)
                ]
            }
            for part in PARTS
        ],
    }

    def filled(below: Any) -> Any:
        if isinstance(below, list):
            return [part for entry in below for part in parts.get(str(entry), [entry])]
        return parts.get(below, below)

    assert config.nav is not None
    nav = [{title: filled(below)} for entry in config.nav for title, below in entry.items()]
    config.nav = nav
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that are made."""
    for name in GAMES:
        files.append(File.generated(config, f"games/{name}.md", content=game_page(name)))
    for part in PARTS:
        for module in modules_of(part):
            text = f"# `{module}`\n\n::: {module}\n"
            files.append(File.generated(config, f"reference/{module}.md", content=text))
    for file in notebooks():
        for path, content in notebook_page(file):
            files.append(File.generated(config, path, content=content))
    for name in ("CHANGELOG", "CONTRIBUTING"):
        text = (ROOT / f"{name}.md").read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, f"{name.lower()}.md", content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Puts the first figure of the README, with the paragraph above it, into the start page."""
    if page.file.src_uri != "index.md":
        return markdown
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"\n\n([^\n].*?)\n\n(!\[[^\]]*\])\(docs/([^)]*)\)", readme, re.DOTALL)
    if found is None or FIGURE not in markdown:
        raise PluginError(f"the README has no figure, or the start page no {FIGURE}")
    about = found[1].rpartition("\n\n")[2]
    return markdown.replace(FIGURE, f"{found[2]}({found[3]})\n\n{about}")


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Refuses a page that would load anything from the network."""
    for tag in re.findall(r"<(?:script|link|img|iframe)\b[^>]*>", output):
        if re.search(r"""(?:src|href)=["']?(?:https?:)?//""", tag):
            raise PluginError(f"{page.file.src_uri} loads something from the network: {tag}")
    return output


# --- games -----------------------------------------------------------------------------------------------


def game_page(name: str) -> str:
    """A game's spec sheet, with a summary, the record's fields, a table in play and its agents' strength."""
    game = make_game(name)
    sheet = (ROOT / "trick_envs" / "games" / name / "README.md").read_text(encoding="utf-8")
    before, heading, after = sheet.partition("## The game\n")
    if not heading:
        raise PluginError(f"the spec sheet of {name} has no heading 'The game'")
    return "\n".join(
        [
            before + at_a_glance(game),
            "",
            heading + after,
            record(game),
            game_in_progress(game),
            strength(name),
        ]
    )


def at_a_glance(game: Game) -> str:
    """What somebody who looks for a game wants to know, counted by the code."""
    games = [type(game)(number) for number in game.player_counts]
    lengths = [f"{one.play_randomly(one.new_states(1000, seed=0)) / 1000:.0f}" for one in games]
    players = ", ".join(map(str, game.player_counts))
    title = "".join(word.capitalize() for word in game.name.split("_"))
    rows = [
        ("players", f"{players} (default {game.num_players})"),
        ("decisions in a game, played at random", f"{', '.join(lengths)} for {players} players"),
        ("actions, features", f"{game.num_actions}, {game.observation_size} for {game.num_players} players"),
        ("phases", ", ".join(f"`{phase}`" for phase in game.phases)),
        ("PettingZoo", f"`from trick_envs import {game.name}_v0`"),
        ("Gymnasium", f'`gymnasium.make("trick_envs/{title}-v0")`'),
        ("for any number of games", f'`make_game("{game.name}")`'),
        ("source", f"[the rules as code](../reference/trick_envs.games.{game.name}.rules.md)"),
    ]
    return "\n".join(["| at a glance | |", "| --- | --- |", *(f"| {key} | {value} |" for key, value in rows)])


def record(game: Game) -> str:
    """The fields of a game's record as a table."""
    rows = ["| field | type | axes | meaning | known to |", "| --- | --- | --- | --- | --- |"]
    for field in fields_of(game.state_dtype):
        axes = ", ".join(f"{axis} {size}" for axis, size in field.axes.items())
        dtype = game.state_dtype[field.name].base
        rows.append(f"| `{field.name}` | {dtype} | {axes} | {field.meaning} | {field.known_to} |")
    table = "\n".join(rows)
    return (
        '## The record\n\nA state is one record of these fields; `states["scores"]` of N states has shape '
        f"(N, {MAX_SEATS}). There is room for every number of players and all options. "
        "[An agent](../guides/writing_an_agent.md) may read what the current player may know; *its seat* is "
        "the one that an entry belongs to. Names in capitals and kinds of values, as `Phase`, are constants "
        f"in [the rules](../reference/trick_envs.games.{game.name}.rules.md).\n\n{table}\n"
    )


def game_in_progress(game: Game) -> str:
    """A game in progress as text: as its current player sees it, and with all cards open."""
    states = half_way(game)
    current_player = int(game.current_players(states)[0])
    mask = game.action_masks(states)[0]
    legal = ", ".join(f"`{game.action_to_string(int(action))}`" for action in np.flatnonzero(mask))
    return (
        "## A game in progress\n\nMade by the code for this page: a game that was played half-way at random, "
        f"as seat {current_player}, the current player, sees it "
        f"(`game.render(state, seat={current_player})`):\n\n"
        f"```text\n{game.render(states, current_player)}\n```\n\nIt may play {legal}.\n\n"
        f"The same table with all cards open (`game.render(state)`):\n\n```text\n{game.render(states)}\n```\n"
    )


def half_way(game: Game) -> States:
    """A state (1,) in the middle of a game, in which there is something to choose."""
    rng = np.random.default_rng(7)
    states = game.new_states(1, seed=7)
    num_decisions = game.play_randomly(states.copy())
    for _ in range(10 * num_decisions):
        legal = np.flatnonzero(game.action_masks(states)[0])
        num_decisions -= 2
        if num_decisions <= 0 and len(legal) > 1:
            break
        game.step(states, [int(rng.choice(legal))])
    return states


def strength(name: str) -> str:
    """The main table of the game's tournament."""
    file = TOURNAMENTS / name / "README.md"
    if not file.exists():
        return ""
    text = file.read_text(encoding="utf-8")
    rows = re.search(r"(?:^\| agent \|.*\n)(?:^\|.*\n)+", text, re.MULTILINE)
    about = re.search(r"\d[\d,]* games, [\d,]+ deals", text)
    if rows is None or about is None:
        raise PluginError(f"{file} has no table of agents")
    return (
        f"## How strong agents are\n\nFrom [a tournament](../tournaments/{name}/README.md) of {about[0]}; "
        f"95 % intervals over deals. An even share of wins is one seat's.\n\n{rows[0]}"
    )


# --- reference -------------------------------------------------------------------------------------------


def modules_of(part: str) -> list[str]:
    """The modules of a part of the reference, in alphabetical order."""
    package = Path(str(importlib.import_module(part.partition(".")[0]).__file__)).parent
    names = [
        ".".join(file.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")
        for file in package.rglob("*.py")
        if file.name != "__main__.py"
    ]
    return sorted(name for name in names if part == max(p for p in PARTS if f"{name}.".startswith(f"{p}.")))


# --- notebooks -------------------------------------------------------------------------------------------


def notebooks() -> list[Path]:
    """The notebooks' files, in order."""
    return sorted(NOTEBOOKS.glob("*.ipynb"))


def title_of(file: Path) -> str:
    """A notebook's first heading."""
    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        for line in cell["source"]:
            if line.startswith("# "):
                return str(line.removeprefix("# ").strip())
    raise PluginError(f"{file} has no heading")


def notebook_page(file: Path) -> Iterator[tuple[str, str | bytes]]:
    """A notebook as a page, and its pictures: paths in the site and contents."""
    parts = []
    for number, cell in enumerate(json.loads(file.read_text(encoding="utf-8"))["cells"]):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "image/png" in data:
                path = f"{file.stem}_{number}.png"
                parts.append(f"![What the code above draws]({path})")
                yield f"notebooks/{path}", base64.b64decode(data["image/png"])
            elif text := "".join(output.get("text") or data.get("text/plain", "")):
                parts.append(f"```text\n{text.rstrip()}\n```")
    parts.append(f"This page is `notebooks/{file.name}`, to be opened with Jupyter and changed at will.")
    yield f"notebooks/{file.stem}.md", "\n\n".join(parts) + "\n"
