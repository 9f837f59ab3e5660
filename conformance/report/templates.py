"""The pages as templates: one self-contained file each, and the escaping of all that it shows.

Whatever a template writes goes through `visible` and then through the escaping of jinja2, so that no input can be
markup, and a page's policy lets nothing run but its own script.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from conformance.report.run import view, weight_words
from conformance.report.text import visible

LONGEST_VALUE = 4000
LONGEST_INPUT = 300
LONGEST_BRIEF_INPUT = 40
LONGEST_ANSWER = 200
LONGEST_PIECE = 80
MOST_NUMBERS = 8

MOST_LANGUAGES = 8
"""Corpus files of a finding that are named at once; the others are folded."""


def page(template: str, styles: Sequence[str], script: str = "", **values: Any) -> str:
    """A page of a template; it, the style sheets and the script ("" for none) are files that lie beside this module."""
    style = "".join(map(_resource, styles))
    code = _resource(script) if script else ""
    policy = f"default-src 'none'; style-src '{_hash(style)}'; "
    policy += f"script-src '{_hash(code)}'; " if code else ""
    policy += "base-uri 'none'; form-action 'none'"
    found = _environment().get_template(template)
    return found.render(style=Markup(style), script=Markup(code), policy=policy, **values)


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
    environment.filters["markup"] = Markup.escape
    environment.filters["piece"] = lambda text: Markup.escape(visible(text, LONGEST_PIECE))
    environment.filters["numbers"] = _numbers
    environment.filters["input"] = lambda case: Markup.escape(view.shown_input(case, LONGEST_INPUT))
    environment.filters["brief_input"] = lambda case: Markup.escape(view.shown_input(case, LONGEST_BRIEF_INPUT))
    environment.filters["answers"] = lambda example: [
        Markup.escape(line) for line in view.answers(example, LONGEST_ANSWER).lines
    ]
    return environment


def _finalize(value: Any) -> Any:
    """A value as the template writes it: text is made visible, unless it is markup, which was made visible before."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else visible(value, LONGEST_VALUE)


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
