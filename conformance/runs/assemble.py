"""The results of shards as one run, and what makes it worth less than it looks."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from conformance.causes.findings import Known
from conformance.checks import CHECKS
from conformance.checks.methods import OFFICIAL_PARTS, add_methods, untested
from conformance.core.run import Absence, ModelInfo, Role, Run, SubjectInfo
from conformance.engine.bench import Bench
from conformance.engine.result import ShardResult, by_model
from conformance.inputs.corpora import corpus_names, read_corpus
from conformance.inputs.shards import natural_texts
from conformance.runs.at_the_end import AtTheEnd
from conformance.runs.expectations import Expectation, baseline_problems, expectations_here, gone
from conformance.runs.gather import (
    Place,
    Steps,
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
from conformance.subjects.reftok_subject import REFERENCE
from conformance.subjects.versions import installed_version, installed_versions

Results: TypeAlias = Mapping[str, ShardResult]
"""The result of each model, in the order of the plan."""
_NOTHING: Mapping[str, int] = MappingProxyType({})
NOTHING_KNOWN: Mapping[Place, Known] = MappingProxyType({})


def finished_run(
    job: Job,
    results: Sequence[ShardResult],
    bench_of: Callable[[str], Bench],
    told: Callable[[Finishing], None],
    deadline: float = math.inf,
    known: Mapping[Place, Known] = NOTHING_KNOWN,
) -> Run:
    """The run that all results amount to: each finding with its shrunk example, and the verdict.

    bench_of: the bench of a model, by name. told: what is done with which finding, or with those of which subject.
    deadline: of `time.monotonic`: the findings of each subject on a model have an equal part of what is left until
        then, and each step a share of that part (see `AtTheEnd`); from then on examples are shown
        as they came, nothing is weighed, and no verdict is sought. Without one, shrinking alone has an end,
        `SECONDS_OF_A_FINDING` for each. known: what is known already of the causes; the outcome hangs on it.
    """
    whole = by_model(results, [info.name for info in job.models])
    natural = natural_texts(job.plan.inputs)

    def steps_of(place: Place, number: int, total: int) -> Steps:
        model, _ = place
        now = time.monotonic()
        end = now + (deadline - now) / (1 + total - number)
        of_model = [one for one in results if one.shard.model == model]
        bench, of_place = partial(bench_of, model), known.get(place) or Known()
        return AtTheEnd(job.plan, bench, of_model, natural, of_place, end, told, number, total).steps

    run = _run(job, whole, natural, steps_of)
    rows = _rows(job, whole)
    problems = _problems(job, whole, run, rows)
    if job.full:
        problems += gone(expectations_here(), run.findings, {model for model, _ in rows})
    problems += baseline_problems(job.accepted, run, job.full, f"{datetime.now(UTC):%Y-%m-%d}")
    return with_problems(run, problems)


def unfinished_run(job: Job, results: Sequence[ShardResult]) -> Run:
    """The run so far: the examples as they came."""
    whole = by_model(results, [info.name for info in job.models])
    return _run(job, whole)


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
    natural: Mapping[str, int] = _NOTHING,
    steps_of: Callable[[Place, int, int], Steps] = lambda place, number, total: Steps(),
) -> Run:
    """Without a verdict, a start and times."""
    plan, infos = job.plan, job.models
    gathered = findings(
        results.values(),
        {info.name: info.oracle for info in infos},
        [*expectations_here(), *_known_issues(plan.subjects)],
        partial(replay_command, job),
        steps_of,
        natural,
        job.accepted,
    )
    found = job.selection.counted(gathered)
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
    """The models and subjects that took part and should have been compared; the reference only if a check needs it."""
    only_by_reference = all(CHECKS[check].expected_by == REFERENCE for check in job.plan.checks)
    return [
        (info.name, subject)
        for info in job.models
        for subject in job.plan.labels
        if subject not in (info.oracle, *([REFERENCE] if only_by_reference else ()))
        and subject not in results[info.name].unavailable
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
