r"""The loop that all BPE trainers share: count the pairs, merge the best one everywhere, count again.

Which of several equally frequent pairs is the best is the rule in which the trainers differ, and alone decides the
vocabulary on most texts: half of all merges win by it. There are three, each the `rank` of a loop:

    the pair of smaller ids, the left one first: tokenizers 0.23 models/bpe/trainer.rs `Merge`; `MergeLoop` itself
    the pair that stands first in the text as it is merged so far: karpathy/minbpe and tiktoken; see minbpe.py
    the pair of the shorter, then smaller text: sentencepiece; see sentencepiece/bpe.py

Pairs are counted wherever two symbols are neighbours, overlapping ones too: `a a a` has the pair `a a` twice, though
only one of them can be merged. Merging goes from left to right.

A word is a `str` with a character for each symbol: the one whose code point is the symbol's id. So the two-character
strings are the pairs, their order is that of the ids, and `str.split` finds the places of a merge.

Quirks, all of tokenizers:

- A queue entry carries the words that were known when it was made, and only these are rewritten.
- The new token may be in the vocab already; then no id is new, a pair may be in the queue twice and be merged twice.
- Counts are i32 and wrap; a negative one, read as u64, is about 2 to the 64th and wins at once.
- With `max_token_length` a pair that is too long is not counted when it comes up (the two lengths together must be less
  than the limit), but when it vanishes it is counted down all the same, so that its count may be negative. Pairs of the
  first count are never checked: the shortest limit gives tokens of two characters.
- The count of the pair that was merged is not set to 0.
- Two entries of one pair may have equal counts and different words. Which is merged first depends on the history of the
  library's heap, and so on the order of a hash map with random keys; here it is the older one. That needs a new token
  that is in the vocab already, and is met with prefixes that are letters of the text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heappush, heapreplace
from operator import add
from typing import Any, ClassVar, TypeAlias

from reftok.errors import TrainingStopped
from reftok.training.monitor import Merge, State, TrainingTrace

MOST_IDS = 0x110000
"""There are so many code points, and so many ids."""

Best: TypeAlias = tuple[int, str, list[int]]
"""The count of a pair, the pair, and the words that it may be in."""

Entry: TypeAlias = tuple[int, Any, int, str, list[int]]
"""The negative count, what decides between equals (the smaller wins), a serial number, the pair, its words."""


class MergeLoop:
    r"""The words of a corpus as they are merged so far, and the queue of their pairs.

    words: the distinct words in the order of the text, a character a symbol. counts: how often each occurs.
    tokens: by id; those that are merged are added. max_token_length: see above; None for any length.
    made: of each merge the pair, the id that it became, and its count.
    equal_entries: how often a merge was made while the queue had an equal entry of its pair.

    >>> loop = MergeLoop(["\0\1\0\1", "\1\1"], [3, 5], ["a", "b"])
    >>> loop.start()
    >>> loop.make(loop.best(), "ab", 2)
    >>> loop.words, loop.tokens, loop.best()
    (['\x02\x02', '\x01\x01'], ['a', 'b', 'ab'], (5, '\x01\x01', [1]))
    """

    has_int32_counts: ClassVar[bool] = True
    least_queued: ClassVar[int] = 1
    """The count with which a pair that comes up is queued."""

    def __init__(
        self, words: Iterable[str], counts: Sequence[int], tokens: list[str], max_token_length: int | None = None
    ) -> None:
        self.words = list(words)
        self.counts = counts
        self.tokens = tokens
        self.max_token_length = max_token_length
        self.made: list[tuple[str, int, int]] = []
        self.pair_counts: defaultdict[str, int] = defaultdict(int)
        self.queue: list[Entry] = []
        most = sum(count * len(word) for word, count in zip(self.words, counts, strict=True))
        self._wraps = self.has_int32_counts and most >= 1 << 31
        self._serial = 0
        self.equal_entries = 0
        # Lengths in characters, a character for each, as the words have ids: of each symbol, not of each id.
        self._lengths = None if max_token_length is None else ["\1" * len(word) for word in self.words]

    def rank(self, pair: str, words: list[int]) -> Any:
        """What decides between equally frequent pairs, the smaller is the better; None for a pair never to be merged.

        words: where the pair comes up.
        """
        return pair

    def halves(self, pair: str) -> tuple[str, str]:
        """The two tokens of a pair."""
        return self.tokens[ord(pair[0])], self.tokens[ord(pair[1])]

    # --- its state, from which another loop can resume

    def start(self, state: State | None = None) -> None:
        """Counts all pairs of all words, or takes over the state of another loop, which had the same words."""
        if state is None:
            self.count_pairs()
            return
        self.words, self._lengths, self.equal_entries = state["words"], state["lengths"], state["equal entries"]
        self.tokens, self.made = state["tokens"], [(pair, made, count) for pair, made, count in state["made"]]
        self.pair_counts.update(state["pairs"])
        self.queue = [
            (negative, self.rank(pair, words), serial, pair, words) for negative, serial, pair, words in state["queue"]
        ]
        self._serial = max((serial for _, _, serial, _, _ in self.queue), default=0)
        heapify(self.queue)

    def state(self) -> State:
        """All that a loop over the same words must be given to resume."""
        return {
            "words": self.words,
            "lengths": self._lengths,
            "equal entries": self.equal_entries,
            "tokens": self.tokens,
            "made": self.made,
            "pairs": self.pair_counts,
            "queue": [(negative, serial, pair, words) for negative, _, serial, pair, words in self.queue],
        }

    # --- counting

    def count_pairs(self) -> None:
        """Counts all pairs of all words, and queues them."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for index, word in enumerate(self.words):
            for pair in map(add, word, word[1:]):
                found[pair].append(index)
        weight = self.counts.__getitem__
        for pair, words in found.items():
            self.pair_counts[pair] = sum(map(weight, words))
            found[pair] = [*dict.fromkeys(words)]
        self.queue = []
        self._queue(found)

    def current(self, pair: str) -> int:
        """The count of a pair, as an i32 has it."""
        count = self.pair_counts[pair]
        return (count + (1 << 31)) % (1 << 32) - (1 << 31) if self._wraps else count

    def _as_u64(self, pair: str) -> int:
        count = self.current(pair)
        return count + (1 << 64) if count < 0 else count

    def _queue(self, found: dict[str, list[int]]) -> None:
        """Queues pairs with the words that they came up in."""
        queue, counts, rank_of = self.queue, self.pair_counts, self.rank
        is_plain, serial, least = not self._wraps, self._serial, self.least_queued
        for pair, words in found.items():
            count = counts[pair] if is_plain else self.current(pair)
            if count >= least and (rank := rank_of(pair, words)) is not None:
                serial += 1
                heappush(queue, (-count, rank, serial, pair, words))
        self._serial = serial

    # --- the best pair

    def best(self) -> Best | None:
        """The best pair, whose entry is taken out of the queue; None where there is none left.

        The count is that of the pair at this moment, 0 too.
        """
        entry = self._popped()
        return None if entry is None else (-entry[0], entry[3], entry[4])

    def _popped(self) -> Entry | None:
        """The first entry whose count is the current one of its pair; others are put back with that."""
        queue, pair_counts = self.queue, self.pair_counts
        is_plain = not self._wraps
        while queue:
            count, rank, serial, pair, words = entry = queue[0]
            now = pair_counts[pair] if is_plain else self._as_u64(pair)
            if now < 0:
                now += 1 << 64
            if now == -count:
                heappop(queue)
                self.equal_entries += bool(queue) and queue[0][0] == count and queue[0][3] == pair
                return entry
            heapreplace(queue, (-now, rank, serial, pair, words))
        return None

    def rivals(self, count: int, pair: str) -> list[str]:
        """The other pairs in the queue that have this count at this moment, the best first."""
        found = sorted(entry[1:4] for entry in self.queue if self._as_u64(entry[3]) == count and entry[3] != pair)
        return list(dict.fromkeys(other for _, _, other in found))

    # --- merging it

    def make(self, best: Best, token: str, token_id: int, trace: TrainingTrace | None = None) -> None:
        """Merges the best pair.

        token_id: of the token that it becomes, the next free one if it is new. trace: is filled.
        Raises TrainingStopped if there are no more ids.
        """
        count, pair, words = best
        if trace is not None and trace.wants(len(self.made), token):
            rivals = tuple(map(self.halves, self.rivals(count, pair)))
            trace.merges[len(self.made)] = Merge(*self.halves(pair), token, count, rivals)
        if token_id == len(self.tokens):
            if token_id >= MOST_IDS:
                raise TrainingStopped(f"a vocabulary of more than {MOST_IDS:,} tokens is not supported")
            self.tokens.append(token)
        self.merge(pair, token_id, words)
        self.made.append((pair, token_id, count))

    def end(self, trace: TrainingTrace | None, merged: Callable[[str, str], str] = add) -> None:
        """Notes the table of merges, and the pairs that would have made the token that was asked for.

        merged: the token that two become.
        """
        if trace is None:
            return
        trace.table = [Merge(*self.halves(pair), self.tokens[made], count) for pair, made, count in self.made]
        if trace.asked and not trace.merges:
            pairs = [pair for pair in [*self.pair_counts] if merged(*self.halves(pair)) == trace.asked]
            trace.unmade = [Merge(*self.halves(pair), trace.asked, self.current(pair)) for pair in pairs]

    def merge(self, pair: str, new_id: int, words: Sequence[int]) -> None:
        """Writes the new id in the place of the pair in these words, and queues the pairs that come up."""
        self._queue(self._merge(pair, chr(new_id), words))

    def _merge(self, pair: str, new: str, words: Sequence[int]) -> dict[str, list[int]]:
        """The pairs that were counted up, those that end with the new id first, with their words."""
        left, right = pair[0], pair[1]
        limit = self.max_token_length
        # The words by the symbols before and behind the pair, a word for each time; then those of pairs short enough.
        before_pair, behind_pair = _words_by_symbol(), _words_by_symbol()
        joins_before, joins_behind = before_pair, behind_pair
        if limit is not None:
            joins_before, joins_behind = _words_by_symbol(), _words_by_symbol()
        for index in words:
            parts = self.words[index].split(pair)
            if len(parts) == 1:
                continue
            lengths = [] if limit is None else self._merge_lengths(index, parts)
            self.words[index] = new.join(parts)
            before, last = parts[0][-1:], len(parts) - 2
            if not last and limit is None:  # most words: what follows in short
                if before:
                    before_pair[before].append(index)
                if parts[1]:
                    behind_pair[parts[1][0]].append(index)
                continue
            for place, part in enumerate(parts[1:]):
                # What follows is still two symbols, even if it is this pair again.
                behind = part[:1] or (left if place < last else "")
                if before:
                    before_pair[before].append(index)
                if behind:
                    behind_pair[behind].append(index)
                if limit is not None:
                    with_before, with_behind = lengths[place]
                    if before and with_before < limit:
                        joins_before[before].append(index)
                    if behind and with_behind < limit:
                        joins_behind[behind].append(index)
                before = part[-1:] or new
        weight, pair_counts = self.counts.__getitem__, self.pair_counts
        found: dict[str, list[int]] = {}
        for symbols, joins, is_before in ((before_pair, joins_before, True), (behind_pair, joins_behind, False)):
            for symbol, places in symbols.items():
                ended, joined = (symbol + left, symbol + new) if is_before else (right + symbol, new + symbol)
                count = sum(map(weight, places))
                pair_counts[ended] -= count
                if joins is not symbols:
                    places = joins[symbol]
                    count = sum(map(weight, places))
                if places:
                    pair_counts[joined] += count
                    found[joined] = [*dict.fromkeys(found[joined] + places if joined in found else places)]
        return found

    def _merge_lengths(self, index: int, parts: Sequence[str]) -> list[tuple[int, int]]:
        """Merges the lengths of a word's symbols; those of each new symbol with the one before it, and behind it."""
        assert self._lengths is not None, "there is a limit"
        old, place, before = self._lengths[index], 0, 0
        written: list[str] = []
        found: list[tuple[int, int]] = []
        for part in parts[:-1]:
            if part:
                written.append(old[place : place + len(part)])
                place += len(part)
                before = ord(old[place - 1])
            size = ord(old[place]) + ord(old[place + 1])
            place += 2
            found.append((before + size, size + sum(map(ord, old[place : place + 1]))))
            written.append(chr(size))
            before = size
        self._lengths[index] = "".join((*written, old[place:]))
        return found


def _words_by_symbol() -> defaultdict[str, list[int]]:
    return defaultdict(list)
