"""The engine of one machine: shards over worker processes, each with a time limit.

A worker's death ends the run with exit code 3, and the shard is named; what was finished before is in the journal.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures import TimeoutError as FutureTimeoutError
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.util import Finalize
from typing import Any, Protocol, TypeVar

from pebble import ProcessExpired, ProcessPool

from conformance.core.errors import HarnessError
from conformance.engine.benches import close_benches
from conformance.engine.queue import ShardQueue, ShardT
from conformance.subjects.process import sweep
from reftok.signals import interrupts_kept

IN_THIS_PROCESS = 0
SAFE_PATH = "PYTHONSAFEPATH"
"""Set while workers are started, so that none imports what lies in the current folder; Python's own name for it."""
SHARD_SECONDS = 3600.0
"""No shard takes this long: a subject that hangs is bounded by its own time-out, so this is the harness's own fault."""

OF_THE_TERMINAL = [getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)]
"""The signals that a terminal sends to the parent and the workers alike; there is no SIGHUP on Windows."""

Result = TypeVar("Result")


class AnyWorkers(Protocol):
    """Workers, while it is entered: processes of this machine, or actors of a cluster."""

    def __enter__(self) -> AnyWorkers: ...

    def __exit__(self, kind: object, *error: object) -> None: ...

    def run(
        self,
        work: Callable[[ShardT], Result],
        queue: ShardQueue[ShardT],
        done: Callable[[Result], None],
        deadline: Callable[[], float] | None = None,
    ) -> None:
        """As `Workers.run`."""


class Workers:
    """Worker processes, while it is entered. jobs: how many, or IN_THIS_PROCESS."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._pools: list[Any] = []  # pebble leaves the methods that end a pool without types

    def __enter__(self) -> Workers:
        # A pool of several processes would not say which of them has loaded which model.
        context = Context()
        self._safe_path = os.environ.get(SAFE_PATH)
        if self._jobs:
            os.environ[SAFE_PATH] = "1"
            _start_resource_tracker()  # before the pools, whose locks would start it
        begin = partial(_begin_worker, self._safe_path)
        self._pools = [ProcessPool(max_workers=1, context=context, initializer=begin) for _ in range(self._jobs)]
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        set_safe_path(self._safe_path)
        for pool in self._pools:
            pool.close() if kind is None else pool.stop()
        for pool in self._pools:
            pool.join()
        sweep()  # a worker that was ended in the middle leaves the folders of its subjects' processes

    @interrupts_kept()
    def run(
        self,
        work: Callable[[ShardT], Result],
        queue: ShardQueue[ShardT],
        done: Callable[[Result], None],
        deadline: Callable[[], float] | None = None,
    ) -> None:
        """Hand what `work` gives for each shard to `done` as it comes; from the deadline on no shard is begun.

        work: a function that can be pickled. deadline: of `time.monotonic`, asked for again before each shard; None for
            no such time. Raises HarnessError where a worker dies.
        """
        if not self._pools:
            while not _is_over(deadline) and (shard := queue.take(0)) is not None:
                done(work(shard))
        for future, shard in self._scheduled(work, queue, deadline):
            try:
                done(future.result())
            except ProcessExpired as error:
                raise HarnessError(
                    f"a worker died (exit code {error.exitcode}) on {shard.key}: a library crashed the process"
                ) from None
            except FutureTimeoutError:
                raise HarnessError(f"a worker took longer than {SHARD_SECONDS:.0f} s on {shard.key}") from None

    def _scheduled(
        self, work: Callable[[ShardT], Result], queue: ShardQueue[ShardT], deadline: Callable[[], float] | None
    ) -> Iterator[tuple[Future[Result], ShardT]]:
        """Futures as they finish.

        A worker is given its next shard before it has finished one, so that it does not wait while its result is looked
        at; but not of the last few shards, which go to who is free first, and not where time may be up before.
        """
        running: dict[Future[Result], tuple[int, ShardT]] = {}

        def schedule() -> None:
            for number, pool in enumerate(self._pools):
                most = 2 if deadline is None and len(queue) > 2 * len(self._pools) else 1
                under_way = sum(number == other for other, _ in running.values())
                while under_way < most and not _is_over(deadline) and (shard := queue.take(number)) is not None:
                    running[pool.schedule(work, (shard,), timeout=SHARD_SECONDS)] = number, shard
                    under_way += 1

        schedule()
        while running:
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            shards = {future: running.pop(future)[1] for future in finished}
            schedule()
            # A shard that is done is told before a worker that has died beside it ends the run.
            yield from sorted(shards.items(), key=lambda pair: pair[0].exception() is not None)


def _is_over(deadline: Callable[[], float] | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline()


class _DeafProcess(SpawnProcess):
    """A process that hears nothing of the terminal while Python starts in it: it would end in a traceback.

    What it is started with blocked stays so until `_begin_worker` ignores it.
    """

    def start(self) -> None:
        if not hasattr(signal, "pthread_sigmask"):
            return super().start()
        heard = signal.pthread_sigmask(signal.SIG_BLOCK, OF_THE_TERMINAL)
        try:
            super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, heard)


class Context(SpawnContext):
    """The way in which workers are started."""

    Process = _DeafProcess


def _begin_worker(safe_path: str | None) -> None:
    """What is sent to the whole group is for the parent, which ends the workers. safe_path: the user's own setting."""
    for number in OF_THE_TERMINAL:
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, OF_THE_TERMINAL)
    set_safe_path(safe_path)
    Finalize(None, _close_for_good, exitpriority=1)


def _close_for_good() -> None:
    """Close the subjects at the end of this worker."""
    # The pool terminates a worker that is about to end: what the subjects have started would go on. A function, since
    # Python tells on the terminal of a signal that comes while it begins to be ignored.
    signal.signal(signal.SIGTERM, lambda _number, _frame: None)
    close_benches()


def _start_resource_tracker() -> None:
    """Start the process with which multiprocessing cleans up deaf to the end of the terminal, as it is to Ctrl-C.

    It ends with the parent. What it is started with blocked stays so. (cpython: Lib/multiprocessing/resource_tracker.py
    ignores SIGINT and SIGTERM alone.)
    """
    if not hasattr(signal, "pthread_sigmask"):
        return
    heard = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])
    try:
        resource_tracker.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)


def set_safe_path(value: str | None) -> None:
    """Set the variable `SAFE_PATH` of this process, or take it out."""
    if value is None:
        os.environ.pop(SAFE_PATH, None)
    else:
        os.environ[SAFE_PATH] = value
