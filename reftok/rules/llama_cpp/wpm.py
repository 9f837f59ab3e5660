"""The tokenizer WPM of llama.cpp, the model `bert` of GGUF files: its stages, and WordPiece.

Source: llama.cpp src/llama-vocab.cpp (`llm_tokenizer_wpm_session`), as in llama-cpp-python 0.3.36.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reftok.rules.llama_cpp.characters import category
from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL
from reftok.rules.text import NormalizedString, Part, split_at, substitute_each
from reftok.rules.types import Token
from reftok.rules.vocab_model import VocabModel
from reftok.unicode.characters import REPLACEMENT_CHARACTER, WHITE_SPACE, is_chinese


@dataclass(frozen=True, slots=True)
class BertText:
    r"""Lower case, without accents and controls.

    Quirks: only the first character of a decomposition stays, so that a Hangul syllable loses all but its first letter.
    Private use and format characters count as controls.

    >>> BertText(lowercase=True, strip_accents=True).normalize(NormalizedString("É\u200d가")).text
    'eᄀ'
    """

    lowercase: bool
    strip_accents: bool

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        return substitute_each(normalized, self._rewritten)

    def _rewritten(self, character: str) -> str:
        """The replacement of a character; empty if it is removed."""
        # A code point that llama.cpp's tables do not have has no decomposition there either.
        if self.strip_accents and category(character) != "U":
            character = unicodedata.normalize("NFD", character)[0]
        if character in WHITE_SPACE:
            return character
        kind = category(character)
        if character in ("\0", REPLACEMENT_CHARACTER) or kind == "C" or (self.strip_accents and kind == "M"):
            return ""
        return lower(character) if self.lowercase else character


def lower(character: str) -> str:
    """The simple lower case mapping.

    >>> lower("A"), lower("İ")
    ('a', 'i')
    """
    lowered = character.lower()  # the full mapping, which is the simple one where that is a single character
    if category(character) == "U":
        return character
    return lowered if len(lowered) == 1 else lowered[0] if character == "\u0130" else character


@dataclass(frozen=True, slots=True)
class SimpleLowercase:
    """Lower case, one character for one, of the model `whitespace` (`llm_tokenizer_whitespace_session`).

    >>> SimpleLowercase().normalize(NormalizedString("ÉİA")).text
    'éia'
    """

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        return substitute_each(normalized, lower)


@dataclass(frozen=True, slots=True)
class BertWords:
    """Words between white space; punctuation and ideographs are words of their own.

    >>> [part.normalized.text for part in BertWords().pre_tokenize([Part(NormalizedString("a b, 你c"))])]
    ['a', 'b', ',', '你', 'c']
    """

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        return split_at(split_at(parts, WHITE_SPACE.__contains__, "Removed"), stands_alone, "Isolated")


def stands_alone(character: str) -> bool:
    """Whether a character is a word of its own: punctuation, an ASCII symbol or an ideograph.

    >>> [stands_alone(character) for character in "-$€"]
    [True, True, False]
    """
    kind = category(character)
    if kind == "P" or (kind == "S" and character < "\x7f"):
        return True
    return is_chinese(character)


class LlamaWPM(VocabModel):
    """From left to right the longest token of the vocab; the unknown token for the whole word if no token matches.

    tokens: token to id. Tokens that begin a word have `▁` before them; the others have no `##`.
    unk_id: of a word that has no tokens.
    Quirk: matching is by bytes, so that a token may end inside a character.

    >>> model = LlamaWPM({"[UNK]": 0, "▁un": 1, "known": 2}, unk_id=0)
    >>> [token.id for token in model.tokenize("unknown")], [token.id for token in model.tokenize("unk")]
    ([1, 2], [0])
    """

    unk_id: int

    def __init__(self, tokens: Mapping[str, int], unk_id: int) -> None:
        super().__init__(tokens, unk_id)
        self._ids = {token.encode("utf-8", "surrogateescape"): token_id for token, token_id in tokens.items()}
        self._longest = max(map(len, self._ids), default=0)

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
                return [Token(self.unk_id, self.tokens[self.unk_id], (0, len(text)))]
            token_id = self._ids[data[start:end]]
            # A token of nothing but bytes of the `▁` before the word stands for no text.
            is_prefix_only = end <= len(SPACE_SYMBOL.encode("utf-8"))
            span = (0, 0) if is_prefix_only else (character_at[start], character_at[end - 1] + 1)
            tokens.append(Token(token_id, self.tokens[token_id], span))
            start = end
        return tokens
