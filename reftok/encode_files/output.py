"""The files of a result, which are written in a folder beside their final places.

    tokens.npy.partial/      lock  tokens  index  journal.json

At the end they are renamed: the index, the output, and last the journal, which becomes tokens.npy.json. What a journal
counts was on the disk before the journal was; so it is there, whenever a run is killed.
"""

from __future__ import annotations

import json
import os
import sys
import time
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from io import BufferedRandom, FileIO
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO

from reftok.encode_files.sources import Unit
from reftok.errors import EncodingStopped
from reftok.formats.files import sync_folder, write_durably

CHECKPOINT_SECONDS = 5.0
"""The time between two journals: the most that a kill costs, unless it comes within a long document."""

NPY_HEADER = 128
"""Bytes, enough for any number of ids, so that the number can be filled in at the end."""

_INDEX_BYTES = 8


@dataclass(frozen=True, slots=True)
class Encoded:
    """The ids of a unit.

    ids: as they are written. lengths: number of ids of each document that ends in the unit.
    replaced: number of these documents that had bytes which are not UTF-8.
    """

    ids: bytes
    lengths: Sequence[int]
    replaced: int


class Paths:
    """The places of all files. Raises EncodingStopped if nothing can be written there.

    index: None if none is wanted. results: the temporary and the final place of each file, in the order in which they
        are renamed.
    """

    def __init__(self, output: str | Path, has_index: bool) -> None:
        path = self.output = Path(output)
        if path.suffix not in (".npy", ".bin") or path.is_dir():
            raise EncodingStopped(f"{output}: is not the name of a file .npy or .bin (ids and nothing else)")
        if not path.parent.is_dir():
            raise EncodingStopped(f"{output}: the folder {path.parent} does not exist")
        self.index = path.with_name(f"{path.name}.index.npy") if has_index else None
        self.sidecar = path.with_name(f"{path.name}.json")
        self.folder = path.with_name(f"{path.name}.partial")
        self.journal = self.folder / "journal.json"
        self.results = [(self.folder / "tokens", path), (self.journal, self.sidecar)]
        if self.index:
            self.results.insert(0, (self.folder / "index", self.index))


@contextmanager
def locked(paths: Paths) -> Iterator[None]:
    """Make the folder and lock it, except on Windows; at the end, remove it unless it has a journal."""
    paths.folder.mkdir(exist_ok=True)
    with open(paths.folder / "lock", "wb") as lock:
        try:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise EncodingStopped(f"{paths.output}: another run is writing it at this moment") from None
        except ImportError:
            pass
        try:
            yield
        finally:
            if not paths.journal.exists():
                discard(paths)
                (paths.folder / "lock").unlink()
                with suppress(OSError):  # there may be something else in it
                    paths.folder.rmdir()


def discard(paths: Paths) -> None:
    """Remove what an interrupted run has left, and nothing else."""
    for name in ("tokens", "index", "journal.json", "journal.json.new"):
        (paths.folder / name).unlink(missing_ok=True)


def put_in_place(paths: Paths) -> None:
    """Rename the results. Those that are not there were renamed by a run that was then killed."""
    for written, target in paths.results:
        if written.exists():
            written.replace(target)
    sync_folder(paths.output.parent)


@dataclass(frozen=True, slots=True)
class Done:
    """How much is written.

    units: number of units. seen: the SHA-256 of the inputs, one after the other, as far as they had been read when the
        last of these units was cut.
    bytes: of the documents. replaced: number of documents that had bytes which are not UTF-8.
    is_complete: the files only have to be renamed.
    """

    units: int = 0
    seen: str = ""
    documents: int = 0
    bytes: int = 0
    tokens: int = 0
    replaced: int = 0
    is_complete: bool = False


def read_journal(path: Path, options: Mapping[str, Any]) -> Done:
    """What an interrupted run has written; nothing if there is no journal.

    options: all that must be as it was; only "strict" may become "replace", since it has replaced nothing.
    Raises EncodingStopped for other options, and for a journal that cannot be read.
    """
    try:
        value = json.loads(path.read_bytes())
        before = dict(value.pop("options"))
        done = Done(**value)
    except FileNotFoundError:
        return Done()
    except (ValueError, KeyError, TypeError, AttributeError):
        raise EncodingStopped(f"{path}: cannot be read; --overwrite begins anew") from None
    if before.get("errors") == "strict":
        before["errors"] = options["errors"]
    for name, now in options.items():
        if (then := before.get(name)) != now:
            raise EncodingStopped(
                f"{path.parent}: an interrupted run had another {name} ({then!r:.60} then, {now!r:.60} now): repeat it "
                "as it was, or begin anew with --overwrite"
            )
    return done


