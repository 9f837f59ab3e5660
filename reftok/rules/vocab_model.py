"""The base of the models whose ids are those of a vocab."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from reftok.rules.types import Token


class VocabModel(ABC):
    """A model whose ids are those of its vocab.

    vocab: token to id.

    >>> from reftok.rules.huggingface.wordlevel import WordLevel
    >>> model = WordLevel({"a": 0, "b": 7}, "b")
    >>> model.size, model.id_to_token(7), model.id_to_token(1)
    (2, 'b', None)
    """

    def __init__(self, vocab: Mapping[str, int]) -> None:
        self.vocab = vocab
        self._tokens = dict(zip(vocab.values(), vocab, strict=True))

    @property
    def size(self) -> int:
        """The number of ids."""
        return len(self.vocab)

    @property
    def tokens(self) -> Mapping[int, str]:
        """The entries of the vocab by their ids."""
        return self._tokens

    @property
    def unk_id(self) -> int | None:
        """The id of the unknown token; None if the model has none."""
        return None

    def id_to_token(self, token_id: int) -> str | None:
        """The entry of the vocab; None for an id outside it."""
        return self._tokens.get(token_id)

    @abstractmethod
    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of one pre-token, or of the whole text if there are no pre-tokenizers."""
