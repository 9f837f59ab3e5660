"""The tokens of a text with their offsets, from the words that a byte-level model remembers: a fast twin.

Where every stage before the model hands each character on as one, what the tokens cover is told by how many bytes each
has.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, count, islice, repeat
from typing import TYPE_CHECKING

import regex

from reftok.byte_level import to_byte_characters
from reftok.models.merging_model import MergingModel
from reftok.normalizers import UnicodeForm
from reftok.patterns import compile_oniguruma, pattern_matches
from reftok.pretokenizers import GPT2_PATTERN, ByteLevel, Split
from reftok.stages import Normalizer, PreTokenizer
from reftok.types import Encoding, Span
from reftok.unicode import is_normalized

if TYPE_CHECKING:
    from reftok.tokenizer import Tokenizer

_BEGINS_CHARACTER = bytes(byte & 0xC0 != 0x80 for byte in range(256))


def byte_level_encoding(tokenizer: Tokenizer, text: str, sequence_id: int = 0) -> Encoding | None:
    """What `reftok.trace.to_encoding` makes of the text; None where that has to be asked.

    >>> import reftok
    >>> byte_level_encoding(reftok.load("bpe-qwen"), "Hé ☃").offsets
    [(0, 1), (1, 2), (2, 4), (3, 4), (3, 4)]
    """
    model, pattern = tokenizer.model, byte_level_pattern(tokenizer.pre_tokenizers)
    if tokenizer.library == "llama.cpp" or pattern is None or not isinstance(model, MergingModel):
        return None
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return None
    if not all(_keeps(step, text) for step in tokenizer.normalizers) or _has_added_token(tokenizer, text):
        return None
    ids_of_words = [*map(model.ids_of_raw.__getitem__, _words(pattern, text))]
    ids = [*chain.from_iterable(ids_of_words)]
    tokens = [*map(model.tokens.__getitem__, ids)]
    if "".join(tokens) != to_byte_characters(data):
        return None
    offsets = _offsets(tokens, data)
    word_ids: list[int | None] = [*chain.from_iterable(map(repeat, count(), map(len, ids_of_words)))]
    size = len(ids)
    ranges = {sequence_id: (0, size)}
    return Encoding(ids, tokens, offsets, [0] * size, word_ids, [sequence_id] * size, sequence_ranges=ranges)


def _keeps(step: Normalizer, text: str) -> bool:
    """Whether a normalizer surely leaves the text as it is."""
    return isinstance(step, UnicodeForm) and is_normalized(step.form, text)


def _offsets(tokens: Sequence[str], data: bytes) -> list[Span]:
    """The characters that tokens have bytes of, by the bytes of the whole text."""
    ends = [*accumulate(map(len, tokens))]
    starts = chain((0,), ends[:-1])
    if data.isascii():
        return [*zip(starts, ends, strict=False)]
    begins = data.translate(_BEGINS_CHARACTER)
    character_at = [*accumulate(islice(begins, 1, None), initial=0)]
    count_before = [*accumulate(begins, initial=0)]
    return [*zip(map(character_at.__getitem__, starts), map(count_before.__getitem__, ends), strict=False)]


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