class Output:
    """The ids, the index, and the journal, which counts both.

    done: what is written; the journal counts a long document only when all of it is.
    """

    def __init__(self, paths: Paths, id_bytes: int, options: Mapping[str, Any], done: Done) -> None:
        self.done = self._safe = done
        self._journal, self._options, self._saved = paths.journal, options, time.monotonic()
        self._id_bytes, self._has_header = id_bytes, paths.output.suffix == ".npy"
        sizes = {paths.folder / "tokens": NPY_HEADER * self._has_header + done.tokens * id_bytes}
        if paths.index:
            # In a new one, the first entry is 0, as everything in a new file: the first document begins there.
            sizes[paths.folder / "index"] = NPY_HEADER + (done.documents + 1) * _INDEX_BYTES
        self._files = [_opened(path, size, is_new=done == Done()) for path, size in sizes.items()]

    def write(self, unit: Unit, encoded: Encoded) -> None:
        """Append the ids of a unit, and save the journal if it is time."""
        done = self.done
        ends = [*accumulate(encoded.lengths, initial=done.tokens)][1:]
        for file, data in zip(self._files, (encoded.ids, little_endian(ends, _INDEX_BYTES)), strict=False):
            file.write(data)
        self.done = Done(
            done.units + 1,
            unit.seen,
            done.documents + len(encoded.lengths),
            done.bytes + sum(map(len, unit.documents)),
            done.tokens + sum(encoded.lengths),
            done.replaced + encoded.replaced,
        )
        if unit.is_last:
            self._safe = self.done
            if time.monotonic() - self._saved >= CHECKPOINT_SECONDS:
                self.save()

    def finish(self) -> None:
        """Fill in the headers."""
        of_tokens = npy_header(self._id_bytes, self.done.tokens) if self._has_header else b""
        for file, header in zip(
            self._files, (of_tokens, npy_header(_INDEX_BYTES, self.done.documents + 1)), strict=False
        ):
            file.seek(0)
            file.write(header)
        self._safe = self.done = replace(self.done, is_complete=True)

    def save(self) -> None:
        """Have the files on the disk, and then the journal, unless there is nothing to count."""
        self._saved = time.monotonic()
        if self._safe != Done():
            for file in self._files:
                file.flush()
                os.fsync(file.fileno())
            told = json.dumps({**asdict(self._safe), "options": self._options}, indent=2)
            write_durably(self._journal, f"{told}\n")

    def close(self) -> None:
        """Save the journal and close the files."""
        try:
            self.save()
        finally:
            for file in self._files:
                file.close()


def _opened(path: Path, size: int, is_new: bool) -> BinaryIO:
    """A file that goes on after its first `size` bytes; in a new one these are zeros."""
    if not is_new and path.stat().st_size < size:
        raise EncodingStopped(f"{path}: is shorter than its journal says; --overwrite begins anew")
    file = BufferedRandom(FileIO(path, "w+" if is_new else "r+"))
    file.truncate(size)
    file.seek(size)
    return file


def npy_header(size: int, count: int) -> bytes:
    r"""The header of a .npy file of `count` unsigned numbers of `size` bytes.

    Source: numpy/lib/format.py, version 1.0: magic, version, the length of the rest, a Python literal padded with
    spaces and a line feed to a multiple of 64 bytes.

    >>> npy_header(2, 3)[:60]
    b"\x93NUMPY\x01\x00v\x00{'descr': '<u2', 'fortran_order': False, 'shape': "
    """
    start = b"\x93NUMPY\x01\x00" + (NPY_HEADER - 10).to_bytes(2, "little")
    text = f"{{'descr': '<u{size}', 'fortran_order': False, 'shape': ({count},), }}"
    return start + text.encode("ascii").ljust(NPY_HEADER - len(start) - 1) + b"\n"


def little_endian(numbers: Iterable[int], size: int) -> bytes:
    r"""Numbers as they are written on any machine, each with `size` bytes.

    >>> little_endian([1, 258], 2)
    b'\x01\x00\x02\x01'
    """
    values = array({2: "H", 4: "I", 8: "Q"}[size], numbers)
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()
