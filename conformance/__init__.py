"""The harness: it holds any implementation of a tokenizer against the official library.

For a user's own tests:

    findings(subject, model)         what is wrong with an object that encodes and decodes
    compare(subject, model, text)    what differs on one text, bytes or ids
    describe(found)                  either in words, for the message of an assertion
    run(subject, model)              the whole run, as reports show it
    conforms(model)                  a decorator: a factory, or an encode function, as tests of pytest
    conformance.strategies           texts, bytes and ids that know a model, for Hypothesis

These are loaded when the first of them is used: importing the package alone costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = [
    "ConformanceError",
    "Finding",
    "Mismatch",
    "Run",
    "UsageError",
    "compare",
    "conforms",
    "describe",
    "findings",
    "run",
]

if TYPE_CHECKING:
    from conformance.api import compare, describe, findings, run
    from conformance.core.errors import ConformanceError, UsageError
    from conformance.core.finding import Finding, Mismatch
    from conformance.core.run import Run
    from conformance.pytest_plugin import conforms
else:
    _HOMES = {
        **dict.fromkeys(("compare", "describe", "findings", "run"), "conformance.api"),
        **dict.fromkeys(("ConformanceError", "UsageError"), "conformance.core.errors"),
        **dict.fromkeys(("Finding", "Mismatch"), "conformance.core.finding"),
        "Run": "conformance.core.run",
        "conforms": "conformance.pytest_plugin",
    }

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'conformance' has no attribute {name!r}")
        return getattr(import_module(_HOMES[name]), name)
