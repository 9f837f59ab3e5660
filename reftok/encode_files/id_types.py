"""How ids are stored: the smallest unsigned type that holds them all, little-endian."""

from __future__ import annotations

import sys
from array import array
from dataclasses import dataclass

from reftok.errors import EncodingStopped


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
