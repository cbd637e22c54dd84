"""Files that appear complete or not at all."""

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path

_TEMPORARY = re.compile(r"\.(?P<stem>.+)-[a-z0-9_]{8}(?P<suffix>(\.\w+)?)")
"""The names that `replacing` makes: `tempfile` puts eight characters between stem and suffix."""


@contextmanager
def replacing(file: str | Path) -> Iterator[Path]:
    """A temporary name beside `file`, which takes the file's place when all went well."""
    file = Path(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.stem}-", suffix=file.suffix)
    os.close(handle)
    os.chmod(name, 0o666 & ~_umask())  # as if it had been opened by its name
    temporary = Path(name)
    try:
        yield temporary
        os.replace(temporary, file)
    finally:
        temporary.unlink(missing_ok=True)


def clear_leftovers(folder: Path, *names: str) -> None:
    """Removes temporary files that `replacing` left in a folder when its process was killed.

    Args:
        folder: Where nobody else may be writing any of these files.
        names: The names of the files that were to be written, or patterns such as ``"deals-*.npz"``.
    """
    for file in folder.glob(".*"):
        found = _TEMPORARY.fullmatch(file.name)
        if found and any(fnmatchcase(found["stem"] + found["suffix"], name) for name in names):
            file.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
