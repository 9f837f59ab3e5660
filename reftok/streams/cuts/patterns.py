r"""The matches of a pattern that nothing behind a text can change.

The package `regex` tells when a match would have to look beyond the end of a text: `match(text, partial=True)` gives a
partial match then. So the pattern is matched again and again, in an atomic loop that must fail in the end:

    (?>(?P<match>PATTERN)|(?P<gap>[\s\S]))*+(?!)

What the loop has taken when it first looks beyond the end is final: each match was found, and each character passed
over, without a look at what follows. A look of an alternative counts only if that is tried before the one that matches:
the atomic group keeps `regex` from trying those behind it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from reftok.errors import InvalidText, UnsupportedFeature
from reftok.regex_dialects.executor import current_deadline, needs_deadline
from reftok.regex_dialects.oniguruma import syntax_tree as tree
from reftok.regex_dialects.oniguruma.analysis import is_single_character, may_be_empty
from reftok.regex_dialects.oniguruma.parser import parse
from reftok.regex_dialects.oniguruma.writer import write
from reftok.regex_dialects.pattern import Pattern
from reftok.rules.types import Span
from reftok.unicode.characters import as_of_16

_ENDS = frozenset({"line end", "text end", "last line end"})
_LOOKS = {r"\Z": r"(?![\s\S])", "$": r"(?![^\n])"}
"""The ends of the text and of a line as looks at what follows, since `regex` reports looks, and ends it does not."""


@dataclass(frozen=True, slots=True)
class SettledMatches:
    """Finds the final matches of a pattern. loop: as above; exact: for characters newer than Unicode 16 as well."""

    pattern: Pattern
    reading: Callable[[str], str]
    loop: regex.Pattern[str]
    exact: regex.Pattern[str]

    def __call__(self, text: str) -> tuple[Sequence[Span], int]:
        """The final matches, and up to where the text is decided: between and behind the matches it matches nothing.

        Raises InvalidText if the pattern takes too long, as some do on a long run.
        """
        is_known = self.pattern.tree is None or text.isascii() or self.pattern.suspects.is_absent(text)
        deadline = current_deadline(text) if needs_deadline(self.pattern, text) else None
        timeout = None if deadline is None else deadline.seconds_left
        begin = time.thread_time()
        try:
            if timeout is not None and timeout <= 0:
                raise TimeoutError
            found = (self.loop if is_known else self.exact).match(self.reading(text), partial=True, timeout=timeout)
        except TimeoutError:
            problem = f"takes too long on this text of {len(text)} characters"
            raise InvalidText(f"the pattern {self.pattern.compiled.pattern[:200]!r} {problem}") from None
        finally:
            if deadline is not None:
                deadline.seconds_left -= time.thread_time() - begin
        assert found is not None, "the loop ends nowhere but at the end of the text"
        return found.spans("match"), max(found.end("match"), found.end("gap"), 0)


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
        problem = _problem(pattern, parsed)
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
    return SettledMatches(pattern, reading, *(regex.compile(loop, pattern.compiled.flags) for loop in loops))


def _problem(pattern: Pattern, parsed: tree.Node) -> str:
    """Why a cut may change the matches, or `regex` may not report a look; '' if neither is so."""
    if may_be_empty(parsed):
        return "it may match nothing"
    if pattern.may_run_away:
        return "it may take very long"
    for node in tree.walk(parsed):
        match node:
            case tree.Backreference() | tree.Conditional():
                return "it refers to what a group has matched"
            case tree.Keep() | tree.Lookaround(_, behind=True):
                return "it looks at the text before"
            case tree.Assertion(kind) if kind not in _ENDS:
                return "it looks at the text before"
            case tree.Repeat(body) if not is_single_character(body) and any(map(_hides_its_look, tree.walk(body))):
                # `regex` tests at the end of the text whether such a group can begin there, without saying so.
                return "it repeats a group with a lazy or possessive part"
    return ""


def _hides_its_look(node: tree.Node) -> bool:
    return isinstance(node, tree.Atomic) or (isinstance(node, tree.Repeat) and not node.greedy)


def _look(end: regex.Match[str]) -> str:
    return _LOOKS.get(end[0], end[0])
