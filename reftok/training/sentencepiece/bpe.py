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

from array import array
from collections import defaultdict
from collections.abc import Sequence
from heapq import heapify, heappop, heappush, heapreplace
from itertools import pairwise
from typing import TypeAlias

from reftok.spec.sentencepiece.pieces import SPACE_SYMBOL
from reftok.training.checkpoint import Columns, numbers, strings
from reftok.training.sentencepiece.character_coverage import with_best_characters
from reftok.training.sentencepiece.corpus import Corpus, Counted, counted_words
from reftok.training.sentencepiece.model_file import ScoredPiece
from reftok.training.sentencepiece.options import TrainerOptions
from reftok.training.sentencepiece.shape import Ends, PieceShapes
from reftok.training.sentencepiece.trace import MOST_RIVALS, Merge, TrainingTrace
from reftok.training.watching import TrainingProgress, Watch, unwatched

_BETWEEN = "\0"
"""Stands between sentences: no piece has it."""


_Entry: TypeAlias = tuple[int, int, str, int]
"""Of a pair: its count below zero, the characters and the text of its piece, and its number. The least is merged next,
if its count is still that."""


def train_bpe(
    corpus: Corpus,
    size: int,
    options: TrainerOptions,
    watch: Watch,
    trace: TrainingTrace | None,
    state: Columns | None,
) -> list[ScoredPiece]:
    """The pieces of a BPE model, without the special ones, in the order of their ids.

    size: so many pieces at most.
    """
    sentences = counted_words(corpus.sentences, options) if options.split_by_whitespace else corpus.sentences
    shapes = PieceShapes(options)
    made = merges(sentences, size - len(corpus.required), shapes, watch, trace, state)
    if options.auto_character_coverage:
        pieces = with_best_characters(made, sentences, size)
    else:
        pieces = [merge.piece for merge in made] + corpus.required_by_count()
    return [(piece, -float(index)) for index, piece in enumerate(pieces)]


def merges(
    sentences: Sequence[Counted],
    most: int,
    shapes: PieceShapes,
    watch: Watch = unwatched,
    trace: TrainingTrace | None = None,
    state: Columns | None = None,
) -> list[Merge]:
    """Up to `most` merges, in order.

    watch: is told of each. trace: gets the merges together with their rivals. state: to go on from.
    """
    rows = _Rows(sentences, shapes)
    made: list[Merge] = []
    if state is None:
        rows.count_pairs()
        queue = rows.new_entries()
    else:
        merged = rows.go_on(state)
        counts = map(int, strings(state, "merge counts"))
        made = [Merge(*rows.halves(pair), count) for pair, count in zip(merged, counts, strict=True)]
        queue = [rows.entry(pair) for pair in numbers(state, "queued")]
    heapify(queue)
    texts = {merge.piece for merge in made}

    def columns() -> Columns:
        counts = [str(merge.count) for merge in made]
        return {**rows.columns(), "merge counts": counts, "queued": [pair for *_, pair in queue]}

    while len(made) < most and queue:
        negative, _, piece, pair = queue[0]
        if rows.counts[pair] != -negative:
            heapreplace(queue, rows.entry(pair))
            continue
        heappop(queue)
        if piece in texts:
            continue
        texts.add(piece)
        left, right = rows.halves(pair)
        made.append(Merge(left, right, -negative))
        if trace is not None:
            trace.merges.append(Merge(left, right, -negative, _rivals(queue, rows, -negative)))
        rows.merge(pair)
        for entry in rows.new_entries():
            heappush(queue, entry)
        watch(TrainingProgress("merging", len(made), most, "pieces"), columns)
    return made


def _rivals(queue: list[_Entry], rows: _Rows, count: int) -> tuple[str, ...]:
    """The next pieces of the queue with this count."""
    found: list[_Entry] = []
    while queue and len(found) < MOST_RIVALS and -queue[0][0] >= count:
        entry = heappop(queue)
        if rows.counts[entry[-1]] != -entry[0]:
            heappush(queue, rows.entry(entry[-1]))
        else:
            found.append(entry)
    for entry in found:
        heappush(queue, entry)
    return tuple(piece for _, _, piece, _ in found)


