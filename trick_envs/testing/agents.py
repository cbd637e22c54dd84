"""The clauses that an agent keeps.

Each is a plain function of an agent, a game, a seed and a number of random games; the first line of its
docstring is the clause.
"""

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from trick_envs.core.agent import Agent
from trick_envs.core.game import Game, States
from trick_envs.core.random import Streams
from trick_envs.testing.contract import (
    Clause,
    by_name,
    check_clauses,
    require,
    require_array,
    require_equal,
    require_equal_states,
)
from trick_envs.testing.play import reached_states

POSITIONS_PER_GAME = 10
"""How many positions of a random game an agent is asked in."""

MAX_ALONE = 40
"""In how many of them it is asked alone."""

NUM_THREADS = 4


def check_agent(
    agent: Agent,
    game: Game,
    seeds: Iterable[int] = (0, 1),
    num_games: int = 4,
    clauses: Iterable[str] | None = None,
) -> None:
    """Checks that an agent keeps its contract: environments, comparisons and searches rely on it.

    Args:
        agent: Who decides.
        game: The game that it plays.
        seeds: Each gives other positions.
        num_games: How many random games the positions come from.
        clauses: Names from `AGENT_CLAUSES`. Default: all.

    Raises:
        ContractError: A clause is broken; the message names it, the agent, the game and the seed.
        ValueError: An unknown clause, no seed, or no game.

    Examples:
        >>> from trick_envs import RandomAgent, make_game
        >>> check_agent(RandomAgent(), make_game("gummi_trick", num_players=3, preset="mini"))
    """
    check_clauses(AGENT_CLAUSES, clauses, (agent, game), seeds, num_games)


def sample_positions(game: Game, seed: int, num_games: int) -> States:
    """Positions from all over random games in which somebody is to move."""
    states = reached_states(game, POSITIONS_PER_GAME * num_games, seed, num_games)
    return states[game.current_players(states) >= 0]


def _actions(agent: Agent, game: Game, states: States, seed: int) -> NDArray[np.int32]:
    """What the agent does in these states, with streams of a seed."""
    return agent.act(game, states.copy(), Streams(len(states), seed))


def its_actions_are_legal(agent: Agent, game: Game, seed: int, num_games: int) -> None:
    """An agent plays whole games by one legal action for each state, int32."""
    states, streams = game.new_states(num_games, seed), Streams(num_games, seed)
    unfinished = np.arange(num_games)
    while len(unfinished):
        current = states[unfinished]
        actions = agent.act(game, current, streams.take(unfinished))
        require_array(actions, current.shape, np.int32, "what it returns")
        masks = game.action_masks(current)
        for state, mask, action in zip(current, masks, actions, strict=True):
            legal = np.flatnonzero(mask)
            require(
                action in legal,
                f"seat {state['current_player']} played action {action}, legal are "
                f"{', '.join(f'{i} ({game.action_texts[i]})' for i in legal)}",
            )
        game.step(current, actions)
        states[unfinished] = current
        unfinished = unfinished[game.current_players(current) >= 0]


def it_leaves_states_alone(agent: Agent, game: Game, seed: int, num_games: int) -> None:
    """An agent doesn't change the states that it is given."""
    states = sample_positions(game, seed, num_games)
    before = states.copy()
    agent.act(game, states, Streams(len(states), seed))
    require_equal_states(states, before, "after the agent has acted")


def it_decides_by_what_the_current_player_knows(agent: Agent, game: Game, seed: int, num_games: int) -> None:
    """An agent does the same in every world that the current player can't tell apart from the real one."""
    states = sample_positions(game, seed, num_games)
    actions = _actions(agent, game, states, seed)
    for number in range(3):
        elsewhere = game.resample(states, game.current_players(states), seed + number)
        require_equal(_actions(agent, game, elsewhere, seed), actions, "the action with other hidden cards")


def its_streams_decide(agent: Agent, game: Game, seed: int, num_games: int) -> None:
    """An agent does the same with the same streams, whatever it has been asked between: it keeps no state."""
    states = sample_positions(game, seed, num_games)
    actions = _actions(agent, game, states, seed)
    require_equal(_actions(agent, game, states, seed), actions, "the action with the same streams")
    others = sample_positions(game, seed + 1, num_games)
    _actions(agent, game, others[: len(others) // 2], seed + 1)
    _actions(agent, game, states[::-1], seed + 2)
    require_equal(_actions(agent, game, states, seed), actions, "the action after other calls")


def it_acts_in_a_batch_as_in_each_game_alone(agent: Agent, game: Game, seed: int, num_games: int) -> None:
    """An agent acts in a batch of any order as it does in each of the games alone."""
    states = sample_positions(game, seed, num_games)
    actions = _actions(agent, game, states, seed)
    order = np.random.default_rng(seed).permutation(len(states))
    shuffled = agent.act(game, states[order], Streams(len(states), seed).take(order))
    require_equal(shuffled, actions[order], "the action in another order")
    streams = Streams(len(states), seed)
    for i in order[:MAX_ALONE]:
        alone = agent.act(game, states[i : i + 1], streams.take(np.array([i])))
        require_equal(alone, actions[i : i + 1], f"the action in game {i} alone")


def it_acts_in_no_games(agent: Agent, game: Game, seed: int, num_games: int) -> None:
    """An agent that is asked for no games gives no actions."""
    actions = agent.act(game, game.new_states(0, seed), Streams(0, seed))
    require_array(actions, (0,), actions.dtype, "what it returns")


def it_acts_in_several_threads(agent: Agent, game: Game, seed: int, num_games: int) -> None:
    """An agent that is asked by several threads at once does what it does for one alone."""
    batches = [sample_positions(game, seed + number, num_games) for number in range(NUM_THREADS)]
    alone = [_actions(agent, game, states, seed) for states in batches]
    with ThreadPoolExecutor(NUM_THREADS) as threads:
        for _ in range(3):
            together = threads.map(lambda states: _actions(agent, game, states, seed), batches)
            for actions, expected in zip(together, alone, strict=True):
                require_equal(actions, expected, "the action in a thread")


AGENT_CLAUSES: Mapping[str, Clause] = MappingProxyType(
    by_name(
        play=(
            its_actions_are_legal,
            it_leaves_states_alone,
            it_decides_by_what_the_current_player_knows,
            its_streams_decide,
            it_acts_in_a_batch_as_in_each_game_alone,
            it_acts_in_several_threads,
        ),
        variant=(it_acts_in_no_games,),
    )
)
"""All clauses on agents, by name."""
