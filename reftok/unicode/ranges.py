"""Whole numbers, code points for the most part, as ranges: how tables and classes are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def ranges_of(table: str) -> Iterator[tuple[int, int]]:
    """The ranges of a table of hexadecimal numbers, first and last.

    >>> list(ranges_of("61-63 78"))
    [(97, 99), (120, 120)]
    """
    for item in table.split():
        first, _, last = item.partition("-")
        yield int(first, 16), int(last or first, 16)


def as_ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Numbers in any order, none of them twice, as ranges, first and last.

    >>> as_ranges([120, 97, 99, 98])
    [(97, 99), (120, 120)]
    """
    ranges: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = ranges[-1][0], number
        else:
            ranges.append((number, number))
    return ranges
