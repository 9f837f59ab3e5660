r"""Classes in brackets: `[a-z\d[:alpha:]]`, `[^…]`, classes in classes, `&&`.

Source: `prs_cc` and `fetch_token_cc` of Oniguruma, regparse.c.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from reftok.oniguruma.cursor import Cursor
from reftok.oniguruma.escapes import read_escape
from reftok.oniguruma.properties import Options, read_bracket, read_property, read_shorthand
from reftok.oniguruma.syntax_tree import Complement, Intersection, Members, Ranges, Union

_Token: TypeAlias = int | Members | Literal["-", "&&", "[", "]"]
_SIGNS: dict[str, Literal["-", "[", "]"]] = {"-": "-", "[": "[", "]": "]"}
_HYPHEN = ord("-")


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

    >>> read_class(Cursor("a-c&&b-d]"), Options())
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
