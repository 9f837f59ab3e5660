"""The pre-tokenizers as cuts at matches and as rewritings, and up to where these are final."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import regex

from reftok.regex_dialects.pattern import compile_oniguruma
from reftok.rules.byte_level import to_byte_characters
from reftok.rules.huggingface import pre_tokenizers as rules
from reftok.rules.llama_cpp import pre_tokenizers as llama
from reftok.rules.llama_cpp.characters import CLASSES, folded
from reftok.rules.llama_cpp.wpm import BertWords, stands_alone
from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL
from reftok.rules.stages import PreTokenizer
from reftok.rules.text import Behavior, NormalizedString, Part
from reftok.rules.types import Span
from reftok.streams.cuts.patterns import Cuts, Rewrite, at_pattern
from reftok.unicode.characters import WHITE_SPACE, is_numeric, is_punctuation

Steps: TypeAlias = list[Cuts | Rewrite]

_NUMBERS = regex.compile(f"[{CLASSES['N']}]+")


def _each(is_delimiter: Callable[[str], bool], behavior: Behavior = "Isolated") -> Cuts:
    """Cuts at each character of a class."""
    return Cuts(
        lambda tail, *_: ([(i, i + 1) for i, character in enumerate(tail) if is_delimiter(character)], len(tail)),
        behavior,
    )


def _prefixed(prefix: Callable[[str], str], rewrite: Callable[[str], str] = str, only_first: bool = False) -> Rewrite:
    """A rewriting of each character, with a prefix before the text."""

    def rewritten(tail: str, before: str, ends: bool) -> tuple[str, int]:
        return rewrite(tail if before or not tail else prefix(tail) + tail), len(tail)

    return Rewrite(rewritten, only_first=only_first)


def _byte_level(step: rules.ByteLevel) -> Steps:
    space = [_prefixed(lambda tail: "" if tail.startswith(" ") else " ")] if step.add_prefix_space else []
    return [*space, *([at_pattern(compile_oniguruma(rules.GPT2_PATTERN))] if step.use_regex else []), *_bytes()]


def _bytes(_: object = None) -> Steps:
    return [_prefixed(lambda _: "", lambda text: to_byte_characters(text.encode("utf-8", "surrogatepass")))]


def _metaspace(step: rules.Metaspace) -> Steps:
    symbol, scheme = step.replacement, step.prepend_scheme
    rewriting = _prefixed(
        lambda tail: "" if scheme == "never" or tail.startswith((" ", symbol)) else symbol,
        lambda text: text.replace(" ", symbol),
        only_first=scheme == "first",
    )
    return [rewriting, *([at_pattern(symbol, "MergedWithNext")] if step.split else [])]


def _line_words(_: object) -> Steps:
    prefix = _prefixed(lambda tail: "" if tail.startswith((SPACE_SYMBOL, "\n")) else SPACE_SYMBOL)
    return [prefix, at_pattern(SPACE_SYMBOL, "MergedWithNext")]


def _digit_groups(tail: str, before: str, ends: bool) -> tuple[Sequence[Span], int]:
    """The groups of the runs of numbers that have ended: of three, counted from the end of the run."""
    spans: list[Span] = []
    for run in _NUMBERS.finditer(folded(tail)):
        start, end = run.span()
        if end == len(tail) and not ends:
            return spans, start
        spans += pairwise([start, *range(start + ((end - start) % 3 or 3), end + 1, 3)])
    return spans, len(tail)


def _at_the_end(step: PreTokenizer) -> Steps:
    """A pre-tokenizer that knows nothing before the end of a pre-token: what it makes of it are matches."""

    def matches(tail: str, before: str, ends: bool) -> tuple[Sequence[Span], int]:
        parts = step.pre_tokenize([Part(NormalizedString(tail))]) if ends else []
        starts = [(part.normalized.original_start, len(part.normalized)) for part in parts]
        return [(start, start + size) for start, size in starts], len(tail) if ends else 0

    return [Cuts(matches, "Removed", True, f"{type(step).__name__} is not streamed")]


_SPACES = _each(WHITE_SPACE.__contains__, "Removed")
PRE_TOKENIZERS: Mapping[type[Any], Callable[[Any], Steps]] = {
    rules.Split: lambda step: [at_pattern(step.pattern, step.behavior, step.invert)],
    rules.ByteLevel: _byte_level,
    rules.Whitespace: lambda _: [at_pattern(rules.WORDS, "Removed", invert=True)],
    rules.Metaspace: _metaspace,
    rules.WhitespaceSplit: lambda _: [_SPACES],
    rules.CharDelimiterSplit: lambda step: [_each(step.delimiter.__eq__, "Removed")],
    rules.Digits: lambda step: [_each(is_numeric, "Isolated" if step.individual_digits else "Contiguous")],
    rules.Punctuation: lambda step: [_each(is_punctuation, step.behavior)],
    rules.BertPreTokenizer: lambda _: [_SPACES, _each(is_punctuation)],
    BertWords: lambda _: [_SPACES, _each(stands_alone)],
    llama.RegexSplit: lambda step: [at_pattern(step.pattern, reading=step.read, whole=step.matches)],
    llama.ByteCharacters: _bytes,
    llama.LineWords: _line_words,
    # What stands before a run stays with its first group.
    llama.DigitGroups: lambda _: [Cuts(_digit_groups, "MergedWithPrevious")],
    **dict.fromkeys((rules.FixedLength, rules.UnicodeScripts, llama.ThousandsSplit), _at_the_end),
}
"""A pre-tokenizer as steps one after the other, by its class, which derived classes do not share.

>>> (digits,) = PRE_TOKENIZERS[rules.Digits](rules.Digits(individual_digits=True))
>>> digits.matches("a b1 ", "", False)
([(3, 4)], 5)
"""
