"""A run on the terminal: the matrix, what is unexpected, what is known, the problems, the verdict last."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from conformance.core.finding import Finding
from conformance.core.run import Cell, Run
from conformance.report.run.view import (
    MEANINGS,
    SYMBOLS,
    Row,
    State,
    answers,
    checks,
    few_known,
    headline,
    known_line,
    new_findings,
    plural,
    rows,
    seconds,
    shown_input,
    state,
    untested_lines,
)
from conformance.report.text import visible

MOST_FINDINGS = 10

_STYLES: dict[State, str] = {"equal": "green", "new": "bold red", "known": "yellow", "silent": "magenta", "none": "dim"}
_PLAIN_SYMBOLS: dict[State, str] = {"equal": "ok", "new": "X", "known": "~", "silent": "!", "none": "-"}
_LABEL_WIDTH = 28
_GAP = 2


def print_report(run: Run, console: Console) -> None:
    """Prints the whole report; foreign text is escaped, so that it cannot command the terminal."""
    _Printer(run, console).print()


class _Printer:
    """The run and the console that the parts of the report share."""

    def __init__(self, run: Run, console: Console) -> None:
        self.run, self.console = run, console
        self.symbols = _PLAIN_SYMBOLS if console.options.ascii_only else SYMBOLS

    def print(self) -> None:
        self._matrix()
        self._findings()
        self._known()
        self._untested()
        self._problems()
        self._verdict()

    def text(self, text: str, style: str = "", limit: int = 200) -> Text:
        """Foreign text, made visible."""
        return self.shown(visible(text, limit), style)

    def shown(self, text: str, style: str = "") -> Text:
        """Text that is visible already, in characters that the console's encoding has."""
        encoding = self.console.encoding
        return Text(text.encode(encoding, "backslashreplace").decode(encoding), style)

    def line(self, text: Text, whole: bool = False) -> None:
        """A line; `whole` keeps it in one piece, for what is to be copied."""
        self.console.print(text, soft_wrap=whole, markup=False, highlight=False, emoji=False)

    # --- the matrix

    def _matrix(self) -> None:
        names, lines = checks(self.run), rows(self.run)
        if not lines:
            self.line(Text("No cell was filled."))
            return
        for first, last in self._parts(names, lines):
            self.console.print(self._table(names, lines, first, last), Text())
        meanings = [f"{self.symbols[kind]} {meaning}" for kind, meaning in MEANINGS.items()]
        self.line(Text("   ".join(meanings), "dim"))

    def _parts(self, names: tuple[str, ...], lines: list[Row]) -> Iterator[tuple[int, int]]:
        """Cuts the columns into tables that the console is wide enough for."""
        labels = sum(_label_width(values) + _GAP for values in ([r.model for r in lines], [r.subject for r in lines]))
        first, used = 0, labels
        for index in range(len(names)):
            width = self._width(names, lines, index) + _GAP
            if index > first and used + width > self.console.width:
                yield first, index
                first, used = index, labels
            used += width
        yield first, len(names)

    def _width(self, names: tuple[str, ...], lines: list[Row], index: int) -> int:
        """The width of a column: its longest word or cell."""
        words = visible(names[index]).split()
        return max(len(word) for word in (*words, *(self._sign(row.cells[index]) for row in lines)))

    def _table(self, names: tuple[str, ...], lines: list[Row], first: int, last: int) -> Table:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 0, 0, _GAP - 1))
        for name in ("model", "subject"):
            width = _label_width([getattr(row, name) for row in lines])
            table.add_column(name, overflow="fold", min_width=width, max_width=width)
        for index in range(first, last):
            width = self._width(names, lines, index)
            title = textwrap.fill(visible(names[index]), width)
            table.add_column(self.shown(title), justify="right", min_width=width, no_wrap=True, vertical="bottom")
        above = None
        for row in lines:
            if above not in (None, row.model):
                table.add_section()
            model = "" if row.model == above else row.model
            cells = [Text(self._sign(cell), _STYLES[state(cell)]) for cell in row.cells[first:last]]
            table.add_row(self.text(model, "bold"), self.text(row.subject), *cells)
            above = row.model
        return table

    def _sign(self, cell: Cell | None) -> str:
        """A cell in as few characters as tell what matters: its symbol, and how many are new or else known."""
        kind = state(cell)
        if cell is None or kind in ("none", "equal"):
            return self.symbols[kind]
        number = {"new": cell.mismatched - cell.known, "known": cell.known, "silent": cell.failures}[kind]
        return f"{self.symbols[kind]} {number:,}"

    # --- the findings

    def _findings(self) -> None:
        findings = new_findings(self.run)
        for finding in findings[:MOST_FINDINGS]:
            self._finding(finding)
        more = len(findings) - MOST_FINDINGS
        if more > 0:
            self.line(Text(f"\n{self.symbols['new']} {plural(more, 'more unexpected finding')}", "bold"))

    def _finding(self, finding: Finding) -> None:
        example = finding.example
        title = Text(f"\n{self.symbols['new']} {example.severity}  ", _STYLES["new"])
        for number, name in enumerate((example.model, example.subject, example.check)):
            title.append(" / " if number else "").append_text(self.text(name, "bold", 80))
        self.line(title.append(f"  ({finding.count:,} x)", "dim"))
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
        stage = f"{finding.stage}: " if finding.stage else ""
        grid.add_row("rule", self.text(stage + finding.rule))
        expected, observed = answers(example).lines
        grid.add_row("input", self.shown(shown_input(example.case), "bold"))
        grid.add_row("expected", self.shown(expected))
        grid.add_row("observed", self.shown(observed))
        self.console.print(Padding(grid, (0, 0, 0, 2)))
        if finding.replay:
            self.line(Text("  replay    ", "dim").append_text(self.text(finding.replay, "default", 2000)), whole=True)

    # --- the end

    def _known(self) -> None:
        line = known_line(self.run)
        if line:
            self.line(Text(f"\n{self.symbols['known']} {line}", _STYLES["known"]))
        for fingerprint, cause, count in few_known(self.run):
            named = Text(f"  {fingerprint}  ", "dim").append_text(self.text(cause)).append(f"  ({count:,} x)", "dim")
            self.line(named)

    def _untested(self) -> None:
        for number, line in enumerate(untested_lines(self.run)):
            start = Text(("" if number else "\n") + f"{self.symbols['none']} ", "dim")
            self.line(start.append_text(self.text(line, "dim", 400)))

    def _problems(self) -> None:
        for number, problem in enumerate(self.run.problems):
            start = Text(("" if number else "\n") + f"{self.symbols['silent']} problem: ", _STYLES["silent"])
            self.line(start.append_text(self.text(problem, "default", 400)))

    def _verdict(self) -> None:
        kind: State = "equal" if self.run.exit_code == 0 else "new"
        line = Text(f"\n{self.symbols[kind]} {headline(self.run)}", _STYLES[kind])
        answers = f": {plural(self.run.answers, 'answer')} compared in {seconds(self.run):.1f} s"
        self.line(line.append(answers, "default"))


def _label_width(values: list[str]) -> int:
    return min(_LABEL_WIDTH, max(len("subject"), *(len(visible(value)) for value in values)))
