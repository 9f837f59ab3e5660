"""The longest known part first, the model `WordPiece` of tokenizer.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reftok.rules.huggingface.wordlevel import unknown_word
from reftok.rules.longest_first import EntriesByBeginning
from reftok.rules.types import Token
from reftok.rules.vocab_model import VocabModel


class WordPiece(VocabModel):
    """From left to right, each token is the longest entry of the vocab that is a prefix of the rest of the word.

    Source: tokenizers 0.23 models/wordpiece/mod.rs.

    vocab: token to id.
    unk_token: the token of a word that is too long, or has a rest with no entry as prefix.
    continuing_subword_prefix: precedes the tokens that do not begin a word in the vocab.
    max_input_chars_per_word: in code points.
    source: the file's name, for messages.
    Raises UnsupportedFeature for tokens of more than 65,536 characters if words may be so long.

    Quirk: the search is greedy. If the longest prefix leaves a rest with no token, the whole word is unknown, even if a
    shorter prefix would do.

    >>> model = WordPiece({"[UNK]": 0, "un": 1, "una": 2, "##able": 3, "##ble": 4, "[x]": 5})
    >>> [[token.value for token in model.tokenize(word)] for word in ("unable", "unxable")]
    [['una', '##ble'], ['[UNK]']]
    """

    def __init__(
        self,
        vocab: Mapping[str, int],
        unk_token: str = "[UNK]",
        continuing_subword_prefix: str = "##",
        max_input_chars_per_word: int = 100,
        source: str = "",
    ) -> None:
        super().__init__(vocab, vocab.get(unk_token))
        self.unk_token = unk_token
        self.continuing_subword_prefix = continuing_subword_prefix
        self.max_input_chars_per_word = max_input_chars_per_word
        self.source = source
        self._first = self._entries("")
        self._continuing = self._entries(continuing_subword_prefix)

    def _entries(self, prefix: str) -> EntriesByBeginning:
        """The tokens with a prefix, without it. Those longer than any word can never match and are left out."""
        longest = len(prefix) + self.max_input_chars_per_word
        texts = [t.removeprefix(prefix) for t in self.vocab if len(t) <= longest and t.startswith(prefix)]
        return EntriesByBeginning(texts, self.source, "model.vocab")

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of one word.

        Raises ModelFormatError for an unknown word if the unknown token is not in the vocab.
        """
        if len(text) > self.max_input_chars_per_word:
            return [unknown_word(text, self.vocab, self.unk_token, self.source)]
        tokens: list[Token] = []
        start = 0
        while start < len(text):
            entries, prefix = (self._continuing, self.continuing_subword_prefix) if start else (self._first, "")
            longest = next(entries.at(text, start), None)
            if longest is None:  # no backtracking: the whole word is unknown
                return [unknown_word(text, self.vocab, self.unk_token, self.source)]
            end = start + len(longest)
            tokens.append(Token(self.vocab[prefix + longest], prefix + longest, (start, end)))
            start = end
        return tokens
