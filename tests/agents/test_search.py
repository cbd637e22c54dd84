"""Search agents: they find the best play, keep to their settings and time, and see what they may."""

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import trick_agents
from tests.agents.exact import tiny_positions
from tests.helpers import DEFAULTS, reached_states
from tests.policies import random_policy
from trick_agents import PolicyAgent, search
from trick_agents.ismcts import ISMCTSAgent, Tree, grow
from trick_agents.search import SearchAgent, best_of, chunks
from trick_envs import GAMES, make_game
from trick_envs.core.agent import Agent, RandomAgent, decide
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import COMPILED
from trick_envs.core.random import Streams

SPECS = ("search:worlds=8", "ismcts:iterations=60")

every_game = pytest.mark.parametrize("game", DEFAULTS)
every_search = pytest.mark.parametrize("spec", SPECS)

pytestmark = pytest.mark.skipif(not COMPILED, reason="thousands of roll-outs are for compiled code")


def open_positions(game: Game, count: int, seed: int = 3) -> States:
    """Positions in which there is something to decide."""
    states = reached_states(game, 4 * count, seed, num_games=max(8, count))
    states = states[game.current_players(states) >= 0]
    return states[game.action_masks(states).sum(axis=1) > 1][:count]


def act(agent: Agent, game: Game, states: States, seed: int = 0) -> list[int]:
    return agent.act(game, states, Streams(len(states), seed)).tolist()


# --- what it sees ----------------------------------------------------------------------------------------


@every_game
def test_worlds_do_not_depend_on_what_is_hidden(game: Game) -> None:
    states = open_positions(game, 60)
    current_players = game.current_players(states)
    seeds = np.arange(len(states), dtype=np.uint64)
    worlds = game.resample(states, current_players, seeds)
    for seed in range(3):
        elsewhere = game.resample(states, current_players, seed)
        assert game.resample(elsewhere, current_players, seeds).tobytes() == worlds.tobytes()


@every_search
@every_game
def test_a_search_does_not_see_chance_to_come(game: Game, spec: str) -> None:
    agent = trick_agents.make(spec, game)
    states = open_positions(game, 10)
    actions = act(agent, game, states)
    states["rng"] += np.uint64(12345)
    assert act(agent, game, states) == actions


# --- settings --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def game() -> Game:
    return make_game(next(iter(GAMES)))


@every_search
def test_another_seed_draws_other_worlds(game: Game, spec: str) -> None:
    states = open_positions(game, 40)
    first = act(trick_agents.make(spec, game), game, states)
    assert act(trick_agents.make(f"{spec},seed=0", game), game, states) == first
    assert act(trick_agents.make(f"{spec},seed=1", game), game, states) != first
    assert act(trick_agents.make(spec, game), game, states, seed=1) != first


@pytest.mark.parametrize("kind", ["search", "ismcts"])
@pytest.mark.parametrize("setting", ["rollouts=rules", "horizon=game", "horizon=game,objective=outcome"])
def test_a_setting_makes_a_difference(game: Game, kind: str, setting: str) -> None:
    states = open_positions(game, 40)
    size = "worlds=20" if kind == "search" else "iterations=200"
    plain = act(trick_agents.make(f"{kind}:{size}", game), game, states)
    assert act(trick_agents.make(f"{kind}:{size},{setting}", game), game, states) != plain


