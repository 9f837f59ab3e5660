"""A piece a character: the most frequent characters.

Source: sentencepiece 0.2.3, char_model_trainer.cc.

The rule. The required characters (see `corpus.py`), sorted by count, then by code point, with the scores that word
models give to words. use_all_vocab takes every character, whatever vocab_size says.

Quirk: a character of required_chars that does not occur has the score minus infinity.
"""

from __future__ import annotations

from reftok.training.sentencepiece.corpus import Corpus, by_count
from reftok.training.sentencepiece.model_file import ScoredPiece
from reftok.training.sentencepiece.word import scored


def train_char(corpus: Corpus, size: int | None) -> list[ScoredPiece]:
    """The pieces of a character model, without the special ones.

    size: so many pieces at most, None for all.

    >>> train_char(Corpus([], {"b": 1, "a": 1, "c": 2}), 2)
    [('c', -0.6931471824645996), ('a', -1.3862943649291992)]
    """
    return scored(by_count(corpus.required.items())[:size], sum(corpus.required.values()))
