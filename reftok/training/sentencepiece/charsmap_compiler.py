"""Rules of normalization made into a precompiled charsmap, with the very layout that the library gives it.

Source: sentencepiece 0.2.3, builder.cc (`CompileCharsMap`), and darts.h of darts-clone (`DawgBuilder`,
`DoubleArrayBuilder`); `reftok.unicode.charsmap` says how the result is read.

The keys become a graph in which equal ends are one node, and the graph an array, in the order in which a walk from the
root meets the nodes: each node looks, from the lowest free place on, for the first place where all its children fit.
A node that was placed before and is met again is not placed anew where the distance to it can be written. Of the
array only the last 4096 places are open; those before are closed, block by block of 256, with labels that no key has.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import TypeAlias

BLOCK = 256
OPEN = 16 * BLOCK
MOST_PREFIXES = 31
"""So many keys may begin the same key, itself included."""

_UPPER, _LOWER = 0xFF << 21, 0xFF
_HAS_LEAF, _IS_VALUE = 1 << 8, 1 << 31

Node: TypeAlias = tuple[tuple[int, int], ...]
"""The children of a node, in the order of their labels: label and number of the node, for label 0 the value."""


def compiled_charsmap(rules: Mapping[str, str]) -> bytes:
    """The blob of the rules "this text becomes that".

    Raises ValueError for no rules, for one that changes nothing, and for too many texts that begin each other.

    Each replacement stands once among the replacements, in the order of code points.

    >>> from reftok.unicode.charsmap import Charsmap
    >>> Charsmap(compiled_charsmap({"a": "b", "ab": ""})).prefixes(b"abc")
    [(1, 'b'), (2, '')]
    """
    if not rules:
        raise ValueError("there are no rules")
    for text, replacement in rules.items():
        if text == replacement:
            raise ValueError(f"the rule for {text!r} changes nothing")
        if sum(text[:end] in rules for end in range(1, len(text) + 1)) > MOST_PREFIXES:
            raise ValueError(f"more than {MOST_PREFIXES} texts begin {text!r}")
    replacements = bytearray()
    places: dict[str, int] = {}
    for replacement in sorted(set(rules.values())):
        places[replacement] = len(replacements)
        replacements += replacement.encode("utf-8") + b"\0"
    units = double_array({text.encode("utf-8"): places[replacement] for text, replacement in rules.items()})
    return struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + bytes(replacements)


def double_array(values: Mapping[bytes, int]) -> list[int]:
    """The units of the double array of these keys and values."""
    return _Layout(_Graph(values)).units


class _Graph:
    """The keys as a graph of nodes, equal ones being one.

    nodes: by number. shared: the numbers of those that more than one label leads to.
    """

    def __init__(self, values: Mapping[bytes, int]) -> None:
        self.nodes: list[Node] = []
        self.shared: set[int] = set()
        self._numbers: dict[Node, int] = {}
        open_nodes: list[list[tuple[int, int]]] = [[]]
        last = b""
        for key in sorted(values):
            common = 0
            while common < min(len(key), len(last)) and key[common] == last[common]:
                common += 1
            self._close(open_nodes, last, common)
            open_nodes += [[] for _ in key[common:]]
            open_nodes[-1].append((0, values[key]))
            last = key
        self._close(open_nodes, last, 0)
        self.root = tuple(open_nodes[0])

    def _close(self, open_nodes: list[list[tuple[int, int]]], key: bytes, depth: int) -> None:
        while len(open_nodes) > depth + 1:
            number = self._number(tuple(open_nodes.pop()))
            open_nodes[-1].append((key[len(open_nodes) - 1], number))

    def _number(self, node: Node) -> int:
        found = self._numbers.get(node)
        if found is None:
            found = self._numbers[node] = len(self.nodes)
            self.nodes.append(node)
        else:
            self.shared.add(found)
        return found


class _Layout:
    """The array.

    free: the places of the open blocks where no unit stands, in the order in which they are tried. bases: where the
    children of a node stand, changed in the bits of their labels.
    """

    def __init__(self, graph: _Graph) -> None:
        self.units: list[int] = []
        self._free: dict[int, None] = {}
        self._bases = {0}
        self._take(0)
        self.units[0] = 1 << 10
        placed: dict[int, int] = {}
        walk = [(graph.root, -1, 0)]
        while walk:
            node, number, place = walk.pop()
            if number in placed:
                offset = placed[number] ^ place
                if not offset & _UPPER or not offset & _LOWER:
                    self._point(place, offset, is_before_leaf=node[0][0] == 0)
                    continue
            base = self._placed(node, place)
            if number in graph.shared:
                placed[number] = base
            walk += [(graph.nodes[child], child, base ^ label) for label, child in reversed(node) if label]
        for block in range(max(0, len(self.units) - OPEN), len(self.units), BLOCK):
            self._close(block)

    def _placed(self, node: Node, place: int) -> int:
        """Give the children of the node at `place` their places; the base of these."""
        base = self._base(node, place)
        self._point(place, place ^ base, is_before_leaf=node[0][0] == 0)
        for label, child in node:
            self._take(base ^ label)
            self.units[base ^ label] = label if label else child | _IS_VALUE
        self._bases.add(base)
        return base

    def _point(self, place: int, offset: int, is_before_leaf: bool) -> None:
        if offset >= 1 << 29:
            raise ValueError("there are too many rules")
        shifted = offset << 10 if offset < 1 << 21 else offset << 2 | 1 << 9
        self.units[place] = self.units[place] & (_IS_VALUE | _LOWER) | shifted | (_HAS_LEAF if is_before_leaf else 0)

    def _base(self, node: Node, place: int) -> int:
        for free in self._free:
            base = free ^ node[0][0]
            if self._fits(node, place, base):
                return base
        return len(self.units) | place & _LOWER

    def _fits(self, node: Node, place: int, base: int) -> bool:
        offset = place ^ base
        if base in self._bases or (offset & _LOWER and offset & _UPPER):
            return False
        return all(base ^ label in self._free for label, _ in node[1:])

    def _take(self, place: int) -> None:
        if place >= len(self.units):
            self._grow()
        self._free.pop(place, None)

    def _grow(self) -> None:
        """One more block, whose places come last among the free ones."""
        start = len(self.units)
        if start >= OPEN:
            self._close(start - OPEN)
        self.units += [0] * BLOCK
        self._free.update(dict.fromkeys(range(start, start + BLOCK)))

    def _close(self, start: int) -> None:
        """Give the free places of a block labels that lead nowhere: no node has its base there."""
        places = range(start, start + BLOCK)
        unused = next((place for place in places if place not in self._bases), 0)
        for place in places:
            if place in self._free:
                self._take(place)
                self.units[place] = self.units[place] & ~_LOWER | (place ^ unused) & _LOWER
