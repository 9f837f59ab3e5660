"""The models of sentencepiece and llama.cpp that cut the whole text between pairs of characters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from reftok.engine.bpe.fast_sentencepiece_bpe import FastSentencePieceBPE
from reftok.engine.bpe.fast_spm import FastSPM
from reftok.engine.encode.segment_ids import SegmentIds
from reftok.engine.split_points.words import FastChar


class StreamedCuts(ABC):
    """Gives the ids up to the last place that no piece can span; one character behind it is known by then.

    last_cut: the last such place in a text, 0 where there is none.
    ids: where the ids are put.

    _last: the last character of the part so far.
    _is_stuck: whether the rest of the part must be held.
    """

    holds_parts = ""

    def __init__(self, last_cut: Callable[[str], int], ids: list[int]) -> None:
        self._last_cut = last_cut
        self._ids = ids
        self._begin()

    def _begin(self) -> None:
        self._fragments: list[str] = []
        self.held = 0
        self._last = ""
        self._is_stuck = False

    def text(self, fragment: str) -> None:
        self._fragments.append(fragment)
        self.held += len(fragment)
        if self._is_stuck:
            return
        window = self._last + fragment
        self._last = fragment[-1]
        cut = self._last_cut(window)
        if cut:
            text = "".join(self._fragments)
            end = len(text) - len(window) + cut
            if self._give(text[:end]):
                self._fragments = [text[end:]]
                self.held = len(text) - end
            else:
                self._is_stuck = True
                self._fragments = [text]

    @abstractmethod
    def _give(self, text: str) -> bool:
        """Put the ids of what stands between two cuts; False where other text can change them."""

    @abstractmethod
    def _give_rest(self, text: str) -> None:
        """Put the ids of what was held when the part ends."""

    def end_part(self) -> None:
        if self.held:
            self._give_rest("".join(self._fragments))
            self._begin()

    def parts(self, parts: Sequence[str]) -> None:
        for part in parts:
            self.text(part)
            self.end_part()

    def token(self, token_id: int) -> None:
        self._ids.append(token_id)


class StreamedChar(StreamedCuts):
    """Characters or words of sentencepiece."""

    def __init__(self, model: FastChar, ids: list[int]) -> None:
        super().__init__(model.last_cut, ids)
        self._model = model.model
        self._segment_ids = SegmentIds(self._model.table, ids)

    def _give(self, text: str) -> bool:
        self._segment_ids.add(self._model.segments(text))
        return True

    def _give_rest(self, text: str) -> None:
        self._give(text)
        self._segment_ids.end_part()


class StreamedSentencePieceBPE(StreamedCuts):
    """BPE of sentencepiece.

    What an unused piece is split into can depend on the whole text. From such a piece on the part is held, and the
    whole of it is kept for the case where the model has one.

    _whole: what was given of the part, where it is kept; last what could not be given.
    """

    def __init__(self, model: FastSentencePieceBPE, ids: list[int]) -> None:
        super().__init__(model.cuts.last_cut, ids)
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
        if self._is_stuck or not self._give(text):
            whole = "".join([*self._whole[:-1], text])
            self._ids += self._model.ids_of(whole)[self._segment_ids.given :]
        self._segment_ids.end_part()
        self._whole.clear()


class StreamedSPM(StreamedCuts):
    """SPM of llama.cpp. A byte that is no UTF-8 takes those behind it into its symbol: from there the part is held."""

    def __init__(self, model: FastSPM, ids: list[int]) -> None:
        super().__init__(model.cuts.last_cut, ids)
        self._model = model

    def text(self, fragment: str) -> None:
        if not fragment.isascii() and any("\ud800" <= character <= "\udfff" for character in fragment):
            self._is_stuck = True
        super().text(fragment)

    def _give(self, text: str) -> bool:
        self._ids += self._model.ids_of(text)
        return True

    def _give_rest(self, text: str) -> None:
        self._give(text)
