"""Reading a file, with the errors of this package; and writing one so that it is never seen half-written."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from reftok.errors import ModelFormatError

_OF_SHELLS = {Path("/dev/stdin"), Path("/dev/fd"), Path("/proc/self/fd")}


def file_bytes(path: Path) -> bytes:
    """The bytes of a file. Raises OSError where it cannot be read, for a device, which may have no end, and for a pipe.

    A folder of a stranger's may hold these, or links to them. Standard input is read, and the `<(...)` of shells.

    >>> file_bytes(Path("/dev/zero"))
    Traceback (most recent call last):
    OSError: [Errno 22] is a device, and no file: '/dev/zero'
    """
    if (
        stat.S_ISFIFO(path.stat().st_mode) and not {path, path.parent} & _OF_SHELLS
    ):  # to open it would wait for a writer
        raise OSError(errno.EINVAL, "is a pipe, and no file", str(path))
    with path.open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            raise OSError(errno.EINVAL, "is a device, and no file", str(path))
        return file.read()


def read_file(path: Path) -> bytes:
    """The bytes of a file.

    Raises ModelFormatError, which names the file, where it cannot be read.

    >>> read_file(Path("no-such-file"))
    Traceback (most recent call last):
    reftok.errors.ModelFormatError: no-such-file: cannot be read: No such file or directory
    """
    try:
        return file_bytes(path)
    except OSError as error:
        raise unreadable(path, error) from None


def decoded(data: bytes, source: str) -> str:
    r"""The text of a file. Raises ModelFormatError if it is not UTF-8.

    >>> decoded(b"a\xff", "merges.txt")
    Traceback (most recent call last):
    reftok.errors.ModelFormatError: merges.txt: byte 1: is not UTF-8
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelFormatError(source, f"byte {error.start}", "is not UTF-8") from None


def unreadable(source: str | Path, error: OSError) -> ModelFormatError:
    """The error for a file or folder that the system does not let read."""
    return ModelFormatError(str(source), "", f"cannot be read: {error.strerror}")


def write_durably(path: Path, content: str | bytes) -> None:
    """Replace a file at once: either the old or the new content is there, whatever happens."""
    temporary = path.with_name(f"{path.name}.new")
    with open(temporary, "wb") as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk; Windows has no such thing."""
    with suppress(PermissionError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
