"""A comparison of two runs as one HTML file that needs nothing else."""

from __future__ import annotations

from functools import partial

from conformance.comparing.comparison import Comparison
from conformance.report.comparison.view import (
    APART,
    KIND_OF_VERDICT,
    SHOWN,
    SIGNS,
    STATUS_WORDS,
    TITLES,
    counted_line,
    counts,
    headline,
    more_rows,
    place_lines,
    run_line,
    since,
    tally_tables,
    unchanged_line,
    unlike,
    version_lines,
    what_changed,
    wrong_culprits,
)
from conformance.report.run.view import accusation
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
        headline=headline(comparison),
        unlike=unlike(comparison),
        counts=counts(comparison),
        before=run_line(comparison.before),
        after=run_line(comparison.after),
        versions=version_lines(comparison),
        places=place_lines(comparison),
        shown=SHOWN,
        signs=SIGNS,
        sign=SIGNS[KIND_OF_VERDICT[comparison.verdict]],
        titles=TITLES,
        apart=APART,
        status_words=STATUS_WORDS,
        most=MOST_FINDINGS,
        sentences=what_changed,
        since=partial(since, comparison),
        culprits=[(name, item, accusation(item.worst)) for name, item in wrong_culprits(comparison)],
        most_culprits=MOST_CULPRITS,
        unchanged_line=unchanged_line(comparison),
        tables=list(tally_tables(comparison)),
        most_rows=MOST_ROWS,
        more_rows=more_rows,
        counted=counted_line(comparison),
    )
