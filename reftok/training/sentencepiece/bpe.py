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
>>> [merge.piece for merge in merges([("▁hug", 10), ("▁pug", 5), ("▁hugs", 5)], 3, PieceShapes(TrainerOptions()))]
['ug', '▁h', '▁hug']
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush, heapreplace
from itertools import pairwise
from typing import TypeAlias

from reftok.spec.sentencepiece.pieces import SPACE_SYMBOL
from reftok.training.sentencepiece.character_coverage import with_best_characters
from reftok.training.sentencepiece.corpus import Corpus, Counted, counted_words
from reftok.training.sentencepiece.model_file import ScoredPiece
from reftok.training.sentencepiece.options import TrainerOptions
from reftok.training.sentencepiece.shape import Ends, PieceShapes
from reftok.training.sentencepiece.trace import MOST_RIVALS, Merge, Progress, TrainingTrace

_PROGRESS_EVERY = 100


class _Pair:
    """Two neighbours: the positions of the left one, in order, and how often they are neighbours now."""

    __slots__ = ("count", "ends", "left", "piece", "positions", "right")

    def __init__(self, left: int, right: int, piece: str, ends: Ends) -> None:
        self.left, self.right, self.piece, self.ends = left, right, piece, ends
        self.count = 0
        self.positions: list[int] = []


_Entry: TypeAlias = tuple[int, int, str, int, int, _Pair]


def train_bpe(
    corpus: Corpus, size: int, options: TrainerOptions, progress: Progress | None, trace: TrainingTrace | None
) -> list[ScoredPiece]:
    """The pieces of a BPE model, without the special ones, in the order of their ids.

    size: so many pieces at most.
    """
    sentences = counted_words(corpus.sentences, options) if options.split_by_whitespace else corpus.sentences
    shapes = PieceShapes(options)
    made = merges(sentences, size - len(corpus.required), shapes, progress, trace)
    if options.auto_character_coverage:
        pieces = with_best_characters(made, sentences, size)
    else:
        pieces = [merge.piece for merge in made] + corpus.required_by_count()
    return [(piece, -float(index)) for index, piece in enumerate(pieces)]


def merges(
    sentences: Sequence[Counted],
    most: int,
    shapes: PieceShapes,
    progress: Progress | None = None,
    trace: TrainingTrace | None = None,
) -> list[Merge]:
    """Up to `most` merges, in order.

    trace: gets the merges together with their rivals.
    """
    rows = _Rows(sentences, shapes)
    queue = [_entry(pair) for pair in rows.new_pairs()]
    heapify(queue)
    made: list[Merge] = []
    texts: set[str] = set()
    while len(made) < most and queue:
        negative, _, piece, _, _, pair = queue[0]
        if pair.count != -negative:
            heapreplace(queue, _entry(pair))
            continue
        heappop(queue)
        if piece in texts:
            continue
        texts.add(piece)
        merge = Merge(rows.pieces[pair.left], rows.pieces[pair.right], pair.count)
        made.append(merge)
        if trace is not None:
            trace.merges.append(Merge(merge.left, merge.right, merge.count, _rivals(queue, pair.count)))
        rows.merge(pair)
        for new in rows.new_pairs():
            heappush(queue, _entry(new))
        if progress is not None and len(made) % _PROGRESS_EVERY == 0:
            progress("merging", len(made), most)
    return made


def _entry(pair: _Pair) -> _Entry:
    """The least of these is the pair to merge next, if its count is still that; the ids make no two entries equal."""
    return -pair.count, len(pair.piece), pair.piece, pair.left, pair.right, pair


def _rivals(queue: list[_Entry], count: int) -> tuple[str, ...]:
    """The next pieces of the queue with this count."""
    found: list[_Entry] = []
    while queue and len(found) < MOST_RIVALS and -queue[0][0] >= count:
        entry = heappop(queue)
        if entry[-1].count != -entry[0]:
            heappush(queue, _entry(entry[-1]))
        else:
            found.append(entry)
    for entry in found:
        heappush(queue, entry)
    return tuple(entry[2] for entry in found)


