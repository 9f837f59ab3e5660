"""The four forms of a comparison: what is new first, everything foreign escaped, at most so much."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import pytest
from rich.console import Console

from conformance.comparing.comparison import Comparison, compare
from conformance.core.case import text_case
from conformance.core.finding import Finding
from conformance.core.run import Cell, Run, SubjectInfo
from conformance.report.comparison.html import comparison_html
from conformance.report.comparison.json import comparison_json
from conformance.report.comparison.markdown import comparison_markdown
from conformance.report.comparison.terminal import print_comparison
from conformance.report.comparison.view import headline
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


def shown(comparison: Comparison, form: str, encoding: str = "utf-8", width: int = 120) -> str:
    if form == "markdown":
        return comparison_markdown(comparison)
    if form == "html":
        return comparison_html(comparison)
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    print_comparison(comparison, Console(file=file, width=width, highlight=False))
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
    words = " ".join(text.split())
    assert "Runs are not alike: corpora: corpora/languages/de-Latn.txt left; of 1 corpus files, 0 are alike" in words


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
    assert f"There already in {earlier}." in page


def test_runs_of_the_same_minute_are_called_first_and_second() -> None:
    page = comparison_html(compare(passing_run(), sample_run()))
    assert "new in the second run: the first run asked the same and did not see it" in page


def test_a_change_of_numbers_alone_is_named_in_the_headline() -> None:
    first, *others = passing_run().cells
    after = replace(passing_run(), cells=(replace(first, mismatched=1), *others))
    assert headline(compare(passing_run(), after)) == "Changed: the numbers of 1 check"


def test_the_first_screen_names_who_is_wrong_and_what_is_fixed() -> None:
    other = finding(text_case("x", "fuzz:text:1"), "a rule", subject="reftok", model="gpt2-mini")
    page = comparison_html(compare(replace(passing_run(), findings=(other,)), sample_run()))
    first = page[: page.index("</header>")]
    assert "<strong>planted-nfc</strong> lets text make special tokens on" in first
    assert "7 more findings" in first
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


COUNTS = "still wrong: 1, still known: 1, only in the second run: 1, only in the first run: 1"


@pytest.mark.parametrize("form", FORMS)
def test_runs_that_are_not_alike_say_so_and_what_is_still_wrong_at_the_headline(form: str) -> None:
    text = " ".join(shown(joined_and_left(), form).split())
    assert "Runs are not alike: leaver left, joiner joined" in text
    assert "1 unexpected, 1 known" in text
    assert form == "html" or f"new: 0, changed: 0, fixed: 0, {COUNTS}" in text
    assert form == "html" or "still wrong: planted-nfc on gpt2-mini, ids: Normalizer: composes" in text.replace(
        "\\", ""
    )


def test_the_first_screen_of_the_page_has_all_that_is_wrong_in_the_second_run() -> None:
    page = comparison_html(joined_and_left())
    first = page[page.index("<h1") : page.index("</header>")]
    assert first.index("Runs are not alike") < first.index("<dl")
    for name, target in (("still wrong", "unchanged"), ("only in the second run", "only-after")):
        assert f'<div><dt>{name}</dt><dd><a href="#{target}">1</a></dd></div>' in first
        assert f'id="{target}"' in page
    assert "Only in the second run:</span> <strong>joiner</strong>" in first
    assert "Still wrong:</span> <strong>planted-nfc</strong>" in first
    assert "not known, the first run did not ask this" in page


def test_every_number_at_the_top_leads_to_a_section() -> None:
    gone = replace(sample_run(), cells=tuple(cell for cell in sample_run().cells if cell.check != "ids"))
    for comparison in (WORSE, BETTER, SAME, joined_and_left(), compare(sample_run(), gone)):
        page = comparison_html(comparison)
        for target in re.findall(r'<dd><a href="#([^"]+)">', page):
            assert page.count(f'id="{target}"') == 1, target


def test_unchanged_findings_are_unfolded_where_one_is_unexpected() -> None:
    page = comparison_html(joined_and_left())
    assert "<details open>\n<summary>1 unexpected, 1 known</summary>" in page
    known = replace(passing_run(), findings=(KNOWN,))
    assert "<details>\n<summary>1 known</summary>" in comparison_html(compare(known, known))


def test_a_status_that_changed_has_the_words_of_the_report() -> None:
    known = replace(PLAIN[0], status="known")
    text = shown(
        compare(replace(passing_run(), findings=(known,)), replace(passing_run(), findings=PLAIN[:1])), "terminal"
    )
    assert "status: known → unexpected" in text


@pytest.mark.parametrize("form", FORMS)
def test_the_tables_have_what_changed_and_count_the_rest(form: str) -> None:
    text = " ".join(shown(WORSE, form).split())
    assert "corpus file" in text
    assert "2 others without a change" in text
    assert "·" not in shown(WORSE, "terminal")
    assert "Counted is" not in text


@pytest.mark.parametrize("form", FORMS)
def test_the_tables_say_what_they_leave_out(form: str) -> None:
    after = replace(sample_run(), cells=sample_run().cells[:-9])
    text = " ".join(shown(compare(passing_run(), after), form).split())
    assert re.search(r"Counted is what both runs compared: \d+ of \d+ combinations of model, subject and check", text)


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


def test_titles_and_numbers_are_whole_in_few_columns() -> None:
    """Fault: "mismatches" was broken into two lines, beside names that had room; dates of a history into six."""
    text = shown(WORSE, "terminal", width=40)
    assert re.search(r"^model +new  fixed  changed  mismatches$", text, re.MULTILINE), text
    assert re.search(r"^  mismatches  \d.*$", shown(WORSE, "terminal", width=30), re.MULTILINE)
