"""How long the patterns of a tokenizer may take on one text, all of them together."""

from __future__ import annotations

import time
from contextvars import ContextVar, Token

from reftok.limits import LONG_RUN, MOST_SCANS, PATTERN_CHARACTERS_PER_SECOND, PATTERN_SECONDS


class Patience:
    """Of one text, which may come bit by bit: the seconds of processor time that are left for its patterns.

    size: how much of the text is there, in code points.

    >>> Patience(20_000).left
    7.0
    """

    __slots__ = ("_unscanned", "left")

    def __init__(self, size: int = 0) -> None:
        self.left = PATTERN_SECONDS
        self._unscanned = LONG_RUN
        self.more(size)

    def more(self, size: int) -> None:
        """So many code points of the text have come."""
        self.left += size / PATTERN_CHARACTERS_PER_SECOND
        self._unscanned += size * MOST_SCANS

    def scan(self, size: int) -> bool:
        """A pattern goes over so many code points; tells whether they were so many that it needs a clock."""
        self._unscanned -= size
        return self._unscanned < 0

    def has_ended(self, start: float) -> bool:
        """Whether nothing is left since `time.thread_time` was `start`."""
        return time.thread_time() - start >= self.left


class InForce:
    """While it is entered, the patterns that are matched share one patience; one that is in force already goes on.

    >>> with InForce(Patience(20_000)), InForce(Patience()):
    ...     patience_for("a").left
    7.0
    """

    __slots__ = ("_patience", "_token")

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._token: Token[Patience | None] | None = None

    def __enter__(self) -> None:
        if _in_force.get() is None:
            self._token = _in_force.set(self._patience)

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            _in_force.reset(self._token)
            self._token = None


_in_force: ContextVar[Patience | None] = ContextVar("patience", default=None)


def is_scanned_often(text: str) -> bool:
    """Whether patterns go over a text so often that this one, which does so now, needs a clock."""
    patience = _in_force.get()
    return patience is not None and patience.scan(len(text))


def patience_for(text: str) -> Patience:
    """The one in force; where there is none, that of this text."""
    return _in_force.get() or Patience(len(text))
