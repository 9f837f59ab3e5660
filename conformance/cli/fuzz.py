"""The commands `conformance fuzz` and `conformance corpus`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import click

from conformance.cli import options
from conformance.cli.jobs import begin, checked_subjects, cores, end, interruptible, make_plan, typed_command
from conformance.core.durations import seconds_of
from conformance.core.weight import Gate
from conformance.files.lock import locked
from conformance.fuzzing.corpus import Change, merge, minimize
from conformance.fuzzing.drive import SessionJob, run_session
from conformance.fuzzing.folder import beside_the_plan, read_generators
from conformance.fuzzing.live import LiveServer, LiveSession
from conformance.fuzzing.progress import SessionProgress
from conformance.fuzzing.screen import SessionTeller, tables
from conformance.fuzzing.session import SECONDS_OVER_TIME, SessionPlan
from conformance.generators import NAMES
from conformance.inputs.shards import MOST_FUZZ
from conformance.report.console import ConsoleLines, OutputConsole, say
from conformance.report.run.view import plural
from conformance.runs.expectations import read_baselines
from conformance.runs.job import Job, attending, model_infos
from conformance.runs.plan_file import read_plan, read_trusted_plan
from conformance.runs.progress import Finishing
from conformance.runs.selection import Selection
from conformance.subjects.adapters import absolute_subject
from conformance.subjects.reftok_subject import REFERENCE

Told: TypeAlias = Callable[[SessionProgress | Finishing], None]
DEFAULT_SECONDS = 600.0

EXAMPLES = """\b
Examples:
  conformance fuzz --model bpe-qwen --subject mine.py:Tokenizer --time 10m --out session
      ten minutes
  conformance fuzz --resume session --time 10m
      ten minutes more; what was found is asked again first
  conformance fuzz --model path/to/tokenizer.json --cases 100000 --seed 7 --out ci --quiet
      the same findings on any machine, with any number of workers
  conformance fuzz --model bpe-qwen --subject mine.py:Tokenizer --time 10m --fail-on natural
      ends with 1 only where natural text is changed
  conformance fuzz --model bpe-qwen --subject mine.py:Tokenizer --time 1h --serve
      with a page that shows rate, coverage and causes as they come; its address is told
  conformance corpus minimize session
  conformance corpus merge session theirs
"""


def _duration(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """Seconds from 90s, 10m, 1h30m, 2d, or a number of seconds."""
    if value is None:
        return None
    seconds = seconds_of(value)
    if seconds is None:
        raise click.BadParameter(f"{value!r} is no time: write 90s, 10m, 1h30m or 2d", context, parameter)
    return seconds


@click.command(cls=options.SettledCommand, epilog=EXAMPLES)
@options.model_option
@options.encoding_option
@options.official_option
@click.option(
    "--subject",
    "subjects",
    multiple=True,
    metavar="S",
    help="FILE.py:FACTORY, a subject.toml, a command, or a built-in one of `conformance run`; only those named are "
    "asked; repeatable. Default: reftok.",
)
@options.corpus_option
@options.check_option
@click.option(
    "--generator", "generators", multiple=True, type=options.Named(NAMES), help="A generator; repeatable. Default: all."
)
@click.option(
    "--time",
    "seconds",
    callback=_duration,
    metavar="T",
    help="How long this start lasts, the time to load models and subjects included: 90s, 10m, 1h30m, 2d. Default: 10m, "
    "or until --cases are done.",
)
@click.option("--cases", type=click.IntRange(1, MOST_FUZZ), metavar="N", help="How many cases each model has in all.")
@options.seed_option
@click.option("--out", type=options.a_path, metavar="RUN", help="The run folder. Default: reports/runs/fuzz-<time>.")
@click.option(
    "--resume",
    type=options.a_path,
    metavar="RUN",
    help="Go on with the session of this folder; other options than --time, --cases, --jobs, --fail-on, "
    "--expectations, --max-findings and --quiet do not count.",
)
@options.trust_option
@options.jobs_option
@options.timeout_option
@options.memory_option
@options.require_option
@options.fail_on_option
@options.select_option
@options.ignore_option
@options.expectations_option
@options.exit_first_option
@options.max_findings_option
@options.verbose_option
@click.option(
    "--serve",
    "port",
    type=click.IntRange(0, 65_535),
    is_flag=False,
    flag_value=0,
    metavar="[PORT]",
    help="Show the session on a page of this machine (127.0.0.1), to be read only. Default: any port that is free.",
)
@options.quiet_option
def fuzz(
    seconds: float | None,
    cases: int | None,
    out: Path | None,
    resume: Path | None,
    trusts: bool,
    jobs: int | None,
    fail_on: Gate,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    expectations: tuple[Path, ...],
    exit_first: bool,
    most_findings: int | None,
    verbose: bool,
    port: int | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Search with made inputs for what differs, for some time or for a number of cases.

    What was found before is asked again first, and said to be fixed, still failing, or not seen again: of a subject
    that has not changed, that stays. Ended in any way, even killed, a session loses no finding. The lines of a corpus
    are what is mutated.
    Exit code: 0 as expected, 1 unexpected findings, 2 bad usage or input, 3 the harness itself failed, 130 interrupted
    (143 by SIGTERM, 129 by SIGHUP).
    """
    begun = time.monotonic()
    if seconds is None:
        seconds = DEFAULT_SECONDS if cases is None else math.inf
    deadline = begun + seconds
    accepted = tuple(read_baselines(expectations))
    console = OutputConsole()
    lines = ConsoleLines(console)
    with ExitStack() as held:
        job, session = (
            _resumed(resume, trusts, jobs, held, deadline) if resume else _new_job(out, jobs, given, held, deadline)
        )
        job = replace(
            job,
            fail_on=fail_on,
            accepted=accepted,
            selection=Selection(select, ignore),
            most_findings=1 if exit_first else most_findings or 0,
        )
        session_job = SessionJob(job, session, cases, max(0.0, deadline - time.monotonic()))
        page = None
        if port is not None:
            page = LiveSession()
            server = held.enter_context(LiveServer(page, job.command, port))
            say(f"live page: {server.address}")
        with interruptible("fuzz", job.folder), SessionTeller(quiet) as told:
            ended = run_session(
                session_job, _both(told, page), lambda entry: lines.labelled("", entry.sentence, whole=True)
            )
    for coverage in tables(ended.coverages) if verbose else ():
        console.print(coverage)
    end(ended.run, job.folder, console, verbose)


