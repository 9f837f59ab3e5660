"""The page of a session under way: its script asks for progress.json every second, and shows what it says."""

from __future__ import annotations

from conformance.report.templates import page


def live_html(command: str) -> str:
    """The whole page. command: of the session."""
    return page("live.html.jinja", ["report.css", "blocks.css", "live.css"], "live.js", connects=True, command=command)
