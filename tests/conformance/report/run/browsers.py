"""The browser that the tests of pages use, where there is one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
DOWNLOADS = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
"""Where `playwright install chromium` puts its own."""


def found_browser() -> str | None:
    """A Chromium on the path, or playwright's newest."""
    downloaded = sorted(DOWNLOADS.glob("chromium-*/chrome-linux*/chrome"))
    return next(filter(None, map(shutil.which, (*NAMES, *map(str, downloaded[-1:])))), None)


BROWSER = found_browser()
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no browser: neither a Chromium nor Chrome is installed")
"""Counted by .ci/run, which says how many tests that leaves out."""
