"""Take That Toy! for PettingZoo: ``from trick_envs import take_that_toy_v0``.

Settings: `num_players` (3–5, default 4), `render_mode`, `render_seat`, `reward`, `num_ranks`, `hand_size`,
`turned_one_vs_eight`, `several_bursts`, `last_card_ends`, `num_rounds`, `preset`; see the game's spec sheet.
Version history: v0, the first.
"""

from typing import Any

from pettingzoo import AECEnv

from trick_envs.core.registry import make_game
from trick_envs.envs.aec import TrickTakingEnv, make_env
from trick_envs.envs.vector import TrickTakingVectorEnv

NAME = "take_that_toy"


def env(num_players: int | None = None, **settings: Any) -> AECEnv[str, Any, Any]:
    """The AEC environment; settings as in `trick_envs.envs.aec.make_env`."""
    return make_env(NAME, num_players, **settings)


def raw_env(
    num_players: int | None = None,
    render_mode: str | None = None,
    render_seat: int | str | None = None,
    **options: Any,
) -> TrickTakingEnv:
    """The AEC environment without any wrapper."""
    return TrickTakingEnv(make_game(NAME, num_players, **options), render_mode, render_seat)


def vector_env(
    num_envs: int, seed: int | None = None, num_players: int | None = None, copy: bool = True, **options: Any
) -> TrickTakingVectorEnv:
    """Many games at once; see `trick_envs.envs.vector.TrickTakingVectorEnv`."""
    return TrickTakingVectorEnv(make_game(NAME, num_players, **options), num_envs, seed, copy)
