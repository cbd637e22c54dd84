"""How many decisions a second, and how many times that of others in the same run?

Peers are OpenSpiel's hearts (C++, driven from Python with its numpy observation, and its own random bots) and
the card games of PettingZoo's classic family. They are in the extra ``bench``; without it, their rows are
left out. Absolute numbers depend on the machine and on what else it does; the ratios are what to quote.

    trick-envs benchmark --game voodoo_prince
"""

import importlib
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import tyro
from gymnasium.spaces import Discrete
from pettingzoo import AECEnv
from rich.console import Console
from rich.table import Table

from trick_envs.core.agent import RandomAgent, decide
from trick_envs.core.game import Game
from trick_envs.core.random import Streams
from trick_envs.core.registry import make_game
from trick_envs.core.state import NOBODY
from trick_envs.envs.aec import TrickTakingEnv
from trick_envs.envs.vector import TrickTakingVectorEnv
from trick_experiments.common.cli import BATCH, Real, Whole, check_numbers, parse_options, user_errors
from trick_experiments.common.files import write_json

HEARTS = "OpenSpiel hearts, observation"
HEARTS_BOTS = "OpenSpiel hearts, random bots"
LEDUC = "PettingZoo leduc_holdem"
TEXAS = "PettingZoo texas_holdem"


@dataclass(frozen=True)
class Config:
    """Measures decisions a second."""

    game: str = "voodoo_prince"
    """Name of the game, or a class of your own ("module:Class")."""
    players: int | None = None
    """Number of seats; by default the game's usual number."""
    options: list[str] = field(default_factory=list)
    """The game's settings, as "name=value"."""
    seconds: Annotated[float, Real(3600, positive=True)] = 1.0
    """Time for one measurement, at least; each is made `repeats` times, in turn, and the median counts."""
    repeats: Annotated[int, Whole(1, 1000)] = 3
    batches: Annotated[list[int], BATCH] = field(default_factory=lambda: [1, 64, 1024, 4096])
    """Sizes of the batch."""
    training: bool = True
    """Measure training, too, if the extra ``train`` is installed; that takes a minute."""
    json: Path | None = None
    """Where to write the figures."""


@dataclass
class Row:
    """One thing that is measured: `run()` does a bit of it and says how many decisions that were."""

    name: str
    run: Callable[[], int]
    peers: tuple[str, ...] = ()
    """Rows that this one is compared with."""
    rates: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Decisions a second."""
        return median(self.rates)


def random_play(game: Game, num_envs: int) -> Callable[[], int]:
    """Batched random play, observation and mask written for every decision."""
    env = TrickTakingVectorEnv(game, num_envs, seed=0, copy=False)
    env.reset()
    agent, streams = RandomAgent(), Streams(num_envs, 0)
    steps = max(1, 20_000 // num_envs)

    def run() -> int:
        for _ in range(steps):
            env.step(agent.act(game, env.states, streams))
        return steps * num_envs

    return run


def roll_outs(game: Game) -> Callable[[], int]:
    """Random games from the deal to the end, in compiled code, without observations."""
    seeds = iter(range(1_000_000))
    return lambda: game.play_randomly(game.new_states(1000, next(seeds)))


def worlds(game: Game) -> Callable[[], int]:
    """Hidden cards drawn anew for the current players, once for each decision of some random games."""
    states, agent, streams = game.new_states(16, 0), RandomAgent(), Streams(16, 0)
    moments = []
    while len(unfinished := np.flatnonzero(game.current_players(states) != NOBODY)):
        moments.append(states[unfinished])
        actions = np.zeros(len(states), np.int32)
        actions[unfinished] = decide(agent, game, states, unfinished, streams)
        game.step(states, actions)
    decisions = np.concatenate(moments)
    current_players = game.current_players(decisions)
    seeds = iter(range(1_000_000))
    return lambda: len(game.resample(decisions, current_players, next(seeds)))


def aec_loop(env: AECEnv[Any, Any, Any]) -> Callable[[], int]:
    """PettingZoo's loop: last, mask, sample, step. Steps of agents that are done don't count."""

    def run() -> int:
        env.reset()
        decisions = 0
        for agent in env.agent_iter():
            observation, _, termination, truncation, info = env.last()
            if termination or truncation:
                env.step(None)
                continue
            assert observation is not None
            mask = observation["action_mask"] if "action_mask" in observation else info["action_mask"]
            space = env.action_space(agent)
            assert isinstance(space, Discrete)
            env.step(space.sample(mask))
            decisions += 1
        return decisions

    return run


def _throughput() -> Any:
    """The module that needs the extra ``train``; None where that isn't installed."""
    if not importlib.util.find_spec("sb3_contrib"):
        return None
    return importlib.import_module("trick_experiments.learning.throughput")


