"""Byte-pair encoding over characters: the two neighbours that occur most often become one piece, again and again.

Source: sentencepiece 0.2.3, bpe_model_trainer.cc (`Train`, `InitSymbolsAndBigrams`, `AcceptSymbol`).

The rule. Each sentence (with split_by_whitespace: each distinct word) is a row of characters. Two neighbours that would
make a valid piece are a pair; its count is how often they are neighbours, each sentence as often as it counts. The pair
of the highest count is merged everywhere, from the left to the right of each sentence; then the counts are those of the
new rows. Of equal counts the piece of fewer characters comes first, then the smaller text.

Quirks. Neighbours count where they overlap: `aaa` has `aa` twice, and loses one of them by the merge. A pair that is no
neighbour any more stays in the running with the count 0, so that a large vocabulary ends with pieces of count 0, the
shortest first. A pair whose text is a piece already is passed over. The n-th merge has the score -n, counted from 0, so
the first one's is -0.0; the characters come behind, the most frequent first.

Up to sentencepiece 0.2.1 only the most frequent pairs were looked at, and results may differ.

>>> from reftok.training.sentencepiece.options import TrainerOptions
>>> made = merges([("▁hug", 10), ("▁pug", 5), ("▁hugs", 5)], 3, PieceShapes(TrainerOptions()))
>>> made
[('ug', 20), ('▁h', 15), ('▁hug', 15)]
"""

from __future__ import annotations

from collections.abc import Sequence

from reftok.training.merging import MergeLoop
from reftok.training.monitor import UNWATCHED, Monitor
from reftok.training.sentencepiece.character_coverage import with_best_characters
from reftok.training.sentencepiece.corpus import Corpus, Counted, counted_words
from reftok.training.sentencepiece.model_file import ScoredPiece
from reftok.training.sentencepiece.options import TrainerOptions
from reftok.training.sentencepiece.shape import PieceShapes


def train_bpe(corpus: Corpus, size: int, options: TrainerOptions, monitor: Monitor) -> list[ScoredPiece]:
    """The pieces of a BPE model, without the special ones, in the order of their ids.

    size: so many pieces at most.
    """
    sentences = counted_words(corpus.sentences, options) if options.split_by_whitespace else corpus.sentences
    shapes = PieceShapes(options)
    made = merges(sentences, size - len(corpus.required), shapes, monitor)
    if options.auto_character_coverage:
        pieces = with_best_characters(made, sentences, size)
    else:
        pieces = [piece for piece, _ in made] + corpus.required_by_count()
    return [(piece, -float(index)) for index, piece in enumerate(pieces)]


def merges(sentences: Sequence[Counted], most: int, shapes: PieceShapes, monitor: Monitor = UNWATCHED) -> list[Counted]:
    """The pieces of up to `most` merges, in order, with the counts of their pairs."""
    loop = PieceLoop(sentences, shapes)
    loop.start(monitor.state)
    known = {*loop.tokens}
    while len(loop.made) < most and (best := loop.best()) is not None:
        piece = "".join(loop.halves(best[1]))
        if piece in known:
            continue
        known.add(piece)
        loop.make(best, piece, len(loop.tokens), monitor.trace)
        monitor.report("merging", len(loop.made), most, "pieces", loop.state)
    loop.end(monitor.trace)
    return [(loop.tokens[token_id], count) for _, token_id, count in loop.made]


class PieceLoop(MergeLoop):
    """Of equally frequent pairs that of the shorter, then smaller piece is the best; of one piece the older pair.

    The characters have the first ids.
    """

    has_int32_counts = False
    least_queued = 0

    def __init__(self, sentences: Sequence[Counted], shapes: PieceShapes) -> None:
        characters = sorted({*"".join([text for text, _ in sentences])})
        ids = {ord(character): character_id for character_id, character in enumerate(characters)}
        words, counts = (text.translate(ids) for text, _ in sentences), [count for _, count in sentences]
        super().__init__(words, counts, characters)
        self._is_valid = shapes.is_valid

    def rank(self, pair: str, words: list[int]) -> str | None:
        """The piece behind its length, which sorts as the two do; None if it is not valid."""
        piece = self.tokens[ord(pair[0])] + self.tokens[ord(pair[1])]
        return chr(len(piece)) + piece if self._is_valid(piece) else None
