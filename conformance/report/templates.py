"""The pages as templates: one self-contained file each, and the escaping of all that it shows.

Whatever a template writes goes through `visible` and then through the escaping of jinja2, so that no input can be
markup, and a page's policy lets nothing run but its own script.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from conformance.report import blocks
from conformance.report.blocks import EVERYTHING, Chart, Line, Most, Phrase, Report
from conformance.report.run import view, weight_words
from conformance.report.text import harmless, visible

LONGEST_VALUE = 4000
LONGEST_INPUT = 300
LONGEST_ANSWER = 200
LONGEST_PIECE, LONGEST_BRIEF_PIECE = 80, 14
MOST_NUMBERS = 8

MOST_LANGUAGES = 8
"""Corpus files of a finding that are named at once; the others are folded."""

BAR_HEIGHT, BAR_WIDTH, BAR_GAP = 100, 24, 6
"""Of a chart and of a bar in it, in units of the picture."""

_OUTWARD = Markup(' rel="noopener noreferrer"')
_PICTURE = re.compile("[\u2400-\u2421]")
_CONTROLS = re.findall(
    r"\w+",
    "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
    " SP DEL",
)
"""The names of the pictures from U+2400 on."""


def page(template: str, styles: Sequence[str], script: str = "", connects: bool = False, **values: Any) -> str:
    """A page of a template; it, the style sheets and the script ("" for none) are files that lie beside this module.

    connects: whether the script may ask the server that the page came from, and no other.
    """
    style = "".join(map(_resource, styles))
    code = _resource(script) if script else ""
    policy = f"default-src 'none'; style-src '{_hash(style)}'; "
    policy += f"script-src '{_hash(code)}'; " if code else ""
    policy += "connect-src 'self'; " if connects else ""
    policy += "base-uri 'none'; form-action 'none'"
    found = _environment().get_template(template)
    return found.render(style=Markup(style), script=Markup(code), policy=policy, **values)


def blocks_html(report: Report, most: Most = EVERYTHING) -> str:
    """The page of a report."""
    return page("blocks.html.jinja", ("report.css", "blocks.css"), "report.js", report=report, most=most)


@cache
def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
        keep_trailing_newline=True,
        loader=FunctionLoader(_resource),
    )
    environment.globals["most_languages"] = MOST_LANGUAGES
    environment.filters["number"] = lambda value: f"{value:,}"
    environment.filters["plural"] = view.plural
    environment.filters["capitalized"] = lambda sentence: sentence[:1].upper() + sentence[1:]
    environment.filters["percent"] = weight_words.percent
    environment.filters["share_of"] = weight_words.of_what
    environment.filters["day"] = view.shown_time
    environment.filters["markup"] = _foreign
    environment.filters["document"] = lambda text: Markup.escape(harmless(text))
    environment.filters["piece"] = lambda text: _foreign(visible(text, LONGEST_PIECE))
    environment.filters["brief_piece"] = lambda text: _foreign(visible(text, LONGEST_BRIEF_PIECE))
    environment.filters["numbers"] = _numbers
    environment.filters["kind"] = lambda block: type(block).__name__
    environment.filters["sign_class"] = blocks.sign_class
    environment.filters["cells"] = blocks.cells
    environment.filters["line"] = _line
    environment.filters["picture"] = _picture
    environment.filters["input"] = lambda case: _foreign(view.shown_input(case, LONGEST_INPUT))
    environment.filters["answers"] = lambda example: [
        _foreign(line) for line in view.answers(example, LONGEST_ANSWER).lines
    ]
    return environment


def _finalize(value: Any) -> Any:
    """A value as the template writes it: text is made visible, unless it is markup, which was made visible before."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else visible(value, LONGEST_VALUE)


def _foreign(text: str) -> Markup:
    """Text that is visible already, as markup in which the pictures of control characters have their names.

    >>> _foreign("a\u2420<")
    Markup('a<i class="control" data-name="SP">␠</i>&lt;')
    """
    return Markup(_PICTURE.sub(_with_name, str(Markup.escape(text))))


def _with_name(picture: re.Match[str]) -> str:
    return f'<i class="control" data-name="{_CONTROLS[ord(picture[0]) - 0x2400]}">{picture[0]}</i>'


def _line(line: Line) -> Markup:
    """The phrases of a line, beside one another."""
    return Markup().join(map(_phrase, blocks.phrases(line)))


def _phrase(phrase: Phrase) -> Markup:
    """A phrase, whose direction stays its own.

    >>> _phrase(Phrase("a<", "strong", "#b"))
    Markup('<a href="#b"><strong class="isolate">a&lt;</strong></a>')
    """
    text = _foreign(harmless(phrase.text))
    if phrase.kind == "code":
        text = Markup('<code class="isolate" dir="ltr">{}</code>').format(text)
    elif phrase.kind == "strong":
        text = Markup('<strong class="isolate">{}</strong>').format(text)
    elif phrase.kind == "soft":
        text = Markup('<span class="soft">{}</span>').format(text)
    elif phrase.kind == "sign":
        text = Markup('<span class="{}">{}</span>').format(blocks.sign_class(phrase), text)
    if phrase.target:
        outward = _OUTWARD * ("://" in phrase.target)
        text = Markup('<a href="{}"{}>{}</a>').format(harmless(phrase.target), outward, text)
    return text


def _picture(chart: Chart) -> Markup:
    """The bars of a chart beside one another."""
    largest = max((sum(value for _, value in bar.parts) for bar in chart.bars), default=0) or 1
    width = max(1, len(chart.bars) * (BAR_WIDTH + BAR_GAP) - BAR_GAP)
    words = "; ".join(bar.words for bar in chart.bars)
    start = '<svg role="img" viewBox="0 0 {0} {1}" width="{0}" height="{1}" aria-label="{2}: {3}">'
    drawn = [Markup(start).format(width, BAR_HEIGHT, visible(chart.title), visible(words, LONGEST_VALUE))]
    for number, bar in enumerate(chart.bars):
        x, below = number * (BAR_WIDTH + BAR_GAP), 0.0
        drawn.append(Markup("<g><title>{}</title>").format(visible(bar.words)))
        rectangle = Markup('<rect class="{}" x="{}" y="{:.2f}" width="{}" height="{:.2f}"/>')
        drawn.append(rectangle.format("hover", x, 0, BAR_WIDTH, BAR_HEIGHT))
        for mark, value in bar.parts:
            tall = BAR_HEIGHT * value / largest
            below += tall
            drawn.append(rectangle.format(blocks.sign_class(mark) or "plain", x, BAR_HEIGHT - below, BAR_WIDTH, tall))
        drawn.append(Markup("</g>"))
    return Markup().join([*drawn, Markup("</svg>")])


def _numbers(text: str) -> str:
    """The code points of a short text that ASCII does not have: two that look the same may be spelled differently."""
    return "" if text.isascii() or len(text) > MOST_NUMBERS else " ".join(f"{ord(item):04X}" for item in text)


@cache
def _resource(name: str) -> str:
    """A file that lies beside this module."""
    return resources.files("conformance.report").joinpath(name).read_text("utf-8")


def _hash(source: str) -> str:
    """The name of an inline script or style in a content security policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}"
