"""The page as a person uses it: anchors, keyboard, contrast, pages, with and without JavaScript, on wide and narrow."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.core.case import text_case
from conformance.report.run.html import html_report
from tests.conformance.report.run.browsers import needs_browser
from tests.conformance.report.run.pages import PHONE, VIEWS, Opened, violations
from tests.conformance.report.sample_run import finding, sample_run

pytestmark = needs_browser

FOCUSABLE = """() => [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex]")]
  .filter((element) => element.checkVisibility() && element.tabIndex >= 0).length"""

FOCUSED = """() => {
  const element = document.activeElement;
  if (element === document.body) return null;
  window.stops ??= new Map();
  if (!window.stops.has(element)) window.stops.set(element, window.stops.size);
  return { number: window.stops.get(element), outlined: getComputedStyle(element).outlineStyle !== "none" };
}"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(html_report(sample_run()), "utf-8")
    return path


@pytest.mark.parametrize(("size", "scheme"), VIEWS, ids=["desk", "phone"])
def test_it_opens_without_complaints_fits_its_width_and_has_contrast(
    browser: Any, report: Path, size: tuple[int, int], scheme: str
) -> None:
    opened = Opened(browser, report, size, color_scheme=scheme)
    with opened as page:
        page.evaluate("() => document.querySelectorAll('details').forEach((details) => { details.open = true; })")
        assert page.evaluate("() => document.documentElement.scrollWidth") == size[0]
        assert page.evaluate("() => document.documentElement.dataset.harmed") is None
        assert violations(page) == []
    assert opened.complaints == []
    assert opened.requests == [report.as_uri()]


def test_every_anchor_leads_to_its_finding(browser: Any, report: Path) -> None:
    with Opened(browser, report, PHONE) as page:
        for item in sample_run().findings:
            page.goto(f"{report.as_uri()}#{item.fingerprint}")
            section = page.locator(f"[id='{item.fingerprint}']")
            section.wait_for(state="visible")
            assert 0 <= section.bounding_box()["y"] < PHONE[1]


def test_the_keyboard_reaches_everything_and_shows_where_it_is(browser: Any, report: Path) -> None:
    with Opened(browser, report) as page:
        expected = page.evaluate(FOCUSABLE)
        stops = []
        for _ in range(expected):
            page.keyboard.press("Tab")
            stops.append(page.evaluate(FOCUSED))
        assert None not in stops
        assert {stop["number"] for stop in stops} == set(range(expected))
        assert all(stop["outlined"] for stop in stops)


