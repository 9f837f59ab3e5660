"""A matrix of releases as Markdown: the table, then every change of behaviour with its shrunk example."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.matrix import Behaviour, LibraryMatrix
from conformance.report.markdown import code, prose
from conformance.report.matrix_view import (
    MEANINGS,
    SIGNS,
    equal_line,
    facts,
    gap_line,
    headline,
    shown_cell,
    telling_rows,
    title,
    who,
)
from conformance.report.view import answers, plural, shown_input


def matrix_markdown(libraries: Sequence[LibraryMatrix]) -> str:
    """The matrices of all libraries, one after the other."""
    signs = ", ".join(f"{SIGNS[state]} {meaning}" for state, meaning in MEANINGS.items())
    lines = ["# Releases of the official libraries", "", f"{signs}. Numbers are answers that differ."]
    for library in libraries:
        lines += ["", *_library(library)]
    return "\n".join(lines) + "\n"


def _library(library: LibraryMatrix) -> Iterator[str]:
    yield from (f"## {prose(headline(library))}", "")
    rows = telling_rows(library)
    if rows:
        yield f"| model | check | {' | '.join(map(prose, library.releases))} |"
        yield f"|---|---{'|---' * len(library.releases)}|"
    for row in rows:
        cells = " | ".join(map(shown_cell, row.cells))
        yield f"| {prose(row.model, 40)} | {prose(row.check)} | {cells} |"
    if equal_line(library):
        yield from ("", f"{SIGNS['equal']} {equal_line(library)}.")
    if library.gaps:
        yield from ("", "Not asked:", "")
    yield from (f"- {prose(gap_line(library, gap), 300)}" for gap in library.gaps)
    for behaviour in library.changes:
        yield from ("", *_behaviour(library, behaviour))
    same = [behaviour for behaviour in library.behaviours if not behaviour.has_changed]
    if same:
        yield from ("", f"### {plural(len(same), 'behaviour')} in every release that was asked", "")
    for behaviour in same:
        yield f"- {prose(behaviour.subject)}, {prose(behaviour.check)}: {prose(title(behaviour))}"


def _behaviour(library: LibraryMatrix, behaviour: Behaviour) -> Iterator[str]:
    sign = SIGNS["known" if behaviour.is_known else "new"]
    example = behaviour.example.example
    expected, observed = map(code, answers(example, limit=60).lines)
    yield from (f"### {sign} {prose(title(behaviour))}", "")
    yield f"- **{prose(behaviour.check)}** of {prose(behaviour.subject)}"
    for name, value in facts(library, behaviour):
        yield f"- {name}: {prose(value, 600)}"
    whose = who(library, behaviour)
    yield f"- example: {code(shown_input(example.case, 60))} on {prose(example.model)}:"
    yield f"  {expected} {prose(whose[0])}, {observed} {prose(whose[1])}"
