"""A browser for the tests of pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.conformance.report.run.browsers import IS_CI, browser_path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    for package in () if IS_CI else ("playwright", "axe_playwright_python"):
        pytest.importorskip(package)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=browser_path(), args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()
