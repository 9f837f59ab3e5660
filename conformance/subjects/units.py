"""Offsets in other units than code points: a unit is a choice of a library's, and no mistake."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate
from typing import Literal, TypeAlias

import regex

Unit: TypeAlias = Literal["scalar", "utf8", "utf16", "grapheme"]
Offsets = tuple[tuple[int, int], ...]


def in_code_points(offsets: Offsets, text: str, unit: Unit) -> Offsets:
    """Offsets of a text in code points. What begins or ends within one has the whole of it; what lies outside stays so.

    >>> in_code_points(((0, 1), (1, 3), (3, 5)), "aé😀", "utf8")
    ((0, 1), (1, 2), (2, 3))
    >>> in_code_points(((2, 4), (5, 9)), "aé😀", "utf16")
    ((2, 3), (4, 8))
    """
    if unit == "scalar":
        return offsets
    if unit == "grapheme":
        lengths = [*map(len, regex.findall(r"\X", text))]
        starts = [0, *accumulate(lengths)]
        return tuple((_at(starts, first), _at(starts, end)) for first, end in offsets)
    starts = [0, *accumulate(map(_SIZES[unit], text))]
    size, count = starts[-1], len(text)

    def first_of(place: int) -> int:
        return place if place < 0 else bisect_right(starts, place) - 1 if place <= size else count + place - size

    def end_of(place: int) -> int:
        return place if place < 0 else bisect_left(starts, place) if place <= size else count + place - size

    return tuple((first_of(first), end_of(end) if end > first else first_of(end)) for first, end in offsets)


def _at(starts: list[int], place: int) -> int:
    if place < 0:
        return place
    return starts[place] if place < len(starts) else starts[-1] + place - len(starts) + 1


_SIZES: Mapping[Unit, Callable[[str], int]] = {
    "utf8": lambda character: len(character.encode("utf-8", "surrogatepass")),
    "utf16": lambda character: 2 if ord(character) > 0xFFFF else 1,
}
"""How many units a code point has."""


def replaced(data: bytes, each_byte: bool) -> str:
    r"""Bytes as text, with U+FFFD for what is no UTF-8: for each byte of it, or for each beginning of a character.

    >>> replaced(b"a\xf0\x9f", each_byte=True), replaced(b"a\xf0\x9f", each_byte=False)
    ('a��', 'a�')
    """
    if not each_byte:
        return data.decode("utf-8", "replace")
    pieces: Iterable[str] = (
        "\ufffd" if "\udc80" <= character <= "\udcff" else character
        for character in data.decode("utf-8", "surrogateescape")
    )
    return "".join(pieces)
