"""Patterns matched in a text whose end is not there yet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import TypeAlias

import regex

from reftok.engine.caches import Results
from reftok.engine.patterns.automaton import Automaton, State, followed
from reftok.engine.patterns.paths import Undecided, paths
from reftok.errors import UnsupportedFeature
from reftok.fast.re_patterns import RePatterns
from reftok.limits import LONG_RUN, MOST_SCANS
from reftok.regex_dialects.executor import is_scanned_often, needs_deadline, spans_of
from reftok.regex_dialects.oniguruma.analysis import may_be_empty
from reftok.regex_dialects.oniguruma.parser import parse
from reftok.regex_dialects.oniguruma.syntax_tree import Node
from reftok.regex_dialects.pattern import Pattern
from reftok.rules.types import Span
from reftok.unicode.characters import as_of_16

_CLASS_ITEM = r"(?:\\(?:[pP]\{\^?\w+\}|u[0-9A-Fa-f]{4}|[dDfnrsStvwW]|[^\w\n])|[^\[\]\\])"
_READ_ALIKE = regex.compile(
    rf"(?:[^\\\[\]()$]|\\(?:[pP]\{{\^?\w+\}}|u[0-9A-Fa-f]{{4}}|[AbBdDfnrsStvwWZ]|[^\w\n])"
    rf"|\((?!\?)|\(\?(?:[:=!>]|<[=!]|i:)|\)|\[\^?{_CLASS_ITEM}+(?:&&\[\^?{_CLASS_ITEM}+\])?\])*+"
)
"""Syntax that stands for the same in the syntax of `regex` as in that of Oniguruma, but for some of what is next."""
_READ_OTHERWISE = regex.compile(r"\}\?|,\}\+|\{\d+\}\+|--|~~|\|\|")
"""Syntax that stands for something else in the syntax of `regex`, or in that of its version 1."""
_PLAIN_FLAGS = regex.VERSION0 | regex.VERSION1 | regex.FULLCASE | regex.UNICODE

_LONGEST_WRITTEN_OUT = 1000
"""Characters of a pattern whose classes are written out for plane 0, at 10 ms each; published ones have 400 at most."""
_TELLING = "aA0_. \n"
"""A character of each kind that most texts have."""
_LONGEST_KNOWN = 16
"""So many characters may be decided from memory: the fragments of a model's output come again and again."""

Decision: TypeAlias = tuple[list[str], list[bool] | None, int, State, int]
"""The final part of a text: texts one after the other; which of them are matches, None where all are; where the rest
begins; where the paths from there are at the end of the text; and where the last match has ended, -1 if that is not
known. A plain tuple: one is made for every fragment."""


class Streamable:
    """A pattern with its automaton.

    prepare: what to match with what.
    context: how many characters before its start a match may depend on.
    source: the pattern.
    is_simple: whether its matches are never empty, need no timer and have no groups.
    for_re: its forms for `re`, if it may have some.
    known: what is decided of a text, remembered where it is short; None where that takes more than the text to tell.
    """

    def __init__(
        self,
        automaton: Automaton,
        prepare: Callable[[str], tuple[regex.Pattern[str], str]],
        context: int,
        source: Pattern,
        is_simple: bool,
        for_re: RePatterns | None,
    ) -> None:
        self.automaton = automaton
        self.context = context
        self._prepare = prepare
        self._source = source
        self._is_timed = source.may_run_away
        self._may_have_no_gaps = is_simple and all(map(self._may_begin_match, _TELLING))
        self._for_re = for_re
        knows = is_simple and not context
        self.known = Results(lambda text: self.decide(text, 0, -1), _LONGEST_KNOWN, 1 << 12) if knows else None

    def _may_begin_match(self, character: str) -> bool:
        state = self.automaton.start[character]
        return state.alive or state.may_match

    def decide(self, text: str, position: int, last_end: int) -> Decision:
        """The final pieces from a position on.

        last_end: where the last match has ended, if that is at the position.
        """
        texts = self._matches_without_gaps(text, position)
        if texts is None:
            return self._with_gaps(text, position, self.automaton.settled(text, position), last_end)
        return self._without_undecided(text, texts)

    def _without_undecided(self, text: str, texts: list[str]) -> Decision:
        """Matches up to the end of the text, less those of which a continuation may make others.

        Where `anywhere` dies, all that starts before is decided: most often that is seen two matches before the end.
        """
        automaton = self.automaton
        count, start, step = len(texts), len(text), 2
        while count:
            stop, count = count, max(count - step, 0)
            start -= len("".join(texts[count:stop]))
            if not followed(automaton.anywhere, text[start:]).alive:
                start += len(texts[count])
                count += 1
                break
            step *= 2
        while count < len(texts):
            state = followed(automaton.start, text[start:])
            if state.alive:
                return texts[:count], None, start, state, start
            start += len(texts[count])
            count += 1
        return texts, None, start, automaton.start, start

    def decide_all(self, text: str, position: int, last_end: int) -> tuple[list[str], list[bool] | None]:
        """All pieces from a position on, of a text that is complete."""
        texts = self._matches_without_gaps(text, position)
        return self._with_gaps(text, position, len(text), last_end)[:2] if texts is None else (texts, None)

    def _matches_without_gaps(self, text: str, position: int) -> list[str] | None:
        """The matches of a simple pattern, where they follow each other from the position to the end of the text.

        That is not even tried where there is a common kind of character with which no match begins.
        """
        if not self._may_have_no_gaps or self._needs_timer(text):
            return None
        pattern: re.Pattern[str] | regex.Pattern[str] | None = self._of_re(text)
        if pattern is None:
            pattern, prepared = self._prepare(text)
            if prepared is not text:
                return None
        texts: list[str] = pattern.findall(text, position)
        return texts if len("".join(texts)) == len(text) - position else None

    def _needs_timer(self, text: str) -> bool:
        if len(text) > LONG_RUN:
            return needs_deadline(self._source, text)
        return self._is_timed or is_scanned_often(text)

    def _of_re(self, text: str) -> re.Pattern[str] | None:
        return None if self._for_re is None else self._for_re.of(text)

    def _spans(self, text: str, position: int, last_end: int) -> list[Span]:
        timed = self._needs_timer(text)
        pattern = None if timed else self._of_re(text)
        if pattern is not None:
            return [match.span() for match in pattern.finditer(text, position)]
        return spans_of(*self._prepare(text), timed, position, last_end)

    def _with_gaps(self, text: str, position: int, settled: int, last_end: int) -> Decision:
        texts: list[str] = []
        are_matches: list[bool] = []
        undecided = None
        tried = position
        for start, end in self._spans(text, position, last_end):
            if start > settled:
                undecided = self.automaton.first_undecided(text, max(tried, settled + 1), start)
                if undecided is not None:
                    break
            if start > position:
                texts.append(text[position:start])
                are_matches.append(False)
            texts.append(text[start:end])
            are_matches.append(True)
            position = tried = last_end = end
        if undecided is None:
            undecided = self.automaton.first_undecided(text, max(tried, settled + 1), len(text))
        place, state = undecided or (len(text), self.automaton.start)
        if place > position:
            texts.append(text[position:place])
            are_matches.append(False)
        return texts, are_matches, place, state, last_end


