"""A run, its findings, mismatches and cases come back from JSON as they were."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.core.case import Case, bytes_case, ids_case, text_case
from conformance.core.finding import Confidence, Finding, Mismatch
from conformance.core.run import (
    Absence,
    Cell,
    LanguageCell,
    ModelInfo,
    Run,
    SubjectInfo,
    case_from_json,
    case_to_json,
    finding_from_json,
    finding_to_json,
    mismatch_from_json,
    mismatch_to_json,
    run_from_json,
    run_to_json,
)
from conformance.core.weight import GATES, Gate, Share, Weight, WeightClass

CASES = st.one_of(
    st.builds(text_case, st.text(), st.text(), st.text()),
    st.builds(bytes_case, st.binary(), st.text()),
    st.builds(ids_case, st.lists(st.integers(-(1 << 63), (1 << 64) - 1)).map(tuple), st.text()),
)
MISMATCH = Mismatch("m", "s", "ids", "other ids", "other ids", text_case("\x00", "o"), "[1]", "\ud800")
FINDING = Finding(
    MISMATCH,
    3,
    ("de", "fr"),
    "Model",
    "no merges are applied",
    "tokenizers",
    "known",
    "why",
    "link",
    "go",
    "only with “a”",
    Confidence(9, 8),
    Weight("natural text", (Share("", "texts", 1, 9), Share("German", "words", 2, 8))),
)
RUN = Run(
    verdict="unexpected findings",
    command="conformance run",
    seed=1,
    versions={"regex": "1"},
    models=(ModelInfo("m", "tokenizer.json", "tokenizer.json", "0" * 64, "tokenizers", 5, {"NFC": "9.0"}),),
    subjects=(SubjectInfo("s", "", "subject", "why not", ("stream_encoder.reset",)),),
    checks=("ids",),
    cells=(Cell("m", "s", "ids", 5, 3, 3, 1, 1),),
    languages=(LanguageCell("de", "s", 5, 3),),
    findings=(FINDING, replace(FINDING, status="new", rule="other")),
    problems=("a problem",),
    absences=(Absence("n", "s", "refused", "no Precompiled"),),
    corpora={"c/a.txt": "1" * 64},
    cases=5,
    answers=6,
    started="2026-01-01T00:00:00+00:00",
    times={"total": 1.5},
)


@given(CASES)
def test_a_case_comes_back_from_json(case: Case) -> None:
    assert case_from_json(json.loads(json.dumps(case_to_json(case)))) == case


def test_a_mismatch_comes_back_from_json() -> None:
    assert mismatch_from_json(json.loads(json.dumps(mismatch_to_json(MISMATCH)))) == MISMATCH


def test_a_finding_comes_back_from_json() -> None:
    assert finding_from_json(json.loads(json.dumps(finding_to_json(FINDING)))) == FINDING


def test_a_run_comes_back_from_json() -> None:
    assert run_from_json(json.loads(json.dumps(run_to_json(RUN))), RUN.findings) == RUN


def test_only_a_run_as_expected_ends_with_exit_code_0() -> None:
    assert RUN.exit_code == 1
    assert replace(RUN, verdict="incomplete").exit_code == 1
    assert replace(RUN, verdict="as expected").exit_code == 0


@pytest.mark.parametrize(
    ("gate", "kind", "code"),
    [
        ("natural", "natural text", 1),
        ("natural", "not weighed", 1),
        ("natural", "edge of Unicode", 0),
        ("natural", "added and special tokens", 0),
        ("edge", "edge of Unicode", 1),
        ("edge", "added and special tokens", 1),
        ("edge", "rare text", 1),
        ("edge", "streams", 1),
        ("edge", "ids and options at the edge", 0),
        ("edge", "policy", 0),
        ("any", "policy", 1),
    ],
)
def test_a_new_finding_fails_a_run_where_it_weighs_enough(gate: Gate, kind: WeightClass, code: int) -> None:
    findings = (FINDING, replace(FINDING, status="new", weight=Weight(kind)))
    assert replace(RUN, fail_on=gate, findings=findings, problems=()).exit_code == code


@pytest.mark.parametrize("gate", GATES)
def test_a_problem_fails_a_run_whatever_its_findings_weigh(gate: Gate) -> None:
    findings = (replace(FINDING, status="new", weight=Weight("policy")),)
    assert replace(RUN, fail_on=gate, findings=findings).exit_code == 1
    assert replace(RUN, fail_on=gate, findings=(), problems=(), verdict="incomplete").exit_code == 1


def test_runs_and_findings_from_before_weights_are_read() -> None:
    finding = finding_to_json(FINDING)
    del finding["weight"]
    assert finding_from_json(finding).weight == Weight("not weighed")
    run = run_to_json(RUN)
    del run["fail_on"]
    assert run_from_json(run, RUN.findings) == RUN


def test_known_findings_are_not_counted_as_unexpected() -> None:
    assert RUN.unexpected == 1


def test_the_fingerprint_does_not_depend_on_the_input() -> None:
    other = replace(MISMATCH, case=text_case("other", "elsewhere"), expected="[2]", observed="[3]")
    assert replace(FINDING, example=other, count=9).fingerprint == FINDING.fingerprint


@pytest.mark.parametrize("field", ["model", "subject", "check"])
def test_the_fingerprint_depends_on_each_part_of_the_cause(field: str) -> None:
    other = replace(FINDING, example=replace(MISMATCH, **{field: "another"}))
    assert other.fingerprint != FINDING.fingerprint
    assert replace(FINDING, stage="Decoder").fingerprint != FINDING.fingerprint
    assert replace(FINDING, rule="another").fingerprint != FINDING.fingerprint
