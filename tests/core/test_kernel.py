"""Compiling: what importing does, where compiled code is kept, and that it does what Python does."""

import ast
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import pytest

import trick_envs
from tests.helpers import digest_of_games
from trick_envs.core import kernel

ROOT = Path(__file__).resolve().parents[2]


def run_python(code: str, **environment: str | None) -> str:
    """What a fresh process prints. None takes a variable out of the environment."""
    variables = {**os.environ, **environment}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={name: value for name, value in variables.items() if value is not None},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# --- importing ----------------------------------------------------------------------------------------


def test_importing_the_package_loads_neither_numba_nor_torch_nor_any_game() -> None:
    code = (
        "import sys, trick_envs\n"
        "print([name for name in sys.modules if name.startswith(('numba', 'torch', 'trick'))])"
    )
    # Beside the face itself only the names of games and of errors.
    names = ["trick_envs", "trick_envs.core", "trick_envs.core.errors", "trick_envs.core.registry"]
    assert sorted(ast.literal_eval(run_python(code))) == names


def test_importing_the_kernels_leaves_numbas_own_cache_folder_as_it_is(tmp_path: Path) -> None:
    code = (
        "import numba; before = numba.config.CACHE_DIR\n"
        "import trick_envs; trick_envs.make_game('voodoo_prince')\n"
        "print(numba.config.CACHE_DIR == before)"
    )
    assert run_python(code, NUMBA_CACHE_DIR=str(tmp_path)) == "True"
    assert run_python(code, NUMBA_CACHE_DIR=None) == "True"


def test_making_a_game_compiles_nothing(tmp_path: Path) -> None:
    code = "import trick_envs\nfor name in trick_envs.GAMES: trick_envs.make_game(name)"
    run_python(code, NUMBA_CACHE_DIR=str(tmp_path), NUMBA_DISABLE_JIT=None)
    assert not list(tmp_path.rglob("*.nb?"))


# --- the place of compiled code -----------------------------------------------------------------------

SMALL_KERNEL = (
    "import numpy as np\n"
    "from trick_envs.core import kernel, random\n"
    "states = np.ones(1, np.dtype((np.record, np.dtype([('rng', np.uint64)]))))\n"
    "random.next_random(states[0])\n"
    "print(kernel.cache_root())"
)


def test_compiled_code_goes_below_the_folder_that_the_user_chose(tmp_path: Path) -> None:
    root = run_python(SMALL_KERNEL, NUMBA_CACHE_DIR=str(tmp_path), NUMBA_DISABLE_JIT=None)
    assert Path(root) == tmp_path / "trick_envs"
    (folder,) = Path(root).iterdir()
    assert len(folder.name) == 16
    written = {file: file.stat().st_mtime_ns for file in folder.rglob("*.nbc")}
    assert written
    # A second process finds it there.
    run_python(SMALL_KERNEL, NUMBA_CACHE_DIR=str(tmp_path), NUMBA_DISABLE_JIT=None)
    assert {file: file.stat().st_mtime_ns for file in folder.rglob("*.nbc")} == written


