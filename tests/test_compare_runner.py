"""A runner of vectors and the harness say the same where the same vectors fail, by the rules that a run finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from tests.test_third_party_sessions import ROOT, loaded

tool = loaded(ROOT / "tools" / "compare_runner.py")
NFC, CUT = "Normalizer: NFC is missing", "Input: the text is cut at N bytes"
RULES = frozenset({"NFC is missing"})


@pytest.mark.parametrize(
    ("runner", "harness", "rules", "is_same"),
    [
        ({1: [NFC]}, {1: [NFC]}, RULES, True),
        ({}, {}, frozenset(), True),
        ({1: [NFC]}, {}, RULES, False),
        ({1: [NFC], 2: [CUT]}, {1: [NFC], 2: [CUT]}, RULES, False),
        ({1: [NFC]}, {1: [NFC]}, RULES | {"the text is cut at N bytes"}, False),
    ],
    ids=["the same", "nothing", "another vector", "another rule of a vector", "another rule of the run"],
)
def test_both_say_the_same(
    runner: Mapping[int, Sequence[str]], harness: Mapping[int, Sequence[str]], rules: frozenset[str], is_same: bool
) -> None:
    assert tool.Compared(runner, harness, rules).is_same is is_same
