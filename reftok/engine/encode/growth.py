"""How much longer normalizers can make a text, whatever it is."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, prod

from reftok.spec.normalizers import (
    BertNormalizer,
    ByteLevel,
    Lowercase,
    Nmt,
    Precompiled,
    Prepend,
    Replace,
    Strip,
    StripAccents,
    UnicodeForm,
)
from reftok.spec.stages import Normalizer
from reftok.spec.text import MOST_GROWTH

_OF_CLASS: dict[type[Normalizer], int] = {
    Nmt: 1,
    Strip: 1,
    StripAccents: 1,
    Lowercase: 3,
    ByteLevel: 4,
    UnicodeForm: 18,
    BertNormalizer: 3 * 3 * 4,
}
"""Lowercase: U+0130 becomes two code points, and none more than three. ByteLevel: bytes of UTF-8. UnicodeForm: U+FDFA
becomes 18 code points in NFKD, as many as any. BertNormalizer: spaces around a character, lower case, and NFD."""


def may_grow_too_much(normalizers: Iterable[Normalizer]) -> bool:
    """Whether there can be a text that `reftok.spec.text.refuse_expansion` refuses behind one of them.

    >>> may_grow_too_much([Prepend("▁"), Replace(" ", "▁")]), may_grow_too_much([Replace(" ", 1000 * "▁")])
    (False, True)
    """
    return prod(map(most_growth, normalizers)) > MOST_GROWTH


def most_growth(normalizer: Normalizer) -> float:
    """How many times as long it makes a text at most, and at least 1."""
    for known, growth in _OF_CLASS.items():
        if isinstance(normalizer, known):
            return growth
    if isinstance(normalizer, Prepend):
        return 1 + len(normalizer.prepend)
    if isinstance(normalizer, Replace):
        # A pattern may match nothing, before each character and behind the last.
        return 1 + 2 * len(normalizer.content)
    if isinstance(normalizer, Precompiled):
        return max(1, normalizer.charsmap.longest_replacement)
    return inf
