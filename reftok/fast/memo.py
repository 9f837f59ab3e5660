"""A bounded memory of what a function gave, which keeps what is in use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")

MOST_ENTRIES = 1 << 16
MOST_CHARACTERS = 1 << 20
"""Code points of the texts of a generation. Words have some eight, so that only long ones meet this bound before the
other; a generation takes some 25 MB with natural words, and less than 100 MB with any."""
LONGEST = 255
"""A longer text is seldom seen twice."""


def memo_limits() -> dict[str, int]:
    """The most that a memo of words holds, in both generations.

    >>> memo_limits()
    {'entries': 131072, 'characters': 2097152}
    """
    return {"entries": 2 * MOST_ENTRIES, "characters": 2 * MOST_CHARACTERS}


class Memo(dict[str, Value]):
    """The remembered results of a function of a text: `memo[text]` computes what is not remembered.

    It is a dict, so that `map(memo.__getitem__, texts)` runs in C for all texts that are remembered.

    There are two generations. When the young one is full it becomes the old one, and the old one is dropped; an entry
    of the old one that is used again becomes young again. So what is in use survives, which emptying a full cache would
    not give, and a hit costs no bookkeeping.

    compute: the function.
    longest: longer texts are computed each time, in code points.
    capacity, characters: of each generation, in entries and in code points of their texts.

    >>> memo = Memo(len)
    >>> list(map(memo.__getitem__, ["a", "bc", "a"])), dict(memo)
    ([1, 2, 1], {'a': 1, 'bc': 2})
    """

    __slots__ = ("_capacity", "_characters", "_compute", "_left", "_longest", "_old")

    def __init__(
        self,
        compute: Callable[[str], Value],
        longest: int = LONGEST,
        capacity: int = MOST_ENTRIES,
        characters: int = MOST_CHARACTERS,
    ) -> None:
        super().__init__()
        self._compute = compute
        self._longest = longest
        self._capacity = capacity
        self._characters = self._left = characters
        self._old: dict[str, Value] = {}

    def __reduce__(self) -> tuple[type[Memo[Value]], tuple[Callable[[str], Value], int, int, int]]:
        """A copy begins with nothing remembered."""
        return Memo, (self._compute, self._longest, self._capacity, self._characters)

    def __missing__(self, text: str) -> Value:
        old = self._old
        value = old[text] if text in old else self._compute(text)
        if len(text) <= self._longest:
            self._left -= len(text)
            if len(self) >= self._capacity or self._left < 0:
                # Other threads may be reading: they keep the dict that they hold, and find the rest in the old one.
                self._old = dict(self)
                self.clear()
                self._left = self._characters - len(text)
            self[text] = value
        return value
