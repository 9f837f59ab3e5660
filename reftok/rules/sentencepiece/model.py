"""The part that all models of sentencepiece share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from reftok.rules.sentencepiece.pieces import NO_ID, PieceTable, Segment
from reftok.rules.types import Token


class PieceModel(ABC):
    """A model over a table of pieces. Subclasses cut the text into segments; here these become tokens.

    vocab: piece to id. size: the number of ids. byte_fallback: whether an unknown character becomes byte pieces.
    unk_id: of the unknown piece; None if the model has none.
    """

    def __init__(self, table: PieceTable) -> None:
        self.table = table
        self.vocab = table.vocab
        self.size = len(table.pieces)
        self.byte_fallback = table.byte_fallback
        self.unk_id = None if table.unk_id == NO_ID else table.unk_id

    @abstractmethod
    def segments(self, text: str) -> Sequence[Segment]:
        """The parts of the normalized text with the ids of their pieces."""

    def id_to_token(self, token_id: int) -> str | None:
        """The piece of an id; None for an id outside the vocab."""
        return self.table.id_to_token(token_id)

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of the normalized text."""
        return self.table.tokens(self.segments(text))
