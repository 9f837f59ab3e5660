"""Shrinking: a smaller case that fails in the same way.

A shrinker is a value, a predicate and an order: here texts, shorter first, then simpler characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

Items = TypeVar("Items", str, tuple[int, ...])

MOST_ATTEMPTS = 400


def shrink(value: Items, fails: Callable[[Items], bool], attempts: int = MOST_ATTEMPTS) -> Items:
    """The smallest value found that still fails, within so many attempts. `value` itself must fail.

    >>> shrink("hello world", lambda text: "o" in text)
    'o'
    >>> shrink((5, 6, 7, 8), lambda ids: 7 in ids)
    (7,)
    """
    left = attempts
    improved = True
    while improved:
        improved = False
        for candidate in _smaller(value):
            if left == 0:
                return value
            left -= 1
            if fails(candidate):
                value, improved = candidate, True
                break
    return value


def _smaller(value: Items) -> Iterator[Items]:
    """Candidates, the boldest first: each without a half, a quarter, … one element; then single letters made plain."""
    size = len(value)
    width = size
    while width:
        for start in range(0, size, width):
            candidate = value[:start] + value[start + width :]
            if candidate:
                yield candidate
        width //= 2
    if isinstance(value, str):
        for position, character in enumerate(value):
            if character.isalpha() and character != "a":
                yield value[:position] + "a" + value[position + 1 :]
