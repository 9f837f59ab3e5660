from __future__ import annotations

import pytest
import tokenizers

from reftok.rules.patterns import literal_matches
from reftok.rules.text import NormalizedString, Part, resplit
from reftok.rules.types import Token

from ..official import normalized_alignment, official_parts, own_parts


@pytest.mark.parametrize(
    ("behavior", "expected"),
    [
        ("Removed", ["the", "final", "countdown"]),
        ("Isolated", ["the", "-", "final", "-", "-", "countdown"]),
        ("MergedWithPrevious", ["the-", "final-", "-", "countdown"]),
        ("MergedWithNext", ["the", "-final", "-", "-countdown"]),
        ("Contiguous", ["the", "-", "final", "--", "countdown"]),
    ],
)
def test_each_behavior_puts_the_delimiter_where_its_name_says(behavior: str, expected: list[str]) -> None:
    split = {"type": "Split", "pattern": {"String": "-"}, "behavior": behavior, "invert": False}
    text = "the-final--countdown"
    assert own_parts(split, text) == official_parts(split, text)
    assert [part for part, _ in own_parts(split, text)] == expected


def test_an_empty_literal_matches_between_characters_and_at_both_ends() -> None:
    assert literal_matches("é", "") == [(0, 0, True), (0, 1, False), (1, 1, True)]
    assert tokenizers.normalizers.Replace("", "-").normalize_str("é") == "-é-"


def test_an_empty_text_has_one_empty_gap() -> None:
    assert literal_matches("", "a") == literal_matches("", "") == [(0, 0, False)]


def test_inserted_characters_share_the_span_of_the_character_before_them() -> None:
    changed = NormalizedString("ab").transform([("x", 0), ("y", 1), ("b", 0)])
    assert changed.spans() == [(0, 1), (0, 1), (1, 2)]


def test_a_character_inserted_before_everything_stands_for_nothing() -> None:
    assert NormalizedString("ab", 5).transform([("x", 1), ("a", 0), ("b", 0)]).spans() == [(5, 5), (5, 6), (6, 7)]


def test_removed_characters_belong_to_no_span() -> None:
    assert NormalizedString("abcd").transform([("a", -2), ("d", 0)]).spans() == [(0, 1), (3, 4)]


def test_a_prefix_shares_the_span_of_the_first_character() -> None:
    expected = ("xya", [(0, 1), (0, 1), (0, 1)])
    assert normalized_alignment({"type": "Prepend", "prepend": "xy"}, "a") == expected
    prepended = NormalizedString("a").prepend("xy")
    assert (prepended.text, prepended.spans()) == expected


def test_nothing_is_prepended_to_nothing() -> None:
    assert NormalizedString("").prepend("x").text == ""


def test_a_slice_knows_where_it_began() -> None:
    part = NormalizedString("abcd", 10).slice(2, 4)
    assert (part.original_start, part.spans()) == (12, [(12, 13), (13, 14)])
    again = part.prepend("x").slice(1, 3)
    assert (again.text, again.original_start, again.spans()) == ("cd", 12, [(12, 13), (13, 14)])


def test_the_span_of_no_characters_is_empty() -> None:
    changed = NormalizedString("b", 0, [(1, 2)])
    assert [changed.original_span(i, i) for i in (0, 1)] == [(1, 1), (2, 2)]
    assert NormalizedString("", 3, []).original_span(0, 0) == (3, 3)


def test_parts_with_tokens_are_not_cut_and_empty_parts_go() -> None:
    settled = Part(NormalizedString("a b"), (Token(0, "a b", (0, 3)),))
    splits = resplit([settled, Part(NormalizedString("c-"))], lambda part: [part.slice(0, 1), part.slice(1, 1)])
    assert splits[0] is settled
    assert [split.normalized.text for split in splits] == ["a b", "c"]
