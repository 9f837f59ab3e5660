"""The n best encodings of a text by a sentencepiece model of type UNIGRAM: an A* search from the end, in float32.

Source: sentencepiece 0.2.3, sentencepiece_processor.cc (`NBestEncode`) and unigram_model.cc (`Model::NBestEncode`,
`Model::PopulateNodes`, `Lattice::Viterbi`, `Lattice::NBest`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import TypeAlias

from reftok.errors import UnsupportedFeature
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.model import PieceModel
from reftok.rules.sentencepiece.pieces import PieceTable, PieceType, Segment
from reftok.rules.sentencepiece.unigram import SentencePieceUnigram, user_defined_score
from reftok.rules.types import Encoding
from reftok.rules.viterbi import to_float32

MOST_RESULTS = 512
MOST_HYPOTHESES = 500_000
MOST_ON_AGENDA = 10_000
MOST_SINCE_SHRINKING = 100_000
MOST_SHRINKINGS = 10
_KEPT_AT_MOST = 512
_KEPT_PER_RESULT = 10

ScoredSegments: TypeAlias = tuple[list[Segment], float]
"""A segmentation and the sum of its scores, a float32."""


@dataclass(frozen=True, slots=True)
class ScoredEncoding:
    """One of the n best; the score is the sum of the scores of its pieces, a float32."""

    encoding: Encoding
    score: float


def n_best(rules: Pipeline, text: str | bytes, size: int) -> list[ScoredEncoding]:
    """Up to `size` encodings of the text, the best first; fewer if the text does not have so many.

    rules: of the tokenizer, `tokenizer.rules`.
    size: 512 at most; below 2 it gives the one encoding of `encode` with the score 0.
    Raises UnsupportedFeature for a model of any other type and for a larger size, InvalidText as `encode` does.

    >>> import reftok
    >>> [" ".join(best.encoding.tokens) for best in n_best(reftok.load("spm-unigram").rules, "a cat", 3)]
    ['▁a ▁ ca t', '▁a ▁ c at', '▁ a ▁ ca t']
    """
    model = rules.model
    if not isinstance(model, SentencePieceUnigram):
        raise UnsupportedFeature(
            "", "n_best", f"only sentencepiece's unigram models have it, not {type(model).__name__}"
        )
    if size > MOST_RESULTS:
        raise UnsupportedFeature("", "n_best", f"size is {size}, sentencepiece gives {MOST_RESULTS} at most")
    normalized = "".join(part.normalized.text for part in rules.normalized(rules.checked_text(text)))
    if size < 2 or not normalized:
        return [ScoredEncoding(rules.encode(text), 0.0)]
    return [
        ScoredEncoding(replace(rules, model=_Segmentation(model.table, segments)).encode(text), score)
        for segments, score in n_best_segments(model, normalized, size)
    ]


class _Segmentation(PieceModel):
    """The model of a text whose segments are known: the stages around it are those of every text."""

    def __init__(self, table: PieceTable, segments: Sequence[Segment]) -> None:
        super().__init__(table)
        self._segments = segments

    def segments(self, text: str) -> Sequence[Segment]:
        return self._segments


@dataclass(frozen=True, slots=True)
class Node:
    """A piece that matches at a place of the text.

    start: in code points of the normalized text.
    best: the score of the best path from the beginning that ends with the piece; before: the piece before it on that
        path, None for the empty piece at the beginning.
    """

    start: int
    segment: Segment
    score: float
    best: float
    before: Node | None


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A path from a node to the end of the text; it is less than another if its estimate is higher.

    following: the rest of the path.
    estimate: of the best whole path with this end; Viterbi knows it, so the search is exact but for rounding.
    path_score: of the path, the node itself included.
    """

    node: Node
    following: Hypothesis | None
    estimate: float
    path_score: float

    def __lt__(self, other: Hypothesis) -> bool:
        return self.estimate > other.estimate

    def __iter__(self) -> Iterator[Hypothesis]:
        """The path, hypothesis by hypothesis."""
        hypothesis: Hypothesis | None = self
        while hypothesis is not None:
            yield hypothesis
            hypothesis = hypothesis.following


