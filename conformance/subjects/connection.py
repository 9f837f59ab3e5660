"""The way of messages to a subject and back: to a program, or to an object in this process."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import msgspec

from conformance.core.observation import Failure
from conformance.subjects.process import NoAnswer, Program
from conformance.subjects.protocol import ANSWERS, Answer, Request
from conformance.subjects.serve import Server

MOST_NOISE = 100
"""Lines that are kept of those that are no answers."""
_NOISE_CHARACTERS = 200
LEAST_ANSWER_BYTES, ANSWER_BYTES_PER_BYTE = 16 << 20, 64
"""An answer may have so many bytes, and so many for each byte of its question; what is read takes twenty times as much
memory at worst."""
_BEGINNING = re.compile(rb'\s*\{\s*"id"\s*:')
"""Of an answer, most often: there is no need to wait for another."""
A = TypeVar("A", bound=Answer)


class Connection(Protocol):
    """Messages in, answers out, in the same order."""

    noise: list[str]

    @property
    def said(self) -> str:
        """The last that it said beside its answers."""

    def send(self, request: Request) -> None:
        """Send a message."""

    def receive(self, request: Request, seconds: float) -> Answer:
        """The answer to a message; raises NoAnswer."""

    def stop(self) -> int | None:
        """The exit code of what was asked to stop; None where it does not."""

    def close(self) -> None:
        """End what answers."""


class ProgramConnection:
    """The messages of a program. noise: the first lines of its standard output that are no answers."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._most: dict[int, int] = {}
        self.noise: list[str] = []

    @property
    def said(self) -> str:
        """The last that it said on standard error."""
        return self._program.said

    def send(self, request: Request) -> None:
        line = as_line(request)
        self._most[request.id] = max(LEAST_ANSWER_BYTES, ANSWER_BYTES_PER_BYTE * len(line))
        self._program.send(line)

    def receive(self, request: Request, seconds: float) -> Answer:
        most = self._most.pop(request.id)
        deadline = time.monotonic() + seconds
        while True:
            line = self._program.read_line(most, seconds, deadline)
            found = _of_line(line, ANSWERS[type(request)], request)
            if found is not None:
                return _checked(found, request)
            if len(self.noise) < MOST_NOISE:
                self.noise.append(line[:_NOISE_CHARACTERS].decode("utf-8", "replace"))

    def stop(self) -> int | None:
        return self._program.stop()

    def close(self) -> None:
        self._program.kill()


class LocalConnection:
    """The messages of an object in this process: the same as of a program, but nothing stands between."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.noise: list[str] = []
        self.said = ""
        self._answers: list[Any] = []

    def send(self, request: Request) -> None:
        message = msgspec.to_builtins(request)
        self._answers.append({"id": request.id, **self._server.answer(message)})

    def receive(self, request: Request, seconds: float) -> Answer:
        return _checked(_converted(self._answers.pop(0), ANSWERS[type(request)], request), request)

    def stop(self) -> int | None:
        return 0

    def close(self) -> None:
        self._answers.clear()


def as_line(request: Request) -> bytes:
    """A message as it is sent: ASCII, in which lone surrogates travel as escapes."""
    return json.dumps(msgspec.to_builtins(request)).encode("ascii") + b"\n"


def _of_line(line: bytes, kind: type[A], request: Request) -> A | None:
    """The answer in a line; None where it is no answer at all, such as what a library prints.

    Raises NoAnswer for one of another form; also for what begins as an answer does, and is no JSON.
    """
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        pass  # the reader below takes lone surrogates as well
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        if _BEGINNING.match(line):
            said = "it nests too deeply" if isinstance(error, RecursionError) else str(error)
            raise NoAnswer(Failure("nonsense", f"its answer is no JSON: {said}"[:400])) from None
        return None
    if not isinstance(value, dict) or "id" not in value:
        return None
    return _converted(value, kind, request)


def _converted(value: Mapping[str, Any], kind: type[A], request: Request) -> A:
    try:
        return msgspec.convert(value, kind)
    except (ValueError, RecursionError) as error:
        failure = Failure("nonsense", f"its answer has another form: {error}"[:400])
        raise NoAnswer(failure, is_over=value.get("id") != request.id) from None


def _checked(answer: Answer, request: Request) -> Answer:
    if answer.id != request.id:
        raise NoAnswer(Failure("nonsense", f"it answers message {answer.id} where {request.id} was due"))
    if answer.error is not None:
        raise NoAnswer(Failure("adapter error", answer.error.message[:400]), is_over=False)
    return answer
