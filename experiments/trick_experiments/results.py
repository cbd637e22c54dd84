"""Writes docs/results.md, with its pictures, from what other commands have stored.

- `agents/trick_agents/pretrained/*.json`, by `trick-envs publish`: the trained policies;
- `docs/results/matches/*.json`, by `trick-envs evaluate --json`: one agent against others of one kind;
- `docs/results/probes/*.json`, by `trick-envs probe --json`;
- `docs/results/curves/*.csv`, learning curves of `trick-envs train`, as <game>-<how>-<seed>.csv;
- `docs/tournaments/*-policies/report.json`, by `trick-envs tournament --report`.

    trick-envs results
"""

import csv
import json
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from trick_agents.pretrained import FOLDER
from trick_envs.core.registry import GAMES, game_class
from trick_experiments.common.cli import user_errors
from trick_experiments.common.files import write_figure, write_text
from trick_experiments.evaluation.matches import CONFIDENCE, FAMILY, MARK, Interval
from trick_experiments.evaluation.report import cross_rows, main_rows, markdown_table

RULES = "rules"
POLICY = "pretrained"

Report = dict[str, Any]
Rows = list[dict[str, float]]
"""A learning curve."""
Curves = dict[str, dict[str, list[Rows]]]
"""Learning curves by game, then by how it was learned: one for each seed."""


@dataclass(frozen=True)
class Config:
    """Writes the report on all that was measured."""

    docs: Path = Path("docs")
    """The folder of results.md, with results/ and tournaments/ below it."""
    pretrained: Path = FOLDER
    """The folder of the trained policies."""


@dataclass(frozen=True)
class Match:
    """One agent at one seat, others of one kind at all others."""

    game: str
    num_players: int
    agent: str
    other: str
    deals: int
    win_share: Interval
    score_difference: Interval
    milliseconds: float


def match_of(report: Report, name: str | None = None) -> Match:
    """A match from a stored result of `trick_experiments.evaluate`; `name`: what to call its first agent."""
    one, other = report["agents"]
    return Match(
        game=report["game"],
        num_players=len(report["seats"]),
        agent=name or one,
        other=other,
        deals=report["deals"],
        win_share=Interval(**report["measures"][one]["win_share"]),
        score_difference=Interval(**report["differences"][f"{one} - {other}"]["score"]),
        milliseconds=report["milliseconds"][one],
    )


def read_all(folder: Path, pattern: str = "*.json") -> list[Report]:
    """All stored results of a folder, by file name."""
    return [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob(pattern))]


def by_game(reports: list[Report]) -> list[Report]:
    """In the order of `GAMES`, the usual number of players first."""
    games = list(GAMES)

    def key(report: Report) -> tuple[int, bool]:
        game = report["game"]
        return games.index(game), report["num_players"] != game_class(game).default_players

    return sorted(reports, key=key)


def kind(name: str, num_players: int) -> str:
    """The game and the number of players as text."""
    return f"{game_class(name).title} ({num_players})"


# --- tables ----------------------------------------------------------------------------------------------


def policy_rows(
    policies: list[Report], what: Callable[[Match], str], even: Callable[[int], str]
) -> list[list[str]]:
    """The trained policies against all reference_opponents that each was measured against.

    `what`: to show of a match; `even`: what that is between equals, by the number of players.
    """
    reference_opponents = list(dict.fromkeys(name for report in policies for name in report["results"]))
    rows = [
        [
            "game (players)",
            "even",
            *(f"against `{name}`" for name in reference_opponents),
            "decisions",
            "minutes",
        ]
    ]
    for report in policies:
        matches = {match.other: what(match) for match in matches_of(report)}
        n = report["num_players"]
        cells = [matches.get(name, "–") for name in reference_opponents]
        made = [f"{report['steps']:,}", f"{report['minutes']:.0f}"]
        rows.append([kind(report["game"], n), even(n), *cells, *made])
    return rows


def matches_of(policy: Report) -> list[Match]:
    """The matches that a trained policy was measured by."""
    return [match_of(policy | result, POLICY) for result in policy["results"].values()]


