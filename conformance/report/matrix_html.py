"""A matrix of releases as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.matrix import LibraryMatrix, history, spans
from conformance.report.matrix_view import (
    CLASSES,
    MEANINGS,
    SIGNS,
    cell_sentence,
    equal_line,
    facts,
    gap_line,
    headline,
    shown_cell,
    telling_rows,
    title,
    who,
)
from conformance.report.templates import page


def matrix_html(libraries: Sequence[LibraryMatrix]) -> str:
    """The whole page."""
    return page(
        "matrix.html.jinja",
        ["report.css", "comparison.css"],
        libraries=libraries,
        signs=SIGNS,
        meanings=MEANINGS,
        classes=CLASSES,
        headline=headline,
        rows=telling_rows,
        shown_cell=shown_cell,
        sentence=cell_sentence,
        equal_line=equal_line,
        gap_line=gap_line,
        title=title,
        facts=facts,
        who=who,
        history=history,
        spans=spans,
    )
