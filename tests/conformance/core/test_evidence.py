"""Evidence comes back from JSON as it was."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from conformance.core.case import text_case
from conformance.core.evidence import (
    Evidence,
    SeenToken,
    StageDifference,
    StreamStep,
)
from conformance.core.finding import Mismatch
from conformance.core.run import mismatch_from_json, mismatch_to_json

MISMATCH = Mismatch("m", "s", "ids", "r", "other ids", text_case("a", "o"), "[1]", "[2]")
TEXT = st.text(st.characters(exclude_categories=()))
TOKENS = st.lists(st.builds(SeenToken, st.integers(), TEXT, st.none() | st.tuples(st.integers(0), st.integers(0)))).map(
    tuple
)
PIECES = st.lists(TEXT).map(tuple)
EVIDENCE = st.builds(
    Evidence,
    TOKENS,
    TOKENS,
    TOKENS,
    st.integers(0),
    st.booleans(),
    st.none() | st.builds(StageDifference, TEXT, PIECES, PIECES, TEXT, TEXT),
    st.lists(st.builds(StreamStep, TEXT, TEXT, st.booleans())).map(tuple),
    TEXT,
)


@given(EVIDENCE)
def test_evidence_comes_back_from_json(evidence: Evidence) -> None:
    shown = replace(MISMATCH, evidence=evidence)
    assert mismatch_from_json(json.loads(json.dumps(mismatch_to_json(shown)))) == shown


def test_no_evidence_is_nothing_in_json() -> None:
    assert "evidence" not in mismatch_to_json(MISMATCH)
