r"""The trainer of karpathy/minbpe and of tiktoken's educational module: bytes, and the first pair seen among equals.

Source: karpathy/minbpe basic.py and regex.py `train`, base.py `get_stats`; tiktoken 0.14 _educational.py `bpe_train`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reftok.errors import TrainingStopped
from reftok.training.checkpoint import State, TrainingProgress, Watch, unwatched
from reftok.training.merging import MOST_IDS, MergeLoop

BYTES = 256


@dataclass(frozen=True, slots=True)
class TrainedBytes:
    """Tokens of bytes.

    tokens: by id; the first 256 are the bytes. merges: the two ids of each token behind them.
    counts: of the pairs of the merges.
    """

    tokens: Sequence[bytes]
    merges: Sequence[tuple[int, int]]
    counts: Sequence[int]


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

    def train(
        self, word_counts: Mapping[bytes, int], watch: Watch = unwatched, state: State | None = None
    ) -> TrainedBytes:
        """The tokens and their merges.

        word_counts: the distinct words in the order of the text, with how often each occurs.
        watch: called after each merge. state: of an interrupted training of the same words, to resume from.
        Raises TrainingStopped for a vocab_size that does not hold the bytes.
        """
        if not BYTES <= self.vocab_size <= MOST_IDS:
            raise TrainingStopped(f"minbpe: vocab_size is {self.vocab_size}: from {BYTES} to {MOST_IDS:,} is needed")
        # A token is kept as the characters of Latin-1 that have its bytes as code points, since a state is JSON.
        tokens = [chr(byte) for byte in range(BYTES)] if state is None else state["tokens"]
        made = [] if state is None else [(pair, count) for pair, count in state["merges"]]
        loop = MergeLoop([word.decode("latin-1") for word in word_counts], [*word_counts.values()], first_seen=True)
        if state is None:
            loop.count_pairs()
        else:
            loop.resume(state["loop"])

        def current() -> State:
            return {"loop": loop.state(), "tokens": tokens, "merges": made}

        while len(tokens) < self.vocab_size and (best := loop.best()) is not None:
            count, pair, words = best
            if not count:
                break
            tokens.append(tokens[ord(pair[0])] + tokens[ord(pair[1])])
            loop.merge(pair, len(tokens) - 1, words)
            made.append((pair, count))
            watch(TrainingProgress("merging", len(tokens), self.vocab_size, "tokens"), current)
        merges = [(ord(pair[0]), ord(pair[1])) for pair, _ in made]
        return TrainedBytes([token.encode("latin-1") for token in tokens], merges, [count for _, count in made])
