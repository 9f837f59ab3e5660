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


LATER_CLASSES = (1, 9, 10, 21, 216, 220, 230, 232, 234)
"""The combining classes of the marks of Unicode 15 to 18."""
_CLASSES = (
    *(rf"[\p{{M}}&&\p{{ccc={place}}}]" for place in (0, *LATER_CLASSES)),
    r"\p{L}",
    r"\p{N}",
    r"[^\p{L}\p{N}\p{M}]",
)
"""Marks by what puts them in order, and what else patterns tell apart."""


@cache
def of_each_age() -> str:
    r"""Of each version of Unicode since 5.0 that has any, two letters, numbers, marks of each place and others.

    >>> [f"{ord(character):X}" for character in of_each_age() if age_of(character) == "12.1"]
    ['32FF']
    """
    characters: dict[str, str] = {}
    for first, last, version in _ranges():
        if float(version) >= 5:
            characters[version] = characters.get(version, "") + "".join(map(chr, range(first, last + 1)))
    found = (regex.findall(rf"(?V1){members}", every) for every in characters.values() for members in _CLASSES)
    return "".join("".join(dict.fromkeys((some[0], some[-1]))) for some in found if some)


@cache
def _ranges() -> list[tuple[int, int, str]]:
    """First, last and version, in ascending order.

    Source: the property Age of Unicode 17.0 (tools/make_age_table.py); of 18.0, what unicodedata2 18.0.0 has besides.
    """
    table = resources.files("conformance.core").joinpath("unicode_ages.txt").read_text("ascii")
    ages = (line.partition(" ") for line in table.splitlines())
    return sorted((*span, version) for version, _, spans in ages for span in ranges_of(spans))
