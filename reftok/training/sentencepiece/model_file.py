"""The `.model` file of a training, a ModelProto with its fields in the order of their numbers, and its `.vocab`.

Source: sentencepiece 0.2.3, trainer_interface.cc (`Serialize`), sentencepiece_model.proto.

The specs hold what the user gave, and no defaults; only the name of the rules of normalization and the charsmap are
always there. vocab_size is what it came to where it was no hard limit. A special piece has its type and the score 0,
another one no type.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from reftok.errors import TrainingStopped, VocabularyTooLarge
from reftok.formats.sentencepiece.protobuf import (
    FIXED32,
    LENGTH_DELIMITED,
    VARINT,
    Field,
    read_fields,
    to_float,
    written_fields,
)
from reftok.rules.sentencepiece.pieces import PieceType
from reftok.training.sentencepiece.meta_pieces import MetaPieces
from reftok.training.sentencepiece.normalization import USER_DEFINED, compiled_file, rules_name
from reftok.training.sentencepiece.options import MODEL_TYPES, NORMALIZER_FIELDS, TRAINER_FIELDS, Kind, TrainerOptions

ScoredPiece: TypeAlias = tuple[str, float]
"""A learned piece and its score, a float32."""

_PIECES, _TRAINER_SPEC, _NORMALIZER_SPEC, _DENORMALIZER_SPEC = 1, 2, 3, 5
_64_BITS = (1 << 64) - 1


def model_file(
    learned: Sequence[ScoredPiece], meta: MetaPieces, options: TrainerOptions, charsmap: bytes, vocab_size: int
) -> bytes:
    """The bytes of the model.

    learned: the pieces in order; they take the ids that no special piece has. vocab_size: what is asked for, which is
    what the options say but with use_all_vocab.
    Raises VocabularyTooLarge where there are fewer pieces and that is an error, TrainingStopped for a piece that is
    there twice, and for a special piece whose id comes after the last learned one.
    """
    pieces = [*_numbered(learned, meta, vocab_size)]
    seen: set[str] = set()
    for piece, _, _ in pieces:
        if piece in seen:
            raise TrainingStopped(f"{piece!r} would be in the vocabulary twice")
        seen.add(piece)
    is_soft = not options.hard_vocab_limit or options.model_type == "char"
    if not is_soft and len(pieces) != vocab_size:
        raise VocabularyTooLarge(vocab_size, len(pieces))
    trainer = _trainer_spec(options, len(pieces) if is_soft or options.use_all_vocab else None)
    fields = [_message(_PIECES, [*_piece_fields(*piece)]) for piece in pieces]
    fields += [_message(_TRAINER_SPEC, trainer), _message(_NORMALIZER_SPEC, _normalizer_spec(options, charsmap))]
    if options.denormalization_rule_tsv:
        fields.append(_message(_DENORMALIZER_SPEC, _denormalizer_spec(options)))
    return written_fields(fields)


def vocab_file(model: bytes, options: TrainerOptions) -> bytes:
    """The `.vocab` that spm_train writes beside a model: a piece a line, and its score in six digits behind a tab.

    Source: trainer_interface.cc (`SaveVocab`).
    """
    lines: list[bytes] = []
    for number, _, _, message in read_fields(model, ""):
        if number == _PIECES and isinstance(message, bytes):
            piece, score, *_ = (value for _, _, _, value in read_fields(message, "") if isinstance(value, bytes))
            lines.append(
                b"%b\t%g\n" % (piece, to_float(score)) if options.vocabulary_output_piece_score else piece + b"\n"
            )
    return b"".join(lines)


def _numbered(
    learned: Sequence[ScoredPiece], meta: MetaPieces, vocab_size: int
) -> Iterator[tuple[str, float, PieceType]]:
    rest = iter(learned)
    gap = False
    for token_id in range(vocab_size):
        if token_id in meta:
            piece, kind = meta[token_id]
            if gap:
                raise TrainingStopped(
                    f"{piece!r} has the id {token_id}, but there are fewer pieces before it: lower the id"
                )
            yield piece, 0.0, kind
        elif (found := next(rest, None)) is not None:
            yield *found, PieceType.NORMAL
        else:
            gap = True
            if token_id > max(meta, default=-1):
                break


def _piece_fields(piece: str, score: float, kind: PieceType) -> Iterator[Field]:
    yield _field(1, "string", piece)
    yield _field(2, "float", score)
    if kind is not PieceType.NORMAL:
        yield _field(3, "int32", int(kind))


def _trainer_spec(options: TrainerOptions, vocab_size: int | None) -> list[Field]:
    """vocab_size: what it came to, None where it is what was given."""
    values = {name: getattr(options, name) for name in TRAINER_FIELDS if options.is_written(name)}
    if vocab_size is not None:
        values["vocab_size"] = vocab_size
    return _fields(values, TRAINER_FIELDS)


def _normalizer_spec(options: TrainerOptions, charsmap: bytes) -> list[Field]:
    values = {name: getattr(options, name) for name in NORMALIZER_FIELDS if options.is_written(name)}
    values |= {"normalization_rule_name": rules_name(options), "precompiled_charsmap": charsmap}
    return _fields(values, NORMALIZER_FIELDS)


def _denormalizer_spec(options: TrainerOptions) -> list[Field]:
    path = options.denormalization_rule_tsv
    values: dict[str, object] = {"normalization_rule_name": USER_DEFINED, "normalization_rule_tsv": path}
    values |= {"precompiled_charsmap": compiled_file("denormalization_rule_tsv", path)}
    values |= dict.fromkeys(("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"), False)
    return _fields(values, NORMALIZER_FIELDS)


def _fields(values: Mapping[str, object], known: Mapping[str, tuple[int, Kind]]) -> list[Field]:
    """The fields in the order of their numbers."""
    fields = []
    for name, (number, kind) in known.items():
        if name in values:
            value = values[name]
            items = value if kind == "strings" and isinstance(value, tuple) else (value,)
            fields += [_field(number, kind, item) for item in items]
    return sorted(fields, key=lambda field: field[0])


def _field(number: int, kind: Kind, value: object) -> Field:
    if kind == "float":
        return number, FIXED32, 0, struct.pack("<f", value)
    if kind == "model_type":
        return number, VARINT, 0, MODEL_TYPES[str(value)]
    if isinstance(value, int):
        return number, VARINT, 0, value & _64_BITS
    return number, LENGTH_DELIMITED, 0, value if isinstance(value, bytes) else str(value).encode("utf-8")


def _message(number: int, fields: Sequence[Field]) -> Field:
    return number, LENGTH_DELIMITED, 0, written_fields(fields)
