"""Can a policy learn one seat of a game, against a pool of opponents, in minutes on two cores?

MaskablePPO (sb3-contrib) over the native `SeatVecEnv`. The learner's seat is drawn for each game; each other
seat is taken by one of the pool: rule-based, random, or an earlier snapshot of the learner itself. A run can
be stopped at any time and resumed; a finished one evaluates itself.

    python -m experiments.train --game voodoo_prince --steps 1000000
    python -m experiments.train --resume results/RUN
"""

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import Any

import torch
import tyro
from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3.common import logger
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import get_device
from stable_baselines3.common.vec_env import VecEnv
from tqdm import tqdm

import agents as agents_
from agents import PolicyAgent
from agents.files import write_text
from experiments import checkpoint, curve
from experiments.cli import parse_options, user_errors
from experiments.evaluate import Result, evaluate, print_result
from experiments.learner import Decay, SuitPolicy, export, policy_settings
from experiments.self_play import SelfPlayPPO, SelfPlayVecEnv
from trick_envs import make_game
from trick_envs.core.agent import Agent
from trick_envs.core.game import Game
from trick_envs.sb3 import BatchVecEnv, SeatVecEnv

SELF = "self"
SELF_PLAY = "self_play"
ALGORITHMS = ("seat", SELF_PLAY)
LEFT_OUT = ("played_in", "scores", "round")
YARDSTICKS = ("random", "rules")
"""The agents that the learner is measured against."""


@dataclass(frozen=True)
class Config:
    """Trains one seat of a game against a pool of opponents."""

    game: str = "voodoo_prince"
    """Name of the game."""
    players: int | None = None
    """Number of seats; by default the game's usual number."""
    options: list[str] = field(default_factory=list)
    """The game's settings, as "name=value"."""
    algorithm: str = "seat"
    """"seat": one seat learns; "self_play": one policy plays all seats and learns from all decisions."""
    opponents: list[str] = field(default_factory=lambda: ["rules@8", "random@1", f"{SELF}@1"])
    """The pool, each as "agent@weight"; "self" stands for snapshots of the learner. In self-play they are
    the guests."""
    guests: float = 0.5
    """In self-play, the share of games in which opponents from the pool sit at all seats but one."""
    by_round: bool = True
    """In self-play, what a seat learns from ends with the round; otherwise with the game. By rounds, a reward
    "outcome" teaches nothing before the last round."""
    steps: int = 2_000_000
    """Decisions of the learner."""
    minutes: float | None = None
    """Stops training after so many minutes, even if there are steps left."""
    envs: int = 256
    """Games at once."""
    seed: int = 0
    """Seed of all chance."""
    device: str = "cpu"
    """Where the network learns: "cpu", "cuda" or "auto"."""
    threads: int = 1
    """Threads of torch; two help only on an idle machine."""
    reward: str = "relative_score"
    """What is learned from: "outcome", "score" or "relative_score"."""
    rollout: int = 32
    """Decisions in each game between two updates."""
    minibatch: int = 512
    epochs: int = 4
    learning_rate: float = 1e-3
    """At the beginning; falls linearly to a tenth."""
    entropy: float = 0.005
    """Weight of the entropy bonus."""
    gamma: float = 1.0
    gae_lambda: float = 0.9
    width: int = 96
    """Numbers that the network makes of each suit."""
    table_width: int = 128
    """Numbers that it makes of the whole table."""
    without: list[str] | None = None
    """Feature groups that the network doesn't see, since they cost time. By default, as far as the game has
    them, "played_in" and what doesn't matter for the points still to be made: "scores" and "round"."""
    snapshot_every: int = 150_000
    """Decisions between two snapshots of the learner that join the pool."""
    snapshots: int = 4
    """Snapshots in the pool; the oldest leaves."""
    evaluate_every: int = 100_000
    """Decisions between two points of the learning curve."""
    evaluate_deals: int = 100
    """Duplicate deals for a point of the learning curve."""
    checkpoint_every: int = 100_000
    """Decisions between two checkpoints."""
    final_deals: int = 1000
    """Duplicate deals of the final evaluation."""
    results: Path = Path("results")
    """Where runs are stored, a folder for each."""
    resume: Path | None = None
    """The folder of a run to go on with; of the other settings only `steps`, `minutes`, `device` and
    `threads` can be changed then."""


CHANGEABLE = {"steps", "minutes", "device", "threads", "resume"}


class Stopped(Exception):  # noqa: N818, it is no error
    """Training was asked to stop, and a checkpoint has been written."""


