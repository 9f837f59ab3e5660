"""A matrix of releases as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from conformance.comparing.matrix import Behaviour, LibraryMatrix
from conformance.report.matrix import view as matrix_view
from conformance.report.templates import LONGEST_ANSWER, page


def matrix_html(libraries: Sequence[LibraryMatrix]) -> str:
    """The whole page."""
    return page(
        "matrix.html.jinja",
        ["report.css", "comparison.css", "matrix.css"],
        libraries=libraries,
        words=matrix_view,
        example_lines=_example_lines,
    )


def _example_lines(library: LibraryMatrix, behaviour: Behaviour) -> list[tuple[Markup, str]]:
    lines = matrix_view.example_lines(library, behaviour, LONGEST_ANSWER)
    return [(Markup.escape(shown), words) for shown, words in lines]
