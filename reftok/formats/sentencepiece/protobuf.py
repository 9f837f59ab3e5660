"""The wire format of protocol buffers: just enough to read and to write a message without its compiled schema.

Source: the encoding guide of protocol buffers; for what is overlong, parse_context.h of the C++ library. A message is a
run of fields; each starts with a varint that holds the field number and the wire type, which says how long the value
is. Groups (wire types 3 and 4) are refused: no format that is read here has them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from reftok.errors import ModelFormatError, UnsupportedFeature

VARINT, FIXED64, LENGTH_DELIMITED, GROUP, FIXED32 = 0, 1, 2, 3, 5
_LONGEST_VARINT = 10
_LONGEST_TAG = _LONGEST_LENGTH = 5
_64_BITS = (1 << 64) - 1

Field: TypeAlias = tuple[int, int, int, int | bytes]
"""Number, wire type, byte offset of the value in the file, and value: an int for a varint, else its bytes."""


def read_fields(message: bytes, source: str, offset: int = 0) -> Iterator[Field]:
    """The fields of a message in the order of the file.

    offset: where the message begins in the file, so that an error names the byte.
    Raises ModelFormatError for what is cut off or overlong and for field number 0, UnsupportedFeature for groups.

    Quirk: of an overlong tag the lower 32 bits count, as in the C++ library.

    >>> list(read_fields(bytes([0x08, 0x96, 0x01, 0x12, 0x02, 0x68, 0x69]), "example"))
    [(1, 0, 1, 150), (2, 2, 5, b'hi')]
    """
    position, size = 0, len(message)
    while position < size:
        start = position
        tag, position = read_varint(message, position, source, offset, _LONGEST_TAG)
        number, wire_type = (tag & 0xFFFFFFFF) >> 3, tag & 7
        if number == 0:
            raise ModelFormatError(source, f"byte {offset + start}", "0 is not a field number")
        if wire_type == VARINT:
            start = position
            value, position = read_varint(message, position, source, offset)
            yield number, wire_type, offset + start, value
            continue
        if wire_type == LENGTH_DELIMITED:
            length, position = read_varint(message, position, source, offset, _LONGEST_LENGTH)
        elif wire_type in (FIXED32, FIXED64):
            length = 4 if wire_type == FIXED32 else 8
        elif wire_type == GROUP:
            raise UnsupportedFeature(source, f"byte {offset + start}", f"field {number} is a group")
        else:
            raise ModelFormatError(source, f"byte {offset + start}", f"wire type {wire_type} is not known")
        end = position + length
        if end > size:
            problem = f"field {number} has {length} bytes, but {size - position} are left"
            raise ModelFormatError(source, f"byte {offset + position}", problem)
        yield number, wire_type, offset + position, message[position:end]
        position = end


def read_varint(
    message: bytes, position: int, source: str, offset: int = 0, longest: int = _LONGEST_VARINT
) -> tuple[int, int]:
    """The unsigned integer at `position`, seven bits a byte, lowest first; and where it ends.

    longest: how many bytes it may have. What is beyond 64 bits is cut off.

    >>> read_varint(bytes([0x96, 0x01]), 0, "example")
    (150, 2)
    """
    value = 0
    for index, byte in enumerate(message[position : position + longest]):
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return value & _64_BITS, position + index + 1
    problem = "the varint is cut off" if position + longest > len(message) else "the varint is too long"
    raise ModelFormatError(source, f"byte {offset + position}", problem)


def to_int32(value: int) -> int:
    """A varint as the field type int32 reads it: the lower 32 bits, in two's complement.

    >>> to_int32(2**64 - 1)
    -1
    """
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def to_float(value: bytes) -> float:
    """Four bytes as the field type float reads them.

    >>> to_float(bytes([0, 0, 0xC0, 0xBF]))
    -1.5
    """
    number: float = struct.unpack("<f", value)[0]
    return number


def written_fields(fields: Iterable[Field]) -> bytes:
    """The message of these fields: `read_fields` backwards. The byte offsets of the fields are not used.

    >>> written_fields([(1, 0, 0, 150), (2, 2, 0, b"hi")]).hex(" ")
    '08 96 01 12 02 68 69'
    """
    return b"".join(map(_written, fields))


def _written(field: Field) -> bytes:
    number, wire_type, _, value = field
    tag = _written_varint(number << 3 | wire_type)
    if isinstance(value, int):
        return tag + _written_varint(value)
    return tag + (_written_varint(len(value)) if wire_type == LENGTH_DELIMITED else b"") + value


def _written_varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
