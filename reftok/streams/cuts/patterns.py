r"""The matches of a pattern that nothing behind a text can change.

The package `regex` can tell whether a match would have to look beyond the end of a text: `match(text, partial=True)` gives
a partial match then. So the pattern is matched again and again, in an atomic loop that must fail at last:

    (?>(?P<match>PATTERN)|(?P<gap>[\s\S]))*+(?!)

What the loop has taken when it first looks beyond the end is final: each match was found, and each character passed over,
without a look at what follows. An alternative that was tried before the one that matched may have looked, one behind it
may not: that is what the atomic group is for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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

_TEXT_END_OF_RUST = regex.compile(r"(?<!\\)(?:\\\\)*+\K\\Z")
_NOT_AT_END = r"(?![\s\S])"
_LOOKS: dict[str, tree.Node] = {
    "line end": tree.NO_LINE_FEED,
    "text end": tree.ANY_CHARACTER,
    "last line end": tree.Alternation((tree.NO_LINE_FEED, tree.Sequence((tree.Literal("\n"), tree.ANY_CHARACTER)))),
}
"""What must not follow the end of a line or of the text; a look ahead is reported at the end of a text, `$` is not."""


@dataclass(frozen=True, slots=True)
class SettledMatches:
    """Finds the final matches of a pattern. loop, exact: the loop above; `exact` knows all that is newer than Unicode 16."""

    pattern: Pattern
    reading: Callable[[str], str]
    loop: regex.Pattern[str]
    exact: regex.Pattern[str]

    def __call__(self, text: str) -> tuple[Sequence[Span], int]:
        """The final matches, and up to where the text is decided: between and behind the matches it matches nothing.

        Raises InvalidText if the pattern takes too long, as some do on a long run.
        """
        is_known = self.exact is self.loop or text.isascii() or self.pattern.suspects.is_absent(text)
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
    if pattern.tree is None or reading is not None:
        written = [_TEXT_END_OF_RUST.sub(lambda _: _NOT_AT_END, pattern.compiled.pattern)] * 2
    else:
        written = [write(_with_looks(parsed), exact) for exact in (False, True)]
    loops = (rf"(?>(?P<match>{expression})|(?P<gap>[\s\S]))*+(?!)" for expression in written)
    reading = reading or (as_of_16 if pattern.tree is None else str)
    return SettledMatches(pattern, reading, *(regex.compile(loop, pattern.compiled.flags) for loop in loops))


def _problem(pattern: Pattern, parsed: tree.Node) -> str:
    """Why the two sides of a cut may be matched in another way than the whole, or it is not told where a match has looked."""
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
            case tree.Assertion(kind) if kind not in _LOOKS:
                return "it looks at the text before"
            case tree.Repeat(body) if not is_single_character(body) and any(map(_hides_its_look, tree.walk(body))):
                # `regex` tests at the end of the text whether such a group can begin there, without saying so.
                return "it repeats a group with a lazy or possessive part"
    return ""


def _hides_its_look(node: tree.Node) -> bool:
    return isinstance(node, tree.Atomic) or (isinstance(node, tree.Repeat) and not node.greedy)


def _with_looks(node: tree.Node) -> tree.Node:
    """The tree with the ends of lines and of the text as looks at what follows."""
    match node:
        case tree.Assertion(kind):
            return tree.Lookaround(_LOOKS[kind], behind=False, negative=True)
        case tree.Sequence(parts):
            return tree.Sequence(tuple(map(_with_looks, parts)))
        case tree.Alternation(branches):
            return tree.Alternation(tuple(map(_with_looks, branches)))
        case tree.Group(body) | tree.Capture(_, body) | tree.Atomic(body) | tree.Lookaround(body) | tree.Repeat(body):
            return replace(node, body=_with_looks(body))
        case _:
            return node
