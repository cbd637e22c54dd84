"""A run of training: its settings, its folder, what is due between two updates, and how it goes on."""

import json
import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from importlib.metadata import version
from itertools import count
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import Annotated, Any

import torch
from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3.common import logger
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import get_device
from stable_baselines3.common.vec_env import VecEnv
from tqdm import tqdm

import trick_agents
from trick_agents import PolicyAgent
from trick_agents.files import clear_leftovers
from trick_envs.core.agent import Agent
from trick_envs.core.game import Game
from trick_envs.core.registry import make_game
from trick_envs.envs.sb3 import BatchVecEnv, SeatVecEnv
from trick_experiments.common.cli import MAX_DEALS, Real, Whole, check_numbers, parse_options, variant_words
from trick_experiments.common.files import locked, write_json
from trick_experiments.evaluation.comparison import Result, evaluate, print_result
from trick_experiments.learning import checkpoint, curve
from trick_experiments.learning.policy_network import Decay, SuitPolicy, export, policy_settings
from trick_experiments.learning.self_play_env import SelfPlayVecEnv, spread_of_returns
from trick_experiments.learning.self_play_ppo import SelfPlayPPO

SELF = "self"
SELF_PLAY = "self_play"
ALGORITHMS = ("seat", SELF_PLAY)
LEFT_OUT = ("history", "score", "round")
"""Kinds of feature groups that the network doesn't see, unless the config says otherwise."""
STEPS, STEPS_OR_NONE = Whole(1, 10**12), Whole(0, 10**12)
SEED = Whole(0, 2**32 - 1)  # what numpy's global generator takes
MAX_DECISIONS = 2**22
"""Between two updates: so many observations take gigabytes."""
MAX_WEIGHT = 1_000_000
CONFIG, POLICY, EVALUATION = "config.json", "policy.npz", "evaluation.json"
CURVE, PICTURE = "learning_curve.csv", "learning_curve.png"
FILES = (CONFIG, checkpoint.NAME, POLICY, EVALUATION, CURVE, PICTURE)
"""What a run's folder holds, beside TensorBoard's files."""
FINAL_SEED = 1
"""Of the deals of the final evaluation; those of the learning curve are others."""


