"""The two simplest models of sentencepiece: a piece a character, and a piece a word.

Source: sentencepiece 0.2.3, char_model.cc, word_model.cc, model_interface.cc (`SplitIntoWords`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import regex

from reftok.sentencepiece_pieces import SPACE_SYMBOL, PieceTable, Segment
from reftok.types import Token

_WORDS = regex.compile(f"{SPACE_SYMBOL}[^{SPACE_SYMBOL}]*|[^{SPACE_SYMBOL}]+")


class SentencePieceChar:
    """Each user-defined symbol is a piece, and each character between them.

    Quirk: a character whose piece is unused is unknown.
    """

    def __init__(self, table: PieceTable, source: str = "") -> None:
        self.table = table
        self.source = source

    @property
    def vocab(self) -> Mapping[str, int]:
        """Piece to id."""
        return self.table.vocab

    def id_to_token(self, token_id: int) -> str | None:
        """The piece of an id, None for an id outside the vocab."""
        return self.table.id_to_token(token_id)

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of the normalized text."""
        return self.table.tokens(self.segments(text))

    def token_ids(self, text: str) -> list[int]:
        """The ids of `tokenize`, and nothing else."""
        return self.table.token_ids(self.segments(text))

    def segments(self, text: str) -> Sequence[Segment]:
        """The parts of the text with the ids of their pieces."""
        parts, _ = self.table.matcher.split(text)
        return [(part, self.table.usable_id(part)) for part in parts]


class SentencePieceWord(SentencePieceChar):
    """Each `▁` begins a word, and each word is a piece.

    Quirk: user-defined symbols are words like others, they are not cut out.
    """

    def segments(self, text: str) -> Sequence[Segment]:
        """The words of the text with the ids of their pieces."""
        return [(word, self.table.usable_id(word)) for word in _WORDS.findall(text)]
