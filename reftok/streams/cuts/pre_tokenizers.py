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
from reftok.rules.patterns import Match, literal_matches, pattern_matches
from reftok.rules.stages import PreTokenizer
from reftok.rules.text import Behavior
from reftok.rules.types import Span
from reftok.streams.cuts.patterns import SettledMatches, settled_matches
from reftok.unicode.characters import WHITE_SPACE, is_numeric, is_punctuation, script

Matches: TypeAlias = Callable[[str, bool], tuple[Sequence[Span], int]]
"""Given the beginning of a pre-token and whether it ends there: the final matches, and up to where it is decided."""

_NUMBERS = regex.compile(f"[{CLASSES['N']}]+")
_DIGITS = regex.compile("[0-9]+")


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
        case rules.FixedLength(length):
            return [Cuts(_of_length(length))]
        case rules.UnicodeScripts():
            return [Cuts(_scripts, "Removed", invert=True)]
        case llama.DigitGroups():
            # What stands before a run stays with its first group.
            return [Cuts(lambda text, ends: _groups(_NUMBERS, folded(text), ends, first=1), "MergedWithPrevious")]
        case llama.ThousandsSplit():
            # What stands behind a run stays with its last group.
            return [Cuts(lambda text, ends: _groups(_DIGITS, text, ends, first=3), "MergedWithNext")]
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
    if isinstance(pattern, str) and pattern:
        return Cuts(_literal(pattern), behavior, invert)
    if isinstance(pattern, str):
        found: SettledMatches | str = "an empty string matches before each character"
        every = partial(literal_matches, literal=pattern)
    else:
        found, every = settled_matches(pattern, reading), whole or partial(pattern_matches, pattern)

    def matches(text: str, ends: bool) -> tuple[Sequence[Span], int]:
        if ends:
            return [(start, end) for start, end, is_match in every(text) if is_match], len(text)
        return ([], 0) if isinstance(found, str) else found(text)

    return Cuts(matches, behavior, invert, found if isinstance(found, str) else "")


def _literal(literal: str) -> Matches:
    def matches(text: str, ends: bool) -> tuple[Sequence[Span], int]:
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


def _of_length(length: int) -> Matches:
    def matches(text: str, ends: bool) -> tuple[Sequence[Span], int]:
        settled = len(text) // length * length
        return [(start, start + length) for start in range(0, settled, length)], len(text) if ends else settled

    return matches


def _scripts(text: str, ends: bool) -> tuple[Sequence[Span], int]:
    """The runs of one script; what has no script goes with the run before it."""
    starts: list[int] = []
    previous = None
    for place, character in enumerate(text):
        here = script(character)
        if here is not None and here != previous:
            starts.append(place)
            previous = here
    spans = [*pairwise([*starts, len(text)])]
    return (spans, len(text)) if ends else (spans[:-1], starts[-1] if starts else 0)


def _groups(numbers: regex.Pattern[str], text: str, ends: bool, first: int) -> tuple[Sequence[Span], int]:
    """The groups of three in runs of numbers that have ended, counted from the end; a shorter group from size `first`."""
    spans: list[Span] = []
    for run in numbers.finditer(text):
        start, end = run.span()
        if end == len(text) and not ends:
            return spans, start
        size = (end - start) % 3
        spans += [(start, start + size)] * (size >= first)
        spans += [(place, place + 3) for place in range(start + size, end, 3)]
    return spans, len(text)
