"""The `.model` file of sentencepiece: a `ModelProto` message, read into the rules that the library follows.

Source: sentencepiece 0.2.3, sentencepiece_model.proto, sentencepiece_processor.cc (`Load`), model_factory.cc. The
fields that only training reads are accepted and left alone. A field number, a wire type or an enum value that the
schema does not know is refused: the library would skip it and go on with a default.

Quirk: the models of Marian come from a fork, whose NormalizerSpec also has encode_unicode_case (7) and
decode_unicode_case (8). The library skips these two, and what it then makes of text is what this reader follows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import TypeAlias

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.named_ids import TURNS, well_known_ids
from reftok.formats.sentencepiece.charsmap_check import check_charsmap
from reftok.formats.sentencepiece.protobuf import FIXED32, LENGTH_DELIMITED, VARINT, read_fields, to_float, to_int32
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.bpe import SentencePieceBPE
from reftok.rules.sentencepiece.decoder import SentencePieceDecoder
from reftok.rules.sentencepiece.normalizer import NormalizerOptions, SentencePieceNormalizer
from reftok.rules.sentencepiece.pieces import NO_ID, Piece, PieceTable, PieceType, SpecialPieces
from reftok.rules.sentencepiece.unigram import SentencePieceUnigram
from reftok.rules.sentencepiece.words import SentencePieceChar, SentencePieceWord
from reftok.rules.stages import Model
from reftok.unicode.charsmap import Charsmap

Value: TypeAlias = int | bool | float | bytes | str
Messages: TypeAlias = Sequence[tuple[bytes, int]]
"""All occurrences of one embedded message with their byte offsets; they are read as one, the last value counts."""

UNIGRAM, BPE, WORD, CHAR = 1, 2, 3, 4
_MODELS: Mapping[int, Callable[[PieceTable, str], Model]] = {
    UNIGRAM: SentencePieceUnigram,
    BPE: SentencePieceBPE,
    WORD: SentencePieceWord,
    CHAR: SentencePieceChar,
}
_DEFAULT_UNK_SURFACE = " ⁇ "

_PIECES, _TRAINER_SPEC, _NORMALIZER_SPEC, _DENORMALIZER_SPEC = 1, 2, 3, 5

_TRAINER_FIELDS = {
    3: ("model_type", "int32"),
    24: ("treat_whitespace_as_suffix", "bool"),
    35: ("byte_fallback", "bool"),
    44: ("unk_surface", "string"),
    45: ("unk_piece", "string"),
    46: ("bos_piece", "string"),
    47: ("eos_piece", "string"),
    48: ("pad_piece", "string"),
}
_TRAINING_ONLY = frozenset({1, 2, *range(4, 8), *range(10, 24), 25, 26, *range(30, 35), 36, 40, 41, 42, 43})
_TRAINING_ONLY |= frozenset({*range(49, 56)})
_NORMALIZER_FIELDS = {
    1: ("name", "bytes"),
    2: ("precompiled_charsmap", "bytes"),
    3: ("add_dummy_prefix", "bool"),
    4: ("remove_extra_whitespaces", "bool"),
    5: ("escape_whitespaces", "bool"),
    6: ("normalization_rule_tsv", "bytes"),
}
_FORK_FIELDS = frozenset({7, 8})
_PIECE_FIELDS = {1: ("piece", "string"), 2: ("score", "float"), 3: ("type", "int32")}
_WIRE_TYPES = {"int32": VARINT, "bool": VARINT, "string": LENGTH_DELIMITED, "bytes": LENGTH_DELIMITED, "float": FIXED32}


def read_sentencepiece_model(data: bytes, source: str) -> Pipeline:
    """The rules of a sentencepiece model.

    data: the bytes of the file; source: its name, for errors.
    Raises ModelFormatError for what the library refuses to load, UnsupportedFeature for what its schema does not know.
    """
    pieces, specs = _read_model_proto(data, source)
    trainer = _read_message(specs[_TRAINER_SPEC], _TRAINER_FIELDS, "trainer_spec", source, _TRAINING_ONLY)
    model_type = int(trainer.get("model_type", UNIGRAM))
    if model_type not in _MODELS:
        raise UnsupportedFeature(source, "trainer_spec.model_type", f"{model_type} is not known")
    table = PieceTable(pieces, bool(trainer.get("byte_fallback", False)), source, _special_pieces(trainer))
    if model_type == UNIGRAM:
        _check_scores(pieces, source)
    suffix = bool(trainer.get("treat_whitespace_as_suffix", False))
    normalizer = _normalizer(specs[_NORMALIZER_SPEC], "normalizer_spec", source, suffix, table)
    denormalizer = _normalizer(specs[_DENORMALIZER_SPEC], "denormalizer_spec", source)
    decoder = SentencePieceDecoder(
        table,
        unk_surface=str(trainer.get("unk_surface", _DEFAULT_UNK_SURFACE)),
        strips_first_space=normalizer.options.add_dummy_prefix or normalizer.options.remove_extra_whitespaces,
        strips_all_spaces=normalizer.options.remove_extra_whitespaces,
        denormalizer=denormalizer if denormalizer.charsmap is not None else None,
    )
    return Pipeline(
        library="sentencepiece",
        model=_MODELS[model_type](table, source),
        added_tokens=AddedVocabulary(),
        normalizers=(normalizer,),
        decoders=(decoder,),
        named_ids=ids_of_pieces(table),
    )


def _special_pieces(trainer: Mapping[str, Value]) -> SpecialPieces:
    """The names in the file; an empty one stands for the default, as one that is not there."""
    names = {name: str(trainer.get(f"{name}_piece", "")) for name in ("unk", "bos", "eos", "pad")}
    return SpecialPieces(**{name: piece for name, piece in names.items() if piece})


def _read_model_proto(data: bytes, source: str) -> tuple[list[Piece], dict[int, list[tuple[bytes, int]]]]:
    """`pieces`, and the other messages as they are; 4 is `self_test_data`, which 0.2.3 leaves alone."""
    pieces: list[Piece] = []
    specs: dict[int, list[tuple[bytes, int]]] = {number: [] for number in range(_TRAINER_SPEC, _DENORMALIZER_SPEC + 1)}
    start = _read_usual_pieces(data, pieces)
    for number, wire_type, offset, value in read_fields(data[start:], source, start):
        if number != _PIECES and number not in specs:
            raise UnsupportedFeature(source, f"byte {offset}", f"field {number} of ModelProto is not known")
        if wire_type != LENGTH_DELIMITED or not isinstance(value, bytes):
            raise UnsupportedFeature(source, f"byte {offset}", f"field {number} of ModelProto is not a message")
        if number == _PIECES:
            pieces.append(_read_piece(value, offset, f"pieces[{len(pieces)}]", source))
        else:
            specs[number].append((value, offset))
    return pieces, specs


def _read_usual_pieces(data: bytes, pieces: list[Piece]) -> int:
    """The pieces with which a file begins, as long as they are written as the library writes them; where they end.

    Most of a file is made of them. Where they end, or something is wrong with them, the file is read field by field.
    """
    start = 0
    # A field `pieces` of up to 127 bytes: the text with its length before it, the score, and the type if it is there.
    while len(field := data[start : start + 129]) > 4 and field[:3:2] == b"\x0a\x0a":
        size, text_end = field[1], 4 + field[3]
        rest = field[text_end : size + 2]
        if size > min(127, len(field) - 2) or rest[:6:5] not in (b"\x15", b"\x15\x18") or len(rest) not in (5, 7):
            break
        piece_type = _TYPES.get(rest[6]) if len(rest) == 7 else PieceType.NORMAL
        try:
            text = field[4:text_end].decode("utf-8")
        except UnicodeDecodeError:
            break
        if piece_type is None:
            break
        pieces.append(Piece(text, to_float(rest[1:5]), piece_type))
        start += size + 2
    return start


def _read_piece(message: bytes, offset: int, place: str, source: str) -> Piece:
    values = _read_message([(message, offset)], _PIECE_FIELDS, place, source)
    number = int(values.get("type", PieceType.NORMAL))
    if number not in _TYPES:
        raise UnsupportedFeature(source, f"{place}.type", f"{number} is not known")
    return Piece(str(values.get("piece", "")), float(values.get("score", 0.0)), _TYPES[number])


_TYPES: Mapping[int, PieceType] = {int(piece_type): piece_type for piece_type in PieceType}


def _read_message(
    messages: Messages,
    known: Mapping[int, tuple[str, str]],
    place: str,
    source: str,
    ignored: frozenset[int] = frozenset(),
) -> dict[str, Value]:
    """The fields that the message has, by name. known: their names and types, by number."""
    values: dict[str, Value] = {}
    for message, start in messages:
        for number, wire_type, offset, value in read_fields(message, source, start):
            if number in ignored:
                continue
            if number not in known:
                raise UnsupportedFeature(source, place, f"field {number} at byte {offset} is not known")
            name, kind = known[number]
            if wire_type != _WIRE_TYPES[kind]:
                raise UnsupportedFeature(
                    source, f"{place}.{name}", f"wire type {wire_type} at byte {offset}, not {kind}"
                )
            values[name] = _convert(value, kind, f"{place}.{name}", source)
    return values


def _convert(value: int | bytes, kind: str, place: str, source: str) -> Value:
    if isinstance(value, int):
        return value != 0 if kind == "bool" else to_int32(value)
    if kind == "float":
        return to_float(value)
    if kind == "bytes":
        return value
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnsupportedFeature(source, place, f"is not UTF-8: {error.reason} at its byte {error.start}") from None


def _check_scores(pieces: Sequence[Piece], source: str) -> None:
    for token_id, piece in enumerate(pieces):
        if not isfinite(piece.score):
            raise ModelFormatError(source, f"pieces[{token_id}].score", f"is {piece.score}")


def _normalizer(
    messages: Messages, place: str, source: str, suffix: bool = False, table: PieceTable | None = None
) -> SentencePieceNormalizer:
    values = _read_message(messages, _NORMALIZER_FIELDS, place, source, _FORK_FIELDS)
    blob = values.get("precompiled_charsmap", b"")
    charsmap = None
    if isinstance(blob, bytes) and blob:
        charsmap = Charsmap(blob, source)
        check_charsmap(charsmap, source)
    options = NormalizerOptions(
        add_dummy_prefix=bool(values.get("add_dummy_prefix", True)),
        remove_extra_whitespaces=bool(values.get("remove_extra_whitespaces", True)),
        escape_whitespaces=bool(values.get("escape_whitespaces", True)),
        treat_whitespace_as_suffix=suffix,
    )
    return SentencePieceNormalizer(options, charsmap, None if table is None else table.matcher)


def ids_of_pieces(table: PieceTable) -> dict[str, int | None]:
    """The named ids of a sentencepiece model: the marks of turns are control or user-defined pieces."""
    found = {"bos": table.bos_id, "eos": table.eos_id, "pad": table.pad_id, "unk": table.unk_id}
    named = {name: None if token_id == NO_ID else token_id for name, token_id in found.items()}
    marks = (*table.of_type(PieceType.CONTROL), *table.of_type(PieceType.USER_DEFINED))
    return named | well_known_ids({piece: table.vocab[piece] for piece in marks}, TURNS)
