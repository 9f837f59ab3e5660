"""A subject in a process of its own, so that it may hang, die or print without harm to the run.

The process speaks JSON lines: a request is {"op": ..., "item": ..., "number": ...}, where the operation is "encode",
"encode_batch", "decode", "stream", "load" (another model), or one of those in bulk: "ids", "kept", "skipped". Each has
one line of answer with its number, in the order of the requests, of which some are sent ahead, so that neither process
waits for the other; a hang or a death is known to the case all the same. After either, or after a foreign answer, the
process is started anew. It leads a session of its own: Ctrl-C does not reach it, and what it started ends with it.
"""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from conformance.core.observation import Decoded, Decoding, Encoded, Encoding, Failure
from conformance.core.streaming import Feeding, Streaming
from conformance.subjects.answers import FOREIGN, Hello, answered, batch_with_singles, failed, record
from conformance.subjects.base import Ids, InBulk, Subject, UnavailableError
from conformance.subjects.streams import STREAM_FEATURES, feeding_to_json

START_SECONDS = 60.0
"""A process may take so long to load its subject and model, whatever an answer may take."""
MOST_DEATHS = 5
QUICK_START_SECONDS = 2.0
"""Of the processor, not of the clock: what else the machine does must decide nothing."""
BATCH_TEXTS = 64
SMOKE_TEXT = "a"
_MOST_ANSWER_BYTES = 256 << 20
_PIPE_BYTES = 1 << 16
_ITEMS_AHEAD, _BYTES_AHEAD = 64, 1 << 13
"""Requests that are sent before the answer to the first of them is read: what any system's pipe holds."""


MOST_MEMORY = 16_384
"""MiB, by default: no tokenizer needs as much, and what grows without end does not take the machine along."""
_MARK = "CONFORMANCE_SUBJECT"
"""In the environment of the process of a subject, and so of all that it starts."""
_SERVE = f"""\
import sys
sys.path.append({str(Path(__file__).resolve().parents[2])!r})
from conformance.subjects.serve import main
main(sys.argv[1:])
"""
"""Nothing of the current folder is imported; the harness is found where it is, and after all else."""


