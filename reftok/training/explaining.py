"""Why a merge was made, and what became of a piece, in lines for people; both families."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from reftok.errors import TrainingStopped
from reftok.formats.files import write_durably
from reftok.training.monitor import Merge, Monitor, TrainingTrace
from reftok.training.sentencepiece.trainer import SentencePieceTraining
from reftok.training.training import Training

MOST_SHOWN = 20
"""Rivals of a merge."""
MOST_TAKERS = 3
"""How many earlier merges are shown that took places from a pair that was never merged."""

_TIES = {
    "sentencepiece-bpe": "this one has fewer characters, or is the smaller text",
    "hf-bpe": "this one has the smaller ids, the left one first",
    "wordpiece": "this one has the smaller ids, the left one first",
    "minbpe": "this one stands first in the text as it is merged so far",
}
"""Which of equally frequent pairs is merged, by the trainer."""

_ESCAPES = str.maketrans({"\t": r"\t", "\n": r"\n", "\\": r"\\"})
_UNIGRAM = ("hf-unigram", "unigram")


def explanation(training: Training | SentencePieceTraining, asked: str) -> Iterator[str]:
    """What is known of a merge, by its number from 0 or its token, or of a piece of a Unigram model.

    Raises TrainingStopped for a number that no merge has, a piece that is no seed, and for trainers without either.
    """
    name = training.name
    if name not in _TIES and name not in _UNIGRAM:
        raise TrainingStopped(f"--explain is for {', '.join((*_TIES, *_UNIGRAM))}, and not for {name}")
    trace = TrainingTrace(asked)
    training.run(Monitor(trace=trace))
    if name in _UNIGRAM:
        yield from _of_piece(trace)
        return
    if not trace.merges and asked.isdigit():
        raise TrainingStopped(f"merge {asked:.60} is not made: there are {len(trace.table):,}, counted from 0")
    if not trace.merges:
        yield from _of_unmade(trace)
    for number, merge in trace.merges.items():
        yield from _of_merge(number, merge, _TIES[name])


def refuse_table(trainer: str, path: Path, overwrite: bool) -> None:
    """Raises TrainingStopped if the trainer makes no merges, or if the table cannot be written."""
    if trainer not in _TIES:
        raise TrainingStopped(f"{trainer} makes no merges: a table of merges is for {', '.join(_TIES)}")
    if not path.parent.is_dir():
        raise TrainingStopped(f"{path}: the folder {path.parent} does not exist")
    if path.exists() and not overwrite:
        raise TrainingStopped(f"{path}: exists already; --overwrite replaces it")


def write_table(trace: TrainingTrace, path: Path) -> None:
    r"""Writes the merges of a training, tabs, line feeds and backslashes in tokens as \t, \n and \\."""
    rows = [
        (
            str(number),
            *(piece.translate(_ESCAPES) for piece in (merge.left, merge.right, merge.piece)),
            str(merge.count),
        )
        for number, merge in enumerate(trace.table)
    ]
    lines = ["\t".join(row) + "\n" for row in (("merge", "left", "right", "token", "count"), *rows)]
    try:
        write_durably(path, "".join(lines))
    except OSError as error:
        raise TrainingStopped(f"{path}: cannot be written: {error.strerror}") from None


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


def _of_unmade(trace: TrainingTrace) -> Iterator[str]:
    """Why no merge makes a token: how often its parts were neighbours, and what took them."""
    yield f"no merge makes {trace.asked!r}"
    if not trace.unmade:
        yield "  no two tokens that were neighbours make it"
    for pair in trace.unmade:
        yield f"  {pair.left!r} + {pair.right!r}: neighbours {_times(pair.count)} at the end of the training"
        takers = [
            f"    merge {place} came before: {made.left!r} + {made.right!r}, {_times(made.count)}"
            for place, made in enumerate(trace.table)
            if made.right == pair.left or made.left == pair.right
        ]
        yield from takers[:MOST_TAKERS]
    if trace.unmade and trace.table:
        last = trace.table[-1]
        yield f"  the last of {len(trace.table):,} merges: {last.left!r} + {last.right!r}, {_times(last.count)}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _of_piece(trace: TrainingTrace) -> Iterator[str]:
    if not trace.story:
        raise TrainingStopped(f"{trace.asked!r:.60} is no seed: at least two different characters must follow it")
    yield f"piece {trace.asked!r}"
    yield from (f"  {line}" for line in trace.story)
    yield f"  pruned: {trace.pruned}" if trace.pruned else "  it is a piece of the model"
