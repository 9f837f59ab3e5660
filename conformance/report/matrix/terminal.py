"""A matrix of releases on the terminal: what changed in words, the table, the causes one by one, what was not asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from conformance.comparing.matrix import Cause, LibraryMatrix, State
from conformance.report.console import ConsoleLines
from conformance.report.matrix import view

_STYLES: dict[State, str] = {
    "equal": "green",
    "known": "yellow",
    "new": "bold red",
    "none": "dim",
    "refused": "magenta",
}
_PLAIN_SIGNS: dict[State, str] = {"equal": "ok", "known": "~", "new": "X", "none": "-", "refused": "no"}


def print_matrix(libraries: Sequence[LibraryMatrix], console: Console) -> None:
    """Prints the matrices; foreign text is escaped, so that it cannot command the terminal."""
    lines = ConsoleLines(console)
    signs = _PLAIN_SIGNS if console.options.ascii_only else view.SIGNS
    lines.line(view.INTRODUCTION)
    for library in libraries:
        _library(library, signs, lines)


def _library(library: LibraryMatrix, signs: Mapping[State, str], lines: ConsoleLines) -> None:
    lines.title(view.headline(library))
    for line in view.summary_lines(library):
        lines.labelled("  ", line)
    lines.line()
    rows: list[Sequence[Text | str]] = [
        (row.model, row.check, *(lines.shown(view.shown_cell(cell, signs), _STYLES[cell.state]) for cell in row.cells))
        for row in view.telling_rows(library)
    ]
    if rows:
        lines.table(("model", "check", *library.releases), rows, names=2)
        lines.line("   ".join(f"{signs[state]} {meaning}" for state, meaning in view.MEANINGS.items()), "dim")
        lines.line(view.COUNTED, "dim")
    if view.equal_line(library):
        lines.line(f"{signs['equal']} {view.equal_line(library)}", "green")
    for cause in library.causes:
        _cause(library, cause, signs, lines)
    gaps = view.gap_lines(library)
    if gaps:
        lines.title(view.NOT_ASKED)
    for line in gaps:
        lines.labelled("  ", line)


def _cause(library: LibraryMatrix, cause: Cause, signs: Mapping[State, str], lines: ConsoleLines) -> None:
    lines.line()
    state: State = "known" if cause.is_known else "new"
    words = lines.text(f"{view.period(cause)}: {view.title(cause)}", "bold", 600)
    lines.line(Text(f"{signs[state]} ", _STYLES[state]).append_text(words))
    rows = [(name, lines.text(value, limit=2000)) for name, value in view.facts(library, cause)]
    for behaviour in cause.behaviours:
        rows.append((view.place(behaviour), lines.text(view.extent(cause, behaviour), limit=600)))
        names = ("example", "", "")
        for name, (shown, whose) in zip(names, view.example_lines(library, behaviour), strict=True):
            answer = lines.shown(f"{shown} ", "bold" if name else "")
            rows.append((name, answer.append_text(lines.text(whose))))
    lines.grid(rows)
