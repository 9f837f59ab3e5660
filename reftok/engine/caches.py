"""A bounded cache that does not thrash."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")

MOST_ENTRIES = 1 << 16
MOST_CHARACTERS = 1 << 20
"""Code points of the texts of a generation: words have some eight, so long ones alone meet this bound before the other.

Where answers are ids, one for a byte at most, a generation takes less than 60 MB, and with natural words some 15.
"""
MOST_CHARACTERS_OF_TOKENS = 1 << 18
"""The same where answers are tokens with their texts and offsets, up to 540 bytes a character: less than 150 MB."""


def bounds() -> dict[str, int]:
    """The most that the largest caches remember, of both generations.

    >>> bounds()
    {'entries': 131072, 'characters': 2097152}
    """
    return {"entries": 2 * MOST_ENTRIES, "characters": 2 * MOST_CHARACTERS}


class Results(dict[str, Value]):
    """The remembered results of a function of a text: `results[text]` computes it where it is not remembered.

    A dict, so that `map(results.__getitem__, texts)` runs without a step of Python for each text that is remembered.

    There are two generations of at most `capacity` entries each, whose texts have `characters` at most. When the
    young one is full it becomes the old one; an old entry that is used again is young again. So what is in use
    survives, which emptying a full cache does not give, and there is nothing to count on a hit.

    compute: the function.
    longest: texts of more code points are not remembered.
    capacity, characters: of each generation, in entries and in code points of their texts.

    >>> results = Results(len)
    >>> list(map(results.__getitem__, ["a", "bc", "a"])), dict(results)
    ([1, 2, 1], {'a': 1, 'bc': 2})
    """

    __slots__ = ("_capacity", "_characters", "_compute", "_left", "_longest", "_old")

    def __init__(
        self,
        compute: Callable[[str], Value],
        longest: int = 255,
        capacity: int = MOST_ENTRIES,
        characters: int = MOST_CHARACTERS,
    ) -> None:
        super().__init__()
        self._compute = compute
        self._longest = longest
        self._capacity = capacity
        self._characters = self._left = characters
        self._old: dict[str, Value] = {}

    def __reduce__(self) -> tuple[type[Results[Value]], tuple[Callable[[str], Value], int, int, int]]:
        """A copy begins with nothing remembered."""
        return Results, (self._compute, self._longest, self._capacity, self._characters)

    def __missing__(self, text: str) -> Value:
        old = self._old
        value = old[text] if text in old else self._compute(text)
        if len(text) <= self._longest:
            self._left -= len(text)
            if len(self) >= self._capacity or self._left < 0:
                self._old = dict(self)
                self.clear()
                self._left = self._characters - len(text)
            self[text] = value
        return value
