"""What a tournament says: tables on screen, as JSON, CSV and Markdown, and pictures."""

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from rich.console import Console

from trick_experiments.common.cli import broken, print_rows
from trick_experiments.common.files import write_figure, write_json, write_text
from trick_experiments.evaluation.matches import (
    CONFIDENCE,
    FAMILY,
    HEADINGS,
    MARK,
    MEASURES,
    TIME,
    Interval,
    as_cells,
    is_better,
)

REPORT = "report.json"
FILES = (REPORT, "agents.csv", "pairs.csv", "cross_table.png", "ratings.png", "README.md")
"""What `write_report` writes."""
DARK = 0.3  # so far from an even share, colours need white letters
LABEL_WIDTH = 28  # letters of an agent's name in one line of a picture


def write_report(folder: Path, report: dict[str, Any]) -> None:
    """Writes all files of a report into a folder."""
    write_json(folder / REPORT, report)
    write_text(folder / "agents.csv", _csv(_agent_rows(report)))
    write_text(folder / "pairs.csv", _csv(_pair_rows(report)))
    draw_cross_table(folder / "cross_table.png", report)
    draw_ratings(folder / "ratings.png", report)
    write_text(folder / "README.md", _markdown(report))


def print_report(console: Console, report: dict[str, Any]) -> None:
    """Prints the tables of a report."""
    print_rows(console, _title(report), main_rows(report))
    console.print()
    print_rows(console, "How often the row's agent is ahead of the column's", cross_rows(report))
    console.print(f"{MARK} one is better ({FAMILY})")


# --- tables ----------------------------------------------------------------------------------------------


def _title(report: dict[str, Any]) -> str:
    played = ", ".join(_counted(report[what], what) for what in ("games", "deals", "tables"))
    return f"{_kind(report)}: {played}; {CONFIDENCE * 100:.0f} % intervals over deals"


def _kind(report: dict[str, Any]) -> str:
    return f"{report['title']}, {report['num_players']} players"


def _counted(number: int, things: str) -> str:
    return f"{number:,} {things if number != 1 else things.removesuffix('s')}"


def main_rows(report: dict[str, Any]) -> list[list[str]]:
    """The strength of each agent, the highest rated first."""
    rows = [["agent", *HEADINGS, "rating", TIME]]
    for name, about in sorted(report["agents"].items(), key=lambda item: -item[1]["rating"]["mean"]):
        rating = f"{about['rating']['mean']:.0f} ± {2 * about['rating']['deviation']:.0f}"
        cells = as_cells({what: Interval(**about[what]) for what in MEASURES})
        rows.append([name, *cells, rating, f"{report['milliseconds'][name]:.3g}"])
    return rows


def _ahead(report: dict[str, Any]) -> dict[tuple[str, str], Interval]:
    """How often each agent is ahead of each other."""
    found = {}
    for pair in report["pairs"]:
        ahead = Interval(**pair["ahead"])
        found[pair["one"], pair["other"]] = ahead
        found[pair["other"], pair["one"]] = Interval(1 - ahead.mean, 1 - ahead.high, 1 - ahead.low)
    return found


def _marks(report: dict[str, Any]) -> dict[tuple[str, str], str]:
    """A mark for each pair of which one is better; in reports that have no p-values, for none."""
    found = {}
    for pair in report["pairs"]:
        mark = MARK if "p_value" in pair and is_better(pair["p_value"]["ahead"]) else " "
        found[pair["one"], pair["other"]] = found[pair["other"], pair["one"]] = mark
    return found


def cross_rows(report: dict[str, Any]) -> list[list[str]]:
    """The cross-table; its columns have numbers, since names are long."""
    names, ahead, marks = list(report["agents"]), _ahead(report), _marks(report)
    rows = [["agent", *(str(number) for number in range(1, len(names) + 1))]]
    for number, one in enumerate(names, 1):
        cells = [
            f"{ahead[one, other].mean:.2f}{marks[one, other]}" if one != other else "– " for other in names
        ]
        rows.append([f"{number} {one}", *cells])
    return rows


def _agent_rows(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "agent": name,
            **{f"{what}_{key}": value for what in MEASURES for key, value in about[what].items()},
            "rating": about["rating"]["mean"],
            "rating_deviation": about["rating"]["deviation"],
            "decisions": about["decisions"],
            "milliseconds": report["milliseconds"][name],
        }
        for name, about in report["agents"].items()
    ]


def _pair_rows(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "one": pair["one"],
            "other": pair["other"],
            **{f"ahead_{key}": value for key, value in pair["ahead"].items()},
            "ahead_p_value": pair["p_value"]["ahead"],
            **{
                f"{what}_difference_{key}": value
                for what in MEASURES
                for key, value in (*pair["difference"][what].items(), ("p_value", pair["p_value"][what]))
            },
        }
        for pair in report["pairs"]
    ]


