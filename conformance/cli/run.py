"""The command `conformance run`."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import click

from conformance.cli import options
from conformance.cli.jobs import (
    begin,
    checked_subjects,
    cores,
    end,
    interruptible,
    make_plan,
    resume_command,
    tell_others,
)
from conformance.core.errors import UsageError
from conformance.core.run import Run
from conformance.core.weight import Gate
from conformance.engine.ray_workers import ALL_CORES
from conformance.files.lock import locked
from conformance.fuzzing.folder import SESSION
from conformance.inputs.shards import DEFAULT_SOURCES, MOST_FUZZ, SOURCES
from conformance.inputs.tiers import TIERS
from conformance.report.console import OutputConsole
from conformance.report.run.view import plural
from conformance.runs.execute import execute
from conformance.runs.expectations import read_baselines
from conformance.runs.job import Engine, Job, attending, check_unchanged, model_infos
from conformance.runs.journal import check_journal
from conformance.runs.parts import PART, Part, part_to_text, read_part
from conformance.runs.plan_file import check_versions, read_trusted_plan
from conformance.runs.progress import ProgressTeller
from conformance.runs.selection import Selection
from conformance.subjects.adapters import BUILT_IN
from conformance.subjects.reftok_subject import REFERENCE
from conformance.subjects.versions import installed_versions

DEFAULT_FUZZ = TIERS["full"].fuzz

EXAMPLES = """\b
Examples:
  conformance run
      every embedded model over the project's corpora
  conformance run --model path/to/tokenizer.json --subject mine.py:Tokenizer
      your own tokenizer on your own model
  conformance run --model path/to/tokenizer.json --subject mine/subject.toml --corpus edge_cases --inputs corpora
      one in any language (see conformance subject init), quickly
  conformance run --model bpe-qwen --corpus texts/ --check ids --check offsets
  conformance run --model bpe-qwen --inputs scalars
      all 1,112,064 Unicode scalar values, alone and in context
  conformance run --model bpe-qwen --inputs cuts --corpus texts/
      streams: every one-cut of up to 440 characters, every two-cut of up to 80
  conformance run --model path/to/tokenizer.json --subject mine.py:Tokenizer --fail-on natural
      a gate that only what changes natural text closes
  conformance run --model bpe-qwen --inputs scalars --shards 2/7 --out part-2
      one of seven parts, on any machine; conformance merge part-* puts them together
  conformance run --resume reports/runs/20260101-120000
