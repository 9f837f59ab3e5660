"""Random sentencepiece models and texts for them, and the comparison with the official library."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor

from reftok.formats.sentencepiece.model_file import read_sentencepiece_model
from reftok.formats.sentencepiece.protobuf import read_fields, to_float
from reftok.nbest import n_best
from reftok.rules.sentencepiece.pieces import PieceType
from reftok.rules.types import Encoding
from reftok.tokenizer import Tokenizer

from .protobuf_writer import (
    BPE,
    CHAR,
    UNIGRAM,
    UNKNOWN,
    WORD,
    PieceTuple,
    Value,
    byte_pieces,
    compile_charsmap,
    model_bytes,
)

ALPHABET = "ab▁é中"
SCORES = [-1.0, -2.0, -0.5, 0.0, -0.0, -3.3, 1.25, -100.7]
NAMES = ["<s>", "</s>", "<pad>", "<unk>", "[BOS]", ""]
RULES = {
    "A": "a",
    "e\u0301": "é",
    "\u3000": " ",
    "\t": " ",
    "\u200b": "",
    "…": "  . ",
    "ab ": "b",
    "中国": "b",
    "中国a": "é",
    "x": "",
    "ﬁ": " fi",
    "\ufffd": " ",
}
OPTION_NAMES = ("add_bos", "add_eos", "reverse", "emit_unk_piece")

characters = st.sampled_from([*"ab▁é中 ", *"  A\u3000\t\u200b…x国ﬁ\ufffd😀e\u0301\0"])
texts = st.one_of(
    st.text(characters, max_size=20),
    st.lists(st.one_of(characters, st.sampled_from(NAMES)), max_size=20).map("".join),
)
raw_bytes = st.lists(
    st.one_of(
        texts.map(str.encode), st.binary(min_size=1, max_size=3), st.sampled_from([b"\xe2\x96", b"\x81", b"\xed"])
    ),
    max_size=5,
).map(b"".join)
inputs = st.one_of(texts, texts, raw_bytes)
rules = st.dictionaries(
    st.text("aAé中\u3000 x", min_size=1, max_size=3), st.text("aé中 ▁", max_size=3), min_size=1, max_size=6
)


@cache
def charsmap() -> bytes:
    return compile_charsmap(RULES)


@st.composite
def charsmaps(draw: st.DrawFn) -> bytes:
    """None, the rules above, random rules."""
    kind = draw(st.integers(0, 5))
    if kind < 3:
        return charsmap() if kind else b""
    changing = {old: new for old, new in draw(rules).items() if old != new}
    return compile_charsmap(changing) if changing else b""


@st.composite
def piece_lists(draw: st.DrawFn, byte_fallback: bool) -> list[PieceTuple]:
    texts_of_pieces = draw(st.lists(st.text(ALPHABET, min_size=1, max_size=4), min_size=1, max_size=14, unique=True))
    if draw(st.booleans()):
        texts_of_pieces.append("  a")
    types = st.sampled_from([PieceType.NORMAL] * 6 + [PieceType.USER_DEFINED, PieceType.UNUSED, PieceType.CONTROL])
    pieces = [(text, draw(st.sampled_from(SCORES)), draw(types)) for text in texts_of_pieces]
    matching = st.sampled_from([PieceType.NORMAL, PieceType.USER_DEFINED, PieceType.UNUSED])
    pieces[0] = (*pieces[0][:2], draw(matching))
    named = st.sampled_from([PieceType.CONTROL, PieceType.CONTROL, PieceType.NORMAL, PieceType.USER_DEFINED])
    pieces += [(name, -1.5, draw(named)) for name in draw(st.lists(st.sampled_from(NAMES[:3]), unique=True))]
    unknown = draw(st.sampled_from([UNKNOWN, UNKNOWN, ("▁unk", -1.0, PieceType.UNKNOWN)]))
    if unknown is not UNKNOWN and draw(st.booleans()):
        pieces.append(("<unk>", -1.0, PieceType.NORMAL))
    if not byte_fallback or draw(st.integers(0, 3)):
        pieces.insert(draw(st.integers(0, len(pieces))), unknown)
    if byte_fallback and draw(st.integers(0, 3)) == 0:
        pieces.insert(draw(st.integers(0, len(pieces))), ("\0", -1.0, draw(types)))
    return [*pieces, *byte_pieces()] if byte_fallback else pieces


@st.composite
def models(draw: st.DrawFn, *model_types: int) -> bytes:
    """Models of random pieces, ties and options included."""
    byte_fallback = draw(st.booleans())
    trainer: dict[int, Value] = {35: byte_fallback, 24: draw(st.booleans())}
    if draw(st.booleans()):
        trainer[44] = draw(st.sampled_from(["", " ⁇ ", "▁?"]))
    for number in (45, 46, 47, 48):
        if draw(st.integers(0, 4)) == 0:
            trainer[number] = draw(st.sampled_from([*NAMES, "a", "▁unk"]))
    normalizer: dict[int, Value] = {number: draw(st.booleans()) for number in (3, 4, 5)}
    normalizer[2] = draw(charsmaps())
    denormalizer: dict[int, Value] | None = None
    if draw(st.integers(0, 3)) == 0:
        denormalizer = {2: draw(charsmaps()), 3: draw(st.booleans()), 4: draw(st.booleans()), 5: draw(st.booleans())}
    return model_bytes(
        draw(piece_lists(byte_fallback)),
        draw(st.sampled_from(model_types or (UNIGRAM, BPE, WORD, CHAR))),
        trainer=trainer,
        normalizer=normalizer,
        denormalizer=denormalizer,
    )


def load_both(data: bytes) -> tuple[Tokenizer, SentencePieceProcessor]:
    return Tokenizer(read_sentencepiece_model(data, "test.model")), SentencePieceProcessor(model_proto=data)


def official_encoding(official: SentencePieceProcessor, text: str | bytes) -> list[tuple[int, str, tuple[int, int]]]:
    found = official.Encode(text, return_type="offset_mapping")
    pieces = [piece.decode() if isinstance(piece, bytes) else piece for piece in found["pieces"]]
    return list(zip(found["ids"], pieces, map(tuple, found["offsets"]), strict=True))


def own_encoding(tokenizer: Tokenizer, text: str | bytes) -> list[tuple[int, str, tuple[int, int]]]:
    """The encoding of the engine, held to that of the plain rules."""
    encoding = tokenizer.encode(text)
    assert encoding == tokenizer.rules.encode(text), text
    return rows_of(encoding)


def rows_of(encoding: Encoding) -> list[tuple[int, str, tuple[int, int]]]:
    return list(zip(encoding.ids, encoding.tokens, encoding.offsets, strict=True))


def official_n_best(official: SentencePieceProcessor, text: str | bytes, size: int) -> list[tuple[float, list[Any]]]:
    """The scores of the n best encodings, and their ids, pieces and offsets in bytes.

    Source of the field numbers, here and below: sentencepiece.proto.
    """
    results: list[tuple[float, list[Any]]] = []
    for result in _messages(official.NBestEncode(text, nbest_size=size, return_type="serialized_proto"), 1):
        score = next((to_float(value) for number, _, _, value in read_fields(result, "") if number == 3), 0.0)
        pieces = [_values(piece) for piece in _messages(result, 2)]
        results.append((score, [(piece[2], piece[1].decode(), (piece[4], piece[5])) for piece in pieces]))
    return results


def official_surfaces(official: SentencePieceProcessor, ids: list[int]) -> list[str]:
    """The text of each piece of decoded ids."""
    message = official.Decode(ids, return_type="serialized_proto")
    return [_values(piece)[3].decode() for piece in _messages(message, 2)]


def _messages(message: bytes, field: int) -> list[bytes]:
    return [value for number, _, _, value in read_fields(message, "") if number == field and isinstance(value, bytes)]


def _values(message: bytes) -> dict[int, Any]:
    return {3: b"", 4: 0, 5: 0} | {number: value for number, _, _, value in read_fields(message, "")}


def own_n_best(tokenizer: Tokenizer, text: bytes, size: int) -> list[tuple[float, list[Any]]]:
    return [(best.score, rows_of(best.encoding)) for best in n_best(tokenizer.rules, text, size)]
