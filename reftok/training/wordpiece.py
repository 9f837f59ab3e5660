"""The trainer of WordPiece vocabs of tokenizers, `WordPieceTrainer`.

Source: tokenizers 0.23 models/wordpiece/trainer.rs, models/wordpiece/mod.rs `from_bpe`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from reftok.training.bpe import BpeTrainer, TrainedBPE
from reftok.training.checkpoint import State, Watch, unwatched
from reftok.training.options import SpecialTokens
from reftok.training.trace import TrainingTrace


@dataclass(frozen=True, slots=True)
class WordPieceTrainer:
    """The vocab of a BPE with the prefix `##`, without its merges: no likelihood is looked at.

    The options are those of `BpeTrainer`, without `max_token_length`.

    Quirks: since there is a prefix, the library gives other ids, and often other tokens, in every process:
    `derived_order` is what decides. With None for the prefix the trainer has none, but the model keeps `##`.

    >>> trained = WordPieceTrainer(vocab_size=6).train({"hug": 10, "pug": 5})
    >>> list(trained.vocab)
    ['g', 'h', 'p', 'u', '##u', '##g']
    """

    vocab_size: int = 30000
    min_frequency: int = 0
    special_tokens: SpecialTokens = ()
    limit_alphabet: int | None = None
    initial_alphabet: Sequence[str] = ()
    continuing_subword_prefix: str | None = "##"
    end_of_word_suffix: str | None = None
    derived_order: Sequence[str] | None = None
    kept_alphabet: Sequence[str] | None = None

    @property
    def bpe(self) -> BpeTrainer:
        """The trainer that does the work."""
        return BpeTrainer(**{field.name: getattr(self, field.name) for field in fields(self)})

    def train(
        self,
        word_counts: Mapping[str, int],
        watch: Watch = unwatched,
        state: State | None = None,
        trace: TrainingTrace | None = None,
    ) -> TrainedBPE:
        """The vocab, and the merges that it comes from. The arguments are as of `BpeTrainer.train`."""
        return self.bpe.train(word_counts, watch, state, trace)
