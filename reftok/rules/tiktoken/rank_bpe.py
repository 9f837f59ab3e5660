"""Byte-pair encoding by ranks, the model of tiktoken."""

from __future__ import annotations

from reftok.rules.merging import TextMerging


class RankBPE(TextMerging):
    """BPE by ranks: the rank of a merge is the id of its result.

    A pre-token of the vocab is one token; in any other the pair with the lowest rank merges first.
    Source: tiktoken 0.14, src/lib.rs (`_byte_pair_merge`, `byte_pair_encode`).

    vocab: token, written in the byte characters of GPT-2, to rank.
    Differs from `BPE`: there are no merges; any two neighbours whose concatenation is in the vocab can merge.

    >>> model = RankBPE({"a": 0, "b": 1, "c": 2, "bc": 3, "ab": 4})
    >>> [token.value for token in model.tokenize("abc")]
    ['a', 'bc']
    """

    def takes_whole(self, text: str) -> bool:
        return text in self.vocab

    def merge_of(self, left: str, right: str) -> tuple[int, str] | None:
        whole = left + right
        rank = self.vocab.get(whole)
        return None if rank is None else (rank, whole)
