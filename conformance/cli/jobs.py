"""The jobs of the commands that ask subjects about models: begun in a new folder, ended with a report."""

from __future__ import annotations

import errno
import math
import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn

from conformance.checks import CHECKS
from conformance.core.errors import InputError, UsageError
from conformance.core.run import Run
from conformance.engine.plan import Plan
from conformance.inputs.corpora import PARTS, corpus_files
from conformance.inputs.shards import Inputs, corpus_cases
from conformance.report.console import OutputConsole, give, say
from conformance.report.run.blocks import summary_markdown
from conformance.report.run.folder import read_run_folder
from conformance.report.run.forms import FORMS, in_form
from conformance.report.run.terminal import print_report
from conformance.report.run.view import plural
from conformance.runs.baselines import of_others
from conformance.runs.expectations import Expectation
from conformance.runs.job import Job, attending, model_infos
from conformance.runs.models import plan_models
from conformance.runs.new_folder import begin_folder, check_free
from conformance.subjects.adapters import BUILT_IN, check_subject_name, subject_label
from conformance.subjects.definition import definition
from reftok.signals import stop_exit_code

FULL = (errno.ENOSPC, errno.EDQUOT)
"""The errors of a disk that takes nothing more."""


def make_plan(
    *,
    models: tuple[str, ...],
    encoding: str | None = None,
    official: str | None = None,
    subjects: tuple[str, ...],
    corpora: tuple[str, ...],
    checks: tuple[str, ...],
    sources: tuple[str, ...],
    fuzz: int,
    seed: int,
    timeout: float,
    memory: int,
    require: bool,
) -> Plan:
    """The plan that the options of a command make; raises UsageError or InputError for what is not there."""
    files = tuple(path.resolve() for path in corpus_files(corpora or PARTS))
    return Plan(
        models=plan_models(models, encoding or "", official or ""),
        subjects=subjects,
        checks=tuple(name for name in CHECKS if not checks or name in checks),
        inputs=Inputs(files, sources, fuzz, seed),
        timeout=timeout,
        memory=memory,
        require=require,
    )


def checked_subjects(names: Iterable[str]) -> tuple[str, ...]:
    """The subjects, each once, in their order.

    Raises UsageError for one that is not there, and for two that reports would call by the same name.
    """
    subjects = tuple(dict.fromkeys(names))
    for name in subjects:
        check_subject_name(name)
    labels = [subject_label(name) for name in subjects]
    repeated = next((label for label in labels if labels.count(label) > 1), None)
    if repeated is not None:
        raise UsageError(f"--subject: two subjects would both be called {repeated}; rename one file")
    for name in subjects:
        if stale := definition(name).stale if name not in BUILT_IN else "":
            say(f"{name}: {stale}")
    return subjects


def begin(
    plan: Plan,
    out: Path | None,
    prefix: str,
    full: bool,
    jobs: int | None,
    held: ExitStack,
    beside: Mapping[str, str] = MappingProxyType({}),
    until: float = math.inf,
) -> Job:
    """The job of a plan in a new folder; what the plan names is read before that is made.

    out, prefix, full, beside: as of `begin_folder`. jobs: worker processes, None for one a core. held: keeps the folder
        locked. until: as of `attending`.
    """
    if out is not None:
        check_free(out, beside)
    models = model_infos(plan)
    corpus_cases(plan.inputs.files)
    plan, about = attending(plan, until)
    command = typed_command()
    folder = begin_folder(out, prefix, plan, command, full, held, beside)
    return Job(plan, models, folder, command, jobs or cores(), full, about)


def typed_command() -> str:
    """The command, as typed."""
    return shlex.join(["conformance", *sys.argv[1:]])


def resume_command(name: str, folder: Path) -> str:
    """The command, run or fuzz, that goes on with a folder."""
    return shlex.join(["conformance", name, "--resume", str(folder)])


@contextmanager
def interruptible(name: str, folder: Path) -> Iterator[None]:
    """What is ended by a signal within it says how the command `name` goes on, and exits as `stop_exit_code` has it.

    Raises InputError where the disk is full.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        go_on = f"what is done is on disk: go on with {resume_command(name, folder)} when there is space"
        raise InputError(f"{folder}: cannot be written: {error.strerror}; {go_on}") from None
    except KeyboardInterrupt as stop:
        _show_what_there_is(folder)
        say(f"interrupted; what is done is on disk: go on with {resume_command(name, folder)}")
        sys.exit(stop_exit_code(stop))


def _show_what_there_is(folder: Path) -> None:
    """The findings so far, as they came; nothing where none are on disk."""
    with suppress(InputError):
        run = read_run_folder(folder)
        if run.findings:
            print_report(run, folder, OutputConsole())


def tell_others(accepted: Sequence[Expectation], run: Run) -> None:
    """Report how many entries of the user's baselines name a subject or model that this run did not have."""
    if others := of_others(accepted, run):
        first = others[0]
        named = f"{first.subject} on {', '.join(first.models)}"
        count = f"{len(others)} of {plural(len(accepted), 'known finding')}"
        say(f"{count} not checked: this run has no {named}. If that was renamed, correct the baseline")


def end(run: Run, folder: Path, console: OutputConsole, verbose: bool = False, form: str = "terminal") -> NoReturn:
    """Show what came out of a run, and exit as it ended.

    verbose: as of `print_report`. form: that, one of FORMS in its place, or github, which is added to it.
    On a runner of GitHub the summary of the job is written too.
    """
    if form in ("terminal", "github"):
        print_report(run, folder, console, verbose)
    if form in FORMS:
        give(in_form(run, form))
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with open(summary, "ab") as file:
                file.write(summary_markdown(run).encode("utf-8", "backslashreplace"))
        except OSError as error:
            say(f"the summary of the job cannot be written: {error.strerror}")
    sys.exit(run.exit_code)


def cores() -> int:
    """The number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
