"""A memo is bounded, and never returns the value of another text."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from reftok.fast.memo import Memo

TEXTS = st.lists(st.text("aA", max_size=4), max_size=40)


@given(TEXTS, st.integers(1, 3), st.integers(1, 6), st.integers(1, 4))
def test_each_text_has_its_own_value_and_a_generation_stays_within_its_limits(
    texts: list[str], capacity: int, characters: int, longest: int
) -> None:
    memo = Memo(lambda text: f"<{text}>", longest, capacity, characters)
    for text in texts:
        assert memo[text] == f"<{text}>"
        assert len(memo) <= capacity
        assert sum(map(len, memo)) <= max(characters, len(text))


def test_a_text_in_use_is_computed_once_however_many_others_follow() -> None:
    computed = Counter[str]()
    memo = Memo(lambda text: computed.update([text]), capacity=4)
    for number in range(100):
        memo["in use"]
        memo[str(number)]
    assert computed["in use"] == 1