class _Rows:
    """All sentences behind each other, as numbers of pieces, with 0 between them and for what no pair has.

    pieces, ends: by number; characters come first, by code point, then what was merged. A merge leaves its piece at the
    place of the left one, and 0 at that of the right one; what stands before and behind a place is kept beside.

    A pair has a number too, 0 where it makes no valid piece. counts: how often the two are neighbours now; places:
    those of the left one, in order; and the numbers, the text and the ends of the two together. They are columns, not
    objects, which the garbage collector would look through again and again.
    """

    def __init__(self, sentences: Sequence[Counted], shapes: PieceShapes) -> None:
        self._shapes = shapes
        self.pieces = [""]
        self._ends: list[Ends] = [(None, None)]
        self._following: list[dict[int, int]] = [{}]
        self.counts = [0]
        self._places = [array("l")]
        self._lefts, self._rights, self._texts = [0], [0], [""]
        self._ends_of_pairs: list[Ends] = [(None, None)]
        self._merged: list[int] = []
        self._first_new = 1
        joined = _BETWEEN.join(("", *(text for text, _ in sentences), ""))
        numbers = {character: self._character(character) for character in sorted({*joined})}
        self._row = [*map(numbers.__getitem__, joined)]
        self._weights = [0]
        for text, count in sentences:
            self._weights += [count] * (len(text) + 1)
        size = len(self._row)
        self._before, self._behind = [*range(-1, size - 1)], [*range(1, size + 1)]

    def _character(self, character: str) -> int:
        return self._piece(character, self._shapes.ends(character)) if self._shapes.can_pair(character) else 0

    def _piece(self, piece: str, ends: Ends) -> int:
        self.pieces.append(piece)
        self._ends.append(ends)
        self._following.append({})
        return len(self.pieces) - 1

    def count_pairs(self) -> None:
        """Find the pairs of the sentences as they are given."""
        found: list[defaultdict[int, array[int]]] = [defaultdict(_no_places) for _ in self.pieces]
        for place, (left, right) in enumerate(pairwise(self._row)):
            if left and right:
                found[left][right].append(place)
        for left, following in enumerate(found):
            for right, places in following.items():
                pair = self._pair(left, right)
                if pair:
                    self._places[pair] = places
                    self.counts[pair] = sum(map(self._weights.__getitem__, places))

    def _pair(self, left: int, right: int) -> int:
        """The number of a new pair of pieces."""
        shapes = self._shapes
        pair = 0
        ends = shapes.joined(self._ends[left], self._ends[right])
        if ends is not None:
            piece = self.pieces[left] + self.pieces[right]
            if len(piece) <= shapes.longest and (SPACE_SYMBOL not in piece or shapes.has_valid_spaces(piece)):
                pair = len(self.counts)
                self.counts.append(0)
                self._places.append(array("l"))
                self._lefts.append(left)
                self._rights.append(right)
                self._texts.append(piece)
                self._ends_of_pairs.append(ends)
        self._following[left][right] = pair
        return pair

    def _merged_piece(self, pair: int) -> int:
        self._merged.append(pair)
        return self._piece(self._texts[pair], self._ends_of_pairs[pair])

    def halves(self, pair: int) -> tuple[str, str]:
        """The two pieces of a pair."""
        return self.pieces[self._lefts[pair]], self.pieces[self._rights[pair]]

    def entry(self, pair: int) -> _Entry:
        """The entry of a pair as it is now."""
        piece = self._texts[pair]
        return -self.counts[pair], len(piece), piece, pair

    def new_entries(self) -> list[_Entry]:
        """The entries of the pairs that were made since this was asked last."""
        first, self._first_new = self._first_new, len(self.counts)
        return [self.entry(pair) for pair in range(first, self._first_new)]

    def merge(self, pair: int) -> None:
        """Merge the pair wherever it still is."""
        row, before, behind, weights = self._row, self._before, self._behind, self._weights
        counts, places, following = self.counts, self._places, self._following
        left, right = self._lefts[pair], self._rights[pair]
        new = self._merged_piece(pair)
        after_right, after_new = following[right], following[new]
        for place in places[pair]:
            if row[place] != left:
                continue
            gone = behind[place]
            if row[gone] != right:
                continue
            weight = weights[place]
            previous, next_place = before[place], behind[gone]
            first, last = row[previous], row[next_place]
            row[place] = new
            row[gone] = 0
            behind[place] = next_place
            before[next_place] = place
            if first:
                after_first = following[first]
                old = after_first.get(left)
                if old:
                    counts[old] -= weight
                found = after_first[new] if new in after_first else self._pair(first, new)
                if found:
                    counts[found] += weight
                    places[found].append(previous)
            if last:
                old = after_right.get(last)
                if old:
                    counts[old] -= weight
                found = after_new[last] if last in after_new else self._pair(new, last)
                if found:
                    counts[found] += weight
                    places[found].append(place)
        places[pair] = array("l")

    # --- its state, from which another can go on

    def columns(self) -> Columns:
        """All that others with the same sentences must be given to go on."""
        return {
            "row": self._row,
            "behind": self._behind,
            "pairs left": self._lefts[1:],
            "pairs right": self._rights[1:],
            "merged": self._merged,
        }

    def go_on(self, columns: Columns) -> list[int]:
        """Take over the state of others; gives the pairs that were merged, in order.

        What is not written follows from the rest: the pieces from the pairs, a pair's count and its places, which are
        always in order, from the row.
        """
        merged = iter(numbers(columns, "merged"))
        for left, right in zip(numbers(columns, "pairs left"), numbers(columns, "pairs right"), strict=True):
            while len(self.pieces) <= max(left, right):
                self._merged_piece(next(merged))
            self._pair(left, right)
        for pair in merged:
            self._merged_piece(pair)
        self._first_new = len(self.counts)
        self._row, self._behind = numbers(columns, "row"), numbers(columns, "behind")
        row, following = self._row, self._following
        place, size = 0, len(row)
        while (next_place := self._behind[place]) < size:
            self._before[next_place] = place
            pair = following[row[place]].get(row[next_place], 0)
            if pair:
                self.counts[pair] += self._weights[place]
                self._places[pair].append(place)
            place = next_place
        return self._merged


def _no_places() -> array[int]:
    return array("l")
