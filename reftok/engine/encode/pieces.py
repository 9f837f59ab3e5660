"""The models of sentencepiece and llama.cpp that cut the whole text, but for Unigram."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from sys import maxsize

from reftok.engine.bpe.fast_scored_bpe import FastSentencePieceBPE, FastSPM
from reftok.engine.encode.merges import StreamedAtSplitPoints
from reftok.engine.encode.segment_ids import SegmentIds, ids_of_segments
from reftok.engine.fast_model import FastModel
from reftok.engine.split_points import PairSplitPoints
from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL
from reftok.rules.sentencepiece.words import SentencePieceChar


class FastChar(FastModel[SentencePieceChar]):
    """Characters: no user-defined symbol spans the place between two that stand side by side in none."""

    def __init__(self, model: SentencePieceChar) -> None:
        super().__init__(model)
        self._split_points = PairSplitPoints(model.table.matcher.symbols)

    def ids_of(self, text: str) -> Sequence[int]:
        return ids_of_segments(self.model.table, self.model.segments(text))

    def last_split_point(self, text: str) -> int:
        """The last place where a text can be cut, however it goes on, 0 where there is none."""
        return self._split_points.last(text)


class FastWord(FastChar):
    """Words: each `▁` begins one."""

    def last_split_point(self, text: str) -> int:
        return max(text.rfind(SPACE_SYMBOL), 0)


class StreamedPieces(StreamedAtSplitPoints):
    """Text that is cut from its beginning on.

    last_split_point: the last place in a text that no piece can span, 0 where there is none.
    """

    def __init__(self, last_split_point: Callable[[str], int], ids: list[int]) -> None:
        super().__init__(ids)
        self._last_split_point = last_split_point

    def text(self, fragment: str) -> None:
        self._fragments.append(fragment)
        self._size += len(fragment)
        if self._limit:
            return
        window = self._window + fragment
        self._window = fragment[-1]
        cut = self._last_split_point(window)
        if cut:
            self._cut(len(window) - cut)


class StreamedChar(StreamedPieces):
    """Characters or words of sentencepiece."""

    def __init__(self, model: FastChar, ids: list[int]) -> None:
        super().__init__(model.last_split_point, ids)
        self._model = model.model
        self._segment_ids = SegmentIds(self._model.table, ids)

    def _give(self, text: str) -> bool:
        self._segment_ids.add(self._model.segments(text))
        return True

    def _give_rest(self, text: str) -> None:
        self._give(text)
        self._segment_ids.end_pre_token()


class StreamedSentencePieceBPE(StreamedPieces):
    """BPE of sentencepiece.

    What an unused piece is split into can depend on the whole text. From such a piece on the pre-token is held, and the
    whole of it is kept for the case where the model has one.

    _whole: what was given of the pre-token, where it is kept; last what could not be given.
    """

    def __init__(self, model: FastSentencePieceBPE, ids: list[int]) -> None:
        super().__init__(model.split_points.last, ids)
        self._model = model
        self._segment_ids = SegmentIds(model.model.table, ids)
        self._whole: list[str] = []

    def _give(self, text: str) -> bool:
        if not self._model.has_unused:
            self._segment_ids.add_ids(self._model.ids_of_words(text))
            return True
        segments, is_all = self._model.settled_segments(text)
        self._segment_ids.add(segments)
        if self._model.may_depend_on_all:
            self._whole.append(text)
        return is_all

    def _give_rest(self, text: str) -> None:
        if self._limit == maxsize or not self._give(text):
            whole = "".join([*self._whole[:-1], text])
            self._ids += self._model.ids_of(whole)[self._segment_ids.given :]
        self._segment_ids.end_pre_token()
        self._whole.clear()


class StreamedSPM(StreamedPieces):
    """SPM of llama.cpp. A byte that is no UTF-8 takes those behind it into its symbol: from there on all is held."""

    def __init__(self, model: FastSPM, ids: list[int]) -> None:
        super().__init__(model.split_points.last, ids)
        self._model = model

    def text(self, fragment: str) -> None:
        if not fragment.isascii() and any("\ud800" <= character <= "\udfff" for character in fragment):
            self._limit = maxsize
        super().text(fragment)

    def _give(self, text: str) -> bool:
        self._ids += self._model.ids_of(text)
        return True

    def _give_rest(self, text: str) -> None:
        self._give(text)
