"""The tokens of a text with their offsets, from the words that a byte-level model remembers: a fast path.

Where every stage behind the normalizers hands each character on as one, what the tokens cover is told by how many
characters begin in each of them; where the normalizers moved these, by the alignment of their text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, chain, count, repeat, starmap
from operator import sub
from typing import Any, TypeAlias

from reftok.engine.bpe.fast_bpe import FastBPE, FastMerging, FastRankBPE
from reftok.engine.encode.encoder import Encoder
from reftok.engine.patterns.streamable import Streamable, streamable
from reftok.regex_dialects.pattern import Pattern, compile_oniguruma
from reftok.rules import text as texts
from reftok.rules.byte_level import to_byte_characters
from reftok.rules.huggingface.added_tokens import AddedTokenPattern
from reftok.rules.huggingface.normalizers import UnicodeForm
from reftok.rules.huggingface.pre_tokenizers import GPT2_PATTERN, ByteLevel, Split
from reftok.rules.patterns import pattern_matches
from reftok.rules.pipeline import Pipeline
from reftok.rules.stages import Normalizer, PreTokenizer
from reftok.rules.types import Encoding, Span
from reftok.unicode.characters import is_normalized

Columns: TypeAlias = tuple[list[int], list[str], list[Span], list[int | None], int]
"""Ids, tokens, offsets and word ids, one element a token; and how many words there are, those without tokens too."""


def byte_level_encoding(encoder: Encoder, pipeline: Pipeline, text: str, sequence_id: int = 0) -> Encoding | None:
    """The fast path of `Pipeline.tokens_of`; None where that has to be asked.

    pipeline: with the fast forms of its stages.

    >>> import reftok
    >>> engine = reftok.load("bpe-qwen").engine
    >>> byte_level_encoding(engine.encoder, engine.pipeline, "Hé ☃").offsets
    [(0, 1), (1, 2), (2, 4), (3, 4), (3, 4)]
    """
    cut = byte_level_pattern(pipeline.pre_tokenizers)
    model = encoder.model
    if cut is None or not isinstance(model, FastBPE | FastRankBPE):
        return None
    columns_of = partial(_columns, model, partial(_words, *cut))
    added_tokens = pipeline.added_tokens
    has_added = has_match(added_tokens.raw_pattern, text) or has_match(added_tokens.normalized_pattern, text)
    if has_added or not all(_keeps(step, text) for step in pipeline.normalizers):
        columns = columns_of_parts(pipeline.normalized(text), columns_of)
    else:
        columns = columns_of(text)
    return None if columns is None else encoding_of(columns, sequence_id)


def encoding_of(columns: Columns, sequence_id: int) -> Encoding:
    """The encoding that has these columns. sequence_id: 1 for the second text of a pair."""
    ids, tokens, offsets, word_ids, _ = columns
    size = len(ids)
    ranges = {sequence_id: (0, size)}
    return Encoding(ids, tokens, offsets, [0] * size, word_ids, [sequence_id] * size, sequence_ranges=ranges)


def _keeps(step: Normalizer, text: str) -> bool:
    """Whether a normalizer surely leaves the text, and each part of it, as it is."""
    return isinstance(step, UnicodeForm) and is_normalized(step.form, text)


def columns_of_parts(
    parts: Sequence[texts.Part], columns_of: Callable[[str, int, int], Columns | None]
) -> Columns | None:
    """The columns of parts of the text, of which some are added tokens; None where one cannot be told.

    columns_of: those of a text that begins at an offset, and of which the first word has an id. The offset is 0 for
        text that a normalizer moved: its spans are of that text, and the alignment leads them back to the original.
    """
    ids: list[int] = []
    tokens: list[str] = []
    offsets: list[Span] = []
    word_ids: list[int | None] = []
    word = 0
    for part in parts:
        if part.tokens is None:
            is_moved = part.normalized.alignments is not None
            columns = columns_of(part.normalized.text, 0 if is_moved else part.normalized.original_start, word)
            if columns is None:
                return None
            ids += columns[0]
            tokens += columns[1]
            offsets += starmap(part.normalized.original_span, columns[2]) if is_moved else columns[2]
            word_ids += columns[3]
            word += columns[4]
            continue
        for token in part.tokens:
            ids.append(token.id)
            tokens.append(token.value)
            offsets.append(part.normalized.original_span(*token.span_normalized))
            word_ids.append(word)
        word += 1
    return ids, tokens, offsets, word_ids, word


def _columns(
    model: FastMerging[Any], words_of: Callable[[str], list[str]], text: str, start: int = 0, first_word: int = 0
) -> Columns | None:
    """The tokens of a part without added tokens; None where they do not cover it.

    start: where it begins in the whole text, in code points; first_word: how many words there are before it.
    """
    ids_of_words = [*map(model.ids_of_raw.__getitem__, words_of(text))]
    ids = [*chain.from_iterable(ids_of_words)]
    tokens = [*map(model.tokens.__getitem__, ids)]
    if "".join(tokens) != to_byte_characters(text.encode()):
        return None
    word_ids: list[int | None] = [*chain.from_iterable(map(repeat, count(first_word), map(len, ids_of_words)))]
    return ids, tokens, _offsets(model, tokens, start, text.isascii()), word_ids, len(ids_of_words)


def _offsets(model: FastMerging[Any], tokens: Sequence[str], start: int, is_ascii: bool) -> list[Span]:
    """The characters that tokens have bytes of.

    A token that begins within a character begins where the one before it has not yet ended.
    """
    ends = [*accumulate(map(len if is_ascii else model.characters_begun.__getitem__, tokens), initial=start)]
    starts = ends[:-1]
    if not is_ascii:
        are_within = [*map(model.begins_within.__getitem__, tokens)]
        if True in are_within:
            starts = [*map(sub, starts, are_within)]
    return [*zip(starts, ends[1:], strict=True)]


def byte_level_pattern(steps: Sequence[PreTokenizer]) -> tuple[Pattern, bool] | None:
    """The pattern by which text is cut into words before it is written in bytes, None where more is done to it.

    And whether what it does not match is a word as well; else it is lost.
    """
    match steps:
        case (Split(Pattern() as pattern, "Isolated", _), ByteLevel(False, False)):
            return pattern, True
        case (Split(Pattern() as pattern, "Removed", True), ByteLevel(False, False)):
            return pattern, False
        case (ByteLevel(False, True),):
            return compile_oniguruma(GPT2_PATTERN), True
    return None


def _words(pattern: Pattern, keeps_gaps: bool, text: str) -> list[str]:
    how = streamable(pattern)
    if text and isinstance(how, Streamable):
        words, are_matches = how.decide_all(text, 0, -1)
        if are_matches is None:
            return words
        if all(are_matches):
            return [word for word in words if word]
    matches = pattern_matches(pattern, text)
    return [text[start:end] for start, end, is_match in matches if start < end and (is_match or keeps_gaps)]


def has_match(pattern: AddedTokenPattern | None, text: str) -> bool:
    """Whether an added token may be in the text."""
    return pattern is not None and next(pattern.find(text), None) is not None
