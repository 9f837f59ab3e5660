"""A subject of a file without a process of its own: for tests of what follows from answers, whoever gives them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from conformance.subjects import serve
from conformance.subjects.base import UnavailableError
from conformance.subjects.isolated import IsolatedSubject

NEEDS_A_PROCESS = re.compile(r"\b(?:fork|kill|killpg|_exit|sleep)\b")


class ServedHere(IsolatedSubject):
    """Asked as in a process, and answered as there; a hang, a death or a fork would be that of the test."""

    _served: Any = None

    def _start(self) -> float:
        assert not NEEDS_A_PROCESS.search(Path(self._file).read_text("utf-8")), (
            f"{self._file} needs a process of its own"
        )
        paths = [*sys.path]
        try:
            self._served = serve._made(serve.load_factory(self._file, self._factory), self._factory, str(self._path))
        except Exception as error:
            raise UnavailableError(f"{self.name} cannot be loaded: {serve._failed(error)['message']}") from None
        finally:
            sys.path[:] = paths
        self._process = self._served
        return self._greet(serve._hello(self._served))

    def load(self, path: Path) -> None:
        self._path = path
        self._deaths = 0
        self._start()

    def _read_each(self, operation: str, items: Sequence[Any], timeout: float) -> Iterator[Any]:
        self._asked = True
        for item in items:
            asked = json.loads(json.dumps(item))
            yield json.loads(json.dumps(serve.answer(self._served, operation, asked)))

    def _kill(self) -> None:
        self._process = self._served = None
