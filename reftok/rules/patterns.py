r"""Regular expressions of tokenizer.json, which are Oniguruma's, run by the package `regex`.

What differs in meaning is translated (see reftok.regex_dialects.oniguruma); what is not known to mean the same in both
is refused by name. The differences that patterns of published models come near to:

- `^` and `$` match at every line, but `^` not after a line feed that ends the text.
- `{1,3}+` repeats the interval, it is not possessive; `{2}?` makes it optional, not lazy.
- `[` inside a class opens another class; `(?m:.)` matches a line feed.
- Without regard to case, `ss` matches `ß` and the other way round.
- An empty match right behind a match does not count; the search goes on one character later.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeAlias

import regex

from reftok.errors import InvalidText, UnsupportedFeature
from reftok.limits import LONG_RUN, MOST_SCANS
from reftok.regex_dialects.oniguruma.analysis import check, may_be_empty, runs_away, taken_back
from reftok.regex_dialects.oniguruma.members import suspects
from reftok.regex_dialects.oniguruma.parser import parse
from reftok.regex_dialects.oniguruma.syntax_tree import Alternation, Node, Repeat, properties
from reftok.regex_dialects.oniguruma.writer import write
from reftok.rules.patience import Patience, is_scanned_often, patience_for
from reftok.rules.text import Match, with_gaps
from reftok.rules.types import Span
from reftok.unicode.character_search import CharacterSearch
from reftok.unicode.characters import as_of_16

_POSSESSIVE_INTERVAL = regex.compile(r"\{(\d+),(\d*)\}\+")


Syntax: TypeAlias = Literal["oniguruma", "rust"]
"""Whose expression it is: that of tokenizer.json, or one that the package `regex` reads as Rust's crates do."""


@dataclass(frozen=True)
class Pattern:
    """A regular expression, ready to be matched; two of the same source and syntax are equal.

    source: as it stands in its file, before it was translated.
    compiled: for the package `regex`.
    tree: the syntax tree; None for one of Rust, which is matched with `as_of_16`.
    """

    source: str
    syntax: Syntax
    compiled: regex.Pattern[str] = field(compare=False, repr=False)
    tree: Node | None = field(default=None, compare=False, repr=False)

    def __reduce__(self) -> tuple[Callable[..., Pattern], tuple[Any, ...]]:
        """A copy is compiled anew: the rest follows from the source."""
        return (rust_pattern, (self.compiled,)) if self.tree is None else (compile_oniguruma, (self.source,))

    @cached_property
    def suspects(self) -> CharacterSearch:
        """The characters for which the installed `regex` may be wrong, of a pattern with a tree.

        Where a text has one, the tree has to be written out with classes of our own. To find them takes a look at all
        of Unicode, which loading need not wait for.
        """
        assert self.tree is not None, "one of Rust is matched with `as_of_16`"
        return _search(suspects(properties(self.tree)))

    def as_oniguruma(self) -> str:
        """The expression as Oniguruma would read it, in which `rust_as_oniguruma` has written one of Rust."""
        return self.source if self.tree is not None else rust_as_oniguruma(self.source)


def rust_as_oniguruma(pattern: str) -> str:
    """An expression of Rust as Oniguruma would read it: in Rust's, an interval with a plus is possessive.

    To Oniguruma one is whose bounds stand in the wrong order; where there is no upper one, the plus is left out.

    >>> rust_as_oniguruma("a{1,3}+")
    'a{3,1}'
    """
    return _POSSESSIVE_INTERVAL.sub(_possessive, pattern)


def rust_pattern(compiled: regex.Pattern[str]) -> Pattern:
    r"""The pattern of an expression that `regex` reads as Rust does.

    >>> rust_pattern(regex.compile(r"\w+"))
    Pattern(source='\\w+', syntax='rust')
    """
    return Pattern(compiled.pattern, "rust", compiled)


@lru_cache(maxsize=256)
def compile_oniguruma(pattern: str) -> Pattern:
    r"""The pattern of an expression of tokenizer.json.

    Raises UnsupportedFeature for what Oniguruma refuses, and for what is not known to be reproduced.

    >>> compile_oniguruma(r"\p{N}{1,3}+").compiled.pattern
    '(?:\\p{n}{1,3})+'
    >>> compile_oniguruma("(?~a)")
    Traceback (most recent call last):
    reftok.errors.UnsupportedFeature: pattern '(?~a)': at character 0, '(?~': the absent operator is not supported
    """
    try:
        tree = parse(pattern)
        check(pattern, tree)
        return Pattern(pattern, "oniguruma", _compiled(tree, exact=False), tree)
    except regex.error as error:
        raise UnsupportedFeature("", f"pattern {pattern!r}", f"not understood: {error}") from None
    except RecursionError:
        raise UnsupportedFeature("", f"pattern {pattern[:60]!r}", "is nested too deeply") from None


@lru_cache(maxsize=256)
def _compiled(tree: Node, exact: bool) -> regex.Pattern[str]:
    return regex.compile(write(tree, exact), regex.V1 | regex.MULTILINE)


def may_match_nothing(pattern: str) -> bool:
    r"""Whether the pattern could have an empty match somewhere, granted what its lookarounds ask for.

    >>> may_match_nothing("a*"), may_match_nothing(r"x|(?=b)"), may_match_nothing(r"\s+(?!\S)")
    (True, True, False)
    """
    return may_be_empty(parse(pattern))


