"""A run from plan to folder: work, gather, shrink, judge, write."""

from __future__ import annotations

import hashlib
import os
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial, reduce
from pathlib import Path

from conformance.attribute import Attribution
from conformance.checks import CHECKS
from conformance.engines.bench import vocab_by_id
from conformance.engines.journal import Journal
from conformance.engines.local import close_bench, run_shards
from conformance.engines.result import ShardResult
from conformance.errors import InputError, UsageError
from conformance.example import shrunk_example
from conformance.expectations import Expectation, gone, matching, read_expectations
from conformance.finding import Finding
from conformance.gather import cells, findings, gather, language_cells, unchecked, vacuous
from conformance.inputs.corpora import read_corpus
from conformance.inputs.plan import shards
from conformance.plan import Plan
from conformance.progress import Progress
from conformance.report.folder import write_run_folder
from conformance.resources import expectations_folder
from conformance.run import Cell, ModelInfo, Run, SubjectInfo, Verdict
from conformance.subjects import BUILT_IN, ORACLES, load_subject, subject_label, subject_version
from conformance.subjects.base import UnavailableError
from conformance.versions import installed_versions
from reftok import load
from reftok.unicode_profile import unicode_profile

SECONDS_BETWEEN_REPORTS = 5.0
SHARE_OF_REPORTS = 0.01
"""Of the time of a run, no more than this goes into reports of what is done so far: the journal has it anyway."""


@dataclass(frozen=True, slots=True)
class Job:
    """A plan with what surrounds it.

    models: what the run says of the plan's models. folder: the run folder. command: as typed.
    full: all inputs and checks, so that what is expected must be seen.
    """

    plan: Plan
    models: tuple[ModelInfo, ...]
    folder: Path
    command: str
    jobs: int
    full: bool


def execute(job: Job, told: Callable[[Progress], None]) -> Run:
    """Work on what is not in the journal yet, write the run folder, and give the run.

    told: how far it is, after each shard.
    Interrupted, the journal holds every finished shard, and run.json says "incomplete".
    """
    started, clock = datetime.now(UTC), time.monotonic()
    plan, infos = job.plan, job.models
    todo = [shard for info in infos for shard in shards(plan.inputs, info.name, info.vocab_size)]
    journal = Journal(job.folder)
    order = {shard.key: number for number, shard in enumerate(todo)}
    results = [result for key, result in journal.finished.items() if key in order]
    expectations = read_expectations(expectations_folder(), installed_versions())
    progress = reduce(partial(_after, expectations), results, Progress(len(todo)))
    next_report = 0.0

    def done(result: ShardResult) -> None:
        nonlocal next_report, progress
        journal.add(result)
        results.append(result)
        if (now := time.monotonic()) > next_report:
            _write_incomplete(job, infos, results, started)
            took = time.monotonic() - now
            next_report = now + max(SECONDS_BETWEEN_REPORTS, took / SHARE_OF_REPORTS)
        progress = _after(expectations, progress, result)
        told(progress)

    remaining = [shard for shard in todo if shard.key not in journal.finished]
    _write_incomplete(job, infos, results, started)
    try:
        run_shards(plan, remaining, job.jobs, done)
    finally:
        journal.close()
        if len(results) < len(todo):
            _write_incomplete(job, infos, results, started)
    results.sort(key=lambda result: order[result.shard.key])
    try:
        run = _finished_run(job, infos, results)
    finally:
        close_bench()
    seconds = time.monotonic() - clock
    run = replace(run, started=started.isoformat(timespec="seconds"), times=_times(results, seconds))
    write_run_folder(run, job.folder)
    return run


def model_infos(plan: Plan) -> tuple[ModelInfo, ...]:
    """What the run says of its models; each is loaded once, so that a bad file ends the run before it starts."""
    return tuple(
        ModelInfo(
            name=model.name,
            path=model.path.name,
            format=model.format,
            sha256=_sha256(model.path),
            oracle=ORACLES[model.format],
            vocab_size=len(vocab_by_id(tokenizer)),
            unicode=unicode_profile(tokenizer),
        )
        for model in plan.models
        for tokenizer in [load(model.path, model.encoding or None)]
    )


def check_subjects(plan: Plan) -> None:
    """Raise UsageError for a subject that can take part with none of the models: it would prove nothing."""
    for name in plan.subjects:
        reasons = []
        for model in plan.models:
            try:
                load_subject(name, model.path, model.format, plan.timeout, model.encoding).close()
                break
            except UnavailableError as error:
                reasons.append(str(error))
        else:
            raise UsageError(f"--subject: {reasons[0]}")


def _finished_run(job: Job, infos: Sequence[ModelInfo], results: Sequence[ShardResult]) -> Run:
    expectations = read_expectations(expectations_folder(), installed_versions())
    oracles = {info.name: info.oracle for info in infos}
    found = findings(
        gather(results),
        oracles,
        expectations,
        lambda mismatch, stage: shrunk_example(job.plan, mismatch, stage),
        lambda finding: replay_command(job, finding),
    )
    run = _table(job, infos, results, found)
    problems = [*run.problems, *_problems(job, infos, results, run.cells)]
    if job.full:
        problems += gone(expectations, found, {info.name for info in infos})
    unexpected = any(finding.status == "new" for finding in found) or bool(problems)
    verdict: Verdict = "unexpected findings" if unexpected else "as expected"
    return replace(run, verdict=verdict, problems=tuple(problems))


