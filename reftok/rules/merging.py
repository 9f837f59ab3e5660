"""Byte-pair merging, the rule that all models of this kind share.

Again and again the two neighbours whose merge has the lowest rank become one symbol; of equal ranks the leftmost pair
comes first. Models differ in what a symbol is (an id, a string, some bytes), in which neighbours merge, and in what
the rank is: the place of the merge in the file (GPT-2, tokenizers, llama.cpp's BPE), the id of the result (tiktoken),
or the order of the scores, the highest score first (sentencepiece, llama.cpp's SPM).

Source: Sennrich et al. 2016, "Neural Machine Translation of Rare Words with Subword Units", algorithm 1; `merge_all`,
tokenizers 0.23 models/bpe/word.rs; `Model::SampleEncode`, sentencepiece 0.2.3 bpe_model.cc;
`llm_tokenizer_bpe_session` and `llm_tokenizer_spm_session`, llama.cpp src/llama-vocab.cpp.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import inf
from typing import TypeAlias, TypeVar

from reftok.rules.types import Token
from reftok.rules.vocab_model import VocabModel

Symbol = TypeVar("Symbol")

MergeOf: TypeAlias = Callable[[Symbol, Symbol], "tuple[float, Symbol] | None"]
"""The rank of the merge of two neighbours and the symbol that they become; None if they do not merge."""


def merge_all(symbols: Sequence[Symbol], merge_of: MergeOf[Symbol]) -> list[tuple[int, Symbol]]:
    """The symbols that are left after every merge, each with the index of the first symbol that it was made of.

    merge_of: called once for each pair of neighbours that comes about, from left to right.

    >>> ranks = {"bc": 0, "ab": 1}
    >>> merge_all("abcab", lambda left, right: (ranks[left + right], left + right) if left + right in ranks else None)
    [(0, 'a'), (1, 'bc'), (3, 'ab')]
    """
    # Each with the index of the first symbol that it was made of: models count offsets from it.
    left_symbols = [*enumerate(symbols)]
    merges = [merge_of(left, right) for left, right in pairwise(symbols)]
    # merges[i] and ranks[i] belong to the pair of the symbols i and i + 1. The ranks are a list of their own because
    # `min` and `index` over plain numbers run in C. The libraries keep a queue instead, whose candidates may be stale;
    # they drop those, so that the same pair comes next.
    ranks = [inf if merge is None else merge[0] for merge in merges]
    while (rank := min(ranks, default=inf)) < inf:
        here = ranks.index(rank)  # the leftmost of equals
        merge = merges[here]
        assert merge is not None, "its rank is finite"
        left_symbols[here : here + 2] = [(left_symbols[here][0], merge[1])]
        del merges[here], ranks[here]
        for pair in (here - 1, here):  # the neighbours of the new symbol; this order decides `SentencePieceBPE.splits`
            if 0 <= pair < len(ranks):
                merges[pair] = merge = merge_of(left_symbols[pair][1], left_symbols[pair + 1][1])
                ranks[pair] = inf if merge is None else merge[0]
    return left_symbols


class Merging:
    """A model that merges: the base of all of them."""

    def merge_symbols(self, symbols: Sequence[Symbol], merge_of: MergeOf[Symbol]) -> list[tuple[int, Symbol]]:
        """The function `merge_all`; `reftok.fast` puts one in its place that takes less time for a long word."""
        return merge_all(symbols, merge_of)


class TextMerging(Merging, VocabModel):
    """A model that merges the characters of a pre-token, and may take a pre-token of the vocab without merging."""

    @abstractmethod
    def takes_whole(self, text: str) -> bool:
        """Whether a pre-token is one token without a look at the merges."""

    @abstractmethod
    def merge_of(self, left: str, right: str) -> tuple[int, str] | None:
        """The rank of the merge of two neighbours and what they become; None if they do not merge."""

    def ids_of_symbol(self, symbol: str) -> Sequence[int]:
        """The ids of a symbol that merges no more."""
        return (self.vocab[symbol],)

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of one pre-token."""
        symbols = [(0, text)] if self.takes_whole(text) else self.merge_symbols(text, self.merge_of)
        return [
            Token(token_id, self.tokens[token_id], (start, start + len(symbol)))
            for start, symbol in symbols
            for token_id in self.ids_of_symbol(symbol)
        ]
