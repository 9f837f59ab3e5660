"""The ids of the two models that merge by score, sentencepiece's and llama.cpp's, fast: word by word, remembered."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from itertools import chain
from operator import add
from typing import TypeVar

from reftok.engine.bpe.heap_merges import merge_all
from reftok.engine.bpe.word_merges import NO_MERGE, WINDOW, WordMerges, merge_texts
from reftok.engine.caches import Results
from reftok.engine.encode.segment_ids import ids_of_segments, with_unknowns_joined
from reftok.engine.fast_model import FastModel
from reftok.engine.split_points import PairSplitPoints
from reftok.rules.llama_cpp.spm import LlamaSPM
from reftok.rules.sentencepiece.bpe import SentencePieceBPE
from reftok.rules.sentencepiece.pieces import Segment

ScoredModel = TypeVar("ScoredModel", bound=SentencePieceBPE | LlamaSPM)


class FastScoredBPE(FastModel[ScoredModel]):
    """Merges the text between two safe split points apart from the rest, in lists and windows.

    ranks: of the pieces that neighbours can merge to.

    _merges_whole: whether a text is merged as a whole, so that a long word is cut at its safe split points before.
    """

    def __init__(self, model: ScoredModel, ranks: Mapping[str, float]) -> None:
        super().__init__(model)
        if max(ranks.values(), default=0) >= NO_MERGE:
            order = {rank: place for place, rank in enumerate(sorted({*ranks.values()}))}
            ranks = {piece: order[rank] for piece, rank in ranks.items()}
        self.split_points = PairSplitPoints(ranks)
        self._ranks = ranks
        self._pieces: Callable[[str], Sequence[str]] = WordMerges(self._merged_few, self._merged_all, str).tokens
        self._merges_whole = False
        self._ids_of_word: Results[Sequence[int]] = Results(self._word_ids)
        self._ids_of_key: Results[Sequence[int]] = Results(self._key_ids)
        self._ids_of_piece: Results[Sequence[int]] = Results(self.ids_of_piece)

    @abstractmethod
    def ids_of_piece(self, piece: str) -> Sequence[int]:
        """The ids of a symbol that merges no more."""

    def ids_of_words(self, text: str) -> list[int]:
        """The ids of what stands between two safe split points, word by word.

        Unknown ids of neighbouring words are not joined yet.
        """
        first, keys, last = self.split_points.keys(text)
        ids = [*self._ids_of_word[first]] if first else []
        ids += chain.from_iterable(map(self._ids_of_key.__getitem__, keys))
        if last:
            ids += self._ids_of_word[last]
        return ids

    def _key_ids(self, key: str) -> Sequence[int]:
        """The ids of a word, by its key; of one that ends with a mark that is cut off, those of the two."""
        word = self.split_points.word(key)
        if word[-2:-1].isalpha() and not word[-1].isalpha() and word[-2:] not in self.split_points.pairs:
            before = self.split_points.key(word[:-1])
            if before is not None:
                return *self._ids_of_key[before], *self._ids_of_word[word[-1]]
        return self._word_ids(word)

    def _word_ids(self, word: str) -> Sequence[int]:
        if self.split_points.pairs.isdisjoint(map(add, word, word[1:])):
            return [*chain.from_iterable(map(self._ids_of_piece.__getitem__, word))]
        if self._merges_whole and len(word) > WINDOW and len(parts := self.split_points.parts(word)) > 1:
            ids_of = [(self._ids_of_word if len(part) > 1 else self._ids_of_piece)[part] for part in parts]
            return [*chain.from_iterable(ids_of)]
        return [*chain.from_iterable(map(self._ids_of_piece.__getitem__, self._pieces(word)))]

    def _merged_few(self, text: str) -> list[str]:
        return merge_texts([*text], self._ranks)

    def _merged_all(self, text: str) -> list[str]:
        return [symbol for _, symbol in merge_all(text, self._merge_of)]

    def _merge_of(self, left: str, right: str) -> tuple[float, str] | None:
        whole = left + right
        rank = self._ranks.get(whole)
        return None if rank is None else (rank, whole)


class FastSPM(FastScoredBPE[LlamaSPM]):
    """Text that is sound UTF-8 is merged in characters; one with other bytes by the plain rules.

    >>> model = LlamaSPM({"bc": 0, "ab": 1, "a": 2}, [-1.0, -2.0, -3.0])
    >>> FastSPM(model).ids("abcab")
    [2, 0, 1]
    """

    def __init__(self, model: LlamaSPM) -> None:
        super().__init__(model, {token: -model.scores[token_id] for token, token_id in model.vocab.items()})

    def ids_of(self, text: str) -> Sequence[int]:
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            return super().ids_of(text)
        return self.ids_of_words(text)

    def ids_of_piece(self, piece: str) -> Sequence[int]:
        token_id = self.model.vocab.get(piece)
        return self.model.byte_ids(piece.encode()) if token_id is None else (token_id,)


class FastSentencePieceBPE(FastScoredBPE[SentencePieceBPE]):
    """What an unused piece is split into depends on the whole text: with such pieces a text is left to the plain rules.

    may_depend_on_all: whether there are unused pieces that are split as the whole text has it.
    """

    def __init__(self, model: SentencePieceBPE) -> None:
        super().__init__(model, model.ranks)
        if model.table.matcher.symbols:
            self._pieces = lambda text: model.merged(text)[0]
            self._merges_whole = True
        self.has_unused = bool(model.unused)
        self._settled = settled_splits(model.unused, model.ranks)
        self.may_depend_on_all = len(self._settled) < sum(len(piece) > 1 for piece in model.unused)

    def ids_of(self, text: str) -> Sequence[int]:
        if self.has_unused:
            return ids_of_segments(self.model.table, self.model.segments(text))
        return with_unknowns_joined(self.model.table, self.ids_of_words(text))

    def ids_of_piece(self, piece: str) -> Sequence[int]:
        table = self.model.table
        token_id = table.text_ids.get(piece)
        return ids_of_segments(table, [(piece, table.unk_id)]) if token_id is None else (token_id,)

    def settled_segments(self, text: str) -> tuple[Sequence[Segment], bool]:
        """The segments between two safe split points, as far as no other text can change them; and whether that is all.

        They end where there is an unused piece of which only the whole text tells what it is split into.
        """
        segments: list[Segment] = []
        merged, _ = self.model.merged(text)
        for part in merged:
            if part in self.model.unused and len(part) > 1 and part not in self._settled:
                return segments, False
            self.model.split_unused(part, self._settled, segments)
        return segments, True


def settled_splits(unused: Collection[str], pieces: Container[str]) -> Mapping[str, tuple[str, str]]:
    """The unused pieces that can only have come from one pair of symbols, and whose halves can do so too.

    unused: the unused pieces.
    pieces: every piece that symbols can merge to, the unused ones included.

    >>> settled_splits({"ab", "abc", "abd"}, {"ab", "bc", "abc", "abd"})
    {'ab': ('a', 'b'), 'abd': ('ab', 'd')}
    """
    settled: dict[str, tuple[str, str]] = {}
    for piece in sorted(unused, key=lambda piece: (len(piece), piece)):
        halves = [(piece[:end], piece[end:]) for end in range(1, len(piece))]
        splits = [pair for pair in halves if all(len(half) == 1 or half in pieces for half in pair)]
        if len(splits) == 1 and all(len(half) == 1 or half not in unused or half in settled for half in splits[0]):
            settled[piece] = splits[0]
    return settled
