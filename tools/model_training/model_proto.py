"""The two places of a sentencepiece model that its library does not show: the charsmap, and the type of a piece.

A protobuf message is a row of fields, each a varint `number << 3 | wire type` and a value. Only what
sentencepiece_model.proto needs is here, so that training asks for no protobuf library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
MODEL_PIECES, MODEL_NORMALIZER_SPEC = 1, 3
NORMALIZER_CHARSMAP, NORMALIZER_RULE_TSV = 2, 6
PIECE_TYPE, UNUSED = 3, 5


class Field(NamedTuple):
    """One field: its number, its wire type, and the bytes of its value without the length that goes before."""

    number: int
    wire_type: int
    value: bytes


def charsmap(model: bytes) -> bytes:
    """The precompiled charsmap of a model."""
    spec = next(field for field in fields(model) if field.number == MODEL_NORMALIZER_SPEC)
    return next((field.value for field in fields(spec.value) if field.number == NORMALIZER_CHARSMAP), b"")


def without_rule_path(model: bytes) -> bytes:
    """The model without the name of the file that its rules came from, which differs from run to run."""

    def pathless(spec: bytes) -> bytes:
        return message(field for field in fields(spec) if field.number != NORMALIZER_RULE_TSV)

    return message(_changed(field, MODEL_NORMALIZER_SPEC, pathless) for field in fields(model))


def with_unused(model: bytes, ids: frozenset[int]) -> bytes:
    """The model with the pieces of these ids made UNUSED."""
    return message(_with_unused(fields(model), ids))


def _with_unused(model: Iterator[Field], ids: frozenset[int]) -> Iterator[Field]:
    piece_id = -1
    for field in model:
        piece_id += field.number == MODEL_PIECES
        yield _changed(field, MODEL_PIECES, _unused) if piece_id in ids else field


def _unused(piece: bytes) -> bytes:
    kept = [field for field in fields(piece) if field.number != PIECE_TYPE]
    return message(iter([*kept, Field(PIECE_TYPE, VARINT, varint(UNUSED))]))


def _changed(field: Field, number: int, change: Callable[[bytes], bytes]) -> Field:
    return field._replace(value=change(field.value)) if field.number == number else field


def fields(data: bytes) -> Iterator[Field]:
    r"""The fields of a message, in their order.

    >>> list(fields(b"\x18\x05\x0a\x02hi"))
    [Field(number=3, wire_type=0, value=b'\x05'), Field(number=1, wire_type=2, value=b'hi')]
    """
    position = 0
    while position < len(data):
        key, position = _read_varint(data, position)
        number, wire_type = key >> 3, key & 7
        start = position
        if wire_type == VARINT:
            _, position = _read_varint(data, position)
        elif wire_type == BYTES:
            length, start = _read_varint(data, position)
            position = start + length
        elif wire_type in (FIXED64, FIXED32):
            position += 8 if wire_type == FIXED64 else 4
        else:
            raise ValueError(f"wire type {wire_type} at byte {start}: not a sentencepiece model")
        yield Field(number, wire_type, data[start:position])


def message(row: Iterator[Field]) -> bytes:
    r"""The bytes of a message: `fields` backwards.

    >>> message(fields(b"\x18\x05\x0a\x02hi"))
    b'\x18\x05\n\x02hi'
    """
    out = bytearray()
    for field in row:
        out += varint(field.number << 3 | field.wire_type)
        if field.wire_type == BYTES:
            out += varint(len(field.value))
        out += field.value
    return bytes(out)


def varint(value: int) -> bytes:
    r"""Seven bits a byte, the lowest first; the high bit says that more follow.

    >>> varint(300)
    b'\xac\x02'
    """
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _read_varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
