"""A trainer of a user's own, in a process of its own: FILE.py:FUNCTION."""

from __future__ import annotations

import base64
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any

from conformance.core.errors import UsageError
from conformance.core.observation import Failure
from conformance.subjects.process import NoAnswer, Program

_SERVE = f"""\
import sys
sys.path[:] = [*filter(None, sys.path), {str(Path(__file__).resolve().parents[2])!r}]
from conformance.subjects.serve_training import main
main(sys.argv[1:])
"""
"""Nothing of the current folder is imported; the harness is found where it is, and after all else."""

RANKS = "ranks"
"""The name of trainers that are asked for the ranks of tokens: train(texts, vocab_size, pattern)."""

_MOST_ANSWER = 128 << 20
_MOST_NOISE = 1000


class TrainingSubject:
    """A function `train(texts, options)`, started when it is needed, and anew after a hang or a death.

    named: FILE.py:FUNCTION. timeout: seconds that one training may take. memory: that the process may have, in MiB.
    variables: of its environment, beside those of this process.
    Raises UsageError for a file that is not there.
    """

    def __init__(
        self, named: str, timeout: float, memory: int, variables: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        path, function = _file_and_function(named)
        self.label = f"{path.name}:{function}"
        self._command = (sys.executable, "-c", _SERVE, str(path), function)
        self._timeout = timeout
        self._memory = memory
        self._variables = variables
        self._program: Program | None = None

    def __enter__(self) -> TrainingSubject:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end()

    def train(self, trainer: str, texts: Sequence[str], options: Mapping[str, Any]) -> bytes | Failure:
        """The file that it makes, or how it failed. The arguments are as of `official_training`.

        Raises UsageError for a file that cannot be imported, or has no such function.
        """
        message = json.dumps({"texts": texts, "options": {"trainer": trainer, **options}}).encode("ascii") + b"\n"
        if self._program is None:
            self._program = Program(self._command, self._variables, self._memory)
        try:
            self._program.send(message)
            answer = self._received(self._program)
        except NoAnswer as none:
            self.end()
            return none.failure
        if "broken" in answer:
            raise UsageError(f"--subject {self.label}: cannot be loaded: {answer['broken']}")
        if "base64" in answer:
            return base64.b64decode(answer["base64"])
        return Failure("refused", answer["refused"]) if "refused" in answer else Failure("nonsense", answer["nonsense"])

    def _received(self, program: Program) -> dict[str, str]:
        deadline = time.monotonic() + self._timeout
        for _ in range(_MOST_NOISE):
            line = program.read_line(_MOST_ANSWER, self._timeout, deadline)
            try:
                answer = json.loads(line)
            except ValueError:
                continue
            if isinstance(answer, dict) and answer.keys() & {"broken", "base64", "refused", "nonsense"}:
                return answer
        raise NoAnswer(Failure("nonsense", "it says too much beside its answers"))

    def end(self) -> None:
        """End its process, if it has one; it is started anew when it is needed."""
        if self._program is not None:
            self._program.kill()
            self._program = None


def absolute_training_subject(named: str) -> str:
    """FILE.py:FUNCTION with the whole path of the file, for other folders than the current one.

    Raises UsageError as TrainingSubject does.
    """
    path, function = _file_and_function(named)
    return f"{path}:{function}"


def _file_and_function(named: str) -> tuple[Path, str]:
    file, _, function = named.rpartition(":")
    path = Path(file).absolute()
    if not file.endswith(".py") or not function.isidentifier():
        raise UsageError(f"--subject {named}: is not FILE.py:FUNCTION, with train(texts, options) -> path or bytes")
    if not path.is_file():
        raise UsageError(f"--subject {named}: there is no file {path}")
    return path, function