def _csv(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _precision_rows(report: dict[str, Any]) -> list[list[str]]:
    """The difference in win share, and what rotation and duplicate deals save, by pair."""
    ways = ["seats by chance", "seats rotated", "duplicate deals"]
    rows = [["pair", "difference", "p", *ways, "games saved"]]
    for pair in report["pairs"]:
        variance = pair["variance"]["win_share"]
        half = [1.96 * np.sqrt(variance[how] / report["games"]) for how in ("single", "rotated", "duplicate")]
        saved = f"{variance['single'] / variance['duplicate']:.2f} ×" if variance["duplicate"] > 0 else "–"
        names = f"`{pair['one']}` – `{pair['other']}`"
        difference = f"{pair['difference']['win_share']['mean']:.3f}"
        p = f"{pair['p_value']['win_share']:.2g}"
        rows.append([names, difference, p, *(f"± {one:.3f}" for one in half), saved])
    return rows


def _markdown(report: dict[str, Any]) -> str:
    main = [[f"`{row[0]}`", *row[1:]] if i else row for i, row in enumerate(main_rows(report))]
    settings = ", ".join(f"`{name}` {value}" for name, value in report["options"].items())
    return f"""# {report["title"]}: a tournament

{_title(report)}. Options: {settings}; seed {report["seed"]}. Ratings are on Elo's scale, with two deviations:
1500 is the mean of all agents here, and 400 points more are odds of 10 to 1 to be ahead. Made by:

```console
{report["command"]}
```

{markdown_table(main)}

How often the agent of the row is ahead of the one of the column, in games where both play; {MARK} where one
is better ({FAMILY}, by Holm's method):

![cross-table](cross_table.png)

![ratings](ratings.png)

The difference in win share, and how likely one as large is between equals (*p*, corrected for all pairs).
What duplicate deals and rotation buy: half the width of a 95 % interval for the difference in win share after
as many games as here, if seats were drawn and every game had a deal of its own, if seats were rotated, and if
all seatings play the same cards, as they do here; and how many times as many games the first would need:

{markdown_table(_precision_rows(report))}
"""


def markdown_table(rows: list[list[str]]) -> str:
    """A table in Markdown, of headings and rows."""
    lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    return "\n".join(f"| {' | '.join(cell.strip() for cell in line)} |" for line in lines)


# --- pictures --------------------------------------------------------------------------------------------


def draw_cross_table(file: Path, report: dict[str, Any]) -> None:
    """Draws how often each agent is ahead of each other, as a heat map."""
    names, ahead, marks = list(report["agents"]), _ahead(report), _marks(report)
    numbers = range(1, len(names) + 1)
    shares = np.array([[ahead[a, b].mean if a != b else np.nan for b in names] for a in names])
    size = 0.9 * len(names)
    figure = Figure(figsize=(size + 4.5, size + 1.2), layout="constrained")
    axes = figure.subplots()
    axes.set_facecolor("lightgray")
    image = axes.imshow(shares, vmin=0, vmax=1, cmap="RdBu")
    for (i, j), share in np.ndenumerate(shares):
        if i != j:
            found = ahead[names[i], names[j]]
            mark = marks[names[i], names[j]].strip()
            text = f"{share:.2f}{mark}\n± {(found.high - found.low) / 2:.2f}"
            color = "white" if abs(share - 0.5) > DARK else "black"
            axes.text(j, i, text, ha="center", va="center", color=color)
    axes.set_xticks(range(len(names)), [str(number) for number in numbers])
    labels = [f"{broken(name, LABEL_WIDTH)}  {number}" for number, name in zip(numbers, names, strict=True)]
    axes.set_yticks(range(len(names)), labels, fontsize="small")
    axes.set_title(f"{_kind(report)}; {MARK} one is better")
    figure.colorbar(image, label="how often the row is ahead of the column", shrink=0.9)
    write_figure(file, figure)


def draw_ratings(file: Path, report: dict[str, Any]) -> None:
    """Draws the agents' ratings with two deviations."""
    by_rating = sorted(report["agents"].items(), key=lambda item: item[1]["rating"]["mean"])
    figure = Figure(figsize=(7, 1.3 + 0.5 * len(by_rating)), layout="constrained")
    axes = figure.subplots()
    axes.errorbar(
        [about["rating"]["mean"] for _, about in by_rating],
        range(len(by_rating)),
        xerr=[2 * about["rating"]["deviation"] for _, about in by_rating],
        fmt="o",
        capsize=4,
    )
    axes.set_yticks(
        range(len(by_rating)), [broken(name, LABEL_WIDTH) for name, _ in by_rating], fontsize="small"
    )
    axes.set(
        xlabel="rating (Elo's scale, two deviations)",
        title=_kind(report),
        ylim=(-0.6, len(by_rating) - 0.4),
    )
    axes.grid(axis="x", alpha=0.3)
    write_figure(file, figure)
