"""Units of text to ids, in the process that writes or in workers.

A worker takes units on its standard input and gives the ids of each on its standard output, both pickled. Not
`multiprocessing`, which imports the caller's main module in each process: a script without a guard would call
`encode_files` there again. And no process outlives the one that started it, even by SIGKILL: its input ends then.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import subprocess
import sys
from codecs import utf_8_decode
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from queue import SimpleQueue
from typing import Any

import regex

from reftok.encode_files.output import Encoded, little_endian
from reftok.encode_files.sources import LONGEST, Unit
from reftok.errors import EncodingStopped, ReftokError
from reftok.formats.files import read_file
from reftok.formats.model_files import files_beside, find_model
from reftok.tokenizer import Tokenizer, load
from reftok.version import __version__

UNITS_A_WORKER = 2
"""One that is being encoded and one that waits for the process; more would need more memory."""

_START = "import sys; sys.path[:] = sys.argv[2:]; from reftok.encode_files.encoder import main; main(sys.argv[1])"


@dataclass(frozen=True, slots=True)
class Task:
    """The options that decide the ids of a document, as `encode_files` has them."""

    model: str
    errors: str = "strict"
    add_special_tokens: bool = True
    end_token: str | None = None
    encoding: str | None = None


class Encoder:
    """Encodes units with a tokenizer.

    Raises EncodingStopped, as `encode` does, for a model that cannot be loaded or has not the end token.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        try:
            self._tokenizer = tokenizer = load(task.model, encoding=task.encoding)
        except ReftokError as error:
            raise EncodingStopped(str(error)) from None
        self._long: _LongDocument | None = None
        end = None if task.end_token is None else tokenizer.token_to_id(task.end_token)
        if end is None and task.end_token is not None:
            raise EncodingStopped(f"{task.model}: has no token {task.end_token!r} to end a document with")
        self._end = [] if end is None else [end]
        # Not `vocab_size`: ids may have gaps, and a template may have ids that no other stage knows.
        rules, inserted = tokenizer.rules, tokenizer.encode_ids("", add_special_tokens=task.add_special_tokens)
        largest = max([rules.model.size - 1, *rules.model.vocab.values(), *rules.added_tokens.tokens, *inserted])
        self._id_bytes = 2 if largest < 1 << 16 else 4

    def identity(self) -> dict[str, Any]:
        """What decides the ids besides the options: the model's files, with their SHA-256, and versions.

        alters: what the model's own file does to the ids of each document ("truncation and padding"), or "".
        """
        path, rules = find_model(self._task.model), self._tokenizer.rules
        return {
            "files": {file.name: sha256(read_file(file)).hexdigest() for file in (path, *files_beside(path))},
            "library": self._tokenizer.library,
            "versions": {"reftok": __version__, "regex": str(regex.__version__)},
            "dtype": f"<u{self._id_bytes}",
            "alters": " and ".join(name for name in ("truncation", "padding") if getattr(rules, name) is not None),
        }

    def encode(self, unit: Unit) -> Encoded:
        """The ids of a unit. The parts of a long document must all come to one encoder, in order.

        Raises EncodingStopped for a document that cannot be encoded.
        """
        number, replaced = unit.number, 0
        ids: list[int] = []
        lengths: list[int] = []
        try:
            if unit.is_part:
                long = self._long = self._long or _LongDocument(self._task, self._tokenizer)
                ids += long.encode(unit.documents[0], unit.is_last)
                if unit.is_last:
                    self._long = None
                    ids += self._end
                    lengths, replaced = [long.tokens + len(self._end)], long.replaced
            else:
                for document in unit.documents:
                    text = document.decode("utf-8", self._task.errors)
                    found = self._tokenizer.encode_ids(text, add_special_tokens=self._task.add_special_tokens)
                    ids += found
                    ids += self._end
                    lengths.append(len(found) + len(self._end))
                    replaced += _is_replaced(text, document)
                    number += 1
        except UnicodeDecodeError as error:
            byte = error.start + (self._long.bytes if self._long else 0)
            problem = f"byte {byte} is not UTF-8: --errors replace goes on with U+FFFD in its place"
            raise EncodingStopped(f"{unit.source}, document {number:,}: {problem}") from None
        except ReftokError as error:
            raise EncodingStopped(f"{unit.source}, document {number:,}: {error}") from None
        return Encoded(little_endian(ids, self._id_bytes), lengths, replaced)


