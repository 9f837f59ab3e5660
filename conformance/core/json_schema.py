"""JSON Schemas of types, the same under every Python."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import cleandoc
from typing import Any

import msgspec

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schemas(types: Sequence[Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The schema of each type, and all that they refer to, in `$defs`.

    Their descriptions are docstrings, whose indentation is kept by Python 3.12 and taken off by Python 3.13.

    >>> from conformance.core.finding import Confidence
    >>> schemas([Confidence])[0]
    [{'$ref': '#/$defs/Confidence'}]
    """
    found, definitions = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    for definition in definitions.values():
        if "description" in definition:
            definition["description"] = cleandoc(definition["description"])
    return list(found), definitions
