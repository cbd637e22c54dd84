"""Registering a game's kernels: which, and with which arguments."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from trick_envs.core import dispatch
from trick_envs.core.kernel import State, kernel
from trick_envs.core.state import state_dtype

COUNTER = iter(range(1000))


def new_type() -> np.dtype[Any]:
    """A record type of its own."""
    return state_dtype(f"game_{next(COUNTER)}", [])


@kernel
def new_game(s: State) -> None:
    """Starts."""
    s.current_player = 0


@kernel
def legal_actions(s: State, actions: NDArray[np.int32]) -> int:
    """One."""
    actions[0] = 0
    return 1


@kernel
def step(s: State, action: int) -> None:
    """Ends."""
    s.current_player = -1


@kernel
def observe(s: State, seat: int, features: NDArray[np.int8], at: int) -> None:
    """Nothing."""


@kernel
def resample(s: State, seat: int) -> None:
    """Nothing is hidden."""


@kernel
def choose(s: State, draw: float) -> int:
    """The only action."""
    return 0


FIVE = (new_game, legal_actions, step, observe, resample)


def renamed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function under another name."""
    function.__name__ = name
    return function


def test_a_game_is_registered_by_its_five_kernels_in_any_order() -> None:
    dtype = new_type()
    dispatch.register(dtype, *reversed(FIVE))
    assert all(dispatch.is_registered(dtype, rule.__name__) for rule in FIVE)
    assert not dispatch.is_registered(dtype, "choose")


def test_its_rule_based_player_may_be_registered_with_them() -> None:
    dtype = new_type()
    dispatch.register(dtype, *FIVE, choose)
    assert dispatch.kernel_for("choose", np.zeros(1, dtype)[0]) is choose


def test_a_missing_kernel_is_named() -> None:
    with pytest.raises(TypeError, match="register needs the kernels step, resample, too"):
        dispatch.register(new_type(), new_game, legal_actions, observe, choose)


def test_a_kernel_of_another_name_is_refused() -> None:
    other = renamed("chose", lambda s, draw: 0)
    with pytest.raises(TypeError, match=r"unknown kernel 'chose'; choose from new_game, .*choose"):
        dispatch.register(new_type(), *FIVE, other)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (renamed("step", lambda s, card: None), "the arguments of step must be s, action, got s, card"),
        (renamed("choose", lambda s: 0), "the arguments of choose must be s, draw, got s"),
    ],
    ids=["step", "choose"],
)
def test_other_arguments_are_refused_with_those_that_a_kernel_must_have(
    other: Callable[..., Any], message: str
) -> None:
    dtype = new_type()
    with pytest.raises(TypeError, match=message):
        dispatch.register(dtype, *(rule for rule in FIVE if rule.__name__ != other.__name__), other)
