"""Unigram of sentencepiece: word by word where whole words come, else character by character."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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

_BLOCK = 512
_FEW = 16

Otherwise: TypeAlias = Callable[[Sequence[str]], None]
"""Takes texts that are not looked up; no piece spans their ends."""


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
        for start in range(0, len(words), _BLOCK):
            block, found = words[start : start + _BLOCK], paths[start : start + _BLOCK]
            sure = 0
            for unsure in () if all(found) else compress(count(), map(not_, found)):
                self._sure_raw(block[sure:unsure], found[sure:unsure], raw)
                if text := raw.normalized(block[unsure]):
                    self._searched_parts((text,))
                sure = unsure + 1
            self._sure_raw(block[sure:], found[sure:], raw)

    def _sure_raw(self, words: Sequence[str], found: Sequence[Ids], raw: RawWords) -> None:
        """Words with their paths, as long as there is room; where there is none, a few of them go another way."""
        ids = [*chain.from_iterable(found)]
        if self._score.has_room(len(ids)):
            self._score.add(ids, len(ids))
            self._segment_ids.add_ids(ids)
        elif len(words) <= _FEW:
            self._words("".join(filter(None, map(raw.normalized, words))))
        else:
            half = len(words) // 2
            self._sure_raw(words[:half], found[:half], raw)
            self._sure_raw(words[half:], found[half:], raw)

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
        if self._score.distance() + len(text) * self.model.largest < NEAR and (path := self.model.near_paths[text]):
            self._add([path], len(path))
            return
        self._search(text, is_end=True)
        self._end_search()

    def _looked_up(self, texts: Sequence[str], paths: Mapping[str, Ids], otherwise: Otherwise) -> None:
        """Texts that no piece spans the ends of: those for which there is no path go another way."""
        for start in range(0, len(texts), _BLOCK):
            block = texts[start : start + _BLOCK]
            found = [*map(paths.__getitem__, block)]
            sure = 0
            for unsure in () if all(found) else compress(count(), map(not_, found)):
                self._sure(block[sure:unsure], found[sure:unsure], otherwise)
                otherwise(block[unsure : unsure + 1])
                sure = unsure + 1
            self._sure(block[sure:], found[sure:], otherwise)

    def _sure(self, texts: Sequence[str], found: Sequence[Ids], otherwise: Otherwise) -> None:
        """Texts with their paths, as long as there is room; where there is none, a few of them go another way."""
        # A piece has one character at least; an unknown one may have several ids, and a key is a word without one.
        most = min(sum(map(len, found)), sum(map(len, texts)) + len(texts))
        if self._score.has_room(most):
            self._add(found, most)
            return
        sizes = [*accumulate(map(min, map(len, found), map((1).__add__, map(len, texts))))]
        if fit := self._score.fitting(sizes):
            self._add(found[:fit], sizes[fit - 1])
        if fit < len(texts):
            end = fit + _FEW
            otherwise(texts[fit:end])
            self._sure(texts[end:], found[end:], otherwise)

    def _add(self, found: Sequence[Ids], most: int) -> None:
        ids = [*chain.from_iterable(found)]
        self._score.add(ids, most)
        self._segment_ids.add_ids(ids)

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
