"""The trainer of vocabs of whole words of tokenizers, `WordLevelTrainer`.

Source: tokenizers 0.23 models/wordlevel/trainer.rs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reftok.training.monitor import UNWATCHED, Monitor
from reftok.training.options import SpecialTokens, contents


@dataclass(frozen=True, slots=True)
class WordLevelTrainer:
    """The special tokens, then the most frequent words, of equally frequent ones the smaller string first.

    vocab_size: of special tokens and words together.
    min_frequency: of a word.
    special_tokens: the first entries.

    Quirk: the list is cut at `vocab_size` before it becomes a vocab. So a word that is also a special token takes two
    places of the list and has the later one as its id, and the first is a hole; and so has a special token that is
    given twice. An unknown word needs `unk_token`, which only `special_tokens` brings into the vocab.

    >>> WordLevelTrainer(vocab_size=3, special_tokens=["b"]).train({"b": 2, "a": 2, "c": 1})
    {'a': 1, 'b': 2}
    """

    vocab_size: int = 30000
    min_frequency: int = 0
    special_tokens: SpecialTokens = ()

    def model(self, word_counts: Mapping[str, int], monitor: Monitor = UNWATCHED) -> dict[str, Any]:
        """The options of the trained model, as tokenizer.json has them."""
        return {"vocab": self.train(word_counts)}

    def train(self, word_counts: Mapping[str, int]) -> dict[str, int]:
        """Token to id, in the order of ids.

        word_counts: the distinct words, with how often each occurs.
        """
        frequent = [(word, count) for word, count in word_counts.items() if count >= self.min_frequency]
        # Strings in the order of code points are in that of their UTF-8 bytes.
        words = [word for word, _ in sorted(frequent, key=lambda entry: (-entry[1], entry[0]))]
        entries = [*contents(self.special_tokens), *words][: self.vocab_size]
        ids = {token: token_id for token_id, token in enumerate(entries)}
        return dict(sorted(ids.items(), key=lambda entry: entry[1]))
