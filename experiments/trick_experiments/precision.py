"""How many deals does one need to tell two agents apart, and what do duplicate deals and rotation save?

In every game, at its usual number of players, its rule-based agent plays against random play, and against
itself with some moves left to chance, which is nearly as good. From how much the differences in win share
scatter follows how many games each way of playing needs.

    trick-envs precision
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro
from matplotlib.figure import Figure
from numpy.typing import NDArray
from rich.console import Console
from scipy import stats

import trick_agents
from trick_agents import Agent
from trick_envs.core.agent import RandomAgent
from trick_envs.core.game import Game, States
from trick_envs.core.random import Streams, seeds_for
from trick_envs.core.registry import GAMES, make_game
from trick_experiments.common.cli import MAX_DEALS, SEED, Whole, check_numbers, print_rows, user_errors
from trick_experiments.common.files import write_figure, write_json, write_text
from trick_experiments.evaluation.matches import (
    CONFIDENCE,
    circular_orders,
    differences,
    interval,
    joined,
    play_in_parts,
    variances,
    warm_up,
)
from trick_experiments.evaluation.report import markdown_table
from trick_experiments.evaluation.tournament import tables_for

POWER = 0.8
DIFFERENCES = (0.05, 0.02)
FEW_GAMES = 100
LEAST_DEALS = 48  # two for each circular order of five seats
CARELESS = 0.1  # the share of its moves that a careless agent leaves to chance
MARKS = ("<!-- precision -->", "<!-- end of precision -->")
WAYS = {"single": "own deals", "rotated": "rotated", "duplicate": "duplicate"}


@dataclass(frozen=True)
class Config:
    """Measures how much luck there is in comparing agents."""

    deals: Annotated[int, Whole(LEAST_DEALS, MAX_DEALS)] = 4000
    """Deals for each pair of agents, each played once for every seat."""
    seed: Annotated[int, SEED] = 0
    """Seed of all chance."""
    folder: Path = Path("docs")
    """Where precision.json, precision.png and, between two marks in comparing_agents.md, the table go."""


class Careless:
    """Plays as another agent, but leaves some moves to chance."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.random = RandomAgent()

    def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
        """One legal action for the current player of each game, shape (N,)."""
        careful = self.agent.act(game, states, rng)
        return np.where(rng.random() < CARELESS, self.random.act(game, states, rng), careful)