class IsolatedSubject(Subject):
    """FILE.py:FACTORY with a model, behind a pipe.

    timeout: seconds that one answer may take. memory: that it may have, in MiB, where the system bounds it.
    version: what it says of itself, "" where it says nothing.
    After `MOST_DEATHS` hangs or deaths it is not asked any more until `renew`, and says so.
    `renew` also starts the process anew where it was asked something, so that what it remembers does not reach the
    next shard. One that works longer than `QUICK_START_SECONDS` to start is let be: its answers may then depend on the
    order of the shards, and so on --jobs, if it keeps a state between calls.
    Raises UnavailableError where the process cannot start, or not within `START_SECONDS`, and where the factory raises.
    """

    def __init__(self, name: str, path: Path, timeout: float, memory: int = MOST_MEMORY) -> None:
        self.name = Path(name).name
        self._file, _, self._factory = name.rpartition(":")
        self._path = path
        self._timeout = timeout
        self._memory = memory
        self._deaths = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._features: frozenset[str] = frozenset()
        self.version = ""
        self._asked = False
        self._number = 0
        self._mark = secrets.token_hex(8)
        self._batch_works = True
        self._starts_quickly = self._start() <= QUICK_START_SECONDS
        self._hopeless = self._smoke()

    def _smoke(self) -> Failure | None:
        """The failure of a subject that hangs or dies on the plainest text; it is then not asked anything else."""
        answer = self._ask_until_death("encode", [SMOKE_TEXT])[0]
        if not isinstance(answer, Failure) or answer.kind not in ("timed out", "crashed"):
            return None
        return Failure(answer.kind, f"{answer.message}, on the text {SMOKE_TEXT!r} already; nothing else was asked")

    def encode(self, text: str | bytes) -> Encoding:
        return self._encode_each([text])[0]

    def encode_batch(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        """By the subject's batch call where it has one, for `BATCH_TEXTS` at a time.

        Where that gives no answer each text is encoded alone. If none of them is at fault, the batch call is, and the
        first text has its failure for an answer. A batch call that hung or died is not used again before `renew`.
        """
        if not self.has_batch or self._hopeless is not None:
            return self._encode_each(texts)
        encodings: list[Encoding] = []
        for start in range(0, len(texts), BATCH_TEXTS):
            encodings += self._encode_together(texts[start : start + BATCH_TEXTS])
        return encodings

    def _encode_each(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        return self._ask("encode", list(texts))

    def _encode_together(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        """The ids of the batch call; it gives nothing else, so the rest is from the calls for each text."""
        batch = self._batch(texts) if self._batch_works else None
        if isinstance(batch, list) and "encode_with_offsets" not in self._features:
            return [Encoded(ids) for ids in batch]
        singles = self._encode_each(texts)
        return singles if batch is None else batch_with_singles(batch, singles)

    def _batch(self, texts: Sequence[str | bytes]) -> list[tuple[int, ...]] | Failure:
        answer: list[tuple[int, ...]] | Failure
        answer = self._ask("encode_batch", [list(texts)], self._timeout * len(texts))[0]
        if isinstance(answer, Failure) and answer.kind in ("timed out", "crashed"):
            self._batch_works = False
        return answer

    def decode(self, ids: Sequence[int]) -> Decoding:
        answer: Decoding = self._ask("decode", [list(ids)])[0]
        return answer

    def in_bulk(self) -> InBulk:
        """Its answers up to the first hang or death; the rest is asked in full, where such things are counted."""

        def ids(texts: Sequence[str | bytes]) -> list[Ids | None]:
            answers = iter(self._first_answers("ids", [text for text in texts if isinstance(text, str)]))
            found = [next(answers) if isinstance(text, str) else None for text in texts]
            return [list(answer.ids) if isinstance(answer, Encoded) else None for answer in found]

        def texts(operation: str, questions: Sequence[Ids]) -> list[str | None]:
            answers = self._first_answers(operation, list(map(list, questions)))
            return [answer.text if isinstance(answer, Decoded) else None for answer in answers]

        return InBulk(ids, partial(texts, "kept"), partial(texts, "skipped"))

    def _first_answers(self, operation: str, items: list[Any]) -> list[Any]:
        """The answers up to a hang or a death, then None; neither counts."""
        if self._hopeless is not None:
            return [None] * len(items)
        deaths = self._deaths
        answers = self._ask_until_death(operation, items)
        self._deaths = deaths
        return answers + [None] * (len(items) - len(answers))

    def stream(self, feedings: Sequence[Feeding]) -> list[Streaming]:
        asked = [feeding for feeding in feedings if self._features & STREAM_FEATURES[feeding.to]]
        answers = iter(self._ask("stream", [feeding_to_json(feeding) for feeding in asked]))
        return [next(answers) if self._features & STREAM_FEATURES[feeding.to] else None for feeding in feedings]

    def renew(self) -> None:
        self._deaths = 0
        self._batch_works = True
        if self._process is not None and self._asked and self._starts_quickly:
            self._kill()

    def load(self, path: Path) -> None:
        """Take another model, within the same process if it lives: many models one after another take little time.

        Raises UnavailableError where the subject refuses the model.
        """
        self._path = path
        self._deaths = 0
        if self._process is None:
            self._start()
            return
        self._send(self._request("load", str(path)))
        hello = self._read_hello(self._number)
        if isinstance(hello, Failure) and hello.kind == "refused":
            raise UnavailableError(f"{self.name} cannot be loaded: {hello.message}")
        self._greet(hello)

    def close(self) -> None:
        if self._process is not None:
            self._kill()

    def _start(self) -> float:
        """Start the process; the seconds of the processor that it says it took."""
        answers, answers_end = os.pipe()
        served = (self._file, self._factory, str(self._path), str(answers_end), str(self._memory))
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _SERVE, *served],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[answers_end],
            start_new_session=True,
            env={**os.environ, _MARK: self._mark},
        )
        os.close(answers_end)
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        self._answers = answers
        self._unread = bytearray()
        return self._greet(self._read_hello())

    def _read_hello(self, number: int | None = None) -> Any:
        hello = self._read_answer(START_SECONDS, number)
        if isinstance(hello, Failure) and hello.kind == "timed out":
            return Failure("timed out", f"it had not loaded the model after {START_SECONDS:g} s")
        return failed(hello) or hello

    def _greet(self, told: Any) -> float:
        """Take what the process says when it has loaded a model; raises UnavailableError where it has not."""
        hello = record(told, Hello) if (failure := failed(told)) is None else failure
        if isinstance(hello, Failure):
            self._kill()
            raise UnavailableError(f"{self.name} cannot be loaded: {hello.message}")
        self._features, self.version = hello.features, hello.version
        self.has_batch = "encode_batch" in hello.features
        self._asked = False
        return hello.seconds

    def _ask(self, operation: str, items: list[Any], timeout: float | None = None) -> list[Any]:
        if self._hopeless is not None:
            return [self._hopeless] * len(items)
        answers: list[Any] = []
        while len(answers) < len(items):
            if self._deaths >= MOST_DEATHS:
                given_up = Failure("not asked", f"it hung or died {MOST_DEATHS} times before")
                answers += [given_up] * (len(items) - len(answers))
                break
            answers += self._ask_until_death(operation, items[len(answers) :], timeout)
        return answers

    def _ask_until_death(self, operation: str, items: list[Any], timeout: float | None = None) -> list[Any]:
        """The answers up to the last item or to the one at which the process hung or died."""
        answers: list[Any] = []
        if self._process is None:
            try:
                self._start()
            except UnavailableError as error:
                self._deaths = MOST_DEATHS
                return [Failure("crashed", str(error))]
        for item, read in zip(items, self._read_each(operation, items, timeout or self._timeout), strict=True):
            answer = answered(operation, read, item)
            answers.append(answer)
            if isinstance(read, Failure) or answer == FOREIGN:
                self._deaths += 1
                self._kill()
                break
        return answers

    def _read_each(self, operation: str, items: Sequence[Any], timeout: float) -> Iterator[Any]:
        """The answers of the process to one item after the other; the requests for the next few are sent ahead."""
        number = self._number
        for window in _windows(self._request(operation, item) for item in items):
            self._asked = True
            self._send(b"".join(window))
            for left in reversed(range(len(window))):
                number += 1
                yield self._read_answer(timeout, number, awaits_more=left > 0)

    def _request(self, operation: str, item: Any) -> bytes:
        self._number += 1
        return json.dumps({"op": operation, "item": item, "number": self._number}).encode("ascii") + b"\n"

    def _send(self, requests: bytes) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        pipe = self._process.stdin.fileno()
        data = memoryview(requests)
        deadline = time.monotonic() + self._timeout
        with suppress(OSError):  # the process has died, which reading the answer shows
            while data and select.select([], [pipe], [], max(0.0, deadline - time.monotonic()))[1]:
                data = data[os.write(pipe, data[:_PIPE_BYTES]) :]

    def _read_answer(self, timeout: float, number: int | None = None, awaits_more: bool = False) -> Any:
        """The answer of the process, or the failure by which it has hung, died, or lost its own voice.

        awaits_more: whether it was asked something else already, so that more may have come than this answer.
        """
        deadline = time.monotonic() + timeout
        data, searched = self._unread, 0
        while (end := data.find(b"\n", searched)) < 0:
            searched = len(data)
            seconds = deadline - time.monotonic()
            if seconds < 0 or not select.select([self._answers], [], [], seconds)[0]:
                return Failure("timed out", f"no answer within {timeout:g} s")
            chunk = os.read(self._answers, _PIPE_BYTES)
            if not chunk:
                return Failure("crashed", self._cause_of_death())
            data += chunk
            if len(data) > _MOST_ANSWER_BYTES:
                return Failure("crashed", f"its answer is longer than {_MOST_ANSWER_BYTES >> 20} MB")
        line = bytes(data[:end])
        del data[: end + 1]
        if data and not awaits_more:
            return FOREIGN
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            return FOREIGN
        if isinstance(answer, dict) and answer.get("number") != number:
            return FOREIGN
        return answer

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

    def _kill_strays(self) -> None:
        """End what the process has started in groups of their own; where there is no /proc, nothing is found."""
        mark = f"{_MARK}={self._mark}".encode("ascii")
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    os.kill(int(folder.name), signal.SIGKILL)

    def _kill(self) -> None:
        assert self._process is not None
        with suppress(ProcessLookupError, PermissionError):  # all of it has ended
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._kill_strays()
        if self._process.stdin is not None:
            self._process.stdin.close()
        os.close(self._answers)
        self._process = None


def _windows(requests: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Requests that can be sent together while nobody reads the answers; a long one goes alone.

    >>> [len(window) for window in _windows([b"a" * 5_000, b"b" * 4_000, b"c" * 100_000, b"d"])]
    [1, 1, 1, 1]
    """
    window: list[bytes] = []
    size = 0
    for request in requests:
        if window and (len(window) == _ITEMS_AHEAD or size + len(request) > _BYTES_AHEAD):
            yield window
            window, size = [], 0
        window.append(request)
        size += len(request)
    if window:
        yield window
