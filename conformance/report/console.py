"""The home of all that goes to a terminal: what others wrote cannot command it, and a reader that is gone is no error.

Nothing that is printed is read as markup, and what has no face of its own is spelled out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import IO, Any, Literal

from rich import box
from rich.console import Console, OverflowMethod
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from conformance.report.text import harmless, visible

_LEAST_NAME = 7
"""Columns of a terminal in which a name is still read."""
_GAP = 2
_UNFOLDED = 10_000
"""Columns of what is no terminal, so that a program that reads it finds one thing in one line."""


class OutputConsole(Console):
    """A console for texts that others wrote, which goes on without a word when its reader is gone.

    The exit code is then still to be told.
    """

    def __init__(self, **options: Any) -> None:
        """options: as of Console."""
        super().__init__(markup=False, emoji=False, highlight=False, **options)
        if "width" not in options and "COLUMNS" not in os.environ and not self.is_terminal:
            self.width = _UNFOLDED

    def render_str(self, text: str, **options: Any) -> Text:
        """Every text that is no Text comes through here."""
        return super().render_str(encodable(harmless(text), self.encoding), **options)

    def on_broken_pipe(self) -> None:
        self.quiet = True
        to_nowhere(self.file)


class ConsoleLines:
    """A console, and how the reports write on it."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def text(self, text: str, style: str = "", limit: int = 200) -> Text:
        """Foreign text, made visible."""
        return self.shown(visible(text, limit), style)

    def shown(self, text: str, style: str = "") -> Text:
        """Text that is visible already, in characters that the console's encoding has."""
        return Text(encodable(text, self.console.encoding), style)

    def line(self, text: Text | str = "", style: str = "", whole: bool = False, cuts: bool = False) -> None:
        """A line. whole: in one piece, for what is to be copied. cuts: without what the terminal is too narrow for."""
        shown = text if isinstance(text, Text) else self.shown(text, style)
        if cuts:
            self.console.print(shown, no_wrap=True, overflow=self._cut)
        else:
            self.console.print(shown, soft_wrap=whole)

    def labelled(self, label: str, text: str, style: str = "", whole: bool = False) -> None:
        """A line of our own words, which have the style, and a sentence with foreign text in it."""
        self.line(self.shown(label, style).append_text(self.text(text, "default", 2000)), whole=whole)

    def grid(self, rows: Iterable[tuple[str, Text]]) -> None:
        """Names and what is said of each, indented."""
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
        for name, said in rows:
            grid.add_row(self.text(name), said)
        self.console.print(Padding(grid, (0, 0, 0, 2), expand=False))

    def table(
        self, titles: Sequence[str], rows: Iterable[Sequence[Text | str]], names: int = 1, cuts: bool = False
    ) -> None:
        """A table. names: how many columns hold names; the others hold numbers. cuts: as of `line`.

        Where the names have no room beside the numbers, each row is a list of its own.
        """
        texts = [[cell if isinstance(cell, Text) else self.text(cell) for cell in row] for row in rows]
        numbers = [*zip(map(self.text, titles), *texts, strict=True)][names:]
        if names * _LEAST_NAME + sum(_GAP + max(cell.cell_len for cell in column) for column in numbers) > (
            self.console.width
        ):
            for row in texts:
                self.line(row[0])
                self.grid((title, cell) for title, cell in zip(titles[1:], row[1:], strict=True) if cell)
            return
        heading, gap = (None, _GAP) if cuts else (box.SIMPLE_HEAD, 1)
        table = Table(box=heading, show_edge=False, pad_edge=False, padding=(0, gap, 0, 0))
        for index, title in enumerate(titles):
            is_name = index < names
            justify: Literal["left", "right"] = "left" if is_name else "right"
            table.add_column(self.text(title), justify=justify, overflow="fold", no_wrap=not is_name)
        for row in texts:
            for cell in row[: names * cuts]:
                cell.no_wrap, cell.overflow = True, self._cut
            table.add_row(*row)
        if self.console.is_terminal:
            self.console.print(table)
            return
        with self.console.capture() as drawn:
            self.console.print(table)
        for drawn_line in drawn.get().splitlines():  # a cell of thousands of characters would pad every other line
            self.console.out(drawn_line.rstrip(), highlight=False)

    @property
    def _cut(self) -> OverflowMethod:
        """What becomes of the end of a line; an ellipsis is no character of ASCII."""
        return "crop" if self.console.options.ascii_only else "ellipsis"


def encodable(text: str, encoding: str) -> str:
    """The text in characters that an encoding has; the others by their number."""
    return text.encode(encoding, "backslashreplace").decode(encoding)


def say(sentence: str) -> None:
    """A line on standard error, or a few, where somebody reads it."""
    try:
        print(harmless(sentence), file=sys.stderr, flush=True)
    except BrokenPipeError:
        to_nowhere(sys.stderr)


def give(text: str) -> None:
    """A document on standard output, in UTF-8, where somebody reads it."""
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.flush()
    except BrokenPipeError:
        to_nowhere(sys.stdout)


def to_nowhere(stream: IO[str]) -> None:
    """Let a stream whose reader is gone take everything from now on."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
