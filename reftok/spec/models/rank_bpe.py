"""Byte-pair encoding by ranks, as tiktoken does it: the rank of a merge is the id of its result.

Source: tiktoken 0.14, src/lib.rs (`_byte_pair_merge`, `byte_pair_encode`).
"""

from __future__ import annotations

from collections.abc import Sequence

from reftok.spec.models.merging import MergeEvent, merge_all, merges_made
from reftok.spec.models.vocab_model import VocabModel
from reftok.spec.steps import Merging, Steps, WholeWord
from reftok.spec.types import Token


class RankBPE(VocabModel):
    """A pre-token that is in the vocab is taken as it is; otherwise the pair with the lowest rank is merged first.

    vocab: token, written in the byte characters of GPT-2, to rank.
    Differs from `BPE`: there are no merges; any two neighbours whose concatenation is in the vocab can merge.

    >>> model = RankBPE({"a": 0, "b": 1, "c": 2, "bc": 3, "ab": 4})
    >>> [token.value for token in model.tokenize("abc")]
    ['a', 'bc']
    """

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of one pre-token."""
        merged = [(0, text)] if text in self.vocab else merge_all(text, self.merge_of)
        return [Token(self.vocab[part], part, (start, start + len(part))) for start, part in merged]

    def merge_of(self, left: str, right: str) -> tuple[int, str] | None:
        """The rank of the merge of two neighbours and what they become, None where they do not merge."""
        whole = left + right
        rank = self.vocab.get(whole)
        return None if rank is None else (rank, whole)

    def explain(self, text: str) -> Steps:
        """The merges that `tokenize` makes, one by one."""
        if text in self.vocab:
            return WholeWord(text)
        events: list[MergeEvent[str]] = []
        merge_all(text, self.merge_of, events.append)
        return Merging(text, tuple(text), "rank", merges_made(events))
