"""A bounded cache that does not thrash."""

from __future__ import annotations

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
