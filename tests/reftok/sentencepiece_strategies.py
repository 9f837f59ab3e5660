"""Random sentencepiece models and texts for them, and the comparison with the official library."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor

from reftok.formats.sentencepiece_model import read_sentencepiece_model
from reftok.sentencepiece_pieces import PieceType
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

texts = st.text(st.sampled_from([*"ab▁é中 ", *"  A\u3000\t\u200b…x国ﬁ\ufffd😀e\u0301\0"]), max_size=20)
raw_bytes = st.lists(
    st.one_of(
        texts.map(str.encode), st.binary(min_size=1, max_size=3), st.sampled_from([b"\xe2\x96", b"\x81", b"\xed"])
    ),
    max_size=5,
).map(b"".join)
inputs = st.one_of(texts, texts, raw_bytes)


@cache
def charsmap() -> bytes:
    return compile_charsmap(RULES)


@st.composite
def piece_lists(draw: st.DrawFn, byte_fallback: bool) -> list[PieceTuple]:
    texts_of_pieces = draw(st.lists(st.text(ALPHABET, min_size=1, max_size=4), min_size=1, max_size=14, unique=True))
    if draw(st.booleans()):
        texts_of_pieces.append("  a")
    types = st.sampled_from([PieceType.NORMAL] * 6 + [PieceType.USER_DEFINED, PieceType.UNUSED, PieceType.CONTROL])
    pieces = [(text, draw(st.sampled_from(SCORES)), draw(types)) for text in texts_of_pieces]
    matching = st.sampled_from([PieceType.NORMAL, PieceType.USER_DEFINED, PieceType.UNUSED])
    pieces[0] = (*pieces[0][:2], draw(matching))
    pieces.insert(draw(st.integers(0, len(pieces))), UNKNOWN)
    return [*pieces, *byte_pieces()] if byte_fallback else pieces


@st.composite
def models(draw: st.DrawFn, *model_types: int) -> bytes:
    """Models of random pieces, ties and options included."""
    byte_fallback = draw(st.booleans())
    trainer: dict[int, Value] = {35: byte_fallback, 24: draw(st.booleans())}
    if draw(st.booleans()):
        trainer[44] = draw(st.sampled_from(["", " ⁇ ", "▁?"]))
    normalizer: dict[int, Value] = {number: draw(st.booleans()) for number in (3, 4, 5)}
    if draw(st.booleans()):
        normalizer[2] = charsmap()
    denormalizer: dict[int, Value] | None = None
    if draw(st.integers(0, 3)) == 0:
        denormalizer = {2: charsmap(), 3: draw(st.booleans()), 4: draw(st.booleans()), 5: draw(st.booleans())}
    return model_bytes(
        draw(piece_lists(byte_fallback)),
        draw(st.sampled_from(model_types or (UNIGRAM, BPE, WORD, CHAR))),
        trainer=trainer,
        normalizer=normalizer,
        denormalizer=denormalizer,
    )


def load_both(data: bytes) -> tuple[Tokenizer, SentencePieceProcessor]:
    return read_sentencepiece_model(data, "test.model"), SentencePieceProcessor(model_proto=data)


def official_encoding(official: SentencePieceProcessor, text: str | bytes) -> list[tuple[int, str, tuple[int, int]]]:
    found = official.Encode(text, return_type="offset_mapping")
    pieces = [piece.decode() if isinstance(piece, bytes) else piece for piece in found["pieces"]]
    return list(zip(found["ids"], pieces, map(tuple, found["offsets"]), strict=True))


def own_encoding(tokenizer: Tokenizer, text: str | bytes) -> list[tuple[int, str, tuple[int, int]]]:
    encoding = tokenizer.encode(text)
    return list(zip(encoding.ids, encoding.tokens, encoding.offsets, strict=True))
