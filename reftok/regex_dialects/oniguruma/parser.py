"""The parser: a pattern becomes a syntax tree.

Source: `prs_regexp`, `prs_alts`, `prs_branch`, `prs_exp`, `prs_bag`, `fetch_token`, `assign_quantifier_body` and
`onig_reduce_nested_quantifier` of Oniguruma, regparse.c.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby

import regex

from reftok.regex_dialects.oniguruma.classes import Options, named, outside_of_brackets, read_class, read_named_class
from reftok.regex_dialects.oniguruma.lexer import Cursor, Quantifier, bounded, read_escape, read_quantifier
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
    Repeat,
    Sequence,
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
_GROUPS: dict[str, Callable[[Node], Node]] = {
    "(?:": lambda body: body,
    "(?>": Atomic,
    "(?=": lambda body: Lookaround(body, behind=False, negative=False),
    "(?!": lambda body: Lookaround(body, behind=False, negative=True),
    "(?<=": lambda body: Lookaround(body, behind=True, negative=False),
    "(?<!": lambda body: Lookaround(body, behind=True, negative=True),
}
_UNKNOWN_ESCAPES = {"X": "text segments", "y": "text segments", "Y": "text segments"}
_UNKNOWN_GROUPS = {"(?~": "the absent operator", "(?{": "a callout", "(*": "a callout", "(?C": "an option of the whole"}
_UNKNOWN_GROUPS |= {"(?I": "an option of the whole", "(?L": "an option of the whole", "(?y": "text segments"}
_COMMENT = regex.compile(r"(?s)\(\?#(?:\\.|[^\\)])*\)")
_COMMENT_OR_SPACE = regex.compile(rf"{_COMMENT.pattern}|#[^\n]*|[ \t\n\r\f]")
_NAME = regex.compile(r"<(?P<name>[^\W\d]\w*)>|'(?P<name>[^\W\d]\w*)'")
_NUMBER = regex.compile(r"<(?P<number>-?\d{1,5})>|'(?P<number>-?\d{1,5})'")
_CONDITION = regex.compile(r"(?P<number>[0-9]{1,5})\)")
_OPTIONS = regex.compile(r"\(\?(?=[-imxWDSP])(?P<on>[imxWDSP]*)(?P<off>(?:-[imxWDSP]*)*)(?P<end>[:)])")
_REFERENCE = regex.compile("[1-9][0-9]*")
_ALWAYS_A_REFERENCE = 9


def parse(pattern: str) -> Node:
    """The syntax tree of a pattern.

    If a group has a name, those without one do not capture. Raises UnsupportedFeature for what Oniguruma refuses, and
    for what is not known to be reproduced.

    >>> parse("(a)(?<n>b)")
    Sequence(parts=(Literal(text='a', ignore_case=False), Capture(number=1, body=Literal(text='b', ignore_case=False))))
    """
    parser = _Parser(Cursor(pattern))
    tree = parser.everything()
    if None in parser.groups and any(parser.groups):
        parser = _Parser(Cursor(pattern), only_named=True)
        tree = parser.everything()
    return tree


@dataclass(slots=True)
class _Parser:
    """A pattern that is being parsed.

    only_named: whether only groups with a name capture. That is the second reading: what may be repeated was for the
        first to say, in which every group is one.
    groups: the name of each group read so far, None for a group without one.
    references: the numbers of the groups that the pattern refers to.
    numbered: the last place that refers to a group by number, if any does.
    """

    cursor: Cursor
    only_named: bool = False
    groups: list[str | None] = field(default_factory=list)
    references: list[int] = field(default_factory=list)
    numbered: int | None = None

    def everything(self) -> Node:
        tree = self.alternatives(frozenset())
        if not self.cursor.at_end():
            self.cursor.refuse("nothing is open that this could close", self.cursor.position)
        for number in self.references:
            if number > len(self.groups):
                self.cursor.refuse(f"there is no group {number}", 0)
        if any(self.groups) and self.numbered is not None:
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
        while self.cursor.match(_COMMENT_OR_SPACE if "x" in options else _COMMENT):
            pass
        if self.cursor.peek(3) == "(?#":
            self.cursor.refuse("the comment has no end", self.cursor.position)
        return not self.cursor.at_end()

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
        if (members := read_named_class(cursor, options)) is not None:
            return CharacterClass(outside_of_brackets(members))
        if (reference := self.reference(options, start)) is not None:
            return reference
        code = read_escape(cursor)
        if code > 0x10FFFF:
            cursor.refuse("no character has such a number", start)
        return Literal(chr(code), "i" in options)

    def reference(self, options: Options, start: int) -> Node | None:
        r"""`\1` or `\k<name>`; None for an octal number, and for any other escape."""
        cursor = self.cursor
        if cursor.peek(2) in ("k<", "k'"):
            cursor.take()
            group = self.group_number(start)
        else:
            digits = _REFERENCE.match(cursor.pattern, cursor.position)
            if digits is None or bounded(digits[0]) > max(_ALWAYS_A_REFERENCE, len(self.groups)):
                return None
            cursor.position = digits.end()
            self.numbered, group = start, bounded(digits[0])
        if "i" in options:
            cursor.refuse("a reference to a group without regard to case is not supported", start)
        self.references.append(group)
        return Backreference(group)

    def group_number(self, start: int) -> int:
        """The group that `<name>`, `<1>` or `<-1>` refers to."""
        cursor = self.cursor
        if name := cursor.match(_NAME):
            if self.groups.count(name["name"]) != 1:
                cursor.refuse("not the name of one group before it", start)
            return self.groups.index(name["name"]) + 1
        found = cursor.match(_NUMBER)
        if found is None:
            cursor.take()
            cursor.refuse("not the name or the number of a group", start)
        self.numbered = start
        value = int(found["number"])
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
        for sign, made_of in _GROUPS.items():
            if cursor.accept(sign):
                return made_of(self.body(options, start))
        if cursor.accept("(?("):
            return self.conditional(options, start)
        if changes := cursor.match(_OPTIONS):
            options = (options | {*changes["on"]}) - {*changes["off"]}
            return Group(self.body(options, start) if changes["end"] == ":" else self.alternatives(options))
        return self.capture(options, start)

    def capture(self, options: Options, start: int) -> Node:
        cursor = self.cursor
        name = None
        cursor.take()
        if cursor.accept("?"):
            name = cursor.match(_NAME)
            if name is None:
                cursor.position += not cursor.at_end()
                cursor.refuse("no group starts like this", start)
        elif self.only_named:
            return self.body(options, start)
        self.groups.append(name["name"] if name else None)
        number = len(self.groups)
        return Capture(number, self.body(options, start))

    def conditional(self, options: Options, start: int) -> Node:
        """`(?(1)then|otherwise)`, `(?(<name>)…)`, or a pattern as condition."""
        cursor = self.cursor
        condition: int | Node
        if found := cursor.match(_CONDITION):
            self.numbered, condition = start, int(found["number"])
        elif cursor.peek() in ("<", "'", "-", "+"):
            condition = self.group_number(start)
            if not cursor.accept(")"):
                cursor.refuse("the condition has no end", start)
        else:
            condition = self.body(options, start)
            if condition == NOTHING:
                cursor.refuse("an empty condition is not supported", start)
        if isinstance(condition, int):
            self.references.append(condition)
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


_POPULAR = {
    (0, 1, True): "?",
    (0, None, True): "*",
    (1, None, True): "+",
    (0, 1, False): "??",
    (0, None, False): "*?",
    (1, None, False): "+?",
}
_REDUCED = {
    "?": {"*": "*", "+": "*", "??": "??", "*?": "*?", "?": "?"},
    "*": {"?": "*", "*": "*", "+": "*", "??": "+)??", "*?": "+)??", "+?": "*"},
    "+": {"?": "*", "*": "*", "+": "+", "*?": "+)??", "+?": "+"},
    "??": {"?": "??", "*": "*?", "+": "*?", "??": "??", "*?": "*?", "+?": "*?"},
    "*?": dict.fromkeys(_POPULAR.values(), "*?"),
    "+?": {"*": "*", "+": "+", "??": "*?", "*?": "*?", "+?": "+?"},
}
"""What a quantifier (the first) becomes with another one on it; other pairs stay nested."""


def quantified(body: Node, quantifier: Quantifier) -> Node:
    """The node for a body with a quantifier.

    Oniguruma reduces a quantifier on a quantifier to one: `(?:a?)+` is `a*`. That is not what other engines do: its
    `(?:a*)??` is `a*?`, which is lazy about each `a` and not about all of them.

    >>> quantified(Repeat(Literal("a"), 0, 1), Quantifier(1, None))
    Repeat(body=Literal(text='a', ignore_case=False), least=0, most=None, greedy=True)
    """
    if (quantifier.least, quantifier.most) == (1, 1):
        return body
    node: Repeat = Repeat(body, quantifier.least, quantifier.most, quantifier.greedy)
    if isinstance(body, Repeat):
        node = _reduced(node, body)
    return Atomic(node) if quantifier.possessive else node


def _reduced(outer: Repeat, inner: Repeat) -> Repeat:
    outer_kind = _POPULAR.get((outer.least, outer.most, outer.greedy))
    inner_kind = _POPULAR.get((inner.least, inner.most, inner.greedy))
    if inner_kind is None or outer_kind is None:
        if inner_kind in ("*", "+") and outer.greedy and outer.most is not None and outer.most > 1:
            return Repeat(inner, outer.least, outer.least or 1)
        if inner_kind is None and outer.least == outer.most and inner.least == inner.most:
            return Repeat(inner.body, outer.least * inner.least, outer.least * inner.least)
        return outer
    kind = _REDUCED[inner_kind].get(outer_kind)
    if kind is None:
        return outer
    if kind == "+)??":
        return Repeat(Repeat(inner.body, 1, None), 0, 1, greedy=False)
    least, most, greedy = next(bounds for bounds, name in _POPULAR.items() if name == kind)
    return Repeat(inner.body, least, most, greedy)