@dataclass(frozen=True)
class Config:
    """Trains one seat of a game against a pool of opponents."""

    game: str = "voodoo_prince"
    """Name of the game, or a class of your own ("module:Class")."""
    players: int | None = None
    """Number of seats; by default the game's usual number."""
    options: list[str] = field(default_factory=list)
    """The game's settings, as "name=value"."""
    algorithm: str = SELF_PLAY
    """"self_play": one policy plays all seats and learns from all decisions; "seat": one seat learns."""
    opponents: list[str] = field(default_factory=lambda: ["rules@8", "random@1", f"{SELF}@1"])
    """The pool, each as "agent@weight"; "self" stands for snapshots of the learner. In self-play they
    sit at a share of the tables."""
    pfsp_exponent: Annotated[float, Real(100)] = 1.0
    """In self-play, how much opponents are preferred that the learner loses to: an opponent's weight is
    multiplied by the share of games lost to it, to this power. 0: not at all. That is prioritised
    fictitious self-play (O. Vinyals et al., "Grandmaster level in StarCraft II using multi-agent
    reinforcement learning", 2019)."""
    pool_share: Annotated[float, Real(1)] = 0.95
    """In self-play, the share of games in which opponents from the pool sit at all seats but one."""
    episode: str = "round"
    """In self-play, what a seat learns from ends with the "round" or with the "game". By rounds, a reward
    "outcome" teaches nothing before the last round."""
    privileged_critic: bool = False
    """In self-play, the critic is a network of its own and sees everybody's hand; the actor never does."""
    expert: str = "rules"
    """In self-play, an agent whose decisions are learned first."""
    imitation_steps: Annotated[int, STEPS_OR_NONE] = 1_000_000
    """How many of the expert's decisions are imitated, before the learner's own; 0 for none."""
    imitation_learning_rate: Annotated[float, Real(1, positive=True)] = 1e-3
    """The learning rate in imitation."""
    steps: Annotated[int, STEPS] = 3_000_000
    """Decisions of the learner, imitation included."""
    minutes: Annotated[float | None, Real(1_000_000, positive=True)] = None
    """Stops training after so many minutes, even if there are steps left."""
    n_envs: Annotated[int, Whole(1, MAX_DECISIONS)] = 256
    """Games at once."""
    seed: Annotated[int, SEED] = 0
    """Seed of all chance."""
    device: str = "cpu"
    """Where the network learns: "cpu", "cuda" or "auto"."""
    threads: Annotated[int, Whole(1, 1024)] = 1
    """Threads of torch; two help only on an idle machine."""
    reward: str = "relative_score"
    """What is learned from: "outcome", "score" or "relative_score"."""
    n_steps: Annotated[int, Whole(1, MAX_DECISIONS)] = 32
    """Decisions in each game between two updates."""
    batch_size: Annotated[int, Whole(2, MAX_DECISIONS)] = 512
    n_epochs: Annotated[int, Whole(1, 1000)] = 3
    learning_rate: Annotated[float, Real(1, positive=True)] = 1e-3
    """At the beginning; falls linearly to a tenth."""
    ent_coef: Annotated[float, Real(100)] = 0.001
    """Weight of the entropy bonus."""
    gamma: Annotated[float, Real(1, positive=True)] = 1.0
    gae_lambda: Annotated[float, Real(1)] = 0.9
    width: Annotated[int, Whole(1, 4096)] = 96
    """Numbers that the network makes of each suit."""
    table_width: Annotated[int, Whole(1, 4096)] = 128
    """Numbers that it makes of the whole table."""
    without: list[str] | None = None
    """Feature groups that the network doesn't see, since they cost time. By default those whose kind is
    "history" (which trick something happened in), "score" or "round", which don't matter for the points still
    to be made."""
    snapshot_every: Annotated[int, STEPS] = 150_000
    """Decisions between two snapshots of the learner that join the pool."""
    snapshots: Annotated[int, Whole(1, 1000)] = 4
    """Snapshots in the pool; the oldest leaves."""
    evaluate_every: Annotated[int, STEPS] = 100_000
    """Decisions between two points of the learning curve."""
    evaluate_deals: Annotated[int, Whole(1, MAX_DEALS)] = 100
    """Duplicate deals for a point of the learning curve, in which the learner draws its actions, as in
    training."""
    checkpoint_every: Annotated[int, STEPS] = 100_000
    """Decisions between two checkpoints."""
    reference_opponents: list[str] = field(default_factory=lambda: ["random", "rules"])
    """The agents that the learner is measured against."""
    final_deals: Annotated[int, Whole(1, MAX_DEALS)] = 1000
    """Duplicate deals of the final evaluation, in which the policy takes its likeliest actions."""
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
        self.curve = curve.Curve(config.reference_opponents)
        self.reference_opponents = {
            spec: make_agent("reference_opponents", spec, game) for spec in config.reference_opponents
        }
        pool = [spec for spec, _ in parse_opponents(config.opponents) if spec != SELF]
        self._fixed = {spec: make_agent("opponents", spec, game) for spec in pool}
        self.snapshots: dict[str, Agent] = {}
        self.members: list[str] = []
        """Names of the pool's agents, in the order in which the tables know them."""
        self.records: dict[str, tuple[float, float]] = {}
        """How often each of them met the learner, and how often it came out above it, of late."""
        self.due = {"snapshot": config.snapshot_every, "evaluate": 0, "checkpoint": config.checkpoint_every}
        self.seconds = 0.0
        """Time spent in training before the present call of `learn`."""
        self.stop_asked = False
        self._start = perf_counter()
        self._bar: tqdm[Any] | None = None

    def set_opponents(self) -> None:
        """Builds the pool from the config, the snapshots and what is known of them."""
        self._update_records()
        pool: dict[str, tuple[Agent, float]] = {}
        for spec, weight in parse_opponents(self.config.opponents):
            if spec != SELF:
                pool[spec] = (self._fixed[spec], weight)
            else:
                share = weight / max(1, len(self.snapshots))
                pool |= {name: (agent, share) for name, agent in self.snapshots.items()}
        # Before there is a snapshot, the learner's share goes to the others, or to random play.
        self.members = list(pool)
        weights = [weight * self.pfsp_weight(name) for name, (_, weight) in pool.items()]
        self.env.set_opponents([agent for agent, _ in pool.values()] or None, weights or None)

    def pfsp_weight(self, name: str) -> float:
        """What an opponent's weight is multiplied by, for the learner's losses to it."""
        met, lost = self.records.get(name, (0.0, 0.0))
        share: float = ((lost + 1) / (met + 2)) ** self.config.pfsp_exponent
        return share

    def _update_records(self) -> None:
        if not isinstance(self.env, SelfPlayVecEnv):
            return
        old = self.records
        self.records = {}
        for name, met, lost in zip(self.members, self.env.games_against, self.env.losses_to, strict=False):
            met_before, lost_before = old.get(name, (0.0, 0.0))
            # The learner changes: of what was before, half is forgotten.
            self.records[name] = (met_before / 2 + float(met), lost_before / 2 + float(lost))
            if met:
                self.logger.record(f"pfsp/losses_to_{name}", lost / met)

    def minutes(self) -> float:
        """Minutes of training so far."""
        return (self.seconds + perf_counter() - self._start) / 60

    def is_time_up(self) -> bool:
        """Whether the config's minutes are over."""
        return self.config.minutes is not None and self.minutes() >= self.config.minutes

    def _on_training_start(self) -> None:
        self._start = perf_counter()
        # None: there is a bar in a terminal only; a log gets a line for each point of the learning curve.
        self._bar = tqdm(
            total=self.config.steps, initial=self.steps, unit="step", unit_scale=True, disable=None
        )

    def _on_step(self) -> bool:
        assert self._bar is not None
        self._bar.update(self.steps - self._bar.n)
        return True

    def _on_rollout_start(self) -> None:
        """The place where nothing is half done: all of a run's state lies in the model and the tables."""
        minutes = self.config.minutes
        # A run that goes on may have been given no minutes any more.
        self.decay.left = 1.0 if minutes is None else 1 - self.minutes() / minutes
        if self._is_due("snapshot", self.config.snapshot_every):
            self.snapshots[f"snapshot-{self.steps}"] = self.policy()
            self.snapshots = dict(list(self.snapshots.items())[-self.config.snapshots :])
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

    def policy(self, greedy: bool = False) -> PolicyAgent:
        """The learner as it is: it draws its actions, as it does in training, or takes the likeliest."""
        return export(self.maskable, self.game, greedy)

    @property
    def decay(self) -> Decay:
        """The schedule of the learning rate."""
        assert isinstance(self.model.learning_rate, Decay)
        return self.model.learning_rate

    def add_to_curve(self) -> None:
        """Measures the learner as it is and writes the learning curve."""
        deals = self.config.evaluate_deals
        policy = self.policy()
        shares = {}
        for name, agent in self.reference_opponents.items():
            result = measure_learner(self.game, policy, name, agent, deals)
            shares[name] = result.measures["learner"]["win_share"]
        self.curve.add(self.steps, self.minutes(), shares)
        self.curve.write(self.folder / CURVE)
        for name, share in shares.items():
            self.logger.record(f"evaluation/win_share_{name}", share.mean)
        if self._bar is not None and not self._bar.disable:
            self._bar.set_postfix({f"wins_{name}": f"{share.mean:.2f}" for name, share in shares.items()})
        elif not sys.stderr.isatty():
            so_far = f"{self.steps:,} of {self.config.steps:,} steps, {self.minutes():.1f} minutes"
            found = ", ".join(f"{share:.2f} against {name}" for name, share in shares.items())
            print(f"{so_far}: win share {found}", file=sys.stderr, flush=True)

    def save(self) -> None:
        """Writes a checkpoint."""
        state = {
            "curve": self.curve,
            "snapshots": self.snapshots,
            "members": self.members,
            "records": self.records,
            "due": self.due,
            "seconds": self.minutes() * 60,
        }
        checkpoint.save(self.folder / checkpoint.NAME, self.maskable, self.env, state)

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `save` kept."""
        self.curve = state["curve"]
        self.snapshots = state["snapshots"]
        self.members = state["members"]
        self.records = state["records"]
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
        if not at or not spec or not 0 < pool[-1][1] <= MAX_WEIGHT:
            raise ValueError(
                f"opponent {text!r} has the wrong form; allowed is agent@weight, weight above 0 "
                f"to {MAX_WEIGHT}"
            )
    if not pool:
        raise ValueError("there are no opponents; allowed is at least one agent@weight")
    return pool


def make_agent(setting: str, spec: str, game: Game) -> Agent:
    """An agent that a setting names.

    Raises:
        ValueError: There is none; the message names the setting.
    """
    try:
        return trick_agents.make(spec, game)
    except ValueError as error:
        raise ValueError(f"{setting} has {spec!r}: {error}") from error


def measure_learner(
    game: Game, policy: Agent, name: str, opponent: Agent, deals: int, seed: int = 0
) -> Result:
    """The learner at one seat, a reference opponent at all others."""
    entrants = {"learner": policy, name: opponent}
    return evaluate(game, entrants, ["learner"] + [name] * (game.num_players - 1), deals, seed)


def make_env(config: Config, game: Game) -> BatchVecEnv:
    """The tables, before their first deal."""
    if config.algorithm == SELF_PLAY:
        return SelfPlayVecEnv(
            game,
            config.n_envs,
            pool_share=config.pool_share,
            episode=config.episode,
            privileged_critic=config.privileged_critic,
            seed=config.seed,
        )
    return SeatVecEnv(game, config.n_envs, seed=config.seed)


def build(config: Config, game: Game, env: VecEnv) -> MaskablePPO:
    """The learner, before its first step."""
    without = config.without
    if without is None:
        without = [group.name for group in game.observation_layout.values() if group.kind in LEFT_OUT]
    is_self_play = config.algorithm == SELF_PLAY
    settings: dict[str, Any] = {
        "learning_rate": Decay(config.learning_rate),
        "n_steps": config.n_steps,
        "batch_size": config.batch_size,
        "n_epochs": config.n_epochs,
        "gamma": config.gamma,
        "gae_lambda": config.gae_lambda,
        "ent_coef": config.ent_coef,
        "policy_kwargs": policy_settings(
            game, config.width, config.table_width, without, is_self_play and config.privileged_critic
        ),
        "seed": config.seed,
        "device": config.device,
    }
    if not is_self_play:
        return MaskablePPO(SuitPolicy, env, **settings)
    return SelfPlayPPO(
        SuitPolicy,
        env,
        expert=make_agent("expert", config.expert, game) if config.imitation_steps else None,
        imitation_steps=config.imitation_steps,
        imitation_learning_rate=config.imitation_learning_rate,
        reward_scale=1 / spread_of_returns(game, config.episode),
        **settings,
    )


def check(config: Config) -> None:
    """Raises `ValueError` for numbers that can't be."""
    check_numbers(config)
    try:
        get_device(config.device)
    except RuntimeError as error:
        raise ValueError(f"device is {config.device!r}; allowed are cpu, cuda and auto") from error
    parse_opponents(config.opponents)
    if not config.reference_opponents:
        raise ValueError("there are no reference_opponents; allowed is at least one agent")
    if config.algorithm not in ALGORITHMS:
        allowed = ", ".join(map(repr, ALGORITHMS))
        raise ValueError(f"algorithm is {config.algorithm!r}; allowed are {allowed}")
    decisions = config.n_envs * config.n_steps
    if decisions > MAX_DECISIONS:
        raise ValueError(
            f"n_envs * n_steps is {decisions}; allowed are whole numbers from 1 to {MAX_DECISIONS}"
        )
    if decisions % config.batch_size:
        raise ValueError(
            f"batch_size is {config.batch_size}; allowed are divisors of n_envs * n_steps from 2, {decisions}"
        )


