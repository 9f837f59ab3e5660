"""Safe split points of the two simplest models of sentencepiece: a piece a character, and a piece a word."""

from __future__ import annotations

from collections.abc import Sequence

from reftok.engine.encode.segment_ids import ids_of_segments
from reftok.engine.fast_model import FastModel
from reftok.engine.split_points.pairs import PairCuts
from reftok.spec.sentencepiece.pieces import SPACE_SYMBOL
from reftok.spec.sentencepiece.words import SentencePieceChar


class FastChar(FastModel[SentencePieceChar]):
    """Characters: no user-defined symbol spans the place between two that stand side by side in none."""

    def __init__(self, model: SentencePieceChar) -> None:
        super().__init__(model)
        self._cuts = PairCuts(model.table.matcher.symbols)

    def ids_of(self, text: str) -> Sequence[int]:
        return ids_of_segments(self.model.table, self.model.segments(text))

    def last_cut(self, text: str) -> int:
        """The last place where a text can be cut, however it goes on, 0 where there is none."""
        return self._cuts.last_cut(text)


class FastWord(FastChar):
    """Words: each `▁` begins one."""

    def last_cut(self, text: str) -> int:
        return max(text.rfind(SPACE_SYMBOL), 0)
