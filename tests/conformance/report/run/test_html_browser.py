"""The page in a real browser: all anchors are there, nothing runs that should not, nothing overflows sideways."""

from __future__ import annotations

import html
import re
import struct
import subprocess
from pathlib import Path

import pytest

from conformance.report.run.html import html_report
from tests.conformance.report.run.browsers import browser_path, needs_browser
from tests.conformance.report.sample_run import sample_run

OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
)

# The page in a frame of an exact width (a window has a least width); what the frame's page says of itself is written
# into the attributes of the outer page, since the page's policy runs no script but its own.
FRAME = """<!doctype html><body style="margin: 0">
<iframe style="border: 0; width: {width}px; height: 2000px" srcdoc="{page}"></iframe>
<script>
addEventListener("load", () => {{
  const inner = document.querySelector("iframe").contentDocument;
  for (const details of inner.querySelectorAll("details")) details.open = true;
  const told = document.documentElement.dataset;
  told.width = inner.documentElement.scrollWidth;
  const form = inner.querySelector("form.filter");
  told.filter = form.checkVisibility();
  form.elements.words.value = "ZERO width JOINER";
  form.dispatchEvent(new Event("input"));
  told.shown = [...inner.querySelectorAll("article")].filter((item) => item.checkVisibility()).length;
  told.counted = form.querySelector("output").value;
  form.reset();
  form.dispatchEvent(new Event("input"));
  told.done = "yes";
}});
</script>"""

pytestmark = needs_browser


def browse(file: Path, *options: str) -> str:
    """What chromium says of a file."""
    profile = f"--user-data-dir={file.parent / 'profile'}"
    command = [browser_path(), *OPTIONS, profile, *options, file.as_uri()]
    return subprocess.run(command, capture_output=True, check=True, timeout=120).stdout.decode("utf-8")


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "report.html"
    path.write_text(html_report(sample_run()), "utf-8")
    return path


def framed(page: Path, width: int) -> Path:
    path = page.with_name(f"frame_{width}.html")
    path.write_text(FRAME.format(width=width, page=html.escape(page.read_text("utf-8"))), "utf-8")
    return path


def test_all_anchors_are_in_the_dom_and_no_input_runs(page: Path) -> None:
    dom = browse(page, "--dump-dom")
    anchors = re.findall(r'<article [^>]*\bid="(\w+)"', dom)
    assert sorted(anchors) == sorted(finding.fingerprint for finding in sample_run().findings)
    assert 'data-harmed="' not in dom
    assert "<button" in dom, "the page's own script did not run"


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_its_width_and_filters(page: Path, width: int) -> None:
    dom = browse(framed(page, width), "--dump-dom")
    told = dict(re.findall(r'data-(\w+)="([^"]*)"', dom.split("<head>")[0]))
    assert told == {"width": str(width), "filter": "true", "shown": "1", "counted": "1 of 9 found", "done": "yes"}


@pytest.mark.parametrize("width", [1280, 390])
def test_a_screenshot_has_the_page(page: Path, width: int) -> None:
    picture = page.with_name("page.png")
    browse(framed(page, width), f"--screenshot={picture}", f"--window-size={width},1600")
    start = picture.read_bytes()[:24]
    assert start.startswith(b"\x89PNG")
    assert struct.unpack(">II", start[16:]) >= (width, 1)
    assert picture.stat().st_size > 20_000, "the page is blank"
