"""Merges of any two neighbours that make a piece: the fast path of the heaps of SentencePiece and tiktoken.

A short word is merged step by step in a plain list, whose smallest element is found faster than a heap is kept; a long
one window by window.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from operator import add

from reftok.engine.bpe.windows import WINDOW, joined
from reftok.engine.caches import Results

_NO_MERGE = 1 << 64
_FEW_SYMBOLS = 48
_MOST_PAIRS = 1 << 16


class StringMerges:
    """Merges of texts in which every character is a symbol at first.

    ranks: of the pieces.
    pairs: of characters, those that stand side by side in some piece; None where that is not known.
    merge_whole: the plain algorithm.

    >>> merges = StringMerges({"ab": 2, "bc": 1, "ca": 1}, frozenset({"ab", "bc", "ca"}), list)
    >>> merges.pieces("abcab")
    ['a', 'bc', 'ab']
    """

    def __init__(
        self, ranks: Mapping[str, float], pairs: frozenset[str] | None, merge_whole: Callable[[str], Sequence[str]]
    ) -> None:
        self._ranks = ranks
        self._pairs = pairs
        self._merge_whole = merge_whole
        self._short: Results[Sequence[str]] = Results(self._of_short, _FEW_SYMBOLS, 1 << 14)
        self._apart: dict[tuple[str, str], bool] = {}

    def pieces(self, text: str) -> Sequence[str]:
        """The pieces of a text."""
        if len(text) <= WINDOW:
            return merge_few([*text], self._ranks)
        if self._pairs is not None and self._pairs.isdisjoint(map(add, text, text[1:])):
            return text
        windows = [text[start : start + WINDOW] for start in range(0, len(text), WINDOW)]
        found = joined(map(self._short.__getitem__, windows), self._stay_apart, self._merge_again)
        return self._merge_whole(text) if found is None else found

    def _of_short(self, text: str) -> Sequence[str]:
        return merge_few([*text], self._ranks)

    def _merge_again(self, pieces: Sequence[str]) -> Sequence[str]:
        text = "".join(pieces)
        return self._short[text] if len(text) <= _FEW_SYMBOLS else self._merge_whole(text)

    def _stay_apart(self, pair: tuple[str, str]) -> bool:
        left, right = pair
        if self._pairs is not None and left[-1] + right[0] not in self._pairs:
            return True
        found = self._apart.get(pair)
        if found is None:
            if len(self._apart) >= _MOST_PAIRS:
                self._apart.clear()
            found = self._apart[pair] = [*self._merge_again(pair)] == [left, right]
        return found


def merge_few(symbols: list[str], ranks: Mapping[str, float]) -> list[str]:
    """Merges a few symbols in place, the lowest rank first, the leftmost of equals first.

    >>> merge_few(list("abcab"), {"ab": 2, "bc": 1, "ca": 1})
    ['a', 'bc', 'ab']
    """
    get = ranks.get
    found = [*map(get, map(add, symbols, symbols[1:]), repeat(_NO_MERGE)), _NO_MERGE]
    lowest = min(found)
    while lowest != _NO_MERGE:
        left = found.index(lowest)
        right = left + 1
        merged = symbols[left] + symbols[right]
        symbols[left] = merged
        del symbols[right], found[left]
        if left:
            found[left - 1] = get(symbols[left - 1] + merged, _NO_MERGE)
        if right < len(symbols):
            found[left] = get(merged + symbols[right], _NO_MERGE)
        lowest = min(found)
    return symbols
