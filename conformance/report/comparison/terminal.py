"""A comparison of two runs on the terminal: the runs, the findings, what the runs do not share, the verdict last."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from conformance.comparing.comparison import Comparison, FindingChange, Kind
from conformance.report.comparison.view import (
    KIND_OF_VERDICT,
    SHOWN,
    SIGNS,
    TITLES,
    counted_line,
    counts_line,
    headline,
    more_rows,
    place_lines,
    run_line,
    status_of,
    still_wrong_lines,
    tally_tables,
    unchanged_line,
    unlike,
    version_lines,
    what_changed,
)
from conformance.report.console_lines import ConsoleLines
from conformance.report.run.view import plural

MOST_FINDINGS = 10
MOST_ROWS = 20

_STYLES: dict[Kind, str] = {"new": "bold red", "fixed": "green", "changed": "yellow"}
_PLAIN_SIGNS: dict[Kind, str] = {"new": "X", "fixed": "ok", "only before": "-"}


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Prints the whole comparison; foreign text is escaped, so that it cannot command the terminal."""
    lines = ConsoleLines(console)
    signs = SIGNS | _PLAIN_SIGNS if console.options.ascii_only else SIGNS
    lines.labelled("from  ", run_line(comparison.before))
    lines.labelled("to    ", run_line(comparison.after))
    _sections(comparison, lines)
    _tables(comparison, lines)
    for kind in SHOWN:
        _findings(comparison.of(kind), kind, signs, lines)
    if comparison.of("unchanged"):
        lines.title(f"{signs['unchanged']} {TITLES['unchanged']}: {unchanged_line(comparison)}")
        for sentence in still_wrong_lines(comparison, MOST_FINDINGS):
            lines.labelled("  ", sentence)
    kind = KIND_OF_VERDICT[comparison.verdict]
    lines.line()
    if unlike(comparison):
        lines.labelled("", unlike(comparison))
    lines.line(counts_line(comparison))
    lines.line(f"{signs[kind]} {headline(comparison)}", _STYLES.get(kind, ""))


def _sections(comparison: Comparison, lines: ConsoleLines) -> None:
    """Versions, problems, and checks that compare nothing any more or now something."""
    parts = (
        ("Versions", version_lines(comparison)),
        ("New problems", comparison.new_problems),
        ("Problems that are gone", comparison.fixed_problems),
        ("Checks lost and new", place_lines(comparison)),
    )
    for title, sentences in parts:
        if sentences:
            lines.title(title)
        for sentence in sentences:
            lines.labelled("  ", sentence)


def _tables(comparison: Comparison, lines: ConsoleLines) -> None:
    tables = list(tally_tables(comparison))
    for table in tables:
        lines.line()
        lines.table(table.titles, table.rows[:MOST_ROWS])
        if more_rows(table, MOST_ROWS):
            lines.line(more_rows(table, MOST_ROWS), "dim")
    if tables and counted_line(comparison):
        lines.line(counted_line(comparison), "dim")


def _findings(changes: tuple[FindingChange, ...], kind: Kind, signs: dict[Kind, str], lines: ConsoleLines) -> None:
    if changes:
        lines.title(f"{TITLES[kind]}: {plural(len(changes), 'finding')}")
    for change in changes[:MOST_FINDINGS]:
        finding, example = change.finding, change.finding.example
        title = Text(f"{signs[kind]} {example.severity}  ", _STYLES.get(kind, ""))
        for number, name in enumerate((example.model, example.subject, example.check)):
            title.append(" / " if number else "").append_text(lines.text(name, "bold", 80))
        known = f", {status_of(change)}" if status_of(change) else ""
        lines.line(title.append(f"  ({finding.count:,} x{known})", "dim"))
        lines.finding(finding, [("changed", part) for part in what_changed(change)])
    if len(changes) > MOST_FINDINGS:
        lines.line(f"and {len(changes) - MOST_FINDINGS:,} more", "dim")
