"""The commands `conformance fuzz` and `conformance corpus`."""

from __future__ import annotations

import math
import shlex
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
import regex
from rich.console import Console
from rich.text import Text

from conformance.checks import CHECKS
from conformance.cli.options import Named, OutputConsole, Timeout, checked_subjects, cores
from conformance.core.errors import InputError
from conformance.engine.plan import Plan
from conformance.files.lock import locked
from conformance.fuzzing.corpus import Change, merge, minimize
from conformance.fuzzing.drive import SessionEnd, SessionJob, run_session
from conformance.fuzzing.folder import read_generators, write_generators
from conformance.fuzzing.replay import Replayed
from conformance.fuzzing.screen import SessionTeller, tables
from conformance.fuzzing.session import SessionPlan
from conformance.generators import NAMES
from conformance.inputs.corpora import PARTS, corpus_files
from conformance.inputs.shards import MOST_FUZZ, Inputs, corpus_cases
from conformance.report.run.terminal import print_report
from conformance.report.run.view import plural
from conformance.report.text import visible
from conformance.runs.job import Job, check_subjects, file_hashes, model_infos
from conformance.runs.models import plan_models
from conformance.runs.new_folder import begin_folder, check_free
from conformance.runs.plan_file import read_plan, write_plan
from conformance.subjects.adapters import absolute_subject
from conformance.subjects.versions import installed_versions

DEFAULT_SECONDS = 600.0
_TIME = regex.compile(r"(?:(?P<d>\d+)d)?(?:(?P<h>\d+)h)?(?:(?P<m>\d+)m)?(?:(?P<s>\d+(?:\.\d+)?)s?)?")
_SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}

EXAMPLES = """\b
Examples:
  conformance fuzz --model bpe-qwen --subject mine.py:Tokenizer --time 10m --out mine
      ten minutes
  conformance fuzz --resume mine --time 10m
      ten minutes more; what was found is asked again first
  conformance fuzz --model path/to/tokenizer.json --cases 100000 --seed 7 --out ci --quiet
      the same findings on any machine, with any number of workers
  conformance corpus minimize mine
  conformance corpus merge mine theirs
"""


