"""What it takes to match a pattern in a text whose end is not there yet."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple

import regex

from reftok.cache import Results
from reftok.errors import UnsupportedFeature
from reftok.oniguruma.analysis import may_be_empty
from reftok.oniguruma.members import suspects
from reftok.oniguruma.parser import parse
from reftok.oniguruma.syntax_tree import Node, properties
from reftok.patterns import for_16, may_run_away, oniguruma_source, source_of, spans, tree_of
from reftok.streaming.matching.ascii_twins import ascii_twin
from reftok.streaming.matching.finality import Automaton, State
from reftok.streaming.matching.finality_paths import Undecided, paths
from reftok.unicode import as_of_16

_CLASS_ITEM = r"(?:\\(?:[pP]\{\^?\w+\}|u[0-9A-Fa-f]{4}|[dDfnrsStvwW]|[^\w\n])|[^\[\]\\])"
_READ_ALIKE = regex.compile(
    rf"(?:[^\\\[\]()$]|\\(?:[pP]\{{\^?\w+\}}|u[0-9A-Fa-f]{{4}}|[AbBdDfnrsStvwWZ]|[^\w\n])"
    rf"|\((?!\?)|\(\?(?:[:=!>]|<[=!]|i:)|\)|\[\^?{_CLASS_ITEM}+(?:&&\[\^?{_CLASS_ITEM}+\])?\])*+"
)
"""What stands for the same, or for less, in the syntax of `regex` as in that of Oniguruma."""
_PLAIN_FLAGS = regex.VERSION0 | regex.VERSION1 | regex.FULLCASE | regex.UNICODE
_JOINERS = frozenset("\u200c\u200d")
"""Characters of a word to `regex`, and not to Oniguruma."""

_MANY = 64
"""So many characters are matched at once rather than start by start."""
_LONGEST_KNOWN = 16


class Decision(NamedTuple):
    """What is final of a text.

    texts: one after the other. are_matches: which of them are; None says that all are.
    position: where the rest begins. state: where the paths from there are at the end of the text.
    last_end: where the last match has ended, -1 if that is not known.
    """

    texts: list[str]
    are_matches: list[bool] | None
    position: int
    state: State
    last_end: int


class Streamable:
    """A pattern with its automaton.

    prepare: what to match with what.
    context: how many characters before its start a match may depend on.
    is_simple: whether its matches are never empty, need no timer and have no groups.
    twin: for text in ASCII, if there is one.
    known: what has been decided of short texts, for a simple pattern without context.
    """

    def __init__(
        self,
        automaton: Automaton,
        prepare: Callable[[str], tuple[regex.Pattern[str], str]],
        context: int,
        timed: bool,
        is_simple: bool,
        twin: re.Pattern[str] | None = None,
    ) -> None:
        self.automaton = automaton
        self.context = context
        self._prepare = prepare
        self._timed = timed
        self._is_simple = is_simple
        self._twin = twin
        knows = is_simple and not context
        self.known = Results(lambda text: self.decide(text, 0, -1), _LONGEST_KNOWN, 1 << 12) if knows else None

    def decide(self, text: str, position: int, last_end: int) -> Decision:
        """What is final from a position on, where the paths of a match that starts there have died.

        last_end: where the last match has ended, if that is at the position.
        """
        if not self._is_simple:
            return self._with_gaps(text, position, self.automaton.settled(text, position), last_end)
        if len(text) - position < _MANY:
            return self._one_by_one(text, position)
        settled = self.automaton.settled(text, position)
        if self._twin is not None and text.isascii():
            texts = self._twin.findall(text, position)
        else:
            pattern, prepared = self._prepare(text)
            texts = pattern.findall(text, position) if prepared is text else []
        if sum(map(len, texts)) == len(text) - position:
            return self._without_gaps(text, texts, settled)
        return self._with_gaps(text, position, settled, last_end)

    def decide_all(self, text: str, position: int, last_end: int) -> Decision:
        """What there is from a position on where the text is complete."""
        return self._with_gaps(text, position, len(text), last_end)

    def _one_by_one(self, text: str, position: int) -> Decision:
        """Start by start, as long as the paths of the next one have died as well."""
        texts: list[str] = []
        are_matches: list[bool] = []
        pattern, prepared = self._prepare(text)
        gap, size = position, len(text)
        state = self.automaton.after(text, position)
        while position < size and not state.alive:
            match = pattern.match(prepared, position) if state.may_match else None
            if match is None:
                position += 1
            else:
                if gap < position:
                    texts.append(text[gap:position])
                    are_matches.append(False)
                gap = match.end()
                texts.append(text[position:gap])
                are_matches.append(True)
                position = gap
            state = self.automaton.after(text, position)
        if gap < position:
            texts.append(text[gap:position])
            are_matches.append(False)
        return Decision(texts, are_matches, position, state, -1)

    def _without_gaps(self, text: str, texts: list[str], settled: int) -> Decision:
        """Matches that follow each other to the end of the text, less those at its end that are not final."""
        count, start = len(texts), len(text)
        while start > settled:
            count -= 1
            start -= len(texts[count])
        undecided = None
        while undecided is None:
            if start > settled:
                undecided = self.automaton.first_undecided(text, start, start)
            if undecided is None:
                start += len(texts[count])
                count += 1
        return Decision(texts[:count], None, *undecided, start)

    def _with_gaps(self, text: str, position: int, settled: int, last_end: int) -> Decision:
        texts: list[str] = []
        are_matches: list[bool] = []
        undecided = None
        tried = position
        for start, end in spans(*self._prepare(text), self._timed, position, last_end):
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
        return Decision(texts, are_matches, place, state, last_end)


@lru_cache(maxsize=256)
def streamable(pattern: regex.Pattern[str], reading: Callable[[str], str] | None = None) -> Streamable | str:
    r"""What it takes, or why the end of the part has to be waited for.

    reading: what makes the text that the pattern is run over, character by character; None for that of
        `pattern_matches`. With it, no match may be empty.

    >>> from reftok.patterns import compile_oniguruma
    >>> streamable(compile_oniguruma(r"(a)\1"))
    "the pattern '(a)\\\\1' can only be matched in a complete part: it refers to what a group has matched"
    """
    tree = None if reading else tree_of(pattern)
    try:
        if tree is not None:
            found = paths(tree)
            automaton = Automaton(found)
        else:
            tree = _tree_of_rust(pattern)
            found = paths(tree)
            automaton = Automaton(found, reading or as_of_16, suspects(properties(tree)) | _JOINERS)
    except (Undecided, UnsupportedFeature, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        return f"the pattern {source_of(pattern)[:200]!r} can only be matched in a complete part: {reason}"
    timed = may_run_away(oniguruma_source(pattern))
    prepare = partial(_read, pattern, reading) if reading else partial(for_16, pattern)
    is_simple = not (timed or may_be_empty(tree) or pattern.groups)
    twin = ascii_twin(tree) if is_simple and reading is None else None
    return Streamable(automaton, prepare, found.context, timed, is_simple, twin)


def _read(pattern: regex.Pattern[str], reading: Callable[[str], str], text: str) -> tuple[regex.Pattern[str], str]:
    return pattern, reading(text)


def _tree_of_rust(pattern: regex.Pattern[str]) -> Node:
    source = oniguruma_source(pattern)
    if pattern.flags & ~_PLAIN_FLAGS or not _READ_ALIKE.fullmatch(source):
        raise Undecided("it is not written in the common part of two syntaxes")
    return parse(source)
