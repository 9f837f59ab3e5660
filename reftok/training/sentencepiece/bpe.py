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

from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL
from reftok.training.checkpoint import State, TrainingProgress, Watch, unwatched
from reftok.training.sentencepiece.character_coverage import with_best_characters
from reftok.training.sentencepiece.corpus import Corpus, Counted, counted_words
from reftok.training.sentencepiece.model_file import ScoredPiece
from reftok.training.sentencepiece.options import TrainerOptions
from reftok.training.sentencepiece.shape import Ends, PieceShapes
from reftok.training.trace import Merge, TrainingTrace

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
    state: State | None,
    trace: TrainingTrace | None,
) -> list[ScoredPiece]:
    """The pieces of a BPE model, without the special ones, in the order of their ids.

    size: so many pieces at most.
    """
    sentences = counted_words(corpus.sentences, options) if options.split_by_whitespace else corpus.sentences
    shapes = PieceShapes(options)
    made = merges(sentences, size - len(corpus.required), shapes, watch, state, trace)
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
    state: State | None = None,
    trace: TrainingTrace | None = None,
) -> list[Merge]:
    """Up to `most` merges, in order.

    watch: called after each. state: to resume from. trace: gets the merges that it wants, together with their rivals.
    """
    rows = _Rows(sentences, shapes)
    made: list[Merge] = []
    if state is None:
        queue = rows.count_pairs()
    else:
        merged = rows.resume(state["rows"])
        made = [rows.made(pair, count) for pair, count in zip(merged, state["counts"], strict=True)]
        queue = [rows.entry(pair) for pair in state["queue"]]
    heapify(queue)
    texts = {merge.piece for merge in made}

    def current() -> State:
        counts = [merge.count for merge in made]
        return {"rows": rows.state(), "counts": counts, "queue": [pair for *_, pair in queue]}

    while len(made) < most and queue:
        negative, _, piece, pair = queue[0]
        if rows.counts[pair] != -negative:
            heapreplace(queue, rows.entry(pair))
            continue
        heappop(queue)
        if piece in texts:
            continue
        texts.add(piece)
        if trace is not None and trace.wants(len(made), piece):
            # An entry may be older than its count; only a count of this moment makes a rival.
            rivals = [rows.entry(entry[-1]) for entry in queue if rows.counts[entry[-1]] == -negative]
            trace.merges[len(made)] = rows.made(pair, -negative, [entry[-1] for entry in sorted(rivals)])
        made.append(rows.made(pair, -negative))
        for entry in rows.merge(pair):
            heappush(queue, entry)
        watch(TrainingProgress("merging", len(made), most, "pieces"), current)
    return made


