"""The report of runs over time: the runs, when causes came and went, at most so much."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from conformance.comparing.history import History, history
from conformance.core.case import text_case
from conformance.core.run import Run
from conformance.report import history as reports
from conformance.report.history import headline, history_json, history_report
from tests.conformance.report.drawn import said
from tests.conformance.report.sample_run import finding, passing_run, sample_run


def days(*runs: Run) -> History:
    started = (replace(run, started=f"2026-01-01T00:{number:02}:00Z") for number, run in enumerate(runs))
    return history((f"night-{number}", run) for number, run in enumerate(started))


PAIR = days(passing_run(), replace(sample_run(), versions={**sample_run().versions, "tokenizers": "0.22.0"}))


def test_runs_and_causes_are_told() -> None:
    text = said(history_report(PAIR))
    for part in ("2 runs: 9 causes now", "night-0", "night-1", "came in night-1", "tokenizers: 0.21.0 → 0.22.0", "✓✗"):
        assert part in text
    assert text.index("| night-1 |") < text.index("| night-0 |")
    assert headline(days(sample_run(), passing_run())) == "2 runs: 0 causes now, 9 gone"
    assert headline(days(passing_run())) == "1 run: no finding in any"


def test_what_changed_what_is_back_and_what_comes_and_goes_by_itself_is_told_the_newest_first() -> None:
    def of(version: str, *rules: str) -> Run:
        found = tuple(finding(text_case("a", ""), rule) for rule in rules)
        mine = replace(sample_run().subjects[3], version=version)
        return replace(sample_run(), findings=found, subjects=(mine,))

    old, new = "git 1111111", "git 2222222"
    text = said(history_report(days(of(old), of(old, "f", "r"), of(old, "r"), of(old, "f"), of(new, "r"))))
    assert "5 runs: 1 cause now, 1 regressed, 1 gone" in text
    assert "planted-nfc: git 1111111 → git 2222222" in text
    assert "when: regressed in night-4, gone in night-3, came in night-1" in text
    assert "flaky: comes and goes though no version changed" in text
    assert "when: gone in night-4, came in night-3, gone in night-2, came in night-1" in text


def test_json_has_all() -> None:
    value = json.loads(history_json(PAIR))
    assert [run["name"] for run in value["runs"]] == ["night-0", "night-1"]
    assert {cause["mismatches"][1] for cause in value["causes"]} >= {1_204, 41}
    assert value["causes"][0]["turns"] == [{"run": "night-1", "came": True}]


def test_a_long_history_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "MOST_RUNS", 3)
    monkeypatch.setattr(reports, "MOST_CAUSES", 2)
    many = tuple(finding(text_case("a", ""), f"rule {number}") for number in range(9))
    text = said(history_report(days(*(replace(sample_run(), findings=many) for _ in range(5)))))
    assert "2 older runs not shown" in text
    assert "and 7 more causes" in text
    assert len(set(re.findall(r"rule \d", text))) == 2
