r"""Patterns for `re`, which matches in half the time that `regex` takes, with every class written out.

Both search alternatives in the order in which they stand, and go back in the same way; what they differ in is classes,
case, empty matches and the groups of repetitions. So a pattern has such a form only where it consists of literals,
classes, alternatives, repetitions of a single character, and lookaheads over these. A class of `re` is looked up in a
table as far as plane 0 reaches, and beyond it range after range, so that the form is for text of plane 0.
"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from functools import cache, lru_cache

import regex

from reftok.regex_dialects.oniguruma.members import folded, written
from reftok.regex_dialects.oniguruma.syntax_tree import (
    ANY_CHARACTER,
    Alternation,
    Assertion,
    Atomic,
    Capture,
    CharacterClass,
    Complement,
    Group,
    Literal,
    Lookaround,
    Members,
    Node,
    Ranges,
    Repeat,
    Sequence,
)
from reftok.regex_dialects.oniguruma.writer import write
from reftok.unicode.ranges import BEYOND_PLANE_0, LAST_OF_PLANE_0

_LAST_OF_ASCII = 0x7F
_NOTHING = Complement(ANY_CHARACTER.members)

_REPAYS = 1 << 18
"""After so many code points of texts beyond ASCII, the form for plane 0 is worth its making: some 40 ms."""


class _NoForm(Exception):
    """The pattern has something else in it."""


class RePatterns:
    r"""The forms of one pattern: for ASCII at once, and for plane 0 when there was so much text that it repays.

    tree: of the pattern, as Oniguruma reads it.
    only_ascii: whether there is none for plane 0.

    >>> from reftok.regex_dialects.oniguruma.parser import parse
    >>> patterns = RePatterns(parse(r"\p{Lu}"))
    >>> patterns.of("aB"), patterns.of("aÉ")
    (re.compile('[A-Z]', re.MULTILINE), None)
    >>> for _ in range(2):
    ...     pattern = patterns.of("É" * 200_000)
    >>> pattern.findall("aÉбГ"), patterns.of("\U0001f600")
    (['É', 'Г'], None)
    """

    def __init__(self, tree: Node, only_ascii: bool = False) -> None:
        self._tree = tree
        self._for_ascii = re_pattern(tree, _LAST_OF_ASCII)
        self._has_plane_0 = self._for_ascii is not None and not only_ascii
        self._for_plane_0: re.Pattern[str] | None = None
        self._left = _REPAYS

    def of(self, text: str) -> re.Pattern[str] | None:
        """A form that matches in a text what the pattern does; None where there is none, or not yet."""
        if text.isascii():
            return self._for_ascii
        if not self._has_plane_0 or BEYOND_PLANE_0.search(text) is not None:
            return None
        if self._for_plane_0 is None:
            self._left -= len(text)
            if self._left < 0:
                self._for_plane_0 = re_pattern(self._tree, LAST_OF_PLANE_0)
        return self._for_plane_0


def re_pattern(tree: Node, last: int) -> re.Pattern[str] | None:
    r"""The pattern of `re` with the same matches in text of code points up to `last`; None where it is not known.

    >>> from reftok.regex_dialects.oniguruma.parser import parse
    >>> re_pattern(parse(r"\p{Lu}|\d{2,3}(?!x)"), 0x7F)
    re.compile('[A-Z]|[0-9]{2,3}(?!x)', re.MULTILINE)
    >>> re_pattern(parse("(ab)+"), 0x7F)
    """
    try:
        return re.compile(write(_with_ranges(folded(tree), last), exact=False), re.MULTILINE)
    except _NoForm:
        return None


@lru_cache(maxsize=256)  # a pattern has the same classes several times
def _ranges(members: Members, last: int) -> Members:
    """A class as ranges that have its members up to `last`; those of a class that is written so stay as they are."""
    if isinstance(members, Ranges) and any(first <= sys.maxunicode for first, _ in members.ranges):
        return members
    one = written(members, exact=last > _LAST_OF_ASCII)
    runs = regex.finditer(f"(?:{one})+", _characters(last), regex.V1)
    found = tuple((run.start(), run.end() - 1) for run in runs)
    return Ranges(found) if found else _NOTHING


@cache
def _characters(last: int) -> str:
    return "".join(map(chr, range(last + 1)))


def _with_ranges(node: Node, last: int) -> Node:
    """A tree in which every class is written as ranges. Raises _NoForm where `re` may read it in another way."""
    match node:
        case Literal() | Assertion("line end" | "text end"):
            return node
        case CharacterClass(members):
            return CharacterClass(_ranges(members, last))
        case Sequence(parts):
            return Sequence(tuple(_with_ranges(part, last) for part in parts))
        case Alternation(branches):
            return Alternation(tuple(_with_ranges(branch, last) for branch in branches))
        case Capture(_, body) | Group(body):
            return Group(_with_ranges(body, last))
        case Atomic(body) | Lookaround(body, behind=False):
            return replace(node, body=_with_ranges(body, last))
        case Repeat(Capture(_, body) | Group(body)):
            return _with_ranges(replace(node, body=body), last)
        case Repeat(CharacterClass() as body):
            return replace(node, body=_with_ranges(body, last))
        case Repeat(Literal(text) as body) if len(text) == 1:
            return replace(node, body=_with_ranges(body, last))
        case _:
            raise _NoForm