def _duration(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """Seconds from 90s, 10m, 1h30m, 2d, or a number of seconds."""
    if value is None:
        return None
    found = _TIME.fullmatch(value)
    named = found.groupdict().items() if found else ()
    seconds = sum(float(number) * _SECONDS[unit] for unit, number in named if number)
    if not seconds:
        raise click.BadParameter(f"{value!r} is no time: write 90s, 10m, 1h30m or 2d", context, parameter)
    return seconds


@click.command(epilog=EXAMPLES)
@click.option("--model", "models", multiple=True, metavar="M", help="As of `conformance run`; repeatable.")
@click.option(
    "--subject",
    "subjects",
    multiple=True,
    metavar="S",
    help="FILE.py:FACTORY, or one of the built-in ones of `conformance run`; only those named are asked; repeatable. "
    "Default: reftok.",
)
@click.option("--corpus", "corpora", multiple=True, metavar="C", help="Lines to mutate; as of `conformance run`.")
@click.option("--check", "checks", multiple=True, type=Named(CHECKS), help="A check; default: all.")
@click.option(
    "--generator", "generators", multiple=True, type=Named(NAMES), help="A generator; default: all. Repeatable."
)
@click.option(
    "--time",
    "seconds",
    callback=_duration,
    metavar="T",
    help="How long this start lasts: 90s, 10m, 1h30m, 2d. Default: 10m, or until --cases are done.",
)
@click.option("--cases", type=click.IntRange(1, MOST_FUZZ), metavar="N", help="How many cases each model has in all.")
@click.option("--seed", type=int, default=0, show_default=True, help="What the inputs are made from.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="RUN", help="The run folder. Default: reports/runs/fuzz-<time>."
)
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="Go on with the session of this folder; other options than --time, --cases, --jobs and --quiet do not count. "
    "The folder names FILE.py subjects, whose code will be run: resume only folders that you trust.",
)
@click.option("--jobs", type=click.IntRange(1), default=None, metavar="N", help="Worker processes. Default: all cores.")
@click.option("--timeout", type=Timeout(), default=5.0, show_default=True, metavar="SECONDS")
@click.option("--quiet", is_flag=True, help="No progress, only the report.")
def fuzz(
    seconds: float | None,
    cases: int | None,
    out: Path | None,
    resume: Path | None,
    jobs: int | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Search with made inputs for what differs, for some time or for a number of cases.

    What was found before is asked again first, and said to be fixed or still failing. Ended in any way, even killed, a
    session loses no finding.
    Exit code: 0 as expected, 1 unexpected findings, 2 bad usage or input, 3 the harness itself failed, 130 interrupted.
    """
    if seconds is None and cases is None:
        seconds = DEFAULT_SECONDS
    console = OutputConsole(highlight=False)
    with ExitStack() as stack:
        workers = cores() if jobs is None else jobs
        job, session = _resumed(resume, workers, stack) if resume else _new_job(out, workers, options, stack)
        session_job = SessionJob(job, session, cases, math.inf if seconds is None else seconds)
        end = _executed(session_job, quiet, console)
    for coverage in tables(end.coverages):
        console.print(coverage)
    print_report(end.run, console)
    console.print(f"Report: {job.folder / 'report.html'}", soft_wrap=True)
    sys.exit(end.run.exit_code)


def _executed(session_job: SessionJob, quiet: bool, console: Console) -> SessionEnd:
    signal.signal(signal.SIGTERM, signal.default_int_handler)

    def told_replayed(entry: Replayed) -> None:
        console.print(Text(visible(entry.sentence, 300)), soft_wrap=True)

    try:
        with SessionTeller(quiet) as told:
            return run_session(session_job, told, told_replayed)
    except KeyboardInterrupt:
        resume = shlex.join(["conformance", "fuzz", "--resume", str(session_job.job.folder)])
        print(f"interrupted; what is found is on disk, to go on: {resume}", file=sys.stderr)
        sys.exit(130)


def _session(
    models: tuple[str, ...],
    subjects: tuple[str, ...],
    corpora: tuple[str, ...],
    checks: tuple[str, ...],
    generators: tuple[str, ...],
    seed: int,
    timeout: float,
) -> SessionPlan:
    files = tuple(path.resolve() for path in corpus_files(corpora or PARTS))
    corpus_cases(files)
    plan = Plan(
        models=plan_models(models),
        subjects=tuple(map(absolute_subject, checked_subjects(subjects or ("reftok",)))),
        checks=tuple(name for name in CHECKS if not checks or name in checks),
        inputs=Inputs(files, ("fuzz",), 0, seed),
        timeout=timeout,
    )
    return SessionPlan(plan, tuple(name for name in NAMES if not generators or name in generators))


def _new_job(out: Path | None, jobs: int, options: dict[str, Any], held: ExitStack) -> tuple[Job, SessionPlan]:
    """A session and its job in a new folder. held: keeps that locked."""
    if out is not None:
        check_free(out)
    session = _session(**options)
    infos = model_infos(session.plan)
    versions = check_subjects(session.plan)
    command = _command()
    folder = begin_folder(out, "fuzz-", session.plan, command, False, held)
    try:
        write_generators(folder, session.generators)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}") from None
    return Job(session.plan, infos, folder, command, jobs, False, versions), session


def _resumed(folder: Path, jobs: int, held: ExitStack) -> tuple[Job, SessionPlan]:
    """The session of a folder and its job. held: keeps the folder locked.

    Files and libraries may have changed: that is what known causes are asked again for.
    """
    plan, *_ = read_plan(folder)
    session = SessionPlan(plan, read_generators(folder))
    infos = model_infos(plan)
    versions = check_subjects(plan)
    command = _command()
    hashes = file_hashes(plan)
    held.enter_context(locked(folder))
    try:
        write_plan(folder, plan, command, False, hashes, installed_versions())
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}") from None
    return Job(plan, infos, folder, command, jobs, False, versions), session


def _command() -> str:
    """The command, as typed."""
    return shlex.join(["conformance", *sys.argv[1:]])


@click.group()
def corpus() -> None:
    """What fuzzing sessions have kept."""


@corpus.command("minimize")
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
def corpus_minimize(folder: Path) -> None:
    """Leave out the inputs of a session that reach nothing that shorter ones do not."""
    models = read_plan(folder)[0].models
    with locked(folder):
        _say(folder, minimize(folder, models))


@corpus.command("merge")
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("others", nargs=-1, required=True, type=click.Path(path_type=Path))
def corpus_merge(folder: Path, others: tuple[Path, ...]) -> None:
    """Add what the sessions OTHERS have kept to the session of RUN."""
    models = read_plan(folder)[0].models
    with locked(folder):
        _say(folder, merge(folder, others, models))


def _say(folder: Path, change: Change) -> None:
    OutputConsole(highlight=False).print(
        f"{folder}: {change.before:,} inputs before, {plural(change.after, 'input')} now"
    )
