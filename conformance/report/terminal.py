"""Blocks on the terminal. A verdict stands last, where it is seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from conformance.report import blocks
from conformance.report.blocks import EVERYTHING, Line, phrases, sign_class
from conformance.report.console import ConsoleLines
from conformance.report.text import harmless

_PLAIN = {"✓": "ok", "✗": "X", "≈": "~", "↳": ">", "–": "-", "−": "-", "∅": "no", "≠": "!="}
"""Signs where only ASCII is known."""
_STYLES = {"equal": "green", "new": "bold red", "known": "yellow", "silent": "magenta", "none": "dim", "": ""}
_KINDS = {"plain": "", "strong": "bold", "soft": "dim", "code": "", "sign": ""}
_LONG = blocks.Table | blocks.Cards | blocks.Timelines | blocks.Section


def print_blocks(report: blocks.Report, console: Console, most: blocks.Most = EVERYTHING) -> None:
    """Prints a report; no text in it can command the terminal."""
    terminal = Terminal(console, most)
    title = terminal.title(report.heading())
    if not report.sign:
        terminal.lines.line(title)
        terminal.draw(report.lead, apart=False)
    terminal.draw(report.body)
    if report.sign:
        terminal.lines.line()
        terminal.draw(report.lead, apart=False)
        terminal.lines.line(title)


class Terminal:
    """A console, and how blocks are drawn on it. cuts: each sentence and row is one line, cut at the width."""

    def __init__(self, console: Console, most: blocks.Most = EVERYTHING, cuts: bool = False) -> None:
        self.lines = ConsoleLines(console)
        self.most = most
        self.cuts = cuts

    def line(self, line: Line, style: str = "") -> Text:
        """The phrases of a line, beside one another; a sign in its colour, and in ASCII where that is all there is."""
        shown = Text()
        for part in phrases(line):
            text, own = harmless(part.text), _KINDS[part.kind]
            if part.kind == "sign":
                own = _STYLES[sign_class(part)]
                text = _PLAIN.get(text, text) if self.lines.console.options.ascii_only else text
            shown.append_text(self.lines.shown(text, f"{style} {own}".strip()))
        return shown

    def title(self, line: Line) -> Text:
        """A line in the colour of its sign, or bold."""
        return self.line(line, _STYLES[sign_class(line)] or "bold")

    def draw(self, items: Iterable[blocks.Block], apart: bool = True) -> None:
        """The blocks one below the other. apart: with an empty line before each, not only before what is long."""
        for item in items:
            if not isinstance(item, blocks.OnPage | blocks.Charts):
                if apart or isinstance(item, _LONG):
                    self.lines.line()
                self._draw(item)

    def _draw(self, block: blocks.Block) -> None:
        match block:
            case blocks.Section():
                self.lines.line(self.title(block.title))
                self.draw(block.blocks, apart=False)
            case blocks.Paragraph():
                self.lines.line(self.line(block.line, "dim" if block.tone == "soft" else ""), cuts=self.cuts)
            case blocks.Bullets():
                for line in block.lines[: self.most.lines]:
                    shown = self.line(line if sign_class(line) else ("  ", *phrases(line)))
                    self.lines.line(shown, cuts=self.cuts)
                self._more(block.lines, self.most.lines)
            case blocks.Counts():
                self.lines.line(", ".join(f"{name}: {number:,}" for name, number, _ in block.numbers))
            case blocks.Table():
                rows = [
                    [self.line(cell.line, _STYLES[sign_class(cell.line)]) for cell in blocks.cells(row)]
                    for row in block.rows[: self.most.rows]
                ]
                self.lines.table(block.titles, rows, block.names, self.cuts)
                self._more(block.rows, self.most.rows)
            case blocks.Cards():
                self.cards([card.title for card in block.cards[: self.most.cards]], block.cards)
                self._more(block.cards, self.most.cards)
            case blocks.Timelines():
                self.cards([blocks.timeline_title(*row) for row in block.rows], [card for card, _ in block.rows])

    def cards(self, titles: Iterable[Line], cards: Iterable[blocks.Card]) -> None:
        """Cards, each its title in a line, then its fields."""
        for number, (title, card) in enumerate(zip(titles, cards, strict=False)):
            if number:
                self.lines.line()
            self.lines.line(self.line(title))
            self.lines.grid((field.name, self.line(field.line)) for field in card.fields)

    def _more(self, items: Sequence[object], most: int) -> None:
        if len(items) > most:
            self.lines.line(f"and {len(items) - most:,} more", "dim")
