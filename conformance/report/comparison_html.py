"""A comparison of two runs as one HTML file that needs nothing else."""

from __future__ import annotations

from functools import partial

from conformance.comparison import KINDS, Comparison
from conformance.report.comparison_view import (
    KIND_OF_VERDICT,
    SHOWN,
    SIGNS,
    TALLY_TITLES,
    TITLES,
    changed_tallies,
    coverage_lines,
    headline,
    new_culprits,
    place_lines,
    run_line,
    since,
    tally_row,
    version_lines,
    what_changed,
)
from conformance.report.templates import page
from conformance.report.view import accusation

MOST_FINDINGS = 500
MOST_CULPRITS = 8


def comparison_html(comparison: Comparison) -> str:
    """The whole page."""
    return page(
        "comparison.html.jinja",
        ["report.css", "comparison.css"],
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
        since=partial(since, comparison),
        culprits=[(culprit, accusation(culprit.worst)) for culprit in new_culprits(comparison)],
        most_culprits=MOST_CULPRITS,
        tally_titles=TALLY_TITLES,
        tables=[
            (dimension, [(tally.name, tally_row(tally)) for tally in tallies])
            for dimension, tallies in changed_tallies(comparison)
        ],
    )
