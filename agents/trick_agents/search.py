"""Determinised Monte Carlo: every legal action is tried in many determinizations.

A determinization, or *world*, is drawn, each legal action is tried in a copy of it, with the same chance to
come, and all copies are played on by simple players; the action with the best mean is chosen. Source: M. L.
Ginsberg, "GIB: imperfect information in a computationally challenging game", 2001; here with roll-outs
instead of a solver.

A learned policy can be the search's prior. An action's mean result then counts together with the logarithm of
its probability, which is the best compromise between the highest mean and staying close to the policy
(J.-B. Grill et al., "Monte-Carlo tree search as regularized policy optimization", 2020); actions that the
policy all but excludes aren't tried, which leaves more roll-outs to the others.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from enum import IntEnum
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from trick_agents.policy import PolicyAgent
from trick_agents.rollouts import Horizon, Objective, Rollouts, determinize, play_on
from trick_agents.rule_based import check_rules
from trick_envs.core import validation
from trick_envs.core.batch import return_of
from trick_envs.core.dispatch import step
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import kernel
from trick_envs.core.random import Streams, check_streams, random_below
from trick_envs.core.state import MAX_ACTIONS

MAX_WORK = 1_000_000_000  # roll-outs for a move; numbers of visits fit into 32 bits
EXCLUDED = 5.0  # an action e^5 times less probable than the best one isn't tried

Setting = TypeVar("Setting", bound=IntEnum)


class Searcher(ABC):
    """What all search agents share: settings, and one game after the other, each in its own time."""

    def __init__(
        self, rollouts: str, objective: str, horizon: str, milliseconds: float | None, seed: int
    ) -> None:
        """Checks the settings, which the agents' own constructors describe."""
        self.by_rules = True if one_of(Rollouts, "rollouts", rollouts) == Rollouts.RULES else None
        self.objective = one_of(Objective, "objective", objective)
        self.horizon = one_of(Horizon, "horizon", horizon)
        if self.horizon == Horizon.ROUND and self.objective == Objective.OUTCOME:
            raise ValueError("horizon is 'round' with objective 'outcome'; allowed with it is 'game'")
        if milliseconds is not None:
            milliseconds = validation.number(milliseconds, "milliseconds", positive=True)
        self.milliseconds = milliseconds
        sequence = np.random.SeedSequence(validation.whole_number(seed, "seed", 0))
        self.key = sequence.generate_state(1, np.uint64)[0]

    def check(self, game: Game) -> None:
        """Raises `ValueError` if the game hasn't what the settings need."""
        if self.by_rules:
            check_rules(game)

    def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
        """One legal action for the current player of each game, shape (N,)."""
        self.check(game)
        check_streams(rng, len(states))
        actions = np.empty(len(states), np.int32)
        masks = game.action_masks(states)
        seeds = rng.bits() ^ self.key
        memory = self._memory(game)
        for i in range(len(states)):
            legal = np.flatnonzero(masks[i]).astype(np.int32)
            if len(legal) > 1:
                source = states[i : i + 1].copy()
                source["rng"] = seeds[i]
                actions[i] = self._search(game, states[i : i + 1], legal, source, memory)
            else:
                actions[i] = legal[0]
        return actions

    def _memory(self, game: Game) -> Any:
        """What the searches of one call of `act` work in: threads may share an agent, but not this."""
        return None

    @abstractmethod
    def _search(
        self, game: Game, state: States, legal: NDArray[np.int32], source: States, memory: Any
    ) -> int:
        """The action in one game (1,), of at least two; random numbers come from the record source (1,)."""


