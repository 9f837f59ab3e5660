"""A folder for one process at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from conformance.core.errors import InputError

LOCK = ".lock"
"""Stays in the folder, empty: it is locked while a process holds it, not while it is there."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """A folder that is there, for this process alone; the system lets go of it when the process ends, however it ends.

    Raises InputError where another process is at work on it, and where it cannot be written.
    """
    try:
        held = FileLock(folder / LOCK).acquire(blocking=False)
    except Timeout:
        raise InputError(f"{folder}: is being worked on by another process") from None
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}") from None
    with held:
        yield
