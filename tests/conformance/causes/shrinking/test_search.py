"""A search keeps the last model that failed, asks for no model twice, and ends when its attempts are spent."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import given
from hypothesis import strategies as st

from conformance.causes.shrinking.cases import smallest_part
from conformance.causes.shrinking.search import Search, parts_of
from conformance.core.case import Case, text_case

CASE = text_case("a", "test")


@dataclass(frozen=True, slots=True)
class Letters:
    """A model that is nothing but its letters; one that is empty cannot be written."""

    letters: str

    def written(self, case: Case) -> tuple[bytes, Case] | None:
        return (self.letters.encode(), case) if self.letters else None


def drop(search: Search[Letters]) -> None:
    smallest_part(search.model.letters, lambda part: search.offer(replace(search.model, letters="".join(part))))


def searched(letters: str, needed: str, attempts: int) -> tuple[str, list[bytes]]:
    asked: list[bytes] = []

    def fails(data: bytes, case: Case) -> bool:
        asked.append(data)
        return {*needed.encode()} <= {*data}

    search = Search(Letters(letters), CASE, fails, attempts)
    search.run([drop])
    return search.model.letters, asked


@given(st.text("abcdef", min_size=1, max_size=20), st.integers(0, 30))
def test_no_model_is_asked_for_twice_or_beyond_the_attempts(letters: str, attempts: int) -> None:
    left, asked = searched(letters, letters[0], attempts)
    assert letters[0] in left
    assert len(asked) == len({*asked}) <= attempts


@given(st.text("abcdef", min_size=1, max_size=20))
def test_what_is_left_is_what_is_needed(letters: str) -> None:
    assert searched(letters, letters[-1], 1_000)[0] == letters[-1]


@given(st.text(max_size=6), st.text(max_size=6))
def test_the_parts_of_texts_are_all_that_they_contain(first: str, second: str) -> None:
    parts = parts_of([first, second])
    assert all(part and (part in first or part in second) for part in parts)
    assert parts >= {*first, *second} | ({first, second} - {""})
