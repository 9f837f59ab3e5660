"""The tokens of a text with their offsets, from the ids of a sentencepiece model: a fast path.

The ids tell how long each piece is, so that where it ends in the normalized text is a running sum; the normalizer tells
where that was in the original.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TypeAlias

from reftok.engine.encode.encoder import Encoder
from reftok.engine.offsets.piece_spelling import Spelling
from reftok.rules.bounds import refuse_expansion
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.bpe import SentencePieceBPE
from reftok.rules.sentencepiece.model import PieceModel
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.sentencepiece.unigram import SentencePieceUnigram
from reftok.rules.sentencepiece.words import SentencePieceChar
from reftok.rules.types import Encoding, Span

Columns: TypeAlias = tuple[list[int], list[str], list[Span]]
"""Ids, tokens and offsets, one element a token."""

_TOLD_BY_IDS = (SentencePieceBPE, SentencePieceChar, SentencePieceUnigram)
"""Models whose ids tell how long most tokens are; a class that is derived from one may segment otherwise."""


class SentencePieceOffsets:
    """The offsets of one sentencepiece model.

    encoder: tells the ids. pipeline: with the fast forms of its stages.
    """

    def __init__(self, encoder: Encoder, pipeline: Pipeline) -> None:
        stages = (*pipeline.normalizers, *pipeline.pre_tokenizers)
        self._encoder = encoder
        self._model = encoder.pipeline.model
        self._normalizer = stages[0] if len(stages) == 1 and not pipeline.added_tokens.tokens else None

    @cached_property
    def _spelling(self) -> Spelling:
        assert isinstance(self._model, PieceModel)
        table = self._model.table
        return Spelling([entry.piece for entry in table.pieces], table.text_ids, table.byte_ids, table.unk_id)

    def encoding(self, text: str) -> Encoding | None:
        """The fast path of `Pipeline.tokens_of`; None where that has to be asked.

        text: with lone surrogates for bytes that are not UTF-8.

        >>> import reftok
        >>> engine = reftok.load("spm-unigram-bytes").engine
        >>> SentencePieceOffsets(engine.encoder, engine.pipeline).encoding("a ☃").offsets
        [(0, 1), (1, 2), (2, 2), (2, 2), (2, 3)]
        """
        if not isinstance(self._normalizer, SentencePieceNormalizer) or not isinstance(self._model, PieceModel):
            return None
        normalized, origins = self._normalizer.rewrite(text)
        refuse_expansion(len(normalized), len(text))
        columns = self._from_ids(normalized, origins) or _from_tokens(self._model, normalized, origins)
        ids, tokens, offsets = columns
        size = len(ids)
        return Encoding(ids, tokens, offsets, [0] * size, [0] * size, [0] * size, sequence_ranges={0: (0, size)})

    def _from_ids(self, text: str, origins: Sequence[int]) -> Columns | None:
        """None where the ids do not tell how long each token is."""
        if type(self._model) not in _TOLD_BY_IDS:
            return None
        ids = self._encoder.ids_of_normalized(text)
        tokens = self._spelling.tokens(ids, text)
        if tokens is None:
            return None
        lengths = self._spelling.lengths(ids, tokens)
        if sum(lengths) != len(text):
            return None
        return ids, tokens, [*pairwise(map(origins.__getitem__, accumulate(lengths, initial=0)))]


def _from_tokens(model: PieceModel, text: str, origins: Sequence[int]) -> Columns:
    tokens = model.tokenize(text)
    spans = (token.span_normalized for token in tokens)
    offsets = [(origins[start], origins[end]) for start, end in spans]
    return [token.id for token in tokens], [token.value for token in tokens], offsets
