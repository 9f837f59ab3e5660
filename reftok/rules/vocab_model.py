"""The base of the models whose ids are those of a vocab."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from reftok.rules.types import Token


class VocabModel(ABC):
    """A model whose ids are those of its vocab.

    vocab: token to id. tokens: id to token. size: the number of ids.
    unk_id: of the unknown token; None if the model has none.

    >>> from reftok.rules.huggingface.wordlevel import WordLevel
    >>> model = WordLevel({"a": 0, "b": 7}, "b")
    >>> model.size, model.id_to_token(7), model.id_to_token(1)
    (2, 'b', None)
    """

    def __init__(self, vocab: Mapping[str, int], unk_id: int | None = None) -> None:
        self.vocab = vocab
        self.unk_id = unk_id
        self.size = len(vocab)
        self.tokens = dict(zip(vocab.values(), vocab, strict=True))

    def id_to_token(self, token_id: int) -> str | None:
        """The entry of the vocab; None for an id outside it."""
        return self.tokens.get(token_id)

    @abstractmethod
    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of one pre-token, or of the whole text if there are no pre-tokenizers."""
