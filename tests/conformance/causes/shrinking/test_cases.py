"""Shrinking ends at a case that still fails, and of which nothing can be left out or made plainer."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.causes.shrinking.cases import MOST_ATTEMPTS, shrink, shrink_case, smallest_part
from conformance.core.case import bytes_case, ids_case, text_case

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


@given(TEXTS)
def test_nothing_is_asked_twice(text: str) -> None:
    asked: list[str] = []

    def fails(candidate: str) -> bool:
        asked.append(candidate)
        return "☠" in candidate

    shrink(text + "☠", fails, MANY)
    assert len(asked) == len({*asked})


def test_the_usual_number_of_attempts_is_bounded() -> None:
    asked: list[str] = []
    shrink("b" * 5_000, lambda text: bool(asked.append(text)))
    assert len(asked) == MOST_ATTEMPTS


@given(TEXTS)
def test_a_value_that_cannot_shrink_stays_as_it_is(text: str) -> None:
    assert shrink(text, lambda candidate: candidate == text, MANY) == text


def test_the_empty_input_is_never_tried() -> None:
    assert shrink("abc", lambda text: True) == "a"
    assert shrink((1, 2, 3), lambda ids: True) == (0,)


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        ("é", "a"),
        ("Z", "a"),
        ("\u0416", "a"),
        ("\u6f22", "a"),
        ("7", "0"),
        ("\u0663", "0"),
        ("\t", " "),
        ("\u3000", " "),
        ("\r", "\n"),
        ("\u2028", "\n"),
        ("\u0323", "\u0301"),
        ("!", "."),
        ("\U0001f600", "."),
        ("\u200b", "\u200b"),
        ("a", "a"),
        ("\n", "\n"),
    ],
)
def test_a_character_becomes_the_plainest_of_its_class(given: str, plain: str) -> None:
    assert shrink(given, lambda text: len(text) == 1) == plain


def test_a_capital_stays_a_capital_where_only_that_fails() -> None:
    assert shrink("\u0416\u0436", lambda text: any(c.isupper() for c in text)) == "A"


def test_what_becomes_plain_may_let_more_be_removed() -> None:
    assert shrink("b!", lambda text: text in ("b!", "a!", "a.", ".")) == "."


@given(st.lists(st.integers(0, 200_000), min_size=1, max_size=6).map(tuple), st.integers(0, 200_000))
def test_ids_become_less_than_twice_what_is_needed(ids: tuple[int, ...], least: int) -> None:
    small = shrink((*ids, least), lambda candidate: max(candidate) >= least, MANY)
    assert len(small) == 1
    assert small[0] >= least
    assert small[0] // 2 < least or small == (0,)


@pytest.mark.parametrize(
    ("whole", "left"), [("<sw-r!s>", "<r!s>"), ("abcd", "ad"), ("abcde", "de"), ("abcde", "ab"), ("abcdef", "e")]
)
def test_a_run_that_no_power_of_two_covers_is_left_out(whole: str, left: str) -> None:
    assert "".join(smallest_part(whole, lambda part: "".join(part) in (whole, left, "abcde"))) == left


@given(st.text(max_size=40), st.integers(1, 3))
def test_the_result_is_the_same_every_time(text: str, size: int) -> None:
    results = {shrink(text, lambda candidate: len({*candidate}) >= size, MANY) for _ in range(2)}
    assert len(results) == 1


@given(st.integers(1, 300), st.data())
def test_the_smallest_part_is_what_is_needed(size: int, data: st.DataObject) -> None:
    needed = data.draw(st.sets(st.integers(0, size - 1), max_size=5))
    asked = 0

    def fails(part: tuple[int, ...]) -> bool:
        nonlocal asked
        asked += 1
        return needed <= {*part}

    assert smallest_part(range(size), fails) == tuple(sorted(needed))
    assert asked <= 2 * (len(needed) + 1) * (size.bit_length() + 1)


def test_a_case_shrinks_in_what_it_has() -> None:
    assert shrink_case(text_case("xyz", "here"), lambda case: "y" in case.text) == text_case("y", "here")
    assert shrink_case(ids_case((4, 9), "here"), lambda case: 9 in case.ids) == ids_case((9,), "here")
    data = bytes_case(b"ab\xff\xe9", "here")
    assert shrink_case(data, lambda case: b"\xff" in case.data) == bytes_case(b"\xff", "here")


@given(st.lists(st.integers(0, 9), min_size=1, max_size=20).map(tuple))
def test_ids_shrink_to_the_one_that_matters(ids: tuple[int, ...]) -> None:
    assert shrink(ids, lambda candidate: ids[-1] in candidate, MANY) == (ids[-1],)


@pytest.mark.parametrize("value", ["", ()])
def test_an_empty_value_stays_as_it_is(value: str) -> None:
    assert shrink(value, lambda candidate: True) == value
