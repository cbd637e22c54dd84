"""Games by name."""

import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

from trick_envs.core.errors import UnknownGameError

if TYPE_CHECKING:
    from trick_envs.core.game import Game

_games: dict[str, "str | type[Game]"] = {}

GAMES: Mapping[str, "str | type[Game]"] = MappingProxyType(_games)
"""All games: the name, and the class or where it is, as "module:Class"; `register_game` adds to it.

Nothing is imported, or compiled, before it is used.
"""


def register_game(name: str, game: "str | type[Game]") -> None:
    """Makes a game known to `make_game`, to every command, to Gymnasium and to PettingZoo.

    Gymnasium's id of ``"little_whist"`` is ``"trick_envs/LittleWhist-v0"``, PettingZoo's
    ``"trick_envs/little_whist_v0"``.

    Args:
        name: In small letters, the `name` of the class.
        game: The class, or where it is, as ``"module:Class"``, which is imported when the game is first made.

    Raises:
        ValueError: A name that can't be, or that another game has.
    """
    if not isinstance(name, str) or not name.isidentifier() or not name.islower():
        raise ValueError(f"name is {name!r}; choose small letters, digits and underscores")
    if not isinstance(game, str):
        check_game_class(game, repr(game))
        if game.name != name:
            raise ValueError(f"name is {name!r}, but {game.__qualname__}.name is {game.name!r}")
    elif not all(part.isidentifier() for part in game.replace(":", ".", 1).split(".")) or ":" not in game:
        raise ValueError(f"game is {game!r}; choose a class, or 'module:Class'")
    if name in _games and _spec_of(_games[name]) != _spec_of(game):
        raise ValueError(f"the name {name!r} is taken by {_spec_of(_games[name])}")
    is_new = name not in _games
    _games[name] = game  # a module that is loaded again brings another class
    if not is_new:
        return
    title = "".join(word.capitalize() for word in name.split("_"))
    gymnasium.register(
        f"trick_envs/{title}-v0",
        entry_point="trick_envs.envs.seat:make_seat_env",
        vector_entry_point="trick_envs.envs.seat:make_seat_vector_env",
        kwargs={"game": name},
    )
    if hasattr(pettingzoo, "register"):  # since 1.27
        pettingzoo.register(
            "aec", f"trick_envs/{name}_v0", entry_point="trick_envs.envs.aec:make_env", kwargs={"name": name}
        )


def _spec_of(game: "str | type[Game]") -> str:
    return game if isinstance(game, str) else f"{game.__module__}:{game.__qualname__}"


def check_game_class(found: object, named: str) -> None:
    """Raises `UnknownGameError`, with the name of what gave it, unless this is a subclass of `Game`."""
    from trick_envs.core.game import Game  # costs time, and a game has imported it

    if not (isinstance(found, type) and issubclass(found, Game)):
        raise UnknownGameError(f"{named} is not a subclass of Game")


def game_class(name: str) -> "type[Game]":
    """The class of a game, by its name in `GAMES` or as "module:Class".

    Raises:
        UnknownGameError: There is no such game.
    """
    if not isinstance(name, str) or not (name in _games or ":" in name):
        raise UnknownGameError(f"unknown game {name!r}; choose from {', '.join(_games)}, or module:Class")
    entry = _games.get(name, name)
    if not isinstance(entry, str):
        return entry
    module, _, attribute = entry.partition(":")
    try:
        found: Any = getattr(importlib.import_module(module), attribute, None)
    except (ImportError, TypeError) as error:
        if name in _games:  # what is missing isn't the game
            raise
        raise UnknownGameError(f"unknown game {name!r}: {error}") from error
    if found is None:
        raise UnknownGameError(f"unknown game {name!r}: module {module!r} has no class {attribute!r}")
    check_game_class(found, repr(name))
    return found


def make_game(name: str, num_players: int | None = None, **options: Any) -> "Game":
    """The rules of a game with these settings.

    >>> make_game("voodoo_prince", num_players=3, num_rounds=1)
    make_game('voodoo_prince', num_players=3, num_rounds=1, num_ranks=11, hand_size=13, goal=4, \
two_player_scoring='shortfall', reward='outcome')

    Args:
        name: One of `GAMES`, or the class of a game of your own, as "module:Class".
        num_players: Default: the game's usual number.
        options: The game's settings, see its spec sheet, and `reward`: ``"outcome"``, ``"score"`` or
            ``"relative_score"``. `preset` names a whole set of them.

    Raises:
        ValueError: A name, a number of players or a setting that doesn't exist; the message says what does.
    """
    return game_class(name)(num_players, **options)


for _name, _class in (
    ("voodoo_prince", "VoodooPrince"),
    ("gummi_trick", "GummiTrick"),
    ("tighee", "Tighee"),
    ("take_that_toy", "TakeThatToy"),
    ("oracle_land", "OracleLand"),
):
    register_game(_name, f"trick_envs.games.{_name}.game:{_class}")
