"""A folder for one process at a time."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from conformance.core.errors import InputError
from conformance.files.atomic import remove_left_behind

LOCK = ".lock"
"""Stays in the folder, empty: it is locked while a process holds it, not while it is there."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """A folder that is there, for this process alone; the system lets go of it when the process ends, however it ends.

    What killed writers have left beside its files goes. Raises InputError where another process is at work on it, where
    it cannot be written, and where a file of it is a link: what is written there would be written elsewhere.
    """
    check_no_links(folder)
    try:
        held = FileLock(folder / LOCK).acquire(blocking=False)
    except Timeout:
        raise InputError(f"{folder}: is being worked on by another process") from None
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}") from None
    with held:
        remove_left_behind(folder)
        yield


def check_no_links(folder: Path) -> None:
    """Raise InputError where a file of a folder is a symbolic or a hard link: a folder may be a stranger's."""
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        try:
            status = path.lstat()
        except FileNotFoundError:  # another process is at work, and had it for a moment
            continue
        if stat.S_ISLNK(status.st_mode):
            raise InputError(f"{path}: is a link to somewhere else; a run writes into its own folder alone")
        if stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
            raise InputError(f"{path}: has another name elsewhere, as a hard link; go on in a copy of the folder")
