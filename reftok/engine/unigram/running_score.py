"""The score of a Viterbi search up to a place, which is summed up only where it is asked for."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, chain
from math import frexp, inf, nan
from operator import add
from typing import Literal

from reftok.engine.unigram.undecided_text import LONGEST

_MOST_PENDING = 1 << 14
_LARGE = 1e30
"""Sums that are nearer to 0 are far from what a float32 cannot hold."""
_FLOAT32_DIGITS = 24
_MAGNITUDES = range(11, 18)
"""Of the sums that go by `RoundedScores`, exponents of 2: from 1,024 to 131,072."""
_MOST_ROUNDED = 1 << 16
_ONE_BY_ONE = 16
"""So few are added one by one where not all of them together have one magnitude."""
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


class RoundedScores(dict[int, float]):
    """By id, what a score adds to a float32 sum of one magnitude: nan where that depends on the sum.

    As long as the magnitude stays the same, the sum is a multiple of its last digit, and each score counts as the
    nearest multiple; so the scores can be added in any order. What is just between two of them is rounded to the even
    sum, and a score above 0 might make the magnitude less. A sum below 0 alone is meant.

    unit: what the last digit counts, a power of two.

    >>> rounded = RoundedScores([-1.375, -1.25, 0.5].__getitem__, 0.5)
    >>> rounded[0], rounded[1], rounded[2]
    (-1.5, nan, nan)
    """

    def __init__(self, score_of: Callable[[int], float], unit: float) -> None:
        super().__init__()
        self._score_of = score_of
        self._unit = unit

    def __missing__(self, token_id: int) -> float:
        score = self._score_of(token_id)
        units = score / self._unit
        # Of a score with more digits than a float32 has, the sum would be rounded twice.
        is_certain = units <= 0.0 and units % 1.0 != 0.5 and array("f", (score,))[0] == score
        if len(self) >= _MOST_ROUNDED:
            self.clear()
        rounded = self[token_id] = round(units) * self._unit if is_certain else nan
        return rounded


class Scores:
    """The scores of a model's ids, and how a library adds them up.

    sums: of the library. score_of: an id. largest: of the scores, without their sign.

    >>> scores = Scores(Sums("f", 98_000.0, 0.0), [0.0, -1.0, -0.001].__getitem__, 1.0)
    >>> scores.added(-50_000.0, [1, 2, 1])
    -50002.0
    """

    def __init__(self, sums: Sums, score_of: Callable[[int], float], largest: float) -> None:
        self.sums = sums
        self.score_of = score_of
        self.largest = largest
        self._rounded: Mapping[int, RoundedScores] = {
            exponent: RoundedScores(score_of, 2.0 ** (exponent - _FLOAT32_DIGITS))
            for exponent in (_MAGNITUDES if sums.typecode == "f" else ())
        }

    def added(self, value: float, ids: Sequence[int]) -> float:
        """The sum of the scores of ids, one after the other added to a value and rounded."""
        if not self._rounded:
            return self.sums.added(value, map(self.score_of, ids))
        exponent = frexp(value)[1]
        rounded = self._rounded.get(exponent) if value < 0.0 else None
        if rounded is not None:
            total = value + sum(map(rounded.__getitem__, ids))
            if abs(total) < 2.0**exponent:
                return total
        if len(ids) > _ONE_BY_ONE:
            half = len(ids) // 2
            return self.added(self.added(value, ids[:half]), ids[half:])
        return self.sums.added(value, filter(None, map(self.score_of, ids)))


class RunningScore:
    """Until the sum is made it is known how far it can have gone: no piece has a score beyond the largest.

    As long as the score is nearer to 0 than `sums.sure`, steps can be looked up.

    >>> score = RunningScore(Scores(Sums("d", 1_000.0, 0.0), [0.0, 1.0, 2.0].__getitem__, 2.0))
    >>> score.add([1, 2]); score.has_room(400), score.has_room(500), score.value()
    (True, False, 3.0)
    """

    def __init__(self, scores: Scores) -> None:
        self._scores = scores
        self._sums = sums = scores.sums
        self._score_of = scores.score_of
        self._reach = scores.largest * _WITH_ROUNDING
        # Within a text that is looked up, which has as many code points at most, no sum gets beyond the threshold.
        self._limit = min(sums.sure, sums.threshold - LONGEST * self._reach)
        self._pending: list[Sequence[int]] = []
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

    def add(self, ids: Sequence[int]) -> None:
        """More ids."""
        self._pending.append(ids)
        self._count += len(ids)

    def value(self) -> float:
        """The score."""
        if self._pending:
            self.start(reduce(self._scores.added, self._pending, self._value))
        return self._value

    def is_near(self, limit: float) -> bool:
        """Whether the score is surely nearer to 0 than this, which is known sooner than the score.

        >>> score = RunningScore(Scores(Sums("d", 1_000.0, 0.0), [0.0, 1.0, -2.0].__getitem__, 2.0))
        >>> score.add([1, 2]); score.is_near(3.1), score.is_near(3.0)
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

        >>> score = RunningScore(Scores(Sums("d", 1_000.0, 0.0), [0.0, 1.0, 2.0].__getitem__, 2.0))
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