"""


@click.command(cls=options.SettledCommand, epilog=EXAMPLES)
@options.model_option
@options.encoding_option
@options.official_option
@click.option(
    "--subject",
    "subjects",
    multiple=True,
    metavar="S",
    help="FILE.py:FACTORY, a subject.toml or a command, besides reftok; or only those named "
    f"of the built-in ones ({', '.join(BUILT_IN)}); repeatable.",
)
@click.option(
    "--tier",
    type=click.Choice(list(TIERS)),
    help="How much is asked where --corpus, --inputs and --fuzz do not say: smoke is the published bugs; core the edge "
    f"cases, the seams and {TIERS['core'].fuzz} made inputs as well, up to a minute a model. Default: full.",
)
@options.corpus_option
@options.check_option
@click.option(
    "--inputs",
    "sources",
    multiple=True,
    type=click.Choice(SOURCES),
    help="What the models are given: the corpora; every entry of the vocab, decoded and encoded again; the "
    "places where two rules of the model want the same characters (seams); made inputs (--fuzz); "
    "every Unicode scalar value, alone and in context; the texts of the corpora, cut for streams (cuts), "
    "which takes some ten minutes a model on two cores: --corpus limits it. "
    f"Repeatable. Default: {', '.join(DEFAULT_SOURCES)}.",
)
@click.option(
    "--fuzz",
    type=click.IntRange(0, MOST_FUZZ),
    metavar="N",
    help=f"How many made inputs a model is given. Default: {DEFAULT_FUZZ}.",
)
@options.seed_option
@options.jobs_option
@click.option(
    "--engine",
    type=click.Choice(get_args(Engine)),
    default="processes",
    show_default=True,
    help="What asks the subjects: processes of this machine, or actors of a Ray cluster, that of RAY_ADDRESS "
    "or else one on this machine; of these, --jobs is how many, by default one for each core of the cluster.",
)
@options.timeout_option
@options.memory_option
@options.require_option
@click.option(
    "--shards",
    "part",
    type=options.PartType(),
    metavar="K/N",
    help="Only the part K of N of the work, as 2/7; conformance merge makes one run of all parts.",
)
@click.option("--out", type=options.a_path, metavar="RUN", help="The run folder. Default: reports/runs/<time>.")
@click.option(
    "--resume",
    type=options.a_path,
    metavar="RUN",
    help="Finish the run of this folder; other options than --jobs, --engine, --fail-on, --expectations, "
    "--max-findings and --quiet do not count.",
)
@options.trust_option
@options.fail_on_option
@options.select_option
@options.ignore_option
@options.expectations_option
@options.exit_first_option
@options.max_findings_option
@options.verbose_option
@options.report_format_option
@options.quiet_option
def run(
    resume: Path | None,
    trusts: bool,
    out: Path | None,
    jobs: int | None,
    engine: Engine,
    fail_on: Gate,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    expectations: tuple[Path, ...],
    exit_first: bool,
    most_findings: int | None,
    verbose: bool,
    form: str,
    quiet: bool,
    **given: Any,
) -> None:
    """Compare tokenizers on corpora, on their own vocab and on made inputs.

    Each finding is weighed by the share of natural texts that it changes; the heaviest stand first.
    Exit code: 0 as expected, 1 unexpected findings, 2 bad usage or input, 3 the harness itself failed, 130 interrupted
    (143 by SIGTERM, 129 by SIGHUP).
    """
    accepted = tuple(read_baselines(expectations))
    with ExitStack() as held:
        job = _resumed(resume, trusts, jobs, held) if resume else _new_job(out, jobs, given, held)
        bound = 1 if exit_first else most_findings or 0
        job = replace(
            job,
            fail_on=fail_on,
            accepted=accepted,
            selection=Selection(select, ignore),
            most_findings=bound,
            engine=engine,
        )
        if engine == "ray":
            job = replace(job, jobs=jobs or ALL_CORES)
        with interruptible("run", job.folder), ProgressTeller(quiet) as told:
            outcome = execute(job, told)
    if job.part is None:
        tell_others(accepted, outcome)
        end(outcome, job.folder, OutputConsole(), verbose, form)
    _end_part(outcome, job.folder, job.part)


def _end_part(run: Run, folder: Path, part: Part) -> None:
    """Say that a part is done, which is no result yet: what it found counts when it is shrunk and weighed with all."""
    compared = plural(run.answers, "answer")
    console = OutputConsole()
    console.print(f"Part {part} is done: {compared} compared")
    console.print(f"conformance merge {folder} … makes one run of all {part.count} parts", soft_wrap=True)


def _new_job(out: Path | None, jobs: int | None, given: dict[str, Any], held: ExitStack) -> Job:
    """held: keeps the run folder locked."""
    tier = TIERS[given.pop("tier") or "full"]
    if tier != TIERS["full"]:
        given = {**given, "corpora": given["corpora"] or tier.corpora, "sources": given["sources"] or tier.sources}
    given["fuzz"] = tier.fuzz if given["fuzz"] is None else given["fuzz"]
    full = not (given["corpora"] or given["checks"] or given["sources"])
    full = full and given["fuzz"] >= DEFAULT_FUZZ and given["seed"] == 0
    subjects = checked_subjects(given["subjects"])
    own = tuple(name for name in subjects if name not in BUILT_IN)
    named = tuple(name for name in subjects if name in BUILT_IN)
    sources = _sources(given["sources"], given["corpora"])
    part: Part | None = given.pop("part")
    plan = make_plan(**{**given, "subjects": (*(named or (REFERENCE,)), *own), "sources": sources})
    beside = {} if part is None else {PART: part_to_text(part)}
    return replace(begin(plan, out, "", full, jobs, held, beside), part=part)


def _resumed(folder: Path, trusts: bool, jobs: int | None, held: ExitStack) -> Job:
    """trusts: as of `read_trusted_plan`. held: keeps the run folder locked."""
    plan, command, full, hashes = read_trusted_plan(folder, trusts)
    if (folder / SESSION).exists():
        raise UsageError(f"{folder}: holds a fuzzing session; go on with {resume_command('fuzz', folder)}")
    held.enter_context(locked(folder))
    check_unchanged(hashes)
    check_versions(folder, installed_versions())
    check_journal(folder, plan)
    _, about = attending(plan)
    return Job(plan, model_infos(plan), folder, command, jobs or cores(), full, about, part=read_part(folder))


def _sources(named: tuple[str, ...], corpora: tuple[str, ...]) -> tuple[str, ...]:
    """In the order of SOURCES; raises UsageError where --corpus would go unused."""
    sources = tuple(source for source in SOURCES if source in (named or DEFAULT_SOURCES))
    if corpora and not {"corpora", "cuts", "fuzz"} & {*sources}:
        raise UsageError(f"--corpus: is not used with --inputs {' --inputs '.join(sources)}; add --inputs corpora")
    return sources
