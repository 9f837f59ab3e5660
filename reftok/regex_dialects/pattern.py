r"""Regular expressions of model files, compiled for the package `regex`.

Those of tokenizer.json are Oniguruma's. What differs in meaning is translated (see reftok.regex_dialects.oniguruma);
what is not known to mean the same in both engines is refused by name. Published models come near to these differences:

- `^` and `$` match at every line, but `^` not after a line feed that ends the text.
- `{1,3}+` repeats the interval, it is not possessive; `{2}?` makes it optional, not lazy.
- `[` inside a class opens another class; `(?m:.)` matches a line feed.
- Without regard to case, `ss` matches `ß` and the other way round.

Those of tiktoken are fancy-regex's (see reftok.regex_dialects.fancy_regex); `regex` reads them as they stand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeAlias

import regex

from reftok.errors import UnsupportedFeature
from reftok.limits import LONG_RUN
from reftok.regex_dialects.executor import Span, is_scanned_often, spans_of
from reftok.regex_dialects.oniguruma.analysis import check, may_be_empty, runs_away, taken_back
from reftok.regex_dialects.oniguruma.members import suspects
from reftok.regex_dialects.oniguruma.parser import parse
from reftok.regex_dialects.oniguruma.syntax_tree import Alternation, Node, Repeat, properties
from reftok.regex_dialects.oniguruma.writer import write
from reftok.unicode.characters import as_of_16
from reftok.unicode.ranges import CharacterSearch

_POSSESSIVE_INTERVAL = regex.compile(r"\{(\d+),(\d*)\}\+")

Syntax: TypeAlias = Literal["oniguruma", "rust"]
"""The dialect of an expression: that of tokenizer.json, or one that the package `regex` reads as Rust's crates do."""


@dataclass(frozen=True)
class Pattern:
    """A regular expression, ready to be matched. Two with the same source and syntax are equal.

    source: as in its file, before translation.
    compiled: for the package `regex`.
    tree: the syntax tree of an Oniguruma expression; None for one of Rust, whose text goes through `as_of_16` instead.
    """

    source: str
    syntax: Syntax
    compiled: regex.Pattern[str] = field(compare=False, repr=False)
    tree: Node | None = field(default=None, compare=False, repr=False)

    def __reduce__(self) -> tuple[Callable[..., Pattern], tuple[Any, ...]]:
        """A copy is compiled anew: everything else follows from the source."""
        return (rust_pattern, (self.compiled,)) if self.tree is None else (compile_oniguruma, (self.source,))

    def for_text(self, text: str) -> tuple[regex.Pattern[str], str]:
        """The compiled expression and the text to match, such that classes have the members of Unicode 16.

        The text returned has the same length as the text given, so that spans count for both.
        """
        if self.tree is None:
            return self.compiled, as_of_16(text)
        if text.isascii() or self.suspects.is_absent(text):
            return self.compiled, text
        return _compiled(self.tree, exact=True), text

    @cached_property
    def suspects(self) -> CharacterSearch:
        """The characters that the installed `regex` may classify differently from Unicode 16.

        A text with one of them is matched with every class written out. Finding them takes a look at all of Unicode, so
        it waits for the first text beyond ASCII: a model loads without it.
        """
        assert self.tree is not None, "an expression of Rust is matched with `as_of_16`"
        return _search(suspects(properties(self.tree)))

    def as_oniguruma(self) -> str:
        """The expression as Oniguruma would read it; one of Rust is rewritten by `rust_as_oniguruma`."""
        return self.source if self.tree is not None else rust_as_oniguruma(self.source)

    @cached_property
    def may_run_away(self) -> bool:
        r"""Whether matching may take more than the square of the text: see `runs_away`.

        The expressions of GPT-2, Qwen, DeepSeek and tiktoken do not. One that cannot be parsed might.

        >>> [compile_oniguruma(source).may_run_away for source in (r"\s*[\r\n]+|a+", "(a|b)*", "a+a+b")]
        [False, True, True]
        """
        try:
            return runs_away(self.tree or parse(self.as_oniguruma()))
        except UnsupportedFeature:
            return True

    @cached_property
    def long_run(self) -> regex.Pattern[str] | None:
        """Matches a run of LONG_RUN characters for which the expression takes the square of the run; None if none can.

        `a+b` takes the square of a run of `a`: at each `a` it goes to the end of the run and back.
        """
        repeated = taken_back(self.tree or parse(self.as_oniguruma()))
        runs = tuple(Repeat(body, LONG_RUN, LONG_RUN) for body in repeated)
        return _compiled(Alternation(runs), exact=False) if runs else None


def rust_as_oniguruma(pattern: str) -> str:
    """An expression of Rust as Oniguruma would read it.

    In Rust an interval followed by a plus is possessive. In Oniguruma an interval is possessive if its bounds stand in
    the wrong order; where there is no upper bound, the plus is left out.

    >>> rust_as_oniguruma("a{1,3}+")
    'a{3,1}'
    """
    return _POSSESSIVE_INTERVAL.sub(_possessive, pattern)


def _possessive(interval: regex.Match[str]) -> str:
    least, most = interval.groups()
    return f"{{{most},{least}}}" if most else f"{{{least},}}"


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


def may_match_nothing(pattern: str) -> bool:
    r"""Whether the expression could have an empty match somewhere, if its lookarounds hold.

    >>> may_match_nothing("a*"), may_match_nothing(r"x|(?=b)"), may_match_nothing(r"\s+(?!\S)")
    (True, True, False)
    """
    return may_be_empty(parse(pattern))


@lru_cache(maxsize=256)
def _compiled(tree: Node, exact: bool) -> regex.Pattern[str]:
    return regex.compile(write(tree, exact), regex.V1 | regex.MULTILINE)


@lru_cache(maxsize=256)
def _search(characters: frozenset[str]) -> CharacterSearch:
    return CharacterSearch(characters)


def spans(pattern: Pattern, text: str, start: int = 0, last_end: int = -1) -> list[Span]:
    r"""The spans of the matches, as the crate onig iterates over them.

    start: where the search begins; lookbehinds see the text before it.
    last_end: the end of the last match before `start`. An empty match directly behind a match does not count.
    Raises InvalidText if the deadline passes.
    Source: `FindMatches::next` of the crate onig 6.

    >>> spans(compile_oniguruma("a*"), "baac")
    [(0, 0), (1, 3), (4, 4)]
    """
    return spans_of(*pattern.for_text(text), needs_deadline(pattern, text), start, last_end)


def needs_deadline(pattern: Pattern, text: str) -> bool:
    """Whether the pattern may take more than linear time on this text, or patterns went over it very often.

    >>> pattern = compile_oniguruma("a+b")
    >>> needs_deadline(pattern, "a" * 5000), needs_deadline(pattern, "ab" * 5000)
    (True, False)
    """
    if pattern.may_run_away or is_scanned_often(text):
        return True
    if len(text) <= LONG_RUN or pattern.long_run is None:
        return False
    # A run of twice LONG_RUN covers one of these places with LONG_RUN characters behind it.
    return any(pattern.long_run.match(text, place) for place in range(0, len(text), LONG_RUN))
