"""A tournament: who sits where, playing in parts that are stored, and what came out."""

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, pairwise
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from trick_agents import Agent
from trick_agents.files import replacing
from trick_envs.core.game import Game
from trick_envs.core.random import seeds_for
from trick_experiments.common.cli import (
    check_folder,
    uninterrupted,
)
from trick_experiments.common.files import write_json
from trick_experiments.evaluation.matches import (
    MEASURES,
    Results,
    Table,
    Work,
    differences,
    intervals,
    joined,
    means_by_deal,
    names_at,
    p_values,
    play_in_parts,
    standing,
    variances,
    warm_up,
)

CODE, GAME_CODE = "code", "game_code"
"""The settings that are fingerprints: of this project's sources, and of those of a game from elsewhere."""

MEAN_RATING = 1500.0
POINTS = 400 / np.log(10)  # of a rating, for each unit of the logarithm of the odds
RESAMPLES = 400  # so that a deviation is exact to about 1 / sqrt(2 * 400) of itself: 3.5 %
RATING_SEED = 0


# --- who sits where --------------------------------------------------------------------------------------


def tables_for(names: list[str], num_seats: int, most: int | None = None) -> list[Table]:
    """The tables of a balanced tournament.

    With at least as many agents as seats: every set of agents that fills the seats, so that all meet equally
    often, or a cyclic design of at most so many tables. With fewer, seats are shared out as evenly as
    possible; if some get one more than others, there is a table for each way to choose them. The order of
    places doesn't depend on how `names` is sorted.

    Raises:
        ValueError: Fewer than two agents, one twice, or too few tables for all to meet.
    """
    names = sorted(names)
    if len(set(names)) < len(names) or len(names) < 2:
        raise ValueError(f"agents are {', '.join(names)}; allowed are two or more different ones")
    if len(names) >= num_seats:
        if most is None or most >= comb(len(names), num_seats):
            tables = list(combinations(names, num_seats))
        else:
            sets = cyclic_design(len(names), num_seats, most)
            tables = [tuple(names[i] for i in places) for places in sets]
    else:
        rounds, more = divmod(num_seats, len(names))
        tables = [(*names * rounds, *lucky) for lucky in combinations(names, more)]
    if most is not None and most < len(tables):
        raise ValueError(
            f"tables is {most}; allowed are {len(tables)} or more, for {len(names)} agents to meet at "
            f"{num_seats} seats"
        )
    return tables


def cyclic_design(num_things: int, size: int, most: int) -> list[tuple[int, ...]]:
    """Sets of so many of the numbers below `num_things`, in which all come equally often.

    With a set come all that it goes to when each number becomes the next, in a circle. Sets are added while
    there aren't more than `most`, and beyond that until any two numbers have met: always the one after which
    meetings are the most even. Source: cyclic designs, e.g. J. A. John, E. R. Williams, "Cyclic and Computer
    Generated Designs", 1995.
    """
    firsts = []
    for others in combinations(range(1, num_things), size - 1):
        gaps = tuple(b - a for a, b in pairwise((0, *others, num_things)))
        turned = {gaps[i:] + gaps[:i] for i in range(size)}
        if gaps == min(turned) and len(turned) == size:  # one of those that go to each other; all different
            firsts.append((0, *others))
    places = np.array(firsts, np.intp).reshape(-1, size)
    # How often each number meets the one so much further on, in all sets that come with one.
    meetings = np.zeros((len(places), num_things), np.int64)
    further = (places[:, :, None] - places[:, None, :]) % num_things
    np.add.at(meetings, (np.arange(len(places))[:, None, None], further), 1)
    meetings = meetings[:, 1:]
    met = np.zeros(num_things - 1, np.int64)
    sets: list[tuple[int, ...]] = []
    while len(places) and (len(sets) + num_things <= most or not met.all()):
        best = int(((met + meetings) ** 2).sum(axis=1).argmin())
        met += meetings[best]
        sets += [tuple(sorted((places[best] + shift) % num_things)) for shift in range(num_things)]
        places, meetings = np.delete(places, best, axis=0), np.delete(meetings, best, axis=0)
    return sets if met.all() else list(combinations(range(num_things), size))


# --- playing, in parts that are stored -------------------------------------------------------------------


