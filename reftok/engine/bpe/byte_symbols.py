"""Symbols with which the merges of a word that is written in the characters of bytes can begin.

A token that spans the place between two characters of the text, and begins or ends within one of them, may come before
the bytes of that one have merged. Where there is no such token, and the ids are in the order of the merges, a character
is complete before it merges with its neighbours: its bytes need not be merged again in every word.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from reftok.rules.byte_level import to_byte_characters

_WITHIN, _TWO, _THREE, _FOUR = (
    re.escape(to_byte_characters(bytes(range(first, end))))
    for first, end in ((0x80, 0xC0), (0xC2, 0xE0), (0xE0, 0xF0), (0xF0, 0xF5))
)
"""The bytes of a character but for its first; and the first of those that have two, three and four bytes."""
_BEGINS_WITHIN = re.compile(f"\n[{_WITHIN}]*?(?=([{_WITHIN}]{{1,2}})([^{_WITHIN}\n]))")
_ENDS_WITHIN = re.compile(
    f"\n(?:[{_TWO}]|[{_WITHIN}]?[{_THREE}]|[{_WITHIN}]{{0,2}}[{_FOUR}])(?<=(.))(?=([{_WITHIN}]?[^\n]))"
)
"""The same of tokens written backwards."""


def byte_symbols(tokens: Iterable[str]) -> re.Pattern[str]:
    """The pattern of a character that merges as it does alone, else of a byte.

    tokens: those with a line break, which stands for no byte, do not count.
    Of a token that begins or ends within a character, only two bytes before the place that it spans and one behind it
    are looked at.

    >>> symbols = byte_symbols(["©Ã", "bÃ"])
    >>> symbols.findall("Ã©aÃ©bÃ¨"), symbols.findall("Ã©Ã¨")
    (['Ã©', 'a', 'Ã©', 'b', 'Ã', '¨'], ['Ã', '©', 'Ã', '¨'])
    """
    listed = "\n".join(["", *tokens, ""])
    behind = _places(_BEGINS_WITHIN.findall(listed))
    before = _places((left[::-1], first) for first, left in _ENDS_WITHIN.findall(listed[::-1]))
    return re.compile(
        f"(?s)(?=[{_TWO}{_THREE}{_FOUR}])(?!{before})"
        f"(?:[{_THREE}][{_WITHIN}]|[{_TWO}]|[{_FOUR}][{_WITHIN}]{{2}})[{_WITHIN}](?!{behind}|[{_WITHIN}])|."
    )


def _places(pairs: Iterable[tuple[str, str]]) -> str:
    """The pattern of the places behind the left and before the first byte of a pair."""
    lefts: defaultdict[str, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for left, first in pairs:
        lefts[re.escape(first)][len(left) - 1].add(re.escape(left))
    places = ["(?!)"]
    for first, by_length in lefts.items():
        behind = (f"(?<=(?:{'|'.join(found)}){first})" for found in by_length if found)
        places.append(f"{first}(?:{'|'.join(behind)})")
    return "|".join(places)
