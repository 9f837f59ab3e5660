"""What a session has found before, asked again: fixed, or still failing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from conformance.checks import CHECKS, of_rule
from conformance.checks.base import Difference
from conformance.core.finding import Mismatch
from conformance.engine.collecting import collect_answers
from conformance.engine.plan import Plan
from conformance.engine.result import Group, ShardResult
from conformance.engine.workers import bench_of

GroupKey: TypeAlias = tuple[str, str, str, str]
"""Subject, check, stage and rule: what mismatches of one model are grouped by."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A cause that was known. is_fixed: none of its examples differs any more."""

    model: str
    subject: str
    check: str
    stage: str
    rule: str
    is_fixed: bool

    @property
    def sentence(self) -> str:
        """For people.

        >>> Replayed("m", "mine.py:M", "ids", "Normalizer", "NFC is missing", True).sentence
        'fixed: mine.py:M on m, ids: Normalizer: NFC is missing'
        """
        cause = f"{self.stage}: {self.rule}" if self.stage else self.rule
        outcome = "fixed" if self.is_fixed else "still failing"
        return f"{outcome}: {self.subject} on {self.model}, {self.check}: {cause}"

    def to_json(self) -> dict[str, Any]:
        """A line of replayed.jsonl."""
        return asdict(self)


def replay_known(plan: Plan, results: Iterable[ShardResult]) -> list[Replayed]:
    """Ask again what the results hold, each cause once; what is fixed is taken out of them."""
    results = list(results)
    known: dict[tuple[str, GroupKey], list[Group]] = {}
    for result in results:
        for key, group in result.groups.items():
            known.setdefault((result.shard.model, key), []).append(group)
    replayed: list[Replayed] = []
    for (model, key), groups in sorted(known.items()):
        fails = any(_still_fails(plan, example) for group in groups for example in group.examples)
        replayed.append(Replayed(model, *key, is_fixed=not fails))
    for result in results:
        for entry in replayed:
            if entry.is_fixed and entry.model == result.shard.model:
                _take_out(result, (entry.subject, entry.check, entry.stage, entry.rule))
    return replayed


def _take_out(result: ShardResult, key: GroupKey) -> None:
    """Forget a cause, and that its answers mismatched."""
    group = result.groups.pop(key, None)
    if group is None:
        return
    subject, check, *_ = key
    counts = result.counts[subject, check]
    counts.mismatched -= group.count
    counts.failures = min(counts.failures, counts.mismatched)
    if ("", subject) in result.languages:
        result.languages["", subject][1] -= group.count


def _still_fails(plan: Plan, example: Mismatch) -> bool:
    bench = bench_of(plan, example.model)
    if example.subject not in bench.subjects:
        return True
    bench.renew()
    answers = collect_answers(bench, [example.case], (example.check,), example.subject, plan.inputs.closest_depth)
    subject = of_rule(example.check, answers[example.subject][0], example.rule)
    outcome = CHECKS[example.check](example.case, answers[bench.oracle][0], subject)
    return isinstance(outcome, Difference)
