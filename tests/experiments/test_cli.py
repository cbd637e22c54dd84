"""Settings of a game as they are typed."""

import os
import signal

import pytest

from trick_experiments.common.cli import parse_options, uninterrupted


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
