"""The beginnings of pieces as a tree, for a search that takes one character at a time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

Ids: TypeAlias = tuple[int, ...]

Entry: TypeAlias = tuple[Ids, float, int]
"""A piece: its id, its score, and how many code points it has. An unknown character may have several ids."""


class PieceTrie:
    """A beginning of pieces: the piece that it is itself, and what comes next by character.

    >>> trie = PieceTrie.of([("a", (7, -1.0)), ("abc", (8, -2.0))])
    >>> trie.children["a"].entry, trie.children["a"].children["b"].entry, list(trie.children)
    (((7,), -1.0, 1), None, ['a'])
    """

    __slots__ = ("children", "entry")

    def __init__(self) -> None:
        self.children: dict[str, PieceTrie] = {}
        self.entry: Entry | None = None

    @classmethod
    def of(cls, pieces: Iterable[tuple[str, tuple[int, float]]]) -> PieceTrie:
        """The tree of pieces, none of which is '', with their ids and scores."""
        root = cls()
        for piece, (token_id, score) in pieces:
            node = root
            for character in piece:
                child = node.children.get(character)
                if child is None:
                    child = node.children[character] = cls()
                node = child
            node.entry = (token_id,), score, len(piece)
        return root