def pattern_matches(pattern: Pattern, text: str) -> list[Match]:
    r"""The matches of a pattern and the gaps between them, with the classes of Unicode 16.

    Source: `impl Pattern for &SysRegex`, tokenizers 0.23 tokenizer/pattern.rs.
    Raises InvalidText where the patterns take too long on this text.

    >>> pattern_matches(compile_oniguruma(r"\p{N}"), "a12")
    [(0, 1, False), (1, 2, True), (2, 3, True)]
    """
    if not text:
        return [(0, 0, False)]
    return with_gaps(spans(*for_16(pattern, text), needs_timer(pattern.as_oniguruma(), text)), len(text))


def for_16(pattern: Pattern, text: str) -> tuple[regex.Pattern[str], str]:
    """A pattern and a text to match instead of these, so that the classes are those of Unicode 16."""
    if pattern.tree is None:
        return pattern.compiled, as_of_16(text)
    if text.isascii() or pattern.suspects.is_absent(text):
        return pattern.compiled, text
    return _compiled(pattern.tree, exact=True), text


@lru_cache(maxsize=256)  # of a pattern once: to look a set up may take as long as to compare it with another
def _search(characters: frozenset[str]) -> CharacterSearch:
    return CharacterSearch(characters)


def _possessive(interval: regex.Match[str]) -> str:
    least, most = interval.groups()
    return f"{{{most},{least}}}" if most else f"{{{least},}}"


def spans(pattern: regex.Pattern[str], text: str, timed: bool, start: int = 0, last_end: int = -1) -> list[Span]:
    """The spans of the matches.

    timed: whether to look at the clock, see `needs_timer`; that costs a microsecond a match. last_end: where the last
        match before `start` has ended, which an empty match must not touch.
    """
    if not timed and not _asks_where_it_is(pattern):
        return _spans(pattern, text, None, start, last_end)
    patience, begin = patience_for(text), time.thread_time()
    try:
        return _spans(pattern, text, patience, start, last_end)
    except TimeoutError:
        raise InvalidText(
            f"the pattern {pattern.pattern[:200]!r} takes too long on this text of {len(text)} characters"
        ) from None
    finally:
        patience.left -= time.thread_time() - begin


@lru_cache(maxsize=256)
def may_run_away(pattern: str) -> bool:
    r"""Whether it repeats a group, takes back two endless repetitions, or can go very many ways: see `runs_away`.

    The patterns of GPT-2, Qwen, DeepSeek and tiktoken do not. A pattern that cannot be read might.

    >>> may_run_away(r"\s*[\r\n]+|a+"), may_run_away("(a|b)*"), may_run_away("a+a+b")
    (False, True, True)
    """
    try:
        return runs_away(parse(pattern))
    except UnsupportedFeature:
        return True


def need_a_clock(stages: Iterable[object]) -> bool:
    """Whether the patterns of stages are to be timed together: one may run away, or they are very many."""
    named = (getattr(stage, "pattern", None) for stage in stages)
    patterns = [pattern for pattern in named if isinstance(pattern, Pattern)]
    return len(patterns) > MOST_SCANS or any(may_run_away(pattern.as_oniguruma()) for pattern in patterns)


def needs_timer(pattern: str, text: str) -> bool:
    """Whether the pattern may run away, or is one that is slow on long runs and the text has such a run.

    So does any pattern once others have gone over the text often.

    >>> needs_timer("a+b", "a" * 5000), needs_timer("a+b", "ab" * 5000), needs_timer("(ab)+", "ab")
    (True, False, True)
    """
    if may_run_away(pattern) or is_scanned_often(text):
        return True
    run = _long_run(pattern) if len(text) > LONG_RUN else None
    return run is not None and any(run.match(text, place) for place in range(0, len(text), LONG_RUN))


@lru_cache(maxsize=256)
def _long_run(pattern: str) -> regex.Pattern[str] | None:
    """A run that makes a pattern slow which does not run away; None where none does."""
    repeated = taken_back(parse(pattern))
    runs = tuple(Repeat(body, LONG_RUN, LONG_RUN) for body in repeated)
    return _compiled(Alternation(runs), exact=False) if runs else None


def _spans(pattern: regex.Pattern[str], text: str, patience: Patience | None, start: int, last_end: int) -> list[Span]:
    if _asks_where_it_is(pattern):
        return _spans_with_empty_ones(pattern, text, patience, start, last_end)
    if patience is None:
        found = [match.span() for match in pattern.finditer(text, start)]
    else:
        found = [*_in_time(pattern, text, patience, start)]
    if any(start == end for start, end in found):
        return _spans_with_empty_ones(pattern, text, patience, start, last_end)
    return found


def _asks_where_it_is(pattern: regex.Pattern[str]) -> bool:
    """Whether each match is sought for itself, which takes twenty times as long."""
    return r"\G" in pattern.pattern or r"\K" in pattern.pattern


def _in_time(pattern: regex.Pattern[str], text: str, patience: Patience, start: int) -> Iterator[Span]:
    """As `finditer`; the time that `regex` is given is for each search anew, so that all of it is counted here."""
    begin = time.thread_time()
    for match in pattern.finditer(text, start, timeout=_timeout(patience)):
        if patience.has_ended(begin):
            raise TimeoutError
        yield match.span()


def _timeout(patience: Patience) -> float:
    if patience.left <= 0:
        raise TimeoutError
    return patience.left


def _spans_with_empty_ones(
    pattern: regex.Pattern[str], text: str, patience: Patience | None, position: int, last_end: int
) -> list[Span]:
    """The matches where some are empty, as the crate onig iterates over them (`FindMatches::next`)."""
    found: list[Span] = []
    begin = time.thread_time()
    timeout = None if patience is None else _timeout(patience)
    while position <= len(text) and (match := pattern.search(text, position, timeout=timeout)) is not None:
        if patience is not None and patience.has_ended(begin):
            raise TimeoutError
        if match.start() == match.end() == last_end:
            position += 1
        else:
            found.append(match.span())
            position = last_end = match.end()
    return found
