"""Mistakes in the models: reading their file, queues, caches, bytes, scores."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

from reftok.rules.huggingface.bpe import BPE
from reftok.rules.merging import MergeOf
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.bpe import SentencePieceBPE
from reftok.rules.sentencepiece.model import PieceModel
from reftok.rules.sentencepiece.pieces import BYTE_PIECES, PieceTable, PrefixMatcher, Segment
from reftok.rules.sentencepiece.unigram import SentencePieceUnigram
from reftok.rules.types import Token
from tests.planted_defects.official import Official
from tests.planted_defects.second.plain import Plain, Spans, of_class

SPACE = "Ġ"


class OtherModel(Plain):
    """The model is an object of a subclass."""

    damaged: type[BPE] | type[PieceModel]

    def changed(self, pipeline: Pipeline) -> Pipeline:
        return replace(pipeline, model=of_class(pipeline.model, self.damaged))


class _TiesFromTheRight(BPE):
    def tokenize(self, text: str) -> Sequence[Token]:
        symbols = self.symbols(text)
        bytes_before = [0, *accumulate(length for _, length in symbols)]
        character_at = [index for index, character in enumerate(text) for _ in character.encode("utf-8")]
        merged = _merged_from_the_right([token_id for token_id, _ in symbols], self.merge_of)
        ends = [*(bytes_before[index] for index, _ in merged), bytes_before[-1]]
        return [
            Token(token_id, self.tokens[token_id], (character_at[start], character_at[end - 1] + 1))
            for (_, token_id), (start, end) in zip(merged, pairwise(ends), strict=True)
        ]


def _merged_from_the_right(ids: Sequence[int], merge_of: MergeOf[int]) -> list[tuple[int, int]]:
    symbols = list(enumerate(ids))
    while True:
        pairs = ((merge_of(left[1], right[1]), -place) for place, (left, right) in enumerate(pairwise(symbols)))
        found = [(merge[0], place, merge[1]) for merge, place in pairs if merge is not None]
        if not found:
            return symbols
        _, minus, whole = min(found)
        symbols[-minus : 2 - minus] = [(symbols[-minus][0], whole)]


class TiesFromTheRight(OtherModel):
    """The queue is std::priority_queue with the larger index on top, so of equal merges the rightmost comes first."""

    damaged = _TiesFromTheRight


class CommentsInMerges(Official):
    """Every line of the merges that begins with # is skipped as a comment, not the first one alone."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        model["model"]["merges"] = [pair for pair in model["model"]["merges"] if not pair[0].startswith("#")]
        return model


