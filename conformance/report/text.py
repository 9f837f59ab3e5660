"""Making any text safe and legible: what a reader cannot see, or what would harm the page, is spelled out.

The escapes are unambiguous: a control picture or a backslash that would read like an escape is itself escaped.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from conformance.core.unicode_ages import age_of

MOST_MARKS = 8
"""Marks that may stand on one base; more of them ("Zalgo") would paint over the neighbouring lines."""

_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"})

# What looks like nothing although its category is that of a letter, a mark or a symbol.
_BLANKS = frozenset(
    chr(code)
    for first, last in (
        (0x034F, 0x034F),  # combining grapheme joiner
        (0x115F, 0x1160),  # Hangul fillers
        (0x17B4, 0x17B5),  # Khmer inherent vowels
        (0x180B, 0x180F),  # Mongolian variation selectors
        (0x2800, 0x2800),  # Braille blank
        (0x3164, 0x3164),  # Hangul filler
        (0xFE00, 0xFE0F),  # variation selectors
        (0xFFA0, 0xFFA0),  # halfwidth Hangul filler
        (0xE0100, 0xE01EF),  # variation selectors supplement
    )
    for code in range(first, last + 1)
)

_CONTROL_NAMES = {
    unicodedata.lookup(name): name
    for name in (
        *("NULL", "BACKSPACE", "CHARACTER TABULATION", "LINE FEED", "LINE TABULATION", "FORM FEED", "CARRIAGE RETURN"),
        *("ESCAPE", "DELETE", "NEXT LINE"),
    )
}

_LABELS = {"Cc": "control", "Cs": "surrogate", "Co": "private-use"}


def visible(text: str, limit: int = 200) -> str:
    r"""The first `limit` code points on one line, with nothing in them that cannot be seen.

    Letters, digits, punctuation, symbols, emoji and marks after a base stand. A space stands between two other
    characters. C0 controls become their pictures; everything else without a face becomes its number.

    >>> visible("naïve Straße 🤷🏽")
    'naïve Straße 🤷🏽'
    >>> visible(" a  b\n")
    '␠a␠␠b␊'
    >>> print(visible("a\u200bb\u202e \ud800\x00\u0301"))
    a\u{200b}b\u{202e} \u{d800}␀\u{301}
    >>> print(visible(r"a literal \u{200b}, C:\new"))
    a literal \u{5c}u{200b}, C:\new
    >>> visible("abcdefgh", limit=3)
    'abc…(+5)'
    """
    return visible_part(text, 0, limit) + (f"…(+{len(text) - limit})" if len(text) > limit else "")


def visible_part(text: str, start: int, stop: int) -> str:
    r"""A part of a text as `visible` shows it there: a space inside the text stands, a mark without its base does not.

    >>> print(visible_part("[1, 2]", 0, 4) + "|", visible_part("e\u0301", 1, 2))
    [1, | \u{301}
    """
    shown: list[str] = []
    marks = MOST_MARKS
    for index in range(start, min(stop, len(text))):
        character = text[index]
        if _is_mark(character):
            piece = character if marks < MOST_MARKS else escaped(character)
            marks += 1
        else:
            piece = _shown(text, index)
            marks = 0 if piece == character != " " else MOST_MARKS
        shown.append(piece)
    return "".join(shown)


def harmless(text: str) -> str:
    r"""A text, of several lines as it may be, with its spaces and line feeds; of the rest nothing that cannot be seen.

    For messages and documents in which foreign text stands: no control character or turn of direction is left in it.

    >>> print(harmless("reports/a\x1b[31m  [b]\u202e\nend\ud800"))
    reports/a␛[31m  [b]\u{202e}
    end\u{d800}
    """
    return "".join(item if item in " \n" or not _is_invisible(item) else escaped(item) for item in text)


def escaped(character: str) -> str:
    r"""A character as its number, or as its picture where Unicode has one.

    >>> escaped("\t"), escaped(" "), escaped("\x7f")
    ('␉', '␠', '␡')
    >>> print(escaped("\ufeff"))
    \u{feff}
    """
    code = ord(character)
    if code <= 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"\\u{{{code:x}}}"


@dataclass(frozen=True, slots=True)
class CodePoint:
    """One code point.

    number: as "U+0041"; shown: what it looks like, escaped where it looks like nothing; name: of Unicode.
    age: the version of Unicode that it came with, "" for what none has assigned.
    """

    number: str
    shown: str
    name: str
    age: str


def code_points(text: str, limit: int = 64) -> list[CodePoint]:
    r"""The first `limit` code points by number, name and age.

    >>> for point in code_points("A\u0301\n\u200d"):
    ...     print(point.number, point.shown, point.name, point.age)
    U+0041 A LATIN CAPITAL LETTER A 1.1
    U+0301 ◌́ COMBINING ACUTE ACCENT 1.1
    U+000A ␊ LINE FEED 1.1
    U+200D \u{200d} ZERO WIDTH JOINER 1.1
    """
    return [CodePoint(f"U+{ord(item):04X}", _alone(item), name_of(item), age_of(item)) for item in text[:limit]]


def character_names(text: str, limit: int = 4) -> str:
    r"""The characters of a text that ASCII does not have, each once, by number and name; at most `limit` of them.

    >>> character_names("e\u0301e\u0301"), character_names("Hello")
    ('U+0301 COMBINING ACUTE ACCENT', '')
    """
    characters = [*dict.fromkeys(item for item in text if not item.isascii())]
    more = [f"{len(characters) - limit:,} more"] if len(characters) > limit else []
    return ", ".join([*(f"U+{ord(item):04X} {name_of(item)}" for item in characters[:limit]), *more])


def name_of(character: str) -> str:
    r"""The Unicode name, or the label that the Unicode standard gives to what has none.

    >>> name_of("é"), name_of("\0"), name_of("\x01")
    ('LATIN SMALL LETTER E WITH ACUTE', 'NULL', '<control-0001>')
    >>> name_of("\ud800"), name_of("\ue000"), name_of("\uffff"), name_of("\u0378")
    ('<surrogate-D800>', '<private-use-E000>', '<noncharacter-FFFF>', '<reserved-0378>')
    """
    name = unicodedata.name(character, "") or _CONTROL_NAMES.get(character, "")
    if name:
        return name
    code = ord(character)
    noncharacter = code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
    label = _LABELS.get(unicodedata.category(character), "noncharacter" if noncharacter else "reserved")
    return f"<{label}-{code:04X}>"


def _shown(text: str, index: int) -> str:
    """The character at `index` as itself or escaped; spaces and backslashes look at their neighbours."""
    character = text[index]
    if character == " ":
        between = 0 < index < len(text) - 1 and text[index - 1] != " " != text[index + 1]
        return " " if between else "␠"
    if character == "\\" and text.startswith("u{", index + 1):
        return escaped(character)
    return character if _stands(character) else escaped(character)


@lru_cache(maxsize=4096)
def _stands(character: str) -> bool:
    """Whether the character has a face of its own that is not one of our escapes."""
    return not "\u2400" <= character <= "\u2426" and not _is_invisible(character)


def _is_invisible(character: str) -> bool:
    return character in _BLANKS or unicodedata.category(character) in _INVISIBLE_CATEGORIES


@lru_cache(maxsize=4096)
def _is_mark(character: str) -> bool:
    return character not in _BLANKS and unicodedata.category(character).startswith("M")


def _alone(character: str) -> str:
    """A character out of its context: a mark sits on a dotted circle."""
    return "\u25cc" + character if _is_mark(character) else visible(character)
