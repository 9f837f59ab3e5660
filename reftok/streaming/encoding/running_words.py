"""Unigram of sentencepiece word by word, where the score before a word need only be known within bounds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import length_hint

from reftok.models.sentencepiece_unigram import SURE, SentencePieceUnigram, UnsureWord, rounded_sum
from reftok.streaming.encoding.segment_ids import SegmentIds

_BLOCK = 256
_MOST_PENDING = 1 << 14
_WITH_ROUNDING = 1.01
"""Each of so many sums is rounded by 2**-24 of its value at most."""


class RunningWords:
    """Puts the ids of words between which no piece reaches, one after the other.

    Only the score at its start is what came before a word can change, and almost every word is segmented in the same
    way whatever it is, as long as it is nearer to 0 than `SURE`. Such words go by the hundred without a step of Python
    for each. Their scores are summed up only where a word asks for the sum. Until then it is known how far it can have
    gone: no piece has a score beyond `largest`.

    segment_ids: takes the ids.

    _score: the score behind all words but those of `_pending`, the ids that have not been summed up.
    """

    def __init__(self, model: SentencePieceUnigram, segment_ids: SegmentIds) -> None:
        self._model = model
        self._segment_ids = segment_ids
        self._score = 0.0
        self._pending: list[int] = []

    def start(self, score: float) -> None:
        """The score is this one."""
        self._score = score
        self._pending.clear()

    def score(self) -> float:
        """The score behind all words so far."""
        if self._pending:
            self._score = rounded_sum(self._score, map(self._model.scores.__getitem__, self._pending))
            self._pending.clear()
        return self._score

    def add(self, text: str) -> None:
        """What stands between two cuts."""
        first, keys, last = self._model.cuts.keys(text)
        if first:
            self._add_word(first)
        for start in range(0, len(keys), _BLOCK):
            self._add_keys(keys[start : start + _BLOCK])
        if last:
            self._add_word(last)

    def _add_keys(self, keys: Sequence[str]) -> None:
        """A list keeps what was put into it before an iterator raises, and the iterator goes on behind that."""
        remaining = iter(keys)
        sure = self._model.sure_ids.__getitem__
        while length_hint(remaining):
            ids: list[int] = []
            before = len(keys) - length_hint(remaining)
            unsure = None
            try:
                ids += chain.from_iterable(map(sure, remaining))
            except UnsureWord as found:
                unsure = found.word
            if self._is_within_bounds(len(ids), SURE):
                self._pending += ids
                add_ids = self._segment_ids.add_ids if self._model.has_joined_words else self._segment_ids.add_plain
                add_ids(ids)
            else:
                after = len(keys) - length_hint(remaining) - (unsure is not None)
                for key in keys[before:after]:
                    self._add_word(self._model.cuts.word(key))
            if unsure is not None:
                self._add_word(unsure)

    def _is_within_bounds(self, count: int, bound: float) -> bool:
        """Whether the score cannot be as far from 0 as the bound, not even behind so many more ids."""
        reach = self._model.largest * _WITH_ROUNDING
        pending = len(self._pending)
        if pending < _MOST_PENDING and abs(self._score) + (pending + count) * reach < bound:
            return True
        return abs(self.score()) + count * reach < bound

    def _add_word(self, word: str) -> None:
        model = self._model
        for part in model.cuts.short_parts(word):
            best = model.best_of_part[part] if len(part) <= model.longest_sure else None
            if best is None or not self._is_within_bounds(0, best.tolerance):
                segments, self._score = model.segments_of_part(part, self.score())
                self._segment_ids.add(segments)
                continue
            self._pending += best.ids
            if best.is_plain:
                self._segment_ids.add_ids(best.ids)
            else:
                self._segment_ids.add(best.segments(part))
