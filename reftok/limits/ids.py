"""Ids: any integer of Python, of an array or of a tensor, from 0 to 2**32 - 1."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import Any

from reftok.errors import InvalidIds

_LONGEST_SHOWN = 60


def checked_ids(ids: object, name: str = "decode") -> tuple[int, ...]:
    """The ids as int. Raises InvalidIds for anything but ids. name: of the method, for the message."""
    listed = id_list(ids, name)
    if (
        isinstance(listed, list | tuple)
        and set(map(type, listed)) == {int}
        and 0 <= min(listed) <= max(listed) < 1 << 32
    ):
        return tuple(listed)
    return tuple(map(checked_id, listed))


def id_list(ids: object, name: str) -> Iterable[Any]:
    """`ids` as they are, if they can be iterated over; else raises InvalidIds. name: of the method, for the message."""
    if isinstance(ids, str) or not isinstance(ids, Iterable) or _has_no_dimension(ids):
        raise InvalidIds(f"{name} takes a list of ids, not {type(ids).__name__}")
    return ids


def _has_no_dimension(ids: Iterable[Any]) -> bool:
    """Whether it is an array or a tensor of one number: those have `__iter__`, and raise TypeError when iterated."""
    return getattr(ids, "shape", None) == ()


def checked_id(value: Any) -> int:
    """The id as int. Raises InvalidIds for anything else.

    >>> checked_id(True)
    1
    """
    token_id = whole_number(value)
    if token_id is None or not 0 <= token_id < 1 << 32:
        raise InvalidIds(f"{_shown(value)} is not an id: a whole number from 0 to {(1 << 32) - 1}")
    return token_id


def whole_number(value: Any) -> int | None:
    """The value as int; None unless it is a whole number of Python, of an array or of a tensor.

    >>> whole_number(True), whole_number(-1), whole_number(1.0), whole_number(None)
    (1, -1, None, None)
    """
    try:
        return index(value)
    except TypeError:
        return None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
