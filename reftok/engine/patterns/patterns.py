"""The matches of a pattern in a text that comes bit by bit, each as soon as nothing that may still come can change it.

    for fragment in fragments: matcher.feed(fragment)    →  [("ab", False), ("1", True)], …
    matcher.finish()                                     →  what was left; the matcher is as new

All that it gives, one after the other, is what `pattern_matches` or `literal_matches` say of the whole pre-token. A
gap may come in several pieces: two pieces in a row that are no matches belong to the same gap. A match comes whole,
unless the matcher was asked for what is sure of a long one: then `is_open` says that the last piece is a match that may
go on, and the first piece that follows belongs to it, be it ''.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import TypeAlias

from reftok.engine.patterns.automaton import State, reached
from reftok.engine.patterns.literals import overlap
from reftok.engine.patterns.streamable import Streamable, streamable
from reftok.regex_dialects.pattern import Pattern
from reftok.rules.patterns import Match, literal_matches, pattern_matches

Pieces: TypeAlias = tuple[Sequence[str], Sequence[bool] | None]
"""Texts one after the other, and which of them are matches; None says that all are."""

_NOTHING: Pieces = (), None
LONG = 32
"""From so many code points on a match may be given out before it has ended. Words end before, and come whole."""
_MANY = 16
"""So many characters at once are matched without a look at where the paths have died."""


class Matcher(ABC):
    """Finds the matches in the text of one pre-token after the other.

    held: how many code points have been fed and are in no piece that was given out.
    held_until_end: why nothing is given out before the pre-token has ended, '' if it is.
    is_open: whether the last piece was a match that may go on.
    """

    held_until_end = ""
    is_open = False

    def __init__(self) -> None:
        self.held = 0

    def feed(self, fragment: str) -> list[tuple[str, bool]]:
        """More text of the pre-token. What is final by now: a text, and whether it is a match (which may be '')."""
        return _paired(self.pieces(fragment))

    def finish(self) -> list[tuple[str, bool]]:
        """The pre-token has ended: what was still held. The next text belongs to a new pre-token."""
        return _paired(self.last_pieces())

    @abstractmethod
    def pieces(self, fragment: str) -> Pieces:
        """The pieces that `feed` gives, in two lists."""

    @abstractmethod
    def last_pieces(self) -> Pieces:
        """The pieces that `finish` gives, in two lists."""

    @abstractmethod
    def whole(self, pre_token: str) -> Pieces:
        """The pieces of a whole pre-token, between two others."""


def _paired(pieces: Pieces) -> list[tuple[str, bool]]:
    texts, are_matches = pieces
    return [(text, True) for text in texts] if are_matches is None else [*zip(texts, are_matches, strict=True)]


def stream_matches(pattern: str | Pattern, opens: bool = False) -> Matcher:
    r"""A matcher for a pattern; a string is taken literally.

    opens: whether a long match may come in several pieces.

    >>> from reftok.regex_dialects.pattern import compile_oniguruma
    >>> matcher = stream_matches(compile_oniguruma(r"\p{L}+"))
    >>> matcher.feed("- ab"), matcher.held, matcher.feed("c!"), matcher.finish()
    ([('- ', False)], 2, [('abc', True), ('!', False)], [])
    """
    if isinstance(pattern, str):
        return LiteralMatcher(pattern)
    return matcher_of(streamable(pattern), partial(pattern_matches, pattern), opens)


def matcher_of(how: Streamable | str, matches: Callable[[str], list[Match]], opens: bool = False) -> Matcher:
    """A matcher for a pattern of which it is known how to stream it, or why that cannot be.

    matches: what finds the matches in a whole pre-token.
    """
    return PatternMatcher(how, opens) if isinstance(how, Streamable) else BufferedMatcher(matches, how)


class PatternMatcher(Matcher):
    """Matches a pattern.

    opens: whether a long match may come in several pieces.

    _waiting: the text that is not given out, [] before the pre-token begins.
    _state: where the paths from its beginning are at its end; nowhere while a match grows.
    _context: the text before it, as far as it counts. _touches: whether the last match has ended where it begins.
    _limit: how many code points may be held before it is time to see how far a match is sure to reach.
    _growth: of a match of which some was given out, where its paths are at the end of the text.
    """

    def __init__(self, pattern: Streamable, opens: bool = False) -> None:
        super().__init__()
        self._pattern = pattern
        self._known = pattern.known
        self._first_limit = LONG if opens else inf
        self._begin()

    def _begin(self) -> None:
        self._context = ""
        self._touches = False
        self._waiting: list[str] = []
        self._state = self._pattern.automaton.start
        self._limit = self._first_limit
        self._growth: State | None = None
        self.is_open = False
        self.held = 0

    def pieces(self, fragment: str) -> Pieces:
        self._waiting.append(fragment)
        if len(fragment) >= _MANY and self.held < _MANY:
            return self._decided()
        state = self._state
        for character in fragment:
            state = state[character]
            if not state.alive:
                return self._decided()
        self._state = state
        self.held = held = self.held + len(fragment)
        return self._opened(_NOTHING) if held > self._limit else _NOTHING

    def _decided(self) -> Pieces:
        """The final pieces, of text that is long or of which the paths from the first place have died."""
        if self._growth is not None:
            return self._grown(self._growth)
        text = "".join(self._waiting)
        if self._known is not None:
            texts, are_matches, position, self._state, _ = self._known[text]
        else:
            start = len(self._context)
            text = self._context + text
            last_end = start if self._touches else -1
            texts, are_matches, position, self._state, last_end = self._pattern.decide(text, start, last_end)
            self._touches = last_end == position
            self._context = text[max(0, position - self._pattern.context) : position]
        self._waiting = [text[position:]]
        self.held = held = len(text) - position
        self._limit = self._first_limit
        return self._opened((texts, are_matches)) if held > self._limit else (texts, are_matches)

    def _opened(self, before: Pieces) -> Pieces:
        """The given pieces, and of a match that begins with held text all up to where it is sure to reach.

        Where nothing is sure, that may be otherwise when it has grown; a part of what it is then long keeps it cheap.
        """
        self._limit = self.held + self.held // 4
        growth, end = reached(self._pattern.automaton.start, "".join(self._waiting))
        if not (end and growth.alive and growth.is_sure):
            return before
        self._growth, self.is_open = growth, True
        self._state = self._pattern.automaton.nowhere
        return _joined(before, self._given(end))

    def _grown(self, growth: State) -> Pieces:
        """More of a match, and what follows if it has ended."""
        fragment = self._waiting[-1]
        self._growth, end = reached(growth, fragment, self.held)
        self.held += len(fragment)
        if self._growth.alive:
            return self._given(end) if end else _NOTHING
        piece = self._given(end)
        context, (rest,) = self._context, self._waiting
        self._begin()
        self._context, self._touches = context, True
        return _joined(piece, self.pieces(rest))

    def _given(self, size: int) -> Pieces:
        """More of a match, of the text that is held."""
        text = "".join(self._waiting)
        if self._pattern.context:
            self._context = (self._context + text[:size])[-self._pattern.context :]
        self._waiting = [text[size:]]
        self.held = len(text) - size
        return [text[:size]], None

    def last_pieces(self) -> Pieces:
        piece = _NOTHING
        if self._growth is not None:
            piece = self._given(self.held if self._growth.ends_with_text else 0)
            self._touches = True
        start = len(self._context)
        text = self._context + "".join(self._waiting)
        last_end = start if self._touches else -1
        is_begun = bool(self._waiting)
        self._begin()
        if not is_begun:
            return _NOTHING
        rest = self._pattern.decide_all(text, start, last_end)
        return _joined(piece, rest) if piece[0] else rest

    def whole(self, pre_token: str) -> Pieces:
        return self._pattern.decide_all(pre_token, 0, -1)


class LiteralMatcher(Matcher):
    """Matches a fixed string: what is held is the longest end of the text that it could begin with."""

    def __init__(self, literal: str) -> None:
        super().__init__()
        self._literal = literal
        self._waiting = ""
        self._is_begun = False

    def pieces(self, fragment: str) -> Pieces:
        if not self._literal:
            self._is_begun = self._is_begun or bool(fragment)
            return [piece for character in fragment for piece in ("", character)], [True, False] * len(fragment)
        text = self._waiting + fragment
        texts: list[str] = []
        are_matches: list[bool] = []
        *gaps, rest = text.split(self._literal)
        for gap in gaps:
            if gap:
                texts.append(gap)
                are_matches.append(False)
            texts.append(self._literal)
            are_matches.append(True)
        self.held = overlap(rest, self._literal)
        self._waiting = rest[len(rest) - self.held :]
        if len(rest) > self.held:
            texts.append(rest[: len(rest) - self.held])
            are_matches.append(False)
        return texts, are_matches

    def last_pieces(self) -> Pieces:
        waiting, is_begun = self._waiting, self._is_begun
        self._waiting, self._is_begun, self.held = "", False, 0
        if is_begun:
            return [""], [True]
        return ([waiting], [False]) if waiting else _NOTHING

    def whole(self, pre_token: str) -> Pieces:
        return _pieces(pre_token, literal_matches(pre_token, self._literal))


class BufferedMatcher(Matcher):
    """Waits for the end of the pre-token. matches: what finds the matches in it. reason: why that is necessary."""

    def __init__(self, matches: Callable[[str], list[Match]], reason: str) -> None:
        super().__init__()
        self._matches = matches
        self._waiting: list[str] = []
        self.held_until_end = reason

    def pieces(self, fragment: str) -> Pieces:
        self._waiting.append(fragment)
        self.held += len(fragment)
        return _NOTHING

    def last_pieces(self) -> Pieces:
        text = "".join(self._waiting)
        self._waiting, self.held = [], 0
        return self.whole(text) if text else _NOTHING

    def whole(self, pre_token: str) -> Pieces:
        return _pieces(pre_token, self._matches(pre_token))


def _joined(first: Pieces, second: Pieces) -> Pieces:
    texts = [*first[0], *second[0]]
    if first[1] is second[1] is None:
        return texts, None
    are_matches = [are or [True] * len(found) for found, are in (first, second)]
    return texts, [*are_matches[0], *are_matches[1]]


def _pieces(text: str, matches: list[Match]) -> Pieces:
    return [text[start:end] for start, end, _ in matches], [is_match for _, _, is_match in matches]
