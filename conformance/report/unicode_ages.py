"""The Unicode version that a character came with: what an older table does not know is the cause of many findings."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache

from conformance.report.unicode_age_tables import AGES

Range = tuple[int, int, str]


def age_of(character: str) -> str:
    r"""The version of Unicode in which a code point was assigned, "" for one that is not.

    >>> age_of("a"), age_of("\U0001f937"), age_of("\u0378"), age_of("\U0001e6c0")
    ('1.1', '9.0', '', '17.0')
    """
    ranges = _ranges()
    place = bisect_right(ranges, (ord(character), 0x110000, "")) - 1
    first, last, version = ranges[place]
    return version if first <= ord(character) <= last else ""


@cache
def _ranges() -> list[Range]:
    """First, last and version, in ascending order."""
    ranges: list[Range] = []
    for version, table in AGES.items():
        for item in table.split():
            first, _, last = item.partition("-")
            ranges.append((int(first, 16), int(last or first, 16), version))
    return sorted(ranges)