class SearchAgent(Searcher):
    """Determinised Monte Carlo, as this module describes."""

    def __init__(
        self,
        worlds: int | None = None,
        playouts: int | None = None,
        rollouts: str = "random",
        objective: str = "relative_score",
        horizon: str = "round",
        milliseconds: float | None = None,
        seed: int = 0,
        prior: PolicyAgent | None = None,
        prior_weight: float = 0.1,
    ) -> None:
        """Settings of the search.

        Args:
            worlds: How many determinizations; each legal action is tried once in each.
            playouts: In place of `worlds`: how many roll-outs in all, divided evenly among the legal
                actions. Default: 1000, but without an end where a time is given.
            rollouts: Who plays on: ``"random"``, or ``"rules"``, the game's rule-based agent.
            objective: ``"relative_score"``, the score less the mean of all seats, or ``"outcome"``.
            horizon: To where: the end of the ``"round"`` or of the ``"game"``.
            milliseconds: Time for a move; the search stops when it is over, or with its work done.
            seed: Other seeds draw other worlds from the same streams of random numbers.
            prior: A policy for this game whose probabilities count, too.
            prior_weight: By how much an action must be better, in standard deviations of the roll-outs'
                results, to be preferred to one that the policy finds e times more probable.

        Raises:
            ValueError: A setting that isn't allowed.
        """
        super().__init__(rollouts, objective, horizon, milliseconds, seed)
        self.prior = prior
        self.prior_weight = validation.number(prior_weight, "prior_weight")
        if worlds is not None and playouts is not None:
            raise ValueError(f"worlds is {worlds!r} and playouts is {playouts!r}; allowed is one of them")
        self.worlds = limit("worlds", worlds)
        if worlds is None and playouts is None and milliseconds is None:
            playouts = 1000
        self.playouts = limit("playouts", playouts)

    def _search(
        self, game: Game, state: States, legal: NDArray[np.int32], source: States, memory: Any
    ) -> int:
        log_chances = np.zeros(len(legal))
        if self.prior is not None:
            logits = self.prior.logits(game.observations(state))[0, legal].astype(np.float64)
            likely = logits > logits.max() - EXCLUDED
            legal, log_chances = legal[likely], logits[likely]
            if len(legal) == 1:
                return int(legal[0])
        num_worlds = self.worlds if self.playouts is None else max(1, self.playouts // len(legal))
        sums = np.zeros((2, len(legal)))
        pair = np.repeat(state, 2)
        done = 0
        for count in chunks(num_worlds, self.milliseconds):
            try_worlds(state, source, pair, legal, count, self.objective, self.horizon, self.by_rules, sums)
            done += count
        means = sums[0] / done
        spread = np.sqrt(max(0.0, (sums[1] / done - means**2).mean()))
        return int(legal[best_of(means + self.prior_weight * spread * log_chances, source)])


@kernel
def try_worlds(
    state: States,
    source: States,
    pair: States,
    legal: NDArray[np.int32],
    num_worlds: int,
    objective: int,
    horizon: int,
    by_rules: bool | None,
    sums: NDArray[np.float64],
) -> None:
    """Tries every legal action in some worlds and *adds* to `sums` what each brings the current player.

    To row 0 the results, to row 1 their squares. `pair`: memory to work in, of two states.
    """
    actions = np.empty(MAX_ACTIONS, np.int32)
    first = state[0]
    world, trial = pair[0:1], pair[1:2]
    for _ in range(num_worlds):
        determinize(state, objective, source, world)
        for k in range(len(legal)):
            trial[0] = world[0]
            step(trial[0], legal[k])
            play_on(trial[0], first, horizon, by_rules, actions)
            result = return_of(trial[0], first.current_player)
            sums[0, k] += result
            sums[1, k] += result * result


@kernel
def best_of(values: NDArray[np.float64], source: States) -> int:
    """The index of the highest value; one of them by chance where several are equal."""
    best = 0
    num_equal = 1
    for i in range(1, len(values)):
        if values[i] > values[best]:
            best = i
            num_equal = 1
        elif values[i] == values[best]:
            num_equal += 1
            if random_below(source[0], num_equal) == 0:
                best = i
    return best


# --- time and settings -----------------------------------------------------------------------------------


def chunks(total: int | None, milliseconds: float | None) -> Iterator[int]:
    """How much to do next, until all is done or the time is over. The first chunk is always given.

    Args:
        total: How much there is to do; None: no end. One of the two limits is needed.
        milliseconds: The time for it; None: no limit.
    """
    if milliseconds is None:
        assert total is not None
        yield total
        return
    start = perf_counter()
    done, size = 0, 1
    while size > 0:
        yield size
        done += size
        spent = perf_counter() - start
        in_time_left = int(done * (milliseconds / 1000 / spent - 1))
        size = min(done, in_time_left) if total is None else min(done, in_time_left, total - done)


def limit(name: str, value: int | None) -> int | None:
    """A whole number from 1 that says how much to do, or None.

    Raises:
        ValueError: Another one.
    """
    return None if value is None else validation.whole_number(value, name, 1, MAX_WORK)


def one_of(kind: type[Setting], name: str, value: str) -> Setting:
    """The member of an enum with this name in small letters.

    Raises:
        ValueError: There is none.
    """
    return kind[validation.choice(value, name, tuple(member.name.lower() for member in kind)).upper()]
