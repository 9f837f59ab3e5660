"""A matrix of releases on the terminal: what changed in words, the table, the causes one by one, what was not asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from conformance.comparing.matrix import Cause, LibraryMatrix, State
from conformance.report.console_lines import ConsoleLines
from conformance.report.matrix.view import (
    BETWEEN,
    COUNTED,
    INTRODUCTION,
    MEANINGS,
    NOT_ASKED,
    SIGNS,
    SPACE,
    equal_line,
    example_lines,
    extent,
    facts,
    gap_lines,
    headline,
    period,
    place,
    quiet_line,
    shown_cell,
    summary,
    telling_rows,
    title,
    warnings,
)

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
    signs = _PLAIN_SIGNS if console.options.ascii_only else SIGNS
    lines.line(f"{INTRODUCTION} {BETWEEN} {SPACE}")
    for library in libraries:
        _library(library, signs, lines)


def _library(library: LibraryMatrix, signs: Mapping[State, str], lines: ConsoleLines) -> None:
    lines.title(headline(library))
    for line in filter(None, (*warnings(library), *map(str, summary(library)), quiet_line(library))):
        lines.labelled("  ", line)
    lines.line()
    rows: list[Sequence[Text | str]] = [
        (row.model, row.check, *(lines.shown(shown_cell(cell, signs), _STYLES[cell.state]) for cell in row.cells))
        for row in telling_rows(library)
    ]
    if rows:
        lines.table(("model", "check", *library.releases), rows, names=2)
        lines.line("   ".join(f"{signs[state]} {meaning}" for state, meaning in MEANINGS.items()), "dim")
        lines.line(COUNTED, "dim")
    if equal_line(library):
        lines.line(f"{signs['equal']} {equal_line(library)}", "green")
    for cause in library.causes:
        _cause(library, cause, signs, lines)
    gaps = gap_lines(library)
    if gaps:
        lines.title(NOT_ASKED)
    for line in gaps:
        lines.labelled("  ", line)


def _cause(library: LibraryMatrix, cause: Cause, signs: Mapping[State, str], lines: ConsoleLines) -> None:
    lines.line()
    state: State = "known" if cause.is_known else "new"
    words = lines.text(f"{period(cause)}: {title(cause)}", "bold", 600)
    lines.line(Text(f"{signs[state]} ", _STYLES[state]).append_text(words))
    rows = [(name, lines.text(value, limit=2000)) for name, value in facts(library, cause)]
    for behaviour in cause.behaviours:
        rows.append((place(behaviour), lines.text(extent(cause, behaviour), limit=600)))
        names = ("example", "", "")
        for name, (shown, whose) in zip(names, example_lines(library, behaviour), strict=True):
            answer = lines.shown(f"{shown} ", "bold" if name else "")
            rows.append((name, answer.append_text(lines.text(whose))))
    lines.grid(rows)
