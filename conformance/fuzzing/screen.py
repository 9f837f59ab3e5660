"""A session on standard error: a live screen on a terminal, now and then a line elsewhere, or nothing."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from conformance.checks import by_weight
from conformance.core.finding import Finding
from conformance.fuzzing.progress import ModelCoverage, SessionProgress
from conformance.report.run.view import cause, plural, shown_input
from conformance.report.text import visible
from conformance.runs.progress import Teller

MOST_FINDINGS = 12


class SessionTeller(Teller[SessionProgress]):
    """Tells of a session: what is reached and found, or a line."""

    def _fresh(self, progress: SessionProgress) -> tuple[str, ...]:
        return progress.fresh

    def _shown(self, progress: SessionProgress) -> RenderableType:
        return Group(Text(sentence(progress)), *tables(progress.coverages), _findings(progress.found))

    def _line(self, progress: SessionProgress) -> tuple[str, bool]:
        return sentence(progress), False


def sentence(progress: SessionProgress) -> str:
    """The progress, in words.

    >>> sentence(SessionProgress(3000, 2000, 2.0, (), ()))
    '3,000 cases, 1,000 a second, no unexpected finding'
    """
    pace = progress.new_cases / progress.seconds if progress.seconds else 0.0
    unexpected = plural(len(progress.found), "unexpected finding") if progress.found else "no unexpected finding"
    known = f", {progress.known:,} known" if progress.known else ""
    return f"{plural(progress.cases, 'case')}, {pace:,.0f} a second, {unexpected}{known}"


def tables(coverages: tuple[ModelCoverage, ...]) -> list[Table]:
    """A table of coverage for each model."""
    return [_table(coverage) for coverage in coverages]


def _table(coverage: ModelCoverage) -> Table:
    table = Table(title=visible(coverage.model), title_justify="left", box=None, padding=(0, 2, 0, 0), expand=True)
    table.add_column("coverage", no_wrap=True)
    table.add_column("reached", justify="right", no_wrap=True)
    table.add_column("of", justify="right", no_wrap=True)
    table.add_column("never reached, for example", overflow="ellipsis", no_wrap=True, ratio=1)
    for kind in coverage.kinds:
        missing = ", ".join(visible(str(key), 40) for key in kind.examples)
        table.add_row(kind.kind, f"{kind.reached:,}", f"{kind.total:,}", Text(missing, "dim"))
    return table


def _findings(found: tuple[Finding, ...]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("finding", "count", "input"):
        table.add_column(name, overflow="ellipsis", no_wrap=True, justify="right" if name == "count" else "left")
    for finding in sorted(found, key=by_weight)[:MOST_FINDINGS]:
        example = finding.example
        said = f"{example.subject} {example.check}: {cause(finding)}"
        table.add_row(Text(visible(said, 100)), f"{finding.count:,}", Text(shown_input(example.case, 40)))
    return table
