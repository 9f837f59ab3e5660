"""The files that are being written, in a folder beside the output, and the way they take its place.

    tokens.npy.partial/      lock  tokens  index  result.json  journal.json

All of them are renamed at the very end, the output last: where it is, everything is. Ids are stored as the smallest
unsigned type that holds them all, little-endian.
"""

from __future__ import annotations

import os
import sys
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import FileIO
from itertools import accumulate
from pathlib import Path

from reftok.errors import EncodingStopped
from reftok.formats.files import sync_folder

NPY_HEADER = 128
"""Bytes, enough for any number of ids, so that the number can be put in at the end."""


@dataclass(frozen=True, slots=True)
class IdType:
    """A type of ids.

    name: as numpy has it. code: as `array` has it. descr: as the header of .npy has it. size: bytes of an id.
    """

    name: str
    code: str
    descr: str
    size: int


UINT16 = IdType("uint16", "H", "<u2", 2)
UINT32 = IdType("uint32", "I", "<u4", 4)
UINT64 = IdType("uint64", "Q", "<u8", 8)
"""Of the index of documents."""


def id_type(bound: int, model: str = "") -> IdType:
    """The type for ids below `bound`.

    Raises EncodingStopped where there is none.

    >>> id_type(65_536).name, id_type(65_537).name
    ('uint16', 'uint32')
    """
    for found in (UINT16, UINT32):
        if bound <= 1 << (8 * found.size):
            return found
    raise EncodingStopped(f"{model}: has the id {bound - 1}, and encode-file writes ids of 32 bits at most")


def little_endian(values: array[int]) -> bytes:
    r"""The bytes as they are written, on any machine.

    >>> little_endian(array("H", [1, 258]))
    b'\x01\x00\x02\x01'
    """
    if sys.byteorder == "big":
        values = values[:]
        values.byteswap()
    return values.tobytes()


@dataclass(frozen=True, slots=True)
class Paths:
    """Where everything lies.

    output: ends in .npy or .bin. index: None where none is wanted.
    """

    output: Path
    has_index: bool

    @property
    def index(self) -> Path:
        return self.output.with_name(f"{self.output.name}.index.npy")

    @property
    def sidecar(self) -> Path:
        return self.output.with_name(f"{self.output.name}.json")

    @property
    def folder(self) -> Path:
        return self.output.with_name(f"{self.output.name}.partial")

    @property
    def journal(self) -> Path:
        return self.folder / "journal.json"

    @property
    def results(self) -> tuple[tuple[Path, Path], ...]:
        """The temporary and the final path of each file, in the order in which they are renamed."""
        index = ((self.folder / "index", self.index),) if self.has_index else ()
        return (*index, (self.folder / "result.json", self.sidecar), (self.folder / "tokens", self.output))


def checked_paths(output: str | Path, has_index: bool) -> Paths:
    """Raises EncodingStopped where nothing can be written."""
    path = Path(output)
    if path.suffix not in (".npy", ".bin"):
        raise EncodingStopped(f"{output}: ends neither in .npy nor in .bin (ids and nothing else)")
    if not path.parent.is_dir():
        raise EncodingStopped(f"{output}: the folder {path.parent} does not exist")
    if path.is_dir():
        raise EncodingStopped(f"{output}: is a folder")
    return Paths(path, has_index)


def npy_header(descr: str, count: int) -> bytes:
    r"""The header of a .npy file with one dimension.

    Source: numpy/lib/format.py, version 1.0 of the format: magic, version, the length of the rest, a Python literal
    filled up with spaces and a line feed, in all a multiple of 64 bytes.

    >>> npy_header("<u2", 3)[:60]
    b"\x93NUMPY\x01\x00v\x00{'descr': '<u2', 'fortran_order': False, 'shape': "
    """
    start = b"\x93NUMPY\x01\x00" + (NPY_HEADER - 10).to_bytes(2, "little")
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({count},), }}"
    return start + text.encode("ascii").ljust(NPY_HEADER - len(start) - 1) + b"\n"


class _Numbers:
    """A file of numbers that goes on from `count` of them; what lies behind them is dropped."""

    def __init__(self, path: Path, number_type: IdType, has_header: bool, count: int) -> None:
        self._type = number_type
        self._header = NPY_HEADER if has_header else 0
        size = self._header + count * number_type.size
        self._file = FileIO(path, "r+" if path.exists() else "x+")
        if count and os.fstat(self._file.fileno()).st_size < size:
            self._file.close()
            raise EncodingStopped(f"{path}: is shorter than its journal says; --overwrite begins anew")
        if not count:
            self._file.truncate(0)
            self._file.write(bytes(self._header))
        self._file.truncate(size)
        self._file.seek(size)

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self._file.write(view) :]

    def sync(self) -> None:
        os.fsync(self._file.fileno())

    def finish(self, count: int) -> None:
        if self._header:
            self._file.seek(0)
            self.write(npy_header(self._type.descr, count))
        self.sync()

    def close(self) -> None:
        self._file.close()


class Output:
    """The ids and the index.

    documents, tokens: how many are written already; the rest is dropped.
    """

    def __init__(self, paths: Paths, id_type: IdType, documents: int, tokens: int) -> None:
        self._tokens = _Numbers(paths.folder / "tokens", id_type, paths.output.suffix == ".npy", tokens)
        self._index: _Numbers | None = None
        if paths.has_index:
            count = documents + 1 if documents else 0
            self._index = _Numbers(paths.folder / "index", UINT64, True, count)
            if not documents:
                self._index.write(bytes(UINT64.size))

    def write_ids(self, ids: bytes) -> None:
        """Ids as they are stored."""
        self._tokens.write(ids)

    def write_lengths(self, lengths: Sequence[int], tokens: int) -> None:
        """How many ids each of some documents has. tokens: of all documents before them."""
        if self._index is not None:
            self._index.write(little_endian(array("Q", accumulate(lengths, initial=tokens))[1:]))

    def sync(self) -> None:
        """Have everything on the disk."""
        self._tokens.sync()
        if self._index is not None:
            self._index.sync()

    def finish(self, documents: int, tokens: int) -> None:
        """Put the numbers into the headers."""
        self._tokens.finish(tokens)
        if self._index is not None:
            self._index.finish(documents + 1)

    def close(self) -> None:
        """Close the files."""
        self._tokens.close()
        if self._index is not None:
            self._index.close()


def put_in_place(paths: Paths) -> None:
    """Rename the results. What was renamed before a kill is let be."""
    for written, target in paths.results:
        if written.exists():
            written.replace(target)
    sync_folder(paths.output.parent)
    discard(paths)


def discard_files(paths: Paths) -> None:
    """Remove what encode-file makes in the folder, and nothing else."""
    for name in ("tokens", "index", "result.json", "result.json.new", "journal.json", "journal.json.new"):
        (paths.folder / name).unlink(missing_ok=True)


def discard(paths: Paths) -> None:
    """Remove the folder too, unless it holds something else."""
    discard_files(paths)
    (paths.folder / "lock").unlink(missing_ok=True)
    with suppress(OSError):
        paths.folder.rmdir()


@contextmanager
def locked(paths: Paths) -> Iterator[None]:
    """The folder, which no other run may use. A killed run leaves no lock; Windows has none."""
    paths.folder.mkdir(exist_ok=True)
    with open(paths.folder / "lock", "wb") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise EncodingStopped(f"{paths.output}: another run is writing it at this moment") from None
        except ImportError:
            pass
        yield
