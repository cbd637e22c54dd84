"""Errors that a caller may want to catch: `ValueError`s that say what is wrong and what is allowed."""


class IllegalActionError(ValueError):
    """An action that isn't legal where it was played; nothing has changed."""


class DamagedDataError(ValueError):
    """Bytes or a file that can't be what they should be: damaged, or written by something else."""


class UnsupportedSettingError(ValueError, TypeError):
    """A setting that doesn't exist, or a value that isn't supported there.

    Also a `TypeError`, as Python's own for an unexpected argument: other frameworks try a setting and take it
    back if that is raised.
    """


class UnknownGameError(ValueError):
    """There is no game of this name."""
