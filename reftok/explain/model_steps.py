"""The inner steps of each model on one text: the merges one by one, or the lattice of pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import singledispatch
from heapq import heapify, heappop, heappush
from itertools import accumulate, count
from typing import Literal, TypeAlias

from reftok.explain.steps import Lattice, LatticeNode, Merge, Merging, Steps, Symbol, Walk, WalkStep, WholeWord
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.llama_cpp.characters import cut_at_lead_bytes
from reftok.rules.llama_cpp.spm import LlamaSPM
from reftok.rules.merging import MergeOf, TextMerging
from reftok.rules.sentencepiece.bpe import SentencePieceBPE
from reftok.rules.sentencepiece.pieces import NO_ID
from reftok.rules.sentencepiece.unigram import SentencePieceUnigram
from reftok.rules.viterbi import path_to_end

MergeEvent: TypeAlias = tuple[Literal["queue", "merge", "skip"], Merge[Symbol]]
"""A candidate enters the queue, leaves it and is merged, or leaves it when one of its symbols has changed."""


@singledispatch
def model_steps(model: object, text: str) -> Steps | None:
    """The steps of `model.tokenize(text)`; None for a model that has nothing to show but its tokens.

    >>> from reftok.rules.huggingface.bpe import BPE
    >>> model = BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])
    >>> model_steps(model, "ab").merges
    (Merge(priority=0, left='a', right='b', result='ab', symbols=(0, 1)),)
    """
    return None


@model_steps.register
def _bpe(model: BPE, text: str) -> Steps:
    if model.takes_whole(text):
        return WholeWord(text)
    ids = [token_id for token_id, _ in model.symbols(text)]
    token = model.tokens.__getitem__
    merges = (
        Merge(merge.priority, token(merge.left), token(merge.right), token(merge.result), merge.symbols)
        for merge in merges_made(ids, model.merge_of)
    )
    return Merging(text, tuple(map(token, ids)), "rank", tuple(merges))


@model_steps.register
def _text_merging(model: TextMerging, text: str) -> Steps:
    if model.takes_whole(text):
        return WholeWord(text)
    return Merging(text, tuple(text), "rank", tuple(merges_made(text, model.merge_of)))


@model_steps.register
def _sentencepiece_bpe(model: SentencePieceBPE, text: str) -> Merging:
    """The merges; unused pieces are split again after them."""
    symbols, table = model.symbols(text), model.table
    merges = (
        Merge(table.pieces[table.text_ids[merge.result]].score, merge.left, merge.right, merge.result, merge.symbols)
        for merge in merges_made(symbols, model.merge_of)
    )
    return Merging(text, tuple(symbols), "score", tuple(merges))


@model_steps.register
def _llama_spm(model: LlamaSPM, text: str) -> Walk:
    """The symbols, the queue and `rev_merge` as they change."""
    symbols = cut_at_lead_bytes(text.encode("utf-8", "surrogateescape"))
    starts = [*accumulate(map(len, symbols), initial=0)]
    steps = [WalkStep("symbol", (index,), symbol, starts[index]) for index, symbol in enumerate(symbols)]
    left = dict(enumerate(symbols))
    for event, merge in merge_events(symbols, model.merge_of):
        score = model.scores[model.vocab_bytes[merge.result]]
        steps.append(WalkStep(event, merge.symbols, merge.result, starts[merge.symbols[0]], score))
        if event == "merge":
            left[merge.symbols[0]] = merge.result
            del left[merge.symbols[1]]
    for index, symbol in left.items():
        token_id = model.vocab_bytes.get(symbol)
        ids = model.byte_ids(symbol) if token_id is None else (token_id,)
        steps.append(WalkStep("bytes" if token_id is None else "token", (index,), symbol, starts[index], ids=ids))
    return Walk(text, tuple(steps))


@model_steps.register
def _lattice(model: Unigram | SentencePieceUnigram, text: str) -> Lattice:
    """The pieces that match and the best path; byte fallback and the fusing of unknown runs come after it."""
    # Without an unknown piece tokenizers refuses a text that needs it; sentencepiece makes bytes of it.
    hidden = NO_ID if isinstance(model, Unigram) else None
    nodes = [
        LatticeNode(start, end, text[start:end], token_id, score)
        for start in range(len(text))
        for end, token_id, score in model.matches(text, start)
        if token_id != hidden
    ]
    best = model.best_paths(text)
    path = {(start, end) for start, end, _ in path_to_end(best)}
    return Lattice(text, tuple(nodes), tuple(node for node in nodes if (node.start, node.end) in path), best[-1].score)


def merges_made(symbols: Sequence[Symbol], merge_of: MergeOf[Symbol]) -> Iterator[Merge[Symbol]]:
    """The merges of a text, in order: those of `merge_all` in reftok.rules.merging."""
    return (merge for event, merge in merge_events(symbols, merge_of) if event == "merge")


def merge_events(symbols: Sequence[Symbol], merge_of: MergeOf[Symbol]) -> Iterator[MergeEvent[Symbol]]:
    """Everything that happens in the queue of the official libraries until no candidate is left.

    Source: `merge_all`, tokenizers 0.23 models/bpe/word.rs; `Model::SampleEncode`, sentencepiece 0.2.3 bpe_model.cc;
    `llm_tokenizer_spm_session`, llama.cpp src/llama-vocab.cpp.

    >>> ranks = {"bc": 0, "ab": 1}
    >>> merge_of = lambda left, right: (ranks[left + right], left + right) if left + right in ranks else None
    >>> [(event, merge.result) for event, merge in merge_events("abc", merge_of)]
    [('queue', 'ab'), ('queue', 'bc'), ('merge', 'bc'), ('skip', 'ab')]
    """
    current: dict[int, Symbol] = dict(enumerate(symbols))
    # The symbols are a doubly linked list: the indices of the neighbours of each.
    previous = {index: index - 1 for index in current}
    following = {index: index + 1 for index in current}
    queue: list[tuple[float, int, int, Merge[Symbol]]] = []
    queued = count()  # of equal priority the leftmost comes first, and of candidates at one place the oldest

    def entry(merge: Merge[Symbol]) -> tuple[float, int, int, Merge[Symbol]]:
        return merge.priority, merge.symbols[0], next(queued), merge

    def merge_at(left: int, right: int) -> Merge[Symbol] | None:
        if left not in current or right not in current:
            return None
        found = merge_of(current[left], current[right])
        return found and Merge(found[0], current[left], current[right], found[1], (left, right))

    for index in range(len(symbols) - 1):
        if (merge := merge_at(index, index + 1)) is not None:
            yield "queue", merge
            queue.append(entry(merge))
    heapify(queue)
    while queue:
        _, left, _, candidate = heappop(queue)
        # The candidate is stale if the two neighbours at its place would no longer become what they were to become.
        merge = merge_at(left, following.get(left, -1))
        if merge is None or merge.result != candidate.result:
            yield "skip", candidate
            continue
        yield "merge", merge
        right = merge.symbols[1]
        current[left] = merge.result
        del current[right]
        after = following[left] = following.pop(right)
        previous[after] = left
        for pair in ((previous[left], left), (left, after)):
            if (merge := merge_at(*pair)) is not None:
                yield "queue", merge
                heappush(queue, entry(merge))
