"""The best path of sentencepiece's Unigram, word by word, though its float32 sums run over the whole text.

Only the score at its start is what the text before a word can change. Almost every word has one best path by a clear
margin, so that it is the same whatever that score is; such words are looked up. For the others the score is summed up
as the library does it, and the word is searched by the rules from there.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain, compress, count
from operator import itemgetter, le, not_
from typing import TypeAlias

from reftok.fast.memo import Memo
from reftok.fast.models import Ids, PieceWords, Word, without_repeats
from reftok.fast.split_points import SplitPoints
from reftok.fast.viterbi import LONGEST_PIECE, Pieces, spans_of_path
from reftok.rules.sentencepiece.unigram import RESET_THRESHOLD, SentencePieceUnigram
from reftok.rules.types import Span
from reftok.rules.viterbi import path_to_end

_DISTANCES = (RESET_THRESHOLD, 16_384.0, 2_048.0)
"""How near to 0 all sums have to be for a path to be sure: it is tried from the farthest on. Beyond the threshold the
library takes the score off, so that nothing is sure there."""

_MOST_ROUNDED = 2.0**-8
"""Half of the last digit of a float32 below 131,072, which is beyond the threshold: no addition is wrong by more. Ten
thousand of them together can be wrong by 39, so that the library comes to the threshold before the exact sum does."""

_BLOCK = 64
"""So many words are compared at a time: the words behind one that is not sure are compared again."""

_IDS, _FARTHEST, _REACH = itemgetter(0), itemgetter(1), itemgetter(2)


ScoredWord: TypeAlias = tuple[Ids, float, float]
"""A word that no piece spans the ends of.

Its ids, unknown characters not joined; the farthest from 0 that all sums may be for this path to be sure, 0 if it never
is; and the farthest from the score at its start that the sums within it get, each addition rounded.
"""


class SentencePieceUnigramWords(PieceWords[SentencePieceUnigram]):
    """Looks up what is sure, and searches the rest from the score that it really begins with."""

    def __init__(self, model: SentencePieceUnigram) -> None:
        super().__init__(model)
        # Used for whole texts. Streams look short pre-tokens up in `ids`, which the plain rule fills.
        self.scored: Memo[ScoredWord] = Memo(self._scored_word)

    @cached_property
    def split_points(self) -> SplitPoints:
        return SplitPoints(self.model.table.text_ids)

    @cached_property
    def _pieces(self) -> Pieces | None:
        entries = self.model.entries
        if max(map(len, entries), default=0) > LONGEST_PIECE:
            return None
        return Pieces({piece: score for piece, (_, score) in entries.items()}, self.model.unknown[1])

    @cached_property
    def _score_of_id(self) -> Mapping[int, float]:
        """What an id adds to the sum. The first byte of an unknown character adds all of its score, the others 0."""
        unknown_score = self.model.unknown[1]
        byte_ids = enumerate(self.model.table.byte_ids)
        of_bytes = {token_id: 0.0 if 0x80 <= byte < 0xC0 else unknown_score for byte, token_id in byte_ids}
        return {**of_bytes, **dict([*self.model.entries.values(), self.model.unknown])}

    def _scored_word(self, word: str) -> ScoredWord:
        assert self._pieces is not None, "asked before"
        if len(parts := self.split_points.parts(word)) > 1:
            found = [*map(self.scored.__getitem__, parts)]
            ids = tuple(chain.from_iterable(map(_IDS, found)))
            return ids, min(map(_FARTHEST, found)), sum(map(_REACH, found))
        paths = self._pieces.paths(word)
        reach = max(map(abs, paths.best)) + len(word) * _MOST_ROUNDED
        farthest = next((far for far in _DISTANCES if reach <= far and paths.are_sure(far)), 0.0)
        return self._ids_of_path(spans_of_path(paths.starts), word) if farthest else (), farthest, reach

    def _ids_of_path(self, path: Iterable[Span], word: str) -> Ids:
        """The ids of a path through a word; of an unknown character its bytes, if it falls back to them."""
        entries, table = self.model.entries, self.model.table
        ids: list[int] = []
        for start, end in path:
            entry = entries.get(word[start:end])
            if entry is not None:
                ids.append(entry[0])
            elif table.byte_fallback:
                ids += [table.byte_ids[byte] for byte in word[start:end].encode("utf-8")]
            else:
                ids.append(table.unk_id)
        return tuple(ids)

    def ids_of_text(self, text: str) -> Sequence[int]:
        if self._pieces is None:
            return super().ids_of_text(text)
        ids = self._path_ids(text)
        return ids if self.model.table.byte_fallback else without_repeats(ids, self.model.table.unk_id)

    def word_of_text(self, text: str) -> Word:
        if self._pieces is None:
            return super().word_of_text(text)
        ids = self._path_ids(text)
        return self.with_unknown_joined(ids, self.spans_of_pieces(text, ids))

    def _path_ids(self, text: str) -> list[int]:
        """The ids of the best path through a text; each unknown character has its own id."""
        texts = self.split_points.words(text)
        words = [*map(self.scored.__getitem__, texts)]
        done = summed = 0
        score = bound = 0.0
        while done < len(words):
            block = words[done : done + _BLOCK]
            # However the sums go, they are nearer to 0 than the reaches of all words so far together.
            reach = bound + sum(map(_REACH, block))
            if reach <= min(map(_FARTHEST, block)):
                bound = reach
                done += len(block)
                continue
            reached = accumulate(map(_REACH, block), initial=bound)
            next(reached)
            are_sure = map(le, reached, map(_FARTHEST, block))
            place = next(compress(count(done), map(not_, are_sure)), None)
            if place is None:  # the last digit of a sum that is made in another order
                bound = reach
                done += len(block)
                continue
            score = self._added(score, words[summed:place])
            best = self.model.best_paths(texts[place], score)
            path = [(start, end) for start, end, _ in path_to_end(best)]
            words[place] = self._ids_of_path(path, texts[place]), 0.0, 0.0
            score = best[-1].score
            summed = done = place + 1
            bound = abs(score)
        return [*chain.from_iterable(map(_IDS, words))]

    def _added(self, score: float, words: Sequence[ScoredWord]) -> float:
        """A float32 sum after the scores of words were added piece by piece, each sum rounded as the library does."""
        cell = array("f", (score,))
        for one in map(self._score_of_id.__getitem__, chain.from_iterable(map(_IDS, words))):
            cell[0] += one
        return cell[0]