class Training(BaseCallback):
    """Does between two updates what is due: snapshots, the learning curve, checkpoints, stopping."""

    def __init__(self, config: Config, game: Game, env: BatchVecEnv, folder: Path) -> None:
        """`folder`: of the run."""
        super().__init__()
        self.config = config
        self.game = game
        self.env = env
        self.folder = folder
        self.curve = curve.Curve(YARDSTICKS)
        self.snapshots: list[Agent] = []
        self.due = {"snapshot": config.snapshot_every, "evaluate": 0, "checkpoint": config.checkpoint_every}
        self.seconds = 0.0
        """Time spent in training before the present call of `learn`."""
        self.stop_asked = False
        self._start = perf_counter()
        self._bar: tqdm[Any] | None = None

    def set_opponents(self) -> None:
        """Builds the pool from the config and the snapshots."""
        players, weights = [], []
        for spec, weight in parse_opponents(self.config.opponents):
            if spec != SELF:
                players.append(agents_.make(spec, self.game))
                weights.append(weight)
            for snapshot in self.snapshots if spec == SELF else []:
                players.append(snapshot)
                weights.append(weight / len(self.snapshots))
        # Before there is a snapshot, the learner's share goes to the others, or to random play.
        self.env.set_opponents(players or None, weights or None)

    def minutes(self) -> float:
        """Minutes of training so far."""
        return (self.seconds + perf_counter() - self._start) / 60

    def is_time_up(self) -> bool:
        """Whether the config's minutes are over."""
        return self.config.minutes is not None and self.minutes() >= self.config.minutes

    def _on_training_start(self) -> None:
        self._start = perf_counter()
        self._bar = tqdm(total=self.config.steps, initial=self.steps, unit="step", unit_scale=True)

    def _on_step(self) -> bool:
        assert self._bar is not None
        self._bar.update(self.steps - self._bar.n)
        return True

    def _on_rollout_start(self) -> None:
        """The place where nothing is half done: all of a run's state lies in the model and the tables."""
        if self.config.minutes is not None:
            self.decay.left = 1 - self.minutes() / self.config.minutes
        if self._is_due("snapshot", self.config.snapshot_every):
            self.snapshots = [*self.snapshots, self.policy()][-self.config.snapshots :]
            self.set_opponents()
        if self._is_due("evaluate", self.config.evaluate_every):
            self.add_to_curve()
        if self._is_due("checkpoint", self.config.checkpoint_every) or self.stop_asked or self.is_time_up():
            self.save()
        if self.stop_asked or self.is_time_up():
            raise Stopped

    def _is_due(self, what: str, every: int) -> bool:
        if self.steps < self.due[what]:
            return False
        self.due[what] = self.steps + every
        return True

    @property
    def steps(self) -> int:
        """Decisions of the learner so far."""
        return int(self.model.num_timesteps)

    def close(self) -> None:
        """Ends the bar."""
        if self._bar is not None:
            self._bar.close()

    @property
    def maskable(self) -> MaskablePPO:
        """The model."""
        assert isinstance(self.model, MaskablePPO)
        return self.model

    def policy(self) -> PolicyAgent:
        """The learner as it is."""
        return export(self.maskable, self.game)

    @property
    def decay(self) -> Decay:
        """The schedule of the learning rate."""
        assert isinstance(self.model.learning_rate, Decay)
        return self.model.learning_rate

    def add_to_curve(self) -> None:
        """Measures the learner as it is and writes the learning curve."""
        deals = self.config.evaluate_deals
        shares = {
            name: measure_learner(self.game, self.policy(), name, deals).measures["learner"]["win_share"]
            for name in YARDSTICKS
        }
        self.curve.add(self.steps, self.minutes(), shares)
        self.curve.write(self.folder / "learning_curve.csv")
        for name, share in shares.items():
            self.logger.record(f"evaluation/win_share_{name}", share.mean)
        if self._bar is not None:
            self._bar.set_postfix({f"wins_{name}": f"{share.mean:.2f}" for name, share in shares.items()})

    def save(self) -> None:
        """Writes a checkpoint."""
        state = {
            "curve": self.curve,
            "snapshots": self.snapshots,
            "due": self.due,
            "seconds": self.minutes() * 60,
        }
        checkpoint.save(self.folder / checkpoint.NAME, self.maskable, self.env, state)

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `save` kept."""
        self.curve = state["curve"]
        self.snapshots = state["snapshots"]
        self.due = state["due"]
        self.seconds = state["seconds"]


def parse_opponents(texts: list[str]) -> list[tuple[str, float]]:
    """Agents and weights from "agent@weight" texts.

    Raises:
        ValueError: A text of another form, or none.
    """
    pool = []
    for text in texts:
        spec, at, weight = text.rpartition("@")
        try:
            pool.append((spec, float(weight)))
        except ValueError:
            at = ""
        if not at or not spec or not pool[-1][1] > 0:
            raise ValueError(f"opponent {text!r} has the wrong form; allowed is agent@weight, weight above 0")
    if not pool:
        raise ValueError("there are no opponents; allowed is at least one agent@weight")
    return pool


def measure_learner(game: Game, policy: Agent, yardstick: str, deals: int, seed: int = 0) -> Result:
    """The learner at one seat, the yardstick at all others."""
    entrants = {"learner": policy, yardstick: agents_.make(yardstick, game)}
    return evaluate(game, entrants, ["learner"] + [yardstick] * (game.num_players - 1), deals, seed)


def make_env(config: Config, game: Game) -> BatchVecEnv:
    """The tables, before their first deal."""
    if config.algorithm == SELF_PLAY:
        return SelfPlayVecEnv(
            game, config.envs, guests=config.guests, by_round=config.by_round, seed=config.seed
        )
    return SeatVecEnv(game, config.envs, seed=config.seed)


def build(config: Config, game: Game, env: VecEnv) -> MaskablePPO:
    """The learner, before its first step."""
    without = config.without
    if without is None:
        without = [name for name in game.observation_layout if name in LEFT_OUT]
    kind = SelfPlayPPO if config.algorithm == SELF_PLAY else MaskablePPO
    return kind(
        SuitPolicy,
        env,
        learning_rate=Decay(config.learning_rate),
        n_steps=config.rollout,
        batch_size=config.minibatch,
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        ent_coef=config.entropy,
        policy_kwargs=policy_settings(game, config.width, config.table_width, without),
        seed=config.seed,
        device=config.device,
    )


def check(config: Config) -> None:
    """Raises `ValueError` for numbers that can't be."""
    for setting in fields(config):
        value = getattr(config, setting.name)
        positive = setting.name not in ("seed", "players", "entropy", "guests")
        for number in value if isinstance(value, list) else [value]:
            is_number = isinstance(number, int | float) and not isinstance(number, bool)
            if is_number and not (number > 0 or (number == 0 and not positive)):
                raise ValueError(
                    f"{setting.name} is {value}; allowed are numbers {'above' if positive else 'from'} 0"
                )
    try:
        get_device(config.device)
    except RuntimeError as error:
        raise ValueError(f"device is {config.device!r}; allowed are cpu, cuda and auto") from error
    parse_opponents(config.opponents)
    if config.algorithm not in ALGORITHMS:
        allowed = ", ".join(map(repr, ALGORITHMS))
        raise ValueError(f"algorithm is {config.algorithm!r}; allowed are {allowed}")
    if config.minibatch < 2 or config.envs * config.rollout % config.minibatch:
        raise ValueError(
            f"minibatch is {config.minibatch}; allowed are divisors of envs * rollout from 2, "
            f"{config.envs * config.rollout}"
        )


