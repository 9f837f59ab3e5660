"""From texts to the words that a trainer counts: the stages of the tokenizer that is trained, up to its model.

Source: tokenizers 0.23 tokenizer/mod.rs `train`, `train_from_files`, and `feed` of
each trainer. Quirks:

- Each text is normalized and cut by itself. A file is read by lines, each with its line feed, and a carriage return
  before it; a text that comes from an iterator has what the caller left of them. Where no pre-tokenizer takes line ends
  off the words, files and iterators so give other words.
- Added tokens that the tokenizer has already are cut out first, and are then words themselves: their characters are
  counted, and merged. The trainer's own special tokens are added afterwards, and cut nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from reftok.fast.encoder import FastEncoder
from reftok.rules.pipeline import Pipeline


class WordCounter:
    """The distinct words of texts in their order, with how often each occurs.

    pipeline: whose stages before the model are taken.

    >>> import reftok
    >>> counter = WordCounter(reftok.load("bpe-gpt2").rules)
    >>> counter.add("a b b")
    >>> dict(counter.counts())
    {'a': 1, 'Ġb': 2}
    """

    def __init__(self, pipeline: Pipeline) -> None:
        self._encoder = FastEncoder(pipeline)
        self._checked = pipeline.checked_text
        self._found: Counter[str] = Counter()

    def add(self, text: str) -> None:
        """Count the words of one text.

        Raises InvalidText for a text that the library refuses.
        """
        self._found.update(self._encoder.pre_tokens(self._checked(text)))

    def counts(self) -> Counter[str]:
        """The words as the model would get them."""
        return self._found

    def resume(self, counts: Mapping[str, int]) -> None:
        """Takes over the words of another counter."""
        self._found.update(counts)
