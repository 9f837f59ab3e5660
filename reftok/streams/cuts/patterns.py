r"""The matches of a pattern that nothing behind a text can change.

The package `regex` tells when a match would have to look beyond the end of a text: `match(text, partial=True)` gives a
partial match then. So the pattern is matched again and again, in an atomic loop that must fail in the end:

    (?>(?P<match>PATTERN)|(?P<gap>[\s\S]))*+(?!)

What the loop has taken when it first looks beyond the end is final: each match was found, and each character passed
over, without a look at what follows. A look of an alternative counts only if that is tried before the one that matches:
the atomic group keeps `regex` from trying those behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import regex

from reftok.errors import UnsupportedFeature
from reftok.regex_dialects.executor import in_time
from reftok.regex_dialects.oniguruma import syntax_tree as tree
from reftok.regex_dialects.oniguruma.analysis import is_single_character, may_be_empty
from reftok.regex_dialects.oniguruma.parser import parse
from reftok.regex_dialects.oniguruma.writer import write
from reftok.regex_dialects.pattern import Pattern, needs_deadline, spans
from reftok.rules.patterns import literal_matches
from reftok.rules.text import Behavior
from reftok.rules.types import Match, Span
from reftok.unicode.characters import as_of_16

_ENDS = frozenset({"line end", "text end", "last line end"})
_LOOKS = {r"\Z": r"(?![\s\S])", "$": r"(?![^\n])"}
"""The ends of the text and of a line as looks at what follows, since `regex` reports looks, and ends it does not."""
MOST_CONTEXT = 64
"""So many characters before a text are kept for patterns that look at them."""


@dataclass(frozen=True, slots=True)
class SettledMatches:
    """Finds the final matches of a pattern.

    loop: as above; exact: for characters newer than Unicode 16 as well.
    context: how many characters before a text a match in it may depend on.
    """

    pattern: Pattern
    reading: Callable[[str], str]
    context: int
    loop: regex.Pattern[str]
    exact: regex.Pattern[str]

    def __call__(self, text: str, start: int = 0) -> tuple[Sequence[Span], int]:
        """The final matches from a place on, and up to where the text is decided: between and behind them it has none.

        Raises InvalidText if the pattern takes too long, as some do on a long run.
        """
        is_known = self.pattern.tree is None or text.isascii() or self.pattern.suspects.is_absent(text)
        loop = self.loop if is_known else self.exact

        def search(timeout: float | None) -> regex.Match[str] | None:
            return loop.match(self.reading(text), start, partial=True, timeout=timeout)

        timed = needs_deadline(self.pattern, text)
        found = in_time(self.pattern.compiled.pattern, text, search) if timed else search(None)
        assert found is not None, "the loop ends nowhere but at the end of the text"
        return found.spans("match"), max(found.end("match"), found.end("gap"), start)


@lru_cache(maxsize=256)
def settled_matches(pattern: Pattern, reading: Callable[[str], str] | None = None) -> SettledMatches | str:
    r"""What finds the final matches of a pattern, or why none is known before the text has ended.

    reading: makes the text that the pattern is run over, character by character; None for that of `pattern_matches`.

    >>> from reftok.regex_dialects.pattern import compile_oniguruma
    >>> settled_matches(compile_oniguruma(r"\d+|\s+(?!\S)|\s+"))("a12  b ")
    ([(1, 3), (3, 4), (4, 5)], 6)
    >>> settled_matches(compile_oniguruma(r"(a)\1"))
    "the pattern '(a)\\\\1' can only be matched in a complete text: it refers to what a group has matched"
    """
    source = pattern.as_oniguruma()
    try:
        parsed = pattern.tree or parse(source)
        context = _context(parsed)
        # A text that is read in another way is not matched with what is before it.
        looks_behind = context > (0 if pattern.tree is None or reading else MOST_CONTEXT)
        problem = "it looks at the text before" if looks_behind else _problem(pattern, parsed)
    except (UnsupportedFeature, RecursionError):
        problem = "it is not understood"
    if problem:
        return f"the pattern {pattern.source[:200]!r} can only be matched in a complete text: {problem}"
    if pattern.tree is None:
        # An expression of Rust has ends of the text only; its `$` stand in classes.
        written = [regex.sub(r"(?s)\\.", _look, pattern.compiled.pattern)] * 2
    else:
        written = [regex.sub(r"(?s)\\.|\$", _look, write(parsed, exact)) for exact in (False, True)]
    loops = (rf"(?>(?P<match>{expression})|(?P<gap>[\s\S]))*+(?!)" for expression in written)
    reading = reading or (as_of_16 if pattern.tree is None else str)
    return SettledMatches(pattern, reading, context, *(regex.compile(loop, pattern.compiled.flags) for loop in loops))


def _problem(pattern: Pattern, parsed: tree.Node) -> str:
    """Why a cut may change the matches, or `regex` may not report a look; '' if neither is so."""
    if may_be_empty(parsed):
        return "it may match nothing"
    for node in tree.walk(parsed):
        match node:
            case tree.Backreference() | tree.Conditional():
                return "it refers to what a group has matched"
            case tree.Keep() | tree.Assertion("search start"):
                return "it asks where a match begins"
            case tree.Repeat(body) if pattern.may_run_away and any(isinstance(n, tree.Repeat) for n in tree.walk(body)):
                return "it repeats a repetition, and may take very long"
            case tree.Repeat(body) if not is_single_character(body) and any(map(_hides_its_look, tree.walk(body))):
                # `regex` tests at the end of the text whether such a group can begin there, without saying so.
                return "it repeats a group with a lazy or possessive part"
    return ""


def _context(node: tree.Node) -> int:
    """How many characters before a match it may look at."""
    if isinstance(node, tree.Assertion):
        return node.kind not in _ENDS
    if isinstance(node, tree.Lookaround) and node.behind:
        return _longest(node.body) + _context(node.body)
    return max(map(_context, tree.children(node)), default=0)


def _longest(node: tree.Node) -> int:
    """The length of its longest match, or more than that."""
    match node:
        case tree.Literal(text):
            return len(text)
        case tree.CharacterClass():
            return 1
        case tree.Repeat(body, _, most):
            return _longest(body) * (MOST_CONTEXT + 1 if most is None else most)
        case tree.Alternation(branches):
            return max(map(_longest, branches))
        case _:
            return sum(map(_longest, tree.children(node)))


def _hides_its_look(node: tree.Node) -> bool:
    return isinstance(node, tree.Atomic) or (isinstance(node, tree.Repeat) and not node.greedy)


def _look(end: regex.Match[str]) -> str:
    return _LOOKS.get(end[0], end[0])


Matches: TypeAlias = Callable[[str, str, bool], tuple[Sequence[Span], int]]
"""Given the tail of a text, what stands before it, and whether it ends: the final matches in the tail, and up to where
it is decided."""


@dataclass(frozen=True, slots=True)
class Cuts:
    """A stage that cuts texts at matches.

    behavior, invert: as of `Split`.
    why_uncut: why no match is final before the end of a text, '' if some are.
    context: how many of the characters before a tail count.
    """

    matches: Matches
    behavior: Behavior = "Isolated"
    invert: bool = False
    why_uncut: str = ""
    context: int = 0


@dataclass(frozen=True, slots=True)
class Rewrite:
    r"""A stage that rewrites a text.

    rewrite: given the tail of a text, what stands before it, '' if the text begins there, and whether it ends: what is
        sure of the rewritten text, and of how much of the tail that is.
    why_uncut: why nothing is sure before the text ends, '' if something is.
    context: how many of the characters before a tail count.
    only_first: whether the parts of a text go on where the last one ended, so that only the first one begins.

    >>> replacing("ab", "-").rewrite("xaba", "", False)
    ('x-', 3)
    """

    rewrite: Callable[[str, str, bool], tuple[str, int]]
    why_uncut: str = ""
    context: int = 1
    only_first: bool = False


def at_pattern(
    pattern: str | Pattern,
    behavior: Behavior = "Isolated",
    invert: bool = False,
    reading: Callable[[str], str] | None = None,
    whole: Callable[[str], list[Match]] | None = None,
) -> Cuts:
    """The cuts at a pattern or a string. whole: finds the matches in a text that ends, if not as the pattern does."""
    if isinstance(pattern, str):
        return Cuts(_literal(pattern), behavior, invert, "" if pattern else "'' matches before each character")
    found = settled_matches(pattern, reading)
    why, context = (found, 0) if isinstance(found, str) else ("", found.context)

    def matches(tail: str, before: str, ends: bool) -> tuple[Sequence[Span], int]:
        if not tail or (why and not ends):
            return [], 0
        if ends and whole is not None:
            return [(start, end) for start, end, is_match in whole(tail) if is_match], len(tail)
        if not context:
            return (spans(pattern, tail), len(tail)) if ends or isinstance(found, str) else found(tail)
        assert not isinstance(found, str)
        start, text = len(before), before + tail
        absolute, settled = (spans(pattern, text, start), len(text)) if ends else found(text, start)
        return [(first - start, end - start) for first, end in absolute], settled - start

    return Cuts(matches, behavior, invert, why, context)


def _literal(literal: str) -> Matches:
    def matches(tail: str, before: str, ends: bool) -> tuple[Sequence[Span], int]:
        if not literal and not ends:
            return [], 0
        found = literal_matches(tail, literal) if literal in tail else ()
        at = [(start, end) for start, end, is_match in found if is_match]
        # What may be the beginning of another match is not decided.
        settled = max(at[-1][1] if at else 0, len(tail) - len(literal) + 1)
        while settled < len(tail) and not literal.startswith(tail[settled:]):
            settled += 1
        return at, len(tail) if ends else settled

    return matches


def replacing(pattern: str | Pattern, content: str) -> Rewrite:
    """The replacement of each match of a pattern or a string by a content."""
    if pattern == "":
        # Matches before each character and at the end: what follows one character precedes the next.
        return Rewrite(lambda tail, before, _: (content.join(["", *tail, ""])[len(before and content) :], len(tail)))
    cuts = at_pattern(pattern)

    def rewrite(tail: str, before: str, ends: bool) -> tuple[str, int]:
        parts: list[str] = []
        place = 0
        found, settled = cuts.matches(tail, before, ends)
        for start, end in found:
            parts += tail[place:start], content
            place = end
        return "".join([*parts, tail[place:settled]]), settled

    return Rewrite(rewrite, cuts.why_uncut, cuts.context)
