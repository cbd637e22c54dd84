"""The one decorator that compiles the rules, and the place where compiled code is kept.

Numba's disk cache notices an edit only in the very file that holds a function, not in files that it
imports kernels from, and ignores a changed ``NUMBA_BOUNDSCHECK``. So the cache folder is named after a
hash of everything that compiled code depends on; any edit compiles anew, once.
"""

import hashlib
import os
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numba
import numpy as np

from trick_envs.core.compiling import Kernel

_config: Any = numba.config

State: TypeAlias = Any
"""A game in progress: one record of a game's ``STATE`` dtype, as kernels see it."""

COMPILED = not _config.DISABLE_JIT
"""False with ``NUMBA_DISABLE_JIT=1``: kernels are then ordinary Python functions."""

OPTIONS: Any = {"error_model": "numpy", "forceinline": True}
"""What compiled code is built with, wherever it is built."""

STAMP = "@"
"""Sets a stamp off from a game's name; no name has it."""

_PACKAGE = Path(__file__).resolve().parents[1]

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compiles a function on first use, and keeps the result on disk for later processes."""
    return _compiled(function, OPTIONS)


def large_kernel(function: Function) -> Function:
    """The same for a large function with many callers, which call it instead of each having a copy of it."""
    return _compiled(function, {**OPTIONS, "forceinline": False})


def _compiled(function: Function, options: dict[str, Any]) -> Function:
    if not COMPILED:
        # Random numbers wrap around on purpose; numpy warns of that where compiled code doesn't.
        return np.errstate(over="ignore")(function)
    with _cache_dir(_sources_of(function.__code__.co_filename)):
        compiled: Any = Kernel(function, targetoptions={"nopython": True, "nogil": True, **options})
        compiled.enable_caching()
        return compiled


@contextmanager
def _cache_dir(sources: tuple[Path, ...]) -> Iterator[None]:
    # Numba reads the setting when a function is decorated; other packages' kernels keep their own place.
    before = _config.CACHE_DIR
    _config.CACHE_DIR = str(cache_root() / fingerprint(sources))
    try:
        yield
    finally:
        _config.CACHE_DIR = before


def _sources_of(file: str) -> tuple[Path, ...]:
    """The folders and files whose sources a kernel in this file may depend on; this package is the first.

    Of another package, that is its outermost folder; of a file in no package, all files beside it.
    """
    path = Path(file).resolve()
    if _PACKAGE in path.parents:
        return (_PACKAGE,)
    if not path.exists():  # a notebook's cell
        return (_PACKAGE, path)
    folder = path.parent
    if not (folder / "__init__.py").exists():
        return (_PACKAGE, *sorted(folder.glob("*.py")))
    while (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return (_PACKAGE, folder)


def stamp(file: str) -> str:
    """What tells apart the record types of a game whose rules were edited; nothing for this package's games.

    Loops over batches lie in this package and are cached by its sources alone. Compiled for a game, they
    contain the game's rules, which may lie elsewhere: then its record type has to differ after an edit. The
    rules in a notebook's cells can't be read here, so each run of the cell with the record type has its own.
    """
    sources = _sources_of(file)[1:]
    if not sources:
        return ""
    return STAMP + (fingerprint(sources) if Path(file).exists() else secrets.token_hex(8))


@cache
def fingerprint(sources: tuple[Path, ...]) -> str:
    """A name that changes with any edit of the sources, numba's version and its bounds check."""
    digest = hashlib.sha256(f"{numba.__version__} {_config.BOUNDSCHECK}".encode())
    for source in sources:
        files = sorted(source.rglob("*.py")) if source.is_dir() else [source]
        for file in files:
            if file.exists():
                digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


@cache
def cache_root() -> Path:
    """The folder for compiled code: below ``NUMBA_CACHE_DIR``, the user's cache folder or a temporary one."""
    for folder in _cache_candidates():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="trick_envs-"))


def _cache_candidates() -> Iterator[Path]:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield Path(chosen) / "trick_envs"
    if sys.platform == "win32":
        default = Path(os.environ.get("LOCALAPPDATA", "~/AppData/Local"))
    elif sys.platform == "darwin":
        default = Path("~/Library/Caches")
    else:
        default = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    with suppress(RuntimeError):  # there may be no home folder
        yield default.expanduser() / "trick_envs"
    user = os.getuid() if hasattr(os, "getuid") else "user"
    yield Path(tempfile.gettempdir()) / f"trick_envs-{user}"
