"""Writes messages in the wire format of protocol buffers, and whole sentencepiece models, for the tests."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence

from sentencepiece import SentencePieceNormalizer

from reftok.formats.sentencepiece.protobuf import FIXED32, LENGTH_DELIMITED, VARINT, read_fields
from reftok.rules.sentencepiece.pieces import BYTE_PIECES, PieceType

Value = int | bool | float | str | bytes
PieceTuple = tuple[str, float, PieceType]

UNIGRAM, BPE, WORD, CHAR = 1, 2, 3, 4
UNKNOWN: PieceTuple = ("<unk>", 0.0, PieceType.UNKNOWN)


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def message(fields: Iterable[tuple[int, Value]]) -> bytes:
    """int and bool as varints, float as fixed32, str and bytes with their length."""
    return b"".join(encode_field(number, value) for number, value in fields)


def encode_field(number: int, value: Value) -> bytes:
    if isinstance(value, float):
        return varint(number << 3 | FIXED32) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3 | VARINT) + varint(value)
    content = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | LENGTH_DELIMITED) + varint(len(content)) + content


def piece_message(piece: str | bytes, score: float = 0.0, piece_type: int = PieceType.NORMAL) -> bytes:
    return message([(1, piece), (2, score), (3, int(piece_type))])


def byte_pieces() -> list[PieceTuple]:
    return [(piece, 0.0, PieceType.BYTE) for piece in BYTE_PIECES]


def model_bytes(
    pieces: Sequence[PieceTuple],
    model_type: int = UNIGRAM,
    *,
    trainer: Mapping[int, Value] | None = None,
    normalizer: Mapping[int, Value] | None = None,
    denormalizer: Mapping[int, Value] | None = None,
) -> bytes:
    """A ModelProto; the specs are given by field number."""
    fields: list[tuple[int, Value]] = [(1, piece_message(*piece)) for piece in pieces]
    fields.append((2, message([(3, model_type), *(trainer or {}).items()])))
    fields.append((3, message((normalizer or {}).items())))
    if denormalizer is not None:
        fields.append((5, message(denormalizer.items())))
    return message(fields)


def compile_charsmap(rules: Mapping[str, str]) -> bytes:
    """The precompiled charsmap of the official builder."""
    spec = SentencePieceNormalizer(norm_map=list(rules.items())).serialized_normalizer_spec()
    blobs = [value for number, _, _, value in read_fields(spec, "spec") if number == 2]
    assert isinstance(blobs[0], bytes)
    return blobs[0]
