"""How familiar a text is to most readers, so that a finding is shown on an input that they recognise."""

from __future__ import annotations

from conformance.core.case import Case

_RARE = 20
"""The cost of a character that few readers would recognise: more than that of a short familiar text."""

_COSTS = (
    ("\t", "\n", 2),
    ("\r", "\r", 2),
    ("A", "Z", 1),
    ("a", "z", 1),
    (" ", "~", 2),
    ("\u00a1", "\u00ac", 3),
    ("\u00ae", "\u00ff", 2),
    ("\u0300", "\u0304", 3),  # grave, acute, circumflex, tilde, macron: the marks of decomposed Latin letters
    ("\u0308", "\u0308", 3),
    ("\u0391", "\u03c9", 3),
    ("\u0410", "\u044f", 3),
    ("\u05d0", "\u05ea", 3),
    ("\u0621", "\u064a", 3),
    ("\u0905", "\u0939", 3),
    ("\u0e01", "\u0e2e", 3),
    ("\u2013", "\u2026", 3),
    ("\u20ac", "\u20ac", 3),
    ("\u3001", "\u30ff", 3),
    ("\u4e00", "\u9fff", 3),
    ("\uac00", "\ud7a3", 3),
    ("\U0001f600", "\U0001f64f", 3),
)
"""Ranges of characters, first and last, and the cost of each, which is that of the first range that has a character.

ASCII and Latin-1, then the letters of the largest scripts, typographic punctuation and the faces among the emoji.
"""


def unfamiliarity(case: Case) -> int:
    r"""The cost of reading an input: least for a short text in well-known characters; of bytes and ids, their number.

    Nothing is seen on an empty input.

    >>> from conformance.core.case import text_case
    >>> texts = "Hello", "e\u0301", "你好", "😀", "\u0340"
    >>> [unfamiliarity(text_case(text, "")) for text in texts]
    [5, 4, 6, 3, 20]
    """
    return sum(map(_cost, case.text)) or case.size or _RARE


def _cost(character: str) -> int:
    return next((cost for first, last, cost in _COSTS if first <= character <= last), _RARE)
