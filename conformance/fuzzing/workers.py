"""The shards of a generation over worker processes, or in this one."""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from pebble import ProcessExpired, ProcessPool

from conformance.core.errors import HarnessError
from conformance.engine.bench import Bench
from conformance.fuzzing.folder import read_corpus, read_state
from conformance.fuzzing.session import SessionPlan, SessionShard
from conformance.fuzzing.state import SessionState, ShardOutcome, new_state
from conformance.fuzzing.work import Workplace
from conformance.generators.base import Drawn

IN_THIS_PROCESS = 0
MOST_PLACES = 4
"""A worker keeps so many models, each of which may take some hundred megabytes."""


class Workers:
    """Workers of one session, while it is entered.

    folder: where they read what the generations before have reached and kept. jobs: how many, or IN_THIS_PROCESS.
    """

    def __init__(self, session: SessionPlan, folder: Path, jobs: int) -> None:
        self._session, self._folder, self._jobs = session, folder, jobs
        self._pool: Any = None  # pebble leaves the methods that end a pool without types

    def __enter__(self) -> Workers:
        if self._jobs != IN_THIS_PROCESS:
            context = get_context("spawn")
            self._pool = ProcessPool(max_workers=self._jobs, context=context, initializer=_ignore_interrupt)
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        if self._pool is None:
            close_workplaces()
        elif kind is None:
            self._pool.close()
            self._pool.join()
        else:
            self._pool.stop()
            self._pool.join()

    def outcomes(self, shards: Sequence[SessionShard], deadline: float) -> Iterator[ShardOutcome]:
        """The outcomes as they come; from the deadline on (of `time.monotonic`) no shard is begun.

        Raises HarnessError where a worker dies.
        """
        if self._pool is None:
            for shard in shards:
                if time.monotonic() < deadline:
                    yield _work(self._session, self._folder, shard)
            return
        waiting = iter(shards)
        running: dict[Future[ShardOutcome], SessionShard] = {}
        while True:
            while len(running) < self._jobs and time.monotonic() < deadline:
                if (following := next(waiting, None)) is None:
                    break
                running[self._pool.schedule(_work, (self._session, self._folder, following))] = following
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                shard = running.pop(future)
                try:
                    yield future.result()
                except ProcessExpired as error:
                    place = f"{shard.model}, generation {shard.generation}, shard {shard.number}"
                    raise HarnessError(
                        f"a worker died (exit code {error.exitcode}) on {place}: a library crashed the process"
                    ) from None


def _ignore_interrupt() -> None:
    """Ctrl-C is for the parent, which ends the workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class _Memory:
    """What a worker keeps between shards: a workplace for each model, and what the last generation has left."""

    def __init__(self) -> None:
        self.places: dict[str, Workplace] = {}
        self.state: SessionState | None = None
        self.kept: dict[str, list[Drawn]] = {}

    def place(self, session: SessionPlan, model: str) -> Workplace:
        if model not in self.places:
            if len(self.places) == MOST_PLACES:
                self.places.pop(next(iter(self.places))).bench.close()
            plan = next(entry for entry in session.plan.models if entry.name == model)
            self.places[model] = Workplace(session, Bench(session.plan, plan))
            gc.collect()
            gc.freeze()  # a vocab has hundreds of thousands of objects, none of which goes before the process does
        return self.places[model]

    def recall(self, session: SessionPlan, folder: Path, generation: int) -> SessionState:
        """The state at the end of the generation before."""
        if self.state is None or self.state.generation != generation:
            before = self.state.kept if self.state else 0
            self.state = read_state(folder) if generation else new_state([model.name for model in session.plan.models])
            for kept in read_corpus(folder, self.state.kept, before):
                self.kept.setdefault(kept.model, []).append(kept.drawn)
        return self.state


_memory = _Memory()


def _work(session: SessionPlan, folder: Path, shard: SessionShard) -> ShardOutcome:
    place = _memory.place(session, shard.model)
    state = _memory.recall(session, folder, shard.generation)
    return place.work(shard, state.models[shard.model].coverage, tuple(_memory.kept.get(shard.model, ())))


def close_workplaces() -> None:
    """Close the subjects of this process, and forget the session."""
    global _memory
    for place in _memory.places.values():
        place.bench.close()
    _memory = _Memory()
