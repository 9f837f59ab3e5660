"""The n best segmentations of a unigram language model: an A* search from the end of the text, in float32.

Source: sentencepiece 0.2.3, unigram_model.cc (`Model::NBestEncode`, `Model::PopulateNodes`, `Lattice::NBest`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from reftok.spec.sentencepiece.pieces import PieceType, Segment
from reftok.spec.sentencepiece.unigram import SentencePieceUnigram, to_float32, user_defined_score

MOST_HYPOTHESES = 500_000
MOST_ON_AGENDA = 10_000
MOST_SINCE_SHRINKING = 100_000
MOST_SHRINKINGS = 10
_KEPT_AT_MOST = 512
_KEPT_PER_RESULT = 10

ScoredSegments: TypeAlias = tuple[list[Segment], float]
"""A segmentation and the sum of its scores, a float32."""


@dataclass(slots=True)
class Node:
    """One piece at one place.

    start, end: in characters.
    best_score, best_previous: of the best path that ends with this node, which Viterbi finds.
    """

    start: int
    end: int
    token_id: int
    score: float
    best_score: float = 0.0
    best_previous: Node | None = None


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A path from `node` to the end of the text.

    path_score: of the path behind `node`, `node` itself included.
    estimate: of the best whole path that goes on from here; Viterbi knows it, so the search is exact but for rounding.
    following: the rest of the path.
    """

    node: Node
    following: Hypothesis | None
    estimate: float
    path_score: float


