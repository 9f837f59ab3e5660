"""The ids of `reftok.rules.sentencepiece.unigram.SentencePieceUnigram`, fast: word by word, remembered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any
from weakref import WeakKeyDictionary

from reftok.engine.caches import Results
from reftok.engine.encode.segment_ids import ids_of_segments
from reftok.engine.fast_model import FastModel
from reftok.engine.split_points import PairSplitPoints
from reftok.engine.unigram.running_score import Scores, Sums
from reftok.engine.unigram.trie import Ids, PieceTrie
from reftok.engine.unigram.undecided_text import UndecidedTexts, Unknown
from reftok.engine.unigram.whole_texts import LONGEST_PIECE, WholeTexts, bounds
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.sentencepiece.unigram import RESET_THRESHOLD, Entry, SentencePieceUnigram

SUMS = Sums("f", sure=98_000.0, rounding=RESET_THRESHOLD * 2.0**-24, threshold=RESET_THRESHOLD)
NEAR = 16_384.0
"""As long as all sums are nearer to 0 than this, they are rounded so little that next to no word is unsure."""
_LONG = 64
_PLAIN = 24


class FastSentencePieceUnigram(FastModel[SentencePieceUnigram]):
    """One word at a time, remembered where it is the same whatever the score at its start is.

    That score is the only thing that what came before can change.

    What takes long to make is made when a text needs it: `undecided_texts` where it comes bit by bit.

    sure_paths: the best path through a short text that no piece spans the ends of, as `path` gives it; () where there
        is none. It holds as long as the score before the text is nearer to 0 than `SUMS.sure`.
    near_paths: the same where all sums are nearer to 0 than `NEAR`.
    paths_of_keys: the same as `sure_paths` of a word, by its key.
    raw_words: by normalizer the `RawWords`: what becomes of words that are not normalized yet.
    """

    def __init__(self, model: SentencePieceUnigram) -> None:
        super().__init__(model)
        self.sure_paths: Results[Ids] = Results(self._sure_path)
        self.near_paths: Results[Ids] = Results(self._near_path)
        self.paths_of_keys: Results[Ids] = Results(self.path_of_key)
        self.raw_words: WeakKeyDictionary[SentencePieceNormalizer, Any] = WeakKeyDictionary()
        self._ids_of_unknown: Results[Ids] = Results(self._of_unknown)

    @cached_property
    def split_points(self) -> PairSplitPoints:
        """Where no piece spans the place."""
        return PairSplitPoints(self.model.table.text_ids)

    @cached_property
    def scores(self) -> Scores:
        """Of ids, as the library adds them up."""
        return Scores(SUMS, self._score_of_id.__getitem__, self.largest)

    @cached_property
    def _score_of_id(self) -> Mapping[int, float]:
        return dict((*self.model.entries.values(), self.model.unknown, *self._scores_of_bytes()))

    @cached_property
    def largest(self) -> float:
        """The largest score, without its sign."""
        return max(map(abs, self._score_of_id.values()))

    @cached_property
    def longest_piece(self) -> int:
        """How many code points the longest piece has."""
        return max(map(len, self.model.entries), default=0)

    @cached_property
    def undecided_texts(self) -> UndecidedTexts:
        """The steps of streams."""
        unknown = Unknown(self.model.unknown[1], self._ids_of_unknown.__getitem__)
        return UndecidedTexts(PieceTrie.of(self.model.entries), unknown, SUMS.rounding)

    @cached_property
    def whole_texts(self) -> WholeTexts | None:
        """What finds the best path through a word, None where pieces are too long for it."""
        if self.longest_piece > LONGEST_PIECE:
            return None
        return WholeTexts(self.model.entries, self.model.unknown[1], SUMS.typecode, SUMS.threshold)

    def _scores_of_bytes(self) -> Iterator[Entry]:
        """The bytes of an unknown character score together what it does: the first one all of it, the others 0."""
        for byte, token_id in enumerate(self.model.table.byte_ids):
            yield token_id, 0.0 if 0x80 <= byte < 0xC0 else self.model.unknown[1]

    def ids_of(self, text: str) -> Sequence[int]:
        return ids_of_segments(self.model.table, self.model.segments(text))

    def _of_unknown(self, character: str) -> Ids:
        table = self.model.table
        return tuple(ids_of_segments(table, [(character, table.unk_id)]))

    def path(self, text: str) -> Ids | None:
        """The best path through a text: ids of pieces, unknown ones not joined, or bytes where they fall to them.

        It is the same whatever the score at its start is, as long as no sum gets beyond `RESET_THRESHOLD`. None where
        it depends on that score.
        """
        return self._path(text, SUMS.sure, SUMS.rounding)

    def _path(self, text: str, sure: float, rounding: float) -> Ids | None:
        if self.whole_texts is None or len(text) * self.largest > sure:
            return None
        starts = self.whole_texts.sure_starts(text, rounding)
        if starts is None:
            return None
        return tuple(self.whole_texts.ids(text, bounds(starts, len(text)), self._ids_of_unknown.__getitem__))

    def _near_path(self, text: str) -> Ids:
        return (self._path(text, NEAR, NEAR * 2.0**-24) if len(text) <= _LONG else None) or ()

    def _sure_path(self, text: str) -> Ids:
        return (self.path(text) if len(text) <= _LONG else None) or ()

    def path_of_key(self, key: str, paths: Mapping[str, Ids | None] | None = None) -> Ids:
        """The best path through the word of a key; () where there is none that is sure.

        paths: where that of a key is looked up that this one begins with.
        """
        word = self.split_points.word(key)
        if len(key) <= _PLAIN and key.isalpha() and (path := self.path(word)):  # there is hardly a place to cut it at
            return path
        first, *others = self.split_points.parts(word)
        if not others:
            return self._sure_path(word)
        key_of_first = self.split_points.key(first)
        if key_of_first is None:
            found = [self.sure_paths[first]]
        else:
            found = [(self.paths_of_keys if paths is None or not key_of_first else paths)[key_of_first] or ()]
        found += map(self.sure_paths.__getitem__, others)
        return tuple(chain.from_iterable(found)) if all(found) else ()
