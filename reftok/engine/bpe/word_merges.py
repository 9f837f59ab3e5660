"""Merges of words without a heap: a few symbols step by step in a list, long words window by window.

The smallest element of a short list is found faster than a heap is kept.

A word may be cut anywhere and its windows be merged apart, if at each cut the two tokens that meet there are what their
own text merges to. For as long as nothing has merged across a place between two tokens, what merges on both sides of it
is what would merge in the text of the two alone; so if that gives the two again, nothing ever merges across. Where it
does not, tokens before the cut are merged again, together with the window behind it.

This needs nothing of the merges but that the lowest rank comes first and the leftmost of equals. Source of the idea:
the crate `bpe` of github/rust-gems, crates/bpe (`is_valid_token_pair`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise, repeat
from operator import add
from typing import Generic, TypeVar

from reftok.engine.caches import Results

Token = TypeVar("Token")

WINDOW = 48
"""Characters of a window. To merge it takes longer than in proportion, and to look at the cuts takes less the fewer."""
FEW = 96
"""So many symbols are merged in a list: the time that takes grows with the square."""
_LONGEST_KNOWN = 512
"""Of what is merged again: what repeats itself, such as a long run of spaces, is merged again and again."""
_REPEATS = 4
"""So many times the number of tokens may be merged again, before the word is better merged as a whole."""
_MOST_PAIRS = 1 << 16
NO_MERGE = 1 << 64
"""More than every rank."""


class WordMerges(Generic[Token]):
    """The tokens that words merge to, where every character is a symbol at first.

    merge_few: what at most `FEW` characters merge to.
    merge_all: what any text merges to.
    text_of: the text of a token.

    >>> merges = WordMerges(lambda text: merge_texts([*text], {"ab": 2, "bc": 1, "ca": 1}), list, str)
    >>> merges.tokens("abcab")
    ['a', 'bc', 'ab']
    """

    def __init__(
        self,
        merge_few: Callable[[str], Sequence[Token]],
        merge_all: Callable[[str], Sequence[Token]],
        text_of: Callable[[Token], str],
    ) -> None:
        self._merge_few = merge_few
        self._merge_all = merge_all
        self._text_of = text_of
        self._known: Results[Sequence[Token]] = Results(merge_few, FEW, 1 << 14)
        self._known_long: Results[Sequence[Token]] = Results(merge_all, _LONGEST_KNOWN, 1 << 8)
        self._apart: dict[tuple[Token, Token], bool] = {}

    def tokens(self, text: str) -> Sequence[Token]:
        """The tokens of a text."""
        if len(text) <= WINDOW:
            return self._merge_few(text)
        windows = [text[start : start + WINDOW] for start in range(0, len(text), WINDOW)]
        found = self.joined(map(self._known.__getitem__, windows))
        return self._merge_all(text) if found is None else found

    def joined(self, windows: Iterable[Sequence[Token]]) -> list[Token] | None:
        """The tokens of a word from those of its windows, none of them empty; None where that would take too long."""
        found: list[Token] = []
        patience = 0
        for window in windows:
            patience += _REPEATS * len(window)
            count = 1
            while found and not self._stay_apart((found[-1], window[0])):
                patience -= min(count, len(found)) + len(window)
                if patience < 0:
                    return None
                window = self._merged_again([*found[-count:], *window])
                del found[-count:]
                count *= 2
            found += window
        return found

    def _merged_again(self, tokens: Iterable[Token]) -> Sequence[Token]:
        text = "".join(map(self._text_of, tokens))
        return (self._known if len(text) <= FEW else self._known_long)[text]

    def _stay_apart(self, pair: tuple[Token, Token]) -> bool:
        """Whether two tokens are what their text merges to."""
        found = self._apart.get(pair)
        if found is None:
            if len(self._apart) >= _MOST_PAIRS:
                self._apart.clear()
            found = self._apart[pair] = (*self._merged_again(pair),) == pair
        return found


def merge_ids(ids: list[int], ranks: Mapping[tuple[int, int], int], wholes: Sequence[int]) -> list[int]:
    """Merges a few ids in place, the lowest rank first, the leftmost of equals first.

    ranks: of the merges, by pair. wholes: what they make, by rank.

    >>> merge_ids([0, 0, 0], {(0, 0): 0}, [1])
    [1, 0]
    """
    get = ranks.get
    found = [*map(get, pairwise(ids), repeat(NO_MERGE)), NO_MERGE]
    while (lowest := min(found)) != NO_MERGE:
        left = found.index(lowest)
        right = left + 1
        whole = ids[left] = wholes[lowest]
        del ids[right], found[left]
        if left:
            found[left - 1] = get((ids[left - 1], whole), NO_MERGE)
        if right < len(ids):
            found[left] = get((whole, ids[right]), NO_MERGE)
    return ids


def merge_texts(symbols: list[str], ranks: Mapping[str, float]) -> list[str]:
    """The same for merges of any two neighbours that together make an entry of `ranks`.

    >>> merge_texts(list("abcab"), {"ab": 2, "bc": 1, "ca": 1})
    ['a', 'bc', 'ab']
    """
    get = ranks.get
    found = [*map(get, map(add, symbols, symbols[1:]), repeat(NO_MERGE)), NO_MERGE]
    while (lowest := min(found)) != NO_MERGE:
        left = found.index(lowest)
        right = left + 1
        whole = symbols[left] = symbols[left] + symbols[right]
        del symbols[right], found[left]
        if left:
            found[left - 1] = get(symbols[left - 1] + whole, NO_MERGE)
        if right < len(symbols):
            found[left] = get(whole + symbols[right], NO_MERGE)
    return symbols
