"""The part that all models of sentencepiece share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from reftok.rules.sentencepiece.pieces import NO_ID, PieceTable, Segment
from reftok.rules.types import Token


class PieceModel(ABC):
    """A model over a table of pieces. Subclasses cut the text into segments; here these become tokens."""

    def __init__(self, table: PieceTable) -> None:
        self.table = table

    @abstractmethod
    def segments(self, text: str) -> Sequence[Segment]:
        """The parts of the normalized text with the ids of their pieces."""

    @property
    def vocab(self) -> Mapping[str, int]:
        """Piece to id."""
        return self.table.vocab

    @property
    def size(self) -> int:
        """The number of ids."""
        return len(self.table.pieces)

    @property
    def byte_fallback(self) -> bool:
        """Whether an unknown character becomes the pieces of its bytes."""
        return self.table.byte_fallback

    @property
    def unk_id(self) -> int | None:
        """The id of the unknown piece; None if the model has none."""
        return None if self.table.unk_id == NO_ID else self.table.unk_id

    def id_to_token(self, token_id: int) -> str | None:
        """The piece of an id; None for an id outside the vocab."""
        return self.table.id_to_token(token_id)

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of the normalized text."""
        return self.table.tokens(self.segments(text))
