"""The unigram language model of sentencepiece: the segmentation with the highest sum of scores, in float32.

Source: sentencepiece 0.2.3, unigram_model.cc (`Model::EncodeOptimized`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import TypeAlias

from reftok.errors import ModelFormatError
from reftok.rules.longest_first import EntriesByBeginning
from reftok.rules.sentencepiece.model import PieceModel
from reftok.rules.sentencepiece.pieces import PieceTable, PieceType, Segment
from reftok.rules.viterbi import (
    LARGEST_FLOAT32,
    UNK_PENALTY,
    Best,
    PieceMatch,
    best_paths,
    path_to_end,
    to_float32,
)

RESET_THRESHOLD = 100_000.0

Entry: TypeAlias = tuple[int, float]
"""The id of a piece and its score."""


def user_defined_score(length: int) -> float:
    """The score of a user-defined piece of this length, whatever the file says.

    >>> user_defined_score(1), user_defined_score(6)
    (0.0, 0.5)
    """
    return to_float32(0.1 * (length - 1))


class SentencePieceUnigram(PieceModel):
    """Viterbi over the pieces that match text.

    Quirks: the score of the best path is summed up from the start of the *whole* text in float32, so that what is
    chosen far into a long text depends on all that came before. When it is beyond 100,000 it starts at 0 again. On
    equal scores the piece that starts first stays (since 0.2.2; up to 0.2.1 a sum was compared in float64 with sums
    that were rounded when they were stored, so that the later one could win). A user-defined piece scores 0.1 for each
    byte but the first, whatever its own score; so it wins as long as the other scores are negative. Unused pieces never
    match. The unknown piece scores 10 less than the lowest NORMAL piece.

    >>> from reftok.rules.sentencepiece.pieces import Piece
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
        self.unknown = table.unk_id, to_float32(min(normal, default=LARGEST_FLOAT32) - UNK_PENALTY)
        self.entries: dict[str, Entry] = {
            piece: (token_id, score if piece_type is PieceType.NORMAL else self._score(token_id))
            for piece, token_id in table.text_ids.items()
            for _, score, piece_type in (table.pieces[token_id],)
            if piece_type is not PieceType.UNUSED
        }

    @cached_property
    def by_beginning(self) -> EntriesByBeginning:
        """The pieces that match text, by what they begin with."""
        return EntriesByBeginning(self.entries)

    def _score(self, token_id: int) -> float:
        piece = self.table.pieces[token_id]
        if piece.type is PieceType.USER_DEFINED:
            return user_defined_score(len(piece.piece.encode("utf-8")))
        return piece.score

    def matches(self, text: str, start: int) -> list[PieceMatch]:
        """The pieces that begin at `start`, shortest first; the unknown piece where the first character is none."""
        found = [(start + len(piece), *self.entries[piece]) for piece in self.by_beginning.at(text, start)]
        if not found or found[-1][0] > start + 1:
            found.append((start + 1, *self.unknown))
        return found[::-1]

    def segments(self, text: str) -> Sequence[Segment]:
        """The parts of the text with the ids of their pieces."""
        return [(text[start:end], token_id) for start, end, token_id in path_to_end(self.best_paths(text))]

    def best_paths(self, text: str, score: float = 0.0) -> list[Best]:
        """For each position the best path that ends there. score: of the path before the text."""
        return best_paths(len(text), partial(self.matches, text), to_float32, RESET_THRESHOLD, score=score)
