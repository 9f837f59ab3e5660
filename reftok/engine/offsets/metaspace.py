"""The tokens of a text with their offsets, from the words that were seen before: a fast path.

Metaspace cuts before each space, WhitespaceSplit at all white space, and few normalizers look across it, so that the
plain way need be gone only once for each word with the white space before it. It gives the same whatever stands beside
the word where

- white space stays at its beginning, up to the pre-tokenizers, and no grapheme cluster reaches across;
- each normalizer rewrites it by itself. The exceptions are Strip, which has the ends of the text, and a Replace of
  several spaces, which must not find one at the end of a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, repeat
from operator import add

from reftok.engine.caches import MOST_CHARACTERS_OF_TOKENS, Results
from reftok.engine.offsets.byte_level import Columns, columns_of_parts, encoding_of, has_match
from reftok.rules.encodings import to_encoding
from reftok.rules.huggingface.normalizers import Lowercase, Precompiled, Replace, Strip, StripAccents, UnicodeForm
from reftok.rules.huggingface.pre_tokenizers import Metaspace, WhitespaceSplit
from reftok.rules.pipeline import Pipeline
from reftok.rules.stages import Normalizer, PreTokenizer
from reftok.rules.text import NormalizedString, Part
from reftok.rules.types import Encoding
from reftok.unicode.graphemes import graphemes

_SEVERAL_SPACES = (" {2,}", "\\ {2,}")
_BY_THEMSELVES = (UnicodeForm, Lowercase, Precompiled, StripAccents)
_MOST_GROWTH = 20
"""A word that becomes so many times as long is left to the plain rules, which bound the growth of the whole text."""


def metaspace_encoding(pipeline: Pipeline, words: Words, text: str, sequence_id: int = 0) -> Encoding | None:
    """The fast path of `Pipeline.tokens_of`; None where that has to be asked.

    words: those of the pipeline.

    >>> import reftok
    >>> pipeline = reftok.load("spm-unigram-hf").rules
    >>> metaspace_encoding(pipeline, Words(pipeline), "an ☃").offsets
    [(0, 2), (2, 3), (3, 4)]
    """
    if not words.are_independent:
        return None
    parts = pipeline.added_tokens.split_raw([Part(NormalizedString(text))], pipeline.encode_special_tokens)
    columns = columns_of_parts(parts, words.columns)
    return None if columns is None else encoding_of(columns, sequence_id)


@dataclass(frozen=True, slots=True)
class _Word:
    """The tokens of a word, where they begin and end, and word ids, as if nothing was before it.

    normalized: as the pre-tokenizers get it. parts: how many word ids there are.
    """

    normalized: str
    ids: Sequence[int]
    tokens: Sequence[str]
    begins: Sequence[int]
    ends: Sequence[int]
    word_ids: Sequence[int]
    parts: int


class Words:
    """The words of one tokenizer, those seen lately remembered.

    are_independent: whether its stages are such that a word may be encoded by itself.
    """

    def __init__(self, pipeline: Pipeline) -> None:
        self._added_tokens = pipeline.added_tokens.normalized_pattern
        self._tokenize = pipeline.model.tokenize
        self._normalizers = pipeline.normalizers
        self._pre_tokenizers = pipeline.pre_tokenizers
        self.are_independent = (
            pipeline.library == "tokenizers"
            and all(map(_rewrites_words, self._normalizers))
            and _cuts_before_spaces(self._pre_tokenizers)
        )
        before, self._cuts = self._beginnings()
        self._find = re.compile(rf"[{before}]*[^{before}]+(?:[{before}]+\Z)?|[{before}]+").findall
        self._within: Results[_Word | None] = Results(
            lambda word: self._encoded(word, is_first=False, is_last=False), characters=MOST_CHARACTERS_OF_TOKENS
        )
        self._last: Results[_Word | None] = Results(
            lambda word: self._encoded(word, is_first=False, is_last=True), characters=MOST_CHARACTERS_OF_TOKENS
        )

    def _beginnings(self) -> tuple[str, tuple[str, ...]]:
        """The white space that words are told by, and what the pre-tokenizers may be given in its place."""
        if WhitespaceSplit() in self._pre_tokenizers:
            return " \t\n\r", (*" \t\n\r",)
        return " ", (" ", *(step.replacement for step in self._pre_tokenizers if isinstance(step, Metaspace)))

    def columns(self, text: str, start: int, word_id: int) -> Columns | None:
        """The tokens of a part without added tokens; None where a word of it is not one whatever stands beside it.

        start: where it begins in the whole text, in code points; word_id: of its first word.
        """
        texts = self._find(text) or [""]
        found = [self._encoded(texts[0], is_first=True, is_last=len(texts) == 1, start=start)]
        found += map(self._within.__getitem__, texts[1:-1])
        found += map(self._last.__getitem__, texts[1:][-1:])
        words = [word for word in found if word is not None]
        if len(words) < len(found):
            return None
        if self._added_tokens and has_match(self._added_tokens, "".join([word.normalized for word in words])):
            return None
        sizes = [len(word.ids) for word in words]
        starts = [*_for_each_token(accumulate(map(len, texts), initial=start), sizes)]
        firsts = _for_each_token(accumulate([word.parts for word in words], initial=word_id), sizes)
        return (
            [*chain.from_iterable([word.ids for word in words])],
            [*chain.from_iterable([word.tokens for word in words])],
            [
                *zip(
                    map(add, chain.from_iterable([word.begins for word in words]), starts),
                    map(add, chain.from_iterable([word.ends for word in words]), starts),
                    strict=True,
                )
            ],
            [*map(add, chain.from_iterable([word.word_ids for word in words]), firsts)],
            sum(word.parts for word in words),
        )

    def _encoded(self, word: str, is_first: bool, is_last: bool, start: int = 1) -> _Word | None:
        """By the plain rules. start: of the word in the whole text; only that it is the first there counts."""
        shift = min(start, 1)
        normalized = self._normalized(NormalizedString(word, shift), is_first, is_last)
        if normalized is None:
            return None
        splits = [Part(normalized.slice(0, len(normalized)))]
        for step in self._pre_tokenizers:
            splits = step.pre_tokenize(splits)
        splits = [Part(part.normalized, tuple(self._tokenize(part.normalized.text))) for part in splits]
        encoding = to_encoding(splits)
        begins = [begin - shift for begin, _ in encoding.offsets]
        ends = [end - shift for _, end in encoding.offsets]
        word_ids = [one for one in encoding.word_ids if one is not None]
        return _Word(normalized.text, encoding.ids, encoding.tokens, begins, ends, word_ids, len(splits))

    def _normalized(self, word: NormalizedString, is_first: bool, is_last: bool) -> NormalizedString | None:
        """The word as the pre-tokenizers get it; None where what stands beside it may count."""
        size = len(word)
        if not is_last and graphemes(word.text + " ")[-1] != " ":
            return None
        for step in self._normalizers:
            text = word.text
            if not is_first and not text.startswith(self._cuts):
                return None
            if isinstance(step, Strip):
                word = Strip(step.strip_left and is_first, step.strip_right and is_last).normalize(word)
                if not word.text:
                    return None
            elif isinstance(step, Replace) and not is_last and text.endswith(" "):
                return None
            else:
                normalized = step.normalize(word)
                if isinstance(step, Precompiled) and is_first and _is_misaligned(word, normalized):
                    return None
                word = normalized
            if len(word) > _MOST_GROWTH * size:
                return None
        return word if is_first or word.text.startswith(self._cuts) else None


def _is_misaligned(before: NormalizedString, after: NormalizedString) -> bool:
    """Whether a removal may have been lost, which moves the offsets of the whole text."""
    return [end for _, end in after.spans()[-1:]] != [end for _, end in before.spans()[-1:]]


def _for_each_token(values: Iterable[int], sizes: Sequence[int]) -> Iterator[int]:
    """The value of each word, once for each of its tokens."""
    return chain.from_iterable(map(repeat, values, sizes))


def _rewrites_words(step: Normalizer) -> bool:
    if isinstance(step, Replace):
        if isinstance(step.pattern, str):
            return bool(step.pattern) and not any(map(str.isspace, step.pattern))
        return step.pattern.as_oniguruma() in _SEVERAL_SPACES
    return isinstance(step, (*_BY_THEMSELVES, Strip))


def _cuts_before_spaces(steps: Sequence[PreTokenizer]) -> bool:
    match steps:
        case (Metaspace(_, _, True),) | (WhitespaceSplit(), Metaspace()):
            return True
    return False
