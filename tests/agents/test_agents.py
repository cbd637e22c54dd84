"""All agents, in all games: they act legally, by what they may know, and are made by name."""

import importlib
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import trick_agents
from tests.helpers import DEFAULTS, MINIS, reached_states
from tests.policies import random_policy
from trick_agents import registry, rule_based
from trick_agents.search import SearchAgent
from trick_envs import GAMES, make_game
from trick_envs.core.agent import Agent, RandomAgent
from trick_envs.core.dispatch import legal_actions, register_kernel
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import COMPILED, State, kernel
from trick_envs.core.random import Streams
from trick_envs.core.state import MAX_ACTIONS

NUM_POSITIONS = 150 if COMPILED else 20

GREEDY = "policy, greedy"
SEARCHES = {
    "search": "search:worlds=3",
    "ismcts": "ismcts:iterations=12",
    "search, rules": "search:playouts=5,rollouts=rules",
    "ismcts, outcome": "ismcts:iterations=5,objective=outcome,horizon=game",
}
"""Search agents with little to do, and in some of their ways."""

PRIOR = "search, policy"

# Policies that come with the project, which not all games have, have tests of their own.
KINDS = [name for name in trick_agents.AGENTS if name != "pretrained"]

every_agent = pytest.mark.parametrize("name", dict.fromkeys([*KINDS, GREEDY, *SEARCHES, PRIOR]))
every_game = pytest.mark.parametrize("game", [*DEFAULTS, *MINIS])


@cache
def agent_of(name: str, game: Game) -> Agent:
    """An agent by its name; policies, which need a file, have random weights instead."""
    if name in ("policy", GREEDY):
        return random_policy(game, greedy=name == GREEDY)
    if name == PRIOR:
        return SearchAgent(worlds=3, prior=random_policy(game))
    return trick_agents.make(SEARCHES.get(name, name), game)


