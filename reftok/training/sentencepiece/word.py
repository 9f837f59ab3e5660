"""A piece a word: the most frequent words.

Source: sentencepiece 0.2.3, word_model_trainer.cc.

The rule. Each `▁` begins a word. Words are sorted by count, then as texts; those with an unknown character are passed
over. The score is log(count) - log(sum), each logarithm a float32 (see `logarithm.py`), and their difference too; the
sum counts the words that are passed over as well. use_all_vocab takes every word, whatever vocab_size says.

Quirk: treat_whitespace_as_suffix and allow_whitespace_only_pieces do not change where words begin.
"""

from __future__ import annotations

from collections.abc import Iterable

from reftok.errors import TrainingStopped
from reftok.rules.viterbi import to_float32
from reftok.training.sentencepiece.corpus import Corpus, Counted, counted_words
from reftok.training.sentencepiece.logarithm import log_float32
from reftok.training.sentencepiece.model_file import ScoredPiece
from reftok.training.sentencepiece.options import TrainerOptions
from reftok.training.sentencepiece.shape import UNKNOWN_CHARACTER


def train_word(corpus: Corpus, size: int | None) -> list[ScoredPiece]:
    """The pieces of a word model, without the special ones.

    size: so many pieces at most, None for all.

    >>> train_word(Corpus([("▁a▁b▁a▅", 1), ("▁a", 1)], {}), 2)
    [('▁a', -0.6931471824645996), ('▁b', -1.3862943649291992)]
    """
    words = counted_words(corpus.sentences, TrainerOptions())
    known = [(word, count) for word, count in words if UNKNOWN_CHARACTER not in word]
    return scored(known[:size], sum(count for _, count in words))


def scored(counted: Iterable[Counted], total: int) -> list[ScoredPiece]:
    """Texts with the logarithms of their shares of a total."""
    if not total:
        raise TrainingStopped("there is nothing to count")
    log_of_total = log_float32(total)
    return [
        (text, to_float32((log_float32(count) if count else -float("inf")) - log_of_total)) for text, count in counted
    ]
