"""Characters to draw from: by general category, by block, by the age of Unicode, and those that give trouble."""

from __future__ import annotations

import unicodedata
from functools import cache

import regex

from conformance.generators.base import grouped
from reftok.unicode.characters import WHITE_SPACE, members, newer_than_16
from reftok.unicode.tables import INERT_IN_9

MOST_OF_A_CATEGORY = 4_000
_STRIDE = 97
"""Of what is not assigned at all, one code point in so many is enough."""

SPACES = "".join(sorted(WHITE_SPACE))
"""The property White_Space."""
NEARLY_SPACES = "\x00\x1c\x1d\x1e\x1f\u180e\u200b\u200c\u200d\u200e\u2060\ufeff\u3164\uffa0▁Ġ"
"""Characters that some take for white space, and are none."""
TROUBLE = "'’`\"-–—_/\\|<>[]{}()«»“”„…·•.,;:!?¿¡%‰$€₹¥#@&*+=~^°§¶\u00ad\u034f\u0345\u20dd\ufe0f\ufffd\x1b\x7f"
JOINERS = "\u200c\u200d"
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
CASES = "ſKÅẞßıİŉǅǆǇΐΣσςͅᾳᾼΩωμµﬁﬀﬃﬅևᲀᲴꭰᎠ𐐀𐐨ⅷⓐ"
"""Letters whose upper, lower or folded case is several, shared, or of another script."""

BLOCKS = (
    (0x20, 0x7E), (0xA0, 0xFF), (0x100, 0x24F), (0x250, 0x2FF), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x52F),
    (0x530, 0x58F), (0x590, 0x5FF), (0x600, 0x6FF), (0x700, 0x74F), (0x780, 0x7BF), (0x900, 0x97F), (0x980, 0x9FF),
    (0xA00, 0xA7F), (0xB00, 0xB7F), (0xB80, 0xBFF), (0xC00, 0xC7F), (0xC80, 0xCFF), (0xD00, 0xD7F), (0xD80, 0xDFF),
    (0xE00, 0xE7F), (0xE80, 0xEFF), (0xF00, 0xFFF), (0x1000, 0x109F), (0x10A0, 0x10FF), (0x1100, 0x11FF),
    (0x1200, 0x137F), (0x13A0, 0x13FF), (0x1400, 0x167F), (0x1780, 0x17FF), (0x1800, 0x18AF), (0x1E00, 0x1EFF),
    (0x1F00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x20FF), (0x2100, 0x218F), (0x2190, 0x23FF), (0x2460, 0x24FF),
    (0x2500, 0x27BF), (0x2C00, 0x2C5F), (0x2D30, 0x2DFF), (0x2E00, 0x2FFF), (0x3000, 0x303F), (0x3040, 0x30FF),
    (0x3100, 0x33FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA000, 0xA48F), (0xA640, 0xA7FF), (0xA800, 0xABFF),
    (0xAC00, 0xD7A3), (0xE000, 0xF8FF), (0xF900, 0xFAFF), (0xFB00, 0xFDFF), (0xFE00, 0xFE2F), (0xFF00, 0xFFFF),
    (0x10000, 0x100FF), (0x10300, 0x1034F), (0x10400, 0x104FF), (0x11000, 0x1107F), (0x12000, 0x123FF),
    (0x13000, 0x1342F), (0x16FE0, 0x18AFF), (0x1B000, 0x1B16F), (0x1D000, 0x1D1FF), (0x1D400, 0x1D7FF),
    (0x1E900, 0x1E95F), (0x1EE00, 0x1EEFF), (0x1F000, 0x1F2FF), (0x1F300, 0x1FAFF), (0x20000, 0x2A6DF),
    (0x2F800, 0x2FA1F), (0xE0000, 0xE01EF), (0xF0000, 0xFFFFD),
)  # fmt: skip
"""First and last code point of blocks, most of them scripts."""


@cache
def by_category() -> dict[str, str]:
    """Some characters of each general category, evenly over those that have it; surrogates are left out.

    >>> by_category()["Nd"][:3], "Cs" in by_category()
    ('012', False)
    """
    codes = (*range(0x32000), *range(0x32000, 0xE0000, _STRIDE), *range(0xE0000, 0xE0200), *_PRIVATE)
    found = grouped((unicodedata.category(character), character) for character in map(chr, codes))
    del found["Cs"]
    return {category: _thinned(characters) for category, characters in sorted(found.items())}


_PRIVATE = range(0xF0000, 0x110000, _STRIDE)


def _thinned(characters: list[str]) -> str:
    return "".join(characters[:: 1 + len(characters) // MOST_OF_A_CATEGORY])


@cache
def alphabet() -> str:
    """The characters of all categories."""
    return "".join(by_category().values())


@cache
def by_age() -> dict[str, str]:
    """Characters on which two versions of Unicode, as libraries carry them, do not agree."""
    ages = {
        "no decomposition or class in 9": sorted(members(INERT_IN_9)),
        "newer than 16": sorted(newer_than_16()),
        "newer than this Python's": regex.findall(r"\P{Cn}", by_category()["Cn"]),
        "noncharacters": [chr(code) for code in (0xFDD0, 0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFE, 0x10FFFF)],
    }
    return {age: _thinned(characters) for age, characters in ages.items() if characters}


@cache
def decomposable() -> str:
    """Characters that one of the normalization forms changes, Hangul syllables thinned out."""
    codes = (*range(0xA0, 0xAC00), *range(0xAC00, 0xD7A4, 28), *range(0xF900, 0xFFFF), *range(0x1109A, 0x1F300))
    return "".join(
        character
        for character in map(chr, (*codes, *range(0x2F800, 0x2FA20)))
        if not unicodedata.is_normalized("NFKD", character) or not unicodedata.is_normalized("NFC", character)
    )


@cache
def marks() -> str:
    """Combining marks of every combining class."""
    return by_category()["Mn"] + by_category()["Mc"] + by_category()["Me"]


@cache
def marks_by_class() -> tuple[str, ...]:
    """The marks that have an order among themselves, by combining class."""
    found = grouped((unicodedata.combining(mark), mark) for mark in by_category()["Mn"] + by_category()["Mc"])
    found.pop(0, None)
    return tuple("".join(characters) for _, characters in sorted(found.items()))
