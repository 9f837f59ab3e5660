"""The four forms of a comparison: what is new first, everything foreign escaped, at most so much."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from conformance.case import text_case
from conformance.comparison import Comparison, compare
from conformance.report.comparison_html import comparison_html
from conformance.report.comparison_json import comparison_json
from conformance.report.comparison_markdown import comparison_markdown
from conformance.report.comparison_terminal import print_comparison
from conformance.run import Run
from tests.conformance.report.sample_run import (
    BIDI,
    CONTROLS,
    HOSTILE,
    KNOWN,
    PLAIN,
    SCRIPT,
    finding,
    passing_run,
    sample_run,
)

HOSTILE_MARKUP = ("<script", "<img", "</code></script>")
FORMS = ("terminal", "markdown", "html")


def shown(comparison: Comparison, form: str, encoding: str = "utf-8") -> str:
    if form == "markdown":
        return comparison_markdown(comparison)
    if form == "html":
        return comparison_html(comparison)
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    print_comparison(comparison, Console(file=file, width=120, highlight=False))
    file.flush()
    return raw.getvalue().decode(encoding)


def many(count: int) -> Run:
    found = tuple(finding(text_case("a", "fuzz:1"), f"rule {number}") for number in range(count))
    return replace(sample_run(), findings=found)


WORSE = compare(passing_run(), sample_run())
BETTER = compare(sample_run(), passing_run())
SAME = compare(sample_run(), sample_run())


@pytest.mark.parametrize("form", FORMS)
def test_the_verdict_and_what_it_rests_on(form: str) -> None:
    assert "Worse: 9 new findings (1 known), 2 new problems" in shown(WORSE, form)
    assert "Better: 9 fixed" in shown(BETTER, form)
    assert "Nothing changed" in shown(SAME, form)
    listed = compare(passing_run(), replace(passing_run(), findings=(KNOWN,)))
    assert "Changed: 1 new finding (1 known)" in shown(listed, form)


@pytest.mark.parametrize("form", FORMS)
def test_problems_versions_and_coverage_are_told(form: str) -> None:
    after = replace(sample_run(), versions={**sample_run().versions, "tokenizers": "0.22.0"}, corpora={}, seed=8)
    text = shown(compare(passing_run(), after), form)
    assert "tokenizers 0.21.0 → 0.22.0" in text
    assert "corpora lost: corpora/languages/de-Latn.txt" in text
    assert "corpora differ" in text


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("comparison", [WORSE, BETTER], ids=["worse", "better"])
def test_nothing_foreign_is_let_through(form: str, comparison: Comparison) -> None:
    text = shown(comparison, form)
    assert not {character for character in "\x00\x1b\x9b\u202e\u2066\u200b\ud800" if character in text}
    assert form != "html" or not [part for part in HOSTILE_MARKUP if part in text]


def test_the_page_says_since_when() -> None:
    one, other = HOSTILE[0], HOSTILE[1]
    before = replace(passing_run(), findings=(one, KNOWN))
    after = replace(passing_run(), findings=(other, KNOWN), started="2025-02-03T04:05:06Z")
    page = comparison_html(compare(before, replace(after, versions={**after.versions, "tokenizers": "0.22.0"})))
    earlier, later = "the run of 2025-01-02 03:04 UTC", "the run of 2025-02-03 04:05 UTC"
    between = " (changed in between: tokenizers 0.21.0 → 0.22.0)"
    assert f"new in {later}: {earlier} asked the same and did not see it{between}" in page
    assert f"gone in {later}: {earlier} saw it{between}" in page
    assert f"there already in {earlier}" in page


def test_the_first_screen_names_who_is_wrong_and_what_is_fixed() -> None:
    other = finding(text_case("x", "fuzz:text:1"), "a rule", subject="reftok", model="gpt2-mini")
    page = comparison_html(compare(replace(passing_run(), findings=(other,)), sample_run()))
    first = page[: page.index("</header>")]
    assert "<strong>planted-nfc</strong> lets text make special tokens on" in first
    assert "7 more new findings" in first
    assert "<strong>reftok</strong> on <strong>gpt2-mini</strong>, ids" in first


@pytest.mark.parametrize("form", FORMS)
def test_what_only_one_run_asked_is_not_called_nothing(form: str) -> None:
    run = passing_run()
    before = replace(
        run,
        cells=tuple(cell for cell in run.cells if cell.subject != "planted-nfc"),
        subjects=tuple(subject for subject in run.subjects if subject.name != "planted-nfc"),
    )
    text = shown(compare(before, replace(passing_run(), findings=(PLAIN[0],))), form)
    assert "Nothing changed in what both asked; 1 only in the second run" in " ".join(text.split())


def test_the_page_needs_nothing_and_runs_nothing() -> None:
    page = comparison_html(WORSE)
    assert "default-src &#39;none&#39;; style-src &#39;sha256-" in page
    assert "<script" not in page
    assert not [word for word in ("url(", "@import", "<link") if word in page]


def test_the_page_has_an_anchor_for_every_finding_that_links_to_it() -> None:
    page = comparison_html(WORSE)
    for change in WORSE.findings:
        assert page.count(f'id="{change.finding.fingerprint}"') == 1


def test_json_is_ascii_the_same_each_time_and_whole() -> None:
    text = comparison_json(WORSE)
    assert text.isascii()
    assert text == comparison_json(compare(passing_run(), sample_run()))
    value = json.loads(text)
    assert len(value["findings"]["new"]) == 9
    inputs = {entry["after"]["example"]["case"].get("text") for entry in value["findings"]["new"]}
    assert {SCRIPT, BIDI, CONTROLS} <= inputs
    assert (value["exit_code"], value["verdict"]) == (1, "worse")


@pytest.mark.parametrize(("form", "lines"), [("markdown", 60), ("terminal", 140)])
def test_a_thousand_findings_fit_on_a_screen_or_two(form: str, lines: int) -> None:
    text = shown(compare(passing_run(), many(1000)), form)
    assert len(text.splitlines()) <= lines
    assert "more" in text


def test_a_page_of_a_thousand_findings_is_cut_and_says_so() -> None:
    page = comparison_html(compare(passing_run(), many(1000)))
    assert "and 500 more" in page
    assert len(page) < 2_000_000


def test_a_terminal_that_knows_only_ascii_gets_ascii() -> None:
    assert shown(WORSE, "terminal", "ascii").isascii()


def test_what_changed_about_a_finding_is_named() -> None:
    one = HOSTILE[0]
    other = replace(one, count=3, example=replace(one.example, severity="special-token injection"))
    text = shown(
        compare(replace(passing_run(), findings=(one,)), replace(passing_run(), findings=(other,))), "markdown"
    )
    assert "severity: other ids → special-token injection" in text
    assert "mismatches: 1 → 3" in text