def new_folder(config: Config, game: Game) -> Path:
    """A folder for a new run, with its config."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    folder = config.results / f"{game.name}-{game.num_players}p-seed{config.seed}-{stamp}"
    number = 1
    while folder.exists():
        number += 1
        folder = folder.with_name(f"{folder.name.removesuffix(f'-{number - 1}')}-{number}")
    folder.mkdir(parents=True)
    write_config(folder, config)
    return folder


def write_config(folder: Path, config: Config) -> None:
    """Writes a run's settings and the versions that it runs with."""
    packages = ("trick-envs", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")
    settings = asdict(config) | {"results": str(config.results), "resume": None}
    content = {"settings": settings, "versions": {"python": sys.version.split()[0]}}
    content["versions"] |= {package: version(package) for package in packages}
    write_text(folder / "config.json", json.dumps(content, indent=2) + "\n")


def resumed(folder: Path, **changes: Any) -> Config:
    """The settings with which a run goes on: as stored, but for `changes`.

    Raises:
        ValueError: There is no such run.
    """
    file = folder / "config.json"
    if not file.is_file():
        raise ValueError(f"{str(folder)!r} is no run: it has no config.json")
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))["settings"]
        stored = Config(**(settings | {"results": Path(settings["results"])}))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{str(file)!r} is damaged, or of another version: {error}") from error
    return replace(stored, resume=folder, **changes)


