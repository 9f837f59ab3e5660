r"""The trainer of karpathy/minbpe and of tiktoken's educational module: bytes, and the first pair seen among equals.

Source: karpathy/minbpe basic.py and regex.py `train`, base.py `get_stats`; tiktoken 0.14 _educational.py `bpe_train`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heappush
from typing import Any

from reftok.errors import TrainingStopped
from reftok.rules.byte_level import CHARACTER_TO_BYTE, to_byte_characters
from reftok.training.merging import MOST_IDS, Entry, MergeLoop
from reftok.training.monitor import UNWATCHED, Monitor

BYTES = 256


@dataclass(frozen=True, slots=True)
class TrainedBytes:
    """Tokens of bytes.

    tokens: by id; the first 256 are the bytes. merges: the two ids of each token behind them.
    """

    tokens: Sequence[bytes]
    merges: Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class MinbpeTrainer:
    r"""The bytes, then merges of the most frequent pair of ids; of equally frequent ones the first in the text counts.

    vocab_size: of bytes and merges together; at least 256.
    special_tokens: of the tokenizer, which minbpe registers behind the vocab; they are not in `vocab_size`.

    Quirks: a token that two splits give has two ids in minbpe, and in tiktoken's module one, the later one. minbpe
    breaks where no pair is left, as tiktoken's module does; here training ends.

    >>> trained = MinbpeTrainer(vocab_size=258).train({b"dcab": 1, b"ab": 1, b"dc": 1})
    >>> trained.tokens[256:], trained.merges
    ([b'dc', b'ab'], [(100, 99), (97, 98)])
    """

    vocab_size: int = 30000
    special_tokens: Sequence[str] = ()

    def model(self, word_counts: Mapping[str, int], monitor: Monitor = UNWATCHED) -> dict[str, Any]:
        """The options of the trained model, as tokenizer.json has them; of a token with two ids the first.

        word_counts: of words in byte characters.
        """
        in_bytes = {bytes(map(CHARACTER_TO_BYTE.__getitem__, word)): count for word, count in word_counts.items()}
        trained = self.train(in_bytes, monitor)
        written = [to_byte_characters(token) for token in trained.tokens]
        vocab: dict[str, int] = {}
        for token_id, token in enumerate(written):
            vocab.setdefault(token, token_id)
        merges = dict.fromkeys((written[left], written[right]) for left, right in trained.merges)
        return {"vocab": vocab, "merges": [list(pair) for pair in merges]}

    def train(self, word_counts: Mapping[bytes, int], monitor: Monitor = UNWATCHED) -> TrainedBytes:
        """The tokens and their merges.

        word_counts: the distinct words in the order of the text, with how often each occurs.
        Raises TrainingStopped for a vocab_size that does not hold the bytes.
        """
        if not BYTES <= self.vocab_size <= MOST_IDS:
            raise TrainingStopped(f"minbpe: vocab_size is {self.vocab_size}: from {BYTES} to {MOST_IDS:,} is needed")
        words = (word.decode("latin-1") for word in word_counts)  # whose code points are the bytes, which are the ids
        loop = FirstSeenLoop(words, [*word_counts.values()], [*to_byte_characters(bytes(range(BYTES)))])
        loop.start(monitor.state)
        while len(loop.tokens) < self.vocab_size and (best := loop.best()) is not None and best[0]:
            loop.make(best, "".join(loop.halves(best[1])), len(loop.tokens), monitor.trace)
            monitor.report("merging", len(loop.tokens), self.vocab_size, "tokens", loop.state)
        loop.end(monitor.trace)
        merges = [(ord(pair[0]), ord(pair[1])) for pair, _, _ in loop.made]
        return TrainedBytes([bytes(map(CHARACTER_TO_BYTE.__getitem__, token)) for token in loop.tokens], merges)


class FirstSeenLoop(MergeLoop):
    """Of equally frequent pairs the one that stands first in the text as it is merged so far is the best.

    That is `max` over a dict of counts in the order of the text. An entry has the first word of its pair as its rank,
    which a merge may move to a later word; within a word the place decides.
    """

    has_int32_counts = False

    def rank(self, pair: str, words: list[int]) -> int:
        """The first word that has the pair."""
        return words[0]

    def _popped(self) -> Entry | None:
        """Of all entries of the highest count and the first word, the one whose pair stands first in the word."""
        first = self._settled()
        if first is None or not first[0]:
            return first
        equal = [first]
        while self.queue and self.queue[0][:2] == first[:2]:
            other = self._settled()
            assert other is not None, "the queue has one"
            equal.append(other)
        word = self.words[first[1]]
        equal.sort(key=lambda entry: (entry[:2], word.find(entry[3])))
        for other in equal[1:]:
            heappush(self.queue, other)
        return equal[0]

    def _settled(self) -> Entry | None:
        """The first entry whose count and whose first word are those of this moment."""
        while (entry := super()._popped()) is not None and entry[0]:
            count, rank, serial, pair, words = entry
            place = bisect_left(words, rank)
            while pair not in self.words[words[place]]:
                place += 1
            if words[place] == rank:
                break
            heappush(self.queue, (count, words[place], serial, pair, words[place:]))
        return entry
