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
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import asdict
from itertools import chain, islice
from queue import SimpleQueue
from typing import Any

from reftok.encode_files.encoder import Encoded, Encoder, Task
from reftok.encode_files.sources import Unit
from reftok.errors import EncodingStopped

UNITS_A_WORKER = 2
"""One that is being encoded and one that waits for the process; more would need more memory."""

_START = """\
import sys, json
sys.path[:], task = json.loads(sys.argv[1])
from reftok.encode_files.workers import main
main(task)"""


def encoded(units: Iterator[Unit], encoder: Encoder, task: Task, count: int) -> Generator[tuple[Unit, Encoded]]:
    """Each unit with its ids, in the order of the units.

    count: of processes. This process encodes alone if that is 1 or if there is a single unit, and it encodes the long
    documents, since their parts must all come to one encoder.
    """
    head = [*islice(units, 2)]
    is_alone = count == 1 or len(head) < 2
    waiting: deque[tuple[Unit, Future[Encoded]]] = deque()
    with closing(Workers(task, count)) as workers:
        for unit in chain(head, units):
            most = 0 if unit.is_part else UNITS_A_WORKER * count - 1
            while waiting and (len(waiting) > most or waiting[0][1].done()):
                first, future = waiting.popleft()
                yield first, future.result()
            if is_alone or unit.is_part:
                yield unit, encoder.encode(unit)
            else:
                waiting.append((unit, workers.submit(unit)))
        for unit, future in waiting:
            yield unit, future.result()


class Workers:
    """At most `count` processes that encode, each asked by a thread of this process."""

    def __init__(self, task: Task, count: int) -> None:
        self._command = [sys.executable, "-P", "-c", _START, json.dumps([sys.path, asdict(task)])]
        self._count = count
        self._processes: list[subprocess.Popen[bytes]] = []
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        self._threads = ThreadPoolExecutor(count)

    def submit(self, unit: Unit) -> Future[Encoded]:
        """Have a process encode a unit; the result raises EncodingStopped as `Encoder` does, or if the process died."""
        if self._idle.empty() and len(self._processes) < self._count:
            pipe = subprocess.PIPE
            # In a session of its own: Ctrl-C reaches the process that writes alone, and that ends the others.
            self._processes.append(subprocess.Popen(self._command, stdin=pipe, stdout=pipe, start_new_session=True))
            self._idle.put(self._processes[-1])
        return self._threads.submit(self._encode, unit)

    def close(self) -> None:
        """End the processes, whatever they are doing."""
        for process in self._processes:
            process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in self._processes:
            with suppress(BrokenPipeError):  # closing a pipe writes what is still buffered
                process.__exit__(None, None, None)

    def _encode(self, unit: Unit) -> Encoded:
        process = self._idle.get()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            pickle.dump(unit, process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            process.stdin.flush()
            answer: Encoded | EncodingStopped = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            code = process.wait()
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            raise EncodingStopped(f"a process that encodes ended with {how}") from None
        finally:
            self._idle.put(process)  # even a dead one: another thread may be waiting for it
        if isinstance(answer, EncodingStopped):
            raise answer
        return answer


def main(task: Mapping[str, Any]) -> None:
    """Answer each Unit with Encoded or EncodingStopped. task: the fields of a Task."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not come between the answers
    with suppress(EOFError, pickle.UnpicklingError, BrokenPipeError):  # the process that writes is gone
        encoder = Encoder(Task(**task))
        gc.freeze()  # the tokenizer stays to the end, and garbage collections need not look at it
        while True:
            unit: Unit = pickle.load(requests)
            answer: Encoded | EncodingStopped
            try:
                answer = encoder.encode(unit)
            except EncodingStopped as error:
                answer = error
            pickle.dump(answer, answers, protocol=pickle.HIGHEST_PROTOCOL)
            answers.flush()