def lattice(model: SentencePieceUnigram, text: str) -> tuple[list[list[Node]], Node]:
    """For each place of the text the nodes that end there, and the empty node at the end."""
    ending: list[list[Node]] = [[] for _ in range(len(text) + 1)]
    ending[0].append(Node(0, ("", -1), 0.0, 0.0, None))

    def node(start: int, segment: Segment, score: float) -> Node:
        # The rounded sums are compared, and of equal ones the first counts: another node may have the higher score.
        best, before = max(((to_float32(node.best + score), node) for node in ending[start]), key=lambda item: item[0])
        return Node(start, segment, score, best, before)

    for start in range(len(text)):
        for end, token_id, score in model.matches(text, start):
            if token_id >= 0 and model.table.pieces[token_id].type is PieceType.USER_DEFINED:
                score = user_defined_score(end - start)
            ending[end].append(node(start, (text[start:end], token_id), score))
    return ending, node(len(text), ("", -1), 0.0)


def n_best_segments(model: SentencePieceUnigram, text: str, size: int) -> list[ScoredSegments]:
    """Up to `size` segmentations of a normalized text with their scores, the best first.

    text: not empty; size: 2 or more, since the library does not search for a single one.

    Quirks: a user-defined piece scores 0.1 for each *character* but the first, whereas `encode` counts bytes. Scores
    are added up from the end of the text, so that the best one may differ from `encode` where float32 rounds. With
    many paths the search drops the worst of them, and in the end gives up and finds the best one only.

    >>> from reftok.rules.sentencepiece.pieces import Piece, PieceTable
    >>> pieces = [Piece("<unk>", 0.0, PieceType.UNKNOWN), Piece("a", -1.0), Piece("b", -1.5), Piece("ab", -2.0)]
    >>> n_best_segments(SentencePieceUnigram(PieceTable(pieces)), "ab", 5)
    [([('ab', 3)], -2.0), ([('a', 1), ('b', 2)], -2.5)]
    """
    ending, end = lattice(model, text)
    results: list[ScoredSegments] = []
    # Equals leave this heap in the order of the library's: `heapq` takes the same steps as `std::priority_queue` of
    # libstdc++ (`__push_heap`, `__adjust_heap` in bits/stl_heap.h), with which the released wheels for Linux are built;
    # the C++ standard leaves that order open.
    agenda = [Hypothesis(end, None, end.best, 0.0)]
    kept = min(_KEPT_AT_MOST, size * _KEPT_PER_RESULT)
    total = allocated = 1
    most_allocated, shrinkings = MOST_SINCE_SHRINKING, 0
    while agenda and len(results) < size:
        top = heappop(agenda)
        if top.node.before is None:
            results.append(([hypothesis.node.segment for hypothesis in top][1:-1], top.estimate))
            continue
        before = ending[top.node.start]
        for node in before:
            estimate, path_score = to_float32(node.best + top.path_score), to_float32(node.score + top.path_score)
            heappush(agenda, Hypothesis(node, top, estimate, path_score))
        total += len(before)
        allocated += len(before)
        is_crowded = len(agenda) > kept and allocated >= most_allocated
        if total >= MOST_HYPOTHESES:
            return [_best(end)]
        if len(agenda) >= MOST_ON_AGENDA or is_crowded:
            if shrinkings == MOST_SHRINKINGS:
                return [_best(end)]
            agenda, allocated = _shrunk(agenda, kept)
            most_allocated = allocated + MOST_SINCE_SHRINKING
            shrinkings += 1
    return results


def _shrunk(agenda: list[Hypothesis], size: int) -> tuple[list[Hypothesis], int]:
    """The best of the agenda, and how many hypotheses their paths have together."""
    kept: list[Hypothesis] = []
    for _ in range(min(len(agenda), size)):
        heappush(kept, heappop(agenda))
    reached: set[int] = set()
    for top in kept:
        for hypothesis in top:
            if id(hypothesis) in reached:  # and with it the rest of the path
                break
            reached.add(id(hypothesis))
    return kept, len(reached)


def _best(end: Node) -> ScoredSegments:
    """The path that Viterbi found."""
    segments: list[Segment] = []
    node = end.before
    while node is not None and node.before is not None:
        segments.append(node.segment)
        node = node.before
    return segments[::-1], end.best
