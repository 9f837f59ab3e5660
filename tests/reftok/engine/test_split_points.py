from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from reftok.engine.split_points import PairSplitPoints


@given(st.lists(st.text("ab▁", min_size=1, max_size=4), max_size=6), st.text("ab▁", max_size=40))
def test_no_piece_spans_a_cut(pieces: list[str], text: str) -> None:
    cuts = PairSplitPoints(pieces)
    for parts in (cuts.words(text), cuts.parts(text)):
        assert "".join(parts) == text
        for left, right in pairwise(parts):
            assert not any(left[-1] + right[0] in piece for piece in pieces)


@given(st.lists(st.text("ab▁", min_size=1, max_size=4), max_size=6), st.text("ab▁", max_size=40))
def test_the_keys_of_a_text_are_those_of_its_words(pieces: list[str], text: str) -> None:
    cuts = PairSplitPoints(pieces)
    first, keys, last = cuts.keys(text)
    assert [word for word in (first, *map(cuts.word, keys), last) if word] == cuts.words(text)
    assert [cuts.key(cuts.word(key)) for key in keys if cuts.word(key) != key] == [
        key for key in keys if cuts.word(key) != key
    ]


def test_the_last_split_point_is_found_however_long_the_text_behind_it_is() -> None:
    assert [PairSplitPoints(["aa"]).last("b" + "a" * length) for length in range(1, 80)] == [1] * 79
