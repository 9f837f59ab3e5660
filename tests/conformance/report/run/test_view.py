"""What the reports have in common: order, states, answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.core.case import text_case
from conformance.core.finding import SEVERITIES
from conformance.core.run import Cell, SubjectInfo
from conformance.report.run import view
from conformance.report.run.blocks import summary_markdown
from conformance.report.run.html import html_report
from conformance.report.run.issue import issue_markdown
from tests.conformance.report.sample_run import (
    ABSENCES,
    HOSTILE,
    KNOWN,
    MODELS,
    PLAIN,
    finding,
    passing_run,
    sample_run,
)


def cell(compared: int, **counts: int) -> Cell:
    return Cell("m", "s", "ids", compared, **counts)


@pytest.mark.parametrize(
    ("given", "state"),
    [
        (None, "none"),
        (cell(0), "none"),
        (cell(0, not_applicable=5), "none"),
        (cell(0, failures=5), "silent"),
        (cell(0, failures=5, mismatched=5), "new"),
        (cell(9), "equal"),
        (cell(9, failures=2), "equal"),
        (cell(9, mismatched=2, known=2), "known"),
        (cell(9, not_applicable=5, explained=3), "follows"),
        (cell(0, not_applicable=5, explained=5), "follows"),
        (cell(9, mismatched=2, known=1), "new"),
    ],
)
def test_state_of_a_cell(given: Cell | None, state: str) -> None:
    assert view.state(given) == state


def test_new_findings_come_first_then_the_severe_then_the_frequent() -> None:
    ordered = view.ordered((KNOWN, *PLAIN, *HOSTILE))
    assert ordered[-1] is KNOWN
    ranks = [SEVERITIES.index(item.example.severity) for item in ordered[:-1]]
    assert ranks == sorted(ranks)
    same = [item.count for item in ordered if item.example.severity == "other ids"]
    assert same == sorted(same, reverse=True)


def test_order_does_not_depend_on_the_order_of_the_run() -> None:
    assert view.ordered((KNOWN, *PLAIN, *HOSTILE)) == view.ordered((*reversed(HOSTILE), KNOWN, *reversed(PLAIN)))


def test_headline_says_what_fails_the_run() -> None:
    run = sample_run()
    assert view.headline(run) == "8 unexpected findings, 2 problems"
    assert view.headline(replace(run, findings=(KNOWN,))) == "2 problems"
    assert view.headline(replace(run, verdict="incomplete", problems=())) == "Incomplete, 8 unexpected findings"
    assert view.headline(passing_run()) == "As expected"


def test_headline_of_a_run_that_compared_nothing_says_so() -> None:
    run = replace(sample_run(), findings=(), answers=0)
    assert view.headline(run) == "Nothing was compared, 2 problems"
    assert view.headline(replace(run, verdict="incomplete")) == "Incomplete, 2 problems"


def test_what_an_official_library_has_not_is_left_out() -> None:
    info = SubjectInfo("tokenizers", "1", "oracle", untested=("streams",))
    assert view.not_done(replace(passing_run(), subjects=(info,))) == {}
    named = replace(info, role="subject")
    assert view.not_done(replace(passing_run(), subjects=(named,))) == {"tokenizers": ["not asked: it has no streams"]}


def test_the_rows_of_who_took_no_part_stand_with_their_model() -> None:
    places = [(row.model, row.subject) for row in view.rows(sample_run())]
    assert [model for model, _ in places] == sorted((model for model, _ in places), key=MODELS.index)
    assert {absence.subject for absence in ABSENCES} <= {subject for _, subject in places}
    alone = replace(passing_run(), cells=(), absences=ABSENCES[:1])
    assert [(row.model, row.subject) for row in view.rows(alone)] == [("gpt2-mini", "morpheme.py:Tokenizer")]


def test_rows_hold_a_cell_for_every_check() -> None:
    run = sample_run()
    assert all(len(row.cells) == len(view.checks(run)) for row in view.rows(run))
    partial = replace(run, absences=(), cells=(cell(3), Cell("m", "s", "unlisted", 1, mismatched=1)))
    (row,) = view.rows(partial)
    assert view.checks(partial)[-1] == "unlisted"
    assert (row.compared, row.mismatched, row.state) == (4, 1, "new")


@pytest.mark.parametrize(
    ("expected", "observed", "shared"),
    [
        ("[1, 2]", "[1, 3]", "[1, "),
        ("[1, 2]", "[1, 22]", "[1, "),
        ("abc", "abd", "ab"),
        ("abc", "abc", "abc"),
        ("e\u0301", "e", "e"),
        ("", "x", ""),
        ("1 ", "1", "1"),
    ],
)
def test_answers_part_where_they_differ(expected: str, observed: str, shared: str) -> None:
    mismatch = finding(text_case("x", ""), "rule", expected=expected, observed=observed).example
    assert view.answers(mismatch).shared == shared


def test_long_answers_are_cut_on_both_sides() -> None:
    mismatch = finding(text_case("x", ""), "r", expected="a" * 999 + "b" * 999, observed="a" * 999).example
    answers = view.answers(mismatch, limit=10)
    assert answers.shared == f"(+{999 - view.SHARED})…" + "a" * view.SHARED
    assert answers.expected == "b" * 10 + "…(+989)"
    assert answers.observed == ""


def test_a_stream_is_held_against_the_subject_itself() -> None:
    item = finding(text_case("x", ""), "r", check="stream encode")
    assert view.expected_by(item) == "the subject, fed the whole text"
    assert view.accusation(item) == "gives other ids"
    assert view.expected_by(finding(text_case("x", ""), "r")) == "tokenizers 0.21.0"


def test_the_folder_of_a_run_is_the_one_that_its_commands_name() -> None:
    item = replace(finding(text_case("x", ""), "r"), replay="conformance replay 'a b' 0123456789ab")
    assert view.folder(replace(sample_run(), findings=(item,))) == "'a b'"
    assert view.folder(replace(sample_run(), findings=())) == "THIS-RUN"


def test_the_verdict_and_the_usual_cause_of_a_rule_stand_in_every_form_of_a_report() -> None:
    verdict = "the subject: reftok & its plain rules agree"
    item = replace(finding(text_case("a", "o"), "text ends at the first NUL"), stage="Input", verdict=verdict)
    run = replace(passing_run(), findings=(item,))
    for document in (summary_markdown(run), issue_markdown(run, item)):
        assert "- usually: a C string\n" in document
        assert "- wrong: the subject: reftok &amp; its plain rules agree\n" in document
    assert '<dt>Who is wrong</dt><dd class="isolate">the subject: reftok &amp; its plain rules' in html_report(run)
    assert '<dt>Usual cause</dt><dd class="isolate">a C string</dd>' in html_report(run)
    unknown = replace(item, rule="no such rule")
    assert "usually" not in dict(view.fields(unknown))
    assert "Usual cause" not in html_report(replace(run, findings=(unknown,)))
