"""Writes what `reftok.formats.protobuf` reads: the fields of a message, unknown ones as they were."""

from __future__ import annotations

from collections.abc import Iterable

from reftok.formats.protobuf import LENGTH_DELIMITED, Field


def written_fields(fields: Iterable[Field]) -> bytes:
    """The message. The byte offsets of the fields are not used.

    >>> written_fields([(1, 0, 0, 150), (2, 2, 0, b"hi")]).hex(" ")
    '08 96 01 12 02 68 69'
    """
    return b"".join(map(_written, fields))


def _written(field: Field) -> bytes:
    number, wire_type, _, value = field
    tag = _varint(number << 3 | wire_type)
    if isinstance(value, int):
        return tag + _varint(value)
    return tag + (_varint(len(value)) if wire_type == LENGTH_DELIMITED else b"") + value


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
