"""One token for each word, the model `WordLevel` of tokenizer.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reftok.errors import ModelFormatError
from reftok.rules.types import Token
from reftok.rules.vocab_model import VocabModel


class WordLevel(VocabModel):
    """A word of the vocab is its token, any other word is the unknown token.

    Source: tokenizers 0.23 models/wordlevel/mod.rs.

    vocab: token to id.
    unk_token: the token of every other word; it may be missing from the vocab as long as no text needs it.
    source: the file's name, for messages.

    >>> model = WordLevel({"<unk>": 0, "yes": 1}, "<unk>")
    >>> [token.value for word in ("yes", "no") for token in model.tokenize(word)]
    ['yes', '<unk>']
    """

    def __init__(self, vocab: Mapping[str, int], unk_token: str, source: str = "") -> None:
        super().__init__(vocab, vocab.get(unk_token))
        self.unk_token = unk_token
        self.source = source

    def tokenize(self, text: str) -> Sequence[Token]:
        """The one token of a word.

        Raises ModelFormatError for an unknown word if the unknown token is not in the vocab.
        """
        if text in self.vocab:
            return [Token(self.vocab[text], text, (0, len(text)))]
        return [unknown_word(text, self.vocab, self.unk_token, self.source)]


def unknown_word(text: str, vocab: Mapping[str, int], unk_token: str, source: str) -> Token:
    """The unknown token for a whole word. Raises ModelFormatError if it is not in the vocab."""
    if unk_token not in vocab:
        raise ModelFormatError(source, "model.unk_token", f"{unk_token!r:.60} is not in the vocab")
    return Token(vocab[unk_token], unk_token, (0, len(text)))
