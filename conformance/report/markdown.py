"""Blocks as Markdown, and the escaping of all that it shows: nothing in a text is markup, or calls a person."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from conformance.report import blocks
from conformance.report.blocks import EVERYTHING, Line, Phrase, cells, phrases
from conformance.report.text import harmless, visible

_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_REFERENCE = re.compile(r"@\w|#\d")


def blocks_markdown(report: blocks.Report, most: blocks.Most = EVERYTHING) -> str:
    """The whole document."""
    title = f"### {_line(report.heading(f'{report.about}: '))}"
    return "\n".join([title, *_drawn((*report.lead, *report.body), most)]) + "\n"


def _drawn(items: Iterable[blocks.Block], most: blocks.Most) -> Iterator[str]:
    for block in items:
        if lines := list(_lines(block, most)):
            yield from ("", *lines)


def _lines(block: blocks.Block, most: blocks.Most) -> Iterator[str]:
    match block:
        case blocks.Section():
            yield f"{'#' * (block.level + 2)} {_line(block.title)}"
            yield from _drawn(block.blocks, most)
        case blocks.Paragraph():
            yield _line(block.line)
        case blocks.Bullets():
            yield from _first([f"- {_line(line)}" for line in block.lines], most.lines)
        case blocks.Counts():
            yield ", ".join(f"{name}: {number:,}" for name, number, _ in block.numbers)
        case blocks.Table():
            yield f"| {' | '.join(map(escaped, block.titles))} |"
            yield f"|{'---|' * block.names}{'--:|' * (len(block.titles) - block.names)}"
            for row in block.rows[: most.rows]:
                yield f"| {' | '.join(_line(cell.line) for cell in cells(row))} |"
            if len(block.rows) > most.rows:
                yield f"| and {len(block.rows) - most.rows:,} more |{' |' * (len(block.titles) - 1)}"
        case blocks.Cards():
            yield from _first(["\n".join(_card(one.title, one)) for one in block.cards], most.cards)
        case blocks.Timelines():
            for one, moments in block.rows:
                yield from _card(blocks.timeline_title(one, moments), one)
        case _:
            pass


def _first(lines: Sequence[str], most: int) -> Iterator[str]:
    """The first of the lines of a list, then how many more there are."""
    yield from lines[:most]
    if len(lines) > most:
        yield f"- and {len(lines) - most:,} more"


def _card(title: Line, card: blocks.Card) -> Iterator[str]:
    """A card as an item of a list, and its fields under it, those of code beside one another."""
    yield f"- {_line(title)}"
    fields = [field for field in card.fields if not field.is_detail]
    for _, together in groupby(enumerate(fields), lambda pair: -1 if _is_code(pair[1].line) else pair[0]):
        yield f"  - {', '.join(_field(field) for _, field in together)}"


def _is_code(line: Line) -> bool:
    return isinstance(line, Phrase) and line.kind == "code"


def _field(field: blocks.Field) -> str:
    return f"{escaped(field.name)}: {_line(field.line)}" if field.name else _line(field.line)


def _line(line: Line) -> str:
    return "".join(map(_phrase, phrases(line)))


def _phrase(phrase: Phrase) -> str:
    if phrase.kind == "code":
        return code(phrase.text)
    return f"**{escaped(phrase.text)}**" if phrase.kind == "strong" and phrase.text else escaped(phrase.text)


def prose(text: str, limit: int = 200) -> str:
    r"""Foreign text inside a sentence or a table: nothing in it is markup, nor calls a person or another thread.

    >>> print(prose("<b>*a*|`b`</b>"), prose("@me"))
    &lt;b&gt;\*a\*\|\`b\`&lt;/b&gt; <code>@me</code>
    """
    return escaped(visible(text, limit))


def escaped(text: str) -> str:
    """Text that is visible already, in which nothing is markup."""
    safe = _SPECIAL.sub(r"\\\1", html.escape(harmless(text).replace("\n", "␊"), quote=False))
    return f"<code>{safe}</code>" if _REFERENCE.search(text) else safe


def code(text: str) -> str:
    r"""Text that is already `visible` as a code span that nothing in it can end.

    >>> print(code("a`b``c"), code("`"))
    ```a`b``c``` `` ` ``
    """
    text = harmless(text).replace("\n", "␊")
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    padding = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{padding}{text}{padding}{fence}"