def _both(told: Told, page: LiveSession | None) -> Told:
    """Tells the terminal and the page, where there is one."""
    if page is None:
        return told

    def tell(progress: SessionProgress | Finishing) -> None:
        told(progress)
        page.take(progress)

    return tell


def _new_job(
    out: Path | None, jobs: int | None, given: dict[str, Any], held: ExitStack, deadline: float
) -> tuple[Job, SessionPlan]:
    """A session and its job in a new folder. held: keeps that locked. deadline: of the start, of `time.monotonic`."""
    generators = given.pop("generators")
    subjects = tuple(map(absolute_subject, checked_subjects(given["subjects"] or (REFERENCE,))))
    plan = make_plan(**{**given, "subjects": subjects}, sources=("fuzz",), fuzz=0)
    chosen = tuple(name for name in NAMES if not generators or name in generators)
    job = begin(plan, out, "fuzz-", False, jobs, held, beside_the_plan(chosen), deadline + SECONDS_OVER_TIME)
    return job, SessionPlan(job.plan, chosen)


def _resumed(folder: Path, trusts: bool, jobs: int | None, held: ExitStack, deadline: float) -> tuple[Job, SessionPlan]:
    """The session of a folder and its job. trusts: as of `read_trusted_plan`. held, deadline: as of `_new_job`.

    Files and libraries may have changed: that is what known causes are asked again for.
    """
    plan, *_ = read_trusted_plan(folder, trusts)
    session = SessionPlan(plan, read_generators(folder))
    infos = model_infos(plan)
    _, about = attending(plan, deadline + SECONDS_OVER_TIME)
    held.enter_context(locked(folder))
    return Job(plan, infos, folder, typed_command(), jobs or cores(), False, about), session


@click.group()
def corpus() -> None:
    """What fuzzing sessions have kept."""


@corpus.command("minimize")
@options.run_argument
def corpus_minimize(folder: Path) -> None:
    """Leave out the inputs of a session that reach nothing that shorter ones do not."""
    models = read_plan(folder)[0].models
    with locked(folder):
        _say(folder, minimize(folder, models))


@corpus.command("merge")
@options.run_argument
@click.argument("others", nargs=-1, required=True, type=options.a_path)
def corpus_merge(folder: Path, others: tuple[Path, ...]) -> None:
    """Add what the sessions OTHERS have kept to the session of RUN."""
    models = read_plan(folder)[0].models
    with locked(folder):
        _say(folder, merge(folder, others, models))


def _say(folder: Path, change: Change) -> None:
    OutputConsole().print(f"{folder}: {change.before:,} inputs before, {plural(change.after, 'input')} now")
