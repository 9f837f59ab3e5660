"""The ids of `reftok.spec.llama.spm.LlamaSPM`, fast: word by word, remembered."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from reftok.engine.bpe.string_merging import StringMerges
from reftok.engine.caches import Results
from reftok.engine.fast_model import FastModel
from reftok.engine.split_points.pairs import PairCuts
from reftok.spec.llama.spm import LlamaSPM
from reftok.spec.models.merging import merge_all


class FastSPM(FastModel[LlamaSPM]):
    """Text that is sound UTF-8 is merged in characters; a byte that is not goes the plain way.

    >>> model = LlamaSPM({"bc": 0, "ab": 1, "a": 2}, [-1.0, -2.0, -3.0])
    >>> FastSPM(model).ids("abcab")
    [2, 0, 1]
    """

    def __init__(self, model: LlamaSPM) -> None:
        super().__init__(model)
        self.cuts = PairCuts(model.vocab)
        self._ranks = {token: -model.scores[token_id] for token, token_id in model.vocab.items()}
        self._merges = StringMerges(self._ranks, self.cuts.pairs, self._merged_as_a_whole)
        self._ids_of_word: Results[Sequence[int]] = Results(self._word_ids)

    def ids_of(self, text: str) -> Sequence[int]:
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            return super().ids_of(text)
        return [*chain.from_iterable(map(self._ids_of_word.__getitem__, self.cuts.words(text)))]

    def _word_ids(self, word: str) -> Sequence[int]:
        ids: list[int] = []
        for symbol in self._merges.pieces(word):
            token_id = self.model.vocab.get(symbol)
            ids += self.model.byte_ids(symbol.encode("utf-8")) if token_id is None else (token_id,)
        return ids

    def _merged_as_a_whole(self, text: str) -> Sequence[str]:
        return [symbol for _, symbol in merge_all(text, self._merge_of)]

    def _merge_of(self, left: str, right: str) -> tuple[float, str] | None:
        whole = left + right
        rank = self._ranks.get(whole)
        return None if rank is None else (rank, whole)
