"""A subject in a process of its own, so that it may hang, die or print without harm to the run.

The process speaks JSON lines: a request is {"op": "encode" | "decode" | "stream", "item": ...}, and each has one line
of answer, so that a hang or a death is known to the case. After either the process is started anew. It leads a session
of its own: Ctrl-C does not reach it, and what it started ends with it.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from conformance.observation import Decoded, Decoding, Encoded, Encoding, Failure
from conformance.subjects.base import UnavailableError

START_SECONDS = 60.0
MOST_DEATHS = 5
SMOKE_TEXT = "a"
_MOST_ANSWER_BYTES = 256 << 20
_PIPE_BYTES = 1 << 16


class IsolatedSubject:
    """FILE.py:FACTORY with a model, behind a pipe.

    timeout: seconds that one answer may take.
    After `MOST_DEATHS` hangs or deaths it is not asked any more until `renew`, and says so.
    Raises UnavailableError where the process cannot start or the factory raises.
    """

    takes_bytes = False
    has_batch = False

    def __init__(self, name: str, path: Path, timeout: float) -> None:
        self.name = Path(name).name
        self._file, _, self._factory = name.rpartition(":")
        self._path = path
        self._timeout = timeout
        self._deaths = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._features: frozenset[str] = frozenset()
        self._start()
        self._hopeless = self._smoke()

    def _smoke(self) -> Failure | None:
        """The failure of a subject that hangs or dies on the plainest text; it is then not asked anything else."""
        answer = self._ask_until_death("encode", [SMOKE_TEXT])[0]
        if not isinstance(answer, Failure) or answer.kind not in ("timed out", "crashed"):
            return None
        return Failure(answer.kind, f"{answer.message}, on the text {SMOKE_TEXT!r} already; nothing else was asked")

    def encode(self, text: str | bytes) -> Encoding:
        return self.encode_batch([text])[0]

    def encode_batch(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        return [_encoded(answer) for answer in self._ask("encode", list(texts))]

    def decode(self, ids: Sequence[int]) -> Decoding:
        return _decoded(self._ask("decode", [list(ids)])[0])

    def stream_decode(self, ids: Sequence[int]) -> Decoding | None:
        return _decoded(self._ask("stream", [list(ids)])[0]) if "stream" in self._features else None

    def renew(self) -> None:
        self._deaths = 0

    def close(self) -> None:
        if self._process is not None:
            self._kill()

    def _start(self) -> None:
        answers, answers_end = os.pipe()
        command = [
            sys.executable,
            "-m",
            "conformance.subjects.serve",
            self._file,
            self._factory,
            str(self._path),
            str(answers_end),
        ]
        self._process = subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[answers_end],
            start_new_session=True,
        )
        os.close(answers_end)
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        self._answers = answers
        hello = self._read_answer(START_SECONDS)
        if isinstance(hello, Failure):
            self._kill()
            raise UnavailableError(f"{self.name} cannot be loaded: {hello.message}")
        self._features = frozenset(hello.get("features", ()))

    def _ask(self, operation: str, items: list[Any]) -> list[dict[str, Any] | Failure]:
        if self._hopeless is not None:
            return [self._hopeless] * len(items)
        answers: list[dict[str, Any] | Failure] = []
        while len(answers) < len(items):
            if self._deaths >= MOST_DEATHS:
                given_up = Failure("not asked", f"it hung or died {MOST_DEATHS} times before")
                answers += [given_up] * (len(items) - len(answers))
                break
            answers += self._ask_until_death(operation, items[len(answers) :])
        return answers

    def _ask_until_death(self, operation: str, items: list[Any]) -> list[dict[str, Any] | Failure]:
        """The answers up to the last item or to the one at which the process hung or died."""
        answers: list[dict[str, Any] | Failure] = []
        if self._process is None:
            try:
                self._start()
            except UnavailableError as error:
                self._deaths = MOST_DEATHS
                return [Failure("crashed", str(error))]
        for item in items:
            self._send({"op": operation, "item": item})
            answer = self._read_answer(self._timeout)
            answers.append(answer)
            if isinstance(answer, Failure) and answer.kind in ("timed out", "crashed"):
                self._deaths += 1
                self._kill()
                break
        return answers

    def _send(self, request: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        requests = self._process.stdin.fileno()
        data = memoryview(json.dumps(request).encode("ascii") + b"\n")
        deadline = time.monotonic() + self._timeout
        with suppress(OSError):  # the process has died, which reading the answer shows
            while data and select.select([], [requests], [], max(0.0, deadline - time.monotonic()))[1]:
                data = data[os.write(requests, data[:_PIPE_BYTES]) :]

    def _read_answer(self, timeout: float) -> dict[str, Any] | Failure:
        deadline = time.monotonic() + timeout
        data = bytearray()
        while not data.endswith(b"\n"):
            seconds = deadline - time.monotonic()
            if seconds < 0 or not select.select([self._answers], [], [], seconds)[0]:
                return Failure("timed out", f"no answer within {timeout:g} s")
            chunk = os.read(self._answers, _PIPE_BYTES)
            if not chunk:
                return Failure("crashed", self._cause_of_death())
            data += chunk
            if len(data) > _MOST_ANSWER_BYTES:
                return Failure("crashed", f"its answer is longer than {_MOST_ANSWER_BYTES >> 20} MB")
        try:
            answer = dict(json.loads(data))
        except (ValueError, TypeError, RecursionError):
            return Failure("crashed", "something else wrote into its answers")
        return Failure(answer["failure"], answer["message"]) if "failure" in answer else answer

    def _cause_of_death(self) -> str:
        assert self._process is not None
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            return "it closed its answers"
        if code < 0:
            name = next((known.name for known in signal.Signals if known == -code), f"signal {-code}")
            return f"its process was killed by {name}"
        return f"its process ended with exit code {code}"

    def _kill(self) -> None:
        assert self._process is not None
        with suppress(ProcessLookupError, PermissionError):  # all of it has ended
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        os.close(self._answers)
        self._process = None


def _encoded(answer: dict[str, Any] | Failure) -> Encoding:
    if isinstance(answer, Failure):
        return answer
    offsets = answer.get("offsets")
    return Encoded(
        tuple(answer["ids"]),
        _tuple(answer.get("tokens")),
        None if offsets is None else tuple((start, end) for start, end in offsets),
        _tuple(answer.get("special_tokens_mask")),
    )


def _decoded(answer: dict[str, Any] | Failure) -> Decoding:
    return answer if isinstance(answer, Failure) else Decoded(answer["text"], answer.get("with_special"))


def _tuple(values: list[Any] | None) -> tuple[Any, ...] | None:
    return None if values is None else tuple(values)