def match_rows(matches: list[Match]) -> list[list[str]]:
    """Matches, by game, opponent and agent, numbers in its name by size."""

    def key(match: Match) -> tuple[int, str, list[str | int]]:
        parts = re.split(r"(\d+)", match.agent)
        return list(GAMES).index(match.game), match.other, [int(p) if p.isdigit() else p for p in parts]

    rows = [["game (players)", "agent", "others", "deals", "win share", "points ahead", "ms/move"]]
    for match in sorted(matches, key=key):
        who = [kind(match.game, match.num_players), f"`{match.agent}`"]
        others = f"{match.num_players - 1} × `{match.other}`"
        found = [f"{match.win_share:.3f}", f"{match.score_difference:.2f}", f"{match.milliseconds:.3g}"]
        rows.append([*who, others, str(match.deals), *found])
    return rows


def probe_rows(probes: list[Report]) -> list[list[str]]:
    """What learners won against agents that didn't change."""
    rows = [["game (players)", "agent", "even", "the probe's win share", "points ahead", "decisions"]]
    for report in probes:
        share, score = Interval(**report["win_share"]), Interval(**report["score_difference"])
        n = report["num_players"]
        found = [f"{share:.3f}", f"{score:.2f}", f"{report['steps']:,}"]
        rows.append([kind(report["game"], n), f"`{report['agent']}`", f"{1 / n:.3f}", *found])
    return rows


# --- pictures --------------------------------------------------------------------------------------------


def draw_strength(file: Path, matches: list[Match]) -> None:
    """Draws win shares against rule-based agents over the time for a move."""
    figure, places = one_for_each([name for name in GAMES if any(match.game == name for match in matches)])
    for name, axes in places.items():
        families = defaultdict(list)
        for match in matches:
            if match.game == name and match.num_players == game_class(name).default_players:
                families[family_of(match.agent)].append(match)
        for family in sorted(families):
            line = sorted(families[family], key=lambda match: match.milliseconds)
            shares = [match.win_share for match in line]
            axes.errorbar(
                [match.milliseconds for match in line],
                [share.mean for share in shares],
                yerr=[
                    [share.mean - share.low for share in shares],
                    [share.high - share.mean for share in shares],
                ],
                marker="o",
                markersize=4,
                capsize=2,
                label=family,
                color=COLOURS.get(family),
            )
        axes.set(xscale="log", xlabel="ms/move")
    save(figure, file)


COLOURS = {
    "policy": "tab:red",
    "policy with search": "tab:purple",
    "search, random roll-outs": "tab:blue",
    "search, rule-based roll-outs": "tab:cyan",
    "ISMCTS": "tab:green",
}


def family_of(agent: str) -> str:
    """What kind of agent a text describes."""
    name = agent.partition(":")[0]
    if "prior=" in agent:
        return "policy with search"
    if name == POLICY:
        return "policy"
    if name == "ismcts":
        return "ISMCTS"
    if name == "search":
        return f"search, {'rule-based' if 'rollouts=rules' in agent else 'random'} roll-outs"
    return name


def read_curves(folder: Path) -> Curves:
    """All stored learning curves."""
    found: Curves = defaultdict(lambda: defaultdict(list))
    for file in sorted(folder.glob("*.csv")):
        game, how, _ = file.stem.split("-")
        with file.open(newline="", encoding="utf-8") as stream:
            rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(stream)]
        found[game][how].append(rows)
    return found


def draw_curves(file: Path, curves: Curves) -> None:
    """Draws learning curves over minutes: the mean of the seeds and its 95 % interval."""
    figure, places = one_for_each([name for name in GAMES if name in curves])
    ways = sorted({how for by_way in curves.values() for how in by_way})
    colours = {how: f"C{number}" for number, how in enumerate(ways)}
    for name, axes in places.items():
        for how, seeds in sorted(curves[name].items()):
            end = min(rows[-1]["minutes"] for rows in seeds)
            minutes = np.linspace(0, end, 40)
            shares = np.array(
                [
                    np.interp(
                        minutes,
                        [row["minutes"] for row in rows],
                        [row[f"{RULES}_win_share"] for row in rows],
                    )
                    for rows in seeds
                ]
            )
            mean = shares.mean(axis=0)
            axes.plot(minutes, mean, label=how.replace("_", " "), color=colours[how])
            if len(seeds) > 1:
                half = stats.t.ppf((1 + CONFIDENCE) / 2, len(seeds) - 1) * stats.sem(shares, axis=0)
                axes.fill_between(minutes, mean - half, mean + half, alpha=0.2, color=colours[how])
        axes.set(xlabel="minutes", ylim=(0, None))
    save(figure, file)


