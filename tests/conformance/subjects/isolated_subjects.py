"""What the tests of isolated subjects share."""

from __future__ import annotations

from collections.abc import Callable

from conformance.core.observation import Failure
from conformance.core.streaming import Feeding
from conformance.subjects.isolated import IsolatedSubject

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
Make = Callable[..., IsolatedSubject]


def failure(answer: object) -> Failure:
    assert isinstance(answer, Failure)
    return answer
