"""Tokens are aligned by their ids, and the parts of the text together are the text."""

from __future__ import annotations

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from conformance.core.case import bytes_case, text_case
from conformance.core.evidence import Evidence, SeenToken
from conformance.report.run.alignment import aligned


def tokens(*pairs: tuple[int, tuple[int, int]]) -> tuple[SeenToken, ...]:
    return tuple(SeenToken(token_id, f"t{token_id}", span) for token_id, span in pairs)


def test_equal_tokens_stand_alone_and_differing_ones_together() -> None:
    expected = tokens((1, (0, 2)), (2, (2, 3)), (3, (3, 4)), (4, (4, 6)))
    observed = (SeenToken(1), SeenToken(9), SeenToken(4))
    groups = aligned(text_case("abcdef", ""), Evidence(expected=expected, observed=observed))
    assert [(group.text, group.differs) for group in groups] == [("ab", False), ("cd", True), ("ef", False)]
    assert [token.id for token in groups[1].expected] == [2, 3]
    assert [token.id for token in groups[1].observed] == [9]


def test_tokens_of_one_character_share_its_place() -> None:
    expected = tokens((1, (0, 1)), (2, (0, 1)), (3, (1, 2)))
    groups = aligned(text_case("éx", ""), Evidence(expected=expected, observed=expected))
    assert [group.text for group in groups] == ["é", "x"]


def test_equal_ids_with_other_offsets_differ() -> None:
    groups = aligned(text_case("ab", ""), Evidence(expected=tokens((1, (0, 2))), observed=tokens((1, (0, 1)))))
    assert [group.differs for group in groups] == [True]


def test_text_that_no_token_covers_is_shown() -> None:
    expected = tokens((1, (1, 2)))
    groups = aligned(text_case(" a ", ""), Evidence(expected=expected, observed=expected))
    assert [group.text for group in groups] == [" a", " "]


def test_skipped_tokens_leave_out_their_text() -> None:
    expected = tokens((1, (3, 4)))
    groups = aligned(text_case("abcd", ""), Evidence(expected=expected, observed=expected, skipped=3))
    assert [group.text for group in groups] == ["d"]


def test_bytes_are_shown_in_hexadecimal() -> None:
    expected = tokens((1, (0, 2)))
    groups = aligned(bytes_case(b"\xff\x41", ""), Evidence(expected=expected, observed=expected))
    assert [group.text for group in groups] == ["ff 41"]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3))), st.lists(st.integers(0, 4)))
def test_the_groups_hold_the_whole_text_and_every_token(wanted: list[tuple[int, int]], given_ids: list[int]) -> None:
    ends = list(accumulate(width for _, width in wanted))
    expected = tokens(*((i, (end - width, end)) for (i, width), end in zip(wanted, ends, strict=True)))
    observed = tuple(map(SeenToken, given_ids))
    text = "abcdefghij" * 50
    groups = aligned(text_case(text, ""), Evidence(expected=expected, observed=observed, is_cut=True))
    assert "".join(group.text for group in groups) == text[: max(ends, default=0)]
    assert tuple(token for group in groups for token in group.expected) == expected
    assert tuple(token for group in groups for token in group.observed) == observed
    by_id = [token.id for token in expected] != given_ids
    if by_id:
        assert any(group.differs for group in groups)