def learning_rows(game: Game) -> list[Row]:
    """What Stable-Baselines3 learns from, as far as the extra ``train`` is installed."""
    throughput = _throughput()
    if throughput is None:
        return []
    return [Row("SeatVecEnv, 256 games, random opponents", throughput.seat_steps(game))]


def training_rows(game: Game) -> list[Row]:
    """Training as `trick-envs train` does it, as far as the extra ``train`` is installed."""
    throughput = _throughput()
    if throughput is None:
        return []
    return [
        Row(name, lambda: 0, () if name == throughput.DUMMY else (throughput.DUMMY,), [rate])
        for name, rate in throughput.measure(game).items()
    ]


def hearts_play() -> Callable[[], int]:
    """OpenSpiel's hearts from Python, its observation written into one numpy array for every decision."""
    pyspiel = importlib.import_module("pyspiel")
    observation = importlib.import_module("open_spiel.python.observation")
    game = pyspiel.load_game("hearts")
    observer = observation.make_observation(
        game,
        pyspiel.IIGObservationType(perfect_recall=True, private_info=pyspiel.PrivateInfoType.SINGLE_PLAYER),
    )
    rng = np.random.default_rng(0)

    def run() -> int:
        state = game.new_initial_state()
        decisions = 0
        while not state.is_terminal():
            actions = state.legal_actions()
            if not state.is_chance_node():
                observer.set_from(state, state.current_player())
                decisions += 1
            state.apply_action(actions[int(rng.random() * len(actions))])
        return decisions

    return run


def hearts_bots() -> Callable[[], int]:
    """OpenSpiel's own random bots playing hearts, all in C++."""
    pyspiel = importlib.import_module("pyspiel")
    game = pyspiel.load_game("hearts")
    bots = [pyspiel.make_uniform_random_bot(player, player) for player in range(4)]
    seeds = iter(range(1_000_000))

    def run() -> int:
        # A game has 52 plays and 3 passed cards for each of 4 players.
        games = 20
        for _ in range(games):
            state = game.new_initial_state()
            pyspiel.evaluate_bots(state, bots, next(seeds))
        return games * sum(1 for _ in _decisions(state))

    return run


def _decisions(state: Any) -> Iterator[int]:
    """The decisions of a finished OpenSpiel game, chance left out."""
    for step in state.full_history():
        if step.player >= 0:
            yield step.action


def peers() -> list[Row]:
    """The rows of others, as far as they are installed."""
    rows = []
    if importlib.util.find_spec("pyspiel"):
        rows += [Row(HEARTS, hearts_play()), Row(HEARTS_BOTS, hearts_bots())]
    if importlib.util.find_spec("rlcard") and importlib.util.find_spec("pygame"):
        for name, module in ((LEDUC, "leduc_holdem_v4"), (TEXAS, "texas_holdem_v4")):
            rows.append(Row(name, aec_loop(importlib.import_module(f"pettingzoo.classic.{module}").env())))
    return rows


def measure(rows: list[Row], seconds: float, repeats: int) -> None:
    """Fills in the rates; all rows in turn, so that a slow moment of the machine meets all alike."""
    for row in rows:
        row.run()  # compiles
    for _ in range(repeats):
        for row in rows:
            decisions, start = 0, perf_counter()
            while perf_counter() - start < seconds:
                decisions += row.run()
            row.rates.append(decisions / (perf_counter() - start))


def run(config: Config) -> dict[str, float]:
    """Measures and prints; returns decisions a second by row."""
    check_numbers(config)
    game = make_game(config.game, config.players, **parse_options(config.options))
    rows = [
        Row(f"batch of {size}, observation and mask", random_play(game, size), (HEARTS,))
        for size in config.batches
    ]
    rows += [
        Row("random roll-outs", roll_outs(game), (HEARTS_BOTS,)),
        Row("worlds by resample, one for each decision", worlds(game)),
        Row("AEC loop", aec_loop(TrickTakingEnv(game)), (LEDUC, TEXAS)),
        *learning_rows(game),
        *peers(),
    ]
    measure(rows, config.seconds, config.repeats)
    if config.training:
        rows += training_rows(game)
    rates = {row.name: row.rate for row in rows}
    table = Table(title=f"{game!r}")
    table.add_column("what")
    table.add_column("decisions a second", justify="right")
    table.add_column("ratio")
    for row in rows:
        ratios = [f"{row.rate / rates[peer]:.1f} × {peer}" for peer in row.peers if peer in rates]
        table.add_row(row.name, f"{row.rate:,.0f}", "\n".join(ratios))
    Console().print(table)
    if config.json is not None:
        write_json(config.json, rates)
    return rates


@user_errors
def main(arguments: Sequence[str] | None = None, prog: str | None = None) -> None:
    """Reads the arguments, by default those of the command line."""
    run(tyro.cli(Config, prog=prog, description=__doc__, args=arguments))


if __name__ == "__main__":
    main()
