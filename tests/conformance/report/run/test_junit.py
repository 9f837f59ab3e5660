"""The JUnit report is well-formed whatever the inputs, and fails exactly where something is new."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from conformance.core.case import text_case
from conformance.core.run import Absence, Cell, Run
from conformance.report.run.junit import MOST_FAILURES, junit_xml
from tests.conformance.report.sample_run import (
    CHECKS,
    HOSTILE,
    KNOWN,
    MODELS,
    SUBJECTS,
    finding,
    passing_run,
    sample_run,
)


def parsed(run: Run) -> ElementTree.Element:
    return ElementTree.fromstring(junit_xml(run).encode("utf-8"))


def test_a_suite_per_model_and_a_case_per_subject_and_check() -> None:
    root = parsed(passing_run())
    assert sorted(suite.get("name", "") for suite in root) == sorted(MODELS)
    tests = [(test.get("classname"), test.get("name")) for test in root.iter("testcase")]
    assert sorted(tests) == sorted((f"{m}.{s}", c) for m in MODELS for s in SUBJECTS for c in CHECKS)
    assert root.get("failures") == "0"


def test_new_findings_fail_and_known_ones_do_not() -> None:
    root = parsed(sample_run())
    failed = {
        (test.get("classname"), test.get("name")) for test in root.iter("testcase") if test.find("failure") is not None
    }
    assert ("gpt2-mini.planted-nfc", "ids") in failed
    assert (f"{KNOWN.example.model}.{KNOWN.example.subject}", KNOWN.example.check) not in failed
    texts = "".join(failure.text or "" for failure in root.iter("failure"))
    parts = ("rule: Normalizer: ", "replay: conformance replay", "[68, 136", "1,204 times")
    assert all(part in texts for part in parts)


def test_totals_are_the_sums() -> None:
    root = parsed(sample_run())
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
        tests = [test for test in root.iter("testcase") if tag == "testcase" or test.find(tag) is not None]
        assert str(len(tests)) == str(sum(int(suite.get(name, "")) for suite in root))


def test_cells_without_answers_are_skipped() -> None:
    skipped = [test.get("name") for test in parsed(passing_run()).iter("testcase") if test.find("skipped") is not None]
    assert "special tokens mask" in skipped


def test_a_model_that_a_subject_does_not_read_is_skipped_with_the_reason() -> None:
    alone = Absence("unread", "t", "refused", "no Unigram")
    root = parsed(replace(passing_run(), absences=(alone, replace(alone, model="gpt2-mini"))))
    skipped = {
        (suite.get("name"), test.get("classname"), test.get("name")): found.get("message")
        for suite in root
        for test in suite.iter("testcase")
        if (found := test.find("skipped")) is not None and test.get("name") == "takes part"
    }
    reason = "does not read this model: no Unigram"
    assert skipped == {(model, f"{model}.t", "takes part"): reason for model in ("unread", "gpt2-mini")}
    assert root.get("failures") == "0"


def test_properties_have_the_versions() -> None:
    found = {item.get("name"): item.get("value") for item in parsed(sample_run()).iter("property")}
    assert found["version.tokenizers"] == "0.21.0"
    assert found["seed"] == "7"


def test_forbidden_characters_are_spelled_out() -> None:
    nasty = '\x00\x1b\ud800\ufffe]]><&"'
    item = replace(finding(text_case(nasty, nasty), nasty, model=nasty, subject=nasty), stage=nasty, replay=nasty)
    changed = replace(
        sample_run(), findings=(*HOSTILE, item), problems=(nasty,), versions={nasty: nasty}, command=nasty
    )
    text = "".join(failure.text or "" for failure in parsed(changed).iter("failure"))
    assert r'␀␛\u{d800}\u{fffe}]]><&"' in text


def test_nothing_new_is_lost() -> None:
    stray = finding(text_case("x", ""), "rule", model="unlisted")
    assert parsed(replace(passing_run(), findings=(stray,))).get("failures") == "1"
    untold = Cell("m", "s", "ids", 5, mismatched=1)
    assert parsed(replace(passing_run(), cells=(untold,))).get("failures") == "1"
    assert parsed(replace(passing_run(), problems=("a problem",))).get("failures") == "1"


def test_of_many_findings_in_one_place_the_rest_are_counted() -> None:
    many = tuple(finding(text_case("x", ""), f"rule {number}") for number in range(60))
    text = junit_xml(replace(sample_run(), findings=many))
    assert text.count("[15496, 995]") == MOST_FAILURES
    assert "and 10 more unexpected findings" in text
