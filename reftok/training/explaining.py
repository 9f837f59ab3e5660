"""Why a merge was made, and what became of a piece: lines for people."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

from reftok.errors import TrainingStopped
from reftok.training.bpe import BpeTrainer, MadeMerge
from reftok.training.feeding import WordCounter
from reftok.training.training import Training
from reftok.training.unigram import PieceStory, UnigramTrainer
from reftok.training.wordpiece import WordPieceTrainer

MOST_SHOWN = 20
"""Rivals and words."""


def explanation(training: Training, asked: str) -> Iterator[str]:
    """What can be told of a merge, by its number from 0 or its token, or of a piece of a unigram model.

    Raises TrainingStopped for a merge that is not made, a piece that is no seed, and for other trainers.
    """
    counter = WordCounter(training.untrained())
    for text, _ in training.texts.read():
        counter.add(text)
    counts = counter.counts()
    trainer = training.trainer
    if isinstance(trainer, UnigramTrainer):
        story = PieceStory()
        seeds = dict(trainer.seeds(counts))
        if asked not in seeds:
            raise TrainingStopped(
                f"{asked!r:.60} is no seed: at least two different characters must follow it in words"
            )
        story.scores.append(("seed", seeds[asked]))
        trainer.train(counts, stories={asked: story})
        yield from _of_piece(asked, story)
        return
    if not isinstance(trainer, BpeTrainer | WordPieceTrainer):
        explained = "hf-bpe, wordpiece, hf-unigram, sentencepiece-bpe and unigram"
        raise TrainingStopped(f"--explain is for {explained}, and not for {training.name}")
    bpe = trainer.bpe if isinstance(trainer, WordPieceTrainer) else trainer
    number = int(asked) if asked.isascii() and asked.isdigit() else None
    found = False
    for made in bpe.merges(counts, lambda at, token: token == asked if number is None else at == number):
        found = True
        yield from _of_merge(made)
        if number is not None:
            return
    if not found:
        what = f"merge {number}" if number is not None else f"{asked!r:.60}"
        raise TrainingStopped(f"{what} is not made: a number from 0, or a token that a merge makes, is asked for")


def _of_merge(made: MadeMerge) -> Iterator[str]:
    left, right = made.pair
    yield f"merge {made.number}: {left!r} + {right!r} → {made.token!r}, id {made.token_id}"
    if made.count >= 1 << 63:
        yield f"  count {made.count - (1 << 64):,}, which is negative, and read as {made.count:,}: it wins at once"
    else:
        yield f"  count {made.count:,}, the largest"
    if not made.is_new:
        yield "  the token was in the vocab already: no id is new"
    if made.rivals:
        others = "1 other pair has" if len(made.rivals) == 1 else f"{len(made.rivals):,} other pairs have"
        yield f"  {others} this count; this one has the smaller ids, the left one first:"
        yield from (f"    {left!r} + {right!r}" for left, right in made.rivals[:MOST_SHOWN])
        yield from _more(len(made.rivals))
    else:
        yield "  no other pair has this count"
    yield f"  it is in {len(made.words):,} distinct words:"
    ordered = sorted(made.words.items(), key=lambda entry: (-entry[1], entry[0]))
    yield from (f"    {count:8,} x {word!r:.80}" for word, count in ordered[:MOST_SHOWN])
    yield from _more(len(ordered))


def _more(count: int) -> Iterator[str]:
    if count > MOST_SHOWN:
        yield f"    and {count - MOST_SHOWN:,} more"


def _of_piece(piece: str, story: PieceStory) -> Iterator[str]:
    yield f"piece {piece!r}"
    for step, score in story.scores:
        yield f"  {step}" if isnan(score) else f"  {step}: score {score:.6f}"
    yield f"  pruned: {story.pruned}" if story.pruned else "  it is a piece of the model"
