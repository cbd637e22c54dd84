"""The one decorator that compiles the rules, and the place where compiled code is kept.

Numba's disk cache notices an edit only in the very file that holds a function, not in files that it
imports kernels from, and ignores a changed ``NUMBA_BOUNDSCHECK``. So the cache folder is named after a
hash of everything that compiled code depends on; any edit compiles anew, once.
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numba
import numpy as np

_config: Any = numba.config

State: TypeAlias = Any
"""A game in progress: one record of a game's ``STATE`` dtype, as kernels see it."""

COMPILED = not _config.DISABLE_JIT
"""False with ``NUMBA_DISABLE_JIT=1``: kernels are then ordinary Python functions."""

OPTIONS: Any = {"error_model": "numpy", "forceinline": True}
"""What compiled code is built with, wherever it is built."""

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
    with _cache_dir(_sources_of(function)):
        return numba.njit(cache=True, nogil=True, **options)(function)


@contextmanager
def _cache_dir(sources: tuple[Path, ...]) -> Iterator[None]:
    # Numba reads the setting when a function is decorated; other packages' kernels keep their own place.
    before = _config.CACHE_DIR
    _config.CACHE_DIR = str(cache_root() / fingerprint(sources))
    try:
        yield
    finally:
        _config.CACHE_DIR = before


def _sources_of(function: Callable[..., Any]) -> tuple[Path, ...]:
    """The folders (or the file) whose sources a kernel may depend on."""
    file = Path(function.__code__.co_filename).resolve()
    if _PACKAGE in file.parents:
        return (_PACKAGE,)
    folder = file.parent
    if not (folder / "__init__.py").exists():
        return (_PACKAGE, file)
    while (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return (_PACKAGE, folder)


@cache
def fingerprint(sources: tuple[Path, ...]) -> str:
    """A name that changes with any edit of the sources, numba's version and its bounds check."""
    digest = hashlib.sha256(f"{numba.__version__} {_config.BOUNDSCHECK}".encode())
    for source in sources:
        files = sorted(source.rglob("*.py")) if source.is_dir() else [source]
        for file in files:
            if file.exists():  # a notebook's cell is no file
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
