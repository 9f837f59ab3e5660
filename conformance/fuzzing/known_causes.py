"""The earlier findings of a session, asked again: fixed, or still failing."""

from __future__ import annotations

import os
import time
from collections.abc import Container, Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from conformance.causes.asking_again import Verdict, ask_again
from conformance.causes.attribution import Attribution
from conformance.core.finding import Finding, Mismatch
from conformance.engine.benches import bench_of
from conformance.engine.imported import imported_files
from conformance.engine.plan import Plan
from conformance.engine.result import WITNESSES, GroupKey, ShardResult
from conformance.fuzzing.session import SECONDS_OVER_TIME
from conformance.inputs.shards import Shard
from conformance.runs.plan_file import PLAN, changed_since
from conformance.runs.shard_work import judged
from conformance.subjects.adapters import BUILT_IN
from conformance.subjects.definition import definition

_Outcome: TypeAlias = Verdict | Literal["unseen", "unasked"]
_OUTCOMES: Mapping[_Outcome, str] = {
    "same": "still failing",
    "other": "failing in another way",
    "unseen": "not seen again, though nothing has changed",
    "unasked": "not asked again in all places for want of time",
    "gone": "fixed",
}
"""The words for each outcome, the worst first."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A cause that was known.

    verdict: on its examples, the worst of them. "unseen" is what does not fail now though the subject is what it was:
        it may depend on what else is asked, or on chance, and is kept. "unasked": what did not fail where it was asked,
        but was not asked everywhere: the time was up, and the rest is kept.
    """

    model: str
    subject: str
    check: str
    stage: str
    rule: str
    verdict: _Outcome

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


def changed_subjects(plan: Plan, folder: Path) -> Set[str]:
    """The subjects that are not what they were when the folder's plan was written, as the reports name them.

    Built-in ones always are: they have no state, so what they do not repeat is mended. All are where there is no plan.
    """
    changed = frozenset(changed_since(folder)) if (folder / PLAN).exists() else None
    pairs = zip(plan.subjects, plan.labels, strict=True)
    return BUILT_IN | {label for name, label in pairs if _is_changed(name, changed)}


def _is_changed(subject: str, changed: frozenset[str] | None) -> bool:
    """changed: files by their whole path, and libraries by name."""
    if changed is None or not all(map(os.path.isabs, changed)):
        return True
    code = definition(subject).code if subject not in BUILT_IN else ()
    read = {str(path.resolve()) for file in code for path in (file, *imported_files(file))}
    return any(name in read or not os.path.exists(name) for name in changed)  # what is gone was imported


def replay_known(
    plan: Plan, results: Iterable[ShardResult], changed: Container[str], deadline: float
) -> list[Replayed]:
    """Ask again what the results hold: an example that does not fail as it did leaves them, and so a cause without any.

    What fails in another way is recorded as what it is now. But of a subject that is what it was, all stays: it does
    not repeat itself. Of each cause the first few examples are asked; where some of these are fixed, so may the others
    be, which leave too.
    changed: the subjects that are not. deadline: of `time.monotonic`, from which on nothing is asked, and all stays.
    """
    verdicts: dict[tuple[str, GroupKey], set[_Outcome]] = {}
    for result in sorted(results, key=lambda result: result.shard.model):  # each model is loaded once
        otherwise: list[ShardResult] = []
        for key, group in sorted(result.groups.items()):
            seen = verdicts.setdefault((result.shard.model, key), set())
            if time.monotonic() > deadline:
                seen.add("unasked")
                continue
            is_changed = key[0] in changed
            asked = [_asked(plan, example, Attribution(*key[2:]), deadline) for example in group.witnesses]
            if any(verdict == "unasked" for verdict, _ in asked):
                seen.add("unasked")
                continue
            seen |= {"unseen" if verdict == "gone" and not is_changed else verdict for verdict, _ in asked}
            still = [one for one, (verdict, _) in zip(group.witnesses, asked, strict=True) if verdict == "same"]
            if still:
                is_as_it_was = len(still) == len(asked) or not is_changed
                group.examples = [*still, *(group.examples[WITNESSES:] if is_as_it_was else ())]
            elif is_changed:
                _take_out(result, key)
            if is_changed:
                otherwise += (now for _, now in asked if now)
        for now in otherwise:
            result.join(now)
    return [
        Replayed(model, *key, next(verdict for verdict in _OUTCOMES if verdict in found))
        for (model, key), found in sorted(verdicts.items())
    ]


def with_names(
    plan: Plan, replayed: Sequence[Replayed], named: Sequence[Finding], changed: Container[str], deadline: float
) -> list[Replayed]:
    """What was asked again, with the causes that an earlier start named in the place of what has none in the shards.

    replayed: what `replay_known` gave. named: the findings whose causes were found.
    """
    places = {one.example.place for one in named}
    told = [one for one in replayed if one.stage or (one.model, one.subject, one.check) not in places]
    for finding in sorted(named, key=lambda one: one.example.model) if len(told) < len(replayed) else ():
        example = finding.example
        verdict: _Outcome = "unasked"
        if time.monotonic() < deadline:
            verdict, _ = _asked(plan, example, Attribution(finding.stage, finding.rule), deadline)
            verdict = "unseen" if verdict == "gone" and example.subject not in changed else verdict
        told.append(Replayed(*example.place, finding.stage, finding.rule, verdict))
    return told


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


def _asked(
    plan: Plan, example: Mismatch, cause: Attribution, deadline: float
) -> tuple[Verdict | Literal["unasked"], ShardResult | None]:
    """The verdict, and the result of this case where it fails in another way.

    "unasked": there was no answer by the deadline and a little more.
    """
    bench = bench_of(plan, example.model, until=deadline + SECONDS_OVER_TIME)
    if example.subject not in bench.subjects:
        return "unasked" if bench.was_late else "same", None
    bench.renew()
    bench.ask_until(deadline + SECONDS_OVER_TIME)
    asked = ask_again(bench, example, example.case, plan.inputs.closest_depth, cause)
    if bench.is_over():
        return "unasked", None
    if asked.verdict != "other":
        return asked.verdict, None
    answers = {bench.oracle: [asked.expected], example.subject: [asked.observed]}
    shard = Shard(example.model, "fuzz", 0, 1)
    now = judged(replace(plan, checks=(example.check,)), shard, bench, [example.case], answers, example.subject)
    return "other", replace(now, cases=0)  # the session has counted it
