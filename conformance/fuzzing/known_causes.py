"""The earlier findings of a session, asked again: fixed, or still failing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from conformance.core.finding import Mismatch
from conformance.diagnosis.causes import Attribution
from conformance.engine.asking_again import Verdict, ask_again
from conformance.engine.benches import bench_of
from conformance.engine.plan import Plan
from conformance.engine.result import GroupKey, ShardResult
from conformance.engine.shard_work import judged
from conformance.inputs.shards import Shard

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
    """Ask again what the results hold: an example that does not fail as it did leaves them, and so a cause without any.

    What fails in another way is recorded as what it is now.
    """
    verdicts: dict[tuple[str, GroupKey], set[Verdict]] = {}
    for result in results:
        otherwise: list[ShardResult] = []
        for key, group in sorted(result.groups.items()):
            asked = [_asked(plan, example, Attribution(*key[2:])) for example in group.examples]
            verdicts.setdefault((result.shard.model, key), set()).update(verdict for verdict, _ in asked)
            otherwise += (now for _, now in asked if now)
            still = [one for one, (verdict, _) in zip(group.examples, asked, strict=True) if verdict == "same"]
            if still:
                group.examples = still
            else:
                _take_out(result, key)
        for now in otherwise:
            result.join(now)
    return [
        Replayed(model, *key, next(verdict for verdict in _OUTCOMES if verdict in found))
        for (model, key), found in sorted(verdicts.items())
    ]


def _take_out(result: ShardResult, key: GroupKey) -> None:
    """Forget a cause, and that its answers mismatched."""
    group = result.groups.pop(key)
    subject, check, *_ = key
    counts = result.counts[subject, check]
    counts.mismatched -= group.count
    if group.examples[0].severity == "no answer":  # a rule of missing answers is a rule of nothing else
        counts.failures = max(0, counts.failures - group.count)
    if ("", subject) in result.languages:
        result.languages["", subject][1] -= group.count


def _asked(plan: Plan, example: Mismatch, cause: Attribution) -> tuple[Verdict, ShardResult | None]:
    """The verdict, and the result of this case where it fails in another way."""
    bench = bench_of(plan, example.model)
    if example.subject not in bench.subjects:
        return "same", None
    bench.renew()
    asked = ask_again(bench, example, example.case, plan.inputs.closest_depth, cause)
    if asked.verdict != "other":
        return asked.verdict, None
    answers = {bench.oracle: [asked.expected], example.subject: [asked.observed]}
    shard = Shard(example.model, "fuzz", 0, 1)
    now = judged(replace(plan, checks=(example.check,)), shard, bench, [example.case], answers, example.subject)
    return "other", replace(now, cases=0)  # the session has counted it
