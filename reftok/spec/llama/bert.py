"""The stages of llama.cpp before WordPiece, the model `bert` of GGUF files.

Source: llama.cpp src/llama-vocab.cpp (`llm_tokenizer_wpm_session::preprocess`), as in llama-cpp-python 0.3.36.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reftok.spec.pretokenizers import split_at
from reftok.spec.text import NormalizedString
from reftok.spec.text import Split as Part
from reftok.unicode.characters import REPLACEMENT_CHARACTER, WHITE_SPACE
from reftok.unicode.forms import Change
from reftok.unicode.llama import category

_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


@dataclass(frozen=True, slots=True)
class BertText:
    r"""Lower case, without accents and controls.

    Quirks: of a decomposition only the first character stays, so that a Hangul syllable loses all but its first letter.
    Private use and format characters count as controls.

    >>> BertText(lowercase=True, strip_accents=True).normalize(NormalizedString("É\u200d가")).text
    'eᄀ'
    """

    lowercase: bool
    strip_accents: bool

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        changes = list(self._changes(normalized.text))
        start = next((index for index, character in enumerate(normalized.text) if self._rewritten(character)), None)
        return normalized.transform(changes, len(normalized) if start is None else start)

    def _changes(self, text: str) -> Iterator[Change]:
        kept: str | None = None
        removed = 0
        for character in text:
            rewritten = self._rewritten(character)
            if rewritten is None:
                removed += 1
                continue
            if kept is not None:
                yield kept, -removed
            kept, removed = rewritten, 0
        if kept is not None:
            yield kept, -removed

    def _rewritten(self, character: str) -> str | None:
        """The replacement of a character, None where it goes."""
        if self.strip_accents and category(character) != "U":
            character = unicodedata.normalize("NFD", character)[0]
        if character in WHITE_SPACE:
            return character
        kind = category(character)
        if character in ("\0", REPLACEMENT_CHARACTER) or kind == "C" or (self.strip_accents and kind == "M"):
            return None
        return lower(character) if self.lowercase else character


def lower(character: str) -> str:
    """The simple lower case mapping.

    >>> lower("A"), lower("İ")
    ('a', 'i')
    """
    lowered = character.lower()
    if category(character) == "U":
        return character
    return lowered if len(lowered) == 1 else lowered[0] if character == "\u0130" else character


@dataclass(frozen=True, slots=True)
class BertWords:
    """Words between white space, punctuation and ideographs each on their own.

    >>> [part.normalized.text for part in BertWords().pre_tokenize([Part(NormalizedString("a b, 你c"))])]
    ['a', 'b', ',', '你', 'c']
    """

    def pre_tokenize(self, splits: Sequence[Part]) -> list[Part]:
        return split_at(split_at(splits, WHITE_SPACE.__contains__, "Removed"), stands_alone, "Isolated")


def stands_alone(character: str) -> bool:
    """Whether a character is a word of its own: punctuation, an ASCII symbol, an ideograph.

    >>> [stands_alone(character) for character in "-$€"]
    [True, True, False]
    """
    kind = category(character)
    if kind == "P" or (kind == "S" and character < "\x7f"):
        return True
    return any(first <= ord(character) <= last for first, last in _IDEOGRAPHS)
