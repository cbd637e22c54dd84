"""Settings of a game as they are typed."""

import os
import signal
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest

from trick_experiments.common.cli import (
    Real,
    Whole,
    check_numbers,
    parse_options,
    uninterrupted,
    user_errors,
)


def test_numbers_lists_of_numbers_and_truth_values_are_told_from_texts() -> None:
    typed = ["num_rounds=3", "least=-2", "points=4,3,2", "reward=score", "place=", "moon=true", "sun=False"]
    assert parse_options(typed) == {
        "num_rounds": 3,
        "least": -2,
        "points": [4, 3, 2],
        "reward": "score",
        "place": "",
        "moon": True,
        "sun": False,
    }


@pytest.mark.parametrize("text", ["", "reward", "=3"])
def test_a_text_without_name_or_value_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="has the wrong form; allowed is name=value"):
        parse_options([text])


def test_ctrl_c_waits_until_all_is_written() -> None:
    written = []

    def write() -> None:
        with uninterrupted():
            os.kill(os.getpid(), signal.SIGINT)
            written.append("all")

    with pytest.raises(KeyboardInterrupt):
        write()
    assert written == ["all"]
    with uninterrupted():
        pass


@dataclass
class Numbers:
    whole: Annotated[int, Whole(2, 9)] = 2
    real: Annotated[float | None, Real(3, positive=True)] = None
    share: Annotated[float, "of something", Real(1)] = 0.0
    many: Annotated[list[int], Whole(0, 5)] = field(default_factory=lambda: [0, 5])
    text: str = ""


def test_numbers_within_their_bounds_are_taken() -> None:
    check_numbers(Numbers())
    check_numbers(Numbers(9, 3, 1, [], "any"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"whole": 1}, "whole is 1; allowed are whole numbers from 2 to 9"),
        ({"whole": 10}, "whole is 10; allowed are whole numbers from 2 to 9"),
        ({"whole": 2.5}, "whole is 2.5; allowed are whole numbers from 2 to 9"),
        ({"real": 0}, "real is 0; allowed are numbers above 0 to 3"),
        ({"real": float("nan")}, "real is nan; allowed are numbers above 0 to 3"),
        ({"real": float("inf")}, "real is inf; allowed are numbers above 0 to 3"),
        ({"share": 1.5}, "share is 1.5; allowed are numbers from 0 to 1"),
        ({"share": -0.1}, "share is -0.1; allowed are numbers from 0 to 1"),
        ({"many": [5, 6]}, "many is 6; allowed are whole numbers from 0 to 5"),
    ],
    ids=str,
)
def test_a_number_out_of_bounds_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        check_numbers(Numbers(**changes))


def test_what_memory_does_not_hold_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    @user_errors
    def main() -> None:
        raise MemoryError("Unable to allocate 728. TiB")

    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    assert capsys.readouterr().err == (
        "error: there is not enough memory: Unable to allocate 728. TiB; allowed is less at once\n"
    )
