r"""The loop that all BPE trainers share: count the pairs, merge the best one everywhere, count again.

Which of several equally frequent pairs is the best is the rule in which the trainers differ, and alone decides the
vocabulary on most texts: half of all merges win by it. There are two:

    the pair of smaller ids, the left one first: tokenizers 0.23 models/bpe/trainer.rs `Merge`
    the pair that stands first in the text as it is merged so far: `max` over a dict in the order of the text,
    karpathy/minbpe base.py `get_stats`, tiktoken 0.14 _educational.py `bpe_train`

Pairs are counted wherever two symbols are neighbours, overlapping ones too: `a a a` has the pair `a a` twice, though
only one of them can be merged. Merging goes from left to right.

A word is a `str` with a character for each symbol: the one whose code point is the symbol's id. So the two-character
strings are the pairs, their order is that of the ids, and `str.find` finds the places of a merge.

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

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heappush
from operator import add
from typing import Any, TypeAlias

from reftok.training.checkpoint import State

MOST_IDS = 0x110000
"""There are so many code points, and so many ids."""

Entry: TypeAlias = tuple[int, Any, int, str, list[int]]
"""The negative count, what decides between equals (the smaller wins), a serial number, the pair, its words."""

Rank: TypeAlias = Callable[[str, list[int]], Any]
"""Of a pair and its words: what decides between equally frequent pairs, of which the smaller is the better."""


class MergeLoop:
    """The words of a corpus as they are merged so far, and the queue of their pairs.

    words: the distinct words in the order of the text, a character a symbol.
    counts: how often each occurs.
    first_seen: whether of equally frequent pairs the first in the text is the best, and not that of smaller ids.
    max_token_length: see above; None for any length.
    equal_entries: how often a merge was made while the queue had an equal entry of its pair.

    >>> loop = MergeLoop(["abab", "bb"], [3, 5])
    >>> loop.count_pairs()
    >>> loop.best()
    (6, 'ab', [0])
    >>> loop.merge("ab", ord("c"), [0])
    >>> loop.words, loop.best()
    (['cc', 'bb'], (5, 'bb', [1]))
    """

    def __init__(
        self,
        words: Iterable[str],
        counts: Sequence[int],
        first_seen: bool = False,
        max_token_length: int | None = None,
    ) -> None:
        self.words = list(words)
        self.counts = counts
        self.max_token_length = max_token_length
        self.pair_counts: defaultdict[str, int] = defaultdict(int)
        self.queue: list[Entry] = []
        self._is_first_seen = first_seen
        self._rank: Rank = (lambda pair, words: words[0]) if first_seen else (lambda pair, words: pair)
        self._wraps = sum(count * len(word) for word, count in zip(self.words, counts, strict=True)) >= 1 << 31
        self._serial = 0
        self.equal_entries = 0
        # Lengths in characters, a character for each, as the words have ids: of each symbol, not of each id.
        self._lengths = None if max_token_length is None else ["\1" * len(word) for word in self.words]

    def count_pairs(self) -> None:
        """Count all pairs of all words, and queue them."""
        pair_counts = self.pair_counts
        found: dict[str, list[int]] = {}
        for index, (word, count) in enumerate(zip(self.words, self.counts, strict=True)):
            for pair in map(add, word, word[1:]):
                if pair in found:
                    pair_counts[pair] += count
                    words = found[pair]
                    if words[-1] != index:
                        words.append(index)
                else:
                    pair_counts[pair] = count
                    found[pair] = [index]
        self.queue = []
        for pair, words in found.items():
            if (count := self.current(pair)) > 0:
                self.queue.append(self._entry(count, pair, words))
        heapify(self.queue)

    def _entry(self, count: int, pair: str, words: list[int]) -> Entry:
        self._serial += 1
        return -count, self._rank(pair, words), self._serial, pair, words

    def current(self, pair: str) -> int:
        """The count of a pair, as an i32 has it."""
        count = self.pair_counts[pair]
        return (count + (1 << 31)) % (1 << 32) - (1 << 31) if self._wraps else count

    def _as_u64(self, pair: str) -> int:
        count = self.current(pair)
        return count + (1 << 64) if count < 0 else count

    # --- its state, from which another loop can resume

    def state(self) -> State:
        """All that a loop over the same words must be given to resume."""
        queue = [(-negative, serial, pair, words) for negative, _, serial, pair, words in self.queue]
        return {
            "words": self.words,
            "lengths": self._lengths,
            "pairs": self.pair_counts,
            "queue": queue,
            "equal entries": self.equal_entries,
        }

    def resume(self, state: State) -> None:
        """Takes over the state of another loop, which had the same words and rules."""
        self.words, self._lengths, self.equal_entries = state["words"], state["lengths"], state["equal entries"]
        self.pair_counts.update(state["pairs"])
        self.queue = [
            (-count, self._rank(pair, words), serial, pair, words) for count, serial, pair, words in state["queue"]
        ]
        self._serial = max((serial for _, serial, _, _ in state["queue"]), default=0)
        heapify(self.queue)

    # --- the best pair

    def best(self) -> tuple[int, str, list[int]] | None:
        """The count of the best pair, the pair, and the words that it may be in; None where there is none left.

        The count is that of the pair at this moment, 0 too. The entry is taken out of the queue.
        """
        entry = self._popped()
        if entry is None:
            return None
        if self._is_first_seen:
            entry = self._first_seen(entry)
        return -entry[0], entry[3], entry[4]

    def _popped(self) -> Entry | None:
        """The first entry whose count is the current one of its pair; others are put back with that."""
        queue, pair_counts = self.queue, self.pair_counts
        plain = not self._wraps
        while queue:
            entry = heappop(queue)
            count, rank, serial, pair, words = entry
            now = pair_counts[pair] if plain else self._as_u64(pair)
            if now < 0:
                now += 1 << 64
            if now != -count:
                heappush(queue, (-now, rank, serial, pair, words))
                continue
            if not self._is_first_seen or not now:
                self.equal_entries += bool(queue) and queue[0][0] == count and queue[0][3] == pair
                return entry
            place = self._first_word(pair, words, rank)
            if words[place] == rank:
                return entry
            heappush(queue, (count, words[place], serial, pair, words[place:]))
        return None

    def _first_word(self, pair: str, words: list[int], known: int) -> int:
        """The place in `words` of the first one that has the pair still."""
        place = bisect_left(words, known)
        while pair not in self.words[words[place]]:
            place += 1
        return place

    def _first_seen(self, entry: Entry) -> Entry:
        """Of all entries of this count and this first word, that whose pair stands first in the word."""
        equal = [entry]
        while self.queue and self.queue[0][:2] == entry[:2]:
            other = self._popped()
            assert other is not None, "the queue has one"
            if other[:2] != entry[:2]:
                heappush(self.queue, other)
                continue
            equal.append(other)
        if len(equal) == 1:
            return entry
        word = self.words[entry[4][0]] if entry[0] else ""
        equal.sort(key=lambda one: word.find(one[3]))
        for other in equal[1:]:
            heappush(self.queue, other)
        return equal[0]

    def rivals(self, count: int, pair: str) -> list[str]:
        """The other pairs in the queue that have this count at this moment."""
        return sorted({entry[3] for entry in self.queue if self._as_u64(entry[3]) == count} - {pair})

    # --- merging it

    def merge(self, pair: str, new_id: int, words: Sequence[int]) -> None:
        """Write the new id in the place of the pair in these words, and queue the pairs that come up."""
        found = self._merge(pair, chr(new_id), words)
        queue, pair_counts, rank = self.queue, self.pair_counts, self._rank
        is_plain, serial = not self._wraps, self._serial
        for new, where in found.items():
            count = pair_counts[new] if is_plain else self.current(new)
            if count > 0:
                serial += 1
                heappush(queue, (-count, rank(new, where), serial, new, where))
        self._serial = serial

    def _merge(self, pair: str, new: str, words: Sequence[int]) -> dict[str, list[int]]:
        """The pairs that were counted up, with the words that they came up in."""
        left, right = pair[0], pair[1]
        limit, pair_counts = self.max_token_length, self.pair_counts
        touched: dict[str, list[int]] = {}

        def up(found: str, size: int) -> None:
            if limit is None or size < limit:
                pair_counts[found] += count
                where = touched.setdefault(found, [])
                if not where or where[-1] != index:
                    where.append(index)

        for index in words:
            word, count, place = self.words[index], self.counts[index], 0
            sizes = "\1" * len(word) if self._lengths is None else self._lengths[index]
            written: list[str] = []
            lengths: list[str] = []
            before = before_size = ""  # the symbol on the left of the pair, as it is written by now
            while (found := word.find(pair, place)) >= 0:
                between, size = word[place:found], ord(sizes[found]) + ord(sizes[found + 1])
                if between:
                    before, before_size = between[-1], sizes[found - 1]
                if before:
                    pair_counts[before + left] -= count
                    up(before + new, ord(before_size) + size)
                written += (between, new)
                lengths += (sizes[place:found], chr(size))
                before, before_size, place = new, chr(size), found + 2
                if place < len(word):
                    # What follows is still two symbols, even if it is this pair again.
                    pair_counts[right + word[place]] -= count
                    up(new + word[place], size + ord(sizes[place]))
            self.words[index] = "".join((*written, word[place:]))
            if self._lengths is not None:
                self._lengths[index] = "".join((*lengths, sizes[place:]))
        return touched
