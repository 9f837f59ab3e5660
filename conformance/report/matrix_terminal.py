"""A matrix of releases on the terminal: the table, what is not asked, the changes one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from conformance.matrix import Behaviour, LibraryMatrix, State
from conformance.report.console_lines import ConsoleLines
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
)
from conformance.report.view import plural

_STYLES: dict[State, str] = {
    "equal": "green",
    "known": "yellow",
    "new": "bold red",
    "none": "dim",
    "refused": "magenta",
}
_PLAIN_SIGNS: dict[State, str] = {"equal": "ok", "known": "~", "new": "X", "none": "-", "refused": "no"}
_FACTS = ("when", "mismatches", "models", "because")


def print_matrix(libraries: Sequence[LibraryMatrix], console: Console) -> None:
    """Prints the matrices; foreign text is escaped, so that it cannot command the terminal."""
    lines = ConsoleLines(console)
    signs = _PLAIN_SIGNS if console.options.ascii_only else SIGNS
    for library in libraries:
        _library(library, signs, lines)


def _library(library: LibraryMatrix, signs: Mapping[State, str], lines: ConsoleLines) -> None:
    lines.title(headline(library))
    rows: list[Sequence[Text | str]] = [
        (row.model, row.check, *(lines.shown(shown_cell(cell, signs), _STYLES[cell.state]) for cell in row.cells))
        for row in telling_rows(library)
    ]
    if rows:
        lines.table(("model", "check", *library.releases), rows, names=2)
        lines.line("   ".join(f"{signs[state]} {meaning}" for state, meaning in MEANINGS.items()), "dim")
    if equal_line(library):
        lines.line(f"{signs['equal']} {equal_line(library)}", "green")
    for gap in library.gaps:
        lines.labelled(f"{signs['refused' if gap.reason else 'none']} ", gap_line(library, gap))
    for behaviour in library.changes:
        _behaviour(library, behaviour, signs, lines)
    same = len(library.behaviours) - len(library.changes)
    if same:
        lines.title(f"{plural(same, 'behaviour')} in every release that was asked")
        for behaviour in library.behaviours:
            if not behaviour.has_changed:
                lines.labelled("  ", f"{behaviour.subject} / {behaviour.check}: {title(behaviour)}")


def _behaviour(library: LibraryMatrix, behaviour: Behaviour, signs: Mapping[State, str], lines: ConsoleLines) -> None:
    lines.line()
    state: State = "known" if behaviour.is_known else "new"
    where = f"{behaviour.subject} / {behaviour.check}"
    lines.line(Text(f"{signs[state]} ", _STYLES[state]).append_text(lines.text(where, "bold")))
    lines.finding(behaviour.example, [fact for fact in facts(library, behaviour) if fact[0] in _FACTS])
