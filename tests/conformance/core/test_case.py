"""A case has one input, and a text that every subject can be given."""

from __future__ import annotations

import pytest

from conformance.core.case import Case, bytes_case, ids_case, text_case


def test_each_maker_sets_its_own_input_and_no_other() -> None:
    assert text_case("a", "o", "de") == Case("text", "o", "de", text="a")
    assert bytes_case(b"a", "o") == Case("bytes", "o", data=b"a")
    assert ids_case((1, 2), "o") == Case("ids", "o", ids=(1, 2))


def test_bytes_that_are_not_utf_8_read_as_the_replacement_character() -> None:
    assert bytes_case(b"a\xffb", "o").readable_text == "a\ufffdb"
    assert text_case("a", "o").readable_text == "a"


def test_a_case_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        text_case("a", "o").text = "b"  # type: ignore[misc]  # what the test is about
