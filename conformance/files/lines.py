"""Files of JSON values, a line each, which are added to and survive a kill at any point."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from conformance.files.atomic import sync_folder


def read_lines(path: Path, start: int = 0, stop: int | None = None) -> list[bytes]:
    """The whole lines of a file, from `start` to `stop`; none where there is no file.

    What stands behind the last line end is left out: its writer was killed, or is at it.
    """
    data = path.read_bytes() if path.is_file() else b""
    return data[: data.rfind(b"\n") + 1].splitlines()[start:stop]


class LineFile:
    """A file of lines to add to, made where it is missing; a last line that a kill cut off is cut off the file."""

    def __init__(self, path: Path) -> None:
        is_new = not path.exists()
        self._file = path.open("a", encoding="ascii")
        if is_new:
            sync_folder(path.parent)
        else:
            data = path.read_bytes()
            self._file.truncate(data.rfind(b"\n") + 1)

    def add(self, values: Iterable[Any]) -> None:
        """Write values, and wait until they are on disk."""
        self._file.writelines(json.dumps(value) + "\n" for value in values)
        self._file.flush()
        os.fsync(self._file.fileno())

    def empty(self) -> None:
        """Take all lines out."""
        self._file.truncate(0)

    def close(self) -> None:
        """Close the file; it stays."""
        self._file.close()
