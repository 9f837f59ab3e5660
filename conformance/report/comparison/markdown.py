"""A comparison of two runs as Markdown that fits a pull-request comment: what is new first, at most a screenful."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
from conformance.report.run.markdown import code, prose
from conformance.report.run.view import answers, plural, shown_input

MOST_FINDINGS = 5
MOST_LINES = 6
MOST_ROWS = 5


def comparison_markdown(comparison: Comparison) -> str:
    """The comparison; a few dozen lines at most, whatever changed."""
    sign = SIGNS[KIND_OF_VERDICT[comparison.verdict]]
    lines = [
        f"### {sign} Tokenizer conformance: {prose(headline(comparison))}",
        *(["", prose(unlike(comparison))] if unlike(comparison) else []),
        "",
        counts_line(comparison),
        "",
        f"- from {prose(run_line(comparison.before))}",
        f"- to {prose(run_line(comparison.after))}",
        *_section("Versions", version_lines(comparison)),
        *_section("New problems", comparison.new_problems),
        *_section("Problems that are gone", comparison.fixed_problems),
        *_section("Checks lost and new", place_lines(comparison)),
    ]
    for kind in SHOWN:
        lines += _findings(comparison.of(kind), kind)
    lines += _unchanged(comparison)
    return "\n".join([*lines, *_tables(comparison)]) + "\n"


def _unchanged(comparison: Comparison) -> list[str]:
    """Their number, and those that are still wrong in a line each."""
    if not comparison.of("unchanged"):
        return []
    lines = still_wrong_lines(comparison, MOST_FINDINGS)
    return ["", f"**{TITLES['unchanged']}: {unchanged_line(comparison)}**", "", *(f"- {prose(line)}" for line in lines)]


def _section(title: str, sentences: Sequence[str]) -> list[str]:
    lines = [f"- {prose(sentence)}" for sentence in sentences[:MOST_LINES]]
    more = len(sentences) - MOST_LINES
    return ["", f"**{title}**", "", *lines, *([f"- and {more:,} more"] if more > 0 else [])] if lines else []


def _findings(changes: tuple[FindingChange, ...], kind: Kind) -> list[str]:
    if not changes:
        return []
    lines = ["", f"**{TITLES[kind]}: {plural(len(changes), 'finding')}**", ""]
    lines += [line for change in changes[:MOST_FINDINGS] for line in _finding(change, kind)]
    more = len(changes) - MOST_FINDINGS
    return lines + ([f"- and {more:,} more"] if more > 0 else [])


def _finding(change: FindingChange, kind: Kind) -> Iterator[str]:
    finding, example = change.finding, change.finding.example
    where = " · ".join(prose(name, 40) for name in (example.model, example.subject, example.check))
    rule = prose((f"{finding.stage}: " if finding.stage else "") + finding.rule, 120)
    known = f", {status_of(change)}" if status_of(change) else ""
    expected, observed = map(code, answers(example, limit=40).lines)
    yield f"- {SIGNS[kind]} **{example.severity}** {where}: {rule} ({finding.count:,}×{known})"
    yield f"  {code(shown_input(example.case, 40))} expected {expected}, observed {observed}"
    for part in what_changed(change):
        yield f"  {prose(part)}"


def _tables(comparison: Comparison) -> Iterator[str]:
    tables = list(tally_tables(comparison))
    for table in tables:
        yield from ("", f"| {' | '.join(table.titles)} |", f"|---{'|--:' * (len(table.titles) - 1)}|")
        for name, *cells in table.rows[:MOST_ROWS]:
            yield f"| {' | '.join((prose(name, 40), *cells))} |"
        more = more_rows(table, MOST_ROWS)
        if more:
            yield f"| {more} |{' |' * (len(table.titles) - 1)}"
    if tables and counted_line(comparison):
        yield from ("", counted_line(comparison))
