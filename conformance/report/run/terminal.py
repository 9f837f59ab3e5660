"""A run on the terminal: the worst in words, the matrix, what is unexpected and known, the problems, the verdict."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.core.run import Cell, Run
from conformance.report.console import ConsoleLines
from conformance.report.run import view
from conformance.report.run.view import State
from conformance.report.text import visible

MOST_FINDINGS = 10

_STYLES: dict[State, str] = {
    "equal": "green",
    "new": "bold red",
    "known": "yellow",
    "follows": "yellow",
    "silent": "magenta",
    "none": "dim",
}
_PLAIN_SYMBOLS: dict[State, str] = {"equal": "ok", "new": "X", "known": "~", "follows": ">", "silent": "!", "none": "-"}
_LABEL_WIDTH = 28
_GAP = 2


def print_report(run: Run, console: Console, verbose: bool = False) -> None:
    """Prints the whole report; foreign text is escaped, so that it cannot command the terminal.

    verbose: every known finding is named, not only where they are few, and those that are an aside too.
    """
    lines = ConsoleLines(console)
    symbols = _PLAIN_SYMBOLS if console.options.ascii_only else view.SYMBOLS
    kind: State = "equal" if run.exit_code == 0 else "new"
    if worst := view.worst_line(run):
        lines.line(lines.shown(f"{symbols['new']} ", "bold red").append_text(lines.text(worst, "bold", 400)))
        lines.line()
    _matrix(run, symbols, lines)
    _findings(run, symbols, lines, verbose)
    _sentences(f"{symbols['none']} ", "dim", view.not_done_lines(run), lines)
    _sentences(f"{symbols['silent']} problem: ", _STYLES["silent"], run.problems, lines)
    answers = f": {view.plural(run.answers, 'answer')} compared in {view.seconds(run):.1f} s"
    lines.line()
    lines.line(lines.shown(f"{symbols[kind]} {view.headline(run)}", _STYLES[kind]).append(answers, "default"))


# --- the matrix


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the matrix. justify: to which side its cells stand."""

    title: Text
    width: int
    cells: list[Text]
    justify: Literal["left", "right"]


def _matrix(run: Run, symbols: Mapping[State, str], lines: ConsoleLines) -> None:
    """The matrix, in several tables where the console is not wide enough for one."""
    rows = view.rows(run)
    if not rows:
        lines.line("No cell was filled.")
        return
    names = [row.model for row in rows]
    models = ["" if name == above else name for name, above in zip(names, ["", *names], strict=False)]
    columns = [
        _check(name, [row.cells[index] for row in rows], symbols, lines) for index, name in enumerate(view.checks(run))
    ]
    room = lines.console.width - max(column.width for column in columns) - 3 * _GAP
    subjects = _labels("subject", [row.subject for row in rows], max(room // 2, room - _width(models)), lines)
    labels = [_labels("model", models, room - subjects.width, lines, "bold"), subjects]
    for part in _parts(columns, lines.console.width - sum(column.width + _GAP for column in labels)):
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 0, 0, _GAP - 1))
        for column in (*labels, *part):
            table.add_column(column.title, justify=column.justify, overflow="fold", vertical="bottom")
            table.columns[-1].min_width = table.columns[-1].max_width = column.width
        for model, *cells in zip(models, *(column.cells for column in (*labels, *part)), strict=True):
            if model:
                table.add_section()
            table.add_row(*cells)
        lines.console.print(table, Text())
    lines.line("   ".join(f"{symbols[kind]} {meaning}" for kind, meaning in view.MEANINGS.items()), "dim")


def _labels(title: str, names: list[str], room: int, lines: ConsoleLines, style: str = "") -> _Column:
    """Names, which are folded where they are wider than the room, so that there is some for the checks."""
    width = max(len("subject"), min(_width(names), room))
    return _Column(Text(title), width, [lines.text(name, style) for name in names], "left")


def _width(names: list[str]) -> int:
    return min(_LABEL_WIDTH, max(len("subject"), *(len(visible(name)) for name in names)))


def _check(name: str, cells: list[Cell | None], symbols: Mapping[State, str], lines: ConsoleLines) -> _Column:
    """As wide as its longest word or cell."""
    signs = [_sign(cell, symbols) for cell in cells]
    width = max(map(len, (*visible(name).split(), *signs)))
    shown = [Text(sign, _STYLES[view.state(cell)]) for sign, cell in zip(signs, cells, strict=True)]
    return _Column(lines.shown(textwrap.fill(visible(name), width)), width, shown, "right")


def _parts(columns: list[_Column], room: int) -> Iterator[list[_Column]]:
    """The columns, as many at once as there is room for beside the labels."""
    part: list[_Column] = []
    for column in columns:
        if part and sum(one.width + _GAP for one in (*part, column)) > room:
            yield part
            part = []
        part.append(column)
    yield part


def _sign(cell: Cell | None, symbols: Mapping[State, str]) -> str:
    """A cell in as few characters as tell what matters: its symbol, and how many are new or else known."""
    kind = view.state(cell)
    if cell is None or kind in ("none", "equal"):
        return symbols[kind]
    numbers = {
        "new": cell.mismatched - cell.known,
        "known": cell.known,
        "follows": cell.explained,
        "silent": cell.failures,
    }
    number = numbers[kind]
    return f"{symbols[kind]} {number:,}"


# --- the findings


def _findings(run: Run, symbols: Mapping[State, str], lines: ConsoleLines, verbose: bool) -> None:
    findings = view.new_findings(run)
    for finding in findings[:MOST_FINDINGS]:
        lines.line()
        lines.finding(symbols["new"], _STYLES["new"], finding)
        if finding.replay:
            lines.labelled("  replay    ", finding.replay, "dim", whole=True)
    more = len(findings) - MOST_FINDINGS
    if more > 0:
        lines.title(f"{symbols['new']} {view.plural(more, 'more unexpected finding')}")
    if view.known_line(run):
        lines.line()
        lines.line(f"{symbols['known']} {view.known_line(run)}", _STYLES["known"])
    for finding in view.known_findings(run) if verbose else view.few_known(run):
        whose = f"{view.place(finding)}: " if verbose else ""
        named = Text(f"  {finding.fingerprint}  ", "dim").append_text(lines.text(f"{whose}{view.cause(finding)}"))
        lines.line(named.append(f"  ({finding.count:,} x)", "dim"))


def _sentences(start: str, style: str, sentences: Sequence[str], lines: ConsoleLines) -> None:
    if sentences:
        lines.line()
    for sentence in sentences:
        lines.labelled(start, sentence, style)