def test_it_is_whole_without_javascript(browser: Any, report: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    articles = page.locator("article").all()
    assert len(articles) == len(sample_run().findings)
    for summary in page.locator("details.aside > summary, .ranked > details > summary").all():
        summary.click()
    assert all(article.is_visible() for article in articles)
    assert not page.locator("form.filter").is_visible()
    context.close()


@pytest.fixture(scope="module")
def long_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    many = tuple(
        finding(text_case(f"t{number}", "fuzz"), f"cause-{number}x", count=100 - number) for number in range(120)
    )
    path = tmp_path_factory.mktemp("long") / "report.html"
    path.write_text(html_report(replace(sample_run(), findings=many)), "utf-8")
    return path


def shown(page: Any) -> int:
    return int(page.locator(".ranked:visible").count())


def test_search_and_filter_look_at_every_finding(browser: Any, long_report: Path) -> None:
    with Opened(browser, long_report) as page:
        page.get_by_role("searchbox").fill("CAUSE-57X")
        assert shown(page) == 1
        assert page.locator("output").inner_text() == "1 of 120 found"
        page.get_by_role("searchbox").fill("")
        page.get_by_label("Status").select_option("known")
        assert shown(page) == 0


ADDRESS = "() => location.href"
"""What the page has; what the driver knows of it may come later."""


def test_the_filter_stands_in_the_address_and_is_restored_from_it(browser: Any, report: Path) -> None:
    with Opened(browser, report) as page:
        page.get_by_label("Severity").select_option("other ids")
        page.get_by_role("searchbox").fill("composes & U+0301")
        address, found = page.evaluate(ADDRESS), shown(page)
        assert found == 0
        page.get_by_role("searchbox").fill("composes e")
        assert (page.evaluate(ADDRESS) == address, shown(page)) == (False, 1)
        address = page.evaluate(ADDRESS)
        page.goto("about:blank")
        page.goto(address)
        assert page.get_by_role("searchbox").input_value() == "composes e"
        assert page.get_by_label("Severity").input_value() == "other ids"
        assert shown(page) == 1
        page.evaluate("() => { location.hash = '?severity=no-such'; }")
        page.wait_for_function("() => document.querySelector('form.filter').elements.words.value === ''")
        assert shown(page) > 1


CLIPBOARD = """() => Object.defineProperty(navigator, "clipboard", {
  value: { writeText: async (text) => { if (%s) throw new Error("denied"); window.copied = text; } },
})"""


@pytest.mark.parametrize("is_denied", [False, True], ids=["copied", "denied"])
def test_a_finding_is_copied_as_an_issue_or_else_selected(browser: Any, report: Path, is_denied: bool) -> None:
    with Opened(browser, report) as page:
        page.evaluate(CLIPBOARD % ("true" if is_denied else "false"))
        page.locator(".ranked > details > summary").first.click()
        page.get_by_role("button", name="Copy as issue").first.press("Enter")
        page.wait_for_function("() => window.copied ?? getSelection().toString()")
        copied = page.evaluate("() => window.copied ?? getSelection().toString()")
        assert copied.strip() == page.locator("[data-copy]").first.text_content().strip()
        assert copied.startswith("### ")
        assert page.evaluate("() => 'copied' in window") is not is_denied


def test_a_table_is_sorted_by_the_column_that_is_pressed(browser: Any, report: Path) -> None:
    with Opened(browser, report) as page:
        table = page.locator("table.heat").first
        cells = "(table) => [...table.tBodies[0].rows].map((row) => row.cells[1].textContent)"
        before = table.evaluate(cells)
        head = table.locator("th button").nth(1)
        for order, expected in (("descending", before), ("ascending", before[::-1])):
            head.click()
            assert table.locator("th").nth(1).get_attribute("aria-sort") == order
            assert table.evaluate(cells) == expected


def test_the_matrix_is_never_clipped(browser: Any, report: Path) -> None:
    with Opened(browser, report, PHONE) as page:
        box = page.locator(".box:has(> .matrix)")
        assert box.evaluate("(box) => box.scrollWidth <= box.clientWidth")


def test_a_link_reaches_a_finding_that_the_filter_hides(browser: Any, long_report: Path) -> None:
    last = finding(text_case("t119", "fuzz"), "cause-119x").fingerprint
    with Opened(browser, long_report) as page:
        page.goto(f"{long_report.as_uri()}#{last}")
        page.reload()
        page.locator(f"[id='{last}']").wait_for(state="visible")
        page.evaluate("() => { location.hash = ''; }")
        page.get_by_role("searchbox").fill("cause-1x")
        page.evaluate("(last) => { location.hash = last; }", last)
        page.locator(f"[id='{last}']").wait_for(state="visible")


@pytest.fixture(scope="module")
def endless_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    many = tuple(finding(text_case("t", "fuzz"), f"cause-{number}", count=9_999 - number) for number in range(3_000))
    path = tmp_path_factory.mktemp("endless") / "report.html"
    path.write_text(html_report(replace(sample_run(), findings=many)), "utf-8")
    return path


@pytest.mark.parametrize(("number", "javascript"), [(199, True), (2_999, True), (2_999, False)])
def test_every_anchor_of_a_long_report_leads_somewhere(
    browser: Any, endless_report: Path, number: int, javascript: bool
) -> None:
    context = browser.new_context(java_script_enabled=javascript, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    fingerprint = finding(text_case("t", "fuzz"), f"cause-{number}").fingerprint
    page.goto(f"{endless_report.as_uri()}#{fingerprint}")
    anchor = page.locator(f"[id='{fingerprint}']")
    anchor.wait_for(state="attached")
    assert 0 <= anchor.bounding_box()["y"] < 900
    context.close()


def test_a_link_followed_in_a_long_report_leads_to_what_is_only_counted(browser: Any, endless_report: Path) -> None:
    last = finding(text_case("t", "fuzz"), "cause-2999").fingerprint
    with Opened(browser, endless_report) as page:
        for hash_ in (last, "findings", last, 'no"<such>'):
            page.evaluate("(hash) => { location.hash = hash; }", hash_)
        assert page.locator(f"[id='{last}']").count() == 1
