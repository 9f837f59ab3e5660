"""A run on the terminal: the worst in words, the matrix, what is unexpected and known, the problems, the verdict."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.core.run import Cell, Run
from conformance.report.blocks import Paragraph, foreign, sign
from conformance.report.console import ConsoleLines
from conformance.report.run import view
from conformance.report.run.blocks import finding_card, known, not_done, problems, verdict_sign
from conformance.report.run.view import SYMBOLS
from conformance.report.terminal import Terminal
from conformance.report.text import visible

MOST_FINDINGS = 10

_LABEL_WIDTH = 28
_GAP = 2


def print_report(run: Run, console: Console, verbose: bool = False) -> None:
    """Prints the whole report; foreign text is escaped, so that it cannot command the terminal.

    verbose: every known finding is named, not only where they are few, and those that are an aside too.
    """
    terminal = Terminal(console)
    lines = terminal.lines
    if worst := view.worst_line(run):
        lines.line(terminal.line((sign(SYMBOLS["new"]), " ", foreign(worst, "strong"))))
        lines.line()
    _matrix(run, terminal)
    for finding in view.new_findings(run)[:MOST_FINDINGS]:
        lines.line()
        card = finding_card(finding, SYMBOLS["new"])
        terminal.cards([card.title], [card])
        if finding.replay:
            lines.labelled("  replay    ", finding.replay, "dim", whole=True)
    if (more := run.unexpected - MOST_FINDINGS) > 0:
        words = f" {view.plural(more, 'more unexpected finding')}"
        terminal.draw([Paragraph((sign(SYMBOLS["new"]), words))])
    terminal.draw([*known(run, verbose), *not_done(run), *problems(run)])
    answers = f": {view.plural(run.answers, 'answer')} compared in {view.seconds(run):.1f} s"
    lines.line()
    lines.line(terminal.title((sign(verdict_sign(run)), f" {view.headline(run)}")).append(answers, "default"))


# --- the matrix


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the matrix. justify: to which side its cells stand."""

    title: Text
    width: int
    cells: list[Text]
    justify: Literal["left", "right"]


def _matrix(run: Run, terminal: Terminal) -> None:
    """The matrix, in several tables where the console is not wide enough for one."""
    lines, rows = terminal.lines, view.rows(run)
    if not rows:
        lines.line("No cell was filled.")
        return
    names = [row.model for row in rows]
    models = ["" if name == above else name for name, above in zip(names, ["", *names], strict=False)]
    columns = [
        _check(name, [row.cells[index] for row in rows], terminal) for index, name in enumerate(view.checks(run))
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
    meanings = (terminal.line((sign(SYMBOLS[kind]), f" {meaning}")) for kind, meaning in view.MEANINGS.items())
    lines.line(Text("   ").join(meanings))


def _labels(title: str, names: list[str], room: int, lines: ConsoleLines, style: str = "") -> _Column:
    """Names, which are folded where they are wider than the room, so that there is some for the checks."""
    width = max(len("subject"), min(_width(names), room))
    return _Column(Text(title), width, [lines.text(name, style) for name in names], "left")


def _width(names: list[str]) -> int:
    return min(_LABEL_WIDTH, max(len("subject"), *(len(visible(name)) for name in names)))


def _check(name: str, cells: list[Cell | None], terminal: Terminal) -> _Column:
    """As wide as its longest word or cell."""
    signs = [_sign(cell, terminal) for cell in cells]
    width = max(*map(len, visible(name).split()), *(sign.cell_len for sign in signs))
    return _Column(terminal.lines.shown(textwrap.fill(visible(name), width)), width, signs, "right")


def _parts(columns: list[_Column], room: int) -> Iterator[list[_Column]]:
    """The columns, as many at once as there is room for beside the labels."""
    part: list[_Column] = []
    for column in columns:
        if part and sum(one.width + _GAP for one in (*part, column)) > room:
            yield part
            part = []
        part.append(column)
    yield part


def _sign(cell: Cell | None, terminal: Terminal) -> Text:
    """A cell in as few characters as tell what matters: its symbol, and how many are new or else known."""
    kind = view.state(cell)
    if cell is None or kind in ("none", "equal"):
        return terminal.line(sign(SYMBOLS[kind]))
    numbers = {
        "new": cell.mismatched - cell.known,
        "known": cell.known,
        "follows": cell.explained,
        "silent": cell.failures,
    }
    return terminal.title((sign(SYMBOLS[kind]), f" {numbers[kind]:,}"))
