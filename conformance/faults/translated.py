"""A split that takes some characters for others, as a table of another Unicode version or one made by hand does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import regex

from reftok.spec.patterns import Pattern, pattern_matches
from reftok.spec.text import Behavior, NormalizedString, Split, resplit
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

    def pre_tokenize(self, splits: Sequence[Split]) -> list[Split]:
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
