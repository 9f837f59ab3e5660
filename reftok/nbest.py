"""The n best encodings of a text by a sentencepiece model of type UNIGRAM: an A* search from the end, in float32.

Source: sentencepiece 0.2.3, sentencepiece_processor.cc (`NBestEncode`) and unigram_model.cc (`Model::NBestEncode`,
`Model::PopulateNodes`, `Lattice::NBest`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import NamedTuple, TypeAlias

from reftok.errors import UnsupportedFeature
from reftok.rules.encodings import byte_offsets, to_encoding
from reftok.rules.huggingface.post_processors import default_processing
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.options import apply_options
from reftok.rules.sentencepiece.pieces import PieceType, Segment
from reftok.rules.sentencepiece.unigram import SentencePieceUnigram, user_defined_score
from reftok.rules.text import NormalizedString, Part
from reftok.rules.types import Encoding
from reftok.rules.viterbi import PieceMatch, best_paths, path_to_end, to_float32

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
    best = rules.encode(text)
    original = text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")
    normalized = NormalizedString(original)
    for normalizer in rules.normalizers:
        normalized = normalizer.normalize(normalized)
    if size < 2 or not normalized.text:
        return [ScoredEncoding(best, 0.0)]
    results = []
    for segments, score in n_best_segments(model, normalized.text, size):
        tokens = tuple(model.table.tokens(segments))
        encoding = default_processing([to_encoding([Part(normalized, tokens)])])
        if rules.sentencepiece_options is not None:
            encoding = apply_options(encoding, rules.sentencepiece_options, model.table, len(original))
        results.append(ScoredEncoding(encoding if isinstance(text, str) else byte_offsets(encoding, original), score))
    return results


class Node(NamedTuple):
    """A piece that matches at a place of the text. start, end: in code points of the normalized text."""

    start: int
    end: int
    piece: str
    id: int
    score: float


class NodeLattice:
    """All pieces of a text as nodes, in the order in which they start; the first and the last are empty.

    ending, starting: for each place in the text the nodes that end and those that start there, by their indices.
    best: for each node the best path that ends with it; its start is the node before.
    """

    def __init__(self, model: SentencePieceUnigram, text: str) -> None:
        size = len(text)
        self.nodes = [Node(0, 0, "", -1, 0.0)]
        for start in range(size):
            for end, token_id, score in model.matches(text, start):
                if token_id >= 0 and model.table.pieces[token_id].type is PieceType.USER_DEFINED:
                    score = user_defined_score(end - start)
                self.nodes.append(Node(start, end, text[start:end], token_id, score))
        self.nodes.append(Node(size, size, "", -1, 0.0))
        self.ending: list[list[int]] = [[] for _ in range(size + 1)]
        self.starting: list[list[int]] = [[] for _ in range(size + 1)]
        for index, node in enumerate(self.nodes[:-1]):
            self.ending[node.end].append(index)
        for index, node in enumerate(self.nodes[1:], 1):
            self.starting[node.start].append(index)
        self.best = best_paths(len(self.nodes) - 1, self._following, to_float32)

    def _following(self, index: int) -> list[PieceMatch]:
        return [(after, after, self.nodes[after].score) for after in self.starting[self.nodes[index].end]]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A path from a node to the end of the text; it is less than another if its estimate is higher.

    node: its index.
    following: the rest of the path.
    estimate: of the best whole path that goes on from here; Viterbi knows it, so the search is exact but for rounding.
    path_score: of the path behind the node, the node itself included.
    """

    node: int
    following: Hypothesis | None
    estimate: float
    path_score: float

    def __lt__(self, other: Hypothesis) -> bool:
        return self.estimate > other.estimate


