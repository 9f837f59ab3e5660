"""Blocks in each form: nothing foreign is markup or commands a terminal, all stands in its order, much is cut."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from conformance.comparing.comparison import compare
from conformance.comparing.history import history
from conformance.report.blocks import (
    Bar,
    Bullets,
    Card,
    Cards,
    Cell,
    Chart,
    Charts,
    Counts,
    Field,
    Most,
    OnPage,
    Paragraph,
    Phrase,
    Report,
    Section,
    Table,
    Timelines,
    foreign,
    sign,
)
from conformance.report.comparison import comparison_report
from conformance.report.history import history_report
from conformance.report.markdown import code, prose
from tests.conformance.report.drawn import FORMS, drawn
from tests.conformance.report.run.browsers import needs_browser
from tests.conformance.report.run.pages import PHONE, VIEWS, Opened, violations
from tests.conformance.report.sample_run import BIDI, CONTROLS, HOSTILE, MARKDOWN, SCRIPT, passing_run, sample_run

NASTY = f"{SCRIPT}{MARKDOWN}{BIDI}{CONTROLS}\n# title\n| x"
HARM = "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe]"


def report_of(text: str) -> Report:
    """A report that has a text in every place, as careless builders would put it there."""
    line = (text, Phrase(text, "strong", f"#{text}"), Phrase(text, "soft"), Phrase(text, "code"), foreign(text))
    card = Card((sign("✗"), " ", *line), (Field(text, line, "at"), Field("detail", text, is_detail=True)), "one", line)
    row = (line, Cell((sign("≈"), " ", *line), text, order=1))
    blocks = (
        Paragraph((sign("!"), " ", *line), "warning"),
        Bullets(((sign("✓"), " ", *line), "second", "third")),
        Counts((("number", 2, "anchor"),)),
        Table("section", ("name", text), (row, row, row)),
        Cards((card, replace(card, title="another", anchor="other"))),
        Timelines("section", (text, "b"), ((replace(card, title="timeline"), (Cell(sign("✗")), Cell(sign("–")))),)),
    )
    bar = Bar(text, ((sign("✗"), 1.0), ("", 3.0)))
    page = OnPage((Charts((Chart(text, "9", (bar,)),)),))
    return Report(f"about {text[:3]}", text, (Paragraph("lead"),), (Section("section", line, blocks), page), "✗")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "report",
    [
        report_of(NASTY),
        comparison_report(compare(passing_run(), sample_run()), (SCRIPT, SCRIPT)),
        comparison_report(compare(sample_run(), passing_run())),
        history_report(history([(SCRIPT, passing_run()), ("b", replace(sample_run(), versions={SCRIPT: SCRIPT}))])),
    ],
    ids=["blocks", "worse", "better", "history"],
)
def test_nothing_foreign_is_let_through(form: str, report: Report) -> None:
    text = drawn(report, form)
    assert not re.search(HARM, text)
    if form == "html":
        assert len(re.findall("<script", text)) == 1
        assert not re.findall("<img|</code></script>|<b>", text)
    if form == "markdown":
        outside = re.sub(r"(`+).*?\1", "", text)
        assert not re.search(r"<(?!/?code>)|(?<!\\)\[f\]", outside)
        assert not re.search(r"^(# title|\| x)", text, re.MULTILINE)


@pytest.mark.parametrize("form", FORMS)
def test_every_block_is_there_in_its_order_and_a_verdict_last_on_a_terminal(form: str) -> None:
    text = re.sub(r"<style>.*?</style>|<[^>]*>", " ", drawn(report_of("it"), form), flags=re.DOTALL)
    body = ["it", "! it", "✓ it", "number", "name", "≈ it", "✗ it", "timeline"]
    if form != "terminal":
        body = ["✗", "lead", *body]
    place = 0
    for part in body:
        found = re.compile(re.escape(part).replace(r"\ ", r"\s+\W*")).search(text, place)
        assert found is not None, part
        place = found.end()
    if form == "terminal":
        assert text.splitlines()[-2:] == ["lead", "✗ it"]
        assert "\n\n\n" not in text
    assert ("detail" in text, "at most 9" in text) == (form != "markdown", form == "html")


@pytest.mark.parametrize("form", FORMS)
def test_what_is_more_than_there_is_room_for_is_counted(form: str) -> None:
    text = drawn(report_of("it"), form, Most(cards=1, rows=1, lines=1))
    assert (text.count("and 2 more"), text.count("and 1 more")) == (2, 1)
    assert not [part for part in ("second", "third", "another") if part in text]


def test_signs_and_texts_have_characters_that_the_terminal_knows() -> None:
    for encoding in ("ascii", "cp1252"):
        text = drawn(report_of("é"), "terminal", encoding=encoding)
        assert "\nX " in text
        assert "✗" not in text


@pytest.mark.parametrize("width", [30, 40, 80])
def test_titles_and_numbers_are_whole_in_few_columns(width: int) -> None:
    """Fault: "mismatches" was broken into two lines, beside names that had room; dates of a history into six."""
    text = drawn(comparison_report(compare(passing_run(), sample_run())), "terminal", width=width)
    form = r"^  mismatches  \d.*$" if width == 30 else r"^model +new  fixed  changed  mismatches$"
    assert re.search(form, text, re.MULTILINE), text
    assert all(cell_len(line.rstrip()) <= width for line in text.splitlines())


def test_the_page_needs_nothing_and_runs_only_its_own_script() -> None:
    page = drawn(report_of("it"), "html")
    assert "default-src &#39;none&#39;; style-src &#39;sha256-" in page
    assert page.count("<script") == 1
    assert page.count('id="at"') == 2
    assert not [word for word in ("url(", "@import", "<link", " style=") if word in page]


def test_bars_are_as_tall_as_their_values() -> None:
    tall = re.findall(
        r'class="(new|plain)" x="\d+" y="([\d.]+)" width="24" height="([\d.]+)"', drawn(report_of("i"), "html")
    )
    assert tall == [("new", "75.00", "25.00"), ("plain", "0.00", "75.00")]


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a|b", r"a\|b"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("`x` *y* _z_ ~s~ [l](u)", r"\`x\` \*y\* \_z\_ \~s\~ \[l\](u)"),
        ("@someone", "<code>@someone</code>"),
        ("see #12", "<code>see #12</code>"),
        ("a\nb\u202e", r"a␊b\\u{202e}"),
    ],
)
def test_prose_is_not_markup(text: str, safe: str) -> None:
    assert prose(text) == safe


@pytest.mark.parametrize(
    ("text", "span"), [("a", "`a`"), ("a`b", "``a`b``"), ("``", "``` `` ```"), ("`a", "`` `a ``"), ("<b>|", "`<b>|`")]
)
def test_nothing_ends_a_code_span(text: str, span: str) -> None:
    assert code(text) == span


PAGES = {
    "history": history_report(
        history([("night-0", passing_run()), ("night-1", replace(sample_run(), started="2026-01-01T00:00:00Z"))]),
        {"night-1": "night-1/report.html"},
    ),
    "comparison": comparison_report(compare(passing_run(), replace(sample_run(), findings=HOSTILE)), ("a", "b")),
}


@needs_browser
@pytest.mark.parametrize(("size", "scheme"), VIEWS, ids=["desk", "phone"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_has_contrast_and_is_accessible(
    browser: Any, tmp_path: Path, size: tuple[int, int], scheme: str, name: str
) -> None:
    path = tmp_path / "page.html"
    path.write_text(drawn(PAGES[name], "html"), "utf-8")
    opened = Opened(browser, path, size, color_scheme=scheme)
    with opened as page:
        assert page.evaluate("() => document.documentElement.scrollWidth") == size[0]
        assert violations(page) == []
    assert opened.complaints == []


@needs_browser
def test_a_phone_shows_every_run_and_column_in_its_width(browser: Any, tmp_path: Path) -> None:
    runs = ((f"night-{number:02}", replace(sample_run(), started=f"2026-01-{number + 1:02}")) for number in range(30))
    path = tmp_path / "history.html"
    path.write_text(drawn(history_report(history(runs)), "html"), "utf-8")
    with Opened(browser, path, PHONE) as page:
        ends = page.evaluate(
            "() => [...document.querySelectorAll('.trend td, .blocks td:not(:empty), svg')]"
            ".map(element => element.getBoundingClientRect().right)"
        )
    assert 0 < min(ends) <= max(ends) <= PHONE[0]
