"""A matrix of releases as Markdown: what changed in words, the table, then every cause with its shrunk examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.comparing.matrix import Behaviour, Cause, LibraryMatrix
from conformance.report.matrix import view
from conformance.report.run.markdown import code, prose


def matrix_markdown(libraries: Sequence[LibraryMatrix]) -> str:
    """The matrices of all libraries, one after the other."""
    lines = ["# Releases of the official libraries", "", view.INTRODUCTION]
    for library in libraries:
        lines += ["", *_library(library)]
    return "\n".join(lines) + "\n"


def _library(library: LibraryMatrix) -> Iterator[str]:
    yield from (f"## {prose(view.headline(library))}", "")
    yield from (f"- {prose(line, 600)}" for line in view.summary_lines(library))
    yield from _table(library)
    if view.equal_line(library):
        yield from ("", f"{view.SIGNS['equal']} {view.equal_line(library)}.")
    for cause in library.causes:
        yield from ("", *_cause(library, cause))
    lines = view.gap_lines(library)
    if lines:
        yield from ("", f"### {view.NOT_ASKED}", "")
    yield from (f"- {prose(line, 600)}" for line in lines)


def _table(library: LibraryMatrix) -> Iterator[str]:
    rows = view.telling_rows(library)
    if not rows:
        return
    signs = ", ".join(f"{view.SIGNS[state]} {meaning}" for state, meaning in view.MEANINGS.items())
    yield from ("", f"{signs}. {view.COUNTED}", "")
    yield f"| model | check | {' | '.join(map(prose, library.releases))} |"
    yield f"|---|---{'|---' * len(library.releases)}|"
    for row in rows:
        cells = " | ".join(map(view.shown_cell, row.cells))
        yield f"| {prose(row.model, 40)} | {prose(row.check)} | {cells} |"


def _cause(library: LibraryMatrix, cause: Cause) -> Iterator[str]:
    sign = view.SIGNS["known" if cause.is_known else "new"]
    yield from (f"### {sign} {prose(f'{view.period(cause)}: {view.title(cause)}', 600)}", "")
    for name, value in view.facts(library, cause):
        yield f"- {name}: {prose(value, 2000)}"
    for behaviour in cause.behaviours:
        yield from _behaviour(library, cause, behaviour)


def _behaviour(library: LibraryMatrix, cause: Cause, behaviour: Behaviour) -> Iterator[str]:
    yield f"- **{prose(view.place(behaviour))}**: {prose(view.extent(cause, behaviour), 600)}"
    given, *both = (f"{code(shown)} {prose(words)}" for shown, words in view.example_lines(library, behaviour, 60))
    yield f"  - example: {given}: {', '.join(both)}"
