"""Files appear complete or not at all, and what was left of them is cleared."""

from pathlib import Path

import pytest

from trick_agents.files import clear_leftovers, replacing


@pytest.mark.parametrize("name", ["checkpoint.bin", "deals-0000012.npz", "no_suffix", "two.dots.json"])
def test_what_is_left_of_a_file_is_told_by_its_name(name: str, tmp_path: Path) -> None:
    names = set()
    for _ in range(20):
        with replacing(tmp_path / name) as temporary:
            temporary.write_bytes(b"all")
        names.add(temporary.name)
    assert [file.name for file in tmp_path.iterdir()] == [name]
    for left in names:
        (tmp_path / left).touch()
    clear_leftovers(tmp_path, f"other-{name}", "*.txt")
    assert {file.name for file in tmp_path.iterdir()} == {name, *names}
    clear_leftovers(tmp_path, name)
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_patterns_stand_for_many_names_and_nothing_else_is_cleared(tmp_path: Path) -> None:
    kept = {
        "deals-01.npz",
        ".deals-01.npz",
        ".deals-01-short.npz",
        ".deals-01-UPPER_CA.npz",
        ".deals-01-0a1b2c3d",
    }
    for name in (*kept, ".deals-01-0a1b2c3d.npz", ".deals-02-_______z.npz"):
        (tmp_path / name).touch()
    clear_leftovers(tmp_path, "deals-*.npz")
    assert {file.name for file in tmp_path.iterdir()} == kept
