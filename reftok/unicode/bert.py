"""The character classes of BERT, which its normalizer and its pre-tokenizer share.

Source: tokenizers 0.23, normalizers/bert.rs and pre_tokenizers/bert.rs. The general categories are those of the crate
unicode_categories, which knows Unicode 8.0: what is younger is neither punctuation nor a mark nor a control character.
"""

from __future__ import annotations

import unicodedata

from reftok.unicode.characters import members
from reftok.unicode.tables import BERT_CONTROLS, BERT_NONSPACING_MARKS, BERT_PUNCTUATION

CHINESE = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)
"""First and last code point of the blocks of ideographs. Quirks: Extension E is taken to begin at U+2B920 instead of
U+2B820, and what Unicode has added after it is missing."""


def is_control(character: str) -> bool:
    r"""Whether cleaning removes it: category Cc, Cf or Co, or U+FFFD, but not tabulator, line feed, carriage return.

    Unassigned code points stay, other than in the BERT of Google.

    >>> [is_control(character) for character in "\0\t\ue000\u0378"]
    [True, False, True, False]
    """
    return character in members(BERT_CONTROLS) or unicodedata.category(character) == "Co"


def is_nonspacing_mark(character: str) -> bool:
    r"""Whether it counts as an accent: category Mn.

    >>> is_nonspacing_mark("\u0301"), is_nonspacing_mark("\u0903")
    (True, False)
    """
    return character in members(BERT_NONSPACING_MARKS)


def is_punctuation(character: str) -> bool:
    """Whether the pre-tokenizer isolates it: category P, and what ASCII has of category S.

    >>> [is_punctuation(character) for character in "-$€"]
    [True, True, False]
    """
    return character in members(BERT_PUNCTUATION)


def is_chinese(character: str) -> bool:
    """Whether it is in a block of ideographs, assigned or not.

    >>> [is_chinese(character) for character in "中あ\U0002b820"]
    [True, False, False]
    """
    return any(first <= ord(character) <= last for first, last in CHINESE)
