"""The scripts by which the pre-tokenizer UnicodeScripts cuts.

Source: tokenizers 0.23, pre_tokenizers/unicode_scripts/, whose table is that of Unicode 9.0 by way of sentencepiece.
Held against the library over all scalar values by tests/reftok/unicode/test_scripts.py.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache

from reftok.unicode.ranges import ranges_of
from reftok.unicode.tables import SCRIPTS_IN_9


def script(character: str) -> str | None:
    """The name of a character's script; None for the space, and for what Unicode 9 did not have.

    Quirk: Hiragana, Katakana and the prolonged sound mark U+30FC are Han, so that Japanese is not cut to pieces.

    >>> [script(character) for character in "aж漢かー1 "]
    ['Latin', 'Cyrillic', 'Han', 'Han', 'Han', 'Common', None]
    """
    starts, ranges = _table()
    last, name = ranges[bisect_right(starts, ord(character)) - 1]
    return name if ord(character) <= last else None


@cache
def _table() -> tuple[list[int], list[tuple[int, str]]]:
    """Where each range of one script starts, from U+0000 on, and for each its last code point and its script."""
    ranges = sorted((*span, name) for name, table in SCRIPTS_IN_9.items() for span in ranges_of(table))
    return [first for first, _, _ in ranges], [(last, name) for _, last, name in ranges]
