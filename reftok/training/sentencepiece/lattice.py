"""The ways to cut a text into pieces, and what Unigram training wants to know of them, in float32.

Source: sentencepiece 0.2.3, unigram_model.cc (`Lattice`, `Model::PopulateNodes`, `LogSumExp`).

A node is a piece at a place. Those of one text are in a row: by where they start, then by length; where no piece of one
character starts, the unknown piece, of one character, comes last. Its score is the lowest of all less 10.

The numbers. Scores and sums are float32: each operation is done in double precision and rounded once, which is what a
processor does with float32. Here a store into an `array("f")` rounds. The logarithm of a sum is
max + log1p(exp(min - max)), min - max a float32, exp and log1p double, and max alone where it is more than 50 above.
All nodes that start at a place have the same sum before them, and all that end there the same behind them, so there is
one of either a place.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from math import exp, inf, log1p
from typing import TypeAlias

from reftok.spec.viterbi import to_float32

Node: TypeAlias = tuple[int, int, int]
"""Where a piece starts, where it ends, and its number."""

UNKNOWN_PENALTY = 10.0
_MOST_APART = 50.0


def nodes_of(text: str, numbers: Mapping[str, int], longest: int, unknown: int) -> list[Node]:
    """The nodes of a text in their order.

    numbers: of the pieces. longest: characters that a piece has at most. unknown: the number of the unknown piece.

    >>> nodes_of("abc", {"a": 0, "ab": 1, "b": 2}, 2, 3)
    [(0, 1, 0), (0, 2, 1), (1, 2, 2), (2, 3, 3)]
    """
    size = len(text)
    nodes = []
    for start in range(size):
        has_single = text[start] in numbers
        for end in range(start + 1, min(start + longest, size) + 1):
            number = numbers.get(text[start:end])
            if number is not None:
                nodes.append((start, end, number))
        if not has_single:
            nodes.append((start, start + 1, unknown))
    return nodes


def without(nodes: Sequence[Node], alive: Sequence[bool], unknown: int) -> list[Node]:
    """The nodes without those of dead pieces, with the unknown one where there is no piece of one character now."""
    kept = [node for node in nodes if alive[node[2]]]
    if all(alive[number] for start, end, number in nodes if end - start == 1):
        return kept
    singles = {start for start, end, _ in kept if end - start == 1}
    kept += [(start, start + 1, unknown) for start, end, _ in nodes if end - start == 1 and start not in singles]
    return sorted(kept, key=lambda node: (node[0], node[2] == unknown, node[1]))


class Marginals:
    """Sums up how often each piece is expected, over all ways to cut texts.

    scores: by the number of the piece, the unknown one included.
    expected: by number, float32; what the unknown piece is counted as is said at each call.
    """

    def __init__(self, scores: Sequence[float]) -> None:
        self._scores = scores
        self.expected = array("f", bytes(4 * len(scores)))
        self._rounded = array("f", [0.0])

    def add(self, size: int, nodes: Sequence[Node], count: float, counted_as: Sequence[Node]) -> float:
        """Add a text of `size` characters that counts so often; gives the logarithm of its probability.

        counted_as: the nodes, the unknown ones with the number that they are counted as.
        """
        scores, rounded = self._scores, self._rounded
        before = [inf] * (size + 1)
        before[0] = 0.0
        paths = []
        for start, end, number in nodes:
            rounded[0] = scores[number] + before[start]
            path = rounded[0]
            paths.append(path)
            known = before[end]
            if known == inf:
                before[end] = path
                continue
            if known < path:
                known, path = path, known
            rounded[0] = path - known
            apart = rounded[0]
            if apart > -_MOST_APART or known <= to_float32(path + _MOST_APART):
                rounded[0] = known + log1p(exp(apart))
                before[end] = rounded[0]
            else:
                before[end] = known
        total = before[size]
        behind = self._behind(size, nodes)
        expected = self.expected
        for (_, end, number), path in zip(counted_as, paths, strict=True):
            rounded[0] = path + behind[end]
            rounded[0] = rounded[0] - total
            expected[number] += count * exp(rounded[0])
        return total

    def _behind(self, size: int, nodes: Sequence[Node]) -> list[float]:
        """The logarithm of the sum of all ways behind each place.

        The nodes of a place are added in their order, the places from the last to the first.
        """
        scores, rounded = self._scores, self._rounded
        behind = [0.0] * (size + 1)
        place = nodes[-1][0]
        sum_here = inf
        stop = len(nodes)
        index = stop
        while index:
            place = nodes[index - 1][0]
            while index and nodes[index - 1][0] == place:
                index -= 1
            sum_here = inf
            for _, end, number in nodes[index:stop]:
                rounded[0] = scores[number] + behind[end]
                path = rounded[0]
                if sum_here == inf:
                    sum_here = path
                    continue
                if sum_here < path:
                    sum_here, path = path, sum_here
                rounded[0] = path - sum_here
                apart = rounded[0]
                if apart > -_MOST_APART or sum_here <= to_float32(path + _MOST_APART):
                    rounded[0] = sum_here + log1p(exp(apart))
                    sum_here = rounded[0]
            behind[place] = sum_here
            stop = index
        return behind


class BestPaths:
    """The best way to each place of a text.

    scores: by the number of the piece. sums: of each node, the best path up to it and itself. best, second: by place,
    the highest of the sums that end there, and the next; last: the index of the first node that has the highest.

    Each node looks for the best node before it by the float32 sum of both, and of equal sums takes the first. As
    rounding keeps the order, the highest sum is that of the highest before it; but lower ones may round to the same.
    """

    def __init__(self, size: int, nodes: Sequence[Node], scores: Sequence[float]) -> None:
        self._nodes, self._scores, self._size = nodes, scores, size
        self._rounded = rounded = array("f", [0.0])
        self.best = best = [-inf] * (size + 1)
        self.second = second = [-inf] * (size + 1)
        self.last = last = [-1] * (size + 1)
        self.sums: list[float] = []
        best[0] = 0.0
        for index, (start, end, number) in enumerate(nodes):
            rounded[0] = best[start] + scores[number]
            path = rounded[0]
            self.sums.append(path)
            if path > best[end]:
                second[end] = best[end]
                best[end] = path
                last[end] = index
            elif path > second[end]:
                second[end] = path

    def path(self) -> list[int]:
        """The numbers of the best path's pieces, from the last to the first."""
        numbers = []
        place, sum_of_both, score = self._size, self.best[self._size], 0.0
        while place:
            index = self._before(place, sum_of_both, score)
            place, _, number = self._nodes[index]
            numbers.append(number)
            sum_of_both, score = self.sums[index], self._scores[number]
        return numbers

    def _before(self, place: int, sum_of_both: float, score: float) -> int:
        """The first node that ends at a place and has this sum together with a node of this score."""
        best = self.best[place]
        if self.second[place] < best - 1e-3 - 1e-6 * abs(best):
            return self.last[place]
        for index, (_, end, _) in enumerate(self._nodes):
            if end == place:
                self._rounded[0] = self.sums[index] + score
                if self._rounded[0] == sum_of_both:
                    return index
        raise AssertionError("a node has a best node before it")

    def is_alone(self, margin: float) -> bool:
        """Whether every other path scores less than the best one by this margin, whatever rounding does."""
        place = self._size
        while place:
            if self.best[place] - self.second[place] < margin:
                return False
            place = self._nodes[self.last[place]][0]
        return True
