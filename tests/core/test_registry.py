"""Games by name: registering one makes it known everywhere."""

from collections.abc import Iterator

import gymnasium
import pytest

import trick_envs
from trick_envs import UnknownGameError, game_class, make_game, register_game
from trick_envs.core import registry


@pytest.fixture(autouse=True)
def _leaves_no_game_behind() -> Iterator[None]:
    games = dict(trick_envs.GAMES)
    yield
    registry._games.clear()
    registry._games.update(games)


def test_a_registered_game_is_made_by_its_name_and_by_gymnasium() -> None:
    kind = game_class("voodoo_prince")
    other = type("Other", (kind,), {"name": "other_game"})
    register_game("other_game", other)
    assert isinstance(make_game("other_game"), other)
    assert "other_game" in trick_envs.GAMES
    assert gymnasium.spec("trick_envs/OtherGame-v0").kwargs == {"game": "other_game"}
    register_game("other_game", other)  # a module that is loaded again


def test_a_game_can_be_registered_by_where_it_is() -> None:
    register_game("tighee_again", "trick_envs.games.tighee.game:Tighee")
    assert make_game("tighee_again") == make_game("tighee")


@pytest.mark.parametrize(
    ("name", "game", "why"),
    [
        ("Whist", "whist:Whist", "name is 'Whist'"),
        ("two words", "whist:Whist", "name is 'two words'"),
        ("whist", "whist", "game is 'whist'"),
        ("whist", int, "is not a subclass of Game"),
        ("tighee", "whist:Whist", "the name 'tighee' is taken by trick_envs.games.tighee.game:Tighee"),
    ],
)
def test_what_can_not_be_registered_is_refused(name: str, game: object, why: str) -> None:
    before = dict(trick_envs.GAMES)
    with pytest.raises(ValueError, match=why):
        register_game(name, game)  # type: ignore[arg-type]
    assert dict(trick_envs.GAMES) == before


def test_games_are_only_added_by_registering() -> None:
    with pytest.raises(TypeError):
        trick_envs.GAMES["whist"] = "whist:Whist"  # type: ignore[index]
    with pytest.raises(UnknownGameError, match="unknown game 'whist'; choose from voodoo_prince"):
        make_game("whist")
