r"""Text as llama.cpp sees it: code points that are hardly checked, and categories as single characters.

llama.cpp has no Unicode regexes. It replaces each code point above ASCII by one byte for its category and runs
`std::regex` over the result; its handwritten splitters use the same categories. `folded` makes this replacement, and
`CLASSES` has the members of `\p{L}` and the other categories in folded text.

Source: llama.cpp src/unicode.cpp (`unicode_regex_split`, `unicode_cpt_from_utf8`), as in llama-cpp-python 0.3.36.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType

from reftok.errors import InvalidText
from reftok.unicode.characters import REPLACEMENT_CHARACTER, WHITE_SPACE, CharacterTable
from reftok.unicode.tables import LLAMA_CATEGORIES

NUMBER, LETTER, PUNCTUATION, MARK, SYMBOL, OTHER = "ÑÒÓÔÕÐ"
"""What code points above ASCII are folded to: the characters D1 to D5, and D0 for every other category."""

FOLDED_SPACE = "\v"
"""What white space above ASCII is folded to, since `\\s` of `std::regex` is ASCII only."""

HAN_LETTER, OTHER_HAN = "Ö×"
"""What the Han ranges are folded to in the splitter of Kimi K2, there only."""

CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "L": f"{LETTER}A-Za-z",
        "M": MARK,
        "N": f"{NUMBER}0-9",
        "P": rf"{PUNCTUATION}!-#%-*,-/:-;?-@\[-\]_\{{\}}",
        "S": rf"{SYMBOL}\$+<->^`|~",
    }
)
"""Category to the inside of a character class for folded text. llama.cpp reads Lu, Ll, Lt, Lm and Lo as L."""

_FOLDED = {"N": NUMBER, "L": LETTER, "P": PUNCTUATION, "M": MARK, "S": SYMBOL}

_HAN = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0x2CEB0, 0x2EBEF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""Source: `unicode_cpt_is_han`, llama.cpp src/unicode.cpp."""


@cache
def _categories() -> str:
    """The category of every code point, one character each."""
    items = (item.partition(":") for item in LLAMA_CATEGORIES.split())
    starts = [(int(first, 16), category) for first, _, category in items]
    ends = [*(first for first, _ in starts[1:]), 0x110000]
    return "".join(category * (end - first) for (first, category), end in zip(starts, ends, strict=True))


def category(character: str) -> str:
    """The category: L, M, N, P, S, Z (separators), C (controls, private use, surrogates) or U (unassigned).

    >>> category("ж"), category("½"), category("\u2427")
    ('L', 'N', 'U')
    """
    return _categories()[ord(character)]


def _stand_in(character: str) -> str:
    if character.isascii():
        return character
    return FOLDED_SPACE if character in WHITE_SPACE else _FOLDED.get(category(character), OTHER)


def _stand_in_with_han(character: str) -> str:
    if any(first <= ord(character) <= last for first, last in _HAN):
        return HAN_LETTER if category(character) == "L" else OTHER_HAN
    return _stand_in(character)


def _stand_in_with_joiners(character: str) -> str:
    return MARK if character in "\u200c\u200d" else _stand_in(character)


_PLAIN, _WITH_HAN = CharacterTable(_stand_in), CharacterTable(_stand_in_with_han)
_WITH_JOINERS = CharacterTable(_stand_in_with_joiners)
_SPACES = re.compile(f"[{''.join(character for character in WHITE_SPACE if not character.isascii())}]")


def folded(text: str) -> str:
    """Every character above ASCII replaced by the one of its category; the length stays.

    >>> folded("né½ 你")
    'nÒÑ Ò'
    """
    return text if text.isascii() else text.translate(_PLAIN)


def folded_with_han(text: str) -> str:
    """As `folded`, with characters of their own for the Han ranges.

    >>> folded_with_han("né你")
    'nÒÖ'
    """
    return text if text.isascii() else text.translate(_WITH_HAN)


def folded_with_joiners(text: str) -> str:
    """As `folded`, with the joiners U+200C and U+200D as marks, which K2 Horizon has within words.

    >>> folded_with_joiners("n\u200dé")
    'nÔÒ'
    """
    return text if text.isascii() else text.translate(_WITH_JOINERS)


def with_ascii_spaces(text: str) -> str:
    r"""White space above ASCII replaced by a vertical tab, for patterns without categories.

    >>> with_ascii_spaces("é\u3000")
    'é\x0b'
    """
    return text if text.isascii() else _SPACES.sub(FOLDED_SPACE, text)


def code_points(data: bytes) -> Iterator[tuple[int, int]]:
    """Each code point of bytes and its number of bytes; a byte that cannot be read gives U+FFFD.

    The lead byte decides the length, and only the upper two bits of the others are checked: overlong forms pass,
    and so do surrogates and code points beyond 10FFFF.

    >>> [f"{code:X}" for code, _ in code_points(bytes.fromhex("C080 EDA080 F4908080 E282 FF"))]
    ['0', 'D800', '110000', 'FFFD', 'FFFD', 'FFFD']
    """
    position = 0
    while position < len(data):
        lead = data[position]
        length = 1 if lead < 0x80 else 2 if 0xC0 <= lead < 0xE0 else 3 if 0xE0 <= lead < 0xF0 else 4
        rest = data[position + 1 : position + length]
        if lead < 0x80:
            yield lead, 1
        elif 0xC0 <= lead < 0xF8 and len(rest) == length - 1 and all(byte & 0xC0 == 0x80 for byte in rest):
            code = lead & (0x7F >> length)
            for byte in rest:
                code = code << 6 | byte & 0x3F
            yield code, length
        else:
            yield ord(REPLACEMENT_CHARACTER), 1
            length = 1
        position += length


_LENGTHS = (1,) * 12 + (2, 2, 3, 4)
"""The bytes of a character, by the upper half of its lead byte; a byte that leads no character stands alone."""


def cut_at_lead_bytes(data: bytes) -> list[bytes]:
    """The characters of bytes as their lead bytes announce them, whatever bytes follow.

    >>> [character.hex() for character in cut_at_lead_bytes(bytes.fromhex("61 E28281 E261C3 80"))]
    ['61', 'e28281', 'e261c3', '80']
    """
    characters: list[bytes] = []
    position = 0
    while position < len(data):
        characters.append(data[position : position + _LENGTHS[data[position] >> 4]])
        position += len(characters[-1])
    return characters


def checked_code_point(code: int) -> str:
    """The character of a code point. Raises InvalidText for one beyond 10FFFF.

    llama.cpp throws an exception that nothing catches: the process ends.
    """
    if code > 0x10FFFF:
        raise InvalidText(f"the bytes of code point {code:X}, which does not exist: llama.cpp ends the process")
    return chr(code)
