"""Byte-pair encoding over strings: what tiktoken and llama.cpp share. They differ in how they find a merge's rank."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

from reftok.spec.steps import Merge

RankOf = Callable[[str, str], int | None]
"""The rank of the merge of two neighbours, None where there is none."""


def merged_symbols(text: str, rank_of: RankOf, made: list[Merge] | None = None) -> list[str]:
    """The symbols of a text after every merge, the lowest rank first, the leftmost of equals first.

    At the start each character is a symbol. The symbols are a doubly linked list, the candidates a heap; a candidate is
    stale when the lengths of its two symbols no longer add up to the length that it had. made: takes down each merge.

    >>> merged_symbols("aaa", lambda left, right: {"aa": 1}.get(left + right))
    ['aa', 'a']
    """
    symbols = list(text)
    previous = list(range(-1, len(symbols) - 1))
    following = [*range(1, len(symbols)), -1]
    queue: list[tuple[int, int, int]] = []

    def consider(left: int, right: int) -> None:
        if left != -1 and right != -1:
            rank = rank_of(symbols[left], symbols[right])
            if rank is not None:
                heappush(queue, (rank, left, len(symbols[left]) + len(symbols[right])))

    for left in range(len(symbols) - 1):
        consider(left, left + 1)
    while queue:
        rank, left, length = heappop(queue)
        right = following[left]
        if not symbols[left] or right == -1 or len(symbols[left]) + len(symbols[right]) != length:
            continue
        whole = symbols[left] + symbols[right]
        if made is not None:
            made.append(Merge(rank, symbols[left], symbols[right], whole, (left, right)))
        symbols[left], symbols[right] = whole, ""
        after = following[left] = following[right]
        if after != -1:
            previous[after] = left
        consider(previous[left], left)
        consider(left, after)
    return [symbol for symbol in symbols if symbol]
