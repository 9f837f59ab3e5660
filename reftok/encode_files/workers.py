"""The processes that encode: units on their standard input, the ids of each on their standard output, both pickled.

Not `multiprocessing`, which imports the caller's main module in each process: a script without a guard would call
`encode_files` there again. And no process outlives the one that started it, even by SIGKILL: its input ends then.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from functools import cached_property
from queue import SimpleQueue
from typing import Any

from reftok.encode_files.encoder import Encoded, Encoder, Task
from reftok.encode_files.sources import Unit
from reftok.errors import EncodingStopped

UNITS_A_WORKER = 2
"""One that is being encoded and one that waits for the process; more would need more memory."""

_START = "import sys; sys.path[:] = sys.argv[2:]; from reftok.encode_files.workers import main; main(sys.argv[1])"


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
