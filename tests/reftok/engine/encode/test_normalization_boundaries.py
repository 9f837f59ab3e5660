"""Text that is normalized segment by segment, held to the rule character by character."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.fast_normalizers import FastForm
from reftok.fast.normalization_boundaries import segments
from reftok.rules.huggingface.normalizers import Replace, UnicodeForm
from reftok.rules.text import NormalizedString
from reftok.unicode.characters import Form

FORMS = get_args(Form)
LATIN = "ae \u00e9\u0301\u0323\u0344\u1e69\u212b\u00a8\ufb01\u0132"
OTHERS = "\u1100\u1161\u11a8\uac00\uac01\u304b\u3099\u304c\u09df\u09af\u09bc\u0f71\u0f72\u0f73\U0001d15e\ufdfa"
TEXTS = st.text(LATIN, max_size=12) | st.text(OTHERS, max_size=12) | st.text(LATIN + OTHERS, max_size=12) | st.text()


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=300)
@given(text=TEXTS, start=st.integers(0, 3))
def test_segments_have_the_text_and_the_alignment_of_the_whole(form: Form, text: str, start: int) -> None:
    normalized = NormalizedString(text, start)
    found, expected = FastForm(form).normalize(normalized), UnicodeForm(form).normalize(normalized)
    assert (found.text, found.original_start) == (expected.text, expected.original_start)
    assert [*found.spans()] == [*expected.spans()]


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=100)
@given(text=TEXTS)
def test_what_was_moved_before_stays_aligned(form: Form, text: str) -> None:
    moved = Replace(" ", "\u0301\u00e9").normalize(NormalizedString(text))
    found, expected = FastForm(form).normalize(moved), UnicodeForm(form).normalize(moved)
    assert (found.text, [*found.spans()]) == (expected.text, [*expected.spans()])


@pytest.mark.parametrize("form", FORMS)
@given(text=TEXTS)
def test_segments_are_the_text(form: Form, text: str) -> None:
    assert "".join(segments(form, text)) == text
