"""A comparison of two runs on the terminal: the runs, the findings, what the runs do not share, the verdict last."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console

from conformance.comparing.comparison import Comparison, FindingChange, Kind
from conformance.report.comparison import view
from conformance.report.console import ConsoleLines
from conformance.report.run.view import plural

MOST_FINDINGS = 10
MOST_ROWS = 20

_STYLES: dict[Kind, str] = {"new": "bold red", "fixed": "green", "changed": "yellow"}
_PLAIN_SIGNS: dict[Kind, str] = {"new": "X", "fixed": "ok", "only before": "-"}


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Prints the whole comparison; foreign text is escaped, so that it cannot command the terminal."""
    lines = ConsoleLines(console)
    signs = view.SIGNS | _PLAIN_SIGNS if console.options.ascii_only else view.SIGNS
    lines.labelled("from  ", view.run_line(comparison.before))
    lines.labelled("to    ", view.run_line(comparison.after))
    for title, _, sentences in view.sections(comparison):
        _sentences(title, sentences, lines)
    _tables(comparison, lines)
    for kind in view.SHOWN:
        _findings(comparison.of(kind), kind, signs, lines)
    if comparison.of("unchanged"):
        title = f"{signs['unchanged']} {view.TITLES['unchanged']}: {view.unchanged_line(comparison)}"
        _sentences(title, view.still_wrong_lines(comparison, MOST_FINDINGS), lines)
    kind = view.KIND_OF_VERDICT[comparison.verdict]
    lines.line()
    if view.unlike(comparison):
        lines.labelled("", view.unlike(comparison))
    lines.line(view.counts_line(comparison))
    lines.line(f"{signs[kind]} {view.headline(comparison)}", _STYLES.get(kind, ""))


def _sentences(title: str, sentences: Iterable[str], lines: ConsoleLines) -> None:
    lines.title(title)
    for sentence in sentences:
        lines.labelled("  ", sentence)


def _tables(comparison: Comparison, lines: ConsoleLines) -> None:
    tables = view.tally_tables(comparison)
    for table in tables:
        lines.line()
        lines.table(table.titles, table.rows[:MOST_ROWS])
        if view.more_rows(table, MOST_ROWS):
            lines.line(view.more_rows(table, MOST_ROWS), "dim")
    if tables and view.counted_line(comparison):
        lines.line(view.counted_line(comparison), "dim")


def _findings(changes: tuple[FindingChange, ...], kind: Kind, signs: dict[Kind, str], lines: ConsoleLines) -> None:
    if changes:
        lines.title(f"{view.TITLES[kind]}: {plural(len(changes), 'finding')}")
    for change in changes[:MOST_FINDINGS]:
        lines.finding(signs[kind], _STYLES.get(kind, ""), change.finding, view.what_changed(change))
    if len(changes) > MOST_FINDINGS:
        lines.line(f"and {len(changes) - MOST_FINDINGS:,} more", "dim")
