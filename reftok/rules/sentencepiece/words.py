"""The two simplest models of sentencepiece: each character is a piece, or each word is.

Source: sentencepiece 0.2.3, char_model.cc, word_model.cc, model_interface.cc (`SplitIntoWords`).
"""

from __future__ import annotations

from collections.abc import Sequence

import regex

from reftok.rules.sentencepiece.model import PieceModel
from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL, PieceTable, Segment

_WORDS = regex.compile(f"{SPACE_SYMBOL}[^{SPACE_SYMBOL}]*|[^{SPACE_SYMBOL}]+")


class SentencePieceChar(PieceModel):
    """Each user-defined symbol is a piece, and each character between them.

    Quirk: a character whose piece is unused is unknown.
    """

    def __init__(self, table: PieceTable, source: str = "") -> None:
        super().__init__(table)
        self.source = source

    def segments(self, text: str) -> Sequence[Segment]:
        """The parts of the text with the ids of their pieces."""
        parts, _ = self.table.matcher.split(text)
        return [(part, self.table.usable_id(part)) for part in parts]


class SentencePieceWord(SentencePieceChar):
    """Each `▁` begins a word, and each word is a piece.

    Quirk: user-defined symbols are not cut out.
    """

    def segments(self, text: str) -> Sequence[Segment]:
        """The words of the text with the ids of their pieces."""
        return [(word, self.table.usable_id(word)) for word in _WORDS.findall(text)]