def one_for_each(games: list[str]) -> tuple[Figure, dict[str, Axes]]:
    """A picture with a place for each game, for win shares against rule-based agents."""
    figure = Figure(figsize=(3 * len(games), 3.6), layout="constrained")
    grid = figure.subplots(1, len(games), sharey=True, squeeze=False)
    places: dict[str, Axes] = dict(zip(games, grid[0], strict=True))
    for name, axes in places.items():
        axes.axhline(1 / game_class(name).default_players, color="gray", linestyle="--", linewidth=1)
        axes.set_title(game_class(name).title)
        axes.grid(alpha=0.3)
    grid[0, 0].set_ylabel("win share against rule-based agents")
    return figure, places


def save(figure: Figure, file: Path) -> None:
    """Writes a picture, with one legend for all places."""
    handles: dict[str, Artist] = {}
    for axes in figure.axes:
        lines, labels = axes.get_legend_handles_labels()
        handles |= dict(zip(labels, lines, strict=True))
    figure.legend(
        list(handles.values()), list(handles), loc="outside lower center", ncols=max(1, len(handles))
    )
    write_figure(file, figure)


# --- the document ----------------------------------------------------------------------------------------


def run(config: Config) -> None:
    """Writes the document and its pictures."""
    folder = config.docs / "results"
    policies = by_game(read_all(config.pretrained))
    matches = [match_of(report) for report in by_game(read_all(folder / "matches"))]
    of_policies = [match for report in policies for match in matches_of(report)]
    probes = by_game(read_all(folder / "probes"))
    tournaments = by_game(read_all(config.docs / "tournaments", "*-policies/report.json"))
    curves = read_curves(folder / "curves")
    for what, found in (
        ("policies", policies),
        ("matches", matches),
        ("probes", probes),
        ("curves", curves),
        ("tournaments", tournaments),
    ):
        if not found:
            raise ValueError(f"no {what} are stored; see trick-envs results --help")
    against_rules = [match for match in matches + of_policies if match.other == RULES]
    draw_strength(folder / "strength.png", against_rules)
    draw_curves(folder / "curves.png", curves)
    commands = "\n".join(report["command"] for report in policies)
    crosses = "\n\n".join(
        f"### {kind(report['game'], report['num_players'])}\n\n"
        f"{report['deals']} deals, {report['games']:,} games.\n\n"
        f"{markdown_table(main_rows(report))}\n\n{markdown_table(cross_rows(report))}"
        for report in tournaments
    )
    write_text(
        config.docs / "results.md",
        f"""# Results

Made from stored results by `trick-envs results`. Intervals are of 95 %, over duplicate deals where
nothing else is said. An even share of wins is one divided by the number of players. Times, in training and
for a move, were taken on a shared machine of two cores that had other work, too, and before or after the code
became faster: orders of magnitude, no more.

## Trained policies

Each was trained by one command, on one core, and plays one seat against agents of one kind at all others.
Share of games won:

{markdown_table(policy_rows(policies, lambda match: f"{match.win_share:.3f}", lambda n: f"{1 / n:.3f}"))}

Points ahead of each of the others, by game:

{markdown_table(policy_rows(policies, lambda match: f"{match.score_difference:.2f}", lambda n: "0"))}

The commands, whose runs `trick-envs publish` took over:

```console
{commands}
```

## Learning curves

Win share against rule-based agents over the minutes of training on one core: the mean of {num_seeds(curves)}
seeds with its 95 % interval. In dashes the even share.

![Learning curves](results/curves.png)

## Strength against time

Win share against rule-based agents, over the time for a move on one core.

![Strength over time for a move](results/strength.png)

{markdown_table(match_rows(matches))}

## Best responses

How much a learner wins against an agent that doesn't change (`trick-envs probe`):

{markdown_table(probe_rows(probes))}

## Tournaments

How strong the agents are, and how often the one of the row is ahead of the one of the column; {MARK} where
one is better ({FAMILY} of a tournament, by Holm's method).

{crosses}
""",
    )


def num_seeds(curves: Curves) -> str:
    """How many seeds each curve has, as text."""
    numbers = {len(seeds) for ways in curves.values() for seeds in ways.values()}
    least, most = min(numbers), max(numbers)
    return str(least) if least == most else f"{least} to {most}"


@user_errors
def main(arguments: Sequence[str] | None = None, prog: str | None = None) -> None:
    """Reads the arguments, by default those of the command line."""
    run(tyro.cli(Config, prog=prog, description=__doc__, args=arguments))


if __name__ == "__main__":
    main()
