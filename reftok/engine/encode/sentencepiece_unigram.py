"""Unigram of sentencepiece: word by word where whole words come, else character by character."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, compress, count
from operator import not_

from reftok.engine.encode.segment_ids import SegmentIds
from reftok.engine.sinks import StreamedModel
from reftok.engine.unigram.fast_sentencepiece_unigram import SUMS, FastSentencePieceUnigram
from reftok.engine.unigram.running_score import RunningScore
from reftok.engine.unigram.search import Search

_SHORT = 4
"""A fragment of fewer code points is taken character by character."""

_BLOCK = 512


class StreamedSentencePieceUnigram(Search, StreamedModel):
    """Gives a piece as soon as all paths that may still win begin with it.

    Only the score at its start is what came before can change of the text behind a place that no piece spans, and
    almost every word between two of them is segmented in the same way whatever it is, as long as it is nearer to 0 than
    `SUMS.sure`. Such words are looked up, and go by the hundred without a step of Python for each. The others are
    searched, and so is what comes behind the last such place, and short fragments.

    model: whose ids are taken.
    ids: where they are put.

    _waiting: what is behind the last such place and not searched, until more text comes.
    _last: the last character of what is searched, '' at such a place.
    """

    def __init__(self, model: FastSentencePieceUnigram, ids: list[int]) -> None:
        score = RunningScore(SUMS, model.scores.__getitem__, model.largest)
        super().__init__(model.undecided_texts, model.whole_texts, SUMS, score)
        self._model = model
        self._segment_ids = SegmentIds(model.model.table, ids)
        self._ids = ids
        self._waiting = ""
        self._last = ""

    @property
    def held(self) -> int:
        return self._undecided_size + len(self._waiting)

    def text(self, fragment: str) -> None:
        is_short = len(fragment) < _SHORT
        if self._last and not is_short:
            first_split_point = self._model.split_points.first(self._last + fragment) - 1
            if first_split_point < len(fragment):
                self._search(fragment[:first_split_point], is_end=True)
                self._end_search()
                self._last, fragment = "", fragment[first_split_point:]
        text, self._waiting = self._waiting + fragment, ""
        last_split_point = 0 if is_short or self._last else self._model.split_points.last(text)
        if last_split_point:
            self._words(text[:last_split_point])
            self._waiting = text[last_split_point:]
        else:
            self._search(text)
            self._last = text[-1]

    def _words(self, text: str) -> None:
        """The text between two places that no piece spans."""
        first, keys, last = self._model.split_points.keys(text)
        if first:
            self._word(first)
        for start in range(0, len(keys), _BLOCK):
            block = keys[start : start + _BLOCK]
            found = [*map(self._model.sure_ids.__getitem__, block)]
            sure = 0
            for unsure in () if all(found) else compress(count(), map(not_, found)):
                self._sure(block[sure:unsure], found[sure:unsure])
                self._word(self._model.split_points.word(block[unsure]))
                sure = unsure + 1
            self._sure(block[sure:], found[sure:])
        if last:
            self._word(last)

    def _sure(self, keys: Sequence[str], found: Sequence[Sequence[int]]) -> None:
        """Words with their ids, as long as there is room."""
        ids = [*chain.from_iterable(found)]
        if self._score.has_room(len(ids)):
            self._score.add(ids)
            self._segment_ids.add_plain(ids)
        else:
            for key in keys:
                self._word(self._model.split_points.word(key))

    def _word(self, word: str) -> None:
        """A word that is not looked up whole."""
        self._search(word, is_end=True)
        self._end_search()

    def _give(self, ids: Sequence[int]) -> None:
        self._segment_ids.add_ids(ids)

    def end_pre_token(self) -> None:
        if self._last:
            self._end_search()
            self._last = ""
        elif self._waiting:
            self._words(self._waiting)
            self._waiting = ""
        self._segment_ids.end_pre_token()
        self._score.start(0.0)
