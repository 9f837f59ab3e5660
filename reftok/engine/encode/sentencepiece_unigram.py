"""Unigram of sentencepiece: word by word where whole words come, else character by character."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain, compress, count
from operator import not_
from typing import TypeAlias

from reftok.engine.encode.segment_ids import SegmentIds
from reftok.engine.sinks import StreamedModel
from reftok.engine.unigram.fast_sentencepiece_unigram import NEAR, SUMS, FastSentencePieceUnigram
from reftok.engine.unigram.raw_words import RawWords
from reftok.engine.unigram.running_score import RunningScore
from reftok.engine.unigram.search import Search
from reftok.engine.unigram.trie import Ids

_SHORT = 4
"""A fragment of fewer code points is taken character by character."""

_BLOCK = 64
"""So many words go together; with more of them there is seldom room for all that their ids might score."""
_FEW = 16
"""So many are searched where there is no room."""

Otherwise: TypeAlias = Callable[[Sequence[str]], None]
"""Takes texts that are not looked up; no piece spans their ends."""


def _in_turn(
    texts: Sequence[str], found: Sequence[Ids], sure: Callable[[Sequence[str], Sequence[Ids]], None], unsure: Otherwise
) -> None:
    """Texts with a path, as many together as can be, and between them, one by one, those for which () was found."""
    start = 0
    for place in () if all(found) else compress(count(), map(not_, found)):
        sure(texts[start:place], found[start:place])
        unsure(texts[place : place + 1])
        start = place + 1
    sure(texts[start:], found[start:])


class StreamedSentencePieceUnigram(Search, StreamedModel):
    """Gives a piece as soon as all paths that may still win begin with it.

    Only the score at its start is what came before can change of the text behind a place that no piece spans, and
    almost every word between two of them is segmented in the same way whatever it is, as long as it is nearer to 0 than
    `SUMS.sure`. Such words are looked up, and go many together without a step of Python for each. The others are
    searched, and so is what comes behind the last such place, and short fragments.

    model: whose ids are taken.
    ids: where they are put.

    _waiting: what is behind the last such place and not searched, until more text comes.
    _last: the last character of what is searched, '' at such a place.
    """

    def __init__(self, model: FastSentencePieceUnigram, ids: list[int]) -> None:
        score = RunningScore(model.scores)
        super().__init__(model.undecided_texts, model.whole_texts, SUMS, score)
        self.model = model
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
            first_split_point = self.model.split_points.first(self._last + fragment) - 1
            if first_split_point < len(fragment):
                self._search(fragment[:first_split_point], is_end=True)
                self._end_search()
                self._last, fragment = "", fragment[first_split_point:]
        text, self._waiting = self._waiting + fragment, ""
        last_split_point = 0 if is_short or self._last else self.model.split_points.last(text)
        if last_split_point:
            self._words(text[:last_split_point])
            self._waiting = text[last_split_point:]
        else:
            self._search(text)
            self._last = text[-1]

    def raw_words(self, words: Sequence[str], paths: Sequence[Ids], raw: RawWords) -> None:
        """The first words of a pre-token, which are not normalized yet, with the paths that `raw` has for them."""
        self._with_paths(words, paths, partial(self._unsure_raw, raw))

    def _unsure_raw(self, raw: RawWords, words: Sequence[str]) -> None:
        """Words without a path that holds here, of which something may be left or not."""
        parts = [*filter(None, map(raw.normalized, words))]
        if parts:
            self._searched_parts(parts)

    def _words(self, text: str) -> None:
        """The text between two places that no piece spans."""
        first, keys, last = self.model.split_points.keys(text)
        if first:
            self._parts(first)
        self._looked_up(keys, self.model.paths_of_keys, self._words_by_parts)
        if last:
            self._parts(last)

    def _words_by_parts(self, keys: Sequence[str]) -> None:
        """Words that are not looked up whole."""
        self._parts("".join(map(self.model.split_points.word, keys)))

    def _parts(self, text: str) -> None:
        """The text between two places that no piece spans, cut at all such places."""
        self._looked_up(self.model.split_points.parts(text), self.model.sure_paths, self._searched_parts)

    def _searched_parts(self, parts: Sequence[str]) -> None:
        """Parts that are not looked up, or only near 0."""
        text = "".join(parts)
        if self._score.is_near(NEAR - len(text) * self.model.largest) and (path := self.model.near_paths[text]):
            self._decide(path)
            return
        self._search(text, is_end=True)
        self._end_search()

    def _looked_up(self, texts: Sequence[str], paths: Mapping[str, Ids], otherwise: Otherwise) -> None:
        """Texts that no piece spans the ends of: those for which there is no path go another way."""
        self._with_paths(texts, [*map(paths.__getitem__, texts)], otherwise)

    def _with_paths(self, texts: Sequence[str], found: Sequence[Ids], otherwise: Otherwise) -> None:
        sure = partial(self._sure, otherwise)
        for start in range(0, len(texts), _BLOCK):
            _in_turn(texts[start : start + _BLOCK], found[start : start + _BLOCK], sure, otherwise)

    def _sure(self, otherwise: Otherwise, texts: Sequence[str], found: Sequence[Ids]) -> None:
        """Texts with their paths, as long as there is room; where there is none, a few of them go another way."""
        ids = [*chain.from_iterable(found)]
        if self._score.has_room(len(ids)):
            self._decide(ids)
            return
        ends = [*accumulate(map(len, found))]
        fit = bisect_right(ends, self._score.fitting(ids))
        if fit:
            self._decide(ids[: ends[fit - 1]])
        if fit < len(texts):
            end = fit + _FEW
            otherwise(texts[fit:end])
            self._sure(otherwise, texts[end:], found[end:])

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