class EscapesStay(Official):
    """The parser of the JSON file leaves the backslash before quotes and backslashes in the tokens."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        vocab, merges = model["model"]["vocab"], model["model"]["merges"]
        model["model"]["vocab"] = {_escaped(token): token_id for token, token_id in vocab.items()}
        # A quote alone is no token any more, so that no merge of one is ever reached.
        model["model"]["merges"] = [pair for pair in merges if _escaped("".join(pair)) == "".join(pair)]
        return model


def _escaped(token: str) -> str:
    return token.replace("\\", "\\\\").replace('"', '\\"')


class CacheWithoutSpace(Plain):
    """The cache of words is asked by the word without its space, so that it gives the ids of the first of the two."""

    def changed(self, pipeline: Pipeline) -> Pipeline:
        self.model = of_class(pipeline.model, _Remembering)
        self.model.words = {}
        return replace(pipeline, model=self.model)

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        self.model.words.clear()
        return super().encode_with_offsets(text, add_special_tokens)


class _Remembering(BPE):
    words: dict[str, Sequence[Token]]

    def tokenize(self, text: str) -> Sequence[Token]:
        word, size = text.removeprefix(SPACE), len(text)
        if word not in self.words:
            self.words[word] = super().tokenize(text)
        tokens = self.words[word]
        spans = [(min(start, size), min(end, size)) for start, end in (token.span_normalized for token in tokens)]
        return [replace(token, span_normalized=span) for token, span in zip(tokens, spans, strict=True)]


class _LowerCase(BPE):
    def byte_ids(self, character: str) -> list[int] | None:
        ids = [self.vocab.get(f"<0x{byte:02x}>") for byte in character.encode("utf-8")]
        return None if None in ids else [token_id for token_id in ids if token_id is not None]


class BytesInLowerCase(OtherModel):
    """The tokens of bytes are looked up with %02x, whose letters are small, so that most are not found."""

    damaged = _LowerCase


class _StaleMerges(SentencePieceBPE):
    def merged(self, text: str) -> tuple[list[str], dict[str, tuple[str, str]]]:
        symbols: list[str | None] = [*self.symbols(text)]
        queue: list[tuple[int, int, int]] = []

        def consider(left: int, right: int) -> None:
            first, second = symbols[left], symbols[right]
            if first is not None and second is not None and (found := self.merge_of(first, second)) is not None:
                queue.append((found[0], left, right))

        for place in range(len(symbols) - 1):
            consider(place, place + 1)
        while queue:
            _, left, right = queue.pop(queue.index(min(queue)))
            first, second = symbols[left], symbols[right]
            if first is None or second is None:
                continue
            symbols[left], symbols[right] = first + second, None
            before = next((place for place in range(left - 1, -1, -1) if symbols[place] is not None), None)
            after = next((place for place in range(right, len(symbols)) if symbols[place] is not None), None)
            if before is not None:
                consider(before, left)
            if after is not None:
                consider(left, after)
        return [symbol for symbol in symbols if symbol is not None], {}


class StaleMerges(OtherModel):
    """A queued merge is made where both symbols still stand, though one has grown and the whole may be no piece."""

    damaged = _StaleMerges


class BytesOfSurrogates(Plain):
    """Bytes fall back for each char of Java: a character beyond U+FFFF becomes the three bytes of each surrogate."""

    def changed(self, pipeline: Pipeline) -> Pipeline:
        return replace(pipeline, model=_with_table(pipeline, of_class(pipeline.piece_table(), _Surrogates)))


class _Surrogates(PieceTable):
    def _byte_tokens(self, text: str, start: int, end: int) -> list[Token]:
        units = text.encode("utf-16-be")
        parts = (units[place : place + 2].decode("utf-16-be", "surrogatepass") for place in range(0, len(units), 2))
        data = "".join(parts).encode("utf-8", "surrogatepass")
        tokens = [Token(self.byte_ids[byte], BYTE_PIECES[byte], (start, start)) for byte in data]
        return [*tokens[:-1], replace(tokens[-1], span_normalized=(start, end))]


class ShortestSymbol(Plain):
    """The symbols of the user are asked for from the shortest on, so that `<im` hides `<img>`."""

    def changed(self, pipeline: Pipeline) -> Pipeline:
        table = copy(pipeline.piece_table())
        table.matcher = of_class(table.matcher, _Shortest)
        return replace(pipeline, model=_with_table(pipeline, table))


class _Shortest(PrefixMatcher):
    def length_at(self, text: str, position: int) -> int:
        return min((len(symbol) for symbol in self.symbols if text.startswith(symbol, position)), default=0)


def _with_table(pipeline: Pipeline, table: PieceTable) -> PieceModel:
    assert isinstance(pipeline.model, PieceModel)
    model = copy(pipeline.model)
    model.table = table
    return model


class _LongestFirst(SentencePieceUnigram):
    def segments(self, text: str) -> Sequence[Segment]:
        segments: list[Segment] = []
        start = 0
        while start < len(text):
            end, token_id, _ = max(self.matches(text, start))
            segments.append((text[start:end], token_id))
            start = end
        return segments


class LongestFirst(OtherModel):
    """The longest piece that matches is taken each time, in place of the best path."""

    damaged = _LongestFirst


class ScoresUpToThePoint(Official):
    """The scores are read with strtod in a German locale, which ends a number at the point."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        model["model"]["vocab"] = [[piece, float(int(score))] for piece, score in model["model"]["vocab"]]
        return model
