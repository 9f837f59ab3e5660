"""Byte-pair merging, the algorithm that all models of this kind share.

They differ in what a symbol is (an id, a string, some bytes), in which two neighbours merge and in which merge comes
first: the lowest rank in GPT-2, tokenizers, tiktoken and llama.cpp's BPE, the highest score in sentencepiece and
llama.cpp's SPM. Everywhere the leftmost of equals comes first.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from reftok.rules.steps import Merge, Merging, Steps, WholeWord
from reftok.rules.types import Token
from reftok.rules.vocab_model import VocabModel

Symbol = TypeVar("Symbol")

MergeOf: TypeAlias = Callable[[Symbol, Symbol], "tuple[float, Symbol] | None"]
"""The priority of the merge of two neighbours and what they become; None where they do not merge.

The lowest priority comes first: models that go by scores give a number that falls as the score rises."""


@dataclass(frozen=True, slots=True)
class MergeEvent(Generic[Symbol]):
    """An event in the life of a candidate.

    kind: "queue" when two neighbours were found to merge, "merge" when they did, "skip" when the candidate came up and
        was stale.
    priority: of the merge. left, right: the indices of the two, each that of the first symbol that it was made of.
    symbols: the two at that moment; of a "skip" twice what they were to become. whole: what they become.
    """

    kind: Literal["queue", "merge", "skip"]
    priority: float
    left: int
    right: int
    symbols: tuple[Symbol, Symbol]
    whole: Symbol


def merge_all(
    symbols: Sequence[Symbol],
    merge_of: MergeOf[Symbol],
    watch: Callable[[MergeEvent[Symbol]], object] | None = None,
) -> list[tuple[int, Symbol]]:
    """The symbols after every merge, each with the index of the first symbol that it was made of.

    watch: is told each event.

    The symbols are a doubly linked list, the candidates a heap. A candidate is stale when the two neighbours at its
    place would no longer become what they were to become.
    Source: `merge_all`, tokenizers 0.23 models/bpe/word.rs; `Model::SampleEncode`, sentencepiece 0.2.3 bpe_model.cc;
    `llm_tokenizer_bpe_session` and `llm_tokenizer_spm_session`, llama.cpp src/llama-vocab.cpp.

    >>> ranks = {"aa": 1, "aab": 2}
    >>> merge_all("aaab", lambda left, right: (ranks[left + right], left + right) if left + right in ranks else None)
    [(0, 'aa'), (2, 'a'), (3, 'b')]
    """
    current: list[Symbol | None] = [*symbols]
    previous = [*range(-1, len(symbols) - 1)]
    following = [*range(1, len(symbols)), -1]
    queue: list[tuple[float, int, int, Any]] = []

    def consider(left: int, right: int) -> tuple[float, int, int, Any] | None:
        if left < 0 or right < 0:
            return None
        first, second = current[left], current[right]
        if first is None or second is None or (found := merge_of(first, second)) is None:
            return None
        priority, whole = found
        if watch is not None:
            watch(MergeEvent("queue", priority, left, right, (first, second), whole))
        return priority, left, right, whole

    queue = [found for left in range(len(symbols) - 1) if (found := consider(left, left + 1)) is not None]
    heapify(queue)
    while queue:
        priority, left, right, whole = heappop(queue)
        first, after = current[left], following[left]
        second = None if after < 0 else current[after]
        if first is None or second is None or (now := merge_of(first, second)) is None or now[1] != whole:
            if watch is not None:
                watch(MergeEvent("skip", priority, left, right, (whole, whole), whole))
            continue
        if watch is not None:
            watch(MergeEvent("merge", priority, left, after, (first, second), whole))
        current[left], current[after] = whole, None
        after = following[left] = following[after]
        if after >= 0:
            previous[after] = left
        for pair in ((previous[left], left), (left, after)):
            if (candidate := consider(*pair)) is not None:
                heappush(queue, candidate)
    return [(index, symbol) for index, symbol in enumerate(current) if symbol is not None]


def merges_made(events: Iterable[MergeEvent[str]]) -> tuple[Merge, ...]:
    """The merges among the events."""
    return tuple(
        Merge(event.priority, *event.symbols, event.whole, (event.left, event.right))
        for event in events
        if event.kind == "merge"
    )


class TextMerging(VocabModel):
    """A model that merges the characters of a pre-token by rank, and may take one that is in the vocab as it is."""

    @abstractmethod
    def takes_whole(self, text: str) -> bool:
        """Whether a pre-token is one token without a look at the merges."""

    @abstractmethod
    def merge_of(self, left: str, right: str) -> tuple[int, str] | None:
        """The rank of the merge of two neighbours and what they become, None where they do not merge."""

    def ids_of_symbol(self, symbol: str) -> Sequence[int]:
        """The ids of a symbol that merges no more."""
        return (self.vocab[symbol],)

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of one pre-token."""
        tokens: list[Token] = []
        for start, symbol in [(0, text)] if self.takes_whole(text) else merge_all(text, self.merge_of):
            span = start, start + len(symbol)
            tokens += [Token(token_id, self._tokens[token_id], span) for token_id in self.ids_of_symbol(symbol)]
        return tokens

    def explain(self, text: str) -> Steps:
        """The merges that `tokenize` makes, one by one."""
        if self.takes_whole(text):
            return WholeWord(text)
        events: list[MergeEvent[str]] = []
        merge_all(text, self.merge_of, events.append)
        return Merging(text, tuple(text), "rank", merges_made(events))
