r"""Matching with a deadline: the matches of a pattern in a text, within a bounded processor time.

A pattern of a model file may take exponential time, so no text is matched without a bound. All patterns that run on one
text share one deadline: `with Deadline(len(text)): ...`. Outside of any deadline each call of `spans` has its own.

A look at the clock costs a microsecond a match, three times the match itself. Patterns that take linear time on a text
are therefore matched without it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import TypeAlias, TypeVar

import regex

from reftok.errors import InvalidText
from reftok.limits import LONG_RUN, MOST_SCANS, PATTERN_CHARACTERS_PER_SECOND, PATTERN_SECONDS

Span: TypeAlias = tuple[int, int]
"""Start and end of a match, in code points of the text that is matched."""
Found = TypeVar("Found")


class Deadline:
    """The processor time that all patterns together may take on one text.

    Patterns that run while it is entered share it; a nested deadline has no effect. A stream enters one deadline for
    each of its chunks.

    size: the size of the text in code points, as far as it is known.

    >>> with Deadline(20_000) as outer, Deadline():
    ...     current_deadline("a") is outer, outer.seconds_left
    (True, 7.0)
    """

    __slots__ = ("_entered", "_untimed_characters", "seconds_left")

    def __init__(self, size: int = 0) -> None:
        self.seconds_left = PATTERN_SECONDS
        self._untimed_characters = LONG_RUN
        self._entered: list[Token[Deadline | None]] = []
        self.extend(size)

    def extend(self, size: int) -> None:
        """Grant the time for more code points of the text."""
        self.seconds_left += size / PATTERN_CHARACTERS_PER_SECOND
        self._untimed_characters += size * MOST_SCANS

    def __enter__(self) -> Deadline:
        self._entered.append(_current.set(_current.get() or self))
        return self

    def __exit__(self, *_: object) -> None:
        _current.reset(self._entered.pop())

    def count_scan(self, size: int) -> bool:
        """Count a pattern that goes over so many code points; True once there were too many to go untimed."""
        self._untimed_characters -= size
        return self._untimed_characters < 0


_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


def current_deadline(text: str) -> Deadline:
    """The deadline that is entered, or else a new one for this text alone."""
    return _current.get() or Deadline(len(text))


def spans_of(compiled: regex.Pattern[str], text: str, is_timed: bool, start: int = 0, last_end: int = -1) -> list[Span]:
    """The spans of the matches of a compiled pattern. is_timed: see `needs_deadline`."""
    if not is_timed:
        found = [match.span() for match in compiled.finditer(text, start)]
        # `finditer` lets an empty match follow directly behind another one, onig does not; else they are the same.
        if all(start < end for start, end in found):
            return found
        return _searched(compiled, text, start, last_end, None)
    return in_time(compiled.pattern, text, lambda seconds: _searched(compiled, text, start, last_end, seconds))


def in_time(source: str, text: str, search: Callable[[float], Found]) -> Found:
    """The result of a search, which counts to the deadline.

    source: the expression, for messages. search: takes the seconds that are left, and raises TimeoutError after them.
    Raises InvalidText if the deadline passes.
    """
    deadline, begin = current_deadline(text), time.thread_time()
    try:
        if deadline.seconds_left <= 0:
            raise TimeoutError
        return search(deadline.seconds_left)
    except TimeoutError:
        problem = f"takes too long on this text of {len(text)} characters"
        raise InvalidText(f"the pattern {source[:200]!r} {problem}") from None
    finally:
        deadline.seconds_left -= time.thread_time() - begin


def _searched(
    compiled: regex.Pattern[str], text: str, position: int, last_end: int, timeout: float | None
) -> list[Span]:
    """The spans of the matches, each found by a search of its own. Raises TimeoutError after so many seconds."""
    found: list[Span] = []
    begin = time.thread_time()
    while position <= len(text) and (match := compiled.search(text, position, timeout=timeout)) is not None:
        # `regex` gives each search the whole timeout anew, so the sum is checked here.
        if timeout is not None and time.thread_time() - begin >= timeout:
            raise TimeoutError
        if match.start() == match.end() == last_end:
            position += 1
        else:
            found.append(match.span())
            position = last_end = match.end()
    return found


def is_scanned_often(text: str) -> bool:
    """Count one more pattern over the text; True if the patterns before have used up what goes untimed."""
    deadline = _current.get()
    return deadline is not None and deadline.count_scan(len(text))
