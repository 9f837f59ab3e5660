"""A pattern becomes a syntax tree.

Source: `prs_regexp`, `prs_alts`, `prs_branch`, `prs_exp`, `prs_bag` and `fetch_token` of Oniguruma, regparse.c.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby

import regex

from reftok.regex_dialects.oniguruma.classes import (
    Options,
    named,
    outside_of_brackets,
    read_class,
    read_property,
    read_shorthand,
)
from reftok.regex_dialects.oniguruma.cursor import Cursor
from reftok.regex_dialects.oniguruma.escapes import read_escape
from reftok.regex_dialects.oniguruma.quantifiers import quantified, read_quantifier
from reftok.regex_dialects.oniguruma.syntax_tree import (
    ANY_CHARACTER,
    NO_LINE_FEED,
    NOTHING,
    Alternation,
    Assertion,
    AssertionKind,
    Atomic,
    Backreference,
    Capture,
    CharacterClass,
    Conditional,
    Group,
    Keep,
    Literal,
    Lookaround,
    Node,
    Ranges,
    Sequence,
    walk,
)

_ASSERTIONS: dict[str, AssertionKind] = {
    "A": "text start",
    "z": "text end",
    "Z": "last line end",
    "G": "search start",
    "b": "word boundary",
    "B": "no boundary",
}
_LINE_BREAKS = CharacterClass(Ranges(((0x0A, 0x0D), (0x85, 0x85), (0x2028, 0x2029))))
_SINGLE: dict[str, Node] = {
    "K": Keep(),
    "R": Atomic(Alternation((Literal("\r\n"), _LINE_BREAKS))),
    "N": NO_LINE_FEED,
    "O": ANY_CHARACTER,
}
_UNKNOWN_ESCAPES = {"X": "text segments", "y": "text segments", "Y": "text segments"}
_UNKNOWN_GROUPS = {"(?~": "the absent operator", "(?{": "a callout", "(*": "a callout", "(?C": "an option of the whole"}
_UNKNOWN_GROUPS |= {"(?I": "an option of the whole", "(?L": "an option of the whole", "(?y": "text segments"}
_LOOKAROUNDS = {"(?=": (False, False), "(?!": (False, True), "(?<=": (True, False), "(?<!": (True, True)}
_NAME = regex.compile(r"<(?P<name>[^\W\d]\w*)>|'(?P<name>[^\W\d]\w*)'")
_NUMBER = regex.compile(r"<(?P<number>-?\d{1,5})>|'(?P<number>-?\d{1,5})'")
_OPTIONS = regex.compile(r"\(\?(?=[-imxWDSP])(?P<on>[imxWDSP]*)(?P<off>(?:-[imxWDSP]*)*)(?P<end>[:)])")
_ALWAYS_A_REFERENCE = 9


def parse(pattern: str) -> Node:
    """The syntax tree of a pattern.

    Where a group has a name, those without one do not capture. Raises UnsupportedFeature for what Oniguruma refuses,
    and for what is not known to be reproduced.

    >>> parse("(a)(?<n>b)")
    Sequence(parts=(Literal(text='a', ignore_case=False), Capture(number=1, body=Literal(text='b', ignore_case=False))))
    """
    parser = _Parser(Cursor(pattern))
    tree = parser.everything()
    if parser.names and None in parser.groups:
        parser = _Parser(Cursor(pattern), only_named=True)
        tree = parser.everything()
    return tree


@dataclass(slots=True)
class _Parser:
    """groups: the name of each group, as far as read, None if it has none. numbered: where a number refers to one.

    only_named: whether only groups with a name capture. That is the second reading: what may be repeated was for the
    first to say, in which every group is one.
    """

    cursor: Cursor
    only_named: bool = False
    groups: list[str | None] = field(default_factory=list)
    numbered: int | None = None

    @property
    def names(self) -> set[str]:
        return {name for name in self.groups if name is not None}

    def everything(self) -> Node:
        tree = Sequence(()) if self.cursor.at_end() else self.alternatives(frozenset())
        if not self.cursor.at_end():
            self.cursor.refuse("nothing is open that this could close", self.cursor.position)
        for node in walk(tree):
            number = node.number if isinstance(node, Backreference) else None
            number = node.condition if isinstance(node, Conditional) and isinstance(node.condition, int) else number
            if number is not None and number > len(self.groups):
                self.cursor.refuse(f"there is no group {number}", 0)
        if self.names and self.numbered is not None:
            self.cursor.refuse("a number cannot refer to a group where groups have names", self.numbered)
        return tree

    def alternatives(self, options: Options) -> Node:
        return _alternation(self.branches(options))

    def branches(self, options: Options) -> list[Node]:
        branches = [self.branch(options)]
        while self.cursor.accept("|"):
            branches.append(self.branch(options))
        return branches

    def branch(self, options: Options) -> Node:
        parts: list[Node] = []
        while self.skip(options) and self.cursor.peek() not in "|)":
            parts.append(self.expression(options))
        return _sequence(parts)

    def skip(self, options: Options) -> bool:
        """Pass over comments, and white space where it does not count; whether anything is left."""
        cursor = self.cursor
        while True:
            start = cursor.position
            if cursor.accept("(?#"):
                while (character := cursor.take()) != ")":
                    if character == "\\" and not cursor.at_end():
                        cursor.take()
            elif "x" in options and cursor.accept("#"):
                while not cursor.at_end() and cursor.take() != "\n":
                    pass
            elif "x" in options:
                cursor.take_while(" \t\n\r\f")
            if cursor.position == start:
                return not cursor.at_end()

    def expression(self, options: Options) -> Node:
        """An atom with its quantifiers; behind options that stand alone, all that is left of the group."""
        start = self.cursor.position
        if read_quantifier(self.cursor):
            self.cursor.refuse("nothing is there to repeat", start)
        alone = _OPTIONS.match(self.cursor.pattern, start)
        node = self.atom(options)
        if alone and alone["end"] == ")":
            return node
        while self.skip(options) and (quantifier := read_quantifier(self.cursor)):
            if not self.only_named and _is_no_target(node):
                self.cursor.refuse("a place cannot be repeated", start)
            node = quantified(node, quantifier)
        return node

    def atom(self, options: Options) -> Node:
        cursor = self.cursor
        start = cursor.position
        if cursor.peek() == "(":
            return self.group(options)
        match character := cursor.take():
            case "[":
                return CharacterClass(read_class(cursor, options), "i" in options)
            case ".":
                return ANY_CHARACTER if "m" in options else NO_LINE_FEED
            case "^":
                return Assertion("line start")
            case "$":
                return Assertion("line end")
            case "\\":
                return self.escape(options, start)
            case _:
                return Literal(character, "i" in options)

    def escape(self, options: Options, start: int) -> Node:
        cursor = self.cursor
        letter = cursor.peek()
        if letter in _UNKNOWN_ESCAPES or (letter == "g" and cursor.peek(2) in ("g<", "g'")):
            cursor.take()
            cursor.refuse(f"{_UNKNOWN_ESCAPES.get(letter, 'a call of a group')} are not supported", start)
        if letter in _ASSERTIONS:
            return Assertion(_ASSERTIONS[cursor.take()], outside_of_brackets(named("word", options)))
        if letter in _SINGLE:
            return _SINGLE[cursor.take()]
        if (members := read_shorthand(cursor, options) or read_property(cursor, options)) is not None:
            return CharacterClass(outside_of_brackets(members))
        if letter in tuple("123456789") or cursor.peek(2) in ("k<", "k'"):
            reference = self.reference(options, start)
            if reference is not None:
                return reference
        code = read_escape(cursor)
        if code > 0x10FFFF:
            cursor.refuse("no character has such a number", start)
        return Literal(chr(code), "i" in options)

    def reference(self, options: Options, start: int) -> Node | None:
        r"""`\1` or `\k<name>`; None for an octal number."""
        cursor = self.cursor
        if cursor.accept("k"):
            number = self.group_number(start)
        else:
            digits = cursor.take_while("0123456789")
            number = int(digits)
            if number > max(_ALWAYS_A_REFERENCE, len(self.groups)):
                cursor.position -= len(digits)
                return None
            self.numbered = start
        if "i" in options:
            cursor.refuse("a reference to a group without regard to case is not supported", start)
        return Backreference(number)

    def group_number(self, start: int) -> int:
        """The group that `<name>`, `<1>` or `<-1>` refers to."""
        cursor = self.cursor
        if name := _NAME.match(cursor.pattern, cursor.position):
            cursor.position = name.end()
            if self.groups.count(name["name"]) != 1:
                cursor.refuse("not the name of one group before it", start)
            return self.groups.index(name["name"]) + 1
        number = _NUMBER.match(cursor.pattern, cursor.position)
        if number is None:
            cursor.take()
            cursor.refuse("not the name or the number of a group", start)
        cursor.position = number.end()
        self.numbered = start
        value = int(number["number"])
        group = value if value >= 0 else len(self.groups) + 1 + value
        if group <= 0:
            cursor.refuse("there is no such group", start)
        return group

    def group(self, options: Options) -> Node:
        cursor = self.cursor
        start = cursor.position
        for sign, what in _UNKNOWN_GROUPS.items():
            if cursor.accept(sign):
                cursor.refuse(f"{what} is not supported", start)
        if cursor.accept("(?:"):
            return self.body(options, start)
        if cursor.accept("(?>"):
            return Atomic(self.body(options, start))
        for sign, (behind, negative) in _LOOKAROUNDS.items():
            if cursor.accept(sign):
                return Lookaround(self.body(options, start), behind, negative)
        if cursor.accept("(?("):
            return self.conditional(options, start)
        if changes := _OPTIONS.match(cursor.pattern, start):
            cursor.position = changes.end()
            options = (options | {*changes["on"]}) - {*changes["off"]}
            return Group(self.body(options, start) if changes["end"] == ":" else self.alternatives(options))
        return self.capture(options, start)

    def capture(self, options: Options, start: int) -> Node:
        cursor = self.cursor
        name = None
        cursor.take()
        if cursor.accept("?"):
            name = _NAME.match(cursor.pattern, cursor.position)
            if name is None:
                cursor.position += not cursor.at_end()
                cursor.refuse("no group starts like this", start)
            cursor.position = name.end()
        elif self.only_named:
            return self.body(options, start)
        self.groups.append(name["name"] if name else None)
        number = len(self.groups)
        return Capture(number, self.body(options, start))

    def conditional(self, options: Options, start: int) -> Node:
        """`(?(1)then|otherwise)`, `(?(<name>)…)`, or a pattern as condition."""
        cursor = self.cursor
        condition: int | Node
        if number := regex.compile(r"([0-9]{1,5})\)").match(cursor.pattern, cursor.position):
            cursor.position = number.end()
            self.numbered = start
            condition = int(number[1])
        elif cursor.peek() in ("<", "'", "-", "+"):
            condition = self.group_number(start)
            if not cursor.accept(")"):
                cursor.refuse("the condition has no end", start)
        else:
            condition = self.body(options, start)
            if condition == NOTHING:
                cursor.refuse("an empty condition is not supported", start)
        if cursor.accept(")"):
            if not isinstance(condition, int):
                cursor.refuse("a condition for nothing", start)
            return Conditional(condition, NOTHING, Lookaround(NOTHING, behind=False, negative=True))
        if condition == 0:
            cursor.refuse("there is no group 0", start)
        branches: list[Node] = [NOTHING] if cursor.accept("|") else []
        branches += self.branches(options)
        if not cursor.accept(")"):
            cursor.refuse("the group has no end", start)
        return Conditional(condition, branches[0], _alternation(branches[1:]) if branches[1:] else NOTHING)

    def body(self, options: Options, start: int) -> Node:
        """The content of a group, and its end."""
        node = self.alternatives(options)
        if not self.cursor.accept(")"):
            self.cursor.refuse("the group has no end", start)
        return node


def _alternation(branches: list[Node]) -> Node:
    return branches[0] if len(branches) == 1 else Alternation(tuple(branches))


def _sequence(parts: list[Node]) -> Node:
    """One after the other: sequences are dissolved, and literals side by side become one."""
    nodes = (node for part in parts for node in (part.parts if isinstance(part, Sequence) and part.parts else (part,)))
    joined: list[Node] = []
    for ignore_case, run in groupby(nodes, lambda node: node.ignore_case if isinstance(node, Literal) else None):
        if ignore_case is None:
            joined += run
        else:
            joined.append(Literal("".join(node.text for node in run if isinstance(node, Literal)), ignore_case))
    return joined[0] if len(joined) == 1 else Sequence(tuple(joined))


def _is_no_target(node: Node) -> bool:
    if isinstance(node, Alternation):
        return any(map(_is_no_target, node.branches))
    return isinstance(node, Assertion | Lookaround | Keep)