@cache
def positions_of(game: Game) -> States:
    """Positions from all over random games."""
    states = reached_states(game, NUM_POSITIONS, seed=8, num_games=NUM_POSITIONS // 10)
    return states[game.current_players(states) >= 0]


def streams_for(states: States, seed: int = 1) -> Streams:
    return Streams(len(states), seed)


# --- fair and correct ----------------------------------------------------------------------------------


@every_agent
@every_game
def test_an_agent_plays_whole_games_by_legal_actions(game: Game, name: str) -> None:
    agent = agent_of(name, game)
    states = game.new_states(8 if COMPILED else 1, seed=2)
    streams = streams_for(states)
    unfinished = np.arange(len(states))
    while len(unfinished):
        current = states[unfinished]
        actions = agent.act(game, current, streams.take(unfinished))
        assert actions.shape == current.shape
        assert actions.dtype == np.int32
        assert game.action_masks(current)[np.arange(len(current)), actions].all()
        game.step(current, actions)
        states[unfinished] = current
        unfinished = unfinished[game.current_players(current) >= 0]


@every_agent
@every_game
def test_an_agent_decides_by_what_the_mover_knows(game: Game, name: str) -> None:
    agent = agent_of(name, game)
    states = positions_of(game)
    actions = agent.act(game, states, streams_for(states))
    for seed in range(3):
        elsewhere = game.resample(states, game.current_players(states), seed)
        assert elsewhere.tobytes() != states.tobytes()
        assert (agent.act(game, elsewhere, streams_for(states)) == actions).all()


@every_agent
@every_game
def test_an_agent_leaves_the_states_alone(game: Game, name: str) -> None:
    states = positions_of(game).copy()
    before = states.tobytes()
    agent_of(name, game).act(game, states, streams_for(states))
    assert states.tobytes() == before


@every_agent
@every_game
def test_an_agent_acts_in_a_batch_of_any_order_as_it_does_in_each_game_alone(game: Game, name: str) -> None:
    agent = agent_of(name, game)
    states = positions_of(game)
    actions = agent.act(game, states, streams_for(states))
    order = np.random.default_rng(3).permutation(len(states))
    shuffled = agent.act(game, states[order], streams_for(states).take(order))
    assert (shuffled == actions[order]).all()
    streams = streams_for(states)
    for i in order[:40]:
        alone = agent.act(game, states[i : i + 1], streams.take(np.array([i])))
        assert alone.tolist() == [actions[i]]


@every_agent
@every_game
def test_an_agent_of_no_games_has_no_actions(game: Game, name: str) -> None:
    states = game.new_states(0, seed=0)
    assert agent_of(name, game).act(game, states, Streams(0, 0)).shape == (0,)


@every_game
def test_the_random_agent_plays_all_legal_actions_equally_often(game: Game) -> None:
    agent = RandomAgent()
    num_draws = 4000 if COMPILED else 500
    for position in positions_of(game)[:10]:
        states = np.repeat(np.atleast_1d(position).view(game.state_dtype), num_draws)
        counts = np.bincount(agent.act(game, states, streams_for(states)), minlength=game.num_actions)
        legal = game.action_masks(states[:1])[0] == 1
        assert counts[~legal].sum() == 0
        if legal.sum() > 1:
            assert stats.chisquare(counts[legal]).pvalue > 1e-4


@every_game
def test_the_random_agent_draws_anew_each_time(game: Game) -> None:
    states = positions_of(game)
    states = states[game.action_masks(states).sum(axis=1) > 1]
    streams = streams_for(states)
    first, second = (RandomAgent().act(game, states, streams) for _ in range(2))
    assert (first != second).any()


# --- made by name --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def game() -> Game:
    return make_game(next(iter(GAMES)))


@pytest.fixture(scope="module")
def policy_file(game: Game, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("policies") / "policy.npz"
    random_policy(game).save(file, game)
    return file


def test_every_game_has_a_rule_based_agent() -> None:
    assert set(rule_based.GAMES) == set(GAMES)


@every_game
def test_an_agent_is_made_by_its_name(game: Game) -> None:
    assert isinstance(trick_agents.make("random", game), RandomAgent)
    assert isinstance(trick_agents.make("rules", game), Agent)
    assert type(trick_agents.make("rules:", game)) is type(trick_agents.make("rules", game))


def test_a_saved_policy_is_made_by_its_file_or_with_settings(
    game: Game, policy_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = positions_of(game)
    drawn = random_policy(game).act(game, states, streams_for(states))
    greedy = random_policy(game, greedy=True).act(game, states, streams_for(states))
    assert (drawn != greedy).any()
    monkeypatch.chdir(policy_file.parent)
    expected = {
        str(policy_file): greedy,
        "policy.npz": greedy,
        f"policy:file={policy_file}": greedy,
        f"policy:file={policy_file},greedy=false": drawn,
        f"policy:file={policy_file},greedy=true": greedy,
        f"policy:greedy=True,file={policy_file}": greedy,
    }
    for spec, actions in expected.items():
        made = trick_agents.make(spec, game)
        assert (made.act(game, states, streams_for(states)) == actions).all(), spec


def test_a_policy_may_have_any_file_name(
    game: Game, policy_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("5", "1e5", "true", "with space.npz", "a=b.npz", "plain"):
        Path(name).write_bytes(policy_file.read_bytes())
        assert isinstance(trick_agents.make(f"policy:file={name}", game), trick_agents.PolicyAgent)
        assert isinstance(trick_agents.make(name, game), trick_agents.PolicyAgent)


@pytest.mark.parametrize(
    ("spec", "parts"),
    [
        ("nobody", ["'nobody'", *trick_agents.AGENTS, ".npz"]),
        ("", ["''", *trick_agents.AGENTS]),
        (" rules", ["' rules'", *trick_agents.AGENTS]),
        ("Rules", ["'Rules'", *trick_agents.AGENTS]),
        ("nobody:depth=3", ["'nobody:depth=3'", *trick_agents.AGENTS]),
        ("random:worlds=3", ["'random'", "worlds", "none"]),
        ("rules:depth=2", ["'rules'", "depth", "none"]),
        ("policy", ["'policy'", "file", "greedy"]),
        ("policy:", ["'policy'", "file", "greedy"]),
        ("policy:greedy=true", ["'policy'", "file", "greedy"]),
        ("policy:file=FILE,speed=3", ["'policy'", "speed", "file, greedy"]),
        ("policy:file", ["'file'", "key=value"]),
        ("policy:=FILE", ["'=FILE'", "key=value"]),
        ("policy:file=FILE,greedy", ["'greedy'", "key=value"]),
        ("policy:file=FILE,greedy=perhaps", ["perhaps", "True", "False"]),
        ("policy:file=FILE,greedy=3", ["3", "True", "False"]),
        ("policy:file=FILE,greedy=", ["'greedy='", "key=value"]),
        ("policy:file=", ["'file='", "key=value"]),
        ("policy:file=5", ["'5'"]),
        ("policy:file=true", ["'true'"]),
        ("policy:file=missing.npz", ["'missing.npz'"]),
        ("missing.npz", ["'missing.npz'"]),
        ("folder", ["'folder'", *trick_agents.AGENTS]),
        ("folder.npz", ["'folder.npz'"]),
        ("policy:file=folder", ["'folder'"]),
        ("notes.txt", ["notes.txt"]),
        ("x\0y", [repr("x\0y"), *trick_agents.AGENTS]),
        ("x\0y.npz", [repr("x\0y.npz")]),
        ("x" * 5000, ["xxx", *trick_agents.AGENTS]),
        ("x" * 5000 + ".npz", ["xxx"]),
    ],
)
def test_a_wrong_spec_is_refused_with_its_value_and_what_is_allowed(
    game: Game,
    policy_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spec: str,
    parts: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("folder.npz").mkdir()
    Path("notes.txt").write_text("This is no policy.")
    Path("FILE").write_bytes(policy_file.read_bytes())
    with pytest.raises(ValueError) as caught:  # noqa: PT011, the message is looked at below
        trick_agents.make(spec, game)
    for part in parts:
        assert part in str(caught.value)


OWN_AGENTS = """
import numpy as np

class First:
    def act(self, game, states, rng):
        return game.action_masks(states).argmax(axis=1).astype(np.int32)

class Set:
    def __init__(self, game, greed=0.5, *more, name="nobody", **others):
        self.game, self.greed, self.name, self.others = game, greed, name, others
    act = First.act

def made():
    return First()

class Idle:
    pass

NUMBER = 3
"""


@pytest.fixture
def own_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module of somebody else's."""
    file = tmp_path / "agents_of_my_own.py"
    file.write_text(OWN_AGENTS)
    (tmp_path / "broken_agents.py").write_text("import no_such_module")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "agents_of_my_own", raising=False)
    return file


def test_an_agent_may_be_a_class_of_another_module(game: Game, own_agents: Path) -> None:
    states = positions_of(game)
    for spec in ("agents_of_my_own:First", "agents_of_my_own:First:", "agents_of_my_own:made"):
        actions = trick_agents.make(spec, game).act(game, states, streams_for(states))
        assert (actions == game.action_masks(states).argmax(axis=1)).all()
        assert trick_agents.files_of(spec, game) == [own_agents]
    spec = f"agents_of_my_own:Set:file={own_agents.parent / 'broken_agents.py'}"
    assert trick_agents.files_of(spec, game) == [own_agents, own_agents.parent / "broken_agents.py"]
    made: Any = trick_agents.make("agents_of_my_own:Set:greed=0.25,name=me,depth=2", game)
    assert (made.game, made.greed, made.name, made.others) == (game, 0.25, "me", {"depth": 2})


@pytest.mark.parametrize(
    ("spec", "parts"),
    [
        ("no_such_module:Agent", ["No module named 'no_such_module'", *trick_agents.AGENTS]),
        ("broken_agents:Agent", ["broken_agents:Agent", "No module named 'no_such_module'"]),
        ("agents_of_my_own:Last", ["agents_of_my_own.py has no class 'Last'"]),
        ("agents_of_my_own:NUMBER", ["agents_of_my_own.py has no class 'NUMBER'"]),
        ("agents_of_my_own:Idle", ["agents_of_my_own:Idle", "with a method `act`"]),
        ("agents_of_my_own:First:greed=3", ["'agents_of_my_own:First'", "has no setting greed", "none"]),
        ("agents_of_my_own:Set:greed", ["'greed'", "key=value"]),
    ],
)
def test_a_class_that_is_no_agent_is_refused(
    game: Game, own_agents: Path, spec: str, parts: list[str]
) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011, the message is looked at below
        trick_agents.make(spec, game)
    for part in parts:
        assert part in str(caught.value)


@every_agent
@pytest.mark.parametrize("rng", [np.random.default_rng(1), 7, Streams(2, 1)], ids=["numpy", "number", "few"])
def test_random_numbers_that_are_not_one_stream_for_each_game_are_refused(
    game: Game, name: str, rng: Any
) -> None:
    with pytest.raises(ValueError, match=r"rng is .*; allowed is Streams\(3, seed\)"):
        agent_of(name, game).act(game, game.new_states(3, seed=1), rng)


def test_without_a_rule_based_agent_for_the_game_its_name_is_refused(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule_based, "GAMES", ("whist",))
    monkeypatch.setattr(rule_based, "is_registered", lambda dtype, name: False)
    with pytest.raises(ValueError, match=f"{game.name}; there are those for whist"):
        trick_agents.make("rules", game)


@kernel
def first_action(s: State, draw: float) -> int:
    """Another rule-based agent."""
    actions = np.empty(MAX_ACTIONS, np.int32)
    legal_actions(s, actions)
    return int(actions[0])


@pytest.mark.parametrize("name", GAMES)
def test_a_second_rule_based_agent_is_refused_and_both_are_named(name: str) -> None:
    game = make_game(name)
    rule_based.check_rules(game)
    states = positions_of(game)
    before = trick_agents.make("rules", game).act(game, states, streams_for(states))
    with pytest.raises(ValueError, match="there is one for each record type") as error:
        register_kernel(game.state_dtype, "choose", first_action)
    assert f"{__name__}.first_action" in str(error.value)
    assert f"trick_agents.rule_based.{name}.choose" in str(error.value)
    again = trick_agents.make("rules", game).act(game, states, streams_for(states))
    np.testing.assert_array_equal(again, before)


def test_a_module_with_a_rule_based_agent_can_be_loaded_again(game: Game) -> None:
    rule_based.check_rules(game)
    importlib.reload(sys.modules[f"trick_agents.rule_based.{game.name}"])
    states = positions_of(game)
    trick_agents.make("rules", game).act(game, states, streams_for(states))


@pytest.mark.parametrize("maker", [random_policy, lambda game: trick_agents.make("random", game)])
def test_agents_keep_to_the_protocol(game: Game, maker: Callable[[Game], object]) -> None:
    assert isinstance(maker(game), Agent)


@every_agent
def test_threads_that_share_an_agent_decide_as_one_does_alone(game: Game, name: str) -> None:
    """Kernels release the interpreter's lock, so threads really run at the same time."""
    agent = agent_of(name, game)
    states = positions_of(game)[: 20 if COMPILED else 2]
    expected = agent.act(game, states, streams_for(states)).tolist()
    with ThreadPoolExecutor(4) as threads:
        found = threads.map(lambda _: agent.act(game, states, streams_for(states)).tolist(), range(8))
        assert all(actions == expected for actions in found)


# --- agents that are registered ---------------------------------------------------------------------------


class First:
    """Plays the first legal action, or the last one."""

    def __init__(self, game: Game, last: bool = False) -> None:
        self.last = last

    def act(self, game: Game, states: States, rng: Streams) -> NDArray[np.int32]:
        """One legal action for the current player of each game."""
        masks = game.action_masks(states)
        if self.last:
            return (game.num_actions - 1 - masks[:, ::-1].argmax(axis=1)).astype(np.int32)
        return masks.argmax(axis=1).astype(np.int32)


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent "first", for one test."""
    monkeypatch.setattr(registry, "_MAKERS", dict(registry._MAKERS))
    trick_agents.register_agent("first", First)


@pytest.mark.usefixtures("registered")
def test_a_registered_agent_is_made_by_its_name_and_settings(game: Game) -> None:
    states = positions_of(game)
    masks = game.action_masks(states)
    actions = trick_agents.make("first", game).act(game, states, streams_for(states))
    np.testing.assert_array_equal(actions, masks.argmax(axis=1))
    others = trick_agents.make("first:last=true", game).act(game, states, streams_for(states))
    assert (others >= actions).all()
    assert (others > actions).any()
    assert trick_agents.files_of("first:last=true", game) == [Path(__file__)]
    with pytest.raises(ValueError, match="agent 'first' has no setting speed; settings: last"):
        trick_agents.make("first:speed=3", game)


@pytest.mark.usefixtures("registered")
def test_a_name_that_an_agent_has_or_that_cannot_be_is_refused() -> None:
    trick_agents.register_agent("first", First)  # as a module does that is loaded again
    with pytest.raises(ValueError, match=r"the name 'first' is taken by .*First"):
        trick_agents.register_agent("first", RandomAgent)
    with pytest.raises(ValueError, match="the name 'rules' is taken by"):
        trick_agents.register_agent("rules", First)
    for name in ("", "a:b", "policy.npz", "3", None):
        with pytest.raises(ValueError, match="choose letters, digits and underscores"):
            trick_agents.register_agent(name, First)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="maker is 'First'"):
        trick_agents.register_agent("second", "First")  # type: ignore[arg-type]


@pytest.mark.usefixtures("registered")
def test_what_a_registered_maker_gives_must_be_an_agent(game: Game) -> None:
    trick_agents.register_agent("nothing", lambda game: None)
    with pytest.raises(ValueError, match="allowed are agents, with a method `act`"):
        trick_agents.make("nothing", game)
