"""The merges of `reftok.rules.merging` in n log n time, for long texts."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import Any, TypeVar

from reftok.rules.merging import MergeOf

Symbol = TypeVar("Symbol")


def merge_all(symbols: Sequence[Symbol], merge_of: MergeOf[Symbol]) -> list[tuple[int, Symbol]]:
    """The symbols after every merge, each with the index of the first symbol that it was made of.

    The symbols are a doubly linked list, the candidates a heap. A candidate is stale when the two neighbours at its
    place would no longer become what they were to become.

    >>> ranks = {"aa": 1, "aab": 2}
    >>> merge_all("aaab", lambda left, right: (ranks[left + right], left + right) if left + right in ranks else None)
    [(0, 'aa'), (2, 'a'), (3, 'b')]
    """
    current: list[Symbol | None] = [*symbols]
    previous = [*range(-1, len(symbols) - 1)]
    following = [*range(1, len(symbols)), -1]

    def consider(left: int, right: int) -> list[tuple[float, int, Any]]:
        first, second = current[left], current[right]
        if left < 0 or right < 0 or first is None or second is None or (found := merge_of(first, second)) is None:
            return []
        return [(found[0], left, found[1])]

    queue = [candidate for left in range(len(symbols) - 1) for candidate in consider(left, left + 1)]
    heapify(queue)
    while queue:
        _, left, whole = heappop(queue)
        first, after = current[left], following[left]
        second = None if after < 0 else current[after]
        if first is None or second is None or (now := merge_of(first, second)) is None or now[1] != whole:
            continue
        current[left], current[after] = whole, None
        after = following[left] = following[after]
        if after >= 0:
            previous[after] = left
        for pair in ((previous[left], left), (left, after)):
            for candidate in consider(*pair):
                heappush(queue, candidate)
    return [(index, symbol) for index, symbol in enumerate(current) if symbol is not None]
