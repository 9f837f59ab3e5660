"""Formats docstrings for mkdocstrings: examples as code blocks, arguments as paragraphs."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^>>> .*(?:\n(?!$).*)*", re.MULTILINE)
_ARGUMENT = re.compile(r"^(?=[a-z_, ]+: )", re.MULTILINE)
_CONTINUED = re.compile(r"^ {4}(?=\w|`)", re.MULTILINE)


class Doctests(griffe.Extension):
    """Fences the examples of each docstring."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrites the docstring of one object."""
        if obj.docstring:
            text = _EXAMPLE.sub(lambda example: f"```pycon\n{example[0]}\n```", obj.docstring.value)
            obj.docstring.value = _ARGUMENT.sub("\n", _CONTINUED.sub("", text))