def check_resumed(config: Config) -> None:
    """Raises `ValueError` where a resumed run has other settings than it may have."""
    assert config.resume is not None
    stored = resumed(config.resume)
    changed = {setting.name for setting in fields(config)} - CHANGEABLE
    changed = {name for name in changed if getattr(config, name) != getattr(stored, name)}
    if changed:
        raise ValueError(f"a resumed run keeps its settings; leave out {', '.join(sorted(changed))}")


@contextmanager
def asking(training: Training) -> Iterator[None]:
    """Ctrl-C, or a polite kill, asks the training to stop at the next moment when nothing is half done."""

    def ask(number: int, frame: FrameType | None) -> None:
        if training.stop_asked:
            raise KeyboardInterrupt
        training.stop_asked = True
        tqdm.write("stopping after this update (once more: at once, back to the last checkpoint)", sys.stderr)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def train(config: Config) -> Path:
    """Trains as configured, or goes on with a run.

    Returns:
        The run's folder: `policy.npz`, `learning_curve.csv`, `learning_curve.png`, `evaluation.json`, ….
    """
    if config.resume is not None:
        check_resumed(config)
    check(config)
    torch.set_num_threads(config.threads)
    # Checking every distribution's arguments costs a tenth of the time, and masks pass by construction.
    torch.distributions.Distribution.set_default_validate_args(False)
    game = make_game(
        config.game, config.players, **({"reward": config.reward} | parse_options(config.options))
    )
    if config.resume is not None:
        folder = config.resume
        model, env, state = checkpoint.load(folder / checkpoint.NAME, config.device)
        training = Training(config, game, env, folder)
        training.restore(state)
        write_config(folder, config)
    else:
        env = make_env(config, game)
        training = Training(config, game, env, Path())
        training.set_opponents()
        model = build(config, game, env)
        folder = training.folder = new_folder(config, game)
    print(f"{game!r}: run {folder}", file=sys.stderr)
    model.set_logger(logger.configure(str(folder / "tensorboard"), ["tensorboard"]))
    try:
        learn(config, model, training)
    except KeyboardInterrupt:
        if (folder / checkpoint.NAME).exists():
            print(
                f"go on with: make train RESUME={folder}\n"
                f"        or: python -m experiments.train --resume {folder}",
                file=sys.stderr,
            )
        raise
    finish(config, game, training)
    return folder


def learn(config: Config, model: MaskablePPO, training: Training) -> None:
    """Learns until the steps or the minutes are over; `Stopped` leaves a checkpoint behind."""
    with asking(training):
        try:
            training.init_callback(model)
            if model.num_timesteps < config.steps:
                remaining = config.steps - model.num_timesteps
                model.learn(remaining, callback=training, reset_num_timesteps=model.num_timesteps == 0)
                training.save()
        except Stopped:
            if training.stop_asked:
                raise KeyboardInterrupt from None
        finally:
            training.close()


def finish(config: Config, game: Game, training: Training) -> None:
    """Writes the policy and the learning curve, and measures the policy."""
    folder = training.folder
    policy = training.policy()
    about = {"steps": training.steps, "minutes": round(training.minutes(), 2), "seed": config.seed}
    policy.save(folder / "policy.npz", game, about)
    if not training.curve.rows or training.curve.rows[-1]["steps"] != training.steps:
        training.add_to_curve()
    training.curve.plot(folder / "learning_curve.png", game)
    results = {name: measure_learner(game, policy, name, config.final_deals, 1) for name in YARDSTICKS}
    console = Console()
    for result in results.values():
        print_result(console, result)
    write_text(
        folder / "evaluation.json",
        json.dumps(about | {name: asdict(result) for name, result in results.items()}, indent=2) + "\n",
    )
    share = training.env.seconds_in_steps / max(training.minutes() * 60, 1e-9)
    console.print(
        f"{training.steps:,} decisions in {training.minutes():.1f} minutes, {share:.0%} of the time in "
        f"environments and opponents.\nPolicy: {folder / 'policy.npz'}\n"
        f"Learning curve: {folder / 'learning_curve.png'}",
        soft_wrap=True,
    )


@user_errors
def main() -> None:
    """Reads the command line; the settings of a run that is resumed take the place of the defaults."""
    config = tyro.cli(Config, description=__doc__)
    if config.resume is not None:
        config = tyro.cli(Config, description=__doc__, default=resumed(config.resume))
    train(config)


if __name__ == "__main__":
    main()
