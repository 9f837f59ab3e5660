"""The fewest inputs that reach everything: a greedy cover, from which what is not needed is taken out again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT", bound=Hashable)
_FIXED_COST = 24
"""A vector costs as much as so many characters, beside its own."""


@dataclass(frozen=True, slots=True)
class Choice(Generic[KeyT]):
    """What may be chosen. size: in characters, bytes or ids. keys: what it reaches."""

    size: int
    keys: frozenset[KeyT]


def cover(choices: Sequence[Choice[KeyT]], times: Mapping[KeyT, int], most: int | None = None) -> list[int]:
    """The numbers of the choices that reach each key as often as it can be, and is to be; in ascending order.

    times: how often each key is to be reached, where that is not once. most: so many choices at most, the best first.
    Each is needed: without it, a key would be reached less often.

    >>> cover([Choice(1, frozenset("a")), Choice(1, frozenset("ab")), Choice(9, frozenset("bc"))], {})
    [1, 2]
    >>> cover([Choice(1, frozenset("a")), Choice(2, frozenset("a")), Choice(3, frozenset("a"))], {"a": 2})
    [0, 1]
    """
    missing = Counter({key: times.get(key, 1) for one in choices for key in one.keys})
    waiting = [(-_gain(one, missing), number) for number, one in enumerate(choices) if one.keys]
    heapify(waiting)
    chosen: list[int] = []
    while waiting and (most is None or len(chosen) < most):
        _, number = heappop(waiting)
        now = -_gain(choices[number], missing)
        if not now:
            continue
        if waiting and (now, number) > waiting[0]:
            heappush(waiting, (now, number))
            continue
        chosen.append(number)
        missing.subtract(key for key in choices[number].keys if missing[key] > 0)
    return sorted(_needed(choices, chosen, times))


def _gain(one: Choice[KeyT], missing: Mapping[KeyT, int]) -> float:
    return sum(missing[key] > 0 for key in one.keys) / (_FIXED_COST + one.size)


def _needed(choices: Sequence[Choice[KeyT]], chosen: Sequence[int], times: Mapping[KeyT, int]) -> list[int]:
    """Those chosen without which a key would be reached less often; what was chosen first was chosen for most."""
    reached = Counter(key for number in chosen for key in choices[number].keys)
    kept = list(chosen)
    for number in sorted(chosen, key=lambda number: (-choices[number].size, number)):
        keys = choices[number].keys
        if all(reached[key] > times.get(key, 1) for key in keys):
            reached.subtract(keys)
            kept.remove(number)
    return kept
