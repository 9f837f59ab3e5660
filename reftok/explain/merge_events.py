"""The merges of a text one by one, as the queue of the official libraries goes through them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any, Generic, Literal, TypeVar

from reftok.rules.merging import MergeOf

Symbol = TypeVar("Symbol")


@dataclass(frozen=True, slots=True)
class MergeEvent(Generic[Symbol]):
    """An event in the life of a candidate for a merge.

    kind: "queue" when two neighbours were found to merge, "merge" when they did, "skip" when the candidate left the
        queue and one of its symbols had changed.
    left, right: the indices of the two, each that of the first symbol that it was made of.
    symbols: the two at that moment; of a "skip" twice what they were to become. whole: what they become.
    """

    kind: Literal["queue", "merge", "skip"]
    rank: float
    left: int
    right: int
    symbols: tuple[Symbol, Symbol]
    whole: Symbol


def merge_events(symbols: Sequence[Symbol], merge_of: MergeOf[Symbol]) -> list[MergeEvent[Symbol]]:
    """Everything that happens in the queue until no candidate is left.

    The symbols are a doubly linked list, the candidates a heap. The merges are those of `merge_all` in
    reftok.rules.merging, in the same order.
    Source: `merge_all`, tokenizers 0.23 models/bpe/word.rs; `Model::SampleEncode`, sentencepiece 0.2.3 bpe_model.cc;
    `llm_tokenizer_spm_session`, llama.cpp src/llama-vocab.cpp.

    >>> ranks = {"bc": 0, "ab": 1}
    >>> merge_of = lambda left, right: (ranks[left + right], left + right) if left + right in ranks else None
    >>> [(event.kind, event.whole) for event in merge_events("abc", merge_of)]
    [('queue', 'ab'), ('queue', 'bc'), ('merge', 'bc'), ('skip', 'ab')]
    """
    events: list[MergeEvent[Symbol]] = []
    current: dict[int, Symbol] = dict(enumerate(symbols))
    previous = {index: index - 1 for index in current}
    following = {index: index + 1 for index in current}
    queue: list[tuple[float, int, int, Any]] = []

    def consider(left: int, right: int) -> list[tuple[float, int, int, Any]]:
        if left not in current or right not in current:
            return []
        pair = current[left], current[right]
        found = merge_of(*pair)
        if found is None:
            return []
        rank, whole = found
        events.append(MergeEvent("queue", rank, left, right, pair, whole))
        return [(rank, left, right, whole)]

    for index in range(len(symbols) - 1):
        queue += consider(index, index + 1)
    heapify(queue)
    while queue:
        rank, left, right, whole = heappop(queue)
        after = following.get(left, -1)
        # The candidate is stale if the two neighbours at its place would no longer become what they were to become.
        now = merge_of(current[left], current[after]) if left in current and after in current else None
        if now is None or now[1] != whole:
            events.append(MergeEvent("skip", rank, left, right, (whole, whole), whole))
            continue
        events.append(MergeEvent("merge", rank, left, after, (current[left], current[after]), whole))
        current[left] = whole
        del current[after]
        after = following[left] = following.pop(after)
        previous[after] = left
        for pair in ((previous[left], left), (left, after)):
            for candidate in consider(*pair):
                heappush(queue, candidate)
    return events


def merges_made(events: Iterable[MergeEvent[Symbol]]) -> list[MergeEvent[Symbol]]:
    """The merges among the events."""
    return [event for event in events if event.kind == "merge"]
