"""Files of JSON values, a line each, which are added to and survive a kill at any point."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from conformance.core.errors import FORM_ERRORS, InputError, form_problem
from conformance.core.records import Record
from conformance.files.atomic import sync_folder
from reftok.formats.files import file_bytes


def read_lines(path: Path, start: int = 0, stop: int | None = None) -> list[bytes]:
    """The whole lines of a file, from `start` to `stop`; none where there is no file.

    What stands behind the last line end is left out: its writer was killed, or is at it.
    """
    data = file_bytes(path) if path.is_file() else b""
    return data[: data.rfind(b"\n") + 1].splitlines()[start:stop]


def read_records(
    path: Path, record: Callable[[Any], Record], foreign: str, way_out: str, start: int = 0, stop: int | None = None
) -> list[Record]:
    """The records of the whole lines of a file, as `read_lines` has them.

    record: of a value; raises one of FORM_ERRORS where it is none. foreign, way_out: what is said of such a
        file, as "is not the journal of a run" and "start the run anew".
    Raises InputError with the line.
    """
    records: list[Record] = []
    for line in read_lines(path, start, stop):
        try:
            records.append(record(json.loads(line)))
        except FORM_ERRORS as error:
            place = f"{path}:{start + len(records) + 1}"
            raise InputError(f"{place}: {foreign} ({form_problem(error)}); {way_out}") from None
    return records


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
