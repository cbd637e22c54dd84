"""Files that appear complete or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
