"""Compiles everything, so that nothing is left to compile when it is used.

For container images, clusters and anything else that starts often: the result lies in the cache folder of
this user, or below NUMBA_CACHE_DIR.

    trick-envs warm-up voodoo_prince tighee
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import tyro
from tqdm import tqdm

import trick_agents
from trick_envs.core.agent import RandomAgent, decide
from trick_envs.core.game import Game
from trick_envs.core.kernel import State
from trick_envs.core.random import Streams
from trick_envs.core.registry import GAMES, make_game
from trick_envs.core.state import NOBODY
from trick_envs.envs.aec import TrickTakingEnv
from trick_envs.envs.seat import SeatVectorEnv
from trick_envs.envs.vector import TrickTakingVectorEnv
from trick_experiments.common.cli import user_errors

AGENTS = (
    "random",
    "rules",
    "pretrained",
    "search:worlds=1",
    "search:worlds=1,rollouts=rules",
    "ismcts:iterations=1",
    "ismcts:iterations=1,rollouts=rules",
)
"""Agents that between them use all compiled code of agents."""


@dataclass(frozen=True)
class Config:
    """Compiles games' rules beforehand."""

    games: tyro.conf.Positional[list[str]] = field(default_factory=lambda: list(GAMES))
    """Names of games, or classes of your own ("module:Class"); by default all that come with the project."""


def methods(game: Game) -> None:
    """All that `Game` itself can do; what positions need differs, so there are those of some random games."""
    states, agent, streams = game.new_states(8, 0), RandomAgent(), Streams(8, 0)
    game.resample(states, 0, seed=0)
    game.count_plays(states[0], 2)
    while len(unfinished := np.flatnonzero(game.current_players(states) != NOBODY)):
        for state in states[unfinished]:
            rebuild(game, state)
            game.information_state_string(state, int(state["current_player"]))
            game.render(state)
        actions = np.zeros(len(states), np.int32)
        actions[unfinished] = decide(agent, game, states, unfinished, streams)
        game.step(states, actions)
    for state in states:
        rebuild(game, state)
    game.play_randomly(states)
    game.returns(states)


def rebuild(game: Game, state: State) -> None:
    """Makes a position from what is known of it, with its past and without."""
    d = game.to_dict(state)
    game.from_dict(d)
    game.from_dict({key: value for key, value in d.items() if key not in ("history", "known_voids")})


def environments(game: Game) -> None:
    """A step in every kind of environment; with opponents, a game."""
    single = TrickTakingEnv(game)
    single.reset(0)
    single.step(int(single.observe(single.agent_selection)["action_mask"].argmax()))
    many = TrickTakingVectorEnv(game, 2, seed=0)
    many.reset()
    many.step(RandomAgent().act(game, many.states, Streams(2, 0)))
    seats = SeatVectorEnv(game, 2, opponents=RandomAgent())
    seats.reset(seed=0)
    while not seats.tables.finished.any():  # then a game is dealt anew
        seats.step(seats.action_masks().argmax(axis=1))


def agents(game: Game) -> None:
    """One decision of every agent that there is for the game."""
    states = game.new_states(1, 0)
    for spec in AGENTS:
        try:
            agent = trick_agents.make(spec, game)
        except ValueError:  # it has no rule-based player, or no policy that comes with the project
            continue
        agent.act(game, states, Streams(1, 0))


STEPS: tuple[Callable[[Game], None], ...] = (environments, methods, agents)
"""What is used of each game, so that it is compiled."""


def run(config: Config) -> None:
    """Compiles as configured."""
    games = [make_game(name) for name in config.games]
    with tqdm(total=len(games) * len(STEPS), unit="part", disable=not sys.stderr.isatty()) as bar:
        for game in games:
            for step in STEPS:
                bar.set_description(f"{game.name}, {step.__name__}")
                step(game)
                bar.update()
            print(f"{game.title}: compiled")


@user_errors
def main(arguments: Sequence[str] | None = None, prog: str | None = None) -> None:
    """Reads the arguments, by default those of the command line."""
    run(tyro.cli(Config, prog=prog, description=__doc__, args=arguments))


if __name__ == "__main__":
    main()
