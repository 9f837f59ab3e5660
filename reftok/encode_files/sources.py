r"""The inputs, read once from beginning to end and cut into units of work.

A separator ends a document and is not part of it; text after the last separator of a source is a document unless it is
empty. Nothing else is removed: with "\n", a carriage return at the end of a line is text. The same inputs are always
cut into the same units, so that the number of units says how far a run was.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import BinaryIO

from reftok.errors import EncodingStopped

UNIT_BYTES = 1 << 18
"""Bytes that are read at once. The documents that they complete are a unit, which is some 0.1 s of work."""

LONGEST = 1 << 22
"""Bytes. A document that is longer, and not complete yet, comes in parts."""

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
"""RFC 8878, 3.1.1. No text in UTF-8 begins with these bytes."""

_COMPRESSED_BYTES = 512
"""Bytes that are decompressed at once: 4 bytes can stand for a zstd block of 128 KiB, so these give 16 MiB at most."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Documents of one source, or a part of a long one.

    source: its name. number: of the first document in it, from 1.
    is_part: the only element of `documents` is a part; is_last: the last one, or not a part.
    seen: SHA-256 of all input that had been read when the unit was cut. raw_bytes: how much that was, on disk.
    """

    source: str
    number: int
    documents: Sequence[bytes]
    is_part: bool
    is_last: bool
    seen: str
    raw_bytes: int


class Sources:
    """The input files, in their order.

    names: paths; "-" is standard input. separator: None if each source is one document.
    sizes: bytes of each source on disk, None if unknown. raw_size: of all of them, None if one is unknown.
    Raises EncodingStopped, and OSError for a file that cannot be found or opened.
    """

    def __init__(self, names: Sequence[str | Path], separator: str | None) -> None:
        self.names = tuple(map(str, names))
        if not self.names:
            raise EncodingStopped("no input: name files, or - for standard input")
        if self.names.count("-") > 1:
            raise EncodingStopped("standard input can be read once only")
        if "-" in self.names and sys.stdin is None:
            raise EncodingStopped("standard input is closed")
        self.sizes = tuple(map(_size, self.names))
        self.raw_size = None if None in self.sizes else sum(size or 0 for size in self.sizes)
        self.separator = separator
        self._seen = hashlib.sha256()
        self._raw_bytes = 0

    def units(self) -> Iterator[Unit]:
        """Yield every document once, in order."""
        # The arguments of a command have bytes that are not UTF-8 as surrogates.
        separator = None if self.separator is None else self.separator.encode("utf-8", "surrogateescape")
        for name in self.names:
            source = "standard input" if name == "-" else name
            rest, number, is_long = b"", 1, False
            for block, is_end in self._blocks(name, source):
                read = self._seen.hexdigest(), self._raw_bytes
                rest += block
                if is_long:
                    *ended, after = rest.split(separator, 1) if separator else [rest]
                    is_long = not ended and not is_end
                    # While it goes on, its last bytes may be the first bytes of a separator.
                    size = len(rest) - len(separator or b".") + 1 if is_long else len(rest)
                    part, rest = (ended[0], after) if ended else (rest[:size], rest[size:])
                    yield Unit(source, number, [part], True, not is_long, *read)
                    if is_long:
                        continue
                    number += 1
                *documents, rest = rest.split(separator) if separator else [rest]
                # An empty source is an empty document if each source is one, and no document otherwise.
                if is_end and (rest or (separator is None and number == 1)):
                    documents.append(rest)
                if documents:
                    yield Unit(source, number, documents, False, True, *read)
                number += len(documents)
                is_long = len(rest) > LONGEST

    def _blocks(self, name: str, source: str) -> Iterator[tuple[bytes, bool]]:
        """The text of a source in blocks of UNIT_BYTES, each with whether it is the last one, which is shorter."""
        with nullcontext(sys.stdin.buffer) if name == "-" else open(name, "rb") as file:
            raw = iter(lambda: self._read(file, source), b"")
            first = next(raw, b"")
            text: Iterable[bytes] = chain([first], raw)
            if first.startswith(_ZSTD_MAGIC):
                text = _decompressed(text, source)
            waiting = bytearray()
            for data in text:
                waiting += data
                while len(waiting) >= UNIT_BYTES:
                    yield bytes(waiting[:UNIT_BYTES]), False
                    del waiting[:UNIT_BYTES]
            yield bytes(waiting), True

    def _read(self, file: BinaryIO, source: str) -> bytes:
        try:
            data = file.read(UNIT_BYTES)
        except OSError as error:  # it does not know the name of the file
            raise EncodingStopped(f"{source}: cannot be read: {error.strerror}") from None
        self._seen.update(data)
        self._raw_bytes += len(data)
        return data


def _size(name: str) -> int | None:
    if name == "-":
        return None
    status = os.stat(name)
    if S_ISDIR(status.st_mode):
        raise EncodingStopped(f"{name}: is a folder: name the files in it")
    return status.st_size if S_ISREG(status.st_mode) else None


def _decompressed(raw: Iterable[bytes], source: str) -> Iterator[bytes]:
    """The text of a zstd file; several frames are one text, as for `zstd -d`.

    Not by zstandard's `stream_reader`, for which a file that is cut off ends like a complete one.
    """
    try:
        zstandard = import_module("zstandard")
    except ImportError:
        raise EncodingStopped(f'{source}: zstandard is not installed: pip install "reftok[zstd]"') from None
    frame = None
    try:
        for data in raw:
            for start in range(0, len(data), _COMPRESSED_BYTES):
                piece = data[start : start + _COMPRESSED_BYTES]
                while piece:
                    frame = frame or zstandard.ZstdDecompressor().decompressobj()
                    yield frame.decompress(piece)
                    piece, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
    except zstandard.ZstdError as error:
        raise EncodingStopped(f"{source}: is not valid zstd: {error}") from None
    if frame is not None:
        raise EncodingStopped(f"{source}: the zstd data is cut off")
