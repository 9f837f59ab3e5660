"""Weights in the reports: the worst in words comes first, and everything stands in their order."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from conformance.core.finding import Finding
from conformance.core.run import Run
from conformance.core.weight import ALL, Share, Weight, WeightClass
from conformance.report.run import view
from conformance.report.run.blocks import summary_markdown
from conformance.report.run.html import html_report
from conformance.report.run.junit import junit_xml
from conformance.report.run.weight_words import weight_words, worst_words
from tests.conformance.report.sample_run import KNOWN, PLAIN, sample_run

NATURAL = Weight(
    "natural text",
    (
        Share(ALL, "texts", 9, 900),
        Share("Arabic", "words", 6, 192),
        *(Share(name, "texts", 1, 9) for name in ("Arabic", "Urdu", "sql", "poetry")),
    ),
)
EDGE = Weight("edge of Unicode", (Share(ALL, "texts", 0, 900),))


def weighed(*weights: Weight) -> Run:
    """The plain findings of the sample run, with these weights."""
    findings = tuple(replace(one, weight=weight) for one, weight in zip(PLAIN, weights, strict=True))
    return replace(sample_run(), findings=(KNOWN, *findings), problems=())


def test_findings_stand_by_class_then_by_share_then_as_before() -> None:
    small = replace(NATURAL, shares=(Share(ALL, "texts", 8, 900),))
    kinds: tuple[WeightClass, ...] = ("policy", "streams", "edge of Unicode", "not weighed")
    findings: list[Finding] = [replace(PLAIN[0], weight=Weight(kind), rule=kind) for kind in kinds]
    findings += [replace(PLAIN[2], weight=small, rule="small"), replace(PLAIN[1], weight=NATURAL, rule="large")]
    order = ["large", "small", "not weighed", "edge of Unicode", "streams", "policy"]
    assert [finding.rule for finding in view.ordered(findings)] == order


def test_the_worst_is_told_first_everywhere() -> None:
    run = weighed(EDGE, NATURAL, Weight("policy"))
    line = "planted-nfc on gpt2-mini: wrong on 3.1 % of Arabic words"
    assert view.worst_line(run) == line
    assert summary_markdown(run).splitlines()[2] == f"**{line}**"
    assert f'<p class="worst">{line}</p>' in html_report(run)
    assert view.headline(run) == "3 unexpected findings (1 in natural text)"


def test_where_one_finding_is_not_weighed_nothing_is_said_of_all() -> None:
    assert view.headline(weighed(EDGE, NATURAL, Weight())) == "3 unexpected findings"
    assert view.headline(weighed(EDGE, EDGE, EDGE)) == "3 unexpected findings (none in natural text)"
    assert view.worst_line(weighed(Weight(), Weight(), Weight())) == ""


def test_what_is_widespread_is_told_of_all_natural_texts() -> None:
    widespread = replace(NATURAL, shares=(Share(ALL, "texts", 300, 900), *NATURAL.parts))
    assert worst_words(widespread) == "wrong on 33 % of natural texts"


def test_a_few_languages_are_named_and_the_page_has_them_all() -> None:
    assert weight_words(NATURAL) == (
        "natural text: 3.1 % of Arabic words (6 of 192), 11 % of Arabic texts (1 of 9), 11 % of Urdu texts (1 of 9) "
        "and 2 more; of all natural texts 9 of 900"
    )
    page = html_report(weighed(NATURAL, EDGE, EDGE))
    assert all(f'<th scope="row">{name} texts</th>' in page for name in ("Arabic", "Urdu", "sql", "poetry"))


@pytest.mark.parametrize(("gate", "failing"), [("natural", 1), ("edge", 2), ("any", 3)])
def test_junit_fails_what_the_run_fails_on_and_tells_the_rest(gate: str, failing: int) -> None:
    weights = (EDGE, NATURAL, Weight("policy"))
    run = replace(weighed(*weights), fail_on=gate, cells=(), absences=())  # type: ignore[arg-type]
    root = ElementTree.fromstring(junit_xml(run).encode("utf-8"))
    assert root.get("failures") == str(failing)
    told = "".join(element.text or "" for element in root.iter("system-out"))
    assert sum(finding.fingerprint in told for finding in run.findings if finding.status == "new") == 3 - failing
