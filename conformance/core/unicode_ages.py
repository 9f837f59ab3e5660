"""The Unicode version that a character came with: what an older table does not know is the cause of many findings."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from importlib import resources

import regex

from reftok.unicode.ranges import ranges_of


def age_of(character: str) -> str:
    r"""The version of Unicode in which a code point was assigned, "" for one that is not.

    Noncharacters and private use have an age as well.

    >>> age_of("a"), age_of("\U0001f937"), age_of("\u0378"), age_of("\U0001e6c0")
    ('1.1', '9.0', '', '17.0')
    """
    ranges = _ranges()
    place = bisect_right(ranges, (ord(character), 0x110000, "")) - 1
    first, last, version = ranges[place]
    return version if first <= ord(character) <= last else ""


@cache
def of_each_age() -> str:
    r"""Of each version of Unicode since 5.0 that has any, two letters, numbers, marks and others.

    >>> [f"{ord(character):X}" for character in of_each_age() if age_of(character) == "12.1"]
    ['32FF']
    """
    found: dict[tuple[str, str], list[str]] = {}
    for first, last, version in _ranges():
        for character in map(chr, range(first, last + 1) if float(version) >= 5 else ()):
            general = next((name for name in "LNM" if regex.match(rf"\p{{{name}}}", character)), "")
            found.setdefault((version, general), []).append(character)
    return "".join(characters[place] for characters in found.values() for place in sorted({0, len(characters) - 1}))


@cache
def _ranges() -> list[tuple[int, int, str]]:
    """First, last and version, in ascending order, by the property Age of Unicode 17.0 (tools/make_age_table.py)."""
    table = resources.files("conformance.core").joinpath("unicode_ages.txt").read_text("ascii")
    ages = (line.partition(" ") for line in table.splitlines())
    return sorted((*span, version) for version, _, spans in ages for span in ranges_of(spans))
