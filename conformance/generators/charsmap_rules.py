"""The rules of a charsmap, found by turning its double array around.

In a double array a unit knows its label and not its children: its parent is where its index less its label points.
Source of what a unit holds: `reftok.unicode.charsmap`.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache

from reftok.errors import ModelFormatError
from reftok.unicode.charsmap import Charsmap

_LEAF = 1 << 31


def charsmap_rules(charsmap: Charsmap) -> list[tuple[str, str]]:
    """The keys and their replacements, in the order of the keys; those that are no whole characters are left out.

    Raises ModelFormatError for an array that points outside itself, or around in a circle.
    """
    units = charsmap.units
    children: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for index, unit in enumerate(units):
        if unit & 0xFF and not unit & _LEAF:
            offset = (unit >> 10) << ((unit & (1 << 9)) >> 6)
            children[index ^ unit & 0xFF].append((index ^ offset, unit & 0x1FF))
    replacement = cache(charsmap.replacement)
    found: list[tuple[str, str]] = []
    waiting = [(charsmap.root(), b"")]
    while waiting:
        node, key = waiting.pop()
        if len(key) > len(units):
            raise ModelFormatError("", "precompiled_charsmap", "the trie goes in a circle")
        for after, label in children.get(node, ()):
            longer = key + bytes((label & 0xFF,))
            waiting.append((after, longer))
            if label >> 8:
                found.append((longer.decode("utf-8", "replace"), replacement(units[after] & ~_LEAF)))
    return sorted(rule for rule in found if "\ufffd" not in rule[0] or rule[0] == "\ufffd")
