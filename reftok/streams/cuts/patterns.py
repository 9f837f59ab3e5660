r"""The matches of a pattern that nothing behind a text can change.

The package `regex` can tell whether it would have to look beyond the end of a text: `match(text, partial=True)` gives a
partial match then. So the pattern is matched again and again, as one atomic loop that must fail in the end:

    (?>(?P<match>PATTERN)|(?P<gap>[\s\S]))*+(?!)

What the loop has taken when it first comes to the end of the text, no continuation can change: each match was found, and
each character passed over, without a look at what follows. An attempt that is given up for a later alternative counts,
one that comes after the alternative that matched does not: that is what the atomic group is for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import regex

from reftok.errors import InvalidText, UnsupportedFeature
from reftok.limits import LONG_RUN, PATTERN_CHARACTERS_PER_SECOND, PATTERN_SECONDS
from reftok.regex_dialects.oniguruma.analysis import is_single_character, may_be_empty
from reftok.regex_dialects.oniguruma.parser import parse
from reftok.regex_dialects.oniguruma.syntax_tree import (
    ANY_CHARACTER,
    NO_LINE_FEED,
    Alternation,
    Assertion,
    Atomic,
    Backreference,
    Capture,
    Conditional,
    Group,
    Keep,
    Literal,
    Lookaround,
    Node,
    Repeat,
    Sequence,
    walk,
)
from reftok.regex_dialects.oniguruma.writer import write
from reftok.rules.patterns import Pattern, for_16, may_run_away
from reftok.rules.types import Span
from reftok.unicode.characters import as_of_16

_TEXT_END_OF_RUST = regex.compile(r"(?<!\\)(?:\\\\)*+\K\\Z")
_NOT_AT_END = r"(?![\s\S])"
"""The end of the text as a look at the next character, which `regex` reports at the end of an unfinished text."""


@dataclass(frozen=True, slots=True)
class SettledMatches:
    """The matches of one pattern in the beginning of a text.

    loop: the pattern in the loop above. exact: the same for characters that are newer than Unicode 16.
    """

    pattern: Pattern
    reading: Callable[[str], str] | None
    loop: regex.Pattern[str]
    exact: regex.Pattern[str]

    def of(self, text: str) -> tuple[list[Span], int]:
        """The final matches, and up to where the text is decided: a gap may reach up to there.

        Raises InvalidText if the pattern takes too long.
        """
        if self.reading is not None:
            loop, read = self.loop, self.reading(text)
        elif self.pattern.tree is None:
            loop, read = self.loop, as_of_16(text)
        else:
            loop, read = (self.loop if text.isascii() or self.pattern.suspects.is_absent(text) else self.exact), text
        # Some patterns take quadratic time on a long run.
        seconds = PATTERN_SECONDS + len(text) / PATTERN_CHARACTERS_PER_SECOND if len(text) > LONG_RUN else None
        try:
            found = loop.match(read, partial=True, timeout=seconds)
        except TimeoutError:
            problem = f"takes too long on this text of {len(text)} characters"
            raise InvalidText(f"the pattern {self.pattern.source[:200]!r} {problem}") from None
        assert found is not None, "the loop ends at the end of the text only"
        return found.spans("match"), max(found.end("match"), found.end("gap"), 0)

    def of_whole(self, text: str) -> list[Span]:
        """The matches in a text that ends here."""
        if self.reading is not None:
            compiled, read = self.pattern.compiled, self.reading(text)
        else:
            compiled, read = for_16(self.pattern, text)
        return [match.span() for match in compiled.finditer(read)]


@lru_cache(maxsize=256)
def settled_matches(pattern: Pattern, reading: Callable[[str], str] | None = None) -> SettledMatches | str:
    r"""What finds the final matches of a pattern, or why none is known before the text has ended.

    reading: makes the text that the pattern is run over, character by character; None for that of `pattern_matches`.

    >>> from reftok.rules.patterns import compile_oniguruma
    >>> settled_matches(compile_oniguruma(r"\d+|\s+(?!\S)|\s+")).of("a12  b ")
    ([(1, 3), (3, 4), (4, 5)], 6)
    >>> settled_matches(compile_oniguruma(r"(a)\1"))
    "the pattern '(a)\\\\1' can only be matched in a complete text: it refers to what a group has matched"
    """
    source = pattern.as_oniguruma()
    try:
        tree = pattern.tree or parse(source)
        problem = _problem(source, tree)
    except (UnsupportedFeature, RecursionError):
        problem = "it is not understood by Oniguruma"
    if problem:
        return f"the pattern {pattern.source[:200]!r} can only be matched in a complete text: {problem}"
    if pattern.tree is None or reading is not None:
        written = _TEXT_END_OF_RUST.sub(lambda _: _NOT_AT_END, pattern.compiled.pattern)
        loop = _in_loop(written, pattern.compiled.flags)
        return SettledMatches(pattern, reading, loop, loop)
    tree = _with_looks(tree)
    loops = [_in_loop(write(tree, exact), pattern.compiled.flags) for exact in (False, True)]
    return SettledMatches(pattern, reading, *loops)


def _in_loop(written: str, flags: int) -> regex.Pattern[str]:
    return regex.compile(rf"(?>(?P<match>{written})|(?P<gap>[\s\S]))*+(?!)", flags)


def _problem(source: str, tree: Node) -> str:
    """Why the two sides of a cut would not be matched as the whole is, or `regex` does not tell where it has looked."""
    if may_be_empty(tree):
        return "it may match nothing"
    if may_run_away(source):
        return "it may take very long"
    for node in walk(tree):
        match node:
            case Backreference() | Conditional():
                return "it refers to what a group has matched"
            case Keep():
                return r"its matches start at \K"
            case Lookaround(_, behind=True) | Assertion("line start" | "text start" | "word boundary" | "no boundary"):
                return "it looks at the text before"
            case Assertion("search start"):
                return r"\G asks where the search has started"
            case Repeat(body) if not is_single_character(body) and any(map(_hides_its_look, walk(body))):
                # `regex` tests whether such a group can begin at the end of the text without saying so.
                return "it repeats a group with a lazy or possessive part"
    return ""


def _hides_its_look(node: Node) -> bool:
    return isinstance(node, Atomic) or (isinstance(node, Repeat) and not node.greedy)


def _with_looks(node: Node) -> Node:
    """The tree with the ends of lines and of the text written as looks at what follows."""
    match node:
        case Assertion("line end"):
            return Lookaround(NO_LINE_FEED, behind=False, negative=True)
        case Assertion("text end"):
            return Lookaround(ANY_CHARACTER, behind=False, negative=True)
        case Assertion("last line end"):
            beyond = Alternation((NO_LINE_FEED, Sequence((Literal("\n"), ANY_CHARACTER))))
            return Lookaround(beyond, behind=False, negative=True)
        case Sequence(parts):
            return Sequence(tuple(map(_with_looks, parts)))
        case Alternation(branches):
            return Alternation(tuple(map(_with_looks, branches)))
        case Group(body) | Capture(_, body) | Atomic(body) | Lookaround(body) | Repeat(body):
            return replace(node, body=_with_looks(body))
        case _:
            return node
