"""Byte-pair merges of a new word: the lowest rank first, the leftmost of equals first.

The rule stands in rules/merging.py. Here the rank of two neighbours is one look-up in a dict, so that the ranks of a
whole word are found without a step of Python for each. The smallest number of a short list is found faster than a heap
is kept; a long word takes a heap, whose time does not grow with the square of the length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise, repeat
from operator import add
from typing import Any, TypeAlias, TypeVar

Symbol = TypeVar("Symbol")

MergeOf: TypeAlias = Callable[[Symbol, Symbol], "tuple[float, Symbol] | None"]
"""The rank of the merge of two neighbours and what they become; None if they do not merge."""

NO_MERGE = 1 << 64
"""A number above every rank."""
FEW = 96
"""From so many symbols on the heap is faster."""


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


def merge_all(
    symbols: Sequence[Symbol],
    merge_of: MergeOf[Symbol],
    note: Callable[[Symbol, Symbol, Symbol], object] | None = None,
) -> list[tuple[int, Symbol]]:
    """The symbols of any word after every merge, each with the index of the first symbol that it was made of.

    note: is called with the two symbols and what they become whenever neighbours are found that can merge.

    The symbols are a linked list, the candidates a heap. A candidate is stale if the two symbols that now stand at its
    place would become something else. Source: `merge_all`, tokenizers 0.23 models/bpe/word.rs; sentencepiece 0.2.3
    bpe_model.cc and llama.cpp do the same.

    >>> ranks = {"aa": 1, "aab": 2}
    >>> merge_all("aaab", lambda left, right: (ranks[left + right], left + right) if left + right in ranks else None)
    [(0, 'aa'), (2, 'a'), (3, 'b')]
    """
    size = len(symbols)
    current: list[Any] = [*symbols]
    following = [*range(1, size + 1)]
    previous = [*range(-1, size)]
    queue: list[tuple[float, int, Any]] = []

    def consider(left: int, right: int) -> None:
        if left < 0 or right == size or (found := merge_of(current[left], current[right])) is None:
            return
        if note is not None:
            note(current[left], current[right], found[1])
        queue.append((found[0], left, found[1]))

    for left in range(size - 1):
        consider(left, left + 1)
    heapify(queue)
    while queue:
        _, left, whole = heappop(queue)
        right = following[left]
        if current[left] is None or right == size:
            continue
        now = merge_of(current[left], current[right])
        if now is None or now[1] != whole:
            continue
        current[left], current[right] = whole, None
        after = following[left] = following[right]
        previous[after] = left
        for pair in ((previous[left], left), (left, after)):
            waiting = len(queue)
            consider(*pair)
            if len(queue) > waiting:
                heappush(queue, queue.pop())
    return [(index, symbol) for index, symbol in enumerate(current) if symbol is not None]