@lru_cache(maxsize=256)
def streamable(pattern: Pattern, reading: Callable[[str], str] | None = None) -> Streamable | str:
    r"""The streamed form of a pattern, or why the end of the pre-token has to be waited for.

    reading: what makes the text that the pattern is run over, character by character; None for that of
        `pattern_matches`. With it, no match may be empty.

    >>> from reftok.regex_dialects.pattern import compile_oniguruma
    >>> streamable(compile_oniguruma(r"(a)\1"))
    "the pattern '(a)\\\\1' can only be matched in a complete pre-token: it refers to what a group has matched"
    """
    is_rust = pattern.tree is None or reading is not None
    try:
        source = pattern.as_oniguruma()
        timed = pattern.may_run_away
        tree = _tree_of_rust(pattern) if pattern.tree is None or reading is not None else pattern.tree
        # What comes before a pattern takes too long must not be given out: how far a match reaches is never sure.
        found = paths(tree, is_rust, in_doubt=timed)
    except (Undecided, UnsupportedFeature, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        return f"the pattern {pattern.source[:200]!r} can only be matched in a complete pre-token: {reason}"
    automaton = Automaton(found, reading or (as_of_16 if is_rust else str))
    prepare = partial(_read, pattern, reading) if reading else pattern.for_text
    is_simple = not (timed or may_be_empty(tree) or pattern.compiled.groups)
    # Beyond ASCII, the classes of Rust are not those of Oniguruma: a word has the two joiners.
    only_ascii = pattern.tree is None or len(source) > _LONGEST_WRITTEN_OUT
    for_re = RePatterns(tree, only_ascii) if is_simple and reading is None else None
    return Streamable(automaton, prepare, found.context, pattern, is_simple, for_re)


def need_a_deadline(stages: Iterable[object]) -> bool:
    """Whether the patterns of stages are to be timed together: one may run away, or they are very many."""
    named = (getattr(stage, "pattern", None) for stage in stages)
    patterns = [pattern for pattern in named if isinstance(pattern, Pattern)]
    return len(patterns) > MOST_SCANS or any(pattern.may_run_away for pattern in patterns)


def _read(pattern: Pattern, reading: Callable[[str], str], text: str) -> tuple[regex.Pattern[str], str]:
    return pattern.compiled, reading(text)


def _tree_of_rust(pattern: Pattern) -> Node:
    source = pattern.as_oniguruma()
    if (
        pattern.compiled.flags & ~_PLAIN_FLAGS
        or not _READ_ALIKE.fullmatch(source)
        or _READ_OTHERWISE.search(pattern.compiled.pattern)
    ):
        raise Undecided("it is not written in the common part of two syntaxes")
    return parse(source)
