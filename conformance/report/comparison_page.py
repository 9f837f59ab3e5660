"""What the pages of a comparison and of a matrix share: one self-contained file, and the escaping of all that it shows.

As in the report of a run, text goes through `visible` and then through the escaping of jinja2, so that no input can be
markup. These pages have no script at all, and their policy lets none run.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from conformance.report import view
from conformance.report.text import visible

LONGEST_VALUE = 4000
LONGEST_INPUT = 300
LONGEST_ANSWER = 200


def page(name: str, **values: Any) -> str:
    """The page of a template that lies beside this module."""
    style = _resource("report.css") + _resource("comparison.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return _template(name).render(style=Markup(style), policy=policy, **values)


@cache
def _template(name: str) -> Template:
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
        keep_trailing_newline=True,
    )
    environment.filters["number"] = lambda value: f"{value:,}"
    environment.filters["plural"] = view.plural
    environment.filters["input"] = lambda case: Markup.escape(view.shown_input(case, LONGEST_INPUT))
    environment.filters["answers"] = lambda example: [
        Markup.escape(line) for line in view.answers(example, LONGEST_ANSWER).lines
    ]
    return environment.from_string(_resource(name))


def _finalize(value: Any) -> Any:
    """What the template writes of a value: text is made visible, unless it is markup, which was made visible before."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else visible(value, LONGEST_VALUE)


@cache
def _resource(name: str) -> str:
    return resources.files("conformance.report").joinpath(name).read_text("utf-8")
