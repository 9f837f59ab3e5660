"""A model and a case shrink by turns, as long as either gets smaller, and no further than the mismatch shows."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from conformance.causes.shrinking.together import shrink_together
from conformance.core.case import text_case
from reftok import embedded_models
from tests.conformance.causes.shrinking.test_trials import trials

pytestmark = pytest.mark.usefixtures("subjects_here")

DATA = embedded_models()["bpe-qwen"].read_bytes()
CASE = text_case("of the cafe\u0301", "test")


def test_what_is_left_fails_and_both_are_small(planted: Callable[[str], str]) -> None:
    with trials(planted("no_nfc"), case=CASE) as tried:
        data, case = shrink_together(tried, "tokenizer.json", DATA, CASE)
        assert tried.fails(data, case)
    root = json.loads(data)
    assert len(case.text) == 2
    assert len(root["model"]["vocab"]) < 10
    assert root["normalizer"] == {"type": "NFC"}
    assert root["added_tokens"] == []


def test_what_does_not_fail_stays_as_it_is(planted: Callable[[str], str]) -> None:
    with trials(planted("correct"), case=CASE) as tried:
        assert shrink_together(tried, "tokenizer.json", DATA, CASE) == (DATA, CASE)
