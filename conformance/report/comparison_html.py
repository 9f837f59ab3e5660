"""A comparison of two runs as one HTML file that needs nothing else."""

from __future__ import annotations

from conformance.comparison import KINDS, Comparison
from conformance.report.comparison_page import page
from conformance.report.comparison_view import (
    KIND_OF_VERDICT,
    SHOWN,
    SIGNS,
    TALLY_TITLES,
    TITLES,
    changed_tallies,
    coverage_lines,
    headline,
    place_lines,
    run_line,
    tally_row,
    version_lines,
    what_changed,
)

MOST_FINDINGS = 500


def comparison_html(comparison: Comparison) -> str:
    """The whole page."""
    return page(
        "comparison.html.jinja",
        comparison=comparison,
        headline=headline(comparison),
        before=run_line(comparison.before),
        after=run_line(comparison.after),
        versions=version_lines(comparison),
        asked=(*coverage_lines(comparison), *place_lines(comparison)),
        kinds=KINDS,
        shown=SHOWN,
        signs=SIGNS,
        sign=SIGNS[KIND_OF_VERDICT[comparison.verdict]],
        titles=TITLES,
        most=MOST_FINDINGS,
        sentences=what_changed,
        tally_titles=TALLY_TITLES,
        tables=[
            (dimension, [(tally.name, tally_row(tally)) for tally in tallies])
            for dimension, tallies in changed_tallies(comparison)
        ],
    )
