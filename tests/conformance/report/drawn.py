"""Reports as text, in each form."""

from __future__ import annotations

import html
import io
import re

from conformance.report.blocks import EVERYTHING, Most, Report
from conformance.report.console import OutputConsole
from conformance.report.markdown import blocks_markdown
from conformance.report.templates import blocks_html
from conformance.report.terminal import print_blocks

FORMS = ("terminal", "markdown", "html")


def drawn(report: Report, form: str, most: Most = EVERYTHING, width: int = 120, encoding: str = "utf-8") -> str:
    """A report in a form."""
    if form == "markdown":
        return blocks_markdown(report, most)
    if form == "html":
        return blocks_html(report, most)
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    print_blocks(report, OutputConsole(file=file, width=width), most)
    file.flush()
    return raw.getvalue().decode(encoding)


def said(report: Report) -> str:
    """What a report says, without its markup: what stands in Markdown, of which the other forms have all."""
    text = re.sub(r"\*\*|`|\\(?=[^\w\s])", "", blocks_markdown(report))
    return " ".join(html.unescape(text).split())
