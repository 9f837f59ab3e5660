"""A session's worker, and what it remembers between shards."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakKeyDictionary

from conformance.engine.bench import Bench
from conformance.engine.benches import bench_of, close_benches
from conformance.fuzzing.folder import read_corpus, read_state
from conformance.fuzzing.session import SECONDS_OVER_TIME, SessionPlan, SessionShard
from conformance.fuzzing.state import SessionState, ShardOutcome, new_state
from conformance.fuzzing.watching import Watcher
from conformance.fuzzing.work import shard_outcome
from conformance.generators.base import Drawn

MOST_MODELS = 4
"""A worker keeps so many: each generation has shards of all of them."""


@dataclass(slots=True)
class _Memory:
    """What the generation before has left, and a watcher for each model that is loaded."""

    state: SessionState | None = None
    kept: dict[str, list[Drawn]] = field(default_factory=dict)
    watchers: WeakKeyDictionary[Bench, Watcher] = field(default_factory=WeakKeyDictionary)

    def recall(self, session: SessionPlan, folder: Path, generation: int) -> SessionState:
        """The state at the end of the generation before."""
        if self.state is None or self.state.generation != generation:
            before = self.state.kept if self.state else 0
            self.state = read_state(folder) if generation else new_state([model.name for model in session.plan.models])
            for kept in read_corpus(folder, self.state.kept, before):
                self.kept.setdefault(kept.model, []).append(kept.drawn)
        return self.state

    def watcher(self, bench: Bench) -> Watcher:
        """The watcher of a model."""
        if bench not in self.watchers:
            self.watchers[bench] = Watcher(bench.reference.tokenizer, bench.knowledge)
        return self.watchers[bench]


_memory = _Memory()


def work_in_worker(
    session: SessionPlan, folder: Path, end: float, until: float, shard: SessionShard
) -> ShardOutcome | None:
    """The outcome of a shard; None where the time was up before all subjects had loaded the model: it stays to be done.

    folder: where what the generations before have reached and kept is read. end: of `time.monotonic`, when the work of
    this start should end; a shard that is begun about then has `SECONDS_OVER_TIME`. until: when subjects have to have
    loaded the model.
    """
    if time.monotonic() >= until:  # this process may have taken long to start
        return None
    bench = bench_of(session.plan, shard.model, MOST_MODELS, until)
    if bench.was_late:
        return None
    bench.ask_until(min(until, max(end, time.monotonic() + SECONDS_OVER_TIME)))
    state = _memory.recall(session, folder, shard.generation)
    kept = tuple(_memory.kept.get(shard.model, ()))
    coverage = state.models[shard.model].coverage
    return shard_outcome(session, bench, _memory.watcher(bench), shard, coverage, kept)


def forget_session() -> None:
    """Close the subjects of this process, and forget what a session has left in it."""
    global _memory
    _memory = _Memory()
    close_benches()
