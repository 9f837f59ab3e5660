"""The work of a session, cut into generations of shards.

A shard's inputs depend on the seed, the model, its generation and number, and on what was kept at the end of the
generation before; so a session ends the same on any number of workers, killed and resumed or not. But where the time of
a start is up within a shard, since answers take long, what is left of that shard is not asked, then or later.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from conformance.core.records import Count
from conformance.engine.plan import Plan
from conformance.subjects.adapters import BUILT_IN

SHARDS_OF_A_GENERATION = 16
"""Of a model: so many workers can be busy with one model."""
CASES, CASES_ISOLATED = (32, 4_096), (256, 2_048)
"""Of a shard in the first generation and at most: about a second's work, so that the end of a session is never far.

The process of an isolated subject is started anew for each shard, which must be worth it.
"""


SECONDS_OVER_TIME = 2.0
"""A start that has a time may pass it by so much: a subject is asked nothing that it has not answered by then."""


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """A plan, and what a session adds to it. generators: the names of those that take part."""

    plan: Plan
    generators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SessionShard:
    """A part of a generation of one model. start, stop: the numbers of its cases in the session."""

    model: str
    generation: Count
    number: Count
    start: Count
    stop: Count

    @property
    def key(self) -> str:
        """Its name in messages."""
        return f"{self.model}, generation {self.generation}, shard {self.number}"


def generation_shards(
    plan: Plan, generation: int, start: int, cases: int | None, left_out: Container[str] = ()
) -> list[SessionShard]:
    """The shards of a generation, model by model; generations grow as more is known.

    start: how many cases of each model the generations before had. cases: how many the session is to have, None for
    as many as there is time for. left_out: models of which there are none.
    """
    first_size, most = CASES if all(name in BUILT_IN for name in plan.subjects) else CASES_ISOLATED
    size = min(first_size << min(generation, 30), most)
    stop = start + SHARDS_OF_A_GENERATION * size
    stop = stop if cases is None else min(stop, cases)
    return [
        SessionShard(model.name, generation, number, first, min(first + size, stop))
        for model in plan.models
        if model.name not in left_out
        for number, first in enumerate(range(start, stop, size))
    ]