class Run:
    """A tournament's folder: its settings, and the deals played so far, a file for each part."""

    SETTINGS = "tournament.json"
    FILES = (SETTINGS, "deals-*.npz")
    """What is written, as patterns."""

    def __init__(self, folder: Path, settings: dict[str, Any], tables: list[Table]) -> None:
        """Begins a run, or goes on with it.

        Raises:
            ValueError: The folder holds something else, a run with other settings, or a damaged one.
        """
        self.folder = folder
        self.tables = tables
        self.parts: list[Results] = []
        file = folder / self.SETTINGS
        settings = json.loads(json.dumps(settings))  # as they are read again
        check_folder(folder, self.SETTINGS)
        if file.is_file():
            self._check(file, settings)
            for part in sorted(folder.glob("deals-*.npz")):
                self.parts.append(self._read(part))
        else:
            write_json(file, settings)

    def _check(self, file: Path, settings: dict[str, Any]) -> None:
        """Raises `ValueError` unless the stored settings are these."""
        try:
            before = dict(json.loads(file.read_text(encoding="utf-8")))
            entrants, entrants_before = settings["agents"], dict(before["agents"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{str(file)!r} is damaged; allowed is another folder") from error
        for name in dict.fromkeys((*settings, *before)):
            now, was = settings.get(name), before.get(name)
            if now == was:
                continue
            if name == "agents" and entrants.keys() == entrants_before.keys():
                changed = ", ".join(spec for spec in entrants if entrants[spec] != entrants_before[spec])
                now, was = f"{changed} as changed since", "the files as they were"
            elif name == "agents":
                now, was = ", ".join(entrants), ", ".join(entrants_before)
            elif name in (CODE, GAME_CODE):
                whose = "of the game" if name == GAME_CODE else "of trick-envs"
                raise ValueError(
                    f"the code {whose} has changed: its fingerprint is {now}, but the run in "
                    f"{str(self.folder)!r} has {was or 'none'}; allowed is the same code, or another folder"
                )
            raise ValueError(
                f"{name} is {now}, but the run in {str(self.folder)!r} has {was}; "
                "allowed is the same, or another folder"
            )

    @property
    def num_deals(self) -> int:
        """How many deals have been played."""
        return sum(part.num_deals for part in self.parts)

    def add(self, part: Results) -> None:
        """Stores the next deals."""
        names = names_at(self.tables)
        with uninterrupted():
            with replacing(self.folder / self._next_name()) as temporary:
                np.savez_compressed(
                    temporary,
                    scores=part.scores,
                    winners=part.winners,
                    decisions=[part.work[name].decisions for name in names],
                    seconds=[part.work[name].seconds for name in names],
                )
            self.parts.append(part)

    def _next_name(self) -> str:
        """The name of the file for the next deals, which says how many there are before."""
        return f"deals-{self.num_deals:07}.npz"

    def _read(self, file: Path) -> Results:
        """The next deals, from their file.

        Raises:
            ValueError: It is damaged, or doesn't follow those before.
        """
        if file.name != self._next_name():
            raise ValueError(f"{str(self.folder)!r} has no {self._next_name()}, but a later {file.name}")
        names = names_at(self.tables)
        try:
            with zipfile.ZipFile(file) as archive:
                # numpy reads no further than an array's own head says, and so doesn't notice all damage.
                if archive.testzip() is not None:
                    raise ValueError("a checksum is wrong")
            with np.load(file, allow_pickle=False) as data:
                work = map(Work, data["decisions"].tolist(), data["seconds"].tolist())
                by_name = dict(zip(names, work, strict=True))
                part = Results(self.tables, data["scores"], data["winners"], by_name)
            num_seats = len(self.tables[0])
            shape = (part.num_deals, len(self.tables), num_seats, num_seats)
            if not part.scores.shape == part.winners.shape == shape:
                raise ValueError(f"its scores have shape {part.scores.shape}")
        except Exception as error:  # what damage brings about in these readers is no short list
            raise ValueError(f"{str(file)!r} is damaged; delete it and all later ones to go on") from error
        return part


def play_tournament(
    game: Game, entrants: Mapping[str, Agent], run: Run, num_deals: int, seed: int, batch: int, progress: bool
) -> Results:
    """Plays what the run lacks, and stores it part by part."""
    if run.num_deals < num_deals:
        warm_up(game, entrants)
    seeds = seeds_for(num_deals, seed)
    for part in play_in_parts(game, entrants, run.tables, seeds, run.num_deals, batch, progress):
        run.add(part)
    return joined(run.parts)


# --- what came out ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rating:
    """A rating on Elo's scale: 1500 is the mean of all agents; 400 points more are odds of 10 to 1.

    These are the odds to be ahead of the other one in a game where both play.
    """

    mean: float
    deviation: float
    """Standard deviation over resampled deals."""


def rate(results: Results) -> dict[str, Rating]:
    """Rates all agents by all games at once, in whatever order they were played.

    The model is Bradley and Terry's, fitted by maximum likelihood (D. R. Hunter, "MM algorithms for
    generalized Bradley-Terry models", 2004): a game is taken as the comparisons of all that sit at its
    table, which for Plackett and Luce's model of rankings is consistent (H. Azari Soufiani, W. Chen,
    D. C. Parkes, L. Xia, "Generalized method-of-moments for rank aggregation", 2013). A tie is half a
    comparison won by each; half a win it is in R. R. Davidson's model of ties, too ("On extending the
    Bradley-Terry model to accommodate ties in paired comparison experiments", 1970). Where all meet equally
    often, ratings therefore have the order of the mean ranks.

    A weak prior, one drawn game between any two, keeps the rating of who has won all games finite.

    The deviation is that of the Bayesian bootstrap over deals (D. B. Rubin, "The Bayesian bootstrap", 1981),
    in which the prior is one more deal. So a record without a loss says how little is known.
    """
    per_deal = comparisons_by_deal(results)
    num_agents = len(results.names)
    prior = 0.5 * (1 - np.eye(num_agents))
    fitted = _strengths(per_deal.sum(axis=0) + prior, np.zeros(num_agents))
    # Deals alike are taken together, which sorts them: their order changes nothing.
    alike, counts = np.unique(per_deal.reshape(len(per_deal), -1), axis=0, return_counts=True)
    rng = np.random.default_rng(RATING_SEED)
    drawn = rng.gamma(counts, size=(RESAMPLES, len(counts))) @ alike
    weights = rng.exponential(size=RESAMPLES)
    resampled = [
        _strengths(won.reshape(prior.shape) + weight * prior, fitted)
        for won, weight in zip(drawn, weights, strict=True)
    ]
    means, deviations = MEAN_RATING + POINTS * fitted, POINTS * np.std(resampled, axis=0, ddof=1)
    return {
        name: Rating(float(mean), float(deviation))
        for name, mean, deviation in zip(results.names, means, deviations, strict=True)
    }


def comparisons_by_deal(results: Results) -> NDArray[np.float64]:
    """How often each agent was ahead of each other in each deal, (D, A, A); a tie is half of one for both."""
    names = results.names
    won = np.zeros((results.num_deals, len(names), len(names)))
    for t, table in enumerate(results.tables):
        height = standing(results.scores[:, t], results.winners[:, t])
        ahead = (np.sign(height[..., :, None] - height[..., None, :]) + 1).sum(axis=1) / 2
        sits = np.array([[name == other for other in names] for name in table], np.float64)
        won += sits.T @ ahead @ sits
    won[:, np.arange(len(names)), np.arange(len(names))] = 0  # an agent at several places, with itself
    return won


def _strengths(won: NDArray[np.float64], start: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logarithms of strengths (A,), of mean 0, that make the comparisons won (A, A) the likeliest."""
    won = won / won.sum()
    met = won + won.T

    # Only differences count; the square of the sum makes the least value a single one.
    def loss(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        differences = x[:, None] - x
        slope = (met * expit(differences) - won).sum(axis=1) + x.sum()
        return float(-(won * log_expit(differences)).sum() + x.sum() ** 2 / 2), slope

    def curvature(x: NDArray[np.float64]) -> NDArray[np.float64]:
        differences = x[:, None] - x
        each = met * expit(differences) * expit(-differences)
        curved: NDArray[np.float64] = np.diag(each.sum(axis=1)) - each + 1
        return curved

    # As exact as sums of floats allow: with few lost comparisons slopes are small far from the top, too.
    found = minimize(loss, start, jac=True, hess=curvature, method="trust-exact", options={"gtol": 1e-15})
    strengths: NDArray[np.float64] = found.x - found.x.mean()
    return strengths


def summarise(results: Results, names: Sequence[str]) -> dict[str, Any]:
    """All that is reported: by agent, and by pair of agents.

    The p-value of a pair is how likely such a difference is between equals, corrected for all pairs.
    """
    means = means_by_deal(results)
    ratings = rate(results)
    couples = list(combinations(names, 2))
    per_game = [differences(results, one, other) for one, other in couples]
    per_deal = [{what: values.mean(axis=(1, 2)) for what, values in found.items()} for found in per_game]
    pairs = []
    for (one, other), games, deals, p in zip(couples, per_game, per_deal, p_values(per_deal), strict=True):
        by_measure = intervals(deals)
        pairs.append(
            {
                "one": one,
                "other": other,
                "ahead": asdict(by_measure.pop("ahead")),
                "difference": {what: asdict(found) for what, found in by_measure.items()},
                "p_value": p,
                "variance": {what: asdict(variances(games[what])) for what in MEASURES},
            }
        )
    return {
        "deals": results.num_deals,
        "tables": len(results.tables),
        "games": results.num_games,
        "decisions": results.num_decisions,
        "agents": {
            name: {
                **{what: asdict(found) for what, found in intervals(means[name]).items()},
                "rating": asdict(ratings[name]),
                "decisions": results.work[name].decisions,
            }
            for name in names
        },
        "pairs": pairs,
    }
