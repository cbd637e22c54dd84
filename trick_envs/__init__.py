"""Modern trick-taking card games as fast reinforcement-learning environments.

`make_game` gives the rules of a game for any number of games at once. Every game has a module with
PettingZoo's ``env()`` and ``raw_env()`` and with ``vector_env()``, such as `voodoo_prince_v0`.
"""

import importlib
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

if TYPE_CHECKING:
    from trick_envs.core.game import Game

__version__ = "0.1.0"

GAMES = {
    "voodoo_prince": "trick_envs.games.voodoo_prince.game:VoodooPrince",
    "gummi_trick": "trick_envs.games.gummi_trick.game:GummiTrick",
    "tighee": "trick_envs.games.tighee.game:Tighee",
    "take_that_toy": "trick_envs.games.take_that_toy.game:TakeThatToy",
    "oracle_land": "trick_envs.games.oracle_land.game:OracleLand",
}
"""All games: the name and where its class is. Nothing is imported, or compiled, before it is used."""

__all__ = ["GAMES", "make_game"]


def game_class(name: str) -> "type[Game]":
    """The class of a game, by its name in `GAMES` or as "module:Class".

    Raises:
        ValueError: There is no such game.
    """
    if not isinstance(name, str) or not (name in GAMES or ":" in name):
        raise ValueError(f"{name!r} is no game; allowed are {', '.join(GAMES)}, and module:Class")
    module, _, attribute = GAMES.get(name, name).partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute, None)
    except (ImportError, TypeError) as error:
        if name in GAMES:  # what is missing isn't the game
            raise
        raise ValueError(f"{name!r} is no game: {error}") from error
    from trick_envs.core.game import Game  # costs time, and a game has imported it

    if not (isinstance(found, type) and issubclass(found, Game)):
        raise ValueError(f"{name!r} is no game: {module!r} has no game {attribute!r}")
    return found


def make_game(name: str, num_players: int | None = None, **options: Any) -> "Game":
    """The rules of a game with these settings.

    Args:
        name: One of `GAMES`, or the class of a game of your own, as "module:Class".
        num_players: Default: the game's usual number.
        options: The game's settings, see its spec sheet, and `reward`: ``"outcome"``, ``"score"`` or
            ``"relative_score"``. `preset` names a whole set of them.

    Raises:
        ValueError: A name, a number of players or a setting that doesn't exist; the message says what does.
    """
    return game_class(name)(num_players, **options)


def _register() -> None:
    for name in GAMES:
        title = "".join(word.capitalize() for word in name.split("_"))
        gymnasium.register(
            f"trick_envs/{title}-v0",
            entry_point="trick_envs.core.seat:make_seat_env",
            vector_entry_point="trick_envs.core.seat:make_seat_vector_env",
            kwargs={"game": name},
        )
        pettingzoo.register("aec", f"trick_envs/{name}_v0", entry_point=f"trick_envs.{name}_v0:env")


_register()
