"""What a report shows, as blocks: pure functions of runs build them, and terminal, Markdown and page draw them.

Whoever draws blocks knows nothing of runs. Every text in them is our own or `visible` already; see `foreign`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from conformance.report.text import visible

MOST_MOMENTS = 30
"""Moments of which a line has signs, where they are no table."""
_CLASSES = {"✓": "equal", "✗": "new", "≈": "known", "~": "known", "↳": "known", "!": "silent", "∅": "none", "–": "none"}

Kind: TypeAlias = Literal["plain", "strong", "soft", "code", "sign"]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A part of a line. target: the address that it leads to on a page, "" for none."""

    text: str
    kind: Kind = "plain"
    target: str = ""


Line: TypeAlias = str | Phrase | tuple[str | Phrase, ...]


def foreign(text: str, kind: Kind = "plain", target: str = "", limit: int = 600) -> Phrase:
    """Text that others wrote, made visible, at most `limit` code points of it."""
    return Phrase(visible(text, limit), kind, target)


def phrases(line: Line) -> tuple[Phrase, ...]:
    """The parts of a line."""
    parts = line if isinstance(line, tuple) else (line,)
    return tuple(Phrase(part) if isinstance(part, str) else part for part in parts)


def sign(sign: str) -> Phrase:
    """A sign, whose colour every form has."""
    return Phrase(sign, "sign")


def sign_class(line: Line) -> str:
    """The class of the sign that a line begins with, which says its colour; "" for none.

    >>> sign_class((sign("✗"), " new")), sign_class(sign("=")), sign_class("✗")
    ('new', '', '')
    """
    first = phrases(line)[0]
    return _CLASSES.get(first.text, "") if first.kind == "sign" else ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A sentence or a few. tone: whether it is an aside, or something to mind."""

    line: Line
    tone: Literal["plain", "soft", "warning"] = "plain"


@dataclass(frozen=True, slots=True)
class Bullets:
    """Sentences, each for itself."""

    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers by name, and the anchor of the section that has what is counted."""

    numbers: tuple[tuple[str, int, str], ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table. title: the same in words. order: what a page sorts by, where that is not what it shows."""

    line: Line
    title: str = ""
    order: float | None = None


def cells(row: Iterable[Line | Cell]) -> list[Cell]:
    """The cells of a row, lines among them."""
    return [item if isinstance(item, Cell) else Cell(item) for item in row]


@dataclass(frozen=True, slots=True)
class Table:
    """A table. names: how many columns hold names; the others hold numbers. anchors: of the rows, where they have some.

    label: the anchor of the title over it.
    """

    label: str
    titles: tuple[str, ...]
    rows: tuple[tuple[Line | Cell, ...], ...]
    names: int = 1
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Field:
    """A name and what is said under it. is_detail: left out where there is little room."""

    name: str
    line: Line
    anchor: str = ""
    is_detail: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """A thing and what is said of it, by name. note: what stands beside its title on a page."""

    title: Line
    fields: tuple[Field, ...]
    anchor: str = ""
    note: Line = ""


@dataclass(frozen=True, slots=True)
class Cards:
    """Things of one kind, the most important first."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Timelines:
    """Things over time. names: of the moments, the oldest first; each card has a cell for every moment."""

    label: str
    names: tuple[str, ...]
    rows: tuple[tuple[Card, tuple[Cell, ...]], ...]


def timeline_title(card: Card, moments: tuple[Cell, ...]) -> Line:
    """The title of a card after the signs of its newest moments, for where there is no room for a table."""
    signs = (phrases(cell.line)[0] for cell in moments[-MOST_MOMENTS:])
    return *signs, "  ", *phrases(card.title)


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a chart: what it stands for in words, and its parts from below: sign and value."""

    words: str
    parts: tuple[tuple[Line, float], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars beside one another. most: the largest value, in words."""

    title: str
    most: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Charts:
    """Charts beside one another, which only a page has."""

    charts: tuple[Chart, ...]


@dataclass(frozen=True, slots=True)
class OnPage:
    """Blocks that only a page has room for."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a title. level: 2 for a section of the page."""

    anchor: str
    title: Line
    blocks: tuple[Block, ...]
    level: int = 2


Block: TypeAlias = Paragraph | Bullets | Counts | Table | Cards | Timelines | Charts | OnPage | Section


@dataclass(frozen=True, slots=True)
class Report:
    """A report. about: what kind it is. lead: what stands at the top. sign: of its verdict, "" where it has none."""

    about: str
    title: str
    lead: tuple[Block, ...]
    body: tuple[Block, ...]
    sign: str = ""

    def heading(self, before: str = "") -> Line:
        """The title after the sign of the verdict. before: what stands between them."""
        return (sign(self.sign), f" {before}{self.title}") if self.sign else f"{before}{self.title}"


@dataclass(frozen=True, slots=True)
class Most:
    """How much of each block is shown: the cards, the rows of a table, the lines of a list."""

    cards: int = 500
    rows: int = 500
    lines: int = 500


EVERYTHING = Most()
