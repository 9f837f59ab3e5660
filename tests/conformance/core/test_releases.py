"""Releases are ordered by their numbers, and a range says which of one library it holds for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.core.releases import read_releases, release

NUMBERS = st.lists(st.integers(0, 30), min_size=1, max_size=3)


def dotted(numbers: list[int]) -> str:
    return ".".join(map(str, numbers))


@given(NUMBERS, NUMBERS)
def test_releases_are_ordered_as_numbers_and_not_as_text(one: list[int], other: list[int]) -> None:
    padded = [numbers + [0] * (3 - len(numbers)) for numbers in (one, other)]
    assert (release(dotted(one)) < release(dotted(other))) == (padded[0] < padded[1])


@pytest.mark.parametrize("version", ["", "unknown", "0.x", "9" * 5_000])
def test_what_is_no_version_comes_before_every_release(version: str) -> None:
    assert release(version) < release("0.0.1")


@pytest.mark.parametrize(
    ("text", "version", "holds"),
    [
        ("tokenizers", "0.15.2", True),
        ("tokenizers<0.21.2", "0.21.1", True),
        ("tokenizers<0.21.2", "0.21.2", False),
        ("tokenizers>=0.21,<0.21.1", "0.21.0", True),
        ("tokenizers>=0.21,<0.21.1", "0.20.3", False),
        ("tokenizers>=0.9", "0.10.0", True),
        ("tokenizers>=0.23", "0.23.0rc1", True),
        ("tokenizers<0.23", "0.23.0.dev0", False),
        ("tokenizers>=0.23", "0.23", True),
        ("tokenizers<0.23", "unknown", True),
        ("tokenizers<0.21.2", "", False),
    ],
)
def test_a_range_holds_for_the_releases_within_it(text: str, version: str, holds: bool) -> None:
    assert read_releases(text).have({"tokenizers": version, "sentencepiece": "9"}) is holds


def test_a_range_of_a_library_that_is_not_installed_holds_for_nothing() -> None:
    assert not read_releases("tokenizers").have({"sentencepiece": "0.2.3"})


@pytest.mark.parametrize(
    "text",
    [
        "",
        ">=0.21",
        "tokenizers>0.21",
        "tokenizers==0.21",
        "tokenizers>=0.2,>=0.3",
        "a b",
        "a<",
        "a[b]>=1",
        "a; python_version < '4'",
        "a @ https://example.org",
    ],
)
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a library"):
        read_releases(text)
