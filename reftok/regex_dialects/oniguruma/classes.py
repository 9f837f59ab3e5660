r"""Classes: in brackets, `[a-z\d[:alpha:]]`, `[^…]`, `&&`, and those that have a name, `\p{Name}`, `[:name:]`, `\d`.

Source: `prs_cc`, `fetch_token_cc` and `OPTON_IS_ASCII_MODE_CTYPE` of Oniguruma, regparse.c;
`onigenc_unicode_property_name_to_ctype`, unicode.c.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import regex

from reftok.regex_dialects.oniguruma.lexer import Cursor, read_escape
from reftok.regex_dialects.oniguruma.syntax_tree import Complement, Intersection, Members, Property, Ranges, Union
from reftok.unicode.tables import ONIGURUMA_PROPERTIES

_SHORTHANDS = {"w": "word", "d": "digit", "s": "space", "h": "xdigit"}
_BRACKETS = frozenset(["alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print"])
_BRACKETS |= {"punct", "space", "upper", "xdigit", "ascii", "word"}
_POSIX = _BRACKETS - {"punct", "ascii"} | {"posixpunct", "newline"}
_OPTION_OF = {"word": "W", "digit": "D", "space": "S"}
_ASCII = Ranges(((0, 0x7F),))
_WORD_NUMBERS = Ranges(((0xB2, 0xB3), (0xB9, 0xB9), (0xBC, 0xBE)))
"""Superscript digits and fractions: of words outside of brackets, where Oniguruma looks at ISO 8859-1 first."""

_SHORTHAND = regex.compile("[wdshWDSH]")
_PROPERTY = regex.compile(r"(?P<letter>[pP])\{(?P<not>\^?)(?P<name>[^}]*)(?P<end>\}?)")
_BRACKET = regex.compile(r"\[:(?P<not>\^?)(?P<name>\p{L}+):\]")
_RANGE = regex.compile(r"-(?!\]|&&)")
"""The hyphen of a range. At an edge of the class, or of a side of `&&`, it is a character."""

Options: TypeAlias = frozenset[str]
"""The options of a place in a pattern: letters of `(?imxWDSP)`."""


def named(name: str, options: Options) -> Members:
    """The members of a property; only those in ASCII if the options ask for that."""
    if name in _POSIX and ("P" in options or _OPTION_OF.get(name, "") in options):
        return Intersection((Property(name), _ASCII))
    return Property(name)


def outside_of_brackets(members: Members) -> Members:
    r"""`\w` and `\W` as they are on their own."""
    match members:
        case Property("word"):
            return Union((members, _WORD_NUMBERS))
        case Complement(Property("word") as word):
            return Complement(Union((word, _WORD_NUMBERS)))
        case _:
            return members


def read_named_class(cursor: Cursor, options: Options) -> Members | None:
    r"""The members of `\w`, `\D`, `\p{Lu}`, `\P{^Lu}` and their like, whose backslash has been read; None for others.

    Case, spaces, hyphens and underscores of a name do not count.

    >>> read_named_class(Cursor(r"\p{^ hiragana }", 1), frozenset())
    Complement(members=Property(name='hiragana'))
    """
    start = cursor.position - 1
    if letter := cursor.match(_SHORTHAND):
        return _negated_if(letter[0].isupper(), named(_SHORTHANDS[letter[0].lower()], options))
    found = cursor.match(_PROPERTY)
    if found is None:
        return None
    name = found["name"].translate({ord(ignored): None for ignored in " -_"})
    if not found["end"] or not name.isascii() or name.lower() not in ONIGURUMA_PROPERTIES:
        cursor.refuse("no such property is known", start)
    return _negated_if((found["letter"] == "P") ^ bool(found["not"]), named(name.lower(), options))


def _negated_if(negative: bool, members: Members) -> Members:
    return Complement(members) if negative else members


def read_class(cursor: Cursor, options: Options) -> Members:
    """The members of a class, whose opening bracket has been read; a Complement only if the class itself is negated.

    >>> read_class(Cursor("a-c&&b-d]"), frozenset())
    Intersection(parts=(Ranges(ranges=((97, 99),)), Ranges(ranges=((98, 100),))))
    """
    start = cursor.position - 1
    negative = cursor.accept("^")
    is_first = cursor.peek() == "]"  # then it is a character
    if is_first and "]" not in cursor.pattern[cursor.position + 1 :]:
        cursor.take()
        cursor.refuse("the class is empty", start)
    sides: list[tuple[list[tuple[int, int]], list[Members]]] = [([], [])]
    while (token := _token(cursor, options, start)) != "]" or is_first:
        ranges, parts = sides[-1]
        match token:
            case int():
                ranges.append(_range(cursor, options, token, start))
            case "]":
                ranges.append(_range(cursor, options, ord("]"), start))
            case "&&":
                sides.append(([], []))
            case "[":
                parts.append(read_class(cursor, options))  # a hyphen behind it is a character
            case members:
                parts.append(members)
                if cursor.match(_RANGE):
                    cursor.refuse("a range cannot begin with a class", start)
        is_first = False
    content = _joined(Intersection, [_joined(Union, [*_ranges(ranges), *parts]) for ranges, parts in sides])
    if negative:
        return Complement(content if isinstance(content, Union) else Union((content,)))
    return Union((content,)) if isinstance(content, Complement) else content


def _ranges(ranges: list[tuple[int, int]]) -> list[Members]:
    return [Ranges(tuple(ranges))] if ranges else []


def _joined(kind: type[Union | Intersection], parts: list[Members]) -> Members:
    return parts[0] if len(parts) == 1 else kind(tuple(parts))


def _range(cursor: Cursor, options: Options, first: int, start: int) -> tuple[int, int]:
    """The range that begins with a character, or that character alone. start: of the class."""
    if not cursor.match(_RANGE):
        return first, first
    last = _token(cursor, options, start)
    if not isinstance(last, int):
        cursor.refuse("a range cannot end with a class", start)
    if first > last:
        cursor.refuse("the range is empty", start)
    return first, last


def _token(cursor: Cursor, options: Options, start: int) -> int | Members | Literal["&&", "[", "]"]:
    """The next character, class with a name, or sign of the class that started there."""
    if cursor.at_end():
        cursor.refuse("the class has no end", start)
    place = cursor.position
    if found := cursor.match(_BRACKET):
        name = "posixpunct" if found["name"] == "punct" else found["name"]
        if found["name"] not in _BRACKETS:
            cursor.refuse("no such class is known", place)
        return _negated_if(bool(found["not"]), named(name, options))
    if cursor.accept("&&"):
        return "&&"
    match character := cursor.take():
        case "[" | "]":
            return character
        case "\\":
            members = read_named_class(cursor, options)
            return read_escape(cursor) if members is None else members
        case _:
            return ord(character)
