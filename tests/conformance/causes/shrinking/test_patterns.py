"""Alternatives are found where they are alternatives of the whole pattern."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.causes.shrinking.patterns import alternatives, group_around

PARTS = st.sampled_from([r"\p{L}+", r"[|\]]", r"(a|b)", r"(?i:'s|'t)", r"\|", r"\(", r"[^(]", "a", r"[[a|b]&&[|]]"])
ALTERNATIVE = st.lists(PARTS, max_size=3).map("".join)


@given(st.lists(ALTERNATIVE, min_size=1, max_size=5))
def test_the_alternatives_are_those_that_were_joined(parts: list[str]) -> None:
    assert alternatives("|".join(parts)) == parts


@pytest.mark.parametrize(
    ("pattern", "group"),
    [
        ("(?:a|b)", ("(?:", "a|b")),
        (r"(?i:'s|[)]|\))", ("(?i:", r"'s|[)]|\)")),
        ("(?:a)(?:b)", None),
        ("(?:a)b", None),
        ("(?!a)", None),
        ("(a)", None),
        ("a", None),
    ],
)
def test_a_group_is_around_the_whole_pattern_or_not(pattern: str, group: tuple[str, str] | None) -> None:
    assert group_around(pattern) == group
