"""What several test modules share: all games in all variants, and random play by the masks."""

import hashlib
import importlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import trick_envs
from trick_envs.core.game import REWARD, Game, States
from trick_envs.core.options import Option


def other_values(kind: type[Game], num_players: int, option: Option) -> list[Any]:
    """The values to test of an option, beside its default; all are allowed with the other defaults.

    Every choice, the least number, or a list of the least numbers.
    """
    values: Iterable[Any] = range(option.minimum, option.maximum + 1)
    if option.choices or option.length:
        values = option.choices or ([option.minimum] * option.length,)
    others = (value for value in values if value != option.default)
    allowed = (value for value in others if refusal(kind, num_players, {option.name: value}) is None)
    return list(allowed) if option.choices else list(itertools.islice(allowed, 1))


def refusal(kind: type[Game], num_players: int, options: Mapping[str, Any]) -> str | None:
    """What is said against these options; None if they are allowed."""
    try:
        kind(num_players, **options)
    except ValueError as error:
        return str(error)
    return None


SIZES = ("num_ranks", "hand_size", "num_face_down", "pick_size", "goal")
"""Options for how many cards there are, and how many tricks one needs."""


def make_variants(name: str) -> list[Game]:
    """A game for every number of players: with the defaults, all presets, and other values of each option.

    Other sizes than the usual ones, which presets have for all numbers of players, for the usual number only.
    Settings that come up twice, as a preset and as an option's least value, are there once.
    """
    kind = trick_envs.game_class(name)
    games = []
    for num_players in kind.player_counts:
        games.append(kind(num_players))
        games.extend(kind(num_players, preset) for preset in kind.presets_for(num_players))
        for option in (*kind.options_for(num_players), REWARD):
            if option.name not in SIZES or num_players == kind.default_players:
                values = other_values(kind, num_players, option)
                games.extend(kind(num_players, **{option.name: value}) for value in values)
    settings = [(game.num_players, game.options) for game in games]
    return [game for i, game in enumerate(games) if settings[i] not in settings[:i]]


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


VARIANTS = as_params([game for name in trick_envs.GAMES for game in make_variants(name)])
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


def module_of(game: Game) -> Any:
    """The game's module with `env`, `raw_env` and `vector_env`."""
    return importlib.import_module(f"trick_envs.{game.name}_v0")


def random_actions(game: Game, states: States, rng: np.random.Generator) -> NDArray[np.int32]:
    """A legal action for each game by its mask; 0 where it is over."""
    masks = game.action_masks(states)
    draws = rng.random(masks.shape) * masks
    return draws.argmax(axis=1).astype(np.int32)


def play(
    game: Game, num_games: int, seed: int
) -> Iterator[tuple[States, NDArray[np.int32], NDArray[np.float32]]]:
    """Plays random games to their ends: each step's states before it, actions and rewards."""
    rng = np.random.default_rng(seed)
    states = game.new_states(num_games, seed)
    while (game.current_players(states) >= 0).any():
        before = states.copy()
        actions = random_actions(game, states, rng)
        rewards = game.step(states, actions)
        yield before, actions, rewards
    yield states, np.zeros(num_games, np.int32), np.zeros((num_games, game.num_players), np.float32)


def reached_states(game: Game, count: int, seed: int, num_games: int = 4) -> States:
    """States from all over random games, ends included, shape (count,)."""
    steps = [states for states, _, _ in play(game, num_games, seed)]
    rng = np.random.default_rng(seed)
    everything = np.concatenate(steps).view(game.state_dtype)
    chosen = rng.choice(len(everything), count - 1, replace=False)
    return everything[np.append(chosen, len(everything) - 1)]


def without_chance(states: States) -> bytes:
    """All of the states but their random-number generators."""
    states = states.copy()
    states["rng"] = 0
    return states.tobytes()


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
