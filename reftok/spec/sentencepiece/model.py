"""The part of a sentencepiece model that does not depend on how it cuts the text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from reftok.spec.sentencepiece.pieces import PieceTable, Segment
from reftok.spec.types import Token


class PieceModel(ABC):
    """What all models over a table of pieces share: the vocab, and segments turned into tokens."""

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
        """How many ids it has."""
        return len(self.table.pieces)

    def id_to_token(self, token_id: int) -> str | None:
        """The piece of an id, None for an id outside the vocab."""
        return self.table.id_to_token(token_id)

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of the normalized text."""
        return self.table.tokens(self.segments(text))

    def token_ids(self, text: str) -> list[int]:
        """The ids of `tokenize`, and nothing else."""
        return self.table.token_ids(self.segments(text))
