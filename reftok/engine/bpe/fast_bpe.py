"""The ids of the three models that merge by rank, fast."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from math import inf

from reftok.engine.bpe.fast_merging import FastMerging
from reftok.engine.bpe.ordered_merges import OrderedMerges, are_in_order
from reftok.engine.bpe.string_merging import StringMerges
from reftok.engine.split_points.pairs import MergeCuts, PairCuts
from reftok.spec.byte_level import to_byte_characters
from reftok.spec.llama.bpe import LlamaBPE
from reftok.spec.models.bpe import BPE, Merges
from reftok.spec.models.merging import merge_all
from reftok.spec.models.rank_bpe import RankBPE

_FEW_SYMBOLS = 24
_NO_MERGE = (inf, 0)


class FastBPE(FastMerging[BPE]):
    """A word that is an entry of the vocab is looked up, a short one merged in a list, a long one window by window.

    >>> model = BPE({"a": 0, "b": 1, "c": 2, "bc": 3, "ab": 4}, [("b", "c"), ("a", "b")])
    >>> FastBPE(model).ids("abc")
    [0, 3]
    """

    def __init__(self, model: BPE) -> None:
        super().__init__(model)
        options = model.options
        self.takes_whole_words = options.ignore_merges
        self.has_other_ends = bool(options.continuing_subword_prefix or options.end_of_word_suffix)
        self._in_order: OrderedMerges | None = None
        is_plain = not self.has_other_ends and len(model.tokens) == len(model.vocab)
        if is_plain and are_in_order(*model.merge_ids):
            self._in_order = OrderedMerges(model.vocab, model.tokens, *model.merge_ids)

    @cached_property
    def _has_one_split_each(self) -> bool:
        merges = self.model.merges
        return len({whole for _, whole in merges.values()}) == len(merges)

    def ids_of(self, text: str) -> Sequence[int]:
        return (self.model.vocab[text],) if self.model.takes_whole(text) else self.merged_ids(text)

    def merged_ids(self, text: str, begins: bool = True, ends: bool = True) -> Sequence[int]:
        if self._in_order is not None and text:
            found = self._in_order.ids(text)
            if found is not None:
                return found
        ids = [token_id for token_id, _ in self.model.symbols(text, begins, ends)]
        if len(ids) <= _FEW_SYMBOLS and self._has_one_split_each:
            return merge_few(ids, self.model.merges)
        return [token_id for _, token_id in merge_all(ids, self.model.merge_of)]

    def _ids_of_raw(self, word: str) -> Sequence[int]:
        if self._in_order is None or not word:
            return super()._ids_of_raw(word)
        if self.takes_whole_words:
            token_id = self.model.vocab.get(to_byte_characters(word.encode()))
            if token_id is not None:
                return (token_id,)
        found = self._in_order.ids_of_raw(word)
        return super()._ids_of_raw(word) if found is None else found

    def _find_cuts(self) -> MergeCuts:
        return MergeCuts(self.model)


class FastRankBPE(FastMerging[RankBPE]):
    """tiktoken's, in lists and windows."""

    def __init__(self, model: RankBPE) -> None:
        super().__init__(model)
        self._merges = StringMerges(model.vocab, None, self._merged_as_a_whole)

    def _merged_as_a_whole(self, text: str) -> list[str]:
        return [symbol for _, symbol in merge_all(text, self.model.merge_of)]

    def ids_of(self, text: str) -> Sequence[int]:
        return (self.model.vocab[text],) if text in self.model.vocab else self.merged_ids(text)

    def merged_ids(self, text: str, begins: bool = True, ends: bool = True) -> Sequence[int]:
        return [*map(self.model.vocab.__getitem__, self._merges.pieces(text))]

    def _find_cuts(self) -> PairCuts:
        return PairCuts(self.model.vocab)


class FastLlamaBPE(FastMerging[LlamaBPE]):
    """llama.cpp's, remembered."""

    def __init__(self, model: LlamaBPE) -> None:
        super().__init__(model)
        self.takes_whole_words = model.options.ignore_merges or model.options.takes_newlines_whole

    def ids_of(self, text: str) -> Sequence[int]:
        return (self.model.vocab[text],) if self.model.takes_whole(text) else self.merged_ids(text)

    def merged_ids(self, text: str, begins: bool = True, ends: bool = True) -> Sequence[int]:
        merged = merge_all(text, self.model.merge_of)
        return [token_id for _, symbol in merged for token_id in self.model.ids_of_symbol(symbol)]

    def _find_cuts(self) -> PairCuts:
        return PairCuts(map("".join, self.model.ranks))


def merge_few(ids: list[int], merges: Merges) -> list[int]:
    """The fast path of `merge_all` for a few symbols and merges of which no two make the same id; changes `ids`.

    >>> merge_few([0, 0, 0], {(0, 0): (0, 1)})
    [1, 0]
    """
    found: list[tuple[float, int]] = [merges.get(pair, _NO_MERGE) for pair in pairwise(ids)]
    while found:
        lowest = min(found)
        if lowest is _NO_MERGE:
            break
        left = found.index(lowest)
        ids[left] = lowest[1]
        del ids[left + 1], found[left]
        if left:
            found[left - 1] = merges.get((ids[left - 1], ids[left]), _NO_MERGE)
        if left < len(found):
            found[left] = merges.get((ids[left], ids[left + 1]), _NO_MERGE)
    return ids
