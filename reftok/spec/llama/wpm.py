"""The tokenizer WPM of llama.cpp, the model `bert` of GGUF files.

Source: llama.cpp src/llama-vocab.cpp (`llm_tokenizer_wpm_session`), as in llama-cpp-python 0.3.36.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reftok.spec.models.vocab_model import VocabModel
from reftok.spec.sentencepiece.pieces import SPACE_SYMBOL
from reftok.spec.types import Token


class LlamaWPM(VocabModel):
    """The longest token of the vocab at each place of a word, from left to right; the unknown token if one is missing.

    tokens: token to id. A token that starts a word starts with `▁`; one within a word has no `##`.
    unk_id: stands for a whole word.
    Quirk: places are bytes, so that a token may end within a character.

    >>> model = LlamaWPM({"[UNK]": 0, "▁un": 1, "known": 2}, unk_id=0)
    >>> [token.id for token in model.tokenize("unknown")], [token.id for token in model.tokenize("unk")]
    ([1, 2], [0])
    """

    def __init__(self, tokens: Mapping[str, int], unk_id: int) -> None:
        super().__init__(tokens)
        self._unk_id = unk_id
        self._ids = {token.encode("utf-8", "surrogateescape"): token_id for token, token_id in tokens.items()}
        self._longest = max(map(len, self._ids), default=0)

    @property
    def unk_id(self) -> int:
        """The id of the unknown token."""
        return self._unk_id

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of one word."""
        data = (SPACE_SYMBOL + text).encode("utf-8", "surrogatepass")
        character_at = [0] * len(SPACE_SYMBOL.encode("utf-8"))
        for index, character in enumerate(text):
            character_at += [index] * len(character.encode("utf-8", "surrogatepass"))
        tokens: list[Token] = []
        start = 0
        while start < len(data):
            end = min(len(data), start + self._longest)
            while end > start and data[start:end] not in self._ids:
                end -= 1
            if end == start:
                return [Token(self._unk_id, self._tokens[self._unk_id], (0, len(text)))]
            token_id = self._ids[data[start:end]]
            is_prefix_only = end <= len(SPACE_SYMBOL.encode("utf-8"))
            span = (0, 0) if is_prefix_only else (character_at[start], character_at[end - 1] + 1)
            tokens.append(Token(token_id, self._tokens[token_id], span))
            start = end
        return tokens
