"""A run from plan to folder: work, gather, shrink, judge, write."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial, reduce

from conformance.core.finding import Finding
from conformance.core.run import Run
from conformance.engine.bench import Bench
from conformance.engine.benches import bench_of, close_benches
from conformance.engine.result import ShardResult
from conformance.inputs.shards import shards
from conformance.report.run.folder import seconds_before, write_run_folder
from conformance.report.run.view import plural
from conformance.runs.assemble import finished_run, unfinished_run, with_problems
from conformance.runs.gather import unshrunk
from conformance.runs.job import Job
from conformance.runs.journal import Journal
from conformance.runs.machines import workers_of
from conformance.runs.progress import Finishing, NoiseTeller, Progress
from conformance.runs.seen import EnoughFoundError, Seen
from conformance.runs.shard_work import run_shards, work

STOPPED = "stopped early"
"""The beginning of the problem of a run that did not ask all that it was to ask."""
SECONDS_BETWEEN_REPORTS = 5.0
SHARE_OF_REPORTS = 0.01
"""Of the time of a run, no more than this goes into reports of what is done so far: the journal has it anyway."""


def execute(job: Job, told: Callable[[Progress | Finishing], None]) -> Run:
    """Work on what is not in the journal yet, write the run folder, and give the run.

    told: how far it is, after each shard, and what is done with the findings at the end.
    Interrupted, the journal holds every finished shard, and run.json says "incomplete"; so it does of a part, whose
    findings are not shrunk: they may be those of other parts.
    """
    started, clock = datetime.now(UTC), time.monotonic() - seconds_before(job.folder)
    todo = [shard for info in job.models for shard in shards(job.plan.inputs, info.name, info.vocab_size)]
    todo = todo if job.part is None else job.part.of(todo)
    journal = Journal(job.folder)
    order = {shard.key: number for number, shard in enumerate(todo)}
    results = [result for key, result in journal.finished.items() if key in order]
    seen = Seen(job)
    for result in results:
        seen.knows(result)
    progress = reduce(partial(_after, seen.is_known), results, Progress(len(todo)))
    next_report = 0.0
    tell_noise = NoiseTeller()

    def done(result: ShardResult) -> None:
        nonlocal next_report, progress
        journal.add(result)
        results.append(result)
        if (now := time.monotonic()) > next_report:
            _write_incomplete(job, results, started, time.monotonic() - clock)
            took = time.monotonic() - now
            next_report = now + max(SECONDS_BETWEEN_REPORTS, took / SHARE_OF_REPORTS)
        progress = replace(_after(seen.is_known, progress, result), fresh=seen.fresh(result))
        tell_noise(result)
        told(progress)
        seen.check_enough()

    remaining = [shard for shard in todo if shard.key not in journal.finished]
    _write_incomplete(job, results, started, time.monotonic() - clock)
    try:
        with suppress(EnoughFoundError):
            run_shards(job.plan, remaining, job.jobs, done, workers_of(job))
        results.sort(key=lambda result: order[result.shard.key])
        if job.part is not None:
            return _write_incomplete(job, results, started, time.monotonic() - clock)
        run = finished_run(job, results, partial(bench_of, job.plan), told)
    except BaseException:
        _write_incomplete(job, results, started, time.monotonic() - clock)
        raise
    finally:
        journal.close()
        close_benches()
    if not_asked := len(todo) - len(results):
        run = stopped(run, job, f"{not_asked:,} of {plural(len(todo), 'shard')} were not asked")
    run = _timed(run, results, started, time.monotonic() - clock)
    write_run_folder(run, job.folder)
    return run


def stopped(run: Run, job: Job, left: str) -> Run:
    """A run that has found as many as it was to find. left: what was not asked; of it nothing else is said to lack."""
    found = plural(job.most_findings, "finding")
    return with_problems(replace(run, problems=()), [f"{STOPPED}, after {found}, as --max-findings has it: {left}"])


def is_stopped(run: Run) -> bool:
    """Whether a run was ended by what it found, before it had asked everything."""
    return any(problem.startswith(STOPPED) for problem in run.problems)


def execute_here(job: Job, bench: Bench, seconds: float = math.inf) -> Run:
    """The run of one model in this process, with what its bench has of subjects; nothing is written.

    seconds: from which on nothing is made any more; the run tells how many inputs were.
    No other process has these subjects, so that no command replays what is found.
    """
    started, clock = datetime.now(UTC), time.monotonic()
    (info,) = job.models
    results: list[ShardResult] = []
    for shard in shards(job.plan.inputs, info.name, info.vocab_size):
        if shard.source != "fuzz" or time.monotonic() < clock + seconds:
            results.append(work(job.plan, shard, bench))
    made = sum(result.shard.stop - result.shard.start for result in results if result.shard.source == "fuzz")
    if "fuzz" in job.plan.inputs.sources:
        job = replace(job, plan=replace(job.plan, inputs=replace(job.plan.inputs, fuzz=made)))
    run = finished_run(job, results, lambda _: bench, lambda _: None)
    run = replace(run, findings=tuple(replace(finding, replay="") for finding in run.findings))
    return _timed(run, results, started, time.monotonic() - clock)


def _write_incomplete(job: Job, results: Sequence[ShardResult], started: datetime, seconds: float) -> Run:
    run = _timed(unfinished_run(job, results), results, started, seconds)
    write_run_folder(run, job.folder)
    return run


def _timed(run: Run, results: Sequence[ShardResult], started: datetime, seconds: float) -> Run:
    times = {"total": round(seconds, 1), "work": round(sum(result.seconds for result in results), 1)}
    return replace(run, started=started.isoformat(timespec="seconds"), times=times)


def _after(is_known: Callable[[Finding], bool], progress: Progress, result: ShardResult) -> Progress:
    """The progress after one more shard."""
    found = unshrunk([result])
    return replace(
        progress,
        done=progress.done + 1,
        answers=progress.answers + result.answers,
        mismatches=progress.mismatches + sum(finding.count for finding in found),
        known=progress.known + sum(finding.count for finding in found if is_known(finding)),
    )
