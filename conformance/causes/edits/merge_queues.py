"""Merges by a queue that is not kept up: what a merge makes possible is not all looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from heapq import heapify, heappop, heappush
from typing import Any, TypeVar

from conformance.causes.edits.changed_models import ChangedModel, MergeAll, merged_by
from conformance.causes.edits.fault import Faults, of_rules
from reftok import Tokenizer
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.merging import MergeOf
from reftok.rules.pipeline import Pipeline

_Symbol = TypeVar("_Symbol")

_LOOKS = (
    ("after a merge only the pair to its right is looked at again", (False, True)),
    ("after a merge only the pair to its left is looked at again", (True, False)),
    ("the pairs that a merge makes are not looked at", (False, False)),
)
"""The rules, and whether a merge puts the pairs to its left and to its right into the queue."""


def of_merge_queues(tokenizer: Tokenizer) -> Faults:
    """Queues that lack what a merge makes possible on one side of it, or on both."""
    for rule, looks in _LOOKS:
        merge_all: MergeAll = partial(merged_looking, looks=looks)
        tokenize = merged_by(tokenizer.rules.model, merge_all)
        if tokenize is not None:
            model = ChangedModel(tokenizer.rules.model, tokenize)
            yield of_rules("Model", rule, tokenizer, partial(_with_model, tokenizer, model))
    rule = "a queued merge is made though one of its symbols has grown"
    has_pairs = isinstance(tokenizer.rules.model, BPE)  # joining any two symbols need not give an entry of the vocab
    for merge_all in (merged_if_possible,) if has_pairs else (merged_though_grown, merged_if_possible):
        tokenize = merged_by(tokenizer.rules.model, merge_all)
        if tokenize is not None:
            model = ChangedModel(tokenizer.rules.model, tokenize)
            yield of_rules("Model", rule, tokenizer, partial(_with_model, tokenizer, model))


def _with_model(tokenizer: Tokenizer, model: ChangedModel) -> Pipeline:
    return replace(tokenizer.rules, model=model)


def merged_though_grown(symbols: Sequence[str], merge_of: MergeOf[str]) -> list[tuple[int, str]]:
    """The symbols after the merges of a queue that looks whether both symbols still stand, and not what they are now.

    >>> ranks = {"ab": 1, "bc": 0, "cd": 2}
    >>> merge = lambda left, right: (ranks[left + right], left + right) if left + right in ranks else None
    >>> merged_though_grown("abcd", merge)
    [(0, 'abc'), (3, 'd')]
    """
    return merged_looking(symbols, merge_of, (True, True), str.__add__)


def merged_if_possible(symbols: Sequence[_Symbol], merge_of: MergeOf[_Symbol]) -> list[tuple[int, _Symbol]]:
    """Merges by a queue with stale entries, which merges the current symbols if the vocab has such a merge.

    >>> ranks = {"bc": 0, "ab": 1, "abc": 5, "cd": 2, "bcd": 3}
    >>> merge = lambda left, right: (ranks[left + right], left + right) if left + right in ranks else None
    >>> merged_if_possible("abcd", merge)
    [(0, 'abc'), (3, 'd')]
    """

    def joined(left: _Symbol, right: _Symbol) -> _Symbol | None:
        merge = merge_of(left, right)
        return None if merge is None else merge[1]

    return merged_looking(symbols, merge_of, (True, True), joined)


def merged_looking(
    symbols: Sequence[_Symbol],
    merge_of: MergeOf[_Symbol],
    looks: tuple[bool, bool],
    joined: Callable[[_Symbol, _Symbol], _Symbol | None] | None = None,
) -> list[tuple[int, _Symbol]]:
    """The symbols after the merges of such a queue, each with the index of the first that it was made of.

    joined: gives the merge of two symbols that changed after they were queued, or None to skip it. Without it, such
        entries are dropped.

    >>> ranks = {"bc": 0, "abc": 1, "bcd": 2}
    >>> merge = lambda left, right: (ranks[left + right], left + right) if left + right in ranks else None
    >>> merged_looking("abcd", merge, (True, True)), merged_looking("abcd", merge, (False, True))
    ([(0, 'abc'), (3, 'd')], [(0, 'a'), (1, 'bcd')])
    """
    current: dict[int, _Symbol] = dict(enumerate(symbols))
    before = {index: index - 1 for index in current}
    after = {index: index + 1 for index in current}
    queue: list[tuple[float, int, int, Any]] = []

    def found(left: int, right: int) -> list[tuple[float, int, int, Any]]:
        if left not in current or right not in current:
            return []
        merge = merge_of(current[left], current[right])
        return [] if merge is None else [(merge[0], left, right, (current[left], current[right], merge[1]))]

    for index in range(len(symbols) - 1):
        queue += found(index, index + 1)
    heapify(queue)
    while queue:
        _, left, right, (first, second, whole) = heappop(queue)
        if after.get(left) != right:
            continue
        if (current[left], current[right]) != (first, second):
            whole = None if joined is None else joined(current[left], current[right])
        if whole is None:
            continue
        current[left] = whole
        del current[right]
        after[left] = after.pop(right)
        before[after[left]] = left
        for is_looked_at, pair in zip(looks, ((before[left], left), (left, after[left])), strict=True):
            for one in found(*pair) if is_looked_at else ():
                heappush(queue, one)
    return sorted(current.items())
