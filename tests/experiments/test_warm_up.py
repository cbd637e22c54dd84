"""The command that compiles everything beforehand."""

import json
from pathlib import Path

import pytest

from tests.core.test_compiling import start
from trick_experiments import warm_up
from trick_experiments.warm_up import Config

WARM_UP = """
from trick_experiments import warm_up
warm_up.run(warm_up.Config(["gummi_trick"]))
print(json.dumps(compiled))
"""

USE = """
import trick_agents
from trick_envs import Streams, gummi_trick_v0, make_game
from trick_envs.testing import check_agent, check_game

env = gummi_trick_v0.env(num_players=3, reward="score")
env.reset(seed=1)
for agent in env.agent_iter():
    observation, _, termination, truncation, _ = env.last()
    is_done = termination or truncation
    env.step(None if is_done else env.action_space(agent).sample(observation["action_mask"]))
for game in make_game("gummi_trick", 3), make_game("gummi_trick", 4, preset="mini", reward="score"):
    check_game(game)
    for spec in "random", "rules", "search:worlds=2,objective=outcome,horizon=game", "ismcts:iterations=9":
        check_agent(trick_agents.make(spec, game), game)
print(json.dumps(compiled))
"""


def test_after_a_warm_up_nothing_is_left_to_compile(tmp_path: Path) -> None:
    out, errors = start(WARM_UP, tmp_path).communicate()
    assert json.loads(out.splitlines()[-1]), errors
    assert "Gummi Trick: compiled" in out
    out, errors = start(USE, tmp_path).communicate()
    assert json.loads(out) == [], errors


def test_a_game_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown game 'gumi_trick'"):
        warm_up.run(Config(["gummi_trick", "gumi_trick"]))
