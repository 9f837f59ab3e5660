"""Where a text can be cut for a normalization form, and the two sides normalized apart.

There are two kinds of such places. Before a character whose full decomposition begins with a starter that composes with
nothing before it: marks are sorted up to it and no further, and it begins anew whatever state composition is in. And
behind a character whose full decomposition ends with a starter that composes with nothing at all: no mark is sorted
before it, and it blocks the way to every starter before it. Where nothing is composed every starter will do. Source of
the forms: Unicode Standard Annex #15, with the first rule.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import pairwise

from reftok.unicode.characters import Form, combining_class, composition, decomposition

BEGINS, ENDS = 1, 2
"""Flags of a character: the text can be cut before it, behind it."""

_LAST_WITH_COMPOSITION = 0x2FFFF
_LEADING_JAMO, _VOWEL_JAMO, _TRAILING_JAMO = range(0x1100, 0x1113), range(0x1161, 0x1176), range(0x11A8, 0x11C3)
_SYLLABLES_WITHOUT_TRAILING_JAMO = range(0xAC00, 0xD7A4, 28)
"""Source: the Unicode Standard, section 3.12, Conjoining Jamo Behavior."""


class _Boundaries(dict[str, int]):
    """For each character BEGINS, ENDS, both or 0."""

    def __init__(self, form: Form) -> None:
        super().__init__()
        self._compatible = "K" in form
        self._firsts, self._seconds = _composing() if form.endswith("C") else (frozenset[str](), frozenset[str]())

    def __missing__(self, character: str) -> int:
        decomposed = decomposition(character, self._compatible)
        first, last = decomposed[0], decomposed[-1]
        begins = not combining_class(first) and first not in self._seconds
        ends = not combining_class(last) and last not in self._firsts and last not in self._seconds
        found = self[character] = BEGINS * begins + ENDS * ends
        return found


@cache
def boundaries(form: Form) -> _Boundaries:
    r"""Where a text can be cut for a form, by character.

    >>> [boundaries("NFC")[character] for character in "a \u0301"], boundaries("NFD")["a"]
    ([1, 3, 0], 3)
    """
    return _Boundaries(form)


@cache
def _composing() -> tuple[frozenset[str], frozenset[str]]:
    """The characters that compose with one behind them, and those that compose with one before them."""
    firsts = {*map(chr, _LEADING_JAMO), *map(chr, _SYLLABLES_WITHOUT_TRAILING_JAMO)}
    seconds = {*map(chr, _VOWEL_JAMO), *map(chr, _TRAILING_JAMO)}
    for decomposed in filter(None, map(unicodedata.decomposition, map(chr, range(_LAST_WITH_COMPOSITION + 1)))):
        parts = decomposed.split()
        if len(parts) == 2 and parts[0][0] != "<":
            first_character, second_character = (chr(int(part, 16)) for part in parts)
            if composition(first_character, second_character) is not None:
                firsts.add(first_character)
                seconds.add(second_character)
    return frozenset(firsts), frozenset(seconds)


def segments(form: Form, text: str) -> list[str]:
    r"""The text, cut wherever that can be.

    >>> segments("NFC", "ae\u0301 b")
    ['a', 'e\u0301', ' ', 'b']
    """
    kinds = [*map(boundaries(form).__getitem__, text)]
    places = [place for place, (one, other) in enumerate(pairwise(kinds), 1) if other & BEGINS or one & ENDS]
    return [text[start:end] for start, end in pairwise((0, *places, len(text)))]
