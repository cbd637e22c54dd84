"""Checks for games and agents of your own: do they keep the contract that everything else relies on?

A contract is a list of *clauses*: `GAME_CLAUSES` and `AGENT_CLAUSES`. `check_game` and `check_agent` check
all of them, or those that are asked for, and name the one that is broken. They need no test framework; with
pytest, the clauses make good parameters:

    @pytest.mark.parametrize("clause", GAME_CLAUSES)
    @pytest.mark.parametrize("game", variants_of("little_whist"), ids=repr)
    def test_little_whist_keeps_the_contract(game, clause):
        check_game(game, clauses=[clause])
"""

from trick_envs.testing.agents import AGENT_CLAUSES, check_agent
from trick_envs.testing.contract import Clause, ContractError
from trick_envs.testing.games import GAME_CLAUSES, check_game
from trick_envs.testing.play import play, random_actions, reached_states
from trick_envs.testing.settings import variants_of

__all__ = [
    "AGENT_CLAUSES",
    "GAME_CLAUSES",
    "Clause",
    "ContractError",
    "check_agent",
    "check_game",
    "play",
    "random_actions",
    "reached_states",
    "variants_of",
]
