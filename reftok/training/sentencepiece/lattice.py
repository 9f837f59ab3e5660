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
from collections.abc import Mapping, Sequence, Set
from math import exp, inf, log1p
from typing import TypeAlias

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


class Lattice:
    """The nodes of one text, kept while pieces go away; in arrays, since a corpus has millions.

    size: characters of the text.
    """

    __slots__ = ("_columns", "size")

    def __init__(self, size: int, nodes: Sequence[Node]) -> None:
        self.size = size
        self._take(nodes)

    def _take(self, nodes: Sequence[Node]) -> None:
        self._columns = tuple(array("I", column) for column in zip(*nodes, strict=True))

    @property
    def nodes(self) -> list[Node]:
        """The nodes in their order."""
        starts, ends, numbers = self._columns
        return [*zip(starts, ends, numbers, strict=True)]

    def without_dead(self, alive: Set[int], unknown: int) -> None:
        """Take out the nodes of dead pieces; the unknown one comes where no piece of one character is left."""
        if all(map(alive.__contains__, self._columns[2])):
            return
        before = self.nodes
        nodes = [node for node in before if node[2] in alive]
        added = [(start, end, unknown) for start, end, number in before if end - start == 1 and number not in alive]
        if added:
            nodes = sorted([*nodes, *added], key=lambda node: (node[0], node[2] == unknown, node[1]))
        self._take(nodes)


def _last_start_first(node: Node) -> int:
    return -node[0]


class Marginals:
    """Sums up how often each piece is expected, over all ways to cut texts.

    scores: by the number of the piece, the unknown one included. first: the number that an unknown one is counted as.
    expected: by number, float32.
    """

    def __init__(self, scores: Sequence[float], first: int) -> None:
        self._scores, self._first = scores, first
        self.expected = array("f", bytes(4 * len(scores)))
        self._rounded = array("f", [0.0])

    def add(self, lattice: Lattice, count: float) -> None:
        """Adds a text that counts so often."""
        scores, rounded, log_sum = self._scores, self._rounded, self._log_sum
        nodes = lattice.nodes
        before = [inf] * (lattice.size + 1)
        before[0] = 0.0
        paths = []
        for start, end, number in nodes:
            rounded[0] = scores[number] + before[start]
            paths.append(rounded[0])
            before[end] = log_sum(before[end], paths[-1])
        behind = [inf] * lattice.size
        behind.append(0.0)
        for start, end, number in sorted(nodes, key=_last_start_first):  # those that start together in their order
            rounded[0] = scores[number] + behind[end]
            behind[start] = log_sum(behind[start], rounded[0])
        expected, total, first, unknown = self.expected, before[-1], self._first, len(scores) - 1
        for (_, end, number), path in zip(nodes, paths, strict=True):
            rounded[0] = path + behind[end]
            rounded[0] = rounded[0] - total
            expected[first if number == unknown else number] += count * exp(rounded[0])

    def _log_sum(self, known: float, path: float) -> float:
        """The logarithm of a sum; `known` is inf if nothing has been summed up yet."""
        if known == inf:
            return path
        least, most = (known, path) if known < path else (path, known)
        rounded = self._rounded
        rounded[0] = least + _MOST_APART
        if most > rounded[0]:
            return most
        rounded[0] = least - most
        rounded[0] = most + log1p(exp(rounded[0]))
        return rounded[0]


class BestPaths:
    """The best way to each place of a text.

    scores: by the number of the piece. sums: of each node, the best path up to it and itself. best: by place, the
    highest of the sums that end there. ending: by place, the indexes of the nodes that end there.

    Each node looks for the best node before it by the float32 sum of both, and of equal sums takes the first. As
    rounding keeps the order, the highest sum is that of the highest before it; but lower ones may round to the same.
    """

    def __init__(self, size: int, nodes: Sequence[Node], scores: Sequence[float]) -> None:
        self._nodes, self._scores, self._size = nodes, scores, size
        self._rounded = rounded = array("f", [0.0])
        self.best = best = [-inf] * (size + 1)
        self.ending: list[list[int]] = [[] for _ in best]
        self.sums: list[float] = []
        best[0] = 0.0
        for index, (start, end, number) in enumerate(nodes):
            rounded[0] = best[start] + scores[number]
            path = rounded[0]
            self.sums.append(path)
            self.ending[end].append(index)
            if path > best[end]:
                best[end] = path

    def path(self) -> list[int]:
        """The numbers of the best path's pieces, from the first to the last."""
        numbers: list[int] = []
        place, sum_of_both, score = self._size, self.best[self._size], 0.0
        while place:
            for index in self.ending[place]:
                self._rounded[0] = self.sums[index] + score
                if self._rounded[0] == sum_of_both:
                    break
            place, _, number = self._nodes[index]
            numbers.append(number)
            sum_of_both, score = self.sums[index], self._scores[number]
        return numbers[::-1]
