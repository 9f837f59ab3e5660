"""Lines on a console, on which foreign text cannot command the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from conformance.core.finding import Finding
from conformance.report.run.view import answers, shown_input
from conformance.report.text import visible


class ConsoleLines:
    """A console, and how the reports write on it."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def text(self, text: str, style: str = "", limit: int = 200) -> Text:
        """Foreign text, made visible."""
        return self.shown(visible(text, limit), style)

    def shown(self, text: str, style: str = "") -> Text:
        """Text that is visible already, in characters that the console's encoding has."""
        encoding = self.console.encoding
        return Text(text.encode(encoding, "backslashreplace").decode(encoding), style)

    def line(self, text: Text | str = "", style: str = "", whole: bool = False) -> None:
        """A line; `whole` keeps it in one piece, for what is to be copied."""
        shown = text if isinstance(text, Text) else self.shown(text, style)
        self.console.print(shown, soft_wrap=whole, markup=False, highlight=False, emoji=False)

    def labelled(self, label: str, text: str) -> None:
        """A line of our own words and a sentence with foreign text in it."""
        self.line(Text(label).append_text(self.text(text, limit=1000)))

    def title(self, text: str) -> None:
        """A line that begins a section."""
        self.line()
        self.line(text, "bold")

    def finding(self, finding: Finding, more: Iterable[tuple[str, str]] = ()) -> None:
        """The rule, the shrunk input and both answers of a finding. more: further rows, name and foreign text."""
        stage = f"{finding.stage}: " if finding.stage else ""
        expected, observed = answers(finding.example).lines
        rows = [("rule", self.text(stage + finding.rule))]
        rows += [("input", self.shown(shown_input(finding.example.case), "bold"))]
        rows += [("expected", self.shown(expected)), ("observed", self.shown(observed))]
        rows += [(name, self.text(value, limit=2000)) for name, value in more]
        self.grid(rows)

    def grid(self, rows: Iterable[tuple[str, Text]]) -> None:
        """Names and what is said of each, indented."""
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
        for row in rows:
            grid.add_row(*row)
        self.console.print(Padding(grid, (0, 0, 0, 2)))

    def table(self, titles: Sequence[str], rows: Iterable[Sequence[Text | str]], names: int = 1) -> None:
        """A table. names: how many columns hold names; the others hold numbers."""
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        for index, title in enumerate(titles):
            table.add_column(self.text(title), justify="left" if index < names else "right", overflow="fold")
        for row in rows:
            table.add_row(*(cell if isinstance(cell, Text) else self.text(cell) for cell in row))
        self.console.print(table)
