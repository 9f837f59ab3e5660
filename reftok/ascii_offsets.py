"""The tokens of ASCII text with their offsets, from the words that a model with bytes remembers: a fast twin.

Where every stage before the model hands each character on as one, what the tokens cover is told by their lengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, count, pairwise, repeat
from typing import TYPE_CHECKING

import regex

from reftok.byte_level import to_byte_characters
from reftok.models.merging_model import MergingModel
from reftok.normalizers import UnicodeForm
from reftok.patterns import compile_oniguruma, pattern_matches
from reftok.pretokenizers import GPT2_PATTERN, ByteLevel, Split
from reftok.stages import PreTokenizer
from reftok.types import Encoding

if TYPE_CHECKING:
    from reftok.tokenizer import Tokenizer


def ascii_encoding(tokenizer: Tokenizer, text: str, sequence_id: int = 0) -> Encoding | None:
    """What `reftok.trace.to_encoding` makes of the text; None where that has to be asked.

    >>> import reftok
    >>> ascii_encoding(reftok.load("bpe-qwen"), "Hello world").offsets
    [(0, 1), (1, 5), (5, 7), (7, 9), (9, 11)]
    """
    model, pattern = tokenizer.model, byte_level_pattern(tokenizer.pre_tokenizers)
    if not text.isascii() or tokenizer.library == "llama.cpp" or pattern is None or not isinstance(model, MergingModel):
        return None
    if not all(isinstance(step, UnicodeForm) for step in tokenizer.normalizers) or _has_added_token(tokenizer, text):
        return None
    ids_of_words = [*map(model.ids_of_raw.__getitem__, _words(pattern, text))]
    ids = [*chain.from_iterable(ids_of_words)]
    tokens = [model.id_to_token(token_id) or "" for token_id in ids]
    if "".join(tokens) != to_byte_characters(text.encode()):
        return None
    ends = [*accumulate(map(len, tokens), initial=0)]
    offsets = [*pairwise(ends)]
    word_ids: list[int | None] = [*chain.from_iterable(map(repeat, count(), map(len, ids_of_words)))]
    size = len(ids)
    ranges = {sequence_id: (0, size)}
    return Encoding(ids, tokens, offsets, [0] * size, word_ids, [sequence_id] * size, sequence_ranges=ranges)


def byte_level_pattern(steps: Sequence[PreTokenizer]) -> regex.Pattern[str] | None:
    """The pattern by which text is cut into words before it is written in bytes, None where more is done to it."""
    match steps:
        case (Split(regex.Pattern() as pattern, "Isolated", _), ByteLevel(False, False)):
            return pattern
        case (ByteLevel(False, True),):
            return compile_oniguruma(GPT2_PATTERN)
    return None


def _words(pattern: regex.Pattern[str], text: str) -> list[str]:
    from reftok.streaming.matching.patterns import stream_matches

    matcher = stream_matches(pattern)
    pieces = matcher.pieces(text), matcher.last_pieces()
    if text and all(are_matches is None or all(are_matches) for _, are_matches in pieces):
        return [word for texts, _ in pieces for word in texts if word]
    return [text[start:end] for start, end, _ in pattern_matches(pattern, text) if start < end]


def _has_added_token(tokenizer: Tokenizer, text: str) -> bool:
    patterns = tokenizer.added_tokens.raw_pattern, tokenizer.added_tokens.normalized_pattern
    return any(next(pattern.find(text), None) is not None for pattern in patterns if pattern is not None)