class _Rows:
    """All sentences behind each other, as numbers of pieces, with 0 between them and for what no pair has.

    pieces, ends: by number. A merge leaves its piece at the place of the left one, and 0 at that of the right one; what
    stands before and behind a place is kept beside.
    """

    def __init__(self, sentences: Sequence[Counted], shapes: PieceShapes) -> None:
        self.pieces = [""]
        self._shapes = shapes
        self._ends: list[Ends] = [(None, None)]
        self._pairs: list[dict[int, _Pair | None]] = [{}]
        self._new: list[_Pair] = []
        numbers: dict[str, int] = {}
        self._row = [0]
        self._counts = [0]
        for text, count in sentences:
            self._row += [numbers[c] if c in numbers else self._character(c, numbers) for c in text]
            self._row.append(0)
            self._counts += [count] * (len(text) + 1)
        size = len(self._row)
        self._before, self._behind = [*range(-1, size - 1)], [*range(1, size + 1)]
        self._count_pairs()

    def _character(self, character: str, numbers: dict[str, int]) -> int:
        numbers[character] = number = (
            self._piece(character, self._shapes.ends(character)) if self._shapes.can_pair(character) else 0
        )
        return number

    def _piece(self, piece: str, ends: Ends) -> int:
        self.pieces.append(piece)
        self._ends.append(ends)
        self._pairs.append({})
        return len(self.pieces) - 1

    def _count_pairs(self) -> None:
        places: list[defaultdict[int, list[int]]] = [defaultdict(list) for _ in self.pieces]
        for place, (left, right) in enumerate(pairwise(self._row)):
            if left and right:
                places[left][right].append(place)
        for left, following in enumerate(places):
            for right, positions in following.items():
                pair = self._pair(left, right)
                if pair is not None:
                    pair.positions = positions
                    pair.count = sum(map(self._counts.__getitem__, positions))

    def _pair(self, left: int, right: int) -> _Pair | None:
        """The new pair of two pieces, None where they make no valid piece."""
        piece = self.pieces[left] + self.pieces[right]
        shapes = self._shapes
        ends = shapes.joined(self._ends[left], self._ends[right])
        pair = None
        has_valid_spaces = SPACE_SYMBOL not in piece or shapes.has_valid_spaces(piece)
        if ends is not None and len(piece) <= shapes.longest and has_valid_spaces:
            pair = _Pair(left, right, piece, ends)
            self._new.append(pair)
        self._pairs[left][right] = pair
        return pair

    def new_pairs(self) -> Iterable[_Pair]:
        """The pairs that were made since this was asked last."""
        new, self._new = self._new, []
        return new

    def merge(self, pair: _Pair) -> None:
        """Merge the pair wherever it still is."""
        row, before, behind, counts, pairs = self._row, self._before, self._behind, self._counts, self._pairs
        left, right = pair.left, pair.right
        new = self._piece(pair.piece, pair.ends)
        pairs_of_right, pairs_of_new = pairs[right], pairs[new]
        for place in pair.positions:
            if row[place] != left:
                continue
            gone = behind[place]
            if row[gone] != right:
                continue
            count = counts[place]
            previous, following = before[place], behind[gone]
            first, last = row[previous], row[following]
            row[place] = new
            row[gone] = 0
            behind[place] = following
            before[following] = place
            if first:
                pairs_of_first = pairs[first]
                old = pairs_of_first.get(left)
                if old is not None:
                    old.count -= count
                found = pairs_of_first[new] if new in pairs_of_first else self._pair(first, new)
                if found is not None:
                    found.count += count
                    found.positions.append(previous)
            if last:
                old = pairs_of_right.get(last)
                if old is not None:
                    old.count -= count
                found = pairs_of_new[last] if last in pairs_of_new else self._pair(new, last)
                if found is not None:
                    found.count += count
                    found.positions.append(place)
        pair.positions = []
