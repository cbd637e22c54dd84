"""Information-set tree search: single-observer ISMCTS.

Many determinizations go through one tree. Its nodes are the searcher's information sets: positions that look
the same to it, whatever others hold and have done in secret, are one node, and chance that it sees leads to
different ones. In each determinization only what is legal there is chosen from, and an action counts how
often it was available.
Source: P. I. Cowling, E. J. Powley, D. Whitehouse, "Information set Monte Carlo tree search", 2012.
"""

import numpy as np
from numpy.typing import NDArray

from trick_agents.rollouts import determinize, is_open, play_on
from trick_agents.search import Searcher, best_of, chunks, limit
from trick_envs.core import validation
from trick_envs.core.batch import return_of, write_observation
from trick_envs.core.dispatch import legal_actions, step
from trick_envs.core.game import Game, States
from trick_envs.core.kernel import kernel
from trick_envs.core.random import random_below
from trick_envs.core.state import MAX_ACTIONS, MAX_SEATS

EDGE = np.dtype([("visits", np.int32), ("available", np.int32), ("total", np.float64)], align=True)
"""An action in a node: how often it was chosen, how often it could be, and what it brought whoever chose."""

MAX_NODES = 50_000
MAX_DEPTH = 256
NO_NODE = -1
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


class Tree:
    """Memory for a tree, used again for every search of one call."""

    def __init__(self, game: Game, max_nodes: int) -> None:
        """A tree of at most so many nodes; when it is full, the search goes on without new ones."""
        self.edges = np.empty((max_nodes, game.num_actions), EDGE)
        # A table of nodes by what the searcher sees in them, twice as large as it needs to be.
        self.nodes = np.empty(1 << (2 * max_nodes).bit_length(), np.int32)
        self.keys = np.empty(len(self.nodes), np.uint64)
        self.view = np.zeros(-(-game.observation_size // 32) * 32, np.int8)  # whole words, four by four
        self.sizes = np.zeros(1, np.int64)
        """The number of nodes."""
        self.values = np.zeros(2)
        """The least and the most that any seat got from the searched position on, in this search."""

    def clear(self) -> None:
        """An empty tree."""
        self.nodes[:] = NO_NODE
        self.sizes[:] = 0
        self.values[:] = np.inf, -np.inf


class ISMCTSAgent(Searcher):
    """Information-set tree search, as this module describes."""

    def __init__(
        self,
        iterations: int | None = None,
        exploration: float = 0.7,
        rollouts: str = "random",
        objective: str = "relative_score",
        horizon: str = "round",
        milliseconds: float | None = None,
        seed: int = 0,
    ) -> None:
        """Settings of the search.

        Args:
            iterations: Determinizations that go through the tree, with one roll-out each. Default: 1000, but
                without an end where a time is given.
            exploration: How much an action that was seldom chosen is worth trying, the values of a search
                being between 0 and 1.
            rollouts: Who plays on from the tree: ``"random"``, or ``"rules"``, the game's rule-based agent.
            objective: ``"relative_score"``, the score less the mean of all seats, or ``"outcome"``. Every
                seat is taken to have the same.
            horizon: To where: the end of the ``"round"`` or of the ``"game"``.
            milliseconds: Time for a move; the search stops when it is over, or with its work done.
            seed: Other seeds draw other determinizations from the same streams of random numbers.

        Raises:
            ValueError: A setting that isn't allowed.
        """
        super().__init__(rollouts, objective, horizon, milliseconds, seed)
        if iterations is None and milliseconds is None:
            iterations = 1000
        self.iterations = limit("iterations", iterations)
        self.exploration = validation.number(exploration, "exploration")

    def _memory(self, game: Game) -> "Tree":
        return Tree(game, MAX_NODES if self.iterations is None else min(self.iterations, MAX_NODES))

    def _search(
        self, game: Game, state: States, legal: NDArray[np.int32], source: States, memory: "Tree"
    ) -> int:
        tree = memory
        tree.clear()
        sampled = state.copy()
        for count in chunks(self.iterations, self.milliseconds):
            grow(
                state,
                source,
                sampled,
                count,
                self.exploration,
                self.objective,
                self.horizon,
                self.by_rules,
                tree.edges,
                tree.nodes,
                tree.keys,
                tree.view,
                tree.view.view(np.uint64),
                tree.sizes,
                tree.values,
            )
        visits = tree.edges[0, legal]["visits"].astype(np.float64)
        return int(legal[best_of(visits, source)])


@kernel
def grow(
    state: States,
    source: States,
    sampled: States,
    num_iterations: int,
    exploration: float,
    objective: int,
    horizon: int,
    by_rules: bool | None,
    edges: NDArray[np.void],
    nodes: NDArray[np.int32],
    keys: NDArray[np.uint64],
    view: NDArray[np.int8],
    words: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    values: NDArray[np.float64],
) -> None:
    """Sends some determinizations through the tree.

    `view` and `words` are the same memory; `sizes[0]` is the number of nodes; `values` are the least and the
    most that any seat got from the searched position on, in this search: what it had before isn't compared.
    """
    actions = np.empty(MAX_ACTIONS, np.int32)
    before = np.empty(MAX_SEATS)
    path_nodes = np.empty(MAX_DEPTH, np.int32)
    path_actions = np.empty(MAX_DEPTH, np.int32)
    path_seats = np.empty(MAX_DEPTH, np.int32)
    first = state[0]
    observer = first.current_player
    for _ in range(num_iterations):
        determinize(state, objective, source, sampled)
        w = sampled[0]
        for seat in range(w.num_players):
            before[seat] = return_of(w, seat)
        depth = 0
        is_new = False
        while not is_new and depth < MAX_DEPTH and is_open(w, first, horizon):
            write_observation(w, observer, view, 0, len(view))
            node = node_for(words, edges, nodes, keys, sizes)
            if node == NO_NODE:
                break
            count = legal_actions(w, actions)
            action = action_to_try(w, edges, node, actions, count, exploration, values)
            is_new = edges[node, action].visits == 0
            path_nodes[depth] = node
            path_actions[depth] = action
            path_seats[depth] = w.current_player
            depth += 1
            step(w, action)
        play_on(w, first, horizon, by_rules, actions)
        for seat in range(w.num_players):
            gained = return_of(w, seat) - before[seat]
            values[0] = min(values[0], gained)
            values[1] = max(values[1], gained)
        for i in range(depth):
            edge = edges[path_nodes[i], path_actions[i]]
            edge.visits += 1
            edge.total += return_of(w, path_seats[i]) - before[path_seats[i]]


@kernel
def node_for(
    words: NDArray[np.uint64],
    edges: NDArray[np.void],
    nodes: NDArray[np.int32],
    keys: NDArray[np.uint64],
    sizes: NDArray[np.int64],
) -> int:
    """The node of what the searcher sees, made if there is none; NO_NODE when the tree is full."""
    # Of every fourth word each, so that the processor needn't wait for the word before. They begin with
    # different numbers: words that change from one to another make another key.
    a, b, c, d = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    for i in range(0, len(words), 4):
        a = hash_combine(a, words[i])
        b = hash_combine(b, words[i + 1])
        c = hash_combine(c, words[i + 2])
        d = hash_combine(d, words[i + 3])
    key = hash_combine(hash_combine(hash_combine(a, b), c), d)
    last = np.uint64(len(nodes) - 1)
    slot = key & last
    while nodes[slot] != NO_NODE:
        if keys[slot] == key:
            return int(nodes[slot])
        slot = (slot + np.uint64(1)) & last
    node = sizes[0]
    if node == len(edges):
        return NO_NODE
    sizes[0] += 1
    nodes[slot] = node
    keys[slot] = key
    for action in range(edges.shape[1]):
        edge = edges[node, action]
        edge.visits = 0
        edge.available = 0
        edge.total = 0.0
    return int(node)


@kernel
def hash_combine(key: np.uint64, word: np.uint64) -> np.uint64:
    """A key that depends on all of another key and a word."""
    key = (key ^ word) * _FACTOR
    return key ^ (key >> _SHIFT)


@kernel
def action_to_try(
    w: States,
    edges: NDArray[np.void],
    node: int,
    actions: NDArray[np.int32],
    count: int,
    exploration: float,
    values: NDArray[np.float64],
) -> int:
    """One that was never chosen, by chance; otherwise the best by its upper confidence bound."""
    num_untried = 0
    best_action = actions[0]
    best_bound = -np.inf
    span = values[1] - values[0]
    for k in range(count):
        action = actions[k]
        edge = edges[node, action]
        edge.available += 1
        if edge.visits == 0:
            num_untried += 1
            if random_below(w, num_untried) == 0:
                best_action = action
        elif num_untried == 0:
            mean = (edge.total / edge.visits - values[0]) / span if span > 0 else 0.5
            bound = mean + exploration * np.sqrt(np.log(edge.available) / edge.visits)
            if bound > best_bound:
                best_bound = bound
                best_action = action
    return int(best_action)
