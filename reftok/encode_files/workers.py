"""The processes that encode, as many as are needed and no more than were asked for."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

from reftok.encode_files.messages import Failure, Ready, Reply, Task
from reftok.errors import EncodingStopped

_START = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from reftok.encode_files.encoder import main; main()"


class _Worker:
    """One process, with the tokenizer loaded."""

    def __init__(self, task: Task) -> None:
        # A session of its own: Ctrl-C is for the process that writes, which then ends this one.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._task = task
        self._ready: Ready | Failure | None = None

    def ready(self) -> Ready | Failure:
        if self._ready is None:
            self._ready = self._ask(self._task)
        return self._ready

    def ask(self, request: object) -> Reply | Failure:
        ready = self.ready()
        return ready if isinstance(ready, Failure) else self._ask(request)

    def _ask(self, request: object) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            pickle.dump(request, self._process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
            self._process.stdin.flush()
            return pickle.load(self._process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            code = self._process.wait()
            return Failure("worker", f"a process that encodes ended with {f'signal {-code}' if code < 0 else code}")

    def kill(self) -> None:
        """End the process; whoever waits for its reply gets a failure."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Close the pipes of a process that has been ended."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            # What could not be written any more is flushed when a pipe is closed.
            with suppress(BrokenPipeError):
                pipe.close()


class Workers:
    """Encodes requests on `count` processes at most; each is started when there is no idle one for a request."""

    def __init__(self, task: Task, count: int) -> None:
        self._task = task
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="encode-file")
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._all: list[_Worker] = []
        self._held: _Worker | None = None
        self._is_closed = False

    def ready(self) -> Ready:
        """The first message of the first process, about the tokenizer.

        Raises EncodingStopped where the tokenizer cannot be loaded.
        """
        worker = self._take()
        ready = worker.ready()
        self._idle.put(worker)
        if isinstance(ready, Failure):
            raise stopped(ready)
        return ready

    def submit(self, request: object) -> Future[Reply | Failure]:
        """Have a process encode."""
        return self._threads.submit(self._ask, request)

    def ask_the_same(self, request: object, is_last: bool) -> Reply | Failure:
        """Have one process encode all that comes until `is_last`, and wait for it."""
        worker, self._held = self._held or self._take(), None
        reply = worker.ask(request)
        if is_last:
            self._idle.put(worker)
        else:
            self._held = worker
        return reply

    def close(self) -> None:
        """End the processes, whatever they do."""
        self._is_closed = True
        for worker in tuple(self._all):
            worker.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._all:
            worker.kill()
            worker.close()

    def _ask(self, request: object) -> Reply | Failure:
        worker = self._take()
        reply = worker.ask(request)
        self._idle.put(worker)
        return reply

    def _take(self) -> _Worker:
        try:
            return self._idle.get_nowait()
        except Empty:
            worker = _Worker(self._task)
            self._all.append(worker)
            if self._is_closed:
                worker.kill()
            return worker


def stopped(failure: Failure) -> Exception:
    """The error for a failure that is not about a document."""
    if failure.kind == "fault":
        return RuntimeError(f"a process that encodes failed:\n{failure.message}")
    return EncodingStopped(failure.message)
