"""Shards over actors on any number of machines, any of which may be lost: its shards are asked again."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Generic, Protocol, TypeVar

from conformance.core.errors import HarnessError
from conformance.engine.queue import ShardQueue, ShardT

AT_ONCE = 2
"""An actor is given its next shard before it has finished one, so that it does not wait for the way there and back."""
MOST_LOSSES = 3
"""A shard that has lost so many actors ends the run: then it is not the machines that fail."""
MOST_SECONDS = 3600.0
"""So long there is always an actor that ends a shard, or none of them works at all."""

Result = TypeVar("Result")
Work = Callable[[ShardT], Result]


class LostError(Exception):
    """The machine, or the process, of an actor is gone. The message says how."""


class Actors(Protocol):
    """Actors by number, each of which works on the shards that it is given one after another, and keeps its model."""

    def submit(self, number: int, work: Work[ShardT, Result], shard: ShardT) -> Future[Result]:
        """The result of a shard, to be; its exception is a LostError where the actor is. The actor is started first."""

    def forget(self, number: int) -> None:
        """End an actor; the next shard with its number starts another."""


class _Round(Generic[ShardT, Result]):
    """The shards of one queue, and who has been given them. free: the actors that can take one more."""

    def __init__(self, actors: Actors, count: int, work: Work[ShardT, Result], queue: ShardQueue[ShardT]) -> None:
        self._actors = actors
        self._count = count
        self._work = work
        self._queue = queue
        self._finished: SimpleQueue[Future[Result]] = SimpleQueue()
        self._running: dict[Future[Result], tuple[int, ShardT]] = {}
        self._given: defaultdict[int, dict[Future[Result], ShardT]] = defaultdict(dict)
        self._losses: Counter[str] = Counter()

    def run(self, done: Callable[[Result], None], deadline: Callable[[], float] | None) -> None:
        """As `work_on_actors`."""
        self._give(range(self._count), deadline)
        while self._running:
            try:
                future = self._finished.get(timeout=MOST_SECONDS)
            except Empty:
                waiting = ", ".join(sorted(shard.key for _, shard in self._running.values())[:3])
                raise HarnessError(f"no actor has ended a shard for {MOST_SECONDS:.0f} s: {waiting}") from None
            if future not in self._running:
                continue  # of an actor that was found lost by another of its shards
            number, shard = self._running.pop(future)
            del self._given[number][future]
            error = future.exception()
            if isinstance(error, LostError):
                self._take_back(number, shard, error)
                self._give(range(self._count), deadline)
            elif error is not None:
                raise error
            else:
                self._give((number,), deadline)
                done(future.result())

    def _give(self, numbers: range | tuple[int, ...], deadline: Callable[[], float] | None) -> None:
        """Give actors what they can take: of the last few shards one each, since the next goes to who is free first."""
        for number in numbers:
            most = AT_ONCE if deadline is None and len(self._queue) > AT_ONCE * self._count else 1
            while len(self._given[number]) < most:
                if deadline is not None and time.monotonic() >= deadline():
                    return
                if (shard := self._queue.take(number)) is None:
                    break
                future = self._actors.submit(number, self._work, shard)
                self._running[future] = number, shard
                self._given[number][future] = shard
                future.add_done_callback(self._finished.put)

    def _take_back(self, number: int, shard: ShardT, error: LostError) -> None:
        """Put the shards of a lost actor back. The one that it was at counts a loss: it may have been to blame."""
        self._losses[shard.key] += 1
        if self._losses[shard.key] == MOST_LOSSES:
            raise HarnessError(f"{MOST_LOSSES} actors were lost on {shard.key}: {error}") from None
        others = self._given.pop(number, {})
        for future in others:
            del self._running[future]
        self._actors.forget(number)
        self._queue.give_back(number, [shard, *others.values()])


def work_on_actors(
    actors: Actors,
    count: int,
    work: Work[ShardT, Result],
    queue: ShardQueue[ShardT],
    done: Callable[[Result], None],
    deadline: Callable[[], float] | None = None,
) -> None:
    """Hand what `work` gives for each shard to `done`, once, as it comes; from the deadline on no shard is begun.

    count: how many actors there are at most; one that gets no shard is not started.
    deadline: of `time.monotonic`, asked for again before each shard; None for no such time.
    Raises HarnessError where a shard loses `MOST_LOSSES` actors, and where nothing is ended in `MOST_SECONDS`.
    """
    _Round(actors, count, work, queue).run(done, deadline)
