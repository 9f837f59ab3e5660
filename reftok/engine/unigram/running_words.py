"""Unigram of sentencepiece word by word, where the score before a word need only be known within bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from operator import length_hint

from reftok.engine.encode.segment_ids import SegmentIds
from reftok.engine.unigram.fast_sentencepiece_unigram import SURE, FastSentencePieceUnigram, UnsureWord, rounded_sum
from reftok.engine.unigram.running_score import RunningScore

_BLOCK = 512


class RunningWords:
    """Puts the ids of words between which no piece reaches, one after the other.

    Only the score at its start is what came before a word can change, and almost every word is segmented in the same
    way whatever it is, as long as it is nearer to 0 than `SURE`. Such words go by the hundred without a step of Python
    for each.

    segment_ids: takes the ids.
    search: takes a word that is not looked up whole, and gives its ids to `add_ids` or puts them itself.

    score: the score behind all words so far.
    """

    def __init__(self, model: FastSentencePieceUnigram, segment_ids: SegmentIds, search: Callable[[str], None]) -> None:
        self._model = model
        self._segment_ids = segment_ids
        self._search = search
        # Bytes that stand for an unknown character count as one each: `_count` does not tell them from known ids.
        has_unknown_ids = not model.model.table.byte_fallback
        largest = max(model.largest_known, model.largest / 2) if has_unknown_ids else model.largest
        self.score = RunningScore(largest, SURE, self._added)

    def _added(self, score: float, ids: Iterable[int]) -> float:
        return rounded_sum(score, map(self._model.scores.__getitem__, ids))

    def _count(self, ids: Sequence[int]) -> int:
        """How many known ids could have a score as far from 0: an unknown one, which is far off, counts twice."""
        return len(ids) + ids.count(self._model.unknown[0])

    def add_ids(self, ids: Sequence[int]) -> None:
        """The next ids; unknown ones are not joined yet."""
        self.score.add(ids, self._count(ids))
        if self._model.unknown[0] in ids:
            self._segment_ids.add_ids(ids)
        else:
            self._segment_ids.add_plain(ids)

    def add(self, text: str) -> None:
        """Adds the text between two cuts."""
        first, keys, last = self._model.cuts.keys(text)
        if first:
            self._search(first)
        for start in range(0, len(keys), _BLOCK):
            self._add_keys(keys[start : start + _BLOCK])
        if last:
            self._search(last)

    def _add_keys(self, keys: Sequence[str]) -> None:
        """A list keeps what was put into it before an iterator raises, and the iterator goes on behind that."""
        remaining = iter(keys)
        sure = self._model.sure_ids.__getitem__
        while length_hint(remaining):
            ids: list[int] = []
            start = len(keys) - length_hint(remaining)
            unsure = None
            try:
                ids += chain.from_iterable(map(sure, remaining))
            except UnsureWord as found:
                unsure = found
            end = len(keys) - length_hint(remaining) - (unsure is not None)
            self._add_sure(keys[start:end], ids)
            if unsure is None:
                continue
            if unsure.ids and self.score.has_room(self._count(unsure.ids)):
                self.add_ids(unsure.ids)
            else:
                self._search(unsure.word)

    def _add_sure(self, keys: Sequence[str], ids: Sequence[int]) -> None:
        """Words whose ids are these as long as there is room."""
        count = self._count(ids)
        if self.score.has_room(count):
            self.score.add(ids, count)
            self._segment_ids.add_plain(ids)
        else:
            for key in keys:
                self._search(self._model.cuts.word(key))
