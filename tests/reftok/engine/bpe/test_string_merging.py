from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.bpe.string_merging import StringMerges, merge_few
from reftok.engine.bpe.windows import joined
from reftok.engine.split_points.pairs import PairCuts
from reftok.spec.models.merging import merge_all

PIECES = st.lists(st.text("abc", min_size=2, max_size=6), max_size=20, unique=True)


def plainly(ranks: dict[str, int], text: str) -> list[str]:
    def merge_of(left: str, right: str) -> tuple[int, str] | None:
        rank = ranks.get(left + right)
        return None if rank is None else (rank, left + right)

    return [symbol for _, symbol in merge_all(text, merge_of)]


@settings(max_examples=1500)
@given(PIECES, st.integers(1, 4), st.text("abc", max_size=150), st.booleans())
def test_every_text_has_the_pieces_of_the_plain_merges(pieces: list[str], equals: int, text: str, cuts: bool) -> None:
    ranks = {piece: number // equals for number, piece in enumerate(pieces)}
    pairs = PairCuts(pieces).pairs if cuts else None
    merges = StringMerges(ranks, pairs, lambda part: plainly(ranks, part))
    expected = plainly(ranks, text)
    assert [*merges.pieces(text)] == expected
    assert merge_few([*text], ranks) == expected


@pytest.mark.parametrize("unit", ["a", "ab", "aab", "abcabcab"])
def test_a_text_that_repeats_has_the_pieces_of_the_plain_merges(unit: str) -> None:
    ranks = {piece: number for number, piece in enumerate(["ab", "aa", "aaaa", "aab", "aaaaaa", "bc", "abab"])}
    text = unit * (5000 // len(unit))
    assert [*StringMerges(ranks, None, lambda part: plainly(ranks, part)).pieces(text)] == plainly(ranks, text)


def test_a_word_that_would_be_merged_again_and_again_is_given_up() -> None:
    windows = [["a"] for _ in range(100)]
    assert joined(windows, lambda pair: False, lambda tokens: [*tokens]) is None
