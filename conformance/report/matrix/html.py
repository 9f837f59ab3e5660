"""A matrix of releases as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.comparing.matrix import LibraryMatrix
from conformance.report.matrix import view
from conformance.report.templates import LONGEST_ANSWER, page


def matrix_html(libraries: Sequence[LibraryMatrix]) -> str:
    """The whole page."""
    styles = ["report.css", "comparison.css", "matrix.css"]
    return page("matrix.html.jinja", styles, libraries=libraries, words=view, longest_answer=LONGEST_ANSWER)
