"""Pages in a browser, and what is asked of each: the rules of axe-core, that of contrast (WCAG 2.2 AA) among them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

DESK, PHONE = (1280, 900), (390, 800)
VIEWS = [(DESK, "light"), (PHONE, "dark")]
"""What pages are looked at with: a size, and a colour scheme."""


class Opened:
    """A page of a file, with what the browser complained of and asked for."""

    def __init__(self, browser: Any, path: Path, size: tuple[int, int] = DESK, **options: Any) -> None:
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


def violations(page: Any) -> list[str]:
    """What axe-core has against the page as it is."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['target']} {node['failureSummary']}" for one in found for node in one["nodes"]]
