"""The report of a comparison: what is new first, everything that the runs do not share, links that lead somewhere."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from conformance.comparing.comparison import Comparison, compare
from conformance.core.case import text_case
from conformance.core.finding import Finding
from conformance.core.run import Cell, Run, SubjectInfo
from conformance.report.comparison import MOST, comparison_json, comparison_report, headline
from tests.conformance.report.drawn import drawn, said
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

WORSE = compare(passing_run(), sample_run())
BETTER = compare(sample_run(), passing_run())
SAME = compare(sample_run(), sample_run())


def told(comparison: Comparison) -> str:
    return said(comparison_report(comparison))


def page_of(comparison: Comparison) -> str:
    return drawn(comparison_report(comparison), "html")


def test_the_verdict_and_what_it_rests_on() -> None:
    assert headline(WORSE) == "Worse: 9 new findings (1 known), 2 new problems"
    assert headline(BETTER) == "Better: 9 fixed"
    assert headline(SAME) == "Nothing changed"
    listed = compare(passing_run(), replace(passing_run(), findings=(KNOWN,)))
    assert headline(listed) == "Changed: 1 new finding (1 known)"


def test_a_change_of_numbers_alone_is_named_in_the_headline() -> None:
    first, *others = passing_run().cells
    after = replace(passing_run(), cells=(replace(first, mismatched=1), *others))
    assert headline(compare(passing_run(), after)) == "Changed: the numbers of 1 check"


def test_problems_versions_and_coverage_are_told() -> None:
    after = replace(sample_run(), versions={**sample_run().versions, "tokenizers": "0.22.0"}, corpora={}, seed=8)
    text = told(compare(passing_run(), after))
    assert "tokenizers 0.21.0 → 0.22.0" in text
    assert "Runs are not alike: corpora: corpora/languages/de-Latn.txt left; of 1 corpus files, 0 are alike" in text
    assert "New problems - The subject sentencepiece refused" in text


def test_it_is_said_since_when() -> None:
    before = replace(passing_run(), findings=(HOSTILE[0], KNOWN))
    after = replace(passing_run(), findings=(HOSTILE[1], KNOWN), started="2025-02-03T04:05:06Z")
    page = page_of(compare(before, replace(after, versions={**after.versions, "tokenizers": "0.22.0"})))
    earlier, later = "the run of 2025-01-02 03:04 UTC", "the run of 2025-02-03 04:05 UTC"
    between = " (changed in between: tokenizers 0.21.0 → 0.22.0)"
    assert f"new in {later}: {earlier} asked the same and did not see it{between}" in page
    assert f"gone in {later}: {earlier} saw it{between}" in page
    assert f"there already in {earlier}" in page
    assert "new in the second run: the first run asked the same and did not see it" in told(WORSE)


def test_what_is_wrong_and_what_is_fixed_stands_at_the_top() -> None:
    other = finding(text_case("x", "fuzz:text:1"), "a rule", subject="reftok", model="gpt2-mini")
    text = told(compare(replace(passing_run(), findings=(other,)), sample_run()))
    assert "✗ New: planted-nfc on gpt2-mini, decode: Normalizer: bidi controls are dropped" in text
    assert "✓ Fixed: reftok on gpt2-mini, ids: Normalizer: a rule, such as x" in text


def joined_and_left() -> Comparison:
    """The second run has another subject than the first, wrong too; one finding is in both."""
    run, still = passing_run(), PLAIN[0]
    left, joined = (finding(text_case("a", "fuzz:1"), "a rule", subject=name) for name in ("leaver", "joiner"))

    def with_subject(other: Finding) -> Run:
        name = other.example.subject
        return replace(
            run,
            subjects=(*run.subjects, SubjectInfo(name, "1", "subject")),
            cells=(*run.cells, Cell("gpt2-mini", name, "ids", 10, mismatched=3)),
            findings=(still, other, KNOWN),
        )

    return compare(with_subject(left), with_subject(joined))


def test_runs_that_are_not_alike_say_so_and_what_is_still_wrong_at_the_headline() -> None:
    text = told(joined_and_left())
    for part in (
        "Nothing changed in what both asked; 1 only in the second run, 1 only in the first run",
        "Runs are not alike: leaver left, joiner joined",
        "new: 0, changed: 0, fixed: 0, still wrong: 1, still known: 1, only in the second run: 1, only in the first",
        "Only in the second run: joiner on gpt2-mini, ids",
        "Still wrong: planted-nfc on gpt2-mini, ids",
        "since when is not known, the first run did not ask this",
        "Unchanged: 1 unexpected, 1 known",
    ):
        assert part in text


def test_every_number_at_the_top_leads_to_a_section_and_every_finding_has_an_anchor() -> None:
    gone = replace(sample_run(), cells=tuple(cell for cell in sample_run().cells if cell.check != "ids"))
    for comparison in (WORSE, BETTER, SAME, joined_and_left(), compare(sample_run(), gone)):
        page = page_of(comparison)
        targets = re.findall(r'href="#([^"]+)"', page)
        assert targets
        for target in (*targets, *(change.finding.fingerprint for change in comparison.findings)):
            assert page.count(f'id="{target}"') == 1, target


def test_what_changed_about_a_finding_is_named() -> None:
    one = HOSTILE[0]
    other = replace(one, count=3, example=replace(one.example, severity="special-token injection"))
    known = replace(PLAIN[0], status="known")
    text = told(
        compare(replace(passing_run(), findings=(one, known)), replace(passing_run(), findings=(other, PLAIN[0])))
    )
    assert "severity: other ids → special-token injection" in text
    assert "mismatches: 1 → 3" in text
    assert "status: known → unexpected" in text


def test_the_tables_have_what_changed_and_count_the_rest() -> None:
    text = told(WORSE)
    assert "| corpus file | new |" in text
    assert "2 others without a change" in text
    assert "Counted is" not in text
    after = replace(sample_run(), cells=sample_run().cells[:-9])
    counted = r"Counted is what both runs compared: \d+ of \d+ combinations of model, subject and check"
    assert re.search(counted, told(compare(passing_run(), after)))


@pytest.mark.parametrize(("form", "lines"), [("markdown", 70), ("terminal", 170)])
def test_a_thousand_findings_fit_on_a_screen_or_two(form: str, lines: int) -> None:
    many = tuple(finding(text_case("a", "fuzz:1"), f"rule {number}") for number in range(1000))
    report = comparison_report(compare(passing_run(), replace(sample_run(), findings=many)))
    text = drawn(report, form, MOST[form])
    assert len(text.splitlines()) <= lines
    assert "more" in text
    page = drawn(report, "html")
    assert "and 500 more" in page
    assert len(page) < 2_000_000


def test_json_is_ascii_the_same_each_time_and_whole() -> None:
    text = comparison_json(WORSE)
    assert text.isascii()
    assert text == comparison_json(compare(passing_run(), sample_run()))
    value = json.loads(text)
    assert len(value["findings"]["new"]) == 9
    inputs = {entry["after"]["example"]["case"].get("text") for entry in value["findings"]["new"]}
    assert {SCRIPT, BIDI, CONTROLS} <= inputs
    assert (value["exit_code"], value["verdict"]) == (1, "worse")
