"""Input files, or standard input, as blocks of bytes; what is compressed with zstd is told by its content."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any, BinaryIO

from reftok.encode_files.optional_libraries import optional_library
from reftok.errors import EncodingStopped

STANDARD_INPUT = "-"
BLOCK_BYTES = 1 << 18

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
"""RFC 8878, 3.1.1. No text of UTF-8 begins with these bytes."""

_RAW_BYTES = 1 << 16
_COMPRESSED_BYTES = 512
"""How much is decompressed at a time: 4 bytes can stand for a zstd block of 128 KiB, so that this is 16 MiB at most."""


@dataclass(frozen=True, slots=True)
class Block:
    """Some bytes of a source, decompressed.

    source: its index. is_first, is_last: of that source, which has one block at least.
    seen: a hash of everything up to the end of this block.
    raw_bytes: of all sources, how many have been read.
    """

    data: bytes
    source: int
    is_first: bool
    is_last: bool
    seen: str = ""
    raw_bytes: int = 0


class Sources:
    """The inputs, in order.

    names: paths; "-" is standard input.
    finished: of each source that was read to its end: its path, size, SHA-256 and compression, as they are on disk.
    Raises EncodingStopped for what is no file.
    """

    def __init__(self, names: Sequence[str | Path]) -> None:
        self.names = tuple(map(str, names))
        if not self.names:
            raise EncodingStopped("no input: name files, or - for standard input")
        if self.names.count(STANDARD_INPUT) > 1:
            raise EncodingStopped("standard input can be read once only")
        self.sizes = tuple(map(_size, self.names))
        self.finished: list[dict[str, Any]] = []
        self._raw_bytes = 0

    @property
    def raw_size(self) -> int | None:
        """Bytes of all inputs; None where one of them has no size, as a pipe."""
        known = [size for size in self.sizes if size is not None]
        return sum(known) if len(known) == len(self.sizes) else None

    def blocks(self) -> Iterator[Block]:
        """Every source from its beginning; all blocks of a source but its last one have the same size."""
        before = hashlib.sha256()
        for index, name in enumerate(self.names):
            with _opened(name) as file:
                raw = _Hashed(file)
                content = _content(raw, name)
                is_first, is_last = True, False
                while not is_last:
                    try:
                        data = content.read(BLOCK_BYTES)
                    except OSError as error:
                        raise EncodingStopped(f"{shown(name)}: cannot be read: {error.strerror}") from None
                    is_last = len(data) < BLOCK_BYTES
                    seen = before.copy()
                    seen.update(content.sha256.digest())
                    yield Block(data, index, is_first, is_last, seen.hexdigest(), self._raw_bytes + raw.size)
                    is_first = False
            self._raw_bytes += raw.size
            before.update(content.sha256.digest())
            compression = None if content is raw else "zstd"
            self.finished.append(
                {"path": name, "bytes": raw.size, "sha256": raw.sha256.hexdigest(), "compression": compression}
            )


def shown(name: str) -> str:
    """A source as messages name it."""
    return "standard input" if name == STANDARD_INPUT else name


def _size(name: str) -> int | None:
    if name == STANDARD_INPUT:
        return None
    try:
        status = Path(name).stat()
    except (OSError, ValueError) as error:
        raise EncodingStopped(f"{name}: cannot be read: {getattr(error, 'strerror', error)}") from None
    if S_ISDIR(status.st_mode):
        raise EncodingStopped(f"{name}: is a folder: name the files in it")
    return status.st_size if S_ISREG(status.st_mode) else None


def _opened(name: str) -> AbstractContextManager[BinaryIO]:
    if name != STANDARD_INPUT:
        try:
            return open(name, "rb")
        except OSError as error:
            raise EncodingStopped(f"{name}: cannot be read: {error.strerror}") from None
    if sys.stdin is None:
        raise EncodingStopped("standard input is closed")
    return nullcontext(sys.stdin.buffer)


class _Hashed:
    """A file being read, with its hash. The first bytes can be looked at before."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._waiting = b""
        self.sha256 = hashlib.sha256()
        self.size = 0

    def first(self, size: int) -> bytes:
        self._waiting = self._file.read(size)
        return self._waiting

    def read(self, size: int) -> bytes:
        data = self._waiting + self._file.read(size - len(self._waiting))
        self._waiting = b""
        self.sha256.update(data)
        self.size += len(data)
        return data


class _Decompressed:
    """The text in a zstd file; several frames are one text, as `zstd -d` has it."""

    def __init__(self, raw: _Hashed, name: str) -> None:
        self._pieces = _decompressed(raw, name)
        self._waiting = bytearray()
        self.sha256 = hashlib.sha256()

    def read(self, size: int) -> bytes:
        while len(self._waiting) < size and (piece := next(self._pieces, None)) is not None:
            self._waiting += piece
        data = bytes(self._waiting[:size])
        del self._waiting[:size]
        self.sha256.update(data)
        return data


def _content(raw: _Hashed, name: str) -> _Hashed | _Decompressed:
    return _Decompressed(raw, name) if raw.first(len(_ZSTD_MAGIC)) == _ZSTD_MAGIC else raw


def _decompressed(raw: _Hashed, name: str) -> Iterator[bytes]:
    zstandard = optional_library("zstandard")
    frame = None
    try:
        while data := raw.read(_RAW_BYTES):
            for start in range(0, len(data), _COMPRESSED_BYTES):
                piece = data[start : start + _COMPRESSED_BYTES]
                while piece:
                    frame = frame or zstandard.ZstdDecompressor().decompressobj()
                    yield frame.decompress(piece)
                    piece, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
    except zstandard.ZstdError as error:
        raise EncodingStopped(f"{shown(name)}: is not sound as zstd: {error}") from None
    if frame is not None:
        raise EncodingStopped(f"{shown(name)}: the zstd data is cut off")
