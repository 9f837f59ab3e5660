"""The command `conformance train`: trainers held against the reference's."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from functools import partial
from pathlib import Path
from typing import NoReturn

import click

from conformance.cli import options
from conformance.cli.jobs import cores, interruptible
from conformance.core.errors import UsageError
from conformance.inputs.corpora import corpus_files
from conformance.report.console import OutputConsole
from conformance.subjects.training_subject import RANKS, TrainingSubject, absolute_training_subject
from conformance.training.asking import Ask, official_answer, subject_answer
from conformance.training.checking import check_file, option
from conformance.training.checking_report import print_checked, print_determinism
from conformance.training.configurations import TRAINERS
from conformance.training.determinism import determinism
from conformance.training.plan import CONFIGURATIONS, TrainingPlan, begin_training, resume_training
from conformance.training.report import print_training
from conformance.training.session import OFFICIAL, Session, TrainingProgress
from conformance.training.telling import TrainingTeller

EXAMPLES = """\b
Examples:
  conformance train
      the official trainers, over some 40 configurations of the project's languages, and each value of each option
  conformance train --configurations random --count 500 --seed 7 --trainer hf-bpe
  conformance train --subject mine.py:train --out reports/training
      your own trainer: train(texts, options) returns the bytes of a tokenizer.json or .model, or its path
  conformance train --resume reports/training
      go on with what was interrupted
  conformance train --subject mine.py:train --trainer sentencepiece-bpe --corpus texts/
  conformance train --check tokenizer.json --corpus texts.txt --option min_frequency=2
      whether a trained file is one that the official trainer may make of these texts
  conformance train --determinism --trainer wordpiece
      what the official trainer's result is a function of: processes, threads, the order of the texts
