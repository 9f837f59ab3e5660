"""The pre-tokenizers as cuts at matches, and up to where the matches are final."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TypeAlias

import regex

from reftok.regex_dialects.pattern import Pattern, compile_oniguruma
from reftok.rules.huggingface import pre_tokenizers as rules
from reftok.rules.llama_cpp import pre_tokenizers as llama
from reftok.rules.llama_cpp.characters import CLASSES, folded
from reftok.rules.llama_cpp.wpm import BertWords, stands_alone
from reftok.rules.patterns import literal_matches, pattern_matches
from reftok.rules.stages import PreTokenizer
from reftok.rules.text import Behavior, NormalizedString, Part
from reftok.rules.types import Match, Span
from reftok.streams.cuts.patterns import settled_matches
from reftok.unicode.characters import WHITE_SPACE, is_numeric, is_punctuation

Matches: TypeAlias = Callable[[str, bool], tuple[Sequence[Span], int]]
"""Given the beginning of a pre-token and whether it ends there: the final matches, and up to where it is decided."""

_NUMBERS = regex.compile(f"[{CLASSES['N']}]+")


@dataclass(frozen=True, slots=True)
class Cuts:
    """A stage that cuts pre-tokens at matches.

    behavior, invert: as of `Split`.
    why_uncut: why no match is final before the end of a pre-token, '' if some are.
    """

    matches: Matches
    behavior: Behavior = "Isolated"
    invert: bool = False
    why_uncut: str = ""


def cuts_of(pre_tokenizer: PreTokenizer) -> list[Cuts]:
    """A pre-tokenizer of `PRE_TOKENIZERS` as cuts one after the other, without what it does to the characters.

    >>> [cuts.matches("a b1 ", False) for cuts in cuts_of(rules.Digits(individual_digits=True))]
    [([(3, 4)], 5)]
    """
    match pre_tokenizer:
        case rules.Split(pattern, behavior, invert):
            return [at_pattern(pattern, behavior, invert)]
        case rules.ByteLevel(use_regex=True):
            return [at_pattern(compile_oniguruma(rules.GPT2_PATTERN))]
        case rules.Whitespace():
            return [at_pattern(rules.WORDS, "Removed", invert=True)]
        case llama.RegexSplit():
            return [at_pattern(pre_tokenizer.pattern, reading=pre_tokenizer.read, whole=pre_tokenizer.matches)]
        case rules.Metaspace(replacement, split=True):
            return [at_pattern(replacement, "MergedWithNext")]
        case rules.WhitespaceSplit():
            return [Cuts(_each(WHITE_SPACE.__contains__), "Removed")]
        case rules.CharDelimiterSplit(delimiter):
            return [Cuts(_each(delimiter.__eq__), "Removed")]
        case rules.Digits(individual_digits):
            return [Cuts(_each(is_numeric), "Isolated" if individual_digits else "Contiguous")]
        case rules.Punctuation(behavior):
            return [Cuts(_each(is_punctuation), behavior)]
        case rules.BertPreTokenizer():
            return [Cuts(_each(WHITE_SPACE.__contains__), "Removed"), Cuts(_each(is_punctuation))]
        case BertWords():
            return [Cuts(_each(WHITE_SPACE.__contains__), "Removed"), Cuts(_each(stands_alone))]
        case llama.DigitGroups():
            # What stands before a run stays with its first group.
            return [Cuts(_digit_groups, "MergedWithPrevious")]
        case rules.FixedLength() | rules.UnicodeScripts() | llama.ThousandsSplit():
            return [_at_the_end(pre_tokenizer, f"{type(pre_tokenizer).__name__} is not streamed")]
        case _:
            return []


PRE_TOKENIZERS = frozenset({
    rules.Split, rules.ByteLevel, rules.Whitespace, rules.Metaspace, rules.WhitespaceSplit, rules.CharDelimiterSplit,
    rules.Digits, rules.Punctuation, rules.BertPreTokenizer, rules.FixedLength, rules.UnicodeScripts, BertWords,
    llama.RegexSplit, llama.ByteCharacters, llama.DigitGroups, llama.ThousandsSplit,
})  # fmt: skip
"""The classes whose pre-tokenizers are known here; derived ones are not."""


def at_pattern(
    pattern: str | Pattern,
    behavior: Behavior = "Isolated",
    invert: bool = False,
    reading: Callable[[str], str] | None = None,
    whole: Callable[[str], list[Match]] | None = None,
) -> Cuts:
    """The cuts at a pattern or a string. whole: finds the matches in a text that ends, if not as the pattern does."""
    if isinstance(pattern, str):
        return Cuts(_literal(pattern), behavior, invert, "" if pattern else "'' matches before each character")
    found = settled_matches(pattern, reading)
    every = whole or partial(pattern_matches, pattern)

    def matches(text: str, ends: bool) -> tuple[Sequence[Span], int]:
        if ends:
            return [(start, end) for start, end, is_match in every(text) if is_match], len(text)
        return ([], 0) if isinstance(found, str) else found(text)

    return Cuts(matches, behavior, invert, found if isinstance(found, str) else "")


def _literal(literal: str) -> Matches:
    def matches(text: str, ends: bool) -> tuple[Sequence[Span], int]:
        if not literal and not ends:
            return [], 0
        spans = [(start, end) for start, end, is_match in literal_matches(text, literal) if is_match]
        # What may be the beginning of another match is not decided.
        settled = max(spans[-1][1] if spans else 0, len(text) - len(literal) + 1)
        while settled < len(text) and not literal.startswith(text[settled:]):
            settled += 1
        return spans, len(text) if ends else settled

    return matches


def _each(is_delimiter: Callable[[str], bool]) -> Matches:
    """Each character of a class."""
    return lambda text, _: ([(i, i + 1) for i, character in enumerate(text) if is_delimiter(character)], len(text))


def _digit_groups(text: str, ends: bool) -> tuple[Sequence[Span], int]:
    """The groups of the runs of numbers that have ended: of three, counted from the end of the run."""
    spans: list[Span] = []
    for run in _NUMBERS.finditer(folded(text)):
        start, end = run.span()
        if end == len(text) and not ends:
            return spans, start
        spans += pairwise([start, *range(start + ((end - start) % 3 or 3), end + 1, 3)])
    return spans, len(text)


def _at_the_end(step: PreTokenizer, why_uncut: str) -> Cuts:
    """A pre-tokenizer that knows nothing before the end of a pre-token: what it makes of it are matches."""

    def matches(text: str, ends: bool) -> tuple[Sequence[Span], int]:
        parts = step.pre_tokenize([Part(NormalizedString(text))]) if ends else []
        starts = [(part.normalized.original_start, len(part.normalized)) for part in parts]
        return [(start, start + size) for start, size in starts], len(text) if ends else 0

    return Cuts(matches, "Removed", invert=True, why_uncut=why_uncut)
