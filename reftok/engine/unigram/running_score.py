"""The score of a Viterbi search up to a place, which is summed up only where it is asked for."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, chain
from math import inf
from operator import add
from typing import Literal

from reftok.engine.unigram.undecided_text import LONGEST

_MOST_PENDING = 1 << 14
_LARGE = 1e30
_WITH_ROUNDING = 1.01
"""Each of so many sums is rounded by 2**-24 of its value at most."""


@dataclass(frozen=True, slots=True)
class Sums:
    """How a library adds up scores.

    typecode: of an array with the type of the sums, "d" for float64 and "f" for float32: what is stored is rounded.
    sure: a score nearer to 0 than this changes nothing in almost any text.
    rounding: what a sum that is nearer to 0 than `sure` is wrong by at most.
    threshold: a score beyond it is taken off from all sums that are still open.

    >>> Sums("f", 98_000.0, 2.0**-7).added(2.0**24, [1.0, 1.0]), Sums("f", 98_000.0, 2.0**-7).added(2.0**24, [2.0])
    (16777216.0, 16777218.0)
    """

    typecode: Literal["d", "f"]
    sure: float
    rounding: float
    threshold: float = inf

    def added(self, score: float, scores: Iterable[float]) -> float:
        """The sum of scores, one after the other added to `score` and rounded."""
        if self.typecode == "d":
            return reduce(add, scores, score)
        cell = array(self.typecode, (score,))
        for one in scores:
            cell[0] = score + one
            score = cell[0]
        return score


class RunningScore:
    """Until the sum is made it is known how far it can have gone: no piece has a score beyond `largest`.

    sums: of the library; as long as the score is nearer to 0 than `sums.sure`, steps can be looked up.
    score_of: an id.
    largest: of the scores, without their sign.

    >>> score = RunningScore(Sums("d", 1_000.0, 0.0), [0.0, 1.0, 2.0].__getitem__, 2.0)
    >>> score.add([1, 2], 2); score.has_room(400), score.has_room(500), score.value()
    (True, False, 3.0)
    """

    def __init__(self, sums: Sums, score_of: Callable[[int], float], largest: float) -> None:
        self._sums = sums
        self._score_of = score_of
        self._reach = largest * _WITH_ROUNDING
        # Within a text that is looked up, which has as many code points at most, no sum gets beyond the threshold.
        self._limit = min(sums.sure, sums.threshold - LONGEST * self._reach)
        self._pending: list[Collection[int]] = []
        self.start(0.0)

    def start(self, value: float) -> None:
        """The score is this one."""
        self._value = value
        self._pending.clear()
        self._measured = 0
        self._distance = abs(value)
        self._count = 0
        room = (self._sums.sure - abs(value)) / self._reach if self._reach else inf
        self._room = min(room, _MOST_PENDING) - LONGEST

    def add(self, ids: Collection[int], most: int) -> None:
        """More ids; most: so many of them at most have a score other than 0."""
        self._pending.append(ids)
        self._count += most

    def value(self) -> float:
        """The score."""
        if self._pending:
            ids = chain.from_iterable(self._pending)
            self.start(self._sums.added(self._value, filter(None, map(self._score_of, ids))))
        return self._value

    def is_near(self, limit: float) -> bool:
        """Whether the score is surely nearer to 0 than this, which is known sooner than the score.

        >>> score = RunningScore(Sums("d", 1_000.0, 0.0), [0.0, 1.0, -2.0].__getitem__, 2.0)
        >>> score.add([1, 2], 2); score.is_near(3.1), score.is_near(3.0)
        (True, False)
        """
        if self._distance < limit and self._measured < len(self._pending):
            ids = chain.from_iterable(self._pending[self._measured :])
            self._distance += sum(map(abs, map(self._score_of, ids))) * _WITH_ROUNDING
            self._measured = len(self._pending)
        return self._distance < limit

    def has_room(self, count: int) -> bool:
        """Whether it stays within `sure` for so many more ids, and those that may be undecided."""
        if self._count + count <= self._room:
            return True
        self.value()
        return count <= self._room

    def fitting(self, ids: Iterable[int]) -> int:
        """With how many of these ids, none of which may be undecided, it surely stays within `sure`.

        >>> score = RunningScore(Sums("d", 1_000.0, 0.0), [0.0, 1.0, 2.0].__getitem__, 2.0)
        >>> score.fitting([1] * 2_000), score.fitting([2] * 2_000), score.fitting([1, 2])
        (990, 495, 2)
        """
        room = (self._limit - abs(self.value())) / _WITH_ROUNDING
        return bisect_right([*accumulate(map(abs, map(self._score_of, ids)))], room)

    def is_finite(self, count: int) -> bool:
        """Whether it stays far from what a float32 cannot hold, for so many more scores."""
        return abs(self.value()) + count * self._reach < _LARGE

    def would_have_room(self, value: float) -> bool:
        """Whether there would be room for some time behind such a score."""
        return abs(value) + 3 * LONGEST * self._reach < self._sums.sure
