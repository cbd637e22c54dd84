"""Learning curves: win shares against fixed agents over the steps of training."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from trick_envs.core.game import Game
from trick_experiments.common.files import write_figure, write_text
from trick_experiments.evaluation.matches import Interval


class Curve:
    """A learning curve."""

    def __init__(self, reference_opponents: Sequence[str]) -> None:
        """`reference_opponents`: the agents that the learner is measured against."""
        self.reference_opponents = tuple(reference_opponents)
        self.rows: list[dict[str, float]] = []

    def add(self, steps: int, minutes: float, shares: Mapping[str, Interval]) -> None:
        """Adds a point: the win shares and their intervals by reference opponent."""
        row: dict[str, float] = {"steps": steps, "minutes": round(minutes, 3)}
        for name, share in shares.items():
            row |= {f"{name}_win_share": share.mean, f"{name}_low": share.low, f"{name}_high": share.high}
        self.rows.append(row)

    def write(self, file: Path) -> None:
        """Writes the points as CSV."""
        text = io.StringIO()
        writer = csv.DictWriter(text, list(self.rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        write_text(file, text.getvalue())

    def plot(self, file: Path, game: Game) -> None:
        """Draws the curve as PNG."""
        figure = Figure(figsize=(7, 4), layout="constrained")
        axes = figure.subplots()
        steps = [row["steps"] for row in self.rows]
        others = game.num_players - 1
        for name in self.reference_opponents:
            (line,) = axes.plot(
                steps, [row[f"{name}_win_share"] for row in self.rows], marker=".", label=f"{others} × {name}"
            )
            low = [row[f"{name}_low"] for row in self.rows]
            high = [row[f"{name}_high"] for row in self.rows]
            axes.fill_between(steps, low, high, alpha=0.2, color=line.get_color(), linewidth=0)
        axes.axhline(1 / game.num_players, color="gray", linestyle="--", label="even share")
        axes.set(
            xlabel="decisions of the learner",
            ylabel="win share of the learner's seat",
            title=f"{game.title}, {game.num_players} players (95 % intervals)",
            ylim=(0, 1),
        )
        axes.xaxis.set_major_formatter(lambda value, _: f"{value / 1000:,.0f} k")
        axes.legend(title="against")
        write_figure(file, figure, dpi=120)
