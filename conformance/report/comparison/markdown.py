"""A comparison of two runs as Markdown that fits a pull-request comment: what is new first, at most a screenful."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.comparing.comparison import Comparison, FindingChange, Kind
from conformance.report.comparison import view
from conformance.report.run.markdown import finding_lines, listed, prose
from conformance.report.run.view import plural

MOST_FINDINGS = 5
MOST_LINES = 6
MOST_ROWS = 5


def comparison_markdown(comparison: Comparison) -> str:
    """The comparison; a few dozen lines at most, whatever changed."""
    lines = [
        f"### {view.sign(comparison)} Tokenizer conformance: {prose(view.headline(comparison))}",
        *(["", prose(view.unlike(comparison))] if view.unlike(comparison) else []),
        "",
        view.counts_line(comparison),
        "",
        f"- from {prose(view.run_line(comparison.before))}",
        f"- to {prose(view.run_line(comparison.after))}",
    ]
    for title, _, sentences in view.sections(comparison):
        lines += ["", f"**{title}**", *listed([f"- {prose(sentence)}" for sentence in sentences], MOST_LINES)]
    for kind in view.SHOWN:
        lines += _findings(comparison.of(kind), kind)
    if comparison.of("unchanged"):
        still_wrong = [f"- {prose(line)}" for line in view.still_wrong_lines(comparison, MOST_FINDINGS)]
        lines += ["", f"**{view.TITLES['unchanged']}: {view.unchanged_line(comparison)}**", "", *still_wrong]
    return "\n".join([*lines, *_tables(comparison)]) + "\n"


def _findings(changes: tuple[FindingChange, ...], kind: Kind) -> list[str]:
    if not changes:
        return []
    shown = ["\n".join(_finding(change)) for change in changes]
    return ["", f"**{view.TITLES[kind]}: {plural(len(changes), 'finding')}**", *listed(shown, MOST_FINDINGS)]


def _finding(change: FindingChange) -> list[str]:
    changed = [f"  {prose(part)}" for part in view.what_changed(change)]
    return [*finding_lines(change.finding, f"{view.SIGNS[change.kind]} "), *changed]


def _tables(comparison: Comparison) -> Iterator[str]:
    tables = view.tally_tables(comparison)
    for table in tables:
        yield from ("", f"| {' | '.join(table.titles)} |", f"|---{'|--:' * (len(table.titles) - 1)}|")
        for name, *cells in table.rows[:MOST_ROWS]:
            yield f"| {' | '.join((prose(name, 40), *cells))} |"
        more = view.more_rows(table, MOST_ROWS)
        if more:
            yield f"| {more} |{' |' * (len(table.titles) - 1)}"
    if tables and view.counted_line(comparison):
        yield from ("", view.counted_line(comparison))