@pytest.fixture
def fresh_root(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """`cache_root` forgets what it found before, and finds it again afterwards."""
    monkeypatch.setattr(kernel, "cache_root", kernel.cache_root.__wrapped__)
    return monkeypatch


def test_the_users_cache_folder_is_the_usual_place(fresh_root: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fresh_root.setattr(sys, "platform", "linux")
    fresh_root.delenv("NUMBA_CACHE_DIR", raising=False)
    fresh_root.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert kernel.cache_root() == tmp_path / "cache" / "trick_envs"
    assert (tmp_path / "cache" / "trick_envs").is_dir()
    fresh_root.delenv("XDG_CACHE_HOME")
    fresh_root.setenv("HOME", str(tmp_path))
    assert kernel.cache_root() == tmp_path / ".cache" / "trick_envs"
    fresh_root.setattr(sys, "platform", "darwin")
    assert kernel.cache_root() == tmp_path / "Library" / "Caches" / "trick_envs"
    fresh_root.setattr(sys, "platform", "win32")
    fresh_root.setenv("LOCALAPPDATA", str(tmp_path / "Local"))
    assert kernel.cache_root() == tmp_path / "Local" / "trick_envs"


def test_a_folder_that_cannot_be_written_is_passed_over(
    fresh_root: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")
    fresh_root.setattr(sys, "platform", "linux")
    fresh_root.setenv("NUMBA_CACHE_DIR", str(file))
    fresh_root.setenv("XDG_CACHE_HOME", str(file / "below"))
    fresh_root.setattr(tempfile, "tempdir", str(tmp_path))
    found = kernel.cache_root()
    assert found.parent == tmp_path
    assert found.name.startswith("trick_envs-")
    # Nobody lets us write: a new temporary folder.
    fresh_root.setattr(kernel, "_cache_candidates", lambda: iter([file / "a", file / "b"]))
    last = kernel.cache_root()
    assert last.is_dir()
    assert last.parent == tmp_path
    assert last != found


def test_without_a_home_that_can_be_written_kernels_still_work(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    root = run_python(
        SMALL_KERNEL,
        HOME=str(file),
        XDG_CACHE_HOME=None,
        NUMBA_CACHE_DIR=None,
        TMPDIR=str(temporary),
    )
    assert Path(root).parent == temporary


def test_any_edit_of_a_source_gives_another_fingerprint(tmp_path: Path) -> None:
    fingerprint = kernel.fingerprint.__wrapped__
    (tmp_path / "inner").mkdir()
    first, second = tmp_path / "a.py", tmp_path / "inner" / "b.py"
    first.write_text("x = 1\n")
    second.write_text("y = 1\n")
    before = fingerprint((tmp_path,))
    assert fingerprint((tmp_path,)) == before
    (tmp_path / "notes.txt").write_text("no source")
    assert fingerprint((tmp_path,)) == before
    second.write_text("y = 2\n")
    after = fingerprint((tmp_path,))
    assert after != before
    second.rename(tmp_path / "inner" / "c.py")
    assert fingerprint((tmp_path,)) not in (before, after)
    assert fingerprint((first,)) != fingerprint((tmp_path,))
    assert fingerprint((first, tmp_path / "cell of a notebook")) == fingerprint((first,))


def test_another_bounds_check_or_numba_gives_another_fingerprint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fingerprint = kernel.fingerprint.__wrapped__
    prints = {fingerprint((tmp_path,))}
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    prints.add(fingerprint((tmp_path,)))
    monkeypatch.setattr(numba, "__version__", "0.0")
    prints.add(fingerprint((tmp_path,)))
    assert len(prints) == 3


def test_kernels_depend_on_the_package_and_on_where_they_are_written() -> None:
    package = Path(trick_envs.__file__).parent
    assert kernel._sources_of(kernel.__file__) == (package,)
    assert kernel._sources_of(digest_of_games.__code__.co_filename) == (package, ROOT / "tests")
    assert kernel._sources_of("<string>") == (package, Path("<string>").resolve())


# --- games of other packages --------------------------------------------------------------------------

COUNTDOWN = """
import numpy as np

{imports}
from trick_envs.core import dispatch
from trick_envs.core.kernel import kernel
from trick_envs.core.state import NOBODY, Field, state_dtype

STATE = state_dtype("countdown", [Field("left", np.int32, "decisions still to come")])


@kernel
def new_game(s):
    s.current_player = 0
    s.left = LENGTH


@kernel
def legal_actions(s, actions):
    actions[0] = 0
    return 1


@kernel
def step(s, action):
    s.left -= 1
    if s.left == 0:
        s.current_player = NOBODY


@kernel
def observe(s, seat, features, at):
    features[at] = 1


@kernel
def resample(s, seat):
    s.left = LENGTH


dispatch.register(STATE, new_game, legal_actions, step, observe, resample)
"""
"""The rules of a game without cards, which lasts for LENGTH decisions."""

COUNT_DECISIONS = """
import sys

sys.path.insert(0, {folder!r})
import numpy as np

from {module} import STATE
from trick_envs.core import batch
from trick_envs.core.state import NOBODY

states = np.zeros(1, STATE)
states["current_player"] = NOBODY
batch.restart_finished(states)
print(batch.play_randomly(states))
"""


@pytest.mark.parametrize(
    ("module", "files"),
    [
        ("countdown", {"countdown.py": "LENGTH = {length}"}),
        ("countdown", {"countdown.py": "from limits import LENGTH", "limits.py": "LENGTH = {length}"}),
        (
            "countdown.rules",
            {
                "countdown/__init__.py": "",
                "countdown/rules.py": "from countdown.limits import LENGTH",
                "countdown/limits.py": "LENGTH = {length}",
            },
        ),
    ],
    ids=["one file", "files side by side", "a package"],
)
def test_an_edit_of_a_game_outside_the_package_is_noticed(
    module: str, files: dict[str, str], tmp_path: Path
) -> None:
    """Loops over batches are this package's, but compiled for a game they contain that game's rules."""
    cache, folder = tmp_path / "cache", tmp_path / "games"

    def num_decisions(length: int) -> str:
        for name, text in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            lines = text.replace("{length}", str(length))
            is_rules = file.stem == module.rpartition(".")[2]
            file.write_text(COUNTDOWN.format(imports=lines) if is_rules else lines)
        code = COUNT_DECISIONS.format(folder=str(folder), module=module)
        return run_python(code, NUMBA_CACHE_DIR=str(cache), NUMBA_DISABLE_JIT=None)

    assert num_decisions(3) == "3"
    compiled = set(cache.rglob("*.nbc"))
    assert num_decisions(3) == "3"
    assert set(cache.rglob("*.nbc")) == compiled != set()
    assert num_decisions(5) == "5"


def test_an_edit_elsewhere_leaves_the_record_types_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "rules.py"
    file.write_text("LENGTH = 3")
    first = kernel.stamp(str(file))
    assert first.startswith(kernel.STAMP)
    (tmp_path / "notes.txt").write_text("no source")
    kernel.fingerprint.cache_clear()
    assert kernel.stamp(str(file)) == first
    for name in trick_envs.GAMES:
        assert kernel.STAMP not in "".join(trick_envs.game_class(name).state_dtype.names)


def test_rules_in_a_notebooks_cells_are_compiled_anew_in_each_run() -> None:
    assert kernel.stamp("<cell>") != kernel.stamp("<cell>")


# --- compiled and not ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", trick_envs.GAMES)
def test_compiled_and_uncompiled_rules_do_the_same(name: str) -> None:
    calls = [(name, n, 2, 60) for n in trick_envs.game_class(name).player_counts]
    code = (
        "from tests.helpers import digest_of_games\n"
        "from trick_envs.core.kernel import COMPILED\n"
        f"print(COMPILED, [digest_of_games(*call) for call in {calls!r}])"
    )
    compiled = [digest_of_games(*call) for call in calls]
    assert len(set(compiled)) == len(calls)
    assert run_python(code, NUMBA_DISABLE_JIT="1") == f"False {compiled}"
