"""Trained policies that come with the project, each with a JSON file that says how it came to be.

They play without torch. `trick_experiments.publish` writes them.
"""

from pathlib import Path

from trick_agents.policy import PolicyAgent, PolicyFileError
from trick_envs.core.game import Game
from trick_envs.core.registry import make_game

FOLDER = Path(__file__).parent


def file_for(name: str, num_players: int) -> Path:
    """Where a game's policy for a number of players lies, or would lie."""
    return FOLDER / f"{name}-{num_players}p{PolicyAgent.SUFFIX}"


def load(game: str | Game, num_players: int | None = None, greedy: bool = True) -> PolicyAgent:
    """The trained policy of a game.

    Args:
        game: The rules that it will play, or a game's name for its default options.
        num_players: With a name only: the number of seats. Default: the game's usual number.
        greedy: Take the likeliest action, as these policies were measured; otherwise draw by the
            probabilities.

    Raises:
        PolicyFileError: There is none for this game and number of players, or it was made for other options.
        ValueError: A name or number of players that doesn't exist, or a number beside a game.

    Examples:
        >>> policy = load("tighee", num_players=3)
        >>> policy.greedy
        True
    """
    if isinstance(game, str):
        game = make_game(game, num_players)
    elif num_players is not None:
        raise ValueError(f"num_players is {num_players!r} beside a game, which has its own; leave it out")
    file = file_for(game.name, game.num_players)
    if not file.is_file():
        found = ", ".join(sorted(path.stem for path in FOLDER.glob(f"*{PolicyAgent.SUFFIX}")))
        raise PolicyFileError(
            f"no trained policy comes with {game.name} for {game.num_players} players; there are {found}"
        )
    return PolicyAgent.load(file, game, greedy=greedy)
