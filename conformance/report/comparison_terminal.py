"""A comparison of two runs on the terminal: the runs, what was asked, the findings, the verdict last."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from conformance.comparison import Comparison, FindingChange, Kind
from conformance.report.comparison_view import (
    KIND_OF_VERDICT,
    SHOWN,
    SIGNS,
    TALLY_TITLES,
    TITLES,
    changed_tallies,
    coverage_lines,
    headline,
    place_lines,
    run_line,
    status_of,
    tally_row,
    version_lines,
    what_changed,
)
from conformance.report.console_lines import ConsoleLines
from conformance.report.view import plural

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
    _asked(comparison, lines)
    for dimension, tallies in changed_tallies(comparison):
        lines.line()
        rows = [(tally.name, *tally_row(tally)) for tally in tallies[:MOST_ROWS]]
        lines.table((dimension, *TALLY_TITLES), rows)
        if len(tallies) > MOST_ROWS:
            lines.line(f"and {len(tallies) - MOST_ROWS:,} more", "dim")
    for kind in SHOWN:
        _findings(comparison.of(kind), kind, signs, lines)
    unchanged = comparison.of("unchanged")
    if unchanged:
        known = sum(change.finding.status == "known" for change in unchanged)
        lines.title(f"{signs['unchanged']} {plural(len(unchanged), 'unchanged finding')} ({known:,} known)")
    kind = KIND_OF_VERDICT[comparison.verdict]
    lines.line()
    lines.line(f"{signs[kind]} {headline(comparison)}", _STYLES.get(kind, ""))


def _asked(comparison: Comparison, lines: ConsoleLines) -> None:
    """Versions, coverage, problems, and what is not shared."""
    parts = (
        ("Versions", version_lines(comparison)),
        ("Asked", (*coverage_lines(comparison), *place_lines(comparison))),
        ("New problems", comparison.new_problems),
        ("Problems that are gone", comparison.fixed_problems),
        ("Not shared", comparison.notes),
    )
    for title, sentences in parts:
        if sentences:
            lines.title(title)
        for sentence in sentences:
            lines.labelled("  ", sentence)


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
