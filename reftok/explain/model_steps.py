"""The inner steps of each model on one text: the merges one by one, or the lattice of pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import singledispatch
from itertools import accumulate

from reftok.explain.merge_events import MergeEvent, merge_events, merges_made
from reftok.explain.steps import Lattice, LatticeNode, Merge, Merging, Steps, Walk, WalkStep, WholeWord
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.llama_cpp.characters import cut_at_lead_bytes
from reftok.rules.llama_cpp.spm import LlamaSPM
from reftok.rules.merging import TextMerging
from reftok.rules.sentencepiece.bpe import SentencePieceBPE
from reftok.rules.sentencepiece.pieces import NO_ID
from reftok.rules.sentencepiece.unigram import SentencePieceUnigram
from reftok.rules.viterbi import Best, PieceMatch, path_to_end


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
    token_of = model.tokens.__getitem__
    merges = tuple(
        Merge(
            event.rank,
            token_of(event.symbols[0]),
            token_of(event.symbols[1]),
            token_of(event.whole),
            (event.left, event.right),
        )
        for event in merges_made(merge_events(ids, model.merge_of))
    )
    return Merging(text, tuple(map(token_of, ids)), "rank", merges)


@model_steps.register
def _text_merging(model: TextMerging, text: str) -> Steps:
    if model.takes_whole(text):
        return WholeWord(text)
    events = merges_made(merge_events(text, model.merge_of))
    return Merging(text, tuple(text), "rank", tuple(_merge(event, event.rank) for event in events))


@model_steps.register
def _sentencepiece_bpe(model: SentencePieceBPE, text: str) -> Merging:
    """The merges; unused pieces are split again after them."""
    symbols = model.symbols(text)
    table = model.table
    merges = tuple(
        _merge(event, table.pieces[table.text_ids[event.whole]].score)
        for event in merges_made(merge_events(symbols, model.merge_of))
    )
    return Merging(text, tuple(symbols), "score", merges)


def _merge(event: MergeEvent[str], priority: float) -> Merge:
    return Merge(priority, *event.symbols, event.whole, (event.left, event.right))


@model_steps.register
def _llama_spm(model: LlamaSPM, text: str) -> Walk:
    """The symbols, the queue and `rev_merge` as they change."""
    symbols = cut_at_lead_bytes(text.encode("utf-8", "surrogateescape"))
    starts = [*accumulate(map(len, symbols), initial=0)]
    steps = [WalkStep("symbol", (index,), symbol, starts[index]) for index, symbol in enumerate(symbols)]
    left = dict(enumerate(symbols))
    for event in merge_events(symbols, model.merge_of):
        score = model.scores[model.vocab_bytes[event.whole]]
        steps.append(WalkStep(event.kind, (event.left, event.right), event.whole, starts[event.left], score))
        if event.kind == "merge":
            left[event.left] = event.whole
            del left[event.right]
    for index, symbol in left.items():
        token_id = model.vocab_bytes.get(symbol)
        if token_id is not None:
            steps.append(WalkStep("token", (index,), symbol, starts[index], ids=(token_id,)))
        else:
            steps.append(WalkStep("bytes", (index,), symbol, starts[index], ids=model.byte_ids(symbol)))
    return Walk(text, tuple(steps))


@model_steps.register
def _unigram(model: Unigram, text: str) -> Lattice:
    """The pieces that match and the best path; byte fallback and the fusing of unknown runs come after it."""

    def matches(start: int) -> list[PieceMatch]:
        return [match for match in model.matches(text, start) if match[1] != NO_ID]

    return _lattice(text, matches, model.best_paths(text))


@model_steps.register
def _sentencepiece_unigram(model: SentencePieceUnigram, text: str) -> Lattice:
    """The pieces that match and the best path; its score is that of the library, in float32."""
    return _lattice(text, lambda start: model.matches(text, start), model.best_paths(text))


def _lattice(text: str, matches: Callable[[int], Iterable[PieceMatch]], best: Sequence[Best]) -> Lattice:
    nodes = [
        LatticeNode(start, end, text[start:end], token_id, score)
        for start in range(len(text))
        for end, token_id, score in matches(start)
    ]
    path = {(start, end) for start, end, _ in path_to_end(best)}
    return Lattice(text, tuple(nodes), tuple(node for node in nodes if (node.start, node.end) in path), best[-1].score)
