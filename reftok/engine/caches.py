"""Bounded caches that do not thrash."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class TwoGenerationCache(Generic[Value]):
    """Keeps what was used lately, in two generations of at most `capacity` entries each.

    When the young generation is full it becomes the old one; an old entry that is used again is young again. So what
    is in use survives, which emptying a full cache does not give, and there is nothing to count on a hit.
    """

    __slots__ = ("_capacity", "_old", "_young")

    def __init__(self, capacity: int = 1 << 16) -> None:
        self._capacity = capacity
        self._young: dict[str, Value] = {}
        self._old: dict[str, Value] = {}

    def __reduce__(self) -> tuple[type[TwoGenerationCache[Value]], tuple[int]]:
        """A copy begins with nothing remembered."""
        return TwoGenerationCache, (self._capacity,)

    def get(self, key: str) -> Value | None:
        """The value of `key`, None where it is not there."""
        value = self._young.get(key)
        if value is None:
            value = self._old.get(key)
            if value is not None:
                self.put(key, value)
        return value

    def put(self, key: str, value: Value) -> None:
        """Remember a value."""
        if len(self._young) >= self._capacity:
            self._old, self._young = self._young, {}
        self._young[key] = value


class Results(dict[str, Value]):
    """The remembered results of a function of a text: `results[text]` computes it where it is not remembered.

    A dict, so that `map(results.__getitem__, texts)` runs without a step of Python for each text that is remembered.
    The generations are those of `TwoGenerationCache`.

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
