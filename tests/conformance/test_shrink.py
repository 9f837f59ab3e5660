"""Shrinking ends at a case that still fails and of which nothing can be left out."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.shrink import MOST_ATTEMPTS, shrink

MANY = 1_000_000
TEXTS = st.text("abcÄ1 ☠", min_size=1, max_size=30)


def contains_all(needed: str) -> Callable[[str], bool]:
    return lambda text: all(character in text for character in needed)


@given(TEXTS, st.data())
def test_the_result_fails_and_is_minimal_under_single_removal(text: str, data: st.DataObject) -> None:
    fails = contains_all("".join(data.draw(st.lists(st.sampled_from(text), min_size=1, max_size=4))))
    small = shrink(text, fails, MANY)
    assert fails(small)
    assert len(small) <= len(text)
    for position in range(len(small)):
        shorter = small[:position] + small[position + 1 :]
        assert not shorter or not fails(shorter)


@given(TEXTS)
def test_letters_that_do_not_matter_become_plain(text: str) -> None:
    small = shrink(text, lambda candidate: len(candidate) == len(text), MANY)
    assert not any(character.isalpha() and character != "a" for character in small)


@given(TEXTS, st.integers(0, 20))
def test_no_more_attempts_than_allowed(text: str, most: int) -> None:
    asked: list[str] = []

    def fails(candidate: str) -> bool:
        asked.append(candidate)
        return "☠" in candidate

    shrink(text + "☠", fails, most)
    assert len(asked) <= most


def test_the_usual_number_of_attempts_is_bounded() -> None:
    asked: list[str] = []
    shrink("b" * 5_000, lambda text: bool(asked.append(text)))
    assert len(asked) == MOST_ATTEMPTS


@given(TEXTS)
def test_a_value_that_cannot_shrink_stays_as_it_is(text: str) -> None:
    assert shrink(text, lambda candidate: candidate == text, MANY) == text


def test_the_empty_input_is_never_tried() -> None:
    assert shrink("abc", lambda text: True) == "a"
    assert shrink((1, 2, 3), lambda ids: True) in {(1,), (2,), (3,)}


@given(st.lists(st.integers(0, 9), min_size=1, max_size=20).map(tuple))
def test_ids_shrink_to_the_one_that_matters(ids: tuple[int, ...]) -> None:
    assert shrink(ids, lambda candidate: ids[-1] in candidate, MANY) == (ids[-1],)


@pytest.mark.parametrize("value", ["", ()])
def test_an_empty_value_stays_as_it_is(value: str) -> None:
    assert shrink(value, lambda candidate: True) == value
