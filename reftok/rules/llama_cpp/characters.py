r"""Text as llama.cpp sees it: code points read without much checking, and categories folded into single characters.

llama.cpp has no Unicode regexes. It replaces each code point above ASCII by one byte for its category and runs
`std::regex` over the result; the splitters that it has by hand ask for the same categories. `folded` is that
replacement, and `CLASSES` says what `\p{L}` and its like mean in folded text.

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
"""The stand-ins of code points above ASCII: the characters D1 to D5, and D0 for every other category."""

FOLDED_SPACE = "\v"
"""The stand-in of white space above ASCII, since `\\s` of `std::regex` knows only ASCII."""

HAN_LETTER, OTHER_HAN = "Ö×"
"""The stand-in of the Han ranges in the splitter of Kimi K2, there only."""

CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "L": f"{LETTER}A-Za-z",
        "M": MARK,
        "N": f"{NUMBER}0-9",
        "P": rf"{PUNCTUATION}!-#%-*,-/:-;?-@\[-\]_\{{\}}",
        "S": rf"{SYMBOL}\$+<->^`|~",
    }
)
"""The inside of a character class, in folded text. Lu, Ll, Lt, Lm and Lo all mean L: llama.cpp knows no case."""

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


_PLAIN, _WITH_HAN = CharacterTable(_stand_in), CharacterTable(_stand_in_with_han)
_SPACES = re.compile(f"[{''.join(character for character in WHITE_SPACE if not character.isascii())}]")


def folded(text: str) -> str:
    """Every character above ASCII as the character of its category; the length stays.

    >>> folded("né½ 你")
    'nÒÑ Ò'
    """
    return text if text.isascii() else text.translate(_PLAIN)


def folded_with_han(text: str) -> str:
    """As `folded`, with the Han ranges apart.

    >>> folded_with_han("né你")
    'nÒÖ'
    """
    return text if text.isascii() else text.translate(_WITH_HAN)


def with_ascii_spaces(text: str) -> str:
    r"""White space above ASCII as a vertical tab, everything else as it is: for patterns that name no category.

    >>> with_ascii_spaces("é\u3000")
    'é\x0b'
    """
    return text if text.isascii() else _SPACES.sub(FOLDED_SPACE, text)


def code_points(data: bytes) -> Iterator[tuple[int, int]]:
    """The code points of bytes and how many bytes each took; what cannot be read gives U+FFFD, byte by byte.

    The lead byte decides the length, and only the upper two bits of the others are checked: overlong forms and
    surrogates pass, and so do code points that Unicode does not have.

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


def checked_code_point(code: int) -> str:
    """The character of a code point. Raises InvalidText for one that Unicode does not have.

    llama.cpp throws an exception over it that nothing catches: the process ends.
    """
    if code > 0x10FFFF:
        raise InvalidText(f"the bytes of code point {code:X}, which does not exist: llama.cpp ends the process")
    return chr(code)
