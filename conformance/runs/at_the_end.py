"""The steps at the end of a run with the findings of one subject on one model, each with a share of the time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.causes.attribution import Attribution
from conformance.causes.findings import Known, explained_as_they_came, named_or_not_sought, with_fewest_causes
from conformance.causes.smallest import shrunk_example
from conformance.causes.verdict import with_verdicts
from conformance.causes.weight import weighed
from conformance.core.case import Case
from conformance.core.finding import Finding
from conformance.engine.bench import Bench
from conformance.engine.plan import Plan
from conformance.engine.result import ShardResult
from conformance.runs.gather import Shrunk, Steps, with_unrepeated_joined
from conformance.runs.progress import Finishing

EXPLAINING_SHARE, SHRINKING_SHARE, CAUSES_SHARE = 0.6, 0.4, 0.7
"""Of the time that is left each time: what causes may be sought in before any finding is shrunk, what those may be
shrunk in that there are then, and what causes may be sought in once more; the rest is for weights. A name that is not
tested misleads, and of two findings of one cause one is shrunk for nothing."""

SECONDS_OF_A_FINDING = 20.0
"""So long, for each, findings are shrunk where no deadline says otherwise: a subject may take seconds to fail."""


@dataclass(frozen=True, slots=True)
class AtTheEnd:
    """The steps with the findings of one subject on one model.

    bench: gives the bench of the model. results: of the shards of the model. natural: how many natural texts each model
    was asked, by the name of the corpus file. known: what is known of the causes; it grows. deadline: of
    `time.monotonic`. told: takes what is done. number, total: which of how many subjects on models it is.
    """

    plan: Plan
    bench: Callable[[], Bench]
    results: Sequence[ShardResult]
    natural: Mapping[str, int]
    known: Known
    deadline: float
    told: Callable[[Finishing], None]
    number: int
    total: int

    @property
    def steps(self) -> Steps:
        """Seek causes, shrink, seek causes once more, weigh."""
        return Steps(self._explained, self._shrunk, self._merged, self._weighed)

    def _explained(self, found: Sequence[Finding], witnesses: Sequence[Case]) -> Sequence[Finding]:
        end = self._begin("seeking causes", EXPLAINING_SHARE)
        return explained_as_they_came(self.plan, self.bench(), found, witnesses, end, self.known)

    def _shrunk(self, found: Sequence[Finding]) -> Iterator[Shrunk]:
        """Each has an equal share of what is left."""
        now = time.monotonic()
        seconds = SHRINKING_SHARE * (self.deadline - now)
        end = now + (seconds if seconds < math.inf else SECONDS_OF_A_FINDING * len(found))
        for number, one in enumerate(found, 1):
            self.told(Finishing(number, len(found), "shrinking finding"))
            now = time.monotonic()
            share = now + (end - now) / (1 + len(found) - number)
            cause = Attribution(one.stage, one.rule)
            others = () if cause.stage else self.known.causes
            yield shrunk_example(self.plan, self.bench(), one.example, cause, others, share)

    def _merged(self, found: Sequence[Finding], witnesses: Sequence[Case]) -> Sequence[Finding]:
        end = self._begin("seeking causes once more", CAUSES_SHARE)
        merged = with_fewest_causes(
            self.plan, self.bench(), found, witnesses, end, self.known, self.results, self.natural
        )
        return [*map(named_or_not_sought, merged)]

    def _weighed(self, found: Sequence[Finding]) -> Sequence[Finding]:
        end = self._begin("weighing findings", 1.0)
        found = with_unrepeated_joined(with_verdicts(self.bench(), [*found], end))
        return [*weighed(self.bench(), found, self.natural, end)]

    def _begin(self, deed: str, share: float) -> float:
        """Tell what begins, and until when it may take."""
        self.told(Finishing(self.number, self.total, f"{deed}, subject on model"))
        now = time.monotonic()
        return now + share * (self.deadline - now)
