"""A cover reaches what can be reached, as often as asked, and has nothing that is not needed."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from conformance.vectors.choosing import Choice, cover

CHOICES = st.lists(st.builds(Choice, st.integers(0, 50), st.frozensets(st.sampled_from("abcdef"))), max_size=12)
TIMES = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 3))


def reached(choices: list[Choice[str]]) -> Counter[str]:
    return Counter(key for one in choices for key in one.keys)


@given(CHOICES, TIMES)
def test_a_cover_reaches_each_key_as_often_as_asked_or_as_it_can_be(
    choices: list[Choice[str]], times: dict[str, int]
) -> None:
    chosen = [choices[number] for number in cover(choices, times)]
    wanted = {key: min(count, times.get(key, 1)) for key, count in reached(choices).items()}
    found = reached(chosen)
    assert all(found[key] >= count for key, count in wanted.items())


@given(CHOICES)
def test_each_of_a_cover_is_needed(choices: list[Choice[str]]) -> None:
    chosen = [choices[number] for number in cover(choices, {})]
    counts = reached(chosen)
    assert all(any(counts[key] == 1 for key in one.keys) for one in chosen)
