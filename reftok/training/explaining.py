"""Why a merge was made, and what became of a piece, in lines for people; both families."""

from __future__ import annotations

from collections.abc import Iterator

from reftok.errors import TrainingStopped
from reftok.training.monitor import Merge, Monitor, TrainingTrace
from reftok.training.sentencepiece.trainer import SentencePieceTraining
from reftok.training.training import Training

MOST_SHOWN = 20
"""Rivals of a merge."""

_TIES = {
    "sentencepiece-bpe": "this one has fewer characters, or is the smaller text",
    "hf-bpe": "this one has the smaller ids, the left one first",
    "wordpiece": "this one has the smaller ids, the left one first",
}
"""Which of equally frequent pairs is merged, by the trainer."""

_UNIGRAM = ("hf-unigram", "unigram")


def explanation(training: Training | SentencePieceTraining, asked: str) -> Iterator[str]:
    """What is known of a merge, by its number from 0 or its token, or of a piece of a Unigram model.

    Raises TrainingStopped for a merge that is not made, a piece that is no seed, and for trainers without either.
    """
    name = training.name
    if name not in _TIES and name not in _UNIGRAM:
        raise TrainingStopped(f"--explain is for {', '.join((*_TIES, *_UNIGRAM))}, and not for {name}")
    trace = TrainingTrace(asked)
    training.run(Monitor(trace=trace))
    if name in _UNIGRAM:
        yield from _of_piece(trace)
        return
    if not trace.merges:
        raise TrainingStopped(f"merge {asked!r:.60} is not made: give a number from 0, or a token that a merge makes")
    for number, merge in trace.merges.items():
        yield from _of_merge(number, merge, _TIES[name])


def _of_merge(number: int, merge: Merge, ties: str) -> Iterator[str]:
    yield f"merge {number}: {merge.left!r} + {merge.right!r} → {merge.piece!r}"
    if merge.count >= 1 << 63:
        yield f"  count {merge.count - (1 << 64):,}, which is negative, and read as {merge.count:,}: it wins at once"
    else:
        yield f"  count {merge.count:,}, the largest"
    if not merge.rivals:
        yield "  no other pair has this count"
        return
    others = "1 other pair has" if len(merge.rivals) == 1 else f"{len(merge.rivals):,} other pairs have"
    yield f"  {others} this count; {ties}:"
    yield from (f"    {left!r} + {right!r}" for left, right in merge.rivals[:MOST_SHOWN])
    if len(merge.rivals) > MOST_SHOWN:
        yield f"    and {len(merge.rivals) - MOST_SHOWN:,} more"


def _of_piece(trace: TrainingTrace) -> Iterator[str]:
    if not trace.story:
        raise TrainingStopped(f"{trace.asked!r:.60} is no seed: at least two different characters must follow it")
    yield f"piece {trace.asked!r}"
    yield from (f"  {line}" for line in trace.story)
    yield f"  pruned: {trace.pruned}" if trace.pruned else "  it is a piece of the model"
