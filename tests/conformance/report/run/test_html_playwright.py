"""The page as a person uses it: anchors, keyboard, contrast, pages, with and without JavaScript, on wide and narrow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.core.case import text_case
from conformance.report.run.html import html_report
from tests.conformance.report.run.browsers import BROWSER, needs_browser
from tests.conformance.report.sample_run import finding, sample_run

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = needs_browser

SIZES = [(1280, 900), (390, 800)]
SCHEMES = ["light", "dark"]

# Every text that is seen, whose computed colours have a lower contrast than WCAG 2.2 AA asks (1.4.3).
LOW_CONTRAST = """() => {
  const channels = (colour) => {
    const found = colour.match(/[\\d.]+/g).map(Number);
    return { rgb: found.slice(0, 3), alpha: found.length > 3 ? found[3] : 1 };
  };
  const luminance = (rgb) => rgb
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const paper = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { rgb, alpha } = channels(getComputedStyle(at).backgroundColor);
      if (alpha === 1) return rgb;
      if (alpha !== 0) return [128, 128, 128];
    }
    return [255, 255, 255];
  };
  const wrong = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const hidden = element.closest(".sr, .skip, script, style, option") || !element.checkVisibility();
    if (!walker.currentNode.data.trim() || hidden) continue;
    seen += 1;
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const pair = [luminance(channels(style.color).rgb), luminance(paper(element))].sort((a, b) => b - a);
    const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (contrast < (large ? 3 : 4.5)) wrong.push(`${element.className} ${walker.currentNode.data.trim()} ${contrast}`);
  }
  return { seen, wrong };
}"""

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
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(html_report(sample_run()), "utf-8")
    return path


class Opened:
    """A page of a file, with what the browser complained of and asked for."""

    def __init__(self, browser: Any, path: Path, size: tuple[int, int] = SIZES[0], **options: Any) -> None:
        self.page = browser.new_page(viewport={"width": size[0], "height": size[1]}, **options)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())

    def __enter__(self) -> Any:
        return self.page

    def __exit__(self, *_: object) -> None:
        self.page.close()


@pytest.mark.parametrize("size", SIZES, ids=["1280", "390"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_it_opens_without_complaints_fits_its_width_and_has_contrast(
    browser: Any, report: Path, size: tuple[int, int], scheme: str
) -> None:
    opened = Opened(browser, report, size, color_scheme=scheme)
    with opened as page:
        page.evaluate("() => document.querySelectorAll('details').forEach((details) => { details.open = true; })")
        assert page.evaluate("() => document.documentElement.scrollWidth") == size[0]
        told = page.evaluate(LOW_CONTRAST)
        assert told["wrong"] == []
        assert told["seen"] > 300
        assert page.evaluate("() => document.documentElement.dataset.harmed") is None
    assert opened.complaints == []
    assert opened.requests == [report.as_uri()]


@pytest.mark.parametrize("size", SIZES, ids=["1280", "390"])
def test_every_anchor_leads_to_its_finding(browser: Any, report: Path, size: tuple[int, int]) -> None:
    with Opened(browser, report, size) as page:
        for item in sample_run().findings:
            page.goto(f"{report.as_uri()}#{item.fingerprint}")
            section = page.locator(f"[id='{item.fingerprint}']")
            assert section.is_visible()
            assert 0 <= section.bounding_box()["y"] < size[1]


@pytest.mark.parametrize("size", SIZES, ids=["1280", "390"])
def test_the_keyboard_reaches_everything_and_shows_where_it_is(
    browser: Any, report: Path, size: tuple[int, int]
) -> None:
    with Opened(browser, report, size) as page:
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
    page.locator("details.aside > summary").click()
    assert all(article.is_visible() for article in articles)
    assert not page.locator("form.filter").is_visible()
    context.close()


@pytest.fixture(scope="module")
def long_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    many = tuple(
        finding(text_case(f"t{number}", "fuzz"), f"cause-{number}x", count=100 - number) for number in range(60)
    )
    path = tmp_path_factory.mktemp("long") / "report.html"
    path.write_text(html_report(replace(sample_run(), findings=many)), "utf-8")
    return path


def shown(page: Any) -> int:
    return int(page.locator("article:visible").count())


def test_findings_come_in_pages(browser: Any, long_report: Path) -> None:
    with Opened(browser, long_report) as page:
        assert shown(page) == 25
        page.get_by_role("button", name="Show 25 more of 60").click()
        page.get_by_role("button", name="Show 10 more of 60").click()
        assert shown(page) == 60
        assert not page.locator("button.more").is_visible()


def test_search_and_filter_look_at_every_page(browser: Any, long_report: Path) -> None:
    with Opened(browser, long_report) as page:
        page.get_by_role("searchbox").fill("CAUSE-57X")
        assert shown(page) == 1
        assert page.locator("output").inner_text() == "1 of 60 found"
        page.get_by_role("searchbox").fill("")
        page.get_by_label("Status").select_option("known")
        assert shown(page) == 0


def test_a_link_reaches_a_finding_of_a_later_page(browser: Any, long_report: Path) -> None:
    last = finding(text_case("t59", "fuzz"), "cause-59x").fingerprint
    with Opened(browser, long_report) as page:
        page.goto(f"{long_report.as_uri()}#{last}")
        page.reload()
        assert page.locator(f"[id='{last}']").is_visible()
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


@pytest.mark.parametrize("number", [199, 200, 1_199, 1_200, 2_999], ids=lambda number: f"finding-{number}")
@pytest.mark.parametrize("javascript", [True, False], ids=["script", "no-script"])
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
