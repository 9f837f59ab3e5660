"""The earlier findings of a session, asked again: fixed, or still failing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from conformance.core.finding import Mismatch
from conformance.diagnosis.causes import Attribution
from conformance.engine.asking_again import Verdict, ask_again
from conformance.engine.plan import Plan
from conformance.engine.result import Group, ShardResult
from conformance.engine.workers import bench_of

GroupKey: TypeAlias = tuple[str, str, str, str]
"""Subject, check, stage and rule: what mismatches of one model are grouped by."""

_OUTCOMES: Mapping[Verdict, str] = {"same": "still failing", "other": "failing in another way", "gone": "fixed"}
"""The words for each verdict, the worst first."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A cause that was known. verdict: on its examples, the worst of them."""

    model: str
    subject: str
    check: str
    stage: str
    rule: str
    verdict: Verdict

    @property
    def is_fixed(self) -> bool:
        """Whether none of its examples differs any more."""
        return self.verdict == "gone"

    @property
    def sentence(self) -> str:
        """For people.

        >>> Replayed("m", "mine.py:M", "ids", "Normalizer", "NFC is missing", "gone").sentence
        'fixed: mine.py:M on m, ids: Normalizer: NFC is missing'
        """
        cause = f"{self.stage}: {self.rule}" if self.stage else self.rule
        return f"{_OUTCOMES[self.verdict]}: {self.subject} on {self.model}, {self.check}: {cause}"

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
        cause = Attribution(*key[2:])
        verdicts = {_verdict(plan, example, cause) for group in groups for example in group.examples}
        replayed.append(Replayed(model, *key, next(one for one in _OUTCOMES if one in verdicts or one == "gone")))
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
    if group.examples[0].severity == "no answer":  # a rule of missing answers is a rule of nothing else
        counts.failures = max(0, counts.failures - group.count)
    if ("", subject) in result.languages:
        result.languages["", subject][1] -= group.count


def _verdict(plan: Plan, example: Mismatch, cause: Attribution) -> Verdict:
    bench = bench_of(plan, example.model)
    if example.subject not in bench.subjects:
        return "same"
    bench.renew()
    return ask_again(bench, example, example.case, plan.inputs.closest_depth, cause).verdict
