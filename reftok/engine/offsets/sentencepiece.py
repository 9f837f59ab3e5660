"""The tokens of a text with their offsets, from the ids of a sentencepiece model: a fast twin.

The ids tell how long each piece is, so that where it ends in the normalized text is a running sum; the normalizer tells
where that was in the original.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, TypeAlias

from reftok.spec.sentencepiece.bpe import SentencePieceBPE
from reftok.spec.sentencepiece.model import PieceModel
from reftok.spec.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.spec.sentencepiece.unigram import SentencePieceUnigram
from reftok.spec.sentencepiece.words import SentencePieceChar
from reftok.spec.text import refuse_expansion
from reftok.spec.types import Encoding, Span

if TYPE_CHECKING:
    from reftok.tokenizer import Tokenizer

Columns: TypeAlias = tuple[list[int], list[str], list[Span]]
"""Ids, tokens and offsets, one element a token."""

_STREAMED_AS_THEY_ARE = (SentencePieceBPE, SentencePieceChar, SentencePieceUnigram)
"""Models whose ids tell how long most tokens are; a class that is derived from one may segment otherwise."""


def sentencepiece_encoding(tokenizer: Tokenizer, text: str) -> Encoding | None:
    """What `reftok.spec.trace.to_encoding` makes of the text; None where that has to be asked.

    text: with lone surrogates for bytes that are not UTF-8.

    >>> import reftok
    >>> sentencepiece_encoding(reftok.load("spm-unigram-bytes"), "a ☃").offsets
    [(0, 1), (1, 2), (2, 2), (2, 2), (2, 3)]
    """
    model, stages = tokenizer.model, (*tokenizer.normalizers, *tokenizer.pre_tokenizers)
    normalizer = stages[0] if len(stages) == 1 else None
    if not isinstance(normalizer, SentencePieceNormalizer) or not isinstance(model, PieceModel):
        return None
    if tokenizer.added_tokens.tokens:
        return None
    normalized, origins = normalizer.rewrite(text)
    refuse_expansion(len(normalized), len(text))
    ids, tokens, offsets = _from_ids(tokenizer, model, normalized, origins) or _plainly(model, normalized, origins)
    size = len(ids)
    return Encoding(ids, tokens, offsets, [0] * size, [0] * size, [0] * size, sequence_ranges={0: (0, size)})


def _from_ids(tokenizer: Tokenizer, model: PieceModel, text: str, origins: Sequence[int]) -> Columns | None:
    """None where the ids do not tell how long each token is."""
    if type(model) not in _STREAMED_AS_THEY_ARE:
        return None
    chain = tokenizer.encoding_states.chain(tokenizer)
    ids = chain.of_normalized(text)
    tokenizer.encoding_states.idle.append(chain)
    spelling = model.table.spelling
    tokens = spelling.tokens(ids, text)
    if tokens is None:
        return None
    lengths = spelling.lengths(ids, tokens)
    if sum(lengths) != len(text):
        return None
    return ids, tokens, [*pairwise(map(origins.__getitem__, accumulate(lengths, initial=0)))]


def _plainly(model: PieceModel, text: str, origins: Sequence[int]) -> Columns:
    tokens = model.tokenize(text)
    spans = (token.span_normalized for token in tokens)
    offsets = [(origins[start], origins[end]) for start, end in spans]
    return [token.id for token in tokens], [token.value for token in tokens], offsets
