"""The ids of `reftok.spec.sentencepiece.unigram.SentencePieceUnigram`, fast: word by word, remembered."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from reftok.engine.caches import Results
from reftok.engine.encode.segment_ids import ids_of_segments
from reftok.engine.fast_model import FastModel
from reftok.engine.split_points.pairs import PairCuts
from reftok.engine.unigram.trie import Entry, PieceTrie
from reftok.engine.unigram.undecided_text import LOST, Path, UndecidedTexts, Unknown
from reftok.spec.sentencepiece.unigram import RESET_THRESHOLD, SentencePieceUnigram

SURE = 98_000.0
"""A score nearer to 0 than this changes nothing in almost any word."""

_LONG_WORD = 64
_ROUNDING = 2.0**-24


class UnsureWord(Exception):
    """A word whose ids are not known without what came before it.

    ids: those that its score is the sum of, if only unknown ones may have to be joined; else ().
    """

    def __init__(self, word: str, ids: Sequence[int]) -> None:
        super().__init__(word)
        self.word = word
        self.ids = ids


class UnsureIds:
    """Stands for the ids of such a word: whoever asks for them is told."""

    def __init__(self, word: str, ids: Sequence[int] = ()) -> None:
        self._word = word
        self._ids = ids

    def __iter__(self) -> Iterator[int]:
        raise UnsureWord(self._word, self._ids)


class FastSentencePieceUnigram(FastModel[SentencePieceUnigram]):
    """One part at a time, remembered where it is the same whatever the score at its start is.

    That score is the only thing that what came before can change.
    """

    def __init__(self, model: SentencePieceUnigram) -> None:
        super().__init__(model)
        table = model.table
        self.unknown = model.unknown
        self.trie = PieceTrie.of(model.entries.items())
        self.largest_known = max((abs(score) for _, score in model.entries.values()), default=0.0)
        self.largest = max(self.largest_known, abs(self.unknown[1]))
        self.cuts = PairCuts(table.text_ids)
        self.scores = dict((*model.entries.values(), self.unknown, *self._scores_of_bytes()))
        self.sure_ids: Results[Iterable[int]] = Results(self._sure_ids)

    def _scores_of_bytes(self) -> Iterator[Entry]:
        """The bytes of an unknown character score together what it does: the first one all of it, the others 0."""
        for byte, token_id in enumerate(self.model.table.byte_ids):
            yield token_id, 0.0 if 0x80 <= byte < 0xC0 else self.unknown[1]

    def ids_of(self, text: str) -> Sequence[int]:
        return ids_of_segments(self.model.table, self.model.segments(text))

    def path(self, part: str) -> Path | None:
        """The best path through a part: ids of pieces, unknown ones not joined, or bytes where they fall to them.

        It is the same whatever the score at its start is, as long as no sum gets beyond `RESET_THRESHOLD`. None where
        it depends on that score.
        """
        undecided = self.undecided_texts.start
        path: list[int] = []
        for character in part:
            undecided, decided = undecided[character]
            if decided:
                path += decided
        return None if undecided is LOST or undecided.path is None else (*path, *undecided.path)

    @cached_property
    def _lengths(self) -> dict[int, int]:
        """How many code points each id of a path stands for: of the bytes of a character the first for all of it."""
        lengths = {token_id: len(piece) for piece, token_id in self.model.table.text_ids.items()}
        lengths[self.unknown[0]] = 1
        for byte, token_id in enumerate(self.model.table.byte_ids):
            lengths[token_id] = int(not 0x80 <= byte < 0xC0)
        return lengths

    @cached_property
    def undecided_texts(self) -> UndecidedTexts:
        """The steps of `path` and of streams; made when it is first asked for."""
        unknown = Unknown(self.unknown[1], self._ids_of_unknown)
        return UndecidedTexts(self.trie, unknown, self._lengths, RESET_THRESHOLD * _ROUNDING)

    def _ids_of_unknown(self, character: str) -> tuple[int, ...]:
        return tuple(ids_of_segments(self.model.table, [(character, self.unknown[0])]))

    def _sure_ids(self, key: str) -> Iterable[int]:
        """The ids of a word, by its key, as long as the score before it is nearer to 0 than `SURE`.

        UnsureIds where that is not all that they depend on, or where unknown ids are to be joined.
        """
        word = self.cuts.word(key)
        path = self.path(word) if len(word) <= _LONG_WORD else None
        if path is None:
            return UnsureIds(word)
        unk_id = self.unknown[0]
        has_joined = path[0] == unk_id or (unk_id in path and (unk_id, unk_id) in pairwise(path))
        return UnsureIds(word, path) if has_joined else path


def rounded_sum(score: float, scores: Iterable[float]) -> float:
    """The sum of scores, one after the other added to `score` and rounded to float32.

    >>> rounded_sum(2.0**24, [1.0, 1.0]), rounded_sum(2.0**24, [2.0])
    (16777216.0, 16777218.0)
    """
    cell = array("f", (score,))
    for one in scores:
        cell[0] = score + one
        score = cell[0]
    return score
