"""The trainer of byte-pair encodings of tokenizers, `BpeTrainer`.

The rule is `BpeTrainer.train`, its steps are the methods in their order; the loop of merges is that of merging.py.

Source: tokenizers 0.23 models/bpe/trainer.rs `do_train`, models/bpe/word.rs `Word::merge`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reftok.errors import TrainingStopped
from reftok.training.merging import MergeLoop
from reftok.training.monitor import UNWATCHED, Monitor
from reftok.training.options import SpecialTokens, contents

_INITIAL = (1 << 64) - 1
"""The count of a character of the initial alphabet."""


@dataclass(frozen=True, slots=True)
class TrainedBPE:
    """A vocab with its merges.

    vocab: token to id, in the order of ids.
    merges: pairs of tokens, of a pair that was merged twice only the second time.
    counts: how often the pair of each of the merges occurred; about 2 to the 64th for a negative count.
    equal_entries: how many merges were made in an order that the library leaves to chance, see merging.py.
    """

    vocab: Mapping[str, int]
    merges: Sequence[tuple[str, str]]
    counts: Sequence[int]
    equal_entries: int


@dataclass(frozen=True, slots=True)
class BpeTrainer:
    """Merges of the most frequent pair, until the vocab is large enough.

    vocab_size: of special tokens, alphabet and merges together.
    min_frequency: of a pair to be merged; 0 is the same as 1.
    special_tokens: the first entries of the vocab.
    limit_alphabet: so many characters at most; the rarest are left out of all words.
    initial_alphabet: characters that are in the alphabet whether the text has them or not; of each string the first.
    continuing_subword_prefix, end_of_word_suffix: of the characters but the first, and of the last one of each word.
    max_token_length: in characters, see merging.py.
    derived_order: the characters with prefix or suffix in the order of their ids; None for that of the text. The
        library hands these ids out in the order of a hash map with random keys, another in each process.
    kept_alphabet: the characters that `limit_alphabet` leaves, where several are equally frequent; None for the smaller
        code points. The library sorts by count alone, unstably, from the order of such a map.

    Quirks: a special token that is a character, or that a merge makes, has one id for both. A character counts as known
    where it is in the vocab, so a special token keeps a character that the limit has cut off. Characters that are not
    known are left out, and their neighbours become neighbours; which character is the first or the last of a word is
    not changed by that. If the alphabet is larger than the vocab may be there are no merges, and the vocab is larger
    than asked for.

    >>> trained = BpeTrainer(vocab_size=5).train({"hug": 10, "pug": 5, "gu": 1})
    >>> list(trained.vocab), trained.merges
    (['g', 'h', 'p', 'u', 'ug'], [('u', 'g')])
    """

    vocab_size: int = 30000
    min_frequency: int = 0
    special_tokens: SpecialTokens = ()
    limit_alphabet: int | None = None
    initial_alphabet: Sequence[str] = ()
    continuing_subword_prefix: str | None = None
    end_of_word_suffix: str | None = None
    max_token_length: int | None = None
    derived_order: Sequence[str] | None = None
    kept_alphabet: Sequence[str] | None = None

    def model(self, word_counts: Mapping[str, int], monitor: Monitor = UNWATCHED) -> dict[str, Any]:
        """The options of the trained model, as tokenizer.json has them."""
        trained = self.train(word_counts, monitor)
        return {
            "continuing_subword_prefix": self.continuing_subword_prefix,
            "end_of_word_suffix": self.end_of_word_suffix,
            "vocab": dict(trained.vocab),
            "merges": [list(pair) for pair in trained.merges],
        }

    def train(self, word_counts: Mapping[str, int], monitor: Monitor = UNWATCHED) -> TrainedBPE:
        """The vocab and the merges.

        word_counts: the distinct words in the order of the text, with how often each occurs.
        """
        vocab = self.first_entries(word_counts)
        words = (self.in_symbols(word, vocab) for word in word_counts)
        loop = self.loop(words, [*word_counts.values()], list(vocab))
        loop.start(monitor.state)
        vocab = {token: token_id for token_id, token in enumerate(loop.tokens)}
        least = max(self.min_frequency, 1)
        while len(vocab) < self.vocab_size and (best := loop.best()) is not None and best[0] >= least:
            token = self.merged(*loop.halves(best[1]))
            loop.make(best, token, vocab.setdefault(token, len(vocab)), monitor.trace)
            monitor.report("merging", len(vocab), self.vocab_size, "tokens", loop.state)
        loop.end(monitor.trace, self.merged)
        # Of a pair that was merged twice the last time counts.
        last = {pair: place for place, (pair, _, _) in enumerate(loop.made)}
        kept = [loop.made[place] for place in sorted(last.values())]
        merges, counts = [loop.halves(pair) for pair, _, _ in kept], [count for _, _, count in kept]
        return TrainedBPE(vocab, merges, counts, loop.equal_entries)

    # --- the steps

    def first_entries(self, word_counts: Mapping[str, int]) -> dict[str, int]:
        """The vocab before the first merge: special tokens, alphabet, characters with a prefix or suffix.

        A token that is there already is not added again.
        """
        vocab: dict[str, int] = {}
        for token in (*contents(self.special_tokens), *self.alphabet(word_counts)):
            vocab.setdefault(token, len(vocab))
        if self.continuing_subword_prefix or self.end_of_word_suffix:
            for token in self.derived(word_counts, vocab):
                vocab.setdefault(token, len(vocab))
        return vocab

    def alphabet(self, word_counts: Mapping[str, int]) -> list[str]:
        """The characters that get an id each, in the order of their ids, which is that of code points.

        Raises TrainingStopped if limit_alphabet cannot leave `kept_alphabet`.

        >>> BpeTrainer(limit_alphabet=2, initial_alphabet=["zoo"]).alphabet({"aab": 1})
        ['a', 'z']
        """
        counts = self.character_counts(word_counts)
        if self.limit_alphabet is None or len(counts) <= self.limit_alphabet:
            return sorted(counts)
        if self.kept_alphabet is not None:
            return sorted(self._kept(counts))
        by_count = sorted(counts, key=lambda character: (-counts[character], character))
        return sorted(by_count[: self.limit_alphabet])

    def _kept(self, counts: Mapping[str, int]) -> set[str]:
        limit, kept = self.limit_alphabet or 0, set(self.kept_alphabet or ()) & counts.keys()
        # A special token of one character is in the vocab in any case, and kept_alphabet need not name it: the most
        # frequent ones fill what is left of the limit.
        special = sorted((set(contents(self.special_tokens)) & counts.keys()) - kept, key=lambda one: -counts[one])
        whole = kept.union(special[: max(0, limit - len(kept))])
        least = min(map(counts.__getitem__, whole), default=0)
        if len(whole) != limit or any(counts[character] > least for character in counts.keys() - whole if limit):
            raise TrainingStopped("kept_alphabet: must be limit_alphabet characters, none rarer than one left out")
        return kept

    def character_counts(self, word_counts: Mapping[str, int]) -> dict[str, int]:
        """How often each character occurs; those of the initial alphabet as often as can be."""
        counts: dict[str, int] = {}
        for word, count in word_counts.items():
            for character in word:
                counts[character] = counts.get(character, 0) + count
        counts |= dict.fromkeys([entry[0] for entry in self.initial_alphabet if entry], _INITIAL)
        return counts

    def derived(self, words: Mapping[str, int], vocab: Mapping[str, int]) -> list[str]:
        """The characters with prefix or suffix that get an id each, in the order of their ids.

        Raises TrainingStopped where a given order lacks one.
        """
        found: dict[str, None] = {}
        for word in words:
            for place, character in enumerate(word):
                if character in vocab:
                    found[self.symbol(character, place == 0, place == len(word) - 1)] = None
        missing = [symbol for symbol in found if symbol not in vocab]
        if self.derived_order is None:
            return missing
        given = [symbol for symbol in dict.fromkeys(self.derived_order) if symbol in found and symbol not in vocab]
        if lacking := sorted(set(missing) - set(given)):
            raise TrainingStopped(f"derived_order lacks {lacking[0]!r:.60}, which the words have")
        return given

    def in_symbols(self, word: str, vocab: Mapping[str, int]) -> str:
        """A word as `MergeLoop` takes it: for each character that is known the one whose code point is its id."""
        last = len(word) - 1
        symbols = [
            self.symbol(character, place == 0, place == last)
            for place, character in enumerate(word)
            if character in vocab
        ]
        return "".join([chr(vocab[symbol]) for symbol in symbols if symbol in vocab])

    def loop(self, words: Iterable[str], counts: Sequence[int], tokens: list[str]) -> MergeLoop:
        """The loop of merges over words of ids. tokens: by id."""
        return MergeLoop(words, counts, tokens, self.max_token_length)

    def symbol(self, character: str, is_first: bool, is_last: bool) -> str:
        """A character of a word, with prefix and suffix."""
        prefix = "" if is_first else self.continuing_subword_prefix or ""
        return prefix + character + (self.end_of_word_suffix or "" if is_last else "")

    def merged(self, left: str, right: str) -> str:
        """The token that a pair becomes."""
        return left + right.removeprefix(self.continuing_subword_prefix or "")
