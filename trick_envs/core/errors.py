"""Errors that a caller may want to catch: `ValueError`s that say what is wrong and what is allowed."""


class IllegalActionError(ValueError):
    """An action that isn't legal where it was played; nothing has changed."""


class DamagedDataError(ValueError):
    """Bytes or a file that can't be what they should be: damaged, or written by something else."""


class UnknownGameError(ValueError):
    """There is no game of this name."""