class Agenda:
    """A binary heap of hypotheses, the highest estimate first; equals leave it in the order of the C++ library's heap.

    Source: `std::priority_queue` of libstdc++ (`__push_heap`, `__adjust_heap` in bits/stl_heap.h). The C++ standard
    leaves the order of equals open; the released wheels for Linux are built with this one.

    >>> first, last = (Hypothesis(Node(0, 1, token_id, 0.0), None, 0.5, 0.0) for token_id in (1, 2))
    >>> agenda = Agenda()
    >>> agenda.push(first)
    >>> agenda.push(last)
    >>> agenda.pop() is first, len(agenda)
    (True, 1)
    """

    def __init__(self) -> None:
        self.heap: list[Hypothesis] = []

    def __len__(self) -> int:
        return len(self.heap)

    def push(self, hypothesis: Hypothesis) -> None:
        """Add one."""
        self.heap.append(hypothesis)
        self._sift_up(len(self.heap) - 1, hypothesis)

    def pop(self) -> Hypothesis:
        """Take out the one with the highest estimate: the hole sinks to a leaf, and the last one rises from there."""
        heap = self.heap
        top, last = heap[0], heap.pop()
        size, hole = len(heap), 0
        if not size:
            return top
        while (child := 2 * hole + 2) < size:
            child -= heap[child].estimate < heap[child - 1].estimate
            heap[hole] = heap[child]
            hole = child
        if child == size:
            heap[hole] = heap[child - 1]
            hole = child - 1
        self._sift_up(hole, last)
        return top

    def _sift_up(self, hole: int, hypothesis: Hypothesis) -> None:
        heap = self.heap
        while hole > 0 and heap[(hole - 1) // 2].estimate < hypothesis.estimate:
            heap[hole] = heap[(hole - 1) // 2]
            hole = (hole - 1) // 2
        heap[hole] = hypothesis


@dataclass(slots=True)
class Lattice:
    """All pieces of a text: `ending[n]` are the nodes that end at character n; `begin` and `end` are empty nodes."""

    begin: Node
    end: Node
    ending: list[list[Node]]


def n_best_segments(model: SentencePieceUnigram, text: str, size: int) -> list[ScoredSegments]:
    """Up to `size` segmentations of a normalized text with their scores, the best first.

    text: not empty; size: 2 or more, since the library does not search for a single one.

    Quirks: a user-defined piece scores 0.1 for each *character* but the first, whereas `encode` counts bytes. Scores
    are added up from the end of the text, so that the best one may differ from `encode` where float32 rounds. With
    many paths the search forgets the worst of them, and in the end gives up and finds the best one only.

    >>> from reftok.spec.sentencepiece.pieces import Piece, PieceTable
    >>> pieces = [Piece("<unk>", 0.0, PieceType.UNKNOWN), Piece("a", -1.0), Piece("b", -1.5), Piece("ab", -2.0)]
    >>> n_best_segments(SentencePieceUnigram(PieceTable(pieces)), "ab", 5)
    [([('ab', 3)], -2.0), ([('a', 1), ('b', 2)], -2.5)]
    """
    lattice = build_lattice(model, text)
    viterbi(lattice)
    paths = _Search(lattice, size).paths()
    return [([(text[node.start : node.end], node.token_id) for node in path], score) for path, score in paths]


def build_lattice(model: SentencePieceUnigram, text: str) -> Lattice:
    """A node for each piece that matches anywhere; the unknown piece where no piece is just the first character."""
    size = len(text)
    begin, end = Node(0, 0, -1, 0.0), Node(size, size, -1, 0.0)
    ending: list[list[Node]] = [[] for _ in range(size + 1)]
    ending[0].append(begin)
    for start in range(size):
        for stop, token_id, score in model.matches(text, start):
            if token_id >= 0 and model.table.pieces[token_id].type is PieceType.USER_DEFINED:
                score = user_defined_score(stop - start)
            ending[stop].append(Node(start, stop, token_id, score))
    return Lattice(begin, end, ending)


def viterbi(lattice: Lattice) -> None:
    """Set the best score and the best previous node of all nodes; of equals the one that starts first."""
    nodes = sorted((node for nodes in lattice.ending[1:] for node in nodes), key=lambda node: node.start)
    for node in [*nodes, lattice.end]:
        for previous in lattice.ending[node.start]:
            score = to_float32(previous.best_score + node.score)
            if node.best_previous is None or score > node.best_score:
                node.best_previous, node.best_score = previous, score


def best_path(lattice: Lattice) -> tuple[list[Node], float]:
    """The path that Viterbi found, and its score."""
    path: list[Node] = []
    node = lattice.end.best_previous
    while node is not None and node.best_previous is not None:
        path.append(node)
        node = node.best_previous
    return path[::-1], lattice.end.best_score


@dataclass(slots=True)
class _Search:
    """The search for the `size` best paths; `allocated` counts the hypotheses since the agenda was shrunk last."""

    lattice: Lattice
    size: int
    agenda: Agenda = field(default_factory=Agenda)
    allocated: int = 1
    most_allocated: int = MOST_SINCE_SHRINKING
    shrinkings: int = 0

    def paths(self) -> list[tuple[list[Node], float]]:
        begin, end = self.lattice.begin, self.lattice.end
        found: list[tuple[list[Node], float]] = []
        total = 1
        self.agenda.push(Hypothesis(end, None, end.best_score, 0.0))
        while len(self.agenda):
            top = self.agenda.pop()
            if top.node is begin:
                found.append((path_of(top), top.estimate))
                if len(found) == self.size:
                    break
                continue
            expanded = self._expand(top)
            total += expanded
            self.allocated += expanded
            if total >= MOST_HYPOTHESES or self.allocated >= MOST_HYPOTHESES:
                return [best_path(self.lattice)]
            if self._is_crowded():
                if self.shrinkings >= MOST_SHRINKINGS:
                    return [best_path(self.lattice)]
                self._shrink()
        return found

    def _expand(self, top: Hypothesis) -> int:
        """Queue the path with each node before it; how many these are."""
        previous = self.lattice.ending[top.node.start]
        for node in previous:
            estimate = to_float32(node.best_score + top.path_score)
            self.agenda.push(Hypothesis(node, top, estimate, to_float32(node.score + top.path_score)))
        return len(previous)

    @property
    def _kept(self) -> int:
        return min(_KEPT_AT_MOST, self.size * _KEPT_PER_RESULT)

    def _is_crowded(self) -> bool:
        waiting = len(self.agenda)
        return waiting >= MOST_ON_AGENDA or (waiting > self._kept and self.allocated >= self.most_allocated)

    def _shrink(self) -> None:
        """Keep the best of the agenda and the paths behind them."""
        kept = Agenda()
        reached: set[int] = set()
        for _ in range(min(len(self.agenda), self._kept)):
            top = self.agenda.pop()
            kept.push(top)
            hypothesis: Hypothesis | None = top
            while hypothesis is not None and id(hypothesis) not in reached:
                reached.add(id(hypothesis))
                hypothesis = hypothesis.following
        self.agenda = kept
        self.allocated = len(reached)
        self.most_allocated = self.allocated + MOST_SINCE_SHRINKING
        self.shrinkings += 1


def path_of(hypothesis: Hypothesis) -> list[Node]:
    """The nodes of a whole path, without the empty ones at both ends."""
    path: list[Node] = []
    following = hypothesis.following
    while following is not None and following.following is not None:
        path.append(following.node)
        following = following.following
    return path
