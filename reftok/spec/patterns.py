r"""Regular expressions of tokenizer.json, which are Oniguruma's, run by the package `regex`.

What differs in meaning is translated (see reftok.oniguruma); what is not known to mean the same in both is refused by
name. The differences that patterns of published models come near to:

- `^` and `$` match at every line, but `^` not after a line feed that ends the text.
- `{1,3}+` repeats the interval, it is not possessive; `{2}?` makes it optional, not lazy.
- `[` inside a class opens another class; `(?m:.)` matches a line feed.
- Without regard to case, `ss` matches `ß` and the other way round.
- An empty match that follows a match directly is skipped, together with the place where it was found.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from weakref import WeakKeyDictionary

import regex

from reftok.errors import InvalidText, UnsupportedFeature
from reftok.oniguruma.analysis import may_be_empty, runs_away
from reftok.oniguruma.limits import check
from reftok.oniguruma.members import suspects
from reftok.oniguruma.parser import parse
from reftok.oniguruma.syntax_tree import Node, properties
from reftok.oniguruma.writer import write
from reftok.spec.text import Match
from reftok.spec.types import Span
from reftok.unicode.character_search import CharacterSearch
from reftok.unicode.characters import as_of_16

_PATIENCE = 5.0
"""Seconds of processor time that a pattern may take, and one more for each of so many characters:"""
_CHARACTERS_PER_SECOND = 10_000
_POSSESSIVE_INTERVAL = regex.compile(r"\{(\d+),(\d*)\}\+")


@dataclass(frozen=True, slots=True)
class _Exactness:
    """How a pattern becomes exact for a text with one of the suspects, for which the installed `regex` may be wrong."""

    source: str
    tree: Node
    suspects: frozenset[str]


_exactness: WeakKeyDictionary[regex.Pattern[str], _Exactness] = WeakKeyDictionary()
"""For the patterns that compile_oniguruma gave. The others are those of Rust, matched with as_of_16."""


@lru_cache(maxsize=256)
def compile_oniguruma(pattern: str) -> regex.Pattern[str]:
    r"""The compiled pattern.

    Raises UnsupportedFeature for what Oniguruma refuses, and for what is not known to be reproduced.

    >>> compile_oniguruma(r"\p{N}{1,3}+").pattern
    '(?:\\p{n}{1,3})+'
    >>> compile_oniguruma("(?~a)")
    Traceback (most recent call last):
    reftok.errors.UnsupportedFeature: pattern '(?~a)': at character 0, '(?~': the absent operator is not supported
    """
    try:
        tree = parse(pattern)
        check(pattern, tree)
        compiled = _compiled(tree, exact=False)
        _exactness[compiled] = _Exactness(pattern, tree, suspects(properties(tree)))
    except regex.error as error:
        raise UnsupportedFeature("", f"pattern {pattern!r}", f"not understood: {error}") from None
    except RecursionError:
        raise UnsupportedFeature("", f"pattern {pattern[:60]!r}", "is nested too deeply") from None
    return compiled


@lru_cache(maxsize=256)
def _compiled(tree: Node, exact: bool) -> regex.Pattern[str]:
    return regex.compile(write(tree, exact), regex.V1 | regex.MULTILINE)


def tree_of(pattern: regex.Pattern[str]) -> Node | None:
    """The syntax tree of a pattern of compile_oniguruma, None for one of Rust."""
    exactness = _exactness.get(pattern)
    return exactness.tree if exactness else None


def may_match_nothing(pattern: str) -> bool:
    r"""Whether the pattern could have an empty match somewhere, granted what its lookarounds ask for.

    >>> may_match_nothing("a*"), may_match_nothing(r"x|(?=b)"), may_match_nothing(r"\s+(?!\S)")
    (True, True, False)
    """
    return may_be_empty(parse(pattern))


def pattern_matches(pattern: regex.Pattern[str], text: str) -> list[Match]:
    r"""The matches of a pattern and the gaps between them, with the classes of Unicode 16.

    Source: `impl Pattern for &SysRegex`, tokenizers 0.23 tokenizer/pattern.rs.
    Raises InvalidText where the pattern takes too long on this text.

    >>> pattern_matches(compile_oniguruma(r"\p{N}"), "a12")
    [(0, 1, False), (1, 2, True), (2, 3, True)]
    """
    if not text:
        return [(0, 0, False)]
    matches: list[Match] = []
    covered = 0
    for start, end in spans(*for_16(pattern, text), may_run_away(oniguruma_source(pattern))):
        if start != covered:
            matches.append((covered, start, False))
        matches.append((start, end, True))
        covered = end
    if covered != len(text):
        matches.append((covered, len(text), False))
    return matches


def source_of(pattern: regex.Pattern[str]) -> str:
    r"""The expression as it stands in its file, before it was translated.

    >>> source_of(compile_oniguruma(r"\p{N}{1,3}+"))
    '\\p{N}{1,3}+'
    """
    exactness = _exactness.get(pattern)
    return exactness.source if exactness else pattern.pattern


def for_16(pattern: regex.Pattern[str], text: str) -> tuple[regex.Pattern[str], str]:
    """What to match with what, so that the classes are those of Unicode 16."""
    exactness = _exactness.get(pattern)
    if exactness is None:
        return pattern, as_of_16(text)
    if text.isascii() or _search(exactness.suspects).is_absent(text):
        return pattern, text
    return _compiled(exactness.tree, exact=True), text


@lru_cache(maxsize=256)
def _search(characters: frozenset[str]) -> CharacterSearch:
    return CharacterSearch(characters)


def oniguruma_source(pattern: regex.Pattern[str]) -> str:
    """The pattern as Oniguruma would read it: in Rust's, an interval with a plus is possessive.

    To Oniguruma one is whose bounds stand in the wrong order; where there is no upper one, the plus is left out.
    """
    exactness = _exactness.get(pattern)
    return exactness.source if exactness else _POSSESSIVE_INTERVAL.sub(_possessive, pattern.pattern)


def _possessive(interval: regex.Match[str]) -> str:
    least, most = interval.groups()
    return f"{{{most},{least}}}" if most else f"{{{least},}}"


def spans(pattern: regex.Pattern[str], text: str, timed: bool, start: int = 0, last_end: int = -1) -> list[Span]:
    """The spans of the matches.

    timed: for a pattern that may run away; that costs a microsecond a match. last_end: where the last match before
        `start` has ended, which an empty match must not touch.
    """
    if not timed:
        return _spans(pattern, text, None, start, last_end)
    try:
        return _spans(pattern, text, _PATIENCE + len(text) / _CHARACTERS_PER_SECOND, start, last_end)
    except TimeoutError:
        raise InvalidText(
            f"the pattern {pattern.pattern[:200]!r} takes too long on this text of {len(text)} characters"
        ) from None


@lru_cache(maxsize=256)
def may_run_away(pattern: str) -> bool:
    r"""Whether it repeats a group, or has more than two endless repetitions in one alternative.

    Without that the time grows with the cube of the text at worst. The patterns of GPT-2, Qwen, DeepSeek
    and tiktoken are without. A pattern that cannot be read might.

    >>> may_run_away(r"\s*[\r\n]+|a+"), may_run_away("(a|b)*"), may_run_away("a*a*a*b")
    (False, True, True)
    """
    try:
        return runs_away(parse(pattern))
    except UnsupportedFeature:
        return True


def _spans(pattern: regex.Pattern[str], text: str, timeout: float | None, start: int, last_end: int) -> list[Span]:
    if r"\G" in pattern.pattern or r"\K" in pattern.pattern:
        return _spans_with_empty_ones(pattern, text, timeout, start, last_end)
    found = [match.span() for match in pattern.finditer(text, start, timeout=timeout)]
    if any(start == end for start, end in found):
        return _spans_with_empty_ones(pattern, text, timeout, start, last_end)
    return found


def _spans_with_empty_ones(
    pattern: regex.Pattern[str], text: str, timeout: float | None, position: int, last_end: int
) -> list[Span]:
    """The matches where some are empty, as the crate onig iterates over them (`FindMatches::next`)."""
    found: list[Span] = []
    while position <= len(text) and (match := pattern.search(text, position, timeout=timeout)) is not None:
        if match.start() == match.end() == last_end:
            position += 1
        else:
            found.append(match.span())
            position = last_end = match.end()
    return found