class _LongDocument:
    """A document that is too long to be held, encoded as a stream.

    bytes, tokens: how many are encoded. replaced: whether some bytes were not UTF-8.
    """

    def __init__(self, task: Task, tokenizer: Tokenizer) -> None:
        self._errors = task.errors
        self._stream = tokenizer.stream_encoder(add_special_tokens=task.add_special_tokens)
        self._waiting = b""  # the beginning of a character, at most 3 bytes
        self.bytes = self.tokens = 0
        self.replaced = False

    def encode(self, part: bytes, is_last: bool) -> list[int]:
        """The ids that are final with this part."""
        data = self._waiting + part
        text, size = utf_8_decode(data, self._errors, is_last)
        self._waiting, self.bytes = data[size:], self.bytes + size
        self.replaced |= _is_replaced(text, data[:size])
        ids = self._stream.feed(text)
        if is_last:
            ids += self._stream.finish()
        elif self._stream.held > LONGEST:
            why = f" ({self._stream.held_until_end[0]})" if self._stream.held_until_end else ""
            raise ReftokError(f"the tokenizer must hold back more than {LONGEST >> 20} Mi code points{why}: split it")
        self.tokens += len(ids)
        return ids


def _is_replaced(text: str, data: bytes) -> bool:
    return "\ufffd" in text and text.encode("utf-8") != data


class Workers:
    """At most `count` processes that encode, each asked by a thread of this process; or this process, if `count` is 1.

    Raises EncodingStopped as `Encoder` does, and if a process dies.
    """

    def __init__(self, task: Task, count: int) -> None:
        self._task, self._count = task, count
        self._processes: list[subprocess.Popen[bytes]] = []
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        self._threads = ThreadPoolExecutor(count)

    @cached_property
    def _encoder(self) -> Encoder:
        """Of this process, which loads a tokenizer only if it is the single worker or for a long document."""
        return Encoder(self._task)

    def identity(self) -> dict[str, Any]:
        """`Encoder.identity`."""
        return self._encoder.identity() if self._count == 1 else self._submit(None).result()

    def encoded(self, units: Iterable[Unit]) -> Iterator[tuple[Unit, Encoded]]:
        """Each unit with its ids, in the order of the units."""
        waiting: deque[tuple[Unit, Future[Encoded]]] = deque()
        for unit in units:
            # The parts of a long document must all come to one encoder: this process encodes them, in their turn.
            is_here = self._count == 1 or unit.is_part
            most = 0 if is_here else UNITS_A_WORKER * self._count - 1
            while waiting and (len(waiting) > most or waiting[0][1].done()):
                first, future = waiting.popleft()
                yield first, future.result()
            if is_here:
                yield unit, self._encoder.encode(unit)
            else:
                waiting.append((unit, self._submit(unit)))
        for unit, future in waiting:
            yield unit, future.result()

    def close(self) -> None:
        """End the processes, whatever they are doing."""
        for process in self._processes:
            process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in self._processes:
            with suppress(BrokenPipeError):  # closing a pipe writes what is still buffered
                process.__exit__(None, None, None)

    def _submit(self, request: Unit | None) -> Future[Any]:
        if self._idle.empty() and len(self._processes) < self._count:
            command = [sys.executable, "-P", "-c", _START, json.dumps(asdict(self._task)), *sys.path]
            pipe = subprocess.PIPE
            # In a session of its own: Ctrl-C reaches the process that writes alone, and that ends the others.
            self._processes.append(subprocess.Popen(command, stdin=pipe, stdout=pipe, start_new_session=True))
            self._idle.put(self._processes[-1])
        return self._threads.submit(self._ask, request)

    def _ask(self, request: Unit | None) -> Any:
        process = self._idle.get()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            pickle.dump(request, process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            process.stdin.flush()
            answer = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            code = process.wait()
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            raise EncodingStopped(f"a process that encodes ended with {how}") from None
        finally:
            self._idle.put(process)  # even a dead one: another thread may be waiting for it
        if isinstance(answer, EncodingStopped):
            raise answer
        return answer


def main(task: str) -> None:
    """Answer each Unit with Encoded or EncodingStopped, and None with the identity. task: a Task as JSON."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not come between the answers
    encoder: Encoder | None = None
    with suppress(EOFError, pickle.UnpicklingError, BrokenPipeError):  # the process that writes is gone
        while True:
            request: Unit | None = pickle.load(requests)
            answer: Encoded | dict[str, Any] | EncodingStopped
            try:
                if encoder is None:
                    encoder = Encoder(Task(**json.loads(task)))
                    gc.freeze()  # the tokenizer stays to the end, and garbage collections need not look at it
                answer = encoder.encode(request) if request else encoder.identity()
            except EncodingStopped as error:
                answer = error
            pickle.dump(answer, answers, protocol=pickle.HIGHEST_PROTOCOL)
            answers.flush()
