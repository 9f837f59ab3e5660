"""Files that are replaced as a whole."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from conformance.core.errors import InputError

_NO_SYNC_OF_FOLDERS = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)
_BESIDE = ".tmp"
"""The end of the names of files that are not whole yet."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise InputError, which names the path, for an OSError of what is done within."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def check_place(path: Path) -> None:
    """Raise InputError where no file can be written, before work is done whose result would be lost."""
    if path.is_dir():
        raise InputError(f"{path}: cannot be written: Is a directory")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InputError(f"{path}: cannot be written: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise InputError(f"{path}: cannot be written: Permission denied")


def write_atomically(path: Path, text: str) -> None:
    """Replace a file at once, or make it, as `write_bytes_atomically` does.

    text: written as UTF-8, a lone surrogate as its escape.
    """
    write_bytes_atomically(path, text.encode("utf-8", "backslashreplace"))


def write_bytes_atomically(path: Path, data: bytes) -> None:
    """Replace a file at once, or make it: a reader sees the old file or the new one, never a part.

    A replaced file keeps its mode; of a symbolic link, the file behind it is replaced. What is there and no file, such
    as a pipe or a device, is written into. When this returns, a new file is on disk. Raises OSError where it cannot be
    written; the old file then stays, and so it does where the writer is killed.
    """
    mode = _mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        path.write_bytes(data)
        return
    path = Path(os.path.realpath(path))
    beside = path.with_name(f".{path.name}.{os.getpid()}{_BESIDE}")
    try:
        with beside.open("wb") as file:
            if mode is not None:
                beside.chmod(stat.S_IMODE(mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(path.parent)


def remove_left_behind(folder: Path) -> None:
    """Remove what writers that were killed have left beside the files of a folder in which nobody writes."""
    for path in left_behind(folder):
        path.unlink(missing_ok=True)


def left_behind(folder: Path) -> list[Path]:
    """The files that writers make beside those of a folder: they are at it, or were killed."""
    return [*folder.glob(f".*.[0-9]*{_BESIDE}")]


def is_gone(process: str) -> bool:
    """Whether no process has a number that a name says; False where that cannot be told.

    >>> is_gone(str(os.getpid())), is_gone("one")
    (False, False)
    """
    return process.isdecimal() and Path("/proc/self").exists() and not Path(f"/proc/{process}").exists()


def _mode(path: Path) -> int | None:
    """The type and mode of what is there, None where nothing is."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on disk: a power failure loses a file without its name.

    Windows has no such thing, and some file systems refuse it.
    """
    with suppress(PermissionError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in _NO_SYNC_OF_FOLDERS:
                raise
        finally:
            os.close(descriptor)
