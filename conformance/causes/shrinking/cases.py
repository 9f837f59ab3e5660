"""Shrinking: a smaller case that fails in the same way.

A shrinker is a value, a predicate and an order: here fewer characters or ids first, then simpler ones. What comes out
is minimal under removal and simplification of any single part, where the attempts last.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from conformance.core.case import Case

Value = TypeVar("Value", str, tuple[int, ...])
Item = TypeVar("Item")

MOST_ATTEMPTS = 400
MOST_OF_RUNS = 24
"""Of so few items every run is left out in turn: some 300 attempts."""

_LINE_ENDS = "\n\r\v\f\x85\u2028\u2029"
_PLAIN = {"L": "aA", "N": "0", "M": "\u0301", "P": ".", "S": "."}
"""By the first letter of the general category, the plainest first."""


def shrink(value: Value, fails: Callable[[Value], bool], attempts: int = MOST_ATTEMPTS) -> Value:
    r"""The smallest value found that still fails, within so many attempts. `value` itself must fail.

    >>> shrink("hello world", lambda text: "o" in text)
    'o'
    >>> shrink("12\t\u0416!", lambda text: len(text) == 5)
    '00 a.'
    >>> shrink((5, 6, 7, 8), lambda ids: 7 in ids)
    (7,)
    """
    best, left = value, attempts
    tried: set[str | tuple[int, ...]] = {value}

    def accepts(candidate: Value) -> bool:
        nonlocal best, left
        if not candidate or candidate in tried:
            return False
        if left == 0:
            raise _NoAttemptsLeftError
        left -= 1
        tried.add(candidate)
        if fails(candidate):
            best = candidate
            return True
        return False

    with suppress(_NoAttemptsLeftError):
        while best:
            before = best
            if isinstance(best, str):
                smallest_part(best, lambda characters: accepts("".join(characters)))
                _plain_text(best, accepts)
            else:
                smallest_part(best, accepts)
                _plain_ids(best, accepts)
            if best == before:
                break
    return best


class _NoAttemptsLeftError(Exception):
    pass


def smallest_part(items: Sequence[Item], fails: Callable[[tuple[Item, ...]], bool]) -> tuple[Item, ...]:
    """The items left when all is removed that can be: everything at once, then halves, quarters, … single items.

    Of what is short then, every run is tried.

    >>> smallest_part(range(100), lambda part: {13, 77} <= {*part})
    (13, 77)
    >>> smallest_part("(abc)", lambda part: "".join(part) in ("(abc)", "()"))
    ('(', ')')
    """
    part = tuple(items)
    width = len(part)
    while width:
        start = 0
        while start < len(part):
            candidate = part[:start] + part[start + width :]
            if fails(candidate):
                part = candidate
            else:
                start += width
        width //= 2
    while (smaller := _without_a_run(part, fails)) is not None:
        part = smaller
    return part


def _without_a_run(part: tuple[Item, ...], fails: Callable[[tuple[Item, ...]], bool]) -> tuple[Item, ...] | None:
    """A short part without the longest run of items that it can do without, None where it can do without none."""
    if len(part) > MOST_OF_RUNS:
        return None
    runs = ((start, start + width) for width in range(len(part) - 1, 1, -1) for start in range(len(part) - width + 1))
    candidates = (part[:start] + part[stop:] for start, stop in runs)
    return next(filter(fails, candidates), None)


def shrink_case(case: Case, fails: Callable[[Case], bool], attempts: int = MOST_ATTEMPTS) -> Case:
    """The smallest case of the same kind that is found to fail still. `case` itself must fail."""
    if case.kind == "ids":
        return replace(case, ids=shrink(case.ids, lambda ids: fails(replace(case, ids=ids)), attempts))
    if case.kind == "text":
        return replace(case, text=shrink(case.text, lambda text: fails(replace(case, text=text)), attempts))
    # Bytes as characters of Latin-1: ASCII letters are plain among bytes too.
    letters = case.data.decode("latin-1")
    letters = shrink(letters, lambda data: fails(replace(case, data=data.encode("latin-1"))), attempts)
    return replace(case, data=letters.encode("latin-1"))


def _plain_text(text: str, accepts: Callable[[str], bool]) -> None:
    """Offer plainer characters one by one; what is accepted is gone on with."""
    for position in range(len(text)):
        for plain in plainer(text[position]):
            candidate = text[:position] + plain + text[position + 1 :]
            if accepts(candidate):
                text = candidate
                break


def plainer(character: str) -> str:
    """The plainer characters of the same class, the plainest first. Line ends are a class apart from white space."""
    if character.isspace() or character in _LINE_ENDS:
        plain = "\n" if character in _LINE_ENDS else " "
    else:
        plain = _PLAIN.get(unicodedata.category(character)[0], "")
    return plain[: plain.index(character)] if character in plain else plain


def _plain_ids(ids: tuple[int, ...], accepts: Callable[[tuple[int, ...]], bool]) -> None:
    """Offer 0 for each id, then half of it, as long as that is accepted."""
    for position in range(len(ids)):
        for divisor in (ids[position] + 1, 2):
            while ids[position] > 0:
                candidate = (*ids[:position], ids[position] // divisor, *ids[position + 1 :])
                if not accepts(candidate):
                    break
                ids = candidate
