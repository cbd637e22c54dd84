"""Layouts: groups, their kinds, and what isn't allowed."""

import pytest

from trick_envs import GAMES, game_class
from trick_envs.core.layout import KINDS, Layout


@pytest.mark.parametrize("name", GAMES)
def test_every_group_of_every_game_has_a_kind_and_only_features_have_other_kinds_than_state(
    name: str,
) -> None:
    kind = game_class(name)
    for game in [kind(num_players) for num_players in kind.player_counts]:
        assert {group.kind for group in game.observation_layout.values()} <= {*KINDS}
        assert {group.kind for group in game.action_layout.values()} == {"state"}


def test_a_group_without_a_kind_tells_the_state() -> None:
    layout = Layout([("hand", {"suit": 2}, "held"), ("when", {"trick": 3}, "in which trick", "history")])
    assert [group.kind for group in layout.values()] == ["state", "history"]


def test_an_unknown_kind_is_refused_with_the_kinds_that_there_are() -> None:
    with pytest.raises(ValueError, match="unknown kind 'past' of group 'hand'; choose from state, history"):
        Layout([("hand", {"suit": 2}, "held", "past")])


def test_a_name_that_is_there_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="group 'hand' is there twice"):
        Layout([("hand", {"suit": 2}, "held"), ("hand", {"suit": 3}, "held")])
