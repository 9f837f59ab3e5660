"""The memory of a session's worker between shards."""

from __future__ import annotations

import gc
from pathlib import Path

from conformance.engine.bench import Bench
from conformance.fuzzing.folder import read_corpus, read_state
from conformance.fuzzing.session import SessionPlan, SessionShard
from conformance.fuzzing.state import SessionState, ShardOutcome, new_state
from conformance.fuzzing.work import Workplace
from conformance.generators.base import Drawn

MOST_PLACES = 4
"""A worker keeps so many models, each of which may take some hundred megabytes."""


class _Memory:
    """The memory of a worker between shards: a workplace for each model, and what the last generation has left."""

    def __init__(self) -> None:
        self.places: dict[str, Workplace] = {}
        self.state: SessionState | None = None
        self.kept: dict[str, list[Drawn]] = {}

    def place(self, session: SessionPlan, model: str) -> Workplace:
        if model not in self.places:
            if len(self.places) == MOST_PLACES:
                self.places.pop(next(iter(self.places))).bench.close()
                gc.unfreeze()  # its attributor is part of cycles: frozen, they would keep the model
            plan = next(entry for entry in session.plan.models if entry.name == model)
            self.places[model] = Workplace(session, Bench(session.plan, plan))
            gc.collect()
            gc.freeze()  # a vocab has hundreds of thousands of objects, none of which goes before its model does
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


def work_in_worker(session: SessionPlan, folder: Path, shard: SessionShard) -> ShardOutcome:
    """The outcome of a shard. folder: where what the generations before have reached and kept is read."""
    place = _memory.place(session, shard.model)
    state = _memory.recall(session, folder, shard.generation)
    return place.work(shard, state.models[shard.model].coverage, tuple(_memory.kept.get(shard.model, ())))


def close_workplaces() -> None:
    """Close the subjects of this process, and forget the session."""
    global _memory
    for place in _memory.places.values():
        place.bench.close()
    _memory = _Memory()
