r"""Classes that have a name: `\p{Name}`, `[[:name:]]`, `\d`.

Source: `onigenc_unicode_property_name_to_ctype` of Oniguruma, unicode.c; `OPTON_IS_ASCII_MODE_CTYPE`, regparse.c.
"""

from __future__ import annotations

from typing import TypeAlias

from reftok.oniguruma.cursor import Cursor
from reftok.oniguruma.property_names import NAMES
from reftok.oniguruma.syntax_tree import Complement, Intersection, Members, Property, Ranges, Union

_SHORTHANDS = {"w": "word", "d": "digit", "s": "space", "h": "xdigit"}
_BRACKETS = frozenset(["alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print"])
_BRACKETS |= {"punct", "space", "upper", "xdigit", "ascii", "word"}
_POSIX = _BRACKETS - {"punct", "ascii"} | {"posixpunct", "newline"}
_OPTION_OF = {"word": "W", "digit": "D", "space": "S"}
_ASCII = Ranges(((0, 0x7F),))
_WORD_NUMBERS = Ranges(((0xB2, 0xB3), (0xB9, 0xB9), (0xBC, 0xBE)))
"""Superscript digits and fractions: of words outside of brackets, where Oniguruma looks at ISO 8859-1 first."""


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


def read_shorthand(cursor: Cursor, options: Options) -> Members | None:
    r"""The members of `\w`, `\D` and their like, whose backslash has been read; None if it is something else."""
    letter = cursor.peek()
    name = _SHORTHANDS.get(letter.lower())
    if name is None or not letter:
        return None
    cursor.take()
    return _negated_if(letter.isupper(), named(name, options))


def read_property(cursor: Cursor, options: Options) -> Members | None:
    r"""The members of `\p{Lu}` or `\P{^Lu}`, whose backslash has been read; None if it is something else.

    Case, spaces, hyphens and underscores of a name do not count.

    >>> read_property(Cursor("p{^ hiragana }"), Options())
    Complement(members=Property(name='hiragana'))
    """
    if cursor.peek(2) not in ("p{", "P{"):
        return None
    start = max(0, cursor.position - 1)
    negative = cursor.take() == "P"
    cursor.take()
    negative ^= cursor.accept("^")
    written = cursor.pattern[cursor.position :].partition("}")[0]
    cursor.position += len(written)
    name = written.translate({ord(ignored): None for ignored in " -_"})
    if not cursor.accept("}") or not name.isascii() or name.lower() not in NAMES:
        cursor.refuse("no such property is known", start)
    return _negated_if(negative, named(name.lower(), options))


def read_bracket(cursor: Cursor, options: Options) -> Members | None:
    """The members of `[:alpha:]` or `[:^alpha:]`; None if that is not what is next."""
    start = cursor.position
    if not cursor.accept("[:"):
        return None
    negative = cursor.accept("^")
    end = cursor.pattern.find(":", cursor.position)
    name = cursor.pattern[cursor.position : end] if end >= 0 else ""
    if not name.isalpha() or cursor.pattern[end : end + 2] != ":]":
        cursor.position = start
        return None
    cursor.position = end + 2
    if name not in _BRACKETS:
        cursor.refuse("no such class is known", start)
    return _negated_if(negative, named("posixpunct" if name == "punct" else name, options))


def _negated_if(negative: bool, members: Members) -> Members:
    return Complement(members) if negative else members
