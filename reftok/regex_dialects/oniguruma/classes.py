r"""Classes: in brackets, `[a-z\d[:alpha:]]`, `[^…]`, `&&`, and those that have a name, `\p{Name}`, `[:name:]`, `\d`.

Source: `prs_cc`, `fetch_token_cc` and `OPTON_IS_ASCII_MODE_CTYPE` of Oniguruma, regparse.c;
`onigenc_unicode_property_name_to_ctype`, unicode.c.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from reftok.regex_dialects.oniguruma.cursor import Cursor
from reftok.regex_dialects.oniguruma.escapes import read_escape
from reftok.regex_dialects.oniguruma.property_names import NAMES
from reftok.regex_dialects.oniguruma.syntax_tree import Complement, Intersection, Members, Property, Ranges, Union

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

_Token: TypeAlias = int | Members | Literal["-", "&&", "[", "]"]
_SIGNS: dict[str, Literal["-", "[", "]"]] = {"-": "-", "[": "[", "]": "]"}
_HYPHEN = ord("-")


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

    >>> read_property(Cursor("p{^ hiragana }"), frozenset())
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


@dataclass(slots=True)
class _Operand:
    """One side of `&&`, as far as it has been read.

    waiting: the last character, which may begin a range. after_class: whether a class with a name came last.
    """

    parts: list[Members] = field(default_factory=list)
    ranges: list[tuple[int, int]] = field(default_factory=list)
    waiting: int | None = None
    after_class: bool = False

    def add_character(self, code: int) -> None:
        self.settle()
        self.waiting = code

    def add_range(self, last: int) -> None:
        assert self.waiting is not None
        self.ranges.append((self.waiting, last))
        self.waiting = None

    def add_class(self, members: Members) -> None:
        self.settle()
        self.parts.append(members)
        self.after_class = True

    def settle(self) -> None:
        """Nothing more can make a range of the character that waits."""
        if self.waiting is not None:
            self.ranges.append((self.waiting, self.waiting))
        self.waiting = None
        self.after_class = False

    def members(self) -> Members:
        self.settle()
        parts = [*([Ranges(tuple(self.ranges))] if self.ranges else []), *self.parts]
        return parts[0] if len(parts) == 1 else Union(tuple(parts))


def read_class(cursor: Cursor, options: Options) -> Members:
    """The members of a class, whose opening bracket has been read; a Complement only if the class itself is negated.

    >>> read_class(Cursor("a-c&&b-d]"), frozenset())
    Intersection(parts=(Ranges(ranges=((97, 99),)), Ranges(ranges=((98, 100),))))
    """
    start = cursor.position - 1
    negative = cursor.accept("^")
    operands = [_Operand()]
    if cursor.accept("]"):
        if "]" not in cursor.pattern[cursor.position :]:
            cursor.refuse("the class is empty", start)
        operands[0].add_character(ord("]"))
    while (token := _token(cursor, options, start)) != "]":
        match token:
            case int():
                operands[-1].add_character(token)
            case "-":
                _read_hyphen(cursor, options, operands[-1], start)
            case "&&":
                operands.append(_Operand())
            case "[":
                operands[-1].add_class(read_class(cursor, options))
                operands[-1].after_class = False
            case members:
                operands[-1].add_class(members)
    sides = tuple(operand.members() for operand in operands)
    content = sides[0] if len(sides) == 1 else Intersection(sides)
    if negative:
        return Complement(content if isinstance(content, Union) else Union((content,)))
    return Union((content,)) if isinstance(content, Complement) else content


def _read_hyphen(cursor: Cursor, options: Options, operand: _Operand, start: int) -> None:
    """A hyphen that has been read makes a range, or is a character: at an edge, and behind a range."""
    if cursor.peek() == "]" or cursor.peek(2) == "&&" or (operand.waiting is None and not operand.after_class):
        operand.add_character(_HYPHEN)
        return
    if operand.after_class:
        cursor.refuse("a range cannot begin with a class", start)
    last = _token(cursor, options, start)
    if last == "-":
        last = _HYPHEN
    if not isinstance(last, int):
        cursor.refuse("a range cannot end with a class", start)
    if operand.waiting is not None and operand.waiting > last:
        cursor.refuse("the range is empty", start)
    operand.add_range(last)


def _token(cursor: Cursor, options: Options, start: int) -> _Token:
    """The next of the class that started there."""
    if cursor.at_end():
        cursor.refuse("the class has no end", start)
    members = read_bracket(cursor, options)
    if members is not None:
        return members
    if cursor.accept("&&"):
        return "&&"
    character = cursor.take()
    if character in _SIGNS:
        return _SIGNS[character]
    if character != "\\":
        return ord(character)
    if (members := read_shorthand(cursor, options) or read_property(cursor, options)) is not None:
        return members
    return read_escape(cursor)
