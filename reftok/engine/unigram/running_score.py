"""The score of a Viterbi search up to a place, which is summed up only where it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from math import inf

from reftok.engine.unigram.undecided_text import LONGEST

_MOST_PENDING = 1 << 14
_WITH_ROUNDING = 1.01
"""Each of so many sums is rounded by 2**-24 of its value at most."""


class RunningScore:
    """Until the sum is made it is known how far it can have gone: no piece has a score beyond `largest`.

    largest: of the scores, without their sign.
    sure: as long as the score is nearer to 0 than this, steps can be looked up.
    added: the scores of ids added to a score, one after the other.

    >>> score = RunningScore(2.0, 1_000.0, lambda before, ids: before + sum(ids))
    >>> score.add([1, 2], 2); score.has_room(400), score.has_room(500), score.value()
    (True, False, 3.0)
    """

    def __init__(self, largest: float, sure: float, added: Callable[[float, Iterable[int]], float]) -> None:
        self._reach = largest * _WITH_ROUNDING
        self._sure = sure
        self._added = added
        self._pending: list[Iterable[int]] = []
        self.start(0.0)

    def start(self, value: float) -> None:
        """The score is this one."""
        self._value = value
        self._pending.clear()
        self._count = 0
        room = (self._sure - abs(value)) / self._reach if self._reach else inf
        self._room = min(room, _MOST_PENDING) - LONGEST

    def add(self, ids: Iterable[int], count: int) -> None:
        """So many more ids."""
        self._pending.append(ids)
        self._count += count

    def value(self) -> float:
        """The score."""
        if self._pending:
            self.start(self._added(self._value, chain.from_iterable(self._pending)))
        return self._value

    def has_room(self, count: int) -> bool:
        """Whether it stays within `sure` for so many more ids, and those that may be undecided."""
        if self._count + count <= self._room:
            return True
        self.value()
        return count <= self._room

    def would_have_room(self, value: float) -> bool:
        """Whether there would be room for some time behind such a score."""
        return abs(value) + 3 * LONGEST * self._reach < self._sure
