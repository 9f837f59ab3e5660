"""The results of shards as one run, and what makes it worth less than it looks."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from conformance.causes.attribution import Attribution
from conformance.causes.findings import Trials, explained_as_they_came, named_or_not_sought, with_fewest_causes
from conformance.causes.smallest import shrunk_example
from conformance.causes.verdict import with_verdicts
from conformance.causes.weight import weighed
from conformance.checks import CHECKS
from conformance.checks.methods import OFFICIAL_PARTS, add_methods, untested
from conformance.core.case import Case
from conformance.core.finding import Finding, Mismatch
from conformance.core.run import Absence, ModelInfo, Role, Run, SubjectInfo
from conformance.engine.bench import Bench
from conformance.engine.result import ShardResult, by_model
from conformance.inputs.corpora import corpus_names, read_corpus
from conformance.inputs.shards import natural_texts
from conformance.runs.expectations import Expectation, baseline_problems, expectations_here, gone
from conformance.runs.gather import (
    Merger,
    Shrinker,
    Weigher,
    adapter_problems,
    cells,
    findings,
    language_cells,
    methods_of,
    missing,
    nothing_compared,
    unchecked,
    vacuous,
)
from conformance.runs.job import Job, file_hash, replay_command
from conformance.runs.progress import Finishing
from conformance.subjects.adapters import BUILT_IN, subject_label
from conformance.subjects.definition import definition, told_at
from conformance.subjects.protocol import About
from conformance.subjects.versions import installed_version, installed_versions

EXPLAINING_SHARE, SHRINKING_SHARE, CAUSES_SHARE = 0.6, 0.4, 0.7
"""Of the time that is left each time: what causes may be sought in before any finding is shrunk, what those may be
shrunk in that there are then, and what causes may be sought in once more; the rest is for weights. A name that is not
tested misleads, and of two findings of one cause one is shrunk for nothing."""

SECONDS_OF_A_FINDING = 20.0
"""So long, for each, findings are shrunk where no deadline says otherwise: a subject may take seconds to fail."""


class _Shares:
    """The time of one step with all findings, of which each has an equal share of what is left.

    share: of the time that is left until the deadline when the step begins. total: of how many, known when it begins.
    """

    def __init__(self, deed: str, share: float, deadline: float) -> None:
        self.total = 0
        self._deed = deed
        self._share = share
        self._deadline = deadline
        self._number = 0
        self._until = math.inf

    def next(self, told: Callable[[Finishing], None], seconds: float = math.inf) -> float:
        """Tell of the next, and until when it may take; seconds: of each, where there is no deadline."""
        self._number += 1
        told(Finishing(self._number, self.total, self._deed))
        now = time.monotonic()
        if self._number == 1:
            left = self._share * (self._deadline - now) if self._deadline < math.inf else seconds * self.total
            self._until = now + left
        return now + (self._until - now) / max(1, 1 + self.total - self._number)


Results: TypeAlias = Mapping[str, ShardResult]
"""The result of each model, in the order of the plan."""
_NOTHING: Mapping[str, int] = MappingProxyType({})


def finished_run(
    job: Job,
    results: Sequence[ShardResult],
    bench_of: Callable[[str], Bench],
    told: Callable[[Finishing], None],
    deadline: float = math.inf,
    trials: Trials | None = None,
) -> Run:
    """The run that all results amount to: each finding with its shrunk example, and the verdict.

    bench_of: the bench of a model, by name. told: what is done with which finding, or with those of which subject.
    deadline: of `time.monotonic`: each step has a share of what is left until then (`EXPLAINING_SHARE` and the others),
        of which each finding, or those of each subject on a model, has an equal part; from then on examples are shown
        as they came, nothing is weighed, and no verdict is sought. Without one, shrinking alone has an end,
        `SECONDS_OF_A_FINDING` for each. trials: what is known already of the causes; the outcome hangs on it.
    """
    whole = by_model(results, [info.name for info in job.models])
    trials = {} if trials is None else trials
    explaining = _Shares("seeking causes, subject on model", EXPLAINING_SHARE, deadline)
    shrinking = _Shares("shrinking finding", SHRINKING_SHARE, deadline)
    merging = _Shares("seeking causes once more, subject on model", CAUSES_SHARE, deadline)
    shrinking.total = sum(len(result.groups) for result in whole.values())

    def explained(found: Sequence[Finding], witnesses: Sequence[Case], total: int) -> Sequence[Finding]:
        explaining.total = total
        share = explaining.next(told)
        bench = bench_of(found[0].example.model)
        left = explained_as_they_came(job.plan, bench, found, witnesses, share, trials)
        shrinking.total += len(left) - len(found)
        return left

    def shrunk(mismatch: Mismatch, cause: Attribution) -> tuple[Mismatch, Attribution]:
        share = shrinking.next(told, SECONDS_OF_A_FINDING)
        known = trials.get((mismatch.model, mismatch.subject))
        others = () if cause.stage or known is None else known.causes
        return shrunk_example(job.plan, bench_of(mismatch.model), mismatch, cause, others, share)

    def merged(found: Sequence[Finding], witnesses: Sequence[Case], total: int) -> Sequence[Finding]:
        merging.total = total
        share = merging.next(told)
        bench = bench_of(found[0].example.model)
        of_model = [one for one in results if one.shard.model == bench.model.name]
        named = with_fewest_causes(job.plan, bench, found, witnesses, share, trials, of_model, natural)
        return [*map(named_or_not_sought, named)]

    natural = natural_texts(job.plan.inputs)

    def weighed_all(found: Sequence[Finding]) -> Iterator[Finding]:
        places = {(finding.example.model, finding.example.subject): None for finding in found}
        for number, (model, subject) in enumerate(places, 1):
            told(Finishing(number, len(places), "weighing findings, subject on model"))
            some = [one for one in found if (one.example.model, one.example.subject) == (model, subject)]
            now = time.monotonic()
            share = now + (deadline - now) / (1 + len(places) - number)
            some = with_verdicts(bench_of(model), some, share)
            yield from weighed(bench_of(model), some, natural, share)

    run = _run(job, whole, shrunk, merged, natural, lambda found: [*weighed_all(found)], explained)
    rows = _rows(job, whole)
    problems = _problems(job, whole, run, rows)
    if job.full:
        problems += gone(expectations_here(), run.findings, {model for model, _ in rows})
    problems += baseline_problems(job.accepted, run, job.full, f"{datetime.now(UTC):%Y-%m-%d}")
    return with_problems(run, problems)


def unfinished_run(job: Job, results: Sequence[ShardResult]) -> Run:
    """The run so far: the examples as they came."""
    whole = by_model(results, [info.name for info in job.models])
    return _run(job, whole, lambda mismatch, cause: (mismatch, cause), lambda found, *_: found)


def with_problems(run: Run, problems: Iterable[str]) -> Run:
    """The run with these problems besides its own, and the verdict that follows."""
    every = tuple(dict.fromkeys((*run.problems, *problems)))
    is_unexpected = bool(every) or any(finding.status == "new" for finding in run.findings)
    return replace(run, verdict="unexpected findings" if is_unexpected else "as expected", problems=every)


def _known_issues(subjects: Iterable[str]) -> list[Expectation]:
    """What the subject.toml files among these subjects name as known, on every model and by every check."""
    files = {subject_label(name): definition(name).about for name in subjects if name not in BUILT_IN}
    return [
        Expectation(
            id=f"{label}: {issue.rule}",
            subject=label,
            check=check,
            rule=issue.rule,
            models=("*",),
            seen_in=(),
            observed="",
            reason="known, as its subject.toml says",
            upstream=issue.issue,
            owner=label,
            expires="9999-12-31",
        )
        for label, about in files.items()
        if about is not None
        for issue in about.known
        for check in CHECKS
    ]


def _run(
    job: Job,
    results: Results,
    example: Shrinker,
    merger: Merger,
    natural: Mapping[str, int] = _NOTHING,
    weigher: Weigher = list,
    explainer: Merger = lambda found, *_: found,
) -> Run:
    """Without a verdict, a start and times."""
    plan, infos = job.plan, job.models
    found = findings(
        results.values(),
        {info.name: info.oracle for info in infos},
        [*expectations_here(), *_known_issues(plan.subjects)],
        example,
        partial(replay_command, job),
        merger,
        natural,
        weigher,
        job.accepted,
        explainer,
    )
    return Run(
        verdict="incomplete",
        command=job.command,
        seed=plan.inputs.seed,
        versions=installed_versions(),
        models=infos,
        subjects=_subject_infos(job, results),
        checks=plan.checks,
        cells=cells(results, found),
        languages=language_cells(results, corpus_names()),
        findings=found,
        absences=_absences(results),
        problems=_missing_oracles(infos, results),
        corpora={name: file_hash(path) for path, name in _corpus_names(plan.inputs.files).items()},
        cases=sum(result.cases for result in results.values()),
        answers=sum(result.answers for result in results.values()),
        sources=plan.inputs.sources,
        fuzz=plan.inputs.fuzz,
        fail_on=job.fail_on,
    )


def _corpus_names(files: Sequence[Path]) -> dict[Path, str]:
    """Each file by as many of the last parts of its path as tell it from the others, but at least two."""
    names: dict[Path, str] = {}
    for file in files:
        for count in range(2, len(file.parts) + 1):
            name = Path(*file.parts[-count:])
            if sum(other.parts[-count:] == file.parts[-count:] for other in files) == 1:
                break
        names[file] = name.as_posix()
    return names


def _rows(job: Job, results: Results) -> list[tuple[str, str]]:
    """The models and subjects that were to be compared: of those that took part."""
    return [
        (info.name, subject)
        for info in job.models
        for subject in job.plan.labels
        if subject != info.oracle and subject not in results[info.name].unavailable
    ]


def _problems(job: Job, results: Results, run: Run, rows: Sequence[tuple[str, str]]) -> list[str]:
    """The reasons why the run is worth less than it looks."""
    plan, table = job.plan, run.cells
    own = [subject_label(name) for name in plan.subjects if name not in BUILT_IN]
    absences = [absence for absence in run.absences if absence.subject in plan.labels]
    compared = {(cell.model, cell.subject) for cell in table if cell.compared}
    methods = methods_of(results)
    named_checks = plan.checks if len(plan.checks) < len(CHECKS) else ()
    with_absences = {absence.model for absence in absences}
    return [
        *nothing_compared(rows, own or plan.labels, absences),
        *missing(absences, plan.require),
        *(f"{path}: the corpus gave no case" for path in plan.inputs.files if not read_corpus(path)),
        *adapter_problems(results),
        *vacuous(table, [info.name for info in job.models if info.name not in with_absences], rows, methods),
        *unchecked(
            table, named_checks, [row for row in rows if row[1] in own and row in compared], methods, plan.require
        ),
    ]


def _missing_oracles(infos: Sequence[ModelInfo], results: Results) -> tuple[str, ...]:
    """A model whose official library did not take part was compared with nothing official."""
    return tuple(
        f"{info.name} was not compared with its official library: {reasons[info.oracle].message}"
        for info in infos
        if info.oracle in (reasons := results[info.name].unavailable)
    )


def _absences(results: Results) -> tuple[Absence, ...]:
    """What took no part, in the order of the models."""
    return tuple(
        Absence(model, subject, failure.kind, failure.message)
        for model, result in results.items()
        for subject, failure in sorted(result.unavailable.items())
    )


def _subject_infos(job: Job, results: Results) -> tuple[SubjectInfo, ...]:
    oracles = {info.oracle for info in job.models}
    reasons = [result.unavailable for result in results.values()]
    places = {subject_label(name): told_at(definition(name)) for name in job.plan.subjects if name not in BUILT_IN}
    subjects: list[SubjectInfo] = []
    for name in sorted({*job.plan.labels, *oracles}):
        everywhere = all(name in reason for reason in reasons) and reasons
        why = next(reason[name].message for reason in reasons) if everywhere else ""
        about = job.about.get(name, About(name=name))
        version = about.version or installed_version(name)
        role: Role = "oracle" if name in oracles else "reference" if name in BUILT_IN else "subject"
        methods = untested(_methods(job.models, results, name))
        told = (about.language, about.runtime, about.homepage)
        subjects.append(SubjectInfo(name, version, role, why, methods, *told, *places.get(name, ("", 0))))
    return tuple(subjects)


def _methods(infos: Sequence[ModelInfo], results: Results, subject: str) -> dict[str, bool]:
    """What a subject was asked for with any model, and whether it has it; of parts, those that the library has too."""
    asked: dict[str, bool] = {}
    for info in infos:
        methods = results[info.name].methods
        official = methods.get(info.oracle, {})
        of_subject = methods.get(subject, {}).items()
        is_asked = {name: is_there for name, is_there in of_subject if name not in OFFICIAL_PARTS or official.get(name)}
        add_methods(asked, is_asked)
    return asked
