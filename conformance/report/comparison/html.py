"""A comparison of two runs as one HTML file that needs nothing else."""

from __future__ import annotations

from conformance.comparing.comparison import Comparison
from conformance.report.comparison import view
from conformance.report.templates import page

MOST_FINDINGS = 500
MOST_CULPRITS = 8
MOST_ROWS = 500


def comparison_html(comparison: Comparison, reports: tuple[str, str] = ("", "")) -> str:
    """The whole page. reports: the addresses of the first and the second run's report, "" where there is none."""
    return page(
        "comparison.html.jinja",
        ["report.css", "comparison.css"],
        comparison=comparison,
        reports=reports,
        words=view,
        culprits=view.wrong_culprits(comparison),
        most=MOST_FINDINGS,
        most_culprits=MOST_CULPRITS,
        most_rows=MOST_ROWS,
    )
