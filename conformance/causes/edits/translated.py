"""A split that takes some characters for others, as a table of another Unicode version or one made by hand does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import regex

from reftok.regex_dialects.pattern import Pattern, compile_oniguruma
from reftok.rules.huggingface import pre_tokenizers
from reftok.rules.huggingface.pre_tokenizers import GPT2_PATTERN, ByteLevel, Metaspace
from reftok.rules.patterns import pattern_matches
from reftok.rules.stages import PreTokenizer
from reftok.rules.text import Behavior, NormalizedString, Part, resplit
from reftok.unicode.characters import NONCHARACTER, as_of_16

_CLASSES = (
    ("\\p{L}", "letters", "\ua000"),
    ("\\p{N}", "numbers", "\u0663"),
    ("\\s", "white space", "\u2003"),
)
"""As in a pattern, in words, and a member that no pattern names."""


@dataclass(frozen=True, slots=True, eq=False)
class TranslatedSplit:
    """Split where some characters are taken for others; table: as `str.translate` takes it, of single characters.

    It is no Split itself, so that no fast path of Split takes its place.
    """

    pattern: Pattern
    behavior: Behavior
    invert: bool
    table: Mapping[int, str]

    def pre_tokenize(self, splits: Sequence[Part]) -> list[Part]:
        return resplit(splits, self._cut)

    def _cut(self, normalized: NormalizedString) -> list[NormalizedString]:
        matches = pattern_matches(self.pattern, normalized.text.translate(self.table))
        if self.invert:
            matches = [(start, end, not matched) for start, end, matched in matches]
        return normalized.split(matches, self.behavior)


def in_other_classes(pattern: str, characters: str) -> Iterator[tuple[str, dict[int, str]]]:
    r"""Rule, and what to take characters for, for each class of a pattern that they could be thought in, or not in.

    The classes are those of Unicode 16, as in the library.

    >>> rules = dict(in_other_classes(r"\p{L}+|\s+", "\u00e9"))
    >>> {rule: ascii(table[0xE9]) for rule, table in rules.items()}  # doctest: +NORMALIZE_WHITESPACE
    {'\\p{L} is not all letters': "'\\U0010ffff'", 'other characters count as white space': "'\\u2003'"}
    """
    for name, plural, member in _CLASSES:
        if name not in pattern:
            continue
        members = regex.findall(name, as_of_16(characters))
        if members:
            yield f"{name} is not all {plural}", dict.fromkeys(map(ord, members), NONCHARACTER)
        others = [ord(character) for character in characters if character not in members]
        if others:
            yield f"other characters count as {plural}", dict.fromkeys(others, member)


@dataclass(frozen=True, slots=True, eq=False)
class TranslatedStep:
    """A step that only cuts, and takes some characters for others; table: as of TranslatedSplit.

    >>> splits = [Part(NormalizedString("a_b c"))]
    >>> step = TranslatedStep(pre_tokenizers.WhitespaceSplit(), {ord("_"): " "})
    >>> [split.normalized.text for split in step.pre_tokenize(splits)]
    ['a', 'b', 'c']
    """

    step: PreTokenizer
    table: Mapping[int, str]

    def pre_tokenize(self, splits: Sequence[Part]) -> list[Part]:
        return resplit(splits, self._cut)

    def _cut(self, normalized: NormalizedString) -> list[NormalizedString]:
        parts = self.step.pre_tokenize([Part(NormalizedString(normalized.text.translate(self.table)))])
        spans = (part.normalized.original_span(0, len(part.normalized)) for part in parts)
        return [normalized.slice(*span) for span in spans]


_BY_WHITE_SPACE = (
    pre_tokenizers.BertPreTokenizer,
    pre_tokenizers.Whitespace,
    pre_tokenizers.WhitespaceSplit,
)
_BY_CLASS = (*_BY_WHITE_SPACE, pre_tokenizers.Digits, pre_tokenizers.Punctuation, pre_tokenizers.UnicodeScripts)


def with_split_apart(step: PreTokenizer) -> tuple[PreTokenizer, ...]:
    """A step, or those that do the same where it has a pattern of its own.

    >>> [type(part).__name__ for part in with_split_apart(ByteLevel(add_prefix_space=False, use_regex=True))]
    ['Split', 'ByteLevel']
    """
    if not isinstance(step, ByteLevel) or not step.use_regex:
        return (step,)
    split = pre_tokenizers.Split(compile_oniguruma(GPT2_PATTERN), "Isolated", False)
    prefix = (Metaspace(" ", "always", False),) if step.add_prefix_space else ()
    return *prefix, split, ByteLevel(add_prefix_space=False, use_regex=False)


def splits_by_white_space(step: PreTokenizer) -> bool:
    r"""Whether a step asks what is white space; of a pattern, whether it has `\s`."""
    pattern = getattr(step, "pattern", None)
    return isinstance(step, _BY_WHITE_SPACE) or (isinstance(pattern, Pattern) and "\\s" in pattern.source.lower())


def splits_by_class(step: PreTokenizer) -> bool:
    """Whether a step asks what a character is."""
    return isinstance(step, _BY_CLASS) or isinstance(getattr(step, "pattern", None), Pattern)


def with_other_splits(
    steps: Sequence[PreTokenizer],
    is_other: Callable[[PreTokenizer], bool] = lambda step: False,
    other: Callable[[PreTokenizer], PreTokenizer] = lambda step: step,
) -> tuple[PreTokenizer, ...]:
    """The steps with their patterns apart, and some of them otherwise."""
    parts = (part for step in steps for part in with_split_apart(step))
    return tuple(other(part) if is_other(part) else part for part in parts)
