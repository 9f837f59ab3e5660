"""Byte-pair encoding by ranks, as tiktoken does it: the rank of a merge is the id of its result.

Source: tiktoken 0.14, src/lib.rs (`_byte_pair_merge`, `byte_pair_encode`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from reftok.engine.bpe.merging_model import MergingModel
from reftok.engine.bpe.string_merging import StringMerges
from reftok.engine.split_points.pairs import PairCuts
from reftok.spec.models.merging import merged_symbols
from reftok.spec.steps import Merge, Merging, Steps, WholeWord
from reftok.spec.types import Token


class RankBPE(MergingModel):
    """A pre-token that is in the vocab is taken as it is; otherwise the pair with the lowest rank is merged first.

    vocab: token, written in the byte characters of GPT-2, to rank.
    Differs from `BPE`: there are no merges; any two neighbours whose concatenation is in the vocab can merge.

    >>> model = RankBPE({"a": 0, "b": 1, "c": 2, "bc": 3, "ab": 4})
    >>> [token.value for token in model.tokenize("abc")]
    ['a', 'bc']
    """

    def __init__(self, vocab: Mapping[str, int]) -> None:
        super().__init__(vocab)
        self._merges = StringMerges(vocab, None, lambda text: merged_symbols(text, self._rank))

    def _tokenize(self, text: str) -> tuple[Token, ...]:
        parts = [text] if text in self.vocab else merged_symbols(text, self._rank)
        ends = accumulate(map(len, parts))
        return tuple(
            Token(self.vocab[part], part, (end - len(part), end)) for part, end in zip(parts, ends, strict=True)
        )

    def _token_ids(self, text: str) -> Sequence[int]:
        return (self.vocab[text],) if text in self.vocab else self.merged_ids(text)

    def merged_ids(self, text: str, begins: bool = True, ends: bool = True) -> Sequence[int]:
        return [*map(self.vocab.__getitem__, self._merges.pieces(text))]

    def _find_cuts(self) -> PairCuts:
        return PairCuts(self.vocab)

    def _rank(self, left: str, right: str) -> int | None:
        return self.vocab.get(left + right)

    def explain(self, text: str) -> Steps:
        """The merges that `tokenize` makes, one by one."""
        if text in self.vocab:
            return WholeWord(text)
        made: list[Merge] = []
        merged_symbols(text, self._rank, made)
        return Merging(text, tuple(text), "rank", tuple(made))
