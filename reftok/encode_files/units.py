r"""Blocks of bytes to units of work, cut between documents only.

A separator ends a document and is not part of it: what follows the last one is a document where it is not empty. So
lines are documents that "\n" ends. Nothing else is taken off: a carriage return, a byte order mark, white space and
empty documents are text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from reftok.encode_files.sources import Block

UNIT_BYTES = 1 << 18


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document stands: from this one on in a unit, the documents follow each other in one source.

    document: its index in the unit. offset: of its first byte in the source, decompressed.
    """

    document: int
    source: int
    offset: int


@dataclass(frozen=True, slots=True)
class Unit:
    """The text that a worker encodes at once: whole documents, or a part of a long one.

    places: of the documents; for a part, where its document begins.
    is_part: the only element of `documents` is a part of a document. is_last: its last part.
    seen, raw_bytes: of the last block that was read for it.
    """

    documents: Sequence[bytes]
    places: Sequence[Place]
    is_part: bool
    is_last: bool
    seen: str
    raw_bytes: int

    def place(self, document: int, separator: bytes | None) -> Place:
        """Where a document begins."""
        run = [place for place in self.places if place.document <= document][-1]
        before = self.documents[run.document : document]
        offset = run.offset + sum(map(len, before)) + len(before) * len(separator or b"")
        return Place(document, run.source, offset)


class UnitCutter:
    r"""The units of blocks. The same blocks give the same units.

    separator: None where each source is one document.
    longest: a document that has more bytes when a block ends, and goes on, comes in parts.
    size: of a unit in bytes, at least.

    >>> cutter = UnitCutter(b"\n", longest=4, size=1)
    >>> block = Block(b"ab\n\ncde", 0, is_first=True, is_last=True)
    >>> [unit.documents for unit in cutter.units([block])]
    [[b'ab', b'', b'cde']]
    """

    def __init__(self, separator: bytes | None, longest: int, size: int) -> None:
        self._separator = separator
        self._longest = longest
        self._size = size
        self._documents: list[bytes] = []
        self._places: list[Place] = []
        self._bytes = 0
        self._rest = b""
        self._offset = 0
        self._long: Place | None = None

    def units(self, blocks: Iterable[Block]) -> Iterator[Unit]:
        """Every document once, in order."""
        block = None
        for block in blocks:
            if block.is_first:
                self._offset = 0
                self._places.append(Place(len(self._documents), block.source, 0))
            self._rest += block.data
            if self._long is not None:
                part = self._part(block, self._long)
                yield part
                if not part.is_last or (block.is_last and not self._rest):
                    continue
            self._take_documents(block)
            if self._documents and (self._bytes >= self._size or len(self._rest) > self._longest):
                yield self._unit(block)
            if len(self._rest) > self._longest:
                self._long = Place(0, block.source, self._offset)
                yield self._part(block, self._long)
        if block is not None and self._documents:
            yield self._unit(block)

    def _take_documents(self, block: Block) -> None:
        *complete, rest = [self._rest] if self._separator is None else self._rest.split(self._separator)
        if block.is_last and (rest or self._separator is None):
            complete, rest = [*complete, rest], b""
        self._documents += complete
        self._offset += len(self._rest) - len(rest)
        self._bytes += len(self._rest) - len(rest)
        self._rest = rest

    def _unit(self, block: Block) -> Unit:
        unit = Unit(self._documents, self._places, False, True, block.seen, block.raw_bytes)
        self._documents, self._bytes = [], 0
        self._places = [Place(0, block.source, self._offset)]
        return unit

    def _part(self, block: Block, place: Place) -> Unit:
        """As much of the long document as is there; what may begin a separator is kept back."""
        separator = self._separator or b""
        found = self._rest.find(separator) if separator else -1
        is_last = found >= 0 or block.is_last
        kept = 0 if block.is_last else max(len(separator) - 1, 0)
        end = found if found >= 0 else len(self._rest) - kept
        part, taken = self._rest[:end], end + (len(separator) if found >= 0 else 0)
        self._rest = self._rest[taken:]
        self._offset += taken
        if is_last:
            self._long = None
            self._places = [Place(0, block.source, self._offset)]
        return Unit([part], [place], True, is_last, block.seen, block.raw_bytes)
