"""A bounded cache that does not thrash."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")


class Results(dict[str, Value]):
    """The remembered results of a function of a text: `results[text]` computes it where it is not remembered.

    A dict, so that `map(results.__getitem__, texts)` runs without a step of Python for each text that is remembered.

    There are two generations of at most `capacity` entries each. When the young one is full it becomes the old one; an
    old entry that is used again is young again. So what is in use survives, which emptying a full cache does not give,
    and there is nothing to count on a hit.

    compute: the function.
    longest: texts of more code points are not remembered.
    capacity: of each generation, in entries.

    >>> results = Results(len)
    >>> list(map(results.__getitem__, ["a", "bc", "a"])), dict(results)
    ([1, 2, 1], {'a': 1, 'bc': 2})
    """

    __slots__ = ("_capacity", "_compute", "_longest", "_old")

    def __init__(self, compute: Callable[[str], Value], longest: int = 255, capacity: int = 1 << 16) -> None:
        super().__init__()
        self._compute = compute
        self._longest = longest
        self._capacity = capacity
        self._old: dict[str, Value] = {}

    def __reduce__(self) -> tuple[type[Results[Value]], tuple[Callable[[str], Value], int, int]]:
        """A copy begins with nothing remembered."""
        return Results, (self._compute, self._longest, self._capacity)

    def __missing__(self, text: str) -> Value:
        old = self._old
        value = old[text] if text in old else self._compute(text)
        if len(text) <= self._longest:
            if len(self) >= self._capacity:
                self._old = dict(self)
                self.clear()
            self[text] = value
        return value
