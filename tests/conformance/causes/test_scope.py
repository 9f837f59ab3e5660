"""The scope of a finding: what the inputs have in common on which a subject differs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.causes.scope import LEAST_PRECISION, learned

RIGHT = ["a", "the word", "12", "\xe9", "\u2003a", "A.", "\U0001f937", "a b c", "b" * 20, "<x> a", "\x01"]


@pytest.mark.parametrize(
    ("differing", "words"),
    [
        (["\x85", "a\x85b"], "with U+0085"),
        (["x", "ax"], "with “x”"),
        (["\u00ed", "\u00ad"], "with the byte AD in UTF-8"),
        (["a" * 65, "\xe9" * 70], "words of 65 characters and more"),
        (["a " * 40 + "a", "bb " * 30 + "."], "texts of 81 characters and more"),
        (["\U0001eca9", "a\U0001fbf0"], "with characters assigned in Unicode 11.0 and later"),
        (["  a", "b  "], "with several spaces in a row"),
        (["a ", "\nb"], "with white space at the ends"),
        (["a<t>", "\xe9 <t>"], "with text before an added token"),
        (["e\u0301", "\u212b"], "texts that NFC changes"),
        (["a\x1ca", "b\x1dc", "a\x1eb"], "with one of U+001C, U+001D, U+001E"),
    ],
)
def test_the_narrowest_predicate_is_told(differing: list[str], words: str) -> None:
    found = learned(differing, [*RIGHT, "<t>", "<t>a"] if "<t>" in differing[0] else RIGHT, ["<t>"])
    assert found is not None
    assert found.scope.words == words
    assert found.sentence == f"only {words}: {len(differing)} of {found.asked} asked differ"


def test_words_are_those_of_the_model() -> None:
    found = learned(["a" * 9 + " a"], ["a a a a a a a a"], words=list)
    assert found is not None
    assert "words" not in found.scope.words


def test_nothing_is_said_where_most_of_a_scope_is_right() -> None:
    assert learned(["a"], ["b", "c", "ab", "a.", "aa", "ba"]) is None
    assert learned([], RIGHT) is None


TEXTS = st.lists(st.text(max_size=12), max_size=8)


@given(TEXTS, TEXTS)
def test_a_scope_holds_for_all_that_differs_and_counts_what_is_right_in_it(
    differing: list[str], right: list[str]
) -> None:
    found = learned(differing, right)
    if found is not None:
        assert all(map(found.scope.holds, differing))
        assert found.asked - found.differing == sum(map(found.scope.holds, right))
        assert found.precision >= LEAST_PRECISION


def test_a_list_of_characters_that_holds_for_many_right_texts_says_nothing() -> None:
    differing = ["x!", "xä", "x€"]
    found = learned(differing, ["x", "xx"])
    assert found is not None
    assert found.scope.words == "with one of “!”, U+00E4, U+20AC"
    assert learned(differing, ["x", "xx", "xa", "xb", "a!", "aä"]) is None
