"""The inner nodes of the suffix tree of a text: what occurs in it and goes on in two ways or more.

Both libraries take the seeds of a Unigram model from them, tokenizers by characters, sentencepiece by bytes. The tree
is not built: its inner nodes are what neighbours among the sorted suffixes have in common.

Source: Abouelhoda, Kurtz, Ohlebusch 2004, "Replacing suffix trees with enhanced suffix arrays", section 4.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile


def common_characters(left: str, right: str) -> int:
    """Twice the characters that two texts begin with."""
    shared = takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False))
    return sum(2 for _ in shared)


def inner_nodes(
    suffixes: Sequence[str], sums: Sequence[int], common: Callable[[str, str], int] = common_characters
) -> Iterator[tuple[str, int]]:
    """The texts of the inner nodes, and how often each occurs.

    suffixes: sorted. sums: how often those before each place occur; it has one entry more.
    common: twice the characters that two suffixes have in common, one more where that ends within a character. A node
        that ends so is none of the result.

    >>> [*inner_nodes(["abc", "abc", "abd", "ac"], range(5))]
    [('abc', 2), ('ab', 3), ('a', 4)]
    """
    open_nodes = [(0, 0)]  # those that the last suffix is in, as where they begin and what `common` gives
    before = suffixes[0]
    for index in range(1, len(suffixes) + 1):
        suffix = suffixes[index] if index < len(suffixes) else ""
        depth = common(before, suffix)
        start = index - 1
        while depth < open_nodes[-1][1]:
            start, closed = open_nodes.pop()
            if not closed & 1:
                yield before[: closed >> 1], sums[index] - sums[start]
        if depth > open_nodes[-1][1]:
            open_nodes.append((start, depth))
        before = suffix
