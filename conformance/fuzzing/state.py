"""The state of a session: what it has counted and found, what it has reached, what it has kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from conformance.core.case import Case
from conformance.engine.result import ShardResult, empty_result
from conformance.fuzzing.coverage import Coverage
from conformance.fuzzing.session import SessionShard
from conformance.generators.base import Drawn


@dataclass(frozen=True, slots=True)
class Kept:
    """An input that reached something new. reached: what was new about it when it was kept."""

    model: str
    case: Case
    reached: Coverage = field(default_factory=Coverage, compare=False)

    @property
    def drawn(self) -> Drawn:
        """The input as generators take it."""
        if self.case.kind == "ids":
            return self.case.ids
        return self.case.text if self.case.kind == "text" else self.case.data


@dataclass(frozen=True, slots=True)
class ShardOutcome:
    """The outcome of a shard.

    result: counts and mismatches. kept: what reached something new. drawn: how often each generator gave an
    input. idle: why others had nothing to do.
    """

    shard: SessionShard
    result: ShardResult
    kept: tuple[Kept, ...]
    drawn: Counter[str]
    idle: dict[str, str]


@dataclass(slots=True)
class ModelState:
    """Of one model, over all shards that are counted."""

    result: ShardResult
    coverage: Coverage = field(default_factory=Coverage)
    drawn: Counter[str] = field(default_factory=Counter)
    idle: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class SessionState:
    """Everything but the kept inputs.

    generation: the next one. cases: of each model, of the generations before. kept: how many inputs are kept.
    seconds: of work, over all starts of the session.
    """

    models: dict[str, ModelState]
    generation: int = 0
    cases: int = 0
    kept: int = 0
    seconds: float = 0.0

    def add(self, outcomes: Iterable[ShardOutcome]) -> list[Kept]:
        """Take the outcomes of shards, in the order given; gives the inputs that are worth keeping.

        One that a shard kept, and that reached nothing that an earlier shard had not reached, is not.
        """
        worth_keeping: list[Kept] = []
        for outcome in outcomes:
            state = self.models[outcome.shard.model]
            for kept in outcome.kept:
                if state.coverage.take(kept.reached.reached):
                    worth_keeping.append(kept)
            state.result.join(outcome.result)
            state.drawn += outcome.drawn
            state.idle |= outcome.idle
            self.seconds += outcome.result.seconds
        self.kept += len(worth_keeping)
        return worth_keeping


def new_state(models: Sequence[str]) -> SessionState:
    """The state of a session that has done nothing yet."""
    return SessionState({model: ModelState(empty_result(model)) for model in models})
