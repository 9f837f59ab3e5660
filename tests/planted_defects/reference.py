"""What the planted defects of models without JSON start from: the reference, every answer right."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

import reftok
from reftok import Tokenizer
from reftok.rules.sentencepiece.decoder import SentencePieceDecoder
from reftok.rules.sentencepiece.normalizer import NormalizerOptions, SentencePieceNormalizer
from reftok.rules.sentencepiece.pieces import Piece, PieceTable, PieceType

Spans = list[tuple[int, int]]


class Reference:
    """reftok with the tokenizer changed, or with what goes in and comes out of it changed."""

    def __init__(self, model_path: str) -> None:
        self.tokenizer = self.changed(reftok.load(model_path))

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        """The tokenizer that answers: for a defect to damage."""
        return tokenizer

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        return self.encode_with_offsets(text, add_special_tokens)[0]

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        encoding = self.tokenizer.encode(text, add_special_tokens=add_special_tokens)
        return list(encoding.ids), list(encoding.tokens), list(encoding.offsets)

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)


def with_options(tokenizer: Tokenizer, **changes: bool) -> Tokenizer:
    """The tokenizer with other options of its sentencepiece normalizer."""
    (normalizer,) = tokenizer.rules.normalizers
    assert isinstance(normalizer, SentencePieceNormalizer)
    options: NormalizerOptions = replace(normalizer.options, **changes)
    changed = SentencePieceNormalizer(options, normalizer.charsmap, normalizer.symbols)
    return Tokenizer(replace(tokenizer.rules, normalizers=(changed,)), tokenizer)


def with_charsmap(tokenizer: Tokenizer, charsmap: bool, symbols: bool = True) -> Tokenizer:
    """The tokenizer without its charsmap, or with one that spares no user-defined symbols."""
    (normalizer,) = tokenizer.rules.normalizers
    assert isinstance(normalizer, SentencePieceNormalizer)
    changed = SentencePieceNormalizer(
        normalizer.options, normalizer.charsmap if charsmap else None, normalizer.symbols if symbols else None
    )
    return Tokenizer(replace(tokenizer.rules, normalizers=(changed,)), tokenizer)


def with_pieces(
    tokenizer: Tokenizer,
    change: dict[PieceType, PieceType] | None = None,
    score_of: Callable[[float], float] = lambda score: score,
) -> Tokenizer:
    """The tokenizer with pieces of other types, or with other scores."""
    change = change or {}
    table = table_of(tokenizer)
    pieces = [Piece(piece.piece, score_of(piece.score), change.get(piece.type, piece.type)) for piece in table.pieces]
    changed = PieceTable(pieces, table.byte_fallback, "", table.special)
    return Tokenizer(replace(tokenizer.rules, model=type(tokenizer.rules.model)(changed)))


def table_of(tokenizer: Tokenizer) -> PieceTable:
    """The pieces of a sentencepiece model."""
    (decoder,) = tokenizer.rules.decoders or ()
    assert isinstance(decoder, SentencePieceDecoder)
    return decoder.table


def with_model(tokenizer: Tokenizer, kind: type[Any]) -> Tokenizer:
    """The tokenizer whose model goes by the rules of a class derived from its own."""
    model: Any = copy(tokenizer.rules.model)
    assert issubclass(kind, type(model)), "the model is another one"
    model.__class__ = kind
    return Tokenizer(replace(tokenizer.rules, model=model))
