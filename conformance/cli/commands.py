"""The command `conformance`."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import traceback
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from conformance.checks import CHECKS
from conformance.cli.compare import diff, matrix_command
from conformance.cli.fuzz import corpus, fuzz
from conformance.cli.options import Named, OutputConsole, Timeout, checked_subjects, cores
from conformance.cli.reproduce import reproduce_command
from conformance.core.errors import ConformanceError, UsageError
from conformance.core.run import Run
from conformance.engine.plan import Plan
from conformance.files.lock import locked
from conformance.fuzzing.folder import SESSION
from conformance.inputs.corpora import PARTS, corpus_files
from conformance.inputs.shards import DEFAULT_SOURCES, MOST_FUZZ, SOURCES, Inputs, corpus_cases
from conformance.report.run.terminal import print_report
from conformance.reproduce import replay as replaying
from conformance.runs.execute import execute
from conformance.runs.job import Job, check_subjects, check_unchanged, model_infos
from conformance.runs.journal import check_journal
from conformance.runs.models import plan_models
from conformance.runs.new_folder import begin_folder, check_free
from conformance.runs.plan_file import check_versions, read_plan
from conformance.runs.progress import ProgressTeller, to_nowhere
from conformance.subjects.adapters import BUILT_IN
from conformance.subjects.versions import installed_versions
from reftok import ReftokError
from reftok.formats.tiktoken_encodings import ENCODINGS

DEFAULT_FUZZ = 1_500

EXAMPLES = """\b
Examples:
  conformance run
      every embedded model over the project's corpora
  conformance run --model path/to/tokenizer.json --subject mine.py:Tokenizer
      your own tokenizer on your own model
  conformance run --model bpe-qwen --corpus texts/ --check ids --check offsets
  conformance run --model bpe-qwen --inputs scalars
      all 1,112,064 Unicode scalar values, alone and in context
  conformance run --model bpe-qwen --inputs cuts --corpus texts/
      streams: every one-cut of up to 440 characters, every two-cut of up to 80
  conformance run --resume reports/runs/20260101-120000
