"""Where a text can be cut so that no piece spans the cut.

A piece can only span the place between two characters if the pair of them occurs inside some piece. What lies between
two such places is segmented on its own, so that it can be looked up in a cache.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import add

import regex

from reftok.sentencepiece_pieces import SPACE_SYMBOL

_SPACE_FIRST = regex.compile(f"{SPACE_SYMBOL}+[^{SPACE_SYMBOL}]*|[^{SPACE_SYMBOL}]+")
_SPACE_LAST = regex.compile(f"[^{SPACE_SYMBOL}]*{SPACE_SYMBOL}+|[^{SPACE_SYMBOL}]+")
_LONG_WORD = 24


class PairCuts:
    """Cuts a text between the pairs of characters that are inside no piece.

    pieces: every piece that can match text, or be a step on the way to one that does.

    >>> PairCuts(["▁a", "ab", "bc"]).parts("▁abcab▁c")
    ['▁abc', 'ab', '▁', 'c']
    """

    def __init__(self, pieces: Iterable[str]) -> None:
        self.pairs = frozenset(pair for piece in pieces for pair in map(add, piece, piece[1:]))
        self._words = None
        mixed = [pair for pair in self.pairs if pair.count(SPACE_SYMBOL) == 1]
        if all(pair.startswith(SPACE_SYMBOL) for pair in mixed):
            self._words = _SPACE_FIRST
        elif all(pair.endswith(SPACE_SYMBOL) for pair in mixed):
            self._words = _SPACE_LAST

    def words(self, text: str) -> list[str]:
        """The text cut before each run of `▁`, else behind each, where no piece is in the way; else `parts`."""
        if self._words is None:
            return self.parts(text)
        words: list[str] = self._words.findall(text)
        return words

    def short_parts(self, word: str) -> list[str]:
        """The word if it is short, else its `parts`."""
        return [word] if len(word) <= _LONG_WORD else self.parts(word)

    def parts(self, text: str) -> list[str]:
        """The text cut wherever that can be."""
        pairs = self.pairs
        cuts = [index for index, pair in enumerate(map(add, text, text[1:]), 1) if pair not in pairs]
        starts = [0, *cuts] if text else []
        return [text[start:end] for start, end in zip(starts, [*cuts, len(text)], strict=False)]

    def last_cut(self, text: str) -> int:
        """The last place where the text can be cut, 0 where there is none.

        >>> PairCuts(["▁a", "ab", "bc"]).last_cut("▁a▁abc")
        2
        """
        pairs = self.pairs
        for index in range(len(text) - 1, 0, -1):
            if text[index - 1 : index + 1] not in pairs:
                return index
        return 0
