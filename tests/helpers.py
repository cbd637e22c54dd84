"""What several test modules share: all games in all variants as parameters, and changes of positions."""

import hashlib
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import trick_envs
from trick_envs.core.game import REWARD, Game
from trick_envs.testing import play, random_actions, reached_states, variants_of
from trick_envs.testing.play import without_chance
from trick_envs.testing.settings import other_values, refusal

__all__ = [
    "DEFAULTS",
    "MINIS",
    "VARIANTS",
    "Change",
    "as_params",
    "both",
    "digest_of_games",
    "module_of",
    "other_values",
    "play",
    "put",
    "random_actions",
    "reached_states",
    "refusal",
    "variants_of",
    "without_chance",
]


def as_params(games: list[Game]) -> list[Any]:
    """Games as parameters with readable ids."""
    params = []
    for game in games:
        defaults = {option.name: option.default for option in (*game.own_options, REWARD)}
        changed = [f"{name}={value}" for name, value in game.options.items() if value != defaults[name]]
        presets = [p for p in game.presets_for(game.num_players) if type(game)(game.num_players, p) == game]
        params.append(
            pytest.param(game, id=" ".join([f"{game.name} {game.num_players}p", *(presets or changed)]))
        )
    return params


VARIANTS = as_params([game for name in trick_envs.GAMES for game in variants_of(name)])
"""All games in all variants, as pytest parameters. A game that joins `GAMES` joins here."""

DEFAULTS = as_params(
    [
        trick_envs.make_game(name, num_players)
        for name in trick_envs.GAMES
        for num_players in trick_envs.game_class(name).player_counts
    ]
)
"""All games with all numbers of players and default options, as pytest parameters."""

MINIS = as_params(
    [
        trick_envs.make_game(name, num_players, preset="mini")
        for name in trick_envs.GAMES
        for num_players in trick_envs.game_class(name).player_counts
    ]
)
"""All games with all numbers of players and few cards, as pytest parameters."""


Change = Callable[[dict[str, Any]], Any]
"""A change of a position that is a dict."""


def put(*path: Any) -> Change:
    """A change that puts the last argument where the others lead to."""
    *keys, last, value = path

    def change(d: dict[str, Any]) -> None:
        place: Any = d
        for key in keys:
            place = place[key]
        place[last] = value

    return change


def both(*changes: Change) -> Change:
    """Several changes."""

    def change(d: dict[str, Any]) -> None:
        for one in changes:
            one(d)

    return change


def gymnasium_id(name: str) -> str:
    """The name under which `gymnasium.make` knows a game."""
    return f"trick_envs/{''.join(word.capitalize() for word in name.split('_'))}-v0"


def module_of(game: Game) -> Any:
    """The game's module with `env`, `raw_env` and `vector_env`."""
    return importlib.import_module(f"trick_envs.{game.name}_v0")


def digest_of_games(name: str, num_players: int, num_games: int, num_steps: int) -> str:
    """A fingerprint of all that some seeded games show."""
    game = trick_envs.make_game(name, num_players)
    digest = hashlib.sha256()
    rng = np.random.default_rng(5)
    states = game.new_states(num_games, seed=5)
    for _ in range(num_steps):
        digest.update(game.action_masks(states).tobytes())
        for seat in range(num_players):
            digest.update(game.observations(states, seat).tobytes())
        digest.update(game.resample(states, 0, seed=int(rng.integers(2**32))).tobytes())
        digest.update(game.step(states, random_actions(game, states, rng)).tobytes())
    digest.update(str(game.play_randomly(states[:1])).encode())
    digest.update(game.serialize(states))
    return digest.hexdigest()
