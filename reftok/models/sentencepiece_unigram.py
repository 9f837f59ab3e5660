"""The unigram language model of sentencepiece: the segmentation with the highest sum of scores, in float32.

Source: sentencepiece 0.2.3, unigram_model.cc (`Model::EncodeOptimized`).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import inf, nan
from typing import TypeAlias

from reftok.cache import TwoGenerationCache
from reftok.errors import ModelFormatError
from reftok.models.pair_cuts import PairCuts
from reftok.models.piece_model import PieceModel
from reftok.models.piece_trie import Entry, PieceTrie
from reftok.sentencepiece_pieces import PieceTable, PieceType, Segment
from reftok.steps import Lattice, Node

UNK_PENALTY = 10.0
RESET_THRESHOLD = 100_000.0
_LARGEST_FLOAT32 = 3.4028234663852886e38
_CACHED_LENGTH = 256
_ROUNDING = 2.0**-24

Match: TypeAlias = tuple[int, int, float]
"""Where a piece ends, its id and its score."""


def to_float32(number: float) -> float:
    """The nearest float32; arrays of type 'f' round what is stored in them, which is the fastest way to do it.

    >>> to_float32(0.1) == 0.1, to_float32(0.5) == 0.5
    (False, True)
    """
    return array("f", (number,))[0]


def user_defined_score(length: int) -> float:
    """What a user-defined piece of this length scores, whatever the file says.

    >>> user_defined_score(1), user_defined_score(6)
    (0.0, 0.5)
    """
    return to_float32(0.1 * (length - 1))


@dataclass(frozen=True, slots=True)
class BestPart:
    """The best segmentation of a part of the text, in exact arithmetic.

    scores: of the segments, one after the other.
    tolerance: where the score at the start of the part is nearer to 0 than this, float32 chooses the same.
    """

    segments: Sequence[Segment]
    scores: Sequence[float]
    tolerance: float


class SentencePieceUnigram(PieceModel):
    """Viterbi over the pieces that match text.

    Quirks: the score of the best path is summed up from the start of the *whole* text in float32, so that what is
    chosen far into a long text depends on all that came before. When it is beyond 100,000 it starts at 0 again. On
    equal scores the piece that starts first stays. A user-defined piece scores 0.1 for each byte but the first,
    whatever its own score; so it wins as long as the other scores are negative. Unused pieces never match. The unknown
    piece scores 10 less than the lowest NORMAL piece.

    >>> from reftok.sentencepiece_pieces import Piece
    >>> pieces = [Piece("<unk>", 0.0, PieceType.UNKNOWN), Piece("a", -1.0), Piece("b", -1.5), Piece("ab", -2.0)]
    >>> model = SentencePieceUnigram(PieceTable(pieces))
    >>> [(token.id, token.value) for token in model.tokenize("abxyb")]
    [(3, 'ab'), (0, 'xy'), (2, 'b')]
    """

    def __init__(self, table: PieceTable, source: str = "") -> None:
        if not table.text_ids:
            raise ModelFormatError(source, "pieces", "no piece matches text")
        super().__init__(table)
        normal = [piece.score for piece in table.pieces if piece.type is PieceType.NORMAL]
        self.unknown = table.unk_id, to_float32(min(normal, default=_LARGEST_FLOAT32) - UNK_PENALTY)
        self._entries: dict[str, Entry] = {
            piece: (token_id, self._score(token_id))
            for piece, token_id in table.text_ids.items()
            if table.pieces[token_id].type is not PieceType.UNUSED
        }
        self.trie = PieceTrie.of(self._entries.items())
        self._longest = max(map(len, table.text_ids))
        self._largest = max(abs(score) for _, score in (self.unknown, *self._entries.values()))
        self.cuts = PairCuts(table.text_ids)
        self._cache: TwoGenerationCache[BestPart] = TwoGenerationCache()

    def _score(self, token_id: int) -> float:
        piece = self.table.pieces[token_id]
        if piece.type is PieceType.USER_DEFINED:
            return user_defined_score(len(piece.piece.encode("utf-8")))
        return piece.score

    def matches(self, text: str, start: int) -> list[Match]:
        """The pieces that begin at `start`, shortest first; the unknown piece where the first character is none."""
        node = self.trie.children.get(text[start])
        end = start + 1
        token_id, score = (node and node.entry) or self.unknown
        found = [(end, token_id, score)]
        size = len(text)
        while node is not None and end < size:
            node = node.children.get(text[end])
            end += 1
            if node is not None and node.entry is not None:
                found.append((end, *node.entry))
        return found

    def segments_plainly(self, text: str, score: float = 0.0) -> tuple[list[Segment], float]:
        """The parts of the text with the ids of their pieces; and the score of the best path, which begins at `score`.

        best: for each position the score of the best path that ends there, not-a-number where none has come yet: then
        the comparison fails, whatever the candidate. Storing a score rounds it, so it is compared again after that.
        """
        size = len(text)
        best = array("f", [nan]) * (size + 1)
        best[0] = score
        starts = [-1] * (size + 1)
        ids = [-1] * (size + 1)
        for start in range(size):
            here = best[start]
            if here < -RESET_THRESHOLD or here > RESET_THRESHOLD:
                for end in range(start, min(start + self._longest, size) + 1):
                    best[end] -= here
                here = 0.0
            for end, token_id, piece_score in self.matches(text, start):
                candidate = here + piece_score
                current = best[end]
                if not candidate <= current:
                    best[end] = candidate
                    if starts[end] < 0 or best[end] > current:
                        starts[end], ids[end] = start, token_id
                    else:
                        best[end] = current
        return traced(text, starts, ids), best[size]

    def explain(self, text: str) -> Lattice:
        """The pieces that match, and the best path; its score is that of the library, in float32."""
        nodes = [
            Node(start, end, text[start:end], token_id, score)
            for start in range(len(text))
            for end, token_id, score in self.matches(text, start)
        ]
        segments, score = self.segments_plainly(text)
        ends = list(accumulate((len(piece) for piece, _ in segments), initial=0))
        path = set(pairwise(ends))
        return Lattice(text, tuple(nodes), tuple(node for node in nodes if (node.start, node.end) in path), score)

    def segments(self, text: str) -> list[Segment]:
        """The fast twin of `segments_plainly`."""
        return self.segments_of_words(self.cuts.words(text), 0.0)[0]

    def segments_of_words(self, words: Iterable[str], score: float) -> tuple[list[Segment], float]:
        """The segments of words between which the text can be cut, and the score behind them.

        One part at a time, remembered with the scores that it holds for. The score at the start of a part is the only
        thing that what came before can change.
        """
        segments: list[Segment] = []
        rounded = array("f", [0.0])
        for word in words:
            for part in self.cuts.short_parts(word):
                best = self._cache.get(part)
                if best is None:
                    best = self.best_part(part)
                    if len(part) < _CACHED_LENGTH:
                        self._cache.put(part, best)
                if -best.tolerance < score < best.tolerance:
                    segments += best.segments
                    for piece_score in best.scores:
                        rounded[0] = score + piece_score
                        score = rounded[0]
                else:
                    found, score = self.segments_plainly(part, score)
                    segments += found
        return segments, score

    def best_part(self, part: str) -> BestPart:
        """The best segmentation of a part, and how far it is ahead of the second best.

        The second best path leaves the best one somewhere; there it takes the runner-up, and it is behind by what the
        runner-up is behind. Each of at most n sums is rounded by 2**-24 of its value at most, and that for both paths.
        """
        size = len(part)
        best = [0.0] + [-inf] * size
        margins = [inf] * (size + 1)
        starts = [-1] * (size + 1)
        ids = [-1] * (size + 1)
        for start in range(size):
            here = best[start]
            for end, token_id, piece_score in self.matches(part, start):
                ahead = here + piece_score - best[end]
                margins[end] = ahead if ahead > 0 else min(margins[end], -ahead)
                if ahead > 0:
                    best[end], starts[end], ids[end] = here + piece_score, start, token_id
        segments = traced(part, starts, ids)
        ends = list(accumulate(len(piece) for piece, _ in segments))
        margin = min((margins[end] for end in ends), default=inf)
        scores = [self._score_of(piece, token_id) for piece, token_id in segments]
        reach = size * self._largest
        tolerance = min(margin / (2.1 * max(size, 1) * _ROUNDING), 0.99 * RESET_THRESHOLD) - reach
        return BestPart(segments, scores, tolerance)

    def _score_of(self, piece: str, token_id: int) -> float:
        entry = self._entries.get(piece)
        return self.unknown[1] if entry is None or entry[0] != token_id else entry[1]


def traced(text: str, starts: Sequence[int], ids: Sequence[int]) -> list[Segment]:
    """The best path, followed back from the end of the text.

    >>> traced("abc", [-1, 0, 0, 2], [-1, 7, 8, 9])
    [('ab', 8), ('c', 9)]
    """
    segments: list[Segment] = []
    end = len(text)
    while end > 0:
        segments.append((text[starts[end] : end], ids[end]))
        end = starts[end]
    return segments[::-1]