def test_playouts_are_divided_among_the_legal_actions(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[tuple[int, int]] = []

    def try_worlds(state, source, room, legal, num_worlds, *rest):  # type: ignore[no-untyped-def]
        counts.append((len(legal), num_worlds))

    monkeypatch.setattr(search, "try_worlds", try_worlds)
    states = open_positions(game, 20)
    act(SearchAgent(playouts=100), game, states)
    act(SearchAgent(worlds=7), game, states)
    act(SearchAgent(), game, states)
    act(SearchAgent(playouts=1), game, states)
    legal = game.action_masks(states).sum(axis=1).tolist()
    expected = [(n, 100 // n) for n in legal] + [(n, 7) for n in legal] + [(n, 1000 // n) for n in legal]
    assert counts == expected + [(n, 1) for n in legal]


def likeliest_first(game: Game, states: States, policy: PolicyAgent) -> list[list[int]]:
    """The legal actions by a policy's logits."""
    logits = policy.logits(game.observations(states))
    masks = game.action_masks(states)
    return [
        sorted(np.flatnonzero(mask).tolist(), key=lambda action, row=row: -row[action])
        for mask, row in zip(masks, logits, strict=True)
    ]


def test_a_prior_of_great_weight_decides_and_one_of_none_only_excludes(game: Game) -> None:
    states = open_positions(game, 30)
    policy = random_policy(game, greedy=True)
    likeliest = [actions[0] for actions in likeliest_first(game, states, policy)]
    assert act(SearchAgent(worlds=10, prior=policy, prior_weight=1e6), game, states) == likeliest
    free = act(SearchAgent(worlds=10, prior=policy, prior_weight=0.0), game, states)
    assert free != likeliest


def test_what_the_prior_all_but_excludes_is_not_tried(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    states = open_positions(game, 30)
    policy = random_policy(game)
    policy.network.arrays["suit_actions"] *= 10  # as sure of itself as a trained one
    tried: list[list[int]] = []

    def try_worlds(state, source, room, legal, num_worlds, *rest):  # type: ignore[no-untyped-def]
        tried.append(legal.tolist())

    monkeypatch.setattr(search, "try_worlds", try_worlds)
    act(SearchAgent(worlds=1, prior=policy), game, states)
    logits = policy.logits(game.observations(states))
    expected = []
    for mask, row in zip(game.action_masks(states), logits, strict=True):
        legal = np.flatnonzero(mask)
        likely = legal[row[legal] > row[legal].max() - search.EXCLUDED].tolist()
        if len(likely) > 1:
            expected.append(likely)
    assert tried == expected
    assert sum(map(len, tried)) < game.action_masks(states).sum() / 2


def test_a_prior_is_named_by_its_file(game: Game, tmp_path: Path) -> None:
    policy = random_policy(game)
    policy.save(tmp_path / "policy.npz", game)
    states = open_positions(game, 30)
    spec = f"search:worlds=5,prior={tmp_path / 'policy.npz'},prior_weight=0.5"
    expected = act(SearchAgent(worlds=5, prior=policy, prior_weight=0.5), game, states)
    assert act(trick_agents.make(spec, game), game, states) == expected
    assert trick_agents.files_of(spec, game) == [tmp_path / "policy.npz"]


class Watched(ISMCTSAgent):
    """Keeps the tree of its latest search, for tests to look at."""

    tree: Tree

    def _memory(self, game: Game) -> Tree:
        self.tree = super()._memory(game)
        return self.tree


def test_much_exploration_visits_all_actions_alike_and_little_mostly_the_best(game: Game) -> None:
    state = open_positions(game, 1)
    shares = []
    for exploration in (0.1, 100.0):
        agent = Watched(iterations=2000, exploration=exploration)
        act(agent, game, state)
        visits = agent.tree.edges[0, game.action_masks(state)[0] == 1]["visits"]
        assert visits.sum() == 2000
        shares.append(visits.max() / visits.sum() * len(visits))
    assert shares[0] > 1.5
    assert shares[1] < 1.1


@pytest.mark.parametrize(
    ("spec", "parts"),
    [
        ("search:worlds=0", ["worlds is 0", "from 1"]),
        ("search:worlds=2.5", ["worlds is 2.5", "from 1"]),
        ("search:worlds=true", ["worlds is True", "from 1"]),
        ("search:playouts=-1", ["playouts is -1", "from 1"]),
        ("search:worlds=3,playouts=5", ["worlds is 3", "playouts is 5", "one of them"]),
        ("search:rollouts=clever", ["'clever'", "'random'", "'rules'"]),
        ("search:objective=score", ["'score'", "'outcome'", "'relative_score'"]),
        ("search:horizon=trick", ["'trick'", "'round'", "'game'"]),
        ("search:objective=outcome", ["'round'", "'outcome'", "'game'"]),
        ("search:milliseconds=0", ["milliseconds is 0", "above 0"]),
        ("search:milliseconds=soon", ["'soon'", "above 0"]),
        ("search:prior=rules", ["'rules'", "'pretrained'"]),
        ("search:prior_weight=-1", ["prior_weight is -1", "from 0"]),
        ("search:prior_weight=much", ["'much'", "from 0"]),
        ("search:seed=-1", ["seed is -1", "from 0"]),
        ("search:iterations=5", ["'search'", "iterations", "worlds"]),
        ("ismcts:worlds=5", ["'ismcts'", "worlds", "iterations"]),
        ("ismcts:iterations=0", ["iterations is 0", "from 1"]),
        ("ismcts:exploration=-1", ["exploration is -1", "from 0"]),
        ("ismcts:exploration=inf", ["exploration is inf", "from 0"]),
        ("ismcts:exploration=nan", ["exploration is nan", "from 0"]),
        ("ismcts:rollouts=1", ["rollouts is 1", "'random'"]),
    ],
)
def test_a_wrong_setting_is_refused(game: Game, spec: str, parts: list[str]) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011, the message is looked at below
        trick_agents.make(spec, game)
    for part in parts:
        assert part in str(caught.value)


# --- time ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec", ["search:milliseconds=30", "ismcts:milliseconds=30", "search:milliseconds=1e9,worlds=3"]
)
def test_a_search_ends_when_its_time_is_over_or_its_work_done(game: Game, spec: str) -> None:
    agent = trick_agents.make(spec, game)
    states = open_positions(game, 3)
    act(agent, game, states)
    assert len(act(agent, game, states)) == 3


def test_chunks_grow_and_add_up_to_the_total() -> None:
    assert list(chunks(7, None)) == [7]
    given = list(chunks(1000, 1e9))
    assert sum(given) == 1000
    assert given[:4] == [1, 1, 2, 4]


def test_chunks_fit_into_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(search, "perf_counter", lambda: now)
    done = 0
    for count in chunks(None, 100):
        done += count
        now += count * 0.003  # each takes 3 ms
    assert done == 33
    now = 0.0
    for count in islice(chunks(None, 100), 5):
        assert count == 1, "when the first takes too long already, there is no second"
        now += 0.2
    assert now == 0.2


def test_a_search_with_more_time_does_more(game: Game) -> None:
    state = open_positions(game, 1)
    nodes = []
    for milliseconds in (0.001, 200):
        agent = Watched(milliseconds=milliseconds)
        act(ISMCTSAgent(iterations=1), game, state)  # compiled by now
        act(agent, game, state)
        nodes.append(int(agent.tree.sizes[0]))
    assert nodes[0] == 1
    assert nodes[1] > 10


# --- the tree --------------------------------------------------------------------------------------------


def test_positions_that_look_the_same_to_the_searcher_are_one_node(game: Game) -> None:
    # Every world begins at the same root, whatever its hidden cards are.
    state = open_positions(game, 1)
    agent = Watched(iterations=300)
    act(agent, game, state)
    tree = agent.tree
    root = tree.edges[0, game.action_masks(state)[0] == 1]
    assert root["visits"].sum() == 300
    assert (root["available"] == 300).all()
    inner = tree.edges[1 : tree.sizes[0]]
    assert (inner["visits"] <= inner["available"]).all()
    assert (inner["visits"].sum(axis=1) >= 1).all()


def test_a_full_tree_is_searched_on_without_new_nodes(game: Game) -> None:
    state = open_positions(game, 1)
    tree = Tree(game, max_nodes=5)
    tree.clear()
    world, source = state.copy(), state.copy()
    words = tree.view.view(np.uint64)
    rest = (tree.edges, tree.nodes, tree.keys, tree.view, words, tree.sizes, tree.values)
    grow(state, source, world, 200, 0.7, 2, 0, None, *rest)
    assert tree.sizes[0] == 5
    assert tree.edges[0]["visits"].sum() == 200


@pytest.mark.skipif(not COMPILED, reason="whole rounds are for compiled code")
def test_values_are_scaled_by_what_can_still_be_won() -> None:
    """Points of earlier rounds, of which seats may have very different ones, don't count in the bounds."""
    game = make_game("tighee", num_players=3)
    even = open_positions(game, 1)
    uneven = even.copy()
    uneven["scores"][0, :3] += np.array([9000, 0, -3000])
    agent = Watched(iterations=300)
    spans = []
    for state in (even, uneven):
        act(agent, game, state)
        spans.append(float(np.ptp(agent.tree.values)))
    assert spans[1] < 2 * spans[0]


def test_equal_values_are_chosen_from_by_chance(game: Game) -> None:
    source = game.new_states(1, 0)
    values = np.array([1.0, 3.0, 2.0, 3.0, 3.0])
    counts = np.bincount([best_of(values, source) for _ in range(3000)], minlength=5)
    assert counts[[0, 2]].sum() == 0
    assert (counts[[1, 3, 4]] > 850).all()


# --- the best play ---------------------------------------------------------------------------------------

TINY = [
    make_game("voodoo_prince", 2, num_ranks=3, hand_size=7, goal=4, num_rounds=1, reward="relative_score"),
    make_game("voodoo_prince", 3, num_ranks=3, hand_size=5, goal=1, num_rounds=1, reward="relative_score"),
    make_game("gummi_trick", 2, num_ranks=4, hand_size=4, num_face_down=2, reward="relative_score"),
    make_game("take_that_toy", 3, preset="mini", reward="relative_score"),
    make_game("tighee", 4, preset="mini", reward="relative_score"),
    make_game("oracle_land", 3, num_ranks=4, hand_size=4, num_rounds=1, reward="relative_score"),
]


@pytest.mark.parametrize("game", TINY, ids=lambda game: f"{game.name} {game.num_players}p")
def test_the_best_play_of_tiny_positions_is_found(game: Game) -> None:
    positions = tiny_positions(game, count=2)
    assert len(positions) == 2
    for position in positions:
        for agent in (SearchAgent(worlds=300), ISMCTSAgent(iterations=3000)):
            assert act(agent, game, position.state) == [position.best]


def test_every_game_has_tiny_positions() -> None:
    assert {game.name for game in TINY} == set(GAMES)


# --- strength --------------------------------------------------------------------------------------------


@every_search
@every_game
def test_a_search_beats_random_play(game: Game, spec: str) -> None:
    agent = trick_agents.make(spec, game)
    n = game.num_players
    num_games = 20 * n
    states = game.new_states(num_games, seed=5)
    seats = np.arange(num_games) % n
    streams = [Streams(num_games, 1), Streams(num_games, 2)]
    while (games := np.flatnonzero(game.current_players(states) >= 0)).size:
        mine = games[game.current_players(states)[games] == seats[games]]
        others = np.setdiff1d(games, mine)
        actions = np.zeros(num_games, np.int32)
        actions[mine] = decide(agent, game, states, mine, streams[0])
        actions[others] = decide(RandomAgent(), game, states, others, streams[1])
        game.step(states, actions)
    scores = game.scores(states).astype(float)
    mine_scores = scores[np.arange(num_games), seats]
    lead = mine_scores - (scores.sum(axis=1) - mine_scores) / (n - 1)
    assert lead.mean() > 2 * lead.std() / np.sqrt(num_games)
