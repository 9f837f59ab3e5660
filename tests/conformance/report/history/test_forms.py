"""The four forms of a history: the same causes in each, everything foreign escaped, at most so much."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from conformance.comparing.history import History, history
from conformance.core.case import text_case
from conformance.core.run import Run
from conformance.report.history import view
from conformance.report.history.html import history_html
from conformance.report.history.json import history_json
from conformance.report.history.markdown import history_markdown
from conformance.report.history.terminal import print_history
from tests.conformance.report.run.browsers import needs_browser
from tests.conformance.report.run.pages import LOW_CONTRAST, SCHEMES, SIZES, Opened, violations
from tests.conformance.report.sample_run import HOSTILE, SCRIPT, finding, passing_run, sample_run

FORMS = ("terminal", "markdown", "html")


def shown(found: History, form: str) -> str:
    if form == "markdown":
        return history_markdown(found)
    if form == "html":
        return history_html(found)
    file = io.StringIO()
    print_history(found, Console(file=file, width=200, highlight=False))
    return file.getvalue()


def days(*runs: Run) -> History:
    started = (replace(run, started=f"2026-01-01T00:{number:02}:00Z") for number, run in enumerate(runs))
    return history((f"night-{number}", run) for number, run in enumerate(started))


PAIR = days(passing_run(), replace(sample_run(), versions={**sample_run().versions, "tokenizers": "0.22.0"}))


@pytest.mark.parametrize("form", FORMS)
def test_runs_and_causes_are_told(form: str) -> None:
    text = shown(PAIR, form)
    for part in ("2 runs: 9 causes now", "night-0", "night-1", "came in night-1", "tokenizers 0.21.0 → 0.22.0"):
        assert part in text
    assert "2 runs: 9 gone" in shown(days(sample_run(), passing_run()), form).replace("0 causes now, ", "")
    assert "1 run: no finding in any" in shown(days(passing_run()), form)


@pytest.mark.parametrize("form", FORMS)
def test_nothing_foreign_is_let_through(form: str) -> None:
    nasty = replace(sample_run(), findings=HOSTILE, versions={SCRIPT: SCRIPT})
    text = shown(history([(SCRIPT, passing_run()), ("b", nasty)]), form)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe]", text)
    if form != "terminal":
        markup = re.sub(r"(`+).*?\1", "", text) if form == "markdown" else text
        assert "<img" not in markup
        assert "<script>document" not in markup


def test_json_has_all() -> None:
    value = json.loads(history_json(PAIR))
    assert [run["name"] for run in value["runs"]] == ["night-0", "night-1"]
    assert {cause["mismatches"][1] for cause in value["causes"]} >= {1_204, 41}
    assert value["causes"][0]["turns"] == [{"run": "night-1", "came": True}]


@pytest.mark.parametrize("form", FORMS)
def test_a_long_history_is_bounded(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "MOST_RUNS", 3)
    monkeypatch.setattr(view, "MOST_CAUSES", 2)
    many = tuple(finding(text_case("a", ""), f"rule {number}") for number in range(9))
    text = shown(days(*(replace(sample_run(), findings=many) for _ in range(5))), form)
    assert "2 older runs not shown" in text
    assert "and 7 more causes" in text
    assert len(set(re.findall(r"rule \d", text))) == 2


def test_bars_are_as_tall_as_their_values() -> None:
    runs = [replace(passing_run(), times={"total": value}, answers=1) for value in (50.0, 100.0)]
    html = history_html(days(*runs))
    tall = re.findall(r'class="plain" x="\d+" y="([\d.]+)" width="24" height="([\d.]+)"', html)
    assert tall == [("0.0", "100.0"), ("0.0", "100.0"), ("50.0", "50.0"), ("0.0", "100.0")]


@needs_browser
@pytest.mark.parametrize("size", SIZES, ids=["1280", "390"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_page_fits_has_contrast_and_is_accessible(
    browser: Any, tmp_path: Path, size: tuple[int, int], scheme: str
) -> None:
    path = tmp_path / "history.html"
    path.write_text(history_html(PAIR, {"night-1": "night-1/report.html"}), "utf-8")
    opened = Opened(browser, path, size, color_scheme=scheme)
    with opened as page:
        assert page.evaluate("() => document.documentElement.scrollWidth") == size[0]
        assert page.evaluate(LOW_CONTRAST)["wrong"] == []
        assert violations(page) == []
    assert opened.complaints == []


@needs_browser
def test_a_phone_shows_the_newest_runs_first(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "history.html"
    path.write_text(history_html(days(*[sample_run()] * 30)), "utf-8")
    size = (390, 844)
    with Opened(browser, path, size) as page:
        ends = page.evaluate(
            "() => [document.querySelector('.trend thead th:nth-last-child(2)'), document.querySelector('svg')]"
            ".map(element => element.getBoundingClientRect().right)"
        )
    assert max(ends) <= size[0]
