"""The answers of a subject of the user's, brought to plain types; what is of another type is nonsense."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from itertools import islice
from typing import Any

MOST_ITEMS = 1 << 23
"""More ids or spans than this are no answer to anything."""
_BOUND = 1 << 64
_PLAIN = frozenset({int})


class NonsenseError(Exception):
    """An answer of the wrong type; the message says what came instead."""


def ids_of(value: Any, what: str = "an id") -> list[int]:
    """A list of ids, or of other numbers. Most often it is one already, and is looked at as a whole."""
    if type(value) is list and len(value) <= MOST_ITEMS and _PLAIN.issuperset(map(type, value)):
        plain: list[int] = value
        if not plain or (min(plain) > -_BOUND and max(plain) < _BOUND):
            return plain
    return [int_of(item, what) for item in items_of(value)]


def items_of(value: Any, what: str = "a list") -> list[Any]:
    """The items of an iterable, no text, as a list. what: what is expected, in the message."""
    if isinstance(value, str | bytes | dict) or not isinstance(value, Iterable):
        raise NonsenseError(f"{what} is expected, {shown(value)} came")
    items = list(islice(value, MOST_ITEMS + 1))
    if len(items) > MOST_ITEMS:
        raise NonsenseError(f"a list with more than {MOST_ITEMS:,} items came")
    return items


def int_of(value: Any, what: str) -> int:
    """An int, or a number of another library that stands for one; 64 bits are enough for any id or position."""
    if not hasattr(value, "__index__") or isinstance(value, bool) or value.__index__().bit_length() > 64:
        raise NonsenseError(f"{what} is an int of at most 64 bits, {shown(value)} came")
    return int(value.__index__())


def bool_of(value: Any, what: str) -> bool:
    """True or False, and no number."""
    if not isinstance(value, bool):
        raise NonsenseError(f"{what} is True or False, {shown(value)} came")
    return value


def text_of(value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise NonsenseError(f"a text is expected, {shown(value)} came")
    return value


def span_of(value: Any) -> list[int]:
    """A pair of ints."""
    span = items_of(value)
    if len(span) != 2:
        raise NonsenseError(f"an offset is a pair of ints, {shown(value)} came")
    return [int_of(end, "the end of an offset") for end in span]


def shown(value: Any) -> str:
    """A value in a message: its type, and how it begins."""
    try:
        text = reprlib.repr(value)
    except Exception:  # a repr of the subject's own may raise anything
        text = ""
    return f"{type(value).__name__} {text[:60]}{'…' if len(text) > 60 else ''}".strip()
