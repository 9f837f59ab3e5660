"""The browser that the tests of pages use: tests are left out where there is none, but in CI they fail."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
DOWNLOADS = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
"""Where `playwright install chromium` puts its own."""
IS_CI = bool(os.environ.get("CI"))


def found_browser() -> str | None:
    """A Chromium on the path, or playwright's newest."""
    downloaded = sorted(DOWNLOADS.glob("chromium-*/chrome-linux*/chrome"))
    return next(filter(None, map(shutil.which, (*NAMES, *map(str, downloaded[-1:])))), None)


BROWSER = found_browser()
# Who works on something else need not install a browser; CI does, and there nothing is left out.
needs_browser = pytest.mark.skipif(
    BROWSER is None and not IS_CI, reason="no browser: neither a Chromium nor Chrome is installed"
)
"""In CI, where it is not left out, a test without a browser fails by `browser_path`."""


def browser_path() -> str:
    """The browser; fails the test where there is none."""
    return BROWSER or pytest.fail(
        "no browser: neither a Chromium nor Chrome is installed, and in CI no test is left out"
    )
