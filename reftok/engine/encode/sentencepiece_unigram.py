"""Unigram of sentencepiece: word by word where whole words come, else character by character."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, compress, count
from operator import not_

from reftok.engine.encode.segment_ids import SegmentIds
from reftok.engine.sinks import StreamedModel
from reftok.engine.unigram.fast_sentencepiece_unigram import SUMS, FastSentencePieceUnigram
from reftok.engine.unigram.running_score import RunningScore
from reftok.engine.unigram.search import Search
from reftok.engine.unigram.trie import Ids

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
            self._parts(first)
        for start in range(0, len(keys), _BLOCK):
            self._looked_up(keys[start : start + _BLOCK], self._model.paths_of_keys, self._word)
        if last:
            self._parts(last)

    def _word(self, key: str) -> None:
        """A word that is not looked up whole."""
        self._parts(self._model.split_points.word(key))

    def _parts(self, word: str) -> None:
        """The text between two places that no piece spans, cut at all such places."""
        self._looked_up(self._model.split_points.parts(word), self._model.sure_paths, self._part)

    def _part(self, part: str) -> None:
        """What is not looked up."""
        self._search(part, is_end=True)
        self._end_search()

    def _looked_up(self, texts: Sequence[str], paths: Mapping[str, Ids], otherwise: Callable[[str], None]) -> None:
        """Texts that no piece spans the ends of: those for which there is no path go another way."""
        found = [*map(paths.__getitem__, texts)]
        sure = 0
        for unsure in () if all(found) else compress(count(), map(not_, found)):
            self._sure(texts[sure:unsure], found[sure:unsure], otherwise)
            otherwise(texts[unsure])
            sure = unsure + 1
        self._sure(texts[sure:], found[sure:], otherwise)

    def _sure(self, texts: Sequence[str], found: Sequence[Ids], otherwise: Callable[[str], None]) -> None:
        """Texts with their paths, as long as there is room."""
        ids = [*chain.from_iterable(found)]
        # A piece has one character at least; an unknown one may have several ids, and a key is a word without one.
        most = min(len(ids), sum(map(len, texts)) + len(texts))
        if self._score.has_room(most):
            self._score.add(ids, most)
            self._segment_ids.add_ids(ids)
        elif len(texts) == 1:
            otherwise(texts[0])
        elif texts:
            middle = len(texts) // 2
            self._sure(texts[:middle], found[:middle], otherwise)
            self._sure(texts[middle:], found[middle:], otherwise)

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
