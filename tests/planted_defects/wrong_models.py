"""Ports whose model goes another way to its tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from official import Official, Spans
from reference import Reference, table_of, with_pieces

from reftok import Tokenizer
from reftok.spec.byte_level import to_byte_characters
from reftok.spec.models.vocab_model import VocabModel
from reftok.spec.pretokenizers import ByteLevel
from reftok.spec.sentencepiece.pieces import PieceTable, PieceType
from reftok.spec.text import NormalizedString, Split
from reftok.spec.types import Token


class _Model(Official):
    """A model with other options."""

    options: ClassVar[dict[str, bool]]

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        return {**model, "model": {**model["model"], **self.options}}


class NoIgnoreMerges(_Model):
    """`ignore_merges` is not read."""

    options: ClassVar[dict[str, bool]] = {"ignore_merges": False}


class NoByteFallback(_Model):
    """`byte_fallback` is not read: unknown characters become the unknown token."""

    options: ClassVar[dict[str, bool]] = {"byte_fallback": False}


class FirstMergeLost(Official):
    """The first merge is lost: it was taken for the header line."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        return {**model, "model": {**model["model"], "merges": model["model"]["merges"][1:]}}


class CommentsLost(Official):
    """Merges that begin with # are lost: they were taken for comments."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        kept = [merge for merge in model["model"]["merges"] if not merge[0].startswith("#")]
        return {**model, "model": {**model["model"], "merges": kept}}


class NoMerges(Official):
    """No merge is applied: merges written as lists are not read."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        return {**model, "model": {**model["model"], "merges": []}}


class MergesByLength(Official):
    """The longest merge goes first."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        merges = sorted(model["model"]["merges"], key=lambda pair: -len("".join(pair)))
        return {**model, "model": {**model["model"], "merges": merges}}


class LongestFirst(Reference):
    """The longest entry of the vocab at each place: no merges at all."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return replace(tokenizer, model=_Longest(tokenizer.model.vocab))


class _Longest(VocabModel):
    """Greedy search; what the vocab does not have is dropped."""

    def __init__(self, vocab: Mapping[str, int]) -> None:
        super().__init__(vocab)
        self._most = max(map(len, vocab))

    def tokenize(self, text: str) -> list[Token]:
        tokens: list[Token] = []
        start = 0
        while start < len(text):
            for stop in range(min(len(text), start + self._most), start, -1):
                if (token_id := self.vocab.get(text[start:stop])) is not None:
                    tokens.append(Token(token_id, text[start:stop], (start, stop)))
                    break
            else:
                stop = start + 1
            start = stop
        return tokens


class GlyphBytes(Reference):
    """The glyphs of the vocab are read as text: what is not ASCII is looked up as it is, not by its bytes."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        steps = [_Glyphs() if isinstance(step, ByteLevel) else step for step in tokenizer.pre_tokenizers]
        return replace(tokenizer, pre_tokenizers=tuple(steps))


class _Glyphs:
    """ASCII by the byte table, everything else as it is."""

    def pre_tokenize(self, splits: Sequence[Split]) -> list[Split]:
        return [part if part.tokens is not None else Split(_glyphs(part.normalized)) for part in splits]


def _glyphs(normalized: NormalizedString) -> NormalizedString:
    text = "".join(to_byte_characters(one.encode()) if one.isascii() else one for one in normalized.text)
    return NormalizedString(text, normalized.original_start, normalized.alignments)


class UnknownDropped(Official):
    """The unknown token is left out."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, spans = super().encode_with_offsets(text, add_special_tokens)
        unknown = self.tokenizer.token_to_id("<unk>")
        kept = [index for index, token_id in enumerate(ids) if token_id != unknown]
        return [ids[i] for i in kept], [tokens[i] for i in kept], [spans[i] for i in kept]


class PieceUnknownDropped(Reference):
    """The unknown piece is left out."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, spans = super().encode_with_offsets(text, add_special_tokens)
        unknown = table_of(self.tokenizer).unk_id
        kept = [index for index, token_id in enumerate(ids) if token_id != unknown]
        return [ids[i] for i in kept], [tokens[i] for i in kept], [spans[i] for i in kept]


class WorstScores(Reference):
    """The sign of the scores is wrong."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return with_pieces(tokenizer, score=-1.0)


class EqualScores(Reference):
    """Scores are read as 0: the fewest pieces win."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return with_pieces(tokenizer, score=0.0)


class SymbolsAreNormal(Reference):
    """User-defined symbols are pieces like others: other pieces may reach into them."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return with_pieces(tokenizer, {PieceType.USER_DEFINED: PieceType.NORMAL})


class ControlsMatchText(Reference):
    """Control pieces are found in the text: `</s>` in a prompt ends it."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return with_pieces(tokenizer, {PieceType.CONTROL: PieceType.USER_DEFINED})


class NoBytePieces(Reference):
    """Bytes do not fall back: unknown characters become the unknown piece."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        table = table_of(tokenizer)
        assert table.byte_fallback, "bytes do not fall back in this model"
        pieces = [
            replace(piece, type=PieceType.CONTROL) if piece.type is PieceType.BYTE else piece for piece in table.pieces
        ]
        return replace(tokenizer, model=type(tokenizer.model)(PieceTable(pieces, False, "", table.special)))
