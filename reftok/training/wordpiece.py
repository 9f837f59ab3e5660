"""The trainer of WordPiece vocabs of tokenizers, `WordPieceTrainer`.

Source: tokenizers 0.23 models/wordpiece/trainer.rs, models/wordpiece/mod.rs `from_bpe`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reftok.training.bpe import BpeTrainer
from reftok.training.monitor import UNWATCHED, Monitor


@dataclass(frozen=True, slots=True)
class WordPieceTrainer(BpeTrainer):
    """The vocab of a BPE with the prefix `##`, without its merges: no likelihood is looked at.

    The options are those of `BpeTrainer`, without `max_token_length`.

    Quirks: since there is a prefix, the library gives other ids, and often other tokens, in every process:
    `derived_order` is what decides. With None for the prefix the trainer has none, but the model keeps `##`.

    >>> trained = WordPieceTrainer(vocab_size=6).train({"hug": 10, "pug": 5})
    >>> list(trained.vocab)
    ['g', 'h', 'p', 'u', '##u', '##g']
    """

    continuing_subword_prefix: str | None = "##"
    max_token_length: int | None = field(default=None, init=False)

    def model(self, word_counts: Mapping[str, int], monitor: Monitor = UNWATCHED) -> dict[str, Any]:
        """The options of the trained model, as tokenizer.json has them."""
        prefix = self.continuing_subword_prefix
        vocab = self.train(word_counts, monitor).vocab
        return {"continuing_subword_prefix": "##" if prefix is None else prefix, "vocab": dict(vocab)}