@dataclass(frozen=True)
class Row:
    """What was found for one pair of agents in one game."""

    game: str
    title: str
    num_players: int
    against: str
    """Whom the rule-based agent played."""
    deals: int
    difference: float
    """In win share."""
    low: float
    high: float
    variance: dict[str, float]
    """Of the difference, for one game, by way of playing: see `evaluation.matches.Variances`."""
    games_per_deal: int

    def games_for(self, difference: float, way: str) -> int:
        """Games that find such a difference in 80 % of all attempts, so that a 95 % interval leaves 0 out."""
        distance = stats.norm.ppf((1 + CONFIDENCE) / 2) + stats.norm.ppf(POWER)
        return int(np.ceil(distance**2 * self.variance[way] / difference**2))

    def deals_for(self, difference: float) -> int:
        """Duplicate deals that find such a difference."""
        return -(-self.games_for(difference, "duplicate") // self.games_per_deal)

    def half_width(self, num_games: int, way: str) -> float:
        """Half the 95 % interval for the difference after some games."""
        return float(stats.norm.ppf((1 + CONFIDENCE) / 2) * np.sqrt(self.variance[way] / num_games))


def measure_pair(game: Game, one: Agent, other: Agent, against: str, num_deals: int, seed: int) -> Row:
    """Plays an agent against another one."""
    entrants = {"one": one, "other": other}
    warm_up(game, entrants)
    tables = tables_for(list(entrants), game.num_players)
    results = joined(list(play_in_parts(game, entrants, tables, seeds_for(num_deals, seed))))
    found = differences(results, "one", "other")["win_share"]
    mean = interval(found.mean(axis=(1, 2)))
    return Row(
        game=game.name,
        title=game.title,
        num_players=game.num_players,
        against=against,
        deals=num_deals,
        difference=mean.mean,
        low=mean.low,
        high=mean.high,
        variance=asdict(variances(found, len(circular_orders(game.num_players)))),
        games_per_deal=results.num_games // num_deals,
    )


def measure_games(names: Sequence[str], num_deals: int, seed: int) -> list[Row]:
    """Both pairs in some games."""
    rows = []
    for name in names:
        game = make_game(name)
        rules = trick_agents.make("rules", game)
        rows.append(measure_pair(game, rules, RandomAgent(), "random", num_deals, seed))
        rows.append(measure_pair(game, rules, Careless(rules), "careless", num_deals, seed))
    return rows


# --- what is written -------------------------------------------------------------------------------------


def cells(rows: Sequence[Row]) -> list[list[str]]:
    """The table, with headings."""
    deals = [f"deals for {difference:g}" for difference in DIFFERENCES]
    headings = [
        "game (players)",
        "against",
        "difference",
        f"{FEW_GAMES} games",
        *WAYS.values(),
        "saved",
        *deals,
    ]
    table = [headings]
    for row in rows:
        saved = 1 - row.variance["duplicate"] / row.variance["single"]
        games = [row.games_for(DIFFERENCES[0], way) for way in WAYS]
        deals = [f"{row.deals_for(difference):,}" for difference in DIFFERENCES]
        table.append(
            [
                f"{row.title} ({row.num_players})",
                row.against,
                f"{row.difference:.3f} ± {(row.high - row.low) / 2:.3f}",
                f"± {row.half_width(FEW_GAMES, 'single'):.2f}",
                *(f"{number:,}" for number in games),
                f"{saved:.0%}".replace("-", "−"),
                *deals,
            ]
        )
    return table


def with_table(text: str, table: str) -> str:
    """A document with another table between its two marks.

    Raises:
        ValueError: It doesn't have the marks.
    """
    before, start, rest = text.partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    if not start or not end:
        raise ValueError(f"the document has no {MARKS[0]} … {MARKS[1]} to put the table between")
    return f"{before}{start}\n\n{table}\n\n{end}{after}"


def draw(file: Path, rows: Sequence[Row]) -> None:
    """Draws how many games are needed, for each way to play them."""
    figure = Figure(figsize=(8, 1.4 + 0.55 * len(rows)), layout="constrained")
    axes = figure.subplots()
    height = 0.8 / len(WAYS)
    for i, (way, words) in enumerate(WAYS.items()):
        places = np.arange(len(rows)) + (i - 1) * height
        axes.barh(places, [row.games_for(DIFFERENCES[0], way) for row in rows], height, label=words)
    names = [f"{row.title} ({row.num_players})\nagainst {row.against}" for row in rows]
    axes.set_yticks(range(len(rows)), names, fontsize="small")
    axes.invert_yaxis()
    axes.set_xlabel(f"games to find a difference of {DIFFERENCES[0]:g} in win share ({POWER:.0%} power)")
    axes.grid(axis="x", alpha=0.3)
    axes.legend()
    write_figure(file, figure)


def run(config: Config) -> None:
    """Measures all games as configured, prints and writes what was found."""
    check_numbers(config)
    note = config.folder / "comparing_agents.md"
    text = note.read_text(encoding="utf-8")
    with_table(text, "")  # a document without the marks is refused before anything is played
    rows = measure_games(tuple(GAMES), config.deals, config.seed)
    table = cells(rows)
    print_rows(Console(), f"Games to find a difference of {DIFFERENCES[0]:g} in win share", table)
    report: dict[str, Any] = {
        "deals": config.deals,
        "seed": config.seed,
        "careless": CARELESS,
        "rows": [
            asdict(row)
            | {f"games_for_{d:g}": {way: row.games_for(d, way) for way in WAYS} for d in DIFFERENCES}
            | {f"deals_for_{d:g}": row.deals_for(d) for d in DIFFERENCES}
            for row in rows
        ],
    }
    write_json(config.folder / "precision.json", report)
    draw(config.folder / "precision.png", rows)
    write_text(note, with_table(text, markdown_table(table)))


@user_errors
def main(arguments: Sequence[str] | None = None, prog: str | None = None) -> None:
    """Reads the arguments, by default those of the command line."""
    run(tyro.cli(Config, prog=prog, description=__doc__, args=arguments))


if __name__ == "__main__":
    main()
