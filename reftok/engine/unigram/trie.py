"""The beginnings of pieces as a tree, for a search that takes one character at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from functools import cached_property
from operator import itemgetter
from typing import TypeAlias

Ids: TypeAlias = tuple[int, ...]

Entry: TypeAlias = tuple[Ids, float, int]
"""A piece: its id, its score, and how many code points it has. An unknown character may have several ids."""


class PieceTrie:
    """A beginning of pieces: the piece that it is itself, and what comes next by character.

    What comes next is found when it is first asked for: a text meets a small part of the beginnings, and the tree of
    all of them takes longer to make than the rest of a tokenizer, and as many objects.

    >>> trie = PieceTrie.of({"a": (7, -1.0), "abc": (8, -2.0)})
    >>> trie.children["a"].entry, trie.children["a"].children["b"].entry, list(trie.children)
    (((7,), -1.0, 1), None, ['a'])
    """

    __slots__ = ("_depth", "_first", "_last", "_pieces", "children", "entry")

    children: dict[str, PieceTrie]

    def __init__(self, pieces: _SortedPieces, first: int, last: int, depth: int) -> None:
        self._pieces = pieces
        self._first = first
        self._last = last
        self._depth = depth
        self.entry = pieces.entry(first, depth) if depth else None

    @classmethod
    def of(cls, pieces: Mapping[str, tuple[int, float]]) -> PieceTrie:
        """The tree of pieces with their ids and scores; '' is none."""
        return cls(_SortedPieces(pieces), 0, len(pieces), 0)

    def __reduce__(self) -> tuple[type[PieceTrie], tuple[object, ...]]:
        """A copy begins with nothing found."""
        return PieceTrie, (self._pieces, self._first, self._last, self._depth)

    def __getattr__(self, name: str) -> dict[str, PieceTrie]:
        """Called for `children` where they have not been found."""
        if name != "children":
            raise AttributeError(name)
        pieces, depth, start = self._pieces, self._depth, self._first
        found: dict[str, PieceTrie] = {}
        texts = pieces.texts
        while start < self._last and len(texts[start]) == depth:
            start += 1
        while start < self._last:
            character = texts[start][depth]
            end = bisect_right(texts, character, start, self._last, key=itemgetter(depth))
            found[character] = PieceTrie(pieces, start, end, depth + 1)
            start = end
        self.children = found
        return found


class _SortedPieces:
    """The pieces in order, so that those with one beginning stand together, the shortest first."""

    def __init__(self, entries: Mapping[str, tuple[int, float]]) -> None:
        self._entries = entries

    @cached_property
    def texts(self) -> list[str]:
        return sorted(self._entries)

    def entry(self, place: int, length: int) -> Entry | None:
        """The piece at a place, if it has this many code points."""
        piece = self.texts[place]
        if len(piece) != length:
            return None
        token_id, score = self._entries[piece]
        return (token_id,), score, length
