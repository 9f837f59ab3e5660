"""How much longer normalizers can make a text, whatever it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import inf, prod
from typing import Any

from reftok.spec.normalizers import (
    NFC,
    NFD,
    NFKC,
    NFKD,
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

_GROWTH: Mapping[type[Any], Callable[[Any], float]] = {
    **dict.fromkeys((Nmt, Strip, StripAccents), lambda _: 1),
    Lowercase: lambda _: 3,
    ByteLevel: lambda _: 4,
    **dict.fromkeys((UnicodeForm, NFC, NFD, NFKC, NFKD), lambda _: 18),
    BertNormalizer: lambda _: 3 * 3 * 4,
    Prepend: lambda step: 1 + len(step.prepend),
    # A pattern may match nothing, before each character and behind the last.
    Replace: lambda step: 1 + 2 * len(step.content),
    Precompiled: lambda step: max(1, step.charsmap.longest_replacement),
}
"""Lowercase: U+0130 becomes two code points, and none more than three. ByteLevel: bytes of UTF-8. UnicodeForm: U+FDFA
becomes 18 code points in NFKD, as many as any. BertNormalizer: spaces around a character, lower case, and NFD.
Of a class that is not here, derived ones too, nothing is known."""


def may_grow_too_much(normalizers: Iterable[Normalizer]) -> bool:
    """Whether there can be a text that `reftok.spec.text.refuse_expansion` refuses behind one of them.

    >>> may_grow_too_much([Prepend("▁"), Replace(" ", "▁")]), may_grow_too_much([Replace(" ", 1000 * "▁")])
    (False, True)
    """
    return prod(map(most_growth, normalizers)) > MOST_GROWTH


def most_growth(normalizer: Normalizer) -> float:
    """How many times as long it makes a text at most, and at least 1."""
    return _GROWTH.get(type(normalizer), lambda _: inf)(normalizer)
