"""What a subject answers: plain numbers pass as they are, other numbers become plain, and what is none is nonsense."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.subjects import values
from conformance.subjects.values import NonsenseError, ids_of


class Number:
    """A number of another library."""

    def __index__(self) -> int:
        return 7


@pytest.mark.parametrize("ids", [[], [0, 5], (0, 5), [1, Number()], iter([3, 4]), [2**64 - 1, -(2**64) + 1]])
def test_ids_are_a_list_of_plain_numbers(ids: Any) -> None:
    found = ids_of(ids)
    assert type(found) is list
    assert all(type(token_id) is int for token_id in found)


@pytest.mark.parametrize("ids", [[1, True], [2**64], [1, -(2**64)], [1.0], "12", b"12", ["1"], [[1]], [None], 7])
def test_what_is_no_list_of_ids_is_nonsense(ids: Any) -> None:
    with pytest.raises(NonsenseError):
        ids_of(ids)


def test_too_many_ids_are_nonsense(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "MOST_ITEMS", 2)
    assert ids_of([1, 2]) == [1, 2]
    with pytest.raises(NonsenseError, match="more than 2 items"):
        ids_of([1, 2, 3])