def n_best_segments(model: SentencePieceUnigram, text: str, size: int) -> list[ScoredSegments]:
    """Up to `size` segmentations of a normalized text with their scores, the best first.

    text: not empty; size: 2 or more, since the library does not search for a single one.

    Quirks: a user-defined piece scores 0.1 for each *character* but the first, whereas `encode` counts bytes. Scores
    are added up from the end of the text, so that the best one may differ from `encode` where float32 rounds. With
    many paths the search forgets the worst of them, and in the end gives up and finds the best one only.

    >>> from reftok.rules.sentencepiece.pieces import Piece, PieceTable
    >>> pieces = [Piece("<unk>", 0.0, PieceType.UNKNOWN), Piece("a", -1.0), Piece("b", -1.5), Piece("ab", -2.0)]
    >>> n_best_segments(SentencePieceUnigram(PieceTable(pieces)), "ab", 5)
    [([('ab', 3)], -2.0), ([('a', 1), ('b', 2)], -2.5)]
    """
    lattice = NodeLattice(model, text)
    results: list[ScoredSegments] = []
    for path, score in _Search(lattice, size).paths():
        nodes = [lattice.nodes[index] for index in path]
        results.append(([(node.piece, node.id) for node in nodes], score))
    return results


@dataclass(slots=True)
class _Search:
    """The search for the `size` best paths.

    agenda: a binary heap. Equals leave it in the order of the library's: `heapq` takes the same steps as
    `std::priority_queue` of libstdc++ (`__push_heap`, `__adjust_heap` in bits/stl_heap.h), with which the released
    wheels for Linux are built; the C++ standard leaves that order open.
    allocated: how many hypotheses there are since the agenda was shrunk last.
    """

    lattice: NodeLattice
    size: int
    agenda: list[Hypothesis] = field(default_factory=list)
    allocated: int = 1
    most_allocated: int = MOST_SINCE_SHRINKING
    shrinkings: int = 0

    def paths(self) -> list[tuple[Sequence[int], float]]:
        """The nodes of each, by their indices, and its score."""
        found: list[tuple[Sequence[int], float]] = []
        end, total = self.lattice.best[-1], 1
        heappush(self.agenda, Hypothesis(len(self.lattice.nodes) - 1, None, end.score, 0.0))
        while self.agenda:
            top = heappop(self.agenda)
            if top.node == 0:
                found.append((nodes_behind(top)[:-1], top.estimate))
                if len(found) == self.size:
                    break
                continue
            expanded = self._expand(top)
            total += expanded
            self.allocated += expanded
            if total >= MOST_HYPOTHESES or self.allocated >= MOST_HYPOTHESES:
                return [self._best()]
            if self._is_crowded():
                if self.shrinkings >= MOST_SHRINKINGS:
                    return [self._best()]
                self._shrink()
        return found

    def _best(self) -> tuple[Sequence[int], float]:
        """The path that Viterbi found."""
        return [index for _, index, _ in path_to_end(self.lattice.best)[:-1]], self.lattice.best[-1].score

    def _expand(self, top: Hypothesis) -> int:
        """Queue the path with each node before it; how many these are."""
        nodes, best = self.lattice.nodes, self.lattice.best
        before = self.lattice.ending[nodes[top.node].start]
        for index in before:
            estimate = to_float32(best[index].score + top.path_score)
            path_score = to_float32(nodes[index].score + top.path_score)
            heappush(self.agenda, Hypothesis(index, top, estimate, path_score))
        return len(before)

    @property
    def _kept(self) -> int:
        return min(_KEPT_AT_MOST, self.size * _KEPT_PER_RESULT)

    def _is_crowded(self) -> bool:
        waiting = len(self.agenda)
        return waiting >= MOST_ON_AGENDA or (waiting > self._kept and self.allocated >= self.most_allocated)

    def _shrink(self) -> None:
        """Keep the best of the agenda and the paths behind them."""
        kept: list[Hypothesis] = []
        reached: set[int] = set()
        for _ in range(min(len(self.agenda), self._kept)):
            top = heappop(self.agenda)
            heappush(kept, top)
            hypothesis: Hypothesis | None = top
            while hypothesis is not None and id(hypothesis) not in reached:
                reached.add(id(hypothesis))
                hypothesis = hypothesis.following
        self.agenda = kept
        self.allocated = len(reached)
        self.most_allocated = self.allocated + MOST_SINCE_SHRINKING
        self.shrinkings += 1


def nodes_behind(hypothesis: Hypothesis) -> list[int]:
    """The nodes behind the first one of a path, by their indices; the last is the empty one at the end."""
    path: list[int] = []
    following = hypothesis.following
    while following is not None:
        path.append(following.node)
        following = following.following
    return path
