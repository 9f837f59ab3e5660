"""Why sentencepiece made a merge, and what became of a piece: lines for people."""

from __future__ import annotations

from collections.abc import Iterator

from reftok.errors import TrainingStopped
from reftok.training.sentencepiece.trace import MOST_RIVALS, Merge, TrainingTrace
from reftok.training.sentencepiece.training import SentencePieceTraining


def explanation(training: SentencePieceTraining, asked: str) -> Iterator[str]:
    """What can be told of a merge, by its number from 0 or its piece, or of a piece of a Unigram model.

    Raises TrainingStopped for a merge that is not made, a piece that is no seed, and for word and char models.
    """
    if training.options.model_type not in ("bpe", "unigram"):
        raise TrainingStopped(
            f"--explain is for sentencepiece-bpe and unigram: {training.name} takes the most frequent texts"
        )
    trace = TrainingTrace()
    training.train(trace=trace)
    yield from _of_piece(trace, asked) if training.options.model_type == "unigram" else _of_merge(trace.merges, asked)


def _of_merge(merges: list[Merge], asked: str) -> Iterator[str]:
    is_number = asked.isascii() and asked.isdigit()
    for number, merge in enumerate(merges):
        if number != int(asked) if is_number else merge.piece != asked:
            continue
        yield f"merge {number}: {merge.left!r} + {merge.right!r} → {merge.piece!r}, score {-float(number)}"
        yield f"  count {merge.count:,}, the largest"
        if not merge.rivals:
            yield "  no other pair has this count"
            return
        most = " or more" if len(merge.rivals) == MOST_RIVALS else ""
        yield f"  {len(merge.rivals)}{most} others have it: this one has fewer characters, or is the smaller text:"
        yield from (f"    {rival!r}" for rival in merge.rivals)
        return
    what = f"merge {asked}" if is_number else f"{asked!r:.60}"
    raise TrainingStopped(f"{what} is not made: a number from 0, or a piece that a merge makes, is asked for")


def _of_piece(trace: TrainingTrace, asked: str) -> Iterator[str]:
    if asked not in trace.seeds:
        raise TrainingStopped(f"{asked!r:.60} is no seed: at least two different bytes must follow it in the sentences")
    yield f"piece {asked!r}"
    yield f"  seed: score {trace.seeds[asked]:.6f}"
    for number, made in enumerate(trace.rounds, 1):
        if asked in made.scores:
            yield f"  round {number} of EM: score {made.scores[asked]:.6f}"
        elif asked in made.rare:
            yield f"  round {number} of EM: goes, it is expected less than half a time"
    for pruned in trace.pruned:
        if pruned.piece != asked:
            continue
        why = {
            "unused": "no sentence is best cut with it",
            "split": f"its own best segmentation is {' + '.join(map(repr, pruned.alternative))}",
            "loss": f"the corpus loses little without it, {pruned.loss}",
            "unreachable": f"{' + '.join(map(repr, pruned.alternative))} score higher than it does",
        }
        yield f"  pruned after {pruned.rounds} rounds: {why[pruned.reason]}"
        return
    if not any(asked in made.rare for made in trace.rounds):
        yield "  it was never pruned: it is a piece of the model where vocab_size has room for its score"
