"""The unigram language model of sentencepiece: the segmentation with the highest sum of scores, in float32.

Source: sentencepiece 0.2.3, unigram_model.cc (`Model::EncodeOptimized`).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from math import nan
from typing import TypeAlias

from reftok.engine.caches import Results
from reftok.engine.split_points.pairs import PairCuts
from reftok.engine.unigram.trie import Entry, PieceTrie
from reftok.engine.unigram.undecided_text import LOST, Path, UndecidedTexts, Unknown
from reftok.errors import ModelFormatError
from reftok.spec.sentencepiece.model import PieceModel
from reftok.spec.sentencepiece.pieces import BYTE_PIECES, PieceTable, PieceType, Segment
from reftok.spec.steps import Lattice, Node

UNK_PENALTY = 10.0
RESET_THRESHOLD = 100_000.0
_LARGEST_FLOAT32 = 3.4028234663852886e38
SURE = 98_000.0
"""A score nearer to 0 than this changes nothing in almost any word."""

_LONG_WORD = 64
_ROUNDING = 2.0**-24

Match: TypeAlias = tuple[int, int, float]
"""Where a piece ends, its id and its score."""

KnownPart: TypeAlias = tuple[list[Segment], Path]
"""The best segmentation of a part of the text, and its path."""


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


class UnsureWord(Exception):
    """A word whose ids are not known without what came before it.

    ids: those that its score is the sum of, if only unknown ones may have to be joined; else ().
    """

    def __init__(self, word: str, ids: Sequence[int]) -> None:
        super().__init__(word)
        self.word = word
        self.ids = ids


class UnsureIds:
    """Stands for the ids of such a word: whoever asks for them is told."""

    def __init__(self, word: str, ids: Sequence[int] = ()) -> None:
        self._word = word
        self._ids = ids

    def __iter__(self) -> Iterator[int]:
        raise UnsureWord(self._word, self._ids)


class SentencePieceUnigram(PieceModel):
    """Viterbi over the pieces that match text.

    Quirks: the score of the best path is summed up from the start of the *whole* text in float32, so that what is
    chosen far into a long text depends on all that came before. When it is beyond 100,000 it starts at 0 again. On
    equal scores the piece that starts first stays (since 0.2.2; up to 0.2.1 a sum was compared in float64 with sums
    that were rounded when they were stored, so that the later one could win). A user-defined piece scores 0.1 for each
    byte but the first, whatever its own score; so it wins as long as the other scores are negative. Unused pieces never
    match. The unknown piece scores 10 less than the lowest NORMAL piece.

    >>> from reftok.spec.sentencepiece.pieces import Piece
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
        self.largest_known = max((abs(score) for _, score in self._entries.values()), default=0.0)
        self.largest = max(self.largest_known, abs(self.unknown[1]))
        self.cuts = PairCuts(table.text_ids)
        self.scores = dict((*self._entries.values(), self.unknown, *self._scores_of_bytes()))
        self._known_parts: Results[KnownPart | None] = Results(self._known_part)
        self.sure_ids: Results[Iterable[int]] = Results(self._sure_ids)

    def _scores_of_bytes(self) -> Iterator[Entry]:
        """The bytes of an unknown character score together what it does: the first one all of it, the others 0."""
        for byte, piece in enumerate(BYTE_PIECES if self.table.byte_fallback else ()):
            yield self.table.vocab[piece], 0.0 if 0x80 <= byte < 0xC0 else self.unknown[1]

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
        """The fast twin of `segments_plainly`.

        One part at a time, remembered where it is the same whatever the score at its start is, as long as that is
        nearer to 0 than `SURE`: this score is the only thing that what came before can change.
        """
        segments: list[Segment] = []
        score = 0.0
        for word in self.cuts.words(text):
            for part in self.cuts.short_parts(word):
                known = self._known_parts[part] if abs(score) + len(part) * self.largest < SURE else None
                if known is None:
                    found, score = self.segments_plainly(part, score)
                else:
                    found, path = known
                    score = rounded_sum(score, map(self.scores.__getitem__, path))
                segments += found
        return segments

    def _known_part(self, part: str) -> KnownPart | None:
        """The bytes of a character are one unknown segment again, which the first of them stands for."""
        path = self.path(part)
        if path is None:
            return None
        segments: list[Segment] = []
        start = 0
        for token_id in path:
            end = start + self._lengths[token_id]
            if end > start:
                is_byte = self.table.pieces[token_id].type is PieceType.BYTE
                segments.append((part[start:end], self.unknown[0] if is_byte else token_id))
            start = end
        return segments, path

    def path(self, part: str) -> Path | None:
        """The best path through a part: ids of pieces, unknown ones not joined, or bytes where they fall to them.

        It is the same whatever the score at its start is, as long as no sum gets beyond `RESET_THRESHOLD`. None where
        it depends on that score.
        """
        undecided = self.undecided_texts.start
        path: list[int] = []
        for character in part:
            undecided, decided = undecided[character]
            if decided:
                path += decided
        return None if undecided is LOST or undecided.path is None else (*path, *undecided.path)

    @cached_property
    def _lengths(self) -> dict[int, int]:
        """How many code points each id of a path stands for: of the bytes of a character the first for all of it."""
        lengths = {token_id: len(piece) for piece, token_id in self.table.text_ids.items()}
        lengths[self.unknown[0]] = 1
        for byte, piece in enumerate(BYTE_PIECES if self.table.byte_fallback else ()):
            lengths[self.table.vocab[piece]] = int(not 0x80 <= byte < 0xC0)
        return lengths

    @cached_property
    def undecided_texts(self) -> UndecidedTexts:
        """The steps of `path` and of streams; made when it is first asked for."""
        unknown = Unknown(self.unknown[1], self._ids_of_unknown)
        return UndecidedTexts(self.trie, unknown, self._lengths, RESET_THRESHOLD * _ROUNDING)

    def _ids_of_unknown(self, character: str) -> tuple[int, ...]:
        return tuple(self.table.token_ids([(character, self.unknown[0])]))

    def _sure_ids(self, key: str) -> Iterable[int]:
        """The ids of a word, by its key, as long as the score before it is nearer to 0 than `SURE`.

        UnsureIds where that is not all that they depend on, or where unknown ids are to be joined.
        """
        word = self.cuts.word(key)
        path = self.path(word) if len(word) <= _LONG_WORD else None
        if path is None:
            return UnsureIds(word)
        unk_id = self.unknown[0]
        has_joined = path[0] == unk_id or (unk_id in path and (unk_id, unk_id) in pairwise(path))
        return UnsureIds(word, path) if has_joined else path


def rounded_sum(score: float, scores: Iterable[float]) -> float:
    """The sum of scores, one after the other added to `score` and rounded to float32.

    >>> rounded_sum(2.0**24, [1.0, 1.0]), rounded_sum(2.0**24, [2.0])
    (16777216.0, 16777218.0)
    """
    cell = array("f", (score,))
    for one in scores:
        cell[0] = score + one
        score = cell[0]
    return score


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
