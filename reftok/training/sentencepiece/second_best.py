"""The two best ways to cut a text, searched from its end, in the order in which the library finds them.

Source: sentencepiece 0.2.3, unigram_model.cc (`Lattice::NBest`), and `std::push_heap`, `std::pop_heap` of libstdc++.

The rule. A hypothesis is a path from a node to the end. Its estimate is the best sum up to its node (of Viterbi, from
the left) plus the sum behind it (from the right), each addition a float32. The hypothesis of the highest estimate is
taken from the agenda and extended by each node before it; one that has reached the start of the text is a result. Of
equal estimates the one comes first that the heap of the C++ library has on top, so this is that heap.

An agenda of 10,000 hypotheses is cut to the best 20; so is one of more than 20 once 100,000 were made since; after ten
such cuts, or 500,000 hypotheses, the search gives up, and there is the best path only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from reftok.rules.viterbi import to_float32
from reftok.training.sentencepiece.lattice import BestPaths, Node

MOST_ON_AGENDA = 10_000
KEPT = 20
MOST_SINCE_CUT = 100_000
MOST_CUTS = 10
MOST_HYPOTHESES = 500_000
_END = -1
_START = -2

Hypothesis: TypeAlias = tuple[float, float, int, Any]
"""Estimate, sum behind, index of the node, and the hypothesis behind it."""


def two_best(size: int, nodes: Sequence[Node], scores: Sequence[float]) -> list[list[int]]:
    """The best path and the second best, as numbers of pieces; one of them where there is no other.

    >>> nodes = [(0, 1, 0), (0, 2, 1), (1, 2, 0)]
    >>> two_best(2, nodes, [-1.0, -1.5])
    [[1], [0, 0]]
    """
    viterbi = BestPaths(size, nodes, scores)
    ending = [[_START], *viterbi.ending[1:]]
    agenda = Heap([(viterbi.best[size], 0.0, _END, None)])
    results: list[list[int]] = []
    made = since_cut = 1
    most_since_cut = MOST_SINCE_CUT
    cuts = 0
    while agenda.items:
        top = agenda.pop()
        _, behind, index, _ = top
        if index == _START:
            results.append(_numbers(top, nodes))
            if len(results) == 2:
                break
            continue
        before = ending[size if index == _END else nodes[index][0]]
        for left in before:
            score, best = (0.0, 0.0) if left == _START else (scores[nodes[left][2]], viterbi.sums[left])
            agenda.push((to_float32(best + behind), to_float32(score + behind), left, top))
        made += len(before)
        since_cut += len(before)
        if made >= MOST_HYPOTHESES or since_cut >= MOST_HYPOTHESES:
            return [viterbi.path()]
        if len(agenda.items) >= MOST_ON_AGENDA or (len(agenda.items) > KEPT and since_cut >= most_since_cut):
            if cuts == MOST_CUTS:
                return [viterbi.path()]
            cuts += 1
            agenda = Heap.of_best(agenda, KEPT)
            since_cut = _chained(agenda.items)
            most_since_cut = since_cut + MOST_SINCE_CUT
    return results


def _numbers(hypothesis: Hypothesis, nodes: Sequence[Node]) -> list[int]:
    numbers = []
    item = hypothesis[3]
    while item[2] != _END:
        numbers.append(nodes[item[2]][2])
        item = item[3]
    return numbers


def _chained(hypotheses: Sequence[Hypothesis]) -> int:
    """How many hypotheses these and those behind them are."""
    seen: set[int] = set()
    for item in hypotheses:
        while item is not None and id(item) not in seen:
            seen.add(id(item))
            item = item[3]
    return len(seen)


class Heap:
    """The priority queue of the C++ library, the highest estimate on top."""

    def __init__(self, items: list[Hypothesis]) -> None:
        self.items = items

    @classmethod
    def of_best(cls, other: Heap, size: int) -> Heap:
        """The best of another, moved one by one."""
        best = cls([])
        for _ in range(min(size, len(other.items))):
            best.push(other.pop())
        return best

    def push(self, item: Hypothesis) -> None:
        """The new item rises from the end past lower ones."""
        self.items.append(item)
        self._rise(len(self.items) - 1, item)

    def _rise(self, place: int, item: Hypothesis) -> None:
        items = self.items
        while place and items[(place - 1) // 2][0] < item[0]:
            items[place] = items[(place - 1) // 2]
            place = (place - 1) // 2
        items[place] = item

    def pop(self) -> Hypothesis:
        """The top.

        Its place goes down to a leaf, always to the higher child (of equal ones the right one); there the last item
        begins to rise.
        """
        items = self.items
        item = items.pop()
        size = len(items)
        if not size:
            return item
        top, place = items[0], 0
        while 2 * place + 2 < size:
            child = 2 * place + 2
            if items[child][0] < items[child - 1][0]:
                child -= 1
            items[place] = items[child]
            place = child
        if 2 * place + 2 == size:
            items[place] = items[2 * place + 1]
            place = 2 * place + 1
        self._rise(place, item)
        return top
