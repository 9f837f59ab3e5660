"""Charsmaps with fewer rules.

Source of the form: `reftok.unicode.charsmap`; darts.h of darts-clone, in sentencepiece 0.2.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from itertools import count

from conformance.causes.shrinking.cases import smallest_part
from conformance.generators.charsmap_rules import charsmap_rules
from reftok.errors import ReftokError
from reftok.unicode.charsmap import Charsmap

Rule = tuple[str, str]
_LEAF = 1 << 31
_HAS_LEAF = 1 << 8
_BLOCK = 256
MOST_RULES = 100


def offer_smaller_charsmaps(blob: bytes, text: str, offer: Callable[[bytes], bool]) -> None:
    """Offer charsmaps with fewer and fewer of the rules for parts of `text`; with any one where there are none."""
    try:
        rules = charsmap_rules(Charsmap(blob))
    except ReftokError:
        return
    needed = [rule for rule in rules if rule[0] in text][:MOST_RULES] or rules[:1]
    if needed != rules:
        offer(charsmap(needed))
    smallest_part(needed, lambda part: bool(part) and offer(charsmap(part)))


def charsmap(rules: Sequence[Rule]) -> bytes:
    """The blob of these rules, for a few at most: every node of the trie is searched a place of its own.

    >>> Charsmap(charsmap([("a", "b"), ("ab", "")])).prefixes(b"abc")
    [(1, 'b'), (2, '')]
    """
    replacements = bytearray()
    trie: dict[bytes, dict[int, bytes]] = {b"": {}}
    values: dict[bytes, int] = {}
    for text, replacement in rules:
        key = text.encode("utf-8")
        for end in range(len(key)):
            trie.setdefault(key[:end], {})[key[end]] = key[: end + 1]
        trie.setdefault(key, {})
        values[key] = len(replacements)
        replacements += replacement.encode("utf-8") + b"\0"
    units = _double_array(trie, values)
    return struct.pack("<I", 4 * len(units)) + struct.pack(f"<{len(units)}I", *units) + bytes(replacements)


def _double_array(trie: dict[bytes, dict[int, bytes]], values: dict[bytes, int]) -> list[int]:
    """The units. A node's children stand at its base, changed in the bits of their labels; its value at the base."""
    units: dict[int, int] = {}
    bases: dict[bytes, int] = {}
    index = {b"": 0}
    for key in sorted(trie, key=len):
        labels = [*trie[key], *([0] if key in values else [])]
        base = next(
            base
            for base in count(1)
            if base not in bases.values() and not any(base ^ label in units or base == label for label in labels)
        )
        bases[key] = base
        label = key[-1] if key else 0
        units[index[key]] = (index[key] ^ base) << 10 | label | (_HAS_LEAF if key in values else 0)
        for byte, child in trie[key].items():
            index[child] = base ^ byte
            units[base ^ byte] = 0
        if key in values:
            units[base] = _LEAF | values[key]
    size = (max(max(units), max(bases.values())) | _BLOCK - 1) + 1
    taken = {*bases.values()}
    for position in range(size):
        if position not in units:
            # A label that no base leads to, so that no key goes on here.
            units[position] = next(label for label in range(_BLOCK) if position ^ label not in taken)
    return [units[position] for position in range(size)]
