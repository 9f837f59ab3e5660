"""What models share that does not depend on how they cut a word: the vocab, and a memory of the words they have cut."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from reftok.engine.caches import Results, TwoGenerationCache
from reftok.spec.types import Token

_CACHED_LENGTH = 256


class VocabModel(ABC):
    """A model whose ids are those of its vocab.

    vocab: token to id.
    known_ids: text to its ids, which remembers those of short texts.

    >>> from reftok.spec.models.wordlevel import WordLevel
    >>> model = WordLevel({"a": 0, "b": 7}, "b")
    >>> model.size, model.id_to_token(7), model.id_to_token(1)
    (2, 'b', None)
    """

    def __init__(self, vocab: Mapping[str, int]) -> None:
        self.vocab = vocab
        self._tokens = dict(zip(vocab.values(), vocab, strict=True))
        self.known_ids: Results[Sequence[int]] = Results(self._token_ids)

    @property
    def size(self) -> int:
        """How many ids it has."""
        return len(self.vocab)

    @property
    def tokens(self) -> Mapping[int, str]:
        """The entries of the vocab by their ids."""
        return self._tokens

    def id_to_token(self, token_id: int) -> str | None:
        """The entry of the vocab, None for an id outside it."""
        return self._tokens.get(token_id)

    @abstractmethod
    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of one word, or of the whole text where the model takes that."""

    def token_ids(self, text: str) -> list[int]:
        """The ids of `tokenize`, and nothing else."""
        return list(self.known_ids[text])

    def _token_ids(self, text: str) -> Sequence[int]:
        """The ids of a text that is not remembered."""
        return tuple(token.id for token in self.tokenize(text))


class RememberingModel(VocabModel):
    """A model that remembers the tokens of the words it has seen, shorter than 256 code points."""

    def __init__(self, vocab: Mapping[str, int]) -> None:
        super().__init__(vocab)
        self._cache: TwoGenerationCache[tuple[Token, ...]] = TwoGenerationCache()

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of one word."""
        tokens = self._cache.get(text)
        if tokens is None:
            tokens = self._tokenize(text)
            if len(text) < _CACHED_LENGTH:
                self._cache.put(text, tokens)
        return tokens

    @abstractmethod
    def _tokenize(self, text: str) -> tuple[Token, ...]:
        """The tokens of one word that is not remembered."""

    def _token_ids(self, text: str) -> Sequence[int]:
        return tuple(token.id for token in self._tokenize(text))

    def _forget(self) -> None:
        """Begin with nothing remembered, for a model that was changed."""
        self._cache = TwoGenerationCache()
        self.known_ids = Results(self._token_ids)
