"""The sizes of the games of this package; those of any game are clauses of `trick_envs.testing`."""

import pytest

import trick_envs
from tests.helpers import DEFAULTS, MINIS, refusal
from trick_envs.core.game import Game
from trick_envs.core.kernel import COMPILED
from trick_envs.testing.settings import NUM_COMBINATIONS, combinations_of, plays_of_mini


@pytest.mark.parametrize("name", trick_envs.GAMES)
@pytest.mark.parametrize("preset", ["", "Mini", "no_such_preset", 3, True, ["mini"]], ids=repr)
def test_a_preset_that_does_not_exist_is_refused(name: str, preset: object) -> None:
    kind = trick_envs.game_class(name)
    allowed = ", ".join(map(repr, (None, *kind.presets_for(kind.default_players))))
    with pytest.raises(ValueError, match="unknown preset") as error:
        trick_envs.make_game(name, preset=preset)
    assert str(error.value) == f"unknown preset {preset!r}; choose from {allowed}"
    assert trick_envs.make_game(name, preset=None) == trick_envs.make_game(name)


@pytest.mark.skipif(not COMPILED, reason="there are up to millions of plays")
@pytest.mark.parametrize("game", MINIS)
def test_a_mini_game_can_be_played_in_many_ways(game: Game) -> None:
    assert min(plays_of_mini(game, state) for state in game.new_states(2, seed=1)) > 100


@pytest.mark.parametrize("game", DEFAULTS)
def test_some_sizes_of_a_game_go_together_and_others_do_not(game: Game) -> None:
    kind, num_players = type(game), game.num_players
    messages = [refusal(kind, num_players, sizes) for sizes in combinations_of(kind, num_players)]
    assert sum(message is None for message in messages) > NUM_COMBINATIONS
    assert any(messages)


STANDARD = {
    "voodoo_prince": {
        2: {"num_rounds": 5, "num_ranks": 11, "hand_size": 13, "goal": 7},
        3: {"num_rounds": 5, "num_ranks": 11, "hand_size": 13, "goal": 4},
        4: {"num_rounds": 5, "num_ranks": 13, "hand_size": 13, "goal": 3},
        5: {"num_rounds": 5, "num_ranks": 16, "hand_size": 14, "goal": 3},
    },
    "gummi_trick": {n: {"num_ranks": 10, "hand_size": 9, "num_face_down": 3} for n in (2, 3, 4, 5)},
    "take_that_toy": {
        3: {"num_ranks": 8, "hand_size": 10, "num_rounds": 1},
        4: {"num_ranks": 8, "hand_size": 8, "num_rounds": 1},
        5: {"num_ranks": 8, "hand_size": 6, "num_rounds": 1},
    },
    "tighee": {
        3: {"num_rounds": 3, "num_ranks": 12, "hand_size": 20, "pick_size": 5},
        4: {"num_rounds": 4, "num_ranks": 12, "hand_size": 15, "pick_size": 3},
    },
    "oracle_land": {n: {"num_rounds": 2, "num_ranks": 7, "hand_size": 7} for n in (3, 4)},
}
"""The sizes of the games as they are in their boxes."""


@pytest.mark.parametrize("name", STANDARD)
def test_by_default_games_have_the_sizes_of_the_box(name: str) -> None:
    for num_players, sizes in STANDARD[name].items():
        options = trick_envs.make_game(name, num_players).options
        assert {key: options[key] for key in sizes} == sizes
