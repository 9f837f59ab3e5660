"""A subject of a file without a process of its own: for tests of what follows from answers, whoever gives them."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from conformance.subjects.connection import Connection, LocalConnection
from conformance.subjects.isolated import IsolatedSubject
from conformance.subjects.serve import Server, load_factory

NEEDS_A_PROCESS = re.compile(r"\b(?:fork|kill|killpg|_exit|sleep)\b")


class _Served(Server):
    """Its answers go through JSON, as they do between processes."""

    def answer(self, message: Any) -> dict[str, Any]:
        paths = [*sys.path]
        try:
            found: dict[str, Any] = json.loads(json.dumps(super().answer(json.loads(json.dumps(message)))))
        finally:
            sys.path[:] = paths
        return found


class ServedHere(IsolatedSubject):
    """Asked as in a process, and answered as there; a hang, a death or a fork would be that of the test."""

    def _connect(self) -> Connection:
        file, factory = self._definition.code[-1], self._definition.command[-1]
        assert not NEEDS_A_PROCESS.search(file.read_text("utf-8")), f"{file} needs a process of its own"
        return LocalConnection(_Served(lambda: load_factory(str(file), factory)))
