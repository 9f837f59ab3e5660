"""Blocks on the terminal. A verdict stands last, where it is seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from conformance.report.blocks import (
    MOST_MOMENTS,
    Block,
    Bullets,
    Card,
    Cards,
    Cell,
    Charts,
    Counts,
    Legend,
    Line,
    Most,
    OnPage,
    Paragraph,
    Report,
    Section,
    Table,
    Timelines,
    cells,
    phrases,
)
from conformance.report.console import ConsoleLines
from conformance.report.signs import PLAIN, sign_class
from conformance.report.text import harmless

_STYLES = {"equal": "green", "new": "bold red", "known": "yellow", "silent": "magenta", "none": "dim", "": ""}
_KINDS = {"plain": "", "strong": "bold", "soft": "dim", "code": ""}
_EVERYTHING = Most()


def sign_style(sign: str) -> str:
    """The colour of a sign."""
    return _STYLES[sign_class(sign)]


def print_blocks(report: Report, console: Console, most: Most = _EVERYTHING) -> None:
    """Prints a report; no text in it can command the terminal."""
    terminal = Terminal(console, most)
    title = terminal.signed(report.sign, terminal.line(report.title, sign_style(report.sign) or "bold"))
    if not report.sign:
        terminal.lines.line(title)
        terminal.draw(report.lead, apart=False)
    terminal.draw(report.body)
    if report.sign:
        terminal.lines.line()
        terminal.draw(report.lead, apart=False)
        terminal.lines.line(title)


class Terminal:
    """A console, and how blocks are drawn on it."""

    def __init__(self, console: Console, most: Most = _EVERYTHING) -> None:
        self.lines = ConsoleLines(console)
        self.most = most

    def line(self, line: Line, style: str = "") -> Text:
        """The phrases of a line, beside one another."""
        parts = (
            self.lines.shown(harmless(part.text), f"{style} {_KINDS[part.kind]}".strip()) for part in phrases(line)
        )
        return Text().join(parts)

    def sign(self, sign: str) -> Text:
        """A sign in its colour."""
        shown = PLAIN.get(sign, sign) if self.lines.console.options.ascii_only else sign
        return self.lines.shown(shown, sign_style(sign))

    def signed(self, sign: str, text: Text) -> Text:
        """A text with a sign before it, where there is one."""
        return self.sign(sign).append(" ").append_text(text) if sign else text

    def draw(self, blocks: Iterable[Block], apart: bool = True) -> None:
        """The blocks one below the other. apart: with an empty line before each, not only before what is long."""
        for block in blocks:
            if not isinstance(block, OnPage | Charts):
                if apart or isinstance(block, Table | Cards | Timelines | Section):
                    self.lines.line()
                self._draw(block)

    def _draw(self, block: Block) -> None:
        match block:
            case Section():
                self.lines.line(self.signed(block.sign, self.line(block.title, sign_style(block.sign) or "bold")))
                self.draw(block.blocks, apart=False)
            case Paragraph():
                self.lines.line(self.signed(block.sign, self.line(block.line, "dim" if block.tone == "soft" else "")))
            case Bullets():
                for line in block.lines[: self.most.lines]:
                    before = self.sign(block.sign).append(" ") if block.sign else Text("  ")
                    self.lines.line(before.append_text(self.line(line)))
                self._more(block.lines, self.most.lines)
            case Counts():
                self.lines.line(", ".join(f"{name}: {number:,}" for name, number, _ in block.numbers))
            case Legend():
                meanings = (self.signed(sign, self.line(meaning, "dim")) for sign, meaning in block.meanings.items())
                self.lines.line(Text("   ").join(meanings))
                if block.note:
                    self.lines.line(self.line(block.note, "dim"))
            case Table():
                rows = [[self._cell(cell) for cell in cells(row)] for row in block.rows[: self.most.rows]]
                self.lines.table(block.titles, rows, block.names)
                self._more(block.rows, self.most.rows)
            case Cards():
                for number, card in enumerate(block.cards[: self.most.cards]):
                    if number:
                        self.lines.line()
                    self.card(card)
                self._more(block.cards, self.most.cards)
            case Timelines():
                for number, (card, moments) in enumerate(block.rows):
                    if number:
                        self.lines.line()
                    self.card(card, Text().join(self.sign(cell.sign) for cell in moments[-MOST_MOMENTS:]))

    def card(self, card: Card, before: Text | None = None) -> None:
        """A card: its title in a line, then its fields."""
        title = self.signed(card.sign, self.line(card.title))
        self.lines.line(before.append("  ").append_text(title) if before else title)
        self.lines.grid((field.name, self.line(field.line)) for field in card.fields)

    def _cell(self, cell: Cell) -> Text:
        text = self.line(cell.line, sign_style(cell.sign))
        return self.signed(cell.sign, text) if cell.sign and text else self.sign(cell.sign) if cell.sign else text

    def _more(self, items: Sequence[object], most: int) -> None:
        if len(items) > most:
            self.lines.line(f"and {len(items) - most:,} more", "dim")
