"""Byte-pair merges of a new word: the lowest rank first, the leftmost of equals first.

The rule stands in rules/merging.py. Here the rank of two neighbours is one look-up in a dict, so that the ranks of a
short word are found without a step of Python for each. A long word is merged window by window, and one that resists
takes a heap, whose time does not grow with the square of the length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise, repeat
from operator import add
from typing import Any, Generic, TypeVar

from reftok.fast.memo import Memo
from reftok.rules.merging import MergeOf

Symbol = TypeVar("Symbol")
Token = TypeVar("Token")

NO_MERGE = 1 << 64
"""A number above every rank."""
FEW = 96
"""So many symbols are merged in a list; with more of them the heap is faster."""
_WINDOW = 48
"""The characters of a window: fewer of them have more places where windows meet, more of them take longer to merge."""
_LONGEST_KNOWN = 512
"""Of what is merged again. Some models have tokens of 128 spaces, and a few of them are merged at a time."""
_MOST_AGAIN = 8
"""So many times its characters a word may be merged again, before it is better merged as a whole."""


def merge_ids(ids: list[int], ranks: Mapping[tuple[int, int], int], wholes: Sequence[int]) -> list[int]:
    """The ids of a short word after every merge; the list that was given is used up.

    ranks: of the merges, by the two ids. wholes: the id that each makes, by rank.

    >>> merge_ids([0, 0, 0], {(0, 0): 0}, [1])
    [1, 0]
    """
    rank_of = ranks.get
    # A rank for each pair, and one that never merges behind the last, so that the last place is like any other.
    found = [*map(rank_of, pairwise(ids), repeat(NO_MERGE)), NO_MERGE]
    while (lowest := min(found)) != NO_MERGE:
        left = found.index(lowest)
        right = left + 1
        whole = ids[left] = wholes[lowest]
        del ids[right], found[left]
        if left:
            found[left - 1] = rank_of((ids[left - 1], whole), NO_MERGE)
        if right < len(ids):
            found[left] = rank_of((whole, ids[right]), NO_MERGE)
    return ids


def merge_texts(symbols: list[str], ranks: Mapping[str, float]) -> list[str]:
    """The same where two neighbours merge if their text together has a rank.

    >>> merge_texts(list("abcab"), {"ab": 2, "bc": 1, "ca": 1})
    ['a', 'bc', 'ab']
    """
    rank_of = ranks.get
    found = [*map(rank_of, map(add, symbols, symbols[1:]), repeat(NO_MERGE)), NO_MERGE]
    while (lowest := min(found)) != NO_MERGE:
        left = found.index(lowest)
        right = left + 1
        whole = symbols[left] = symbols[left] + symbols[right]
        del symbols[right], found[left]
        if left:
            found[left - 1] = rank_of(symbols[left - 1] + whole, NO_MERGE)
        if right < len(symbols):
            found[left] = rank_of(whole + symbols[right], NO_MERGE)
    return symbols


def merge_all(symbols: Sequence[Symbol], merge_of: MergeOf[Symbol]) -> list[tuple[int, Symbol]]:
    """The symbols of any word after every merge, each with the index of the first symbol that it was made of.

    merge_of: called once for each pair of neighbours that comes about, from left to right, as the rule does:
        `SentencePieceBPE` remembers which pair it saw last.

    The symbols are a linked list, the candidates a heap. Source: `merge_all`, tokenizers 0.23 models/bpe/word.rs;
    sentencepiece 0.2.3 bpe_model.cc and llama.cpp do the same.

    >>> ranks = {"aa": 1, "aab": 2}
    >>> merge_all("aaab", lambda left, right: (ranks[left + right], left + right) if left + right in ranks else None)
    [(0, 'aa'), (2, 'a'), (3, 'b')]
    """
    size = len(symbols)
    current: list[Any] = [*symbols]
    following = [*range(1, size + 1)]
    previous = [*range(-1, size)]
    # The merge of each symbol with the one behind it, as it is now; a candidate of another rank is stale.
    merges = [*(merge_of(left, right) for left, right in pairwise(symbols)), None]
    queue = [(merge[0], left) for left, merge in enumerate(merges) if merge is not None]
    heapify(queue)
    while queue:
        rank, here = heappop(queue)
        merge = merges[here]
        if merge is None or merge[0] != rank:
            continue
        gone = following[here]
        current[here], current[gone] = merge[1], None
        merges[here] = merges[gone] = None
        after = following[here] = following[gone]
        previous[after] = here
        for left, right in ((previous[here], here), (here, after)):
            if left < 0 or right == size:
                continue
            merges[left] = merge = merge_of(current[left], current[right])
            if merge is not None:
                heappush(queue, (merge[0], left))
    return [(index, symbol) for index, symbol in enumerate(current) if symbol is not None]


class LongWords(Generic[Token]):
    """The tokens of long words, merged window by window: what repeats itself is merged once.

    A word may be cut anywhere if, at each cut, the two tokens that meet there are what their own text merges to. For
    before anything has merged across the place between two tokens, the merges on both sides of it are those that the
    text of the two alone would make; if these leave the two apart, nothing ever merges across. At any other cut, tokens
    before it are merged again, together with the window behind it.

    This needs nothing of the merges but that the lowest rank comes first and the leftmost of equals. Source of the
    idea: the crate `bpe` of github/rust-gems, crates/bpe (`is_valid_token_pair`).

    merge: what a text merges to. text_of: the text of a token.

    >>> merge = lambda text: tuple(merge_texts([*text], {"ab": 2, "bc": 1, "ca": 1}))
    >>> LongWords(merge, str).tokens("abc" * 20)[:4]
    ['a', 'bc', 'a', 'bc']
    """

    def __init__(self, merge: Callable[[str], tuple[Token, ...]], text_of: Callable[[Token], str]) -> None:
        self._merge = merge
        self._merged: Memo[tuple[Token, ...]] = Memo(merge, _LONGEST_KNOWN)
        self._text_of = text_of

    def tokens(self, text: str) -> Sequence[Token]:
        """The tokens of a text, in which every character is a symbol at first."""
        found: list[Token] = []
        left = _MOST_AGAIN * len(text)
        for start in range(0, len(text), _WINDOW):
            window = self._merged[text[start : start + _WINDOW]]
            count = 1
            while found and not self._stay_apart(found[-1], window[0]):
                again = "".join(map(self._text_of, [*found[-count:], *window]))
                left -= len(again)
                if left < 0:
                    return self._merge(text)
                window = self._merged[again]
                del found[-count:]
                count *= 2
            found += window
        return found

    def _stay_apart(self, left: Token, right: Token) -> bool:
        return self._merged[self._text_of(left) + self._text_of(right)] == (left, right)