def new_folder(config: Config, game: Game) -> Path:
    """A folder for a new run, with its config."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    name = f"{game.name}-{game.num_players}p-seed{config.seed}-{stamp}"
    for number in count(1):
        folder = config.results / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir(parents=True)
            break
        except FileExistsError:
            continue  # that of a run which was started in the same second
    write_config(folder, config)
    return folder


def write_config(folder: Path, config: Config) -> None:
    """Writes a run's settings and the versions that it runs with."""
    packages = ("trick-envs", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")
    settings = asdict(config) | {"results": str(config.results), "resume": None}
    content = {"settings": settings, "versions": {"python": sys.version.split()[0]}}
    content["versions"] |= {package: version(package) for package in packages}
    write_json(folder / CONFIG, content)


def resumed(folder: Path, **changes: Any) -> Config:
    """The settings with which a run goes on: as stored, but for `changes`.

    Raises:
        ValueError: There is no such run.
    """
    file = folder / CONFIG
    if not file.is_file():
        raise ValueError(f"{str(folder)!r} is no run: it has no {CONFIG}")
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))["settings"]
        unknown = settings.keys() - {setting.name for setting in fields(Config)}
        settings["results"] = Path(settings["results"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{str(file)!r} is damaged") from error
    if unknown:
        names = ", ".join(sorted(unknown))
        raise ValueError(f"{str(file)!r} was written by another version, with the settings {names}")
    return replace(Config(**settings), resume=folder, **changes)


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
    with ExitStack() as held:
        if config.resume is not None:
            folder = config.resume
            held.enter_context(locked(folder))
            clear_leftovers(folder, *FILES)
            model, env, state = checkpoint.load(folder / checkpoint.NAME, config.device)
            training = Training(config, game, env, folder)
            training.restore(state)
            write_config(folder, config)
            if model.num_timesteps >= config.steps or training.is_time_up():
                print(
                    f"this run has had its {model.num_timesteps:,} steps and {training.minutes():.1f} "
                    "minutes; give more of them to go on",
                    file=sys.stderr,
                )
        else:
            env = make_env(config, game)
            training = Training(config, game, env, Path())
            training.set_opponents()
            model = build(config, game, env)
            folder = training.folder = new_folder(config, game)
            held.enter_context(locked(folder))
        print(f"{game!r}: run {folder}", file=sys.stderr)
        model.set_logger(logger.configure(str(folder / "tensorboard"), ["tensorboard"]))
        try:
            learn(config, model, training)
        except KeyboardInterrupt:
            if (folder / checkpoint.NAME).exists():
                print(
                    f"go on with: make train RESUME={folder}\n        or: trick-envs train --resume {folder}",
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
    """Writes the policy and the learning curve, and measures the policy as it is loaded: at its likeliest."""
    folder = training.folder
    policy = training.policy(greedy=True)
    minutes = max(training.minutes(), 1e-9)
    share = training.env.seconds_in_steps / (60 * minutes)
    about = {
        "steps": training.steps,
        "minutes": round(minutes, 2),
        "seed": config.seed,
        "share_in_environments": round(share, 3),
    }
    policy.save(folder / POLICY, game, about)
    if not training.curve.rows or training.curve.rows[-1]["steps"] != training.steps:
        training.add_to_curve()
    training.curve.plot(folder / PICTURE, game)
    results = {
        name: measure_learner(game, policy, name, agent, config.final_deals, FINAL_SEED)
        for name, agent in training.reference_opponents.items()
    }
    console = Console()
    for result in results.values():
        print_result(console, result)
    measured = {name: asdict(result) for name, result in results.items()}
    write_json(folder / EVALUATION, about | {"greedy": policy.greedy} | measured)
    file = folder / POLICY
    variant = variant_words(config.game, config.players, config.options)
    against = shlex.join([*variant, "--agents", str(file), config.reference_opponents[-1]])
    console.print(
        f"{training.steps:,} decisions in {minutes:.1f} minutes, {share:.0%} of the time in "
        f"environments and opponents.\nPolicy: {file}\n"
        f"Learning curve: {folder / 'learning_curve.png'}\n"
        "The tables are of its likeliest actions; the curve is of actions that it draws.\n"
        f"Compare it: trick-envs evaluate {against}",
        soft_wrap=True,
    )