def _problems(job: Job, infos: Sequence[ModelInfo], results: Sequence[ShardResult], table: Sequence[Cell]) -> list[str]:
    """What makes the run worth less than it looks."""
    plan = job.plan
    own = {subject_label(name) for name in plan.subjects if name not in BUILT_IN}
    rows = [
        (info.name, subject)
        for info in infos
        for subject in plan.labels
        if subject != info.oracle and subject not in _unavailable(results, info.name)
    ]
    named_checks = plan.checks if len(plan.checks) < len(CHECKS) else ()
    return [
        *_not_loaded(plan, results),
        *(f"{path}: the corpus gave no case" for path in plan.inputs.files if not read_corpus(path)),
        *vacuous(table, [info.name for info in infos], rows),
        *unchecked(table, named_checks, [row for row in rows if row[1] in own]),
    ]


def _write_incomplete(job: Job, infos: Sequence[ModelInfo], results: Sequence[ShardResult], started: datetime) -> None:
    oracles = {info.name: info.oracle for info in infos}
    expectations = read_expectations(expectations_folder(), installed_versions())
    found = findings(
        gather(results),
        oracles,
        expectations,
        lambda m, stage: (m, Attribution()),
        lambda finding: replay_command(job, finding),
    )
    run = replace(
        _table(job, infos, results, found),
        started=started.isoformat(timespec="seconds"),
        times=_times(results, (datetime.now(UTC) - started).total_seconds()),
    )
    write_run_folder(run, job.folder)


def _table(job: Job, infos: Sequence[ModelInfo], results: Sequence[ShardResult], found: tuple[Finding, ...]) -> Run:
    plan = job.plan
    return Run(
        verdict="incomplete",
        command=job.command,
        seed=plan.inputs.seed,
        versions=installed_versions(),
        models=tuple(infos),
        subjects=_subject_infos(plan, infos, results),
        checks=plan.checks,
        cells=cells(results, found, [info.name for info in infos]),
        languages=language_cells(results),
        findings=found,
        problems=_missing_oracles(infos, results),
        corpora={name: file_hash(path) for path, name in _corpus_names(plan.inputs.files).items()},
        cases=sum(result.cases for result in results),
        answers=sum(result.answers for result in results),
        sources=plan.inputs.sources,
        fuzz=plan.inputs.fuzz,
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


@cache
def file_hash(path: Path) -> str:
    """SHA-256 of a file, as it was when first asked for in this process."""
    return _sha256(path)


def _sha256(path: Path) -> str:
    """In pieces: a GGUF file may have many gigabytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _missing_oracles(infos: Sequence[ModelInfo], results: Sequence[ShardResult]) -> tuple[str, ...]:
    """A model whose official library did not take part was compared with nothing official."""
    return tuple(
        f"{info.name} was not compared with its official library: {reasons[info.oracle]}"
        for info in infos
        if info.oracle in (reasons := _unavailable(results, info.name))
    )


def _not_loaded(plan: Plan, results: Sequence[ShardResult]) -> list[str]:
    """A subject of the user's that could not be loaded with one of the models."""
    own = [subject_label(name) for name in plan.subjects if name not in BUILT_IN]
    return [
        f"{label} took no part with {model.name}: {reasons[label]}"
        for model in plan.models
        for label in own
        if label in (reasons := _unavailable(results, model.name))
    ]


def _unavailable(results: Sequence[ShardResult], model: str) -> dict[str, str]:
    reasons: dict[str, str] = {}
    for result in results:
        if result.shard.model == model:
            reasons |= result.unavailable
    return reasons


def _subject_infos(plan: Plan, infos: Sequence[ModelInfo], results: Sequence[ShardResult]) -> tuple[SubjectInfo, ...]:
    oracles = {info.oracle for info in infos}
    reasons = [_unavailable(results, info.name) for info in infos]
    subjects: list[SubjectInfo] = []
    for name in sorted({*plan.labels, *oracles}):
        everywhere = all(name in reason for reason in reasons) and reasons
        why = next(reason[name] for reason in reasons) if everywhere else ""
        subjects.append(SubjectInfo(name, _version(name), "oracle" if name in oracles else "subject", why))
    return tuple(subjects)


def _version(name: str) -> str:
    try:
        return subject_version(name)
    except UnavailableError:
        return ""


def _after(expectations: Sequence[Expectation], progress: Progress, result: ShardResult) -> Progress:
    """The progress after one more shard."""
    found = [Finding(g.examples[0], g.count, (), g.stage, g.rule, "") for g in result.groups.values()]
    return replace(
        progress,
        done=progress.done + 1,
        answers=progress.answers + result.answers,
        mismatches=progress.mismatches + sum(finding.count for finding in found),
        known=progress.known + sum(finding.count for finding in found if matching(expectations, finding)),
    )


def _times(results: Sequence[ShardResult], seconds: float) -> dict[str, float]:
    return {"total": round(seconds, 1), "work": round(sum(result.seconds for result in results), 1)}


def replay_command(job: Job, finding: Finding) -> str:
    """The command that shows this finding again, on its own."""
    return shlex.join(["conformance", "replay", _relative(job.folder), finding.fingerprint])


def _relative(path: Path) -> str:
    try:
        return os.path.relpath(path)
    except ValueError:
        return str(path)


def is_unchanged(path: Path, digest: str) -> bool:
    """Whether a file is there and what it was."""
    return path.is_file() and _sha256(path) == digest


def check_unchanged(hashes: dict[str, str]) -> None:
    """Raise InputError where a file of a run that is resumed is gone or not what it was."""
    for name, digest in hashes.items():
        if not is_unchanged(Path(name), digest):
            raise InputError(f"{name}: is gone or has changed since the run began; start it anew")


def file_hashes(plan: Plan) -> dict[str, str]:
    """SHA-256 of every file that decides the outcome."""
    return {str(path.resolve()): file_hash(path) for path in plan.files}