"""


@click.command("train", epilog=EXAMPLES)
@click.option(
    "--subject",
    metavar="FILE.py:FUNCTION",
    help="A trainer of your own, run in a process of its own. options holds the name of the `trainer`, for those of "
    "tokenizers the `pipeline` (a tokenizer.json), and the official trainer's options. Default: the official trainers.",
)
@click.option(
    "--trainer",
    "trainers",
    multiple=True,
    type=click.Choice((*TRAINERS, RANKS)),
    help="A trainer; repeatable. Default: all but ranks, which is a --subject train(texts, vocab_size, pattern) that "
    "returns the ranks of tokens, as byte-level trainers of a few lines do.",
)
@click.option(
    "--corpus",
    "corpora",
    multiple=True,
    metavar="C",
    help="A text file, or a folder with some, for each configuration of the matrix; repeatable. "
    "Default: a language of the project's for each.",
)
@click.option(
    "--configurations",
    type=click.Choice(CONFIGURATIONS),
    default="default",
    show_default=True,
    help="The matrix, or made ones on made corpora.",
)
@click.option(
    "--config",
    type=options.a_path,
    metavar="FILE.toml",
    help="Configurations of your own: a table [[training]] for each, with `trainer` and its options.",
)
@click.option("--count", type=click.IntRange(1), default=200, show_default=True, help="How many random ones.")
@options.seed_option
@click.option(
    "--timeout", type=options.Timeout(), default=60.0, show_default=True, metavar="SECONDS", help="For one training."
)
@options.memory_option
@click.option(
    "--check",
    type=options.a_path,
    metavar="FILE",
    help="A tokenizer.json or .model that was trained on --corpus: is it a valid result? The options are read off it.",
)
@click.option(
    "--option",
    "given",
    multiple=True,
    metavar="NAME=VALUE",
    help="With --check: an option that the file does not tell, such as min_frequency=2; repeatable.",
)
@click.option(
    "--determinism", "is_determinism", is_flag=True, help="Say what the results of the official trainers depend on."
)
@options.jobs_option
@click.option(
    "--out",
    type=options.a_path,
    metavar="FOLDER",
    help="Where findings.jsonl and summary.md are written, and what is done is kept, so that --resume goes on.",
)
@click.option(
    "--resume",
    type=options.a_path,
    metavar="FOLDER",
    help="Finish the run of this folder; other options than --jobs and --quiet do not count.",
)
@click.option(
    "--trust",
    "trusts",
    is_flag=True,
    help="With --resume: run the code of the subject that FOLDER names, though it was not made here.",
)
@options.quiet_option
def train_command(
    subject: str | None,
    trainers: tuple[str, ...],
    corpora: tuple[str, ...],
    configurations: str,
    config: Path | None,
    count: int,
    seed: int,
    timeout: float,
    memory: int,
    check: Path | None,
    given: tuple[str, ...],
    is_determinism: bool,
    jobs: int | None,
    out: Path | None,
    resume: Path | None,
    trusts: bool,
    quiet: bool,
) -> None:
    """Hold a trainer against reftok's: the same texts and options must give the same vocab, merges and scores.

    A difference is a finding: the first entry or merge that differs, shrunk to a few words, with the rule at fault.
    What an official trainer leaves to chance is read off each result; what only a subject refuses is told beside.
    --check and --determinism answer questions of their own, about a file and about the official trainers.
    Exit code: 0 all the same, or a valid file; 1 findings, or nothing learned at all, or a file that is not valid; 2
    bad usage or input; 130 interrupted, with what was found until then (143 by SIGTERM, 129 by SIGHUP).
    """
    is_run = subject is not None or out is not None or resume is not None or jobs is not None
    if (check is not None or is_determinism) and (is_run or (check is not None and is_determinism)):
        named = "--check" if check is not None else "--determinism"
        raise UsageError(f"{named}: goes without --subject, --jobs, --out, --resume and the like")
    if given and check is None:
        raise UsageError("--option: goes with --check; the configurations have their own options")
    if resume is not None and out is not None:
        raise UsageError("--out: goes without --resume, which goes on in its own folder")
    if resume is not None:
        with ExitStack() as held:
            _run(resume_training(resume, trusts, held), resume, jobs, quiet)
    if configurations == "random" and config is not None:
        raise UsageError("--config: goes without --configurations random, which makes its own")
    if configurations == "random" and corpora:
        raise UsageError("--corpus: random configurations make their corpora")
    if RANKS in trainers and subject is None:
        raise UsageError("--trainer ranks: needs a --subject; no official library has this trainer")
    files = tuple(path.resolve() for path in corpus_files(corpora))
    if any(path.suffix != ".txt" for path in files):
        raise UsageError("--corpus: a trainer learns from .txt files")
    if check is not None:
        _check(check, files, given, quiet)
    chosen = trainers or (TRAINERS if config is None or subject is None else (*TRAINERS, RANKS))
    subject = "" if subject is None else absolute_training_subject(subject)
    plan = TrainingPlan(
        subject, chosen, configurations, count, seed, files, timeout, memory, config and config.resolve()
    )
    if is_determinism:
        with TrainingTeller(quiet) as tell:
            found = [*determinism(plan.cases(each_option=False), timeout, memory, tell)]
        print_determinism(OutputConsole(), found)
        return
    with ExitStack() as held:
        if out is not None:
            begin_training(out, plan, held)
        _run(plan, out, jobs, quiet)


def _run(plan: TrainingPlan, folder: Path | None, jobs: int | None, quiet: bool) -> NoReturn:
    """Ask, say what was found, and end with 1 where that is something. folder: locked, with the plan in it."""
    ask: Ask = official_answer
    label = OFFICIAL
    if plan.subject:
        label = TrainingSubject(plan.subject, plan.timeout, plan.memory).label
        ask = partial(subject_answer, plan.subject, plan.timeout, plan.memory)
    session = Session(plan.cases(), ask, is_official=not plan.subject, label=label, folder=folder)
    with interruptible("train", folder) if folder is not None else nullcontext():
        try:
            with TrainingTeller(quiet) as tell:
                session.run(tell, jobs or cores())
        finally:
            print_training(OutputConsole(), session.result())
    result = session.result()
    sys.exit(1 if result.findings or result.is_vacuous else 0)


def _check(file: Path, files: Sequence[Path], given: Sequence[str], quiet: bool) -> NoReturn:
    """Say whether a trained file is valid, and end with 0 where it is, with 1 where it is not."""
    if not files:
        raise UsageError("--check: needs the texts that the file was trained on (--corpus)")
    with TrainingTeller(quiet) as tell:
        checked = check_file(file, files, dict(map(option, given)), lambda step: tell(TrainingProgress(0, 1, 0, step)))
    print_checked(OutputConsole(), str(file), checked)
    sys.exit(0 if checked.is_valid else 1)
