"""Whether it is still of use in a Viterbi search that a piece has begun."""

from __future__ import annotations

from itertools import repeat
from math import inf

from reftok.engine.unigram.trie import PieceTrie

_MOST_NODES = 64


class Gains(dict[PieceTrie, float]):
    """By how much a path that is within a piece can get ahead of one that is at the end of the text.

    The key is the place in the tree of pieces. A piece that is reached from there has its score; the other path can go
    through the rest of that piece on its own. Infinite where there are too many pieces to look at.

    trie: the pieces.
    unknown_score: of a character that is no piece.
    rounding: what one addition of the library is wrong by at most.

    >>> trie = PieceTrie.of([("a", (7, -1.0)), ("b", (8, -1.0)), ("ab", (9, -1.5))])
    >>> Gains(trie, unknown_score=-11.0, rounding=0.0)[trie.children["a"]]
    -0.5
    """

    def __init__(self, trie: PieceTrie, unknown_score: float, rounding: float) -> None:
        super().__init__()
        self._trie = trie
        self._unknown_score = unknown_score
        self._rounding = rounding
        self._scores: dict[str, float] = {}

    def __missing__(self, begun: PieceTrie) -> float:
        gain = self[begun] = self._gain(begun)
        return gain

    def _gain(self, begun: PieceTrie) -> float:
        gain = -inf
        nodes = [(begun, "")]
        for node, rest in nodes:
            if len(nodes) > _MOST_NODES:
                return inf
            nodes += [(child, rest + character) for character, child in node.children.items()]
            if rest and node.entry is not None:
                gain = max(gain, node.entry[1] - self._score(rest) + 2 * len(rest) * self._rounding)
        return gain

    def _score(self, text: str) -> float:
        """The score of the best path through a text."""
        found = self._scores.get(text)
        if found is None:
            found = self._scores[text] = self._best(text)
        return found

    def _best(self, text: str) -> float:
        size = len(text)
        best = [0.0, *repeat(-inf, size)]
        for start in range(size):
            node: PieceTrie | None = self._trie
            best[start + 1] = max(best[start + 1], best[start] + self._unknown_score)
            for end in range(start, size):
                node = node and node.children.get(text[end])
                if node is None:
                    break
                if node.entry is not None:
                    best[end + 1] = max(best[end + 1], best[start] + node.entry[1])
        return best[size]
