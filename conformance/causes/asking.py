"""Telling apart the faults that explain one answer: a subject is asked where they say different things."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

from conformance.core.case import Case

MOST_RIVALS = 8
ASKED_OF_EACH_PAIR = 4

Prediction: TypeAlias = Callable[[Case], object]
"""The answer of a fault to a case, None where it has none."""


def telling_cases(rivals: Sequence[Prediction], cases: Sequence[Case]) -> Iterator[Case]:
    """The first few cases for each pair of rivals that they do not answer alike."""
    pairs = Counter(dict.fromkeys(combinations(range(len(rivals)), 2), ASKED_OF_EACH_PAIR))
    for case in cases if pairs else ():
        answers = [rival(case) for rival in rivals]
        parted = [(one, other) for one, other in pairs if answers[one] != answers[other]]
        if parted:
            yield case
            pairs.subtract(parted)
            pairs = +pairs
            if not pairs:
                return
