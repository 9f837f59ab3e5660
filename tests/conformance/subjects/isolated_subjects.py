"""What the tests of isolated subjects share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from conformance.core.observation import Failure
from conformance.core.streaming import Feeding
from conformance.subjects.definition import definition
from conformance.subjects.isolated import MOST_MEMORY, IsolatedSubject
from conformance.subjects.protocol import Model

TIMEOUT = 3.0
ONE_ID = Feeding("decoder", (1,))
WHOLE = """
import os, signal, sys, time
class Subject:
    def __init__(self, path):
        self.path = path
    def encode(self, text, add_special_tokens):
        if text == "wrong":
            {wrong}
        return [len(text)]
    def decode(self, ids, skip_special_tokens):
        return "skipped" if skip_special_tokens else "kept"
"""


def isolated(name: str, path: Path, timeout: float, memory: int = MOST_MEMORY) -> IsolatedSubject:
    """The subject with a name, and with a model that nobody looks into."""
    return IsolatedSubject(definition(name), Model(path=str(path), format="", sha256=""), timeout, memory)


Make = Callable[..., IsolatedSubject]


def failure(answer: object) -> Failure:
    assert isinstance(answer, Failure)
    return answer