"""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="reftok", prog_name="conformance")
def cli() -> None:
    """Hold any tokenizer against the official library, and say where it differs and why."""


@cli.command(epilog=EXAMPLES)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="M",
    help="A file, a folder, or the name of an embedded model; repeatable. Default: all embedded ones.",
)
@click.option(
    "--encoding",
    type=click.Choice(list(ENCODINGS)),
    help="The pattern and the special tokens of the rank files (*.tiktoken) among the models. "
    "Default: published files are recognised.",
)
@click.option(
    "--subject",
    "subjects",
    multiple=True,
    metavar="S",
    help="FILE.py:FACTORY, besides reftok; or only those named "
    f"of the built-in ones ({', '.join(BUILT_IN)}); repeatable.",
)
@click.option(
    "--corpus",
    "corpora",
    multiple=True,
    metavar="C",
    help=f"A file, a folder, or {', '.join(PARTS)}; repeatable. Default: all of the project's.",
)
@click.option("--check", "checks", multiple=True, type=Named(CHECKS), help="A check; repeatable. Default: all.")
@click.option(
    "--inputs",
    "sources",
    multiple=True,
    type=click.Choice(SOURCES),
    help="What the models are given: the corpora; every entry of the vocab, decoded and encoded again; made inputs "
    "(--fuzz); every Unicode scalar value, alone and in context; the texts of the corpora, cut for streams (cuts), "
    "which takes some ten minutes a model on two cores: --corpus limits it. "
    f"Repeatable. Default: {', '.join(DEFAULT_SOURCES)}.",
)
@click.option(
    "--fuzz",
    type=click.IntRange(0, MOST_FUZZ),
    default=DEFAULT_FUZZ,
    show_default=True,
    metavar="N",
    help="How many made inputs a model is given.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="What the made inputs are made from.")
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=cores,
    show_default="all cores that this process may use",
    help="Worker processes.",
)
@click.option(
    "--timeout",
    type=Timeout(),
    default=5.0,
    show_default=True,
    metavar="SECONDS",
    help="For one answer of a FILE.py subject.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=None,
    metavar="RUN",
    help="The run folder. Default: reports/runs/<time>.",
)
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    default=None,
    metavar="RUN",
    help="Finish the run of this folder; other options than --jobs and --quiet do not count. "
    "The folder names FILE.py subjects, whose code will be run: resume only folders that you trust.",
)
@click.option("--quiet", is_flag=True, help="No progress, only the report.")
def run(resume: Path | None, out: Path | None, jobs: int, quiet: bool, **options: Any) -> None:
    """Compare tokenizers on corpora, on their own vocab and on made inputs.

    Exit code: 0 as expected, 1 unexpected findings, 2 bad usage or input, 3 the harness itself failed, 130 interrupted.
    """
    console = OutputConsole(highlight=False)
    with ExitStack() as stack:
        job = _resumed(resume, jobs, stack) if resume else _new_job(out, jobs, options, stack)
        outcome = _executed(job, quiet)
    print_report(outcome, console)
    console.print(f"Report: {job.folder / 'report.html'}", soft_wrap=True)
    sys.exit(outcome.exit_code)


def _executed(job: Job, quiet: bool) -> Run:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with ProgressTeller(quiet) as told:
            return execute(job, told)
    except KeyboardInterrupt:
        resume = shlex.join(["conformance", "run", "--resume", str(job.folder)])
        print(f"interrupted; what is done is on disk: finish it with {resume}", file=sys.stderr)
        sys.exit(130)


@cli.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("fingerprint")
def replay(folder: Path, fingerprint: str) -> None:
    """Ask again what a finding of a run is about, and show both answers.

    RUN is a run folder, FINGERPRINT a finding's, or its first characters. Exit code 1 where it still differs.
    """
    sys.exit(replaying.replay(folder, fingerprint, OutputConsole(highlight=False)))


cli.add_command(reproduce_command)
cli.add_command(diff)
cli.add_command(matrix_command)
cli.add_command(fuzz)
cli.add_command(corpus)


def _new_job(out: Path | None, jobs: int, options: dict[str, Any], held: ExitStack) -> Job:
    """held: keeps the run folder locked."""
    plan = _plan(**options)
    if out is not None:
        check_free(out)
    models = model_infos(plan)
    corpus_cases(plan.inputs.files)
    versions = check_subjects(plan)
    command = shlex.join(["conformance", *sys.argv[1:]])
    full = not (options["corpora"] or options["checks"] or options["sources"])
    full = full and options["fuzz"] >= DEFAULT_FUZZ and options["seed"] == 0
    folder = begin_folder(out, "", plan, command, full, held)
    return Job(plan, models, folder, command, jobs, full, versions)


def _resumed(folder: Path, jobs: int, held: ExitStack) -> Job:
    """held: keeps the run folder locked."""
    plan, command, full, hashes = read_plan(folder)
    if (folder / SESSION).exists():
        go_on = shlex.join(["conformance", "fuzz", "--resume", str(folder)])
        raise UsageError(f"{folder}: holds a fuzzing session; go on with {go_on}")
    held.enter_context(locked(folder))
    check_unchanged(hashes)
    check_versions(folder, installed_versions())
    check_journal(folder, plan)
    versions = check_subjects(plan)
    return Job(plan, model_infos(plan), folder, command, jobs, full, versions)


def _plan(
    models: tuple[str, ...],
    encoding: str | None,
    subjects: tuple[str, ...],
    corpora: tuple[str, ...],
    checks: tuple[str, ...],
    sources: tuple[str, ...],
    fuzz: int,
    seed: int,
    timeout: float,
) -> Plan:
    subjects = checked_subjects(subjects)
    own = tuple(name for name in subjects if name not in BUILT_IN)
    named = tuple(name for name in subjects if name in BUILT_IN)
    files = tuple(path.resolve() for path in corpus_files(corpora or PARTS))
    return Plan(
        models=plan_models(models, encoding or ""),
        subjects=(named or ("reftok",)) + own,
        checks=tuple(name for name in CHECKS if not checks or name in checks),
        inputs=Inputs(files, _sources(sources, corpora), fuzz, seed),
        timeout=timeout,
    )


def _sources(named: tuple[str, ...], corpora: tuple[str, ...]) -> tuple[str, ...]:
    """In the order of SOURCES; raises UsageError where --corpus would go unused."""
    sources = tuple(source for source in SOURCES if source in (named or DEFAULT_SOURCES))
    if corpora and not {"corpora", "cuts", "fuzz"} & {*sources}:
        raise UsageError(f"--corpus: is not used with --inputs {' --inputs '.join(sources)}; add --inputs corpora")
    return sources


def main() -> None:
    """Run the command; a user's mistake ends in one or two lines, not in a traceback."""
    try:
        cli.main(standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except ReftokError as error:
        _fail(str(error), UsageError.exit_code)
    except ConformanceError as error:
        _fail(str(error), error.exit_code)
    except BrokenPipeError:
        to_nowhere(sys.stdout)
        sys.exit(1)
    except Exception as error:
        if "CONFORMANCE_TRACEBACK" in os.environ:
            traceback.print_exc()
        _fail(
            f"the harness failed: {type(error).__name__}: {error} (CONFORMANCE_TRACEBACK=1 shows where)",
            ConformanceError.exit_code,
        )


def _fail(message: str, exit_code: int) -> None:
    print(f"conformance: {message}", file=sys.stderr)
    sys.exit(exit_code)