class _Rows:
    """All sentences behind each other, as numbers of pieces, with 0 between them and for what no pair has.

    pieces, sizes, ends: by number; characters come first, by code point, then what was merged. A piece's number stands
    at the first and at the last of its places, so that its neighbours find it; what stands between these has no
    meaning, and is never the number of a piece that begins there.

    A pair has a number too; 0 is that of all that make no valid piece, of which nothing counts. counts: how often the
    two are neighbours now; places: those of the left one, in order, some of which it may have left; and the numbers of
    the two. They are columns and arrays, not objects, of which there would be very many.
    """

    def __init__(self, sentences: Sequence[Counted], shapes: PieceShapes) -> None:
        self._shapes = shapes
        self.pieces = [""]
        self._sizes = [1]
        self._ends: list[Ends] = [(None, None)]
        self._following: list[dict[int, int]] = [{}]
        self.counts = [0]
        self._places: list[array[int]] = [array("l")]
        self._lefts, self._rights = [0], [0]
        self._merged: list[int] = []
        joined = _BETWEEN.join(("", *(text for text, _ in sentences), ""))
        numbers = {character: self._character(character) for character in sorted({*joined})}
        self._row = [*map(numbers.__getitem__, joined)]
        self._weights = [0]
        for text, count in sentences:
            self._weights += [count] * (len(text) + 1)

    def _character(self, character: str) -> int:
        return self._piece(character, self._shapes.ends(character)) if self._shapes.can_pair(character) else 0

    def _piece(self, piece: str, ends: Ends) -> int:
        self.pieces.append(piece)
        self._sizes.append(len(piece))
        self._ends.append(ends)
        self._following.append({})
        return len(self.pieces) - 1

    def count_pairs(self) -> list[_Entry]:
        """Find the pairs of the sentences as they are given; gives their entries."""
        found = [_by_piece() for _ in self.pieces]
        for place, (left, right) in enumerate(pairwise(self._row)):
            if left and right:
                found[left][right].append(place)
        entries: list[_Entry] = []
        for left, following in enumerate(found):
            for right, places in following.items():
                self._add(left, right, places, sum(map(self._weights.__getitem__, places)), entries)
        return entries

    def _add(self, left: int, right: int, places: array[int], count: int, entries: list[_Entry]) -> None:
        """A new pair, if these two make a valid piece; `entries` gets its entry."""
        shapes = self._shapes
        if shapes.joined(self._ends[left], self._ends[right]) is None:
            return
        piece = self.pieces[left] + self.pieces[right]
        if len(piece) <= shapes.longest and (SPACE_SYMBOL not in piece or shapes.has_valid_spaces(piece)):
            pair = len(self.counts)
            self._following[left][right] = pair
            self.counts.append(count)
            self._places.append(places)
            self._lefts.append(left)
            self._rights.append(right)
            entries.append(self.entry(pair))

    def _merged_piece(self, pair: int) -> int:
        self._merged.append(pair)
        left, right = self._lefts[pair], self._rights[pair]
        ends = self._shapes.joined(self._ends[left], self._ends[right])
        assert ends is not None, "they make a pair"
        return self._piece(self.pieces[left] + self.pieces[right], ends)

    def halves(self, pair: int) -> tuple[str, str]:
        """The two pieces of a pair."""
        return self.pieces[self._lefts[pair]], self.pieces[self._rights[pair]]

    def made(self, pair: int, count: int, rivals: Sequence[int] = ()) -> Merge:
        """The merge of a pair."""
        left, right = self.halves(pair)
        return Merge(left, right, left + right, count, tuple(map(self.halves, rivals)))

    def entry(self, pair: int) -> _Entry:
        """The entry of a pair as it is now."""
        piece = "".join(self.halves(pair))
        return -self.counts[pair], len(piece), piece, pair

    def merge(self, pair: int) -> list[_Entry]:
        """Merge the pair wherever it still is; gives the entries of the pairs that come up."""
        row, sizes = self._row, self._sizes
        left, right = self._lefts[pair], self._rights[pair]
        size, right_size = sizes[left], sizes[right]
        new = self._merged_piece(pair)
        by_first, by_last = _by_piece(), _by_piece()
        for place in self._places[pair]:
            gone = place + size
            if row[place] != left or row[gone] != right:
                continue
            next_place = gone + right_size
            first = row[place - 1]
            row[gone] = 0
            row[place] = row[next_place - 1] = new
            if first == new:
                # What stood behind the merge before this one was its left piece, and is no more.
                by_last[left].pop()
            by_first[first].append(place - sizes[first])
            by_last[row[next_place]].append(place)
        self._places[pair] = array("l")
        entries: list[_Entry] = []
        weight, counts, following = self._weights.__getitem__, self.counts, self._following
        for first, places in by_first.items():
            if first:
                count = sum(map(weight, places))
                counts[following[right if first == new else first].get(left, 0)] -= count
                self._add(first, new, places, count, entries)
        for last, places in by_last.items():
            if last:
                count = sum(map(weight, places))
                counts[following[right].get(last, 0)] -= count
                self._add(new, last, places, count, entries)
        return entries

    # --- its state, from which another can resume

    def state(self) -> State:
        """All that others with the same sentences must be given to resume."""
        return {"row": self._row, "lefts": self._lefts[1:], "rights": self._rights[1:], "merged": self._merged}

    def resume(self, state: State) -> list[int]:
        """Takes over the state of others; returns the pairs that were merged, in order.

        The state leaves out what follows from the rest: the pieces follow from the pairs; a pair's count and its
        places, which are always in order, from the row.
        """
        merged = iter(state["merged"])
        for left, right in zip(state["lefts"], state["rights"], strict=True):
            while len(self.pieces) <= max(left, right):
                self._merged_piece(next(merged))
            self._add(left, right, array("l"), 0, [])
        for pair in merged:
            self._merged_piece(pair)
        self._row = row = state["row"]
        place = 0
        while (next_place := place + self._sizes[row[place]]) < len(row):
            pair = self._following[row[place]].get(row[next_place], 0)
            if pair:
                self.counts[pair] += self._weights[place]
                self._places[pair].append(place)
            place = next_place
        return self._merged


def _by_piece() -> defaultdict[int, array[int]]:
    """Places by the number of a piece."""
    return defaultdict(_no_places)


def _no_places() -> array[int]:
    return array("l")
