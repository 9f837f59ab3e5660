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
"""Beyond it the library lets sums start from 0 again: a float32 of this size is exact to 0.008 only."""

Entry: TypeAlias = tuple[int, float]
"""The id of a piece and its score."""


def user_defined_score(length: int) -> float:
    """The score of a user-defined piece of `length` bytes; the score in the file does not count.

    >>> user_defined_score(1), user_defined_score(6)
    (0.0, 0.5)
    """
    return to_float32(0.1 * (length - 1))


class SentencePieceUnigram(PieceModel):
    """Viterbi over the pieces that match text.

    Quirks: scores are summed from the start of the *whole* text in float32, so that the pieces far into a long text
    depend, by rounding, on everything before. When a sum is beyond 100,000, it starts from 0 again. Of equal sums the
    one found first stays (since 0.2.2; up to 0.2.1 a sum in float64 was compared with stored sums, which were rounded,
    so that a later one could win). A user-defined piece scores 0.1 for each byte but the first, whatever its own score;
    so it wins as long as the other scores are negative. Unused pieces never match. The unknown piece scores 10 less
    than the lowest NORMAL piece.

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
        # Without a normal piece the library starts from the largest float; the difference rounds to that again.
        normal = [piece.score for piece in table.pieces if piece.type is PieceType.NORMAL]
        self.unknown = table.unk_id, to_float32(min(normal, default=LARGEST_FLOAT32) - UNK_PENALTY)
        self.entries: dict[str, Entry] = {
            piece: (token_id, self._score(token_id))
            for piece, token_id in table.text_ids.items()
            if table.pieces[token_id].type is not PieceType.UNUSED
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
        """The pieces that begin at `start`, shortest first; the unknown piece too if the first character is none."""
        found = [(start + len(piece), *self.entries[piece]) for piece in self.by_beginning.at(text, start)]
        if not found or found[-1][0] > start + 1:
            found.append((start + 1, *self.unknown))
        return found[::-1]  # the library walks down a trie, so it finds the shortest first

    def segments(self, text: str) -> Sequence[Segment]:
        """The parts of the text with the ids of their pieces."""
        return [(text[start:end], token_id) for start, end, token_id in path_to_end(self.best_paths(text))]

    def best_paths(self, text: str, score: float = 0.0) -> list[Best]:
        """For each position the best path that ends there. score: of the path before the text."""
        return best_paths(len(text), partial(self.matches, text), to_float32, RESET_THRESHOLD, score=score)
