"""The command `conformance merge`."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import click

from conformance.cli import options
from conformance.cli.jobs import cores, end, interruptible, typed_command
from conformance.core.weight import Gate
from conformance.report.console import OutputConsole
from conformance.runs.execute import execute
from conformance.runs.expectations import read_baselines
from conformance.runs.merge import merged_job
from conformance.runs.progress import ProgressTeller
from conformance.runs.selection import Selection

EXAMPLES = """\b
Examples:
  conformance run --model bpe-qwen --subject mine.py:Mine --shards 1/2 --out part-1
  conformance run --model bpe-qwen --subject mine.py:Mine --shards 2/2 --out part-2
      on two machines, or one after another
  conformance merge part-1 part-2 --out mine
      what conformance run without --shards writes, to the byte
"""


@click.command("merge", cls=options.SettledCommand, epilog=EXAMPLES)
@click.argument("folders", metavar="RUN...", nargs=-1, required=True, type=options.a_path)
@click.option("--out", type=options.a_path, metavar="RUN", help="The run folder. Default: reports/runs/<time>.")
@options.trust_option
@options.fail_on_option
@options.select_option
@options.ignore_option
@options.expectations_option
@options.verbose_option
@options.quiet_option
def merge_command(
    folders: tuple[Path, ...],
    out: Path | None,
    trusts: bool,
    fail_on: Gate,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    expectations: tuple[Path, ...],
    verbose: bool,
    quiet: bool,
) -> None:
    """Make one run of the parts that conformance run --shards worked on, given in any order.

    The models, corpora and subjects lie where they lay for the parts. The findings are shrunk and weighed here, which
    asks the subjects. Exit codes are those of conformance run; 2 where the parts are not of one run, or one is missing.
    """
    accepted = tuple(read_baselines(expectations))
    with ExitStack() as held:
        job = merged_job(folders, out, typed_command(), cores(), trusts, held)
        job = replace(job, fail_on=fail_on, accepted=accepted, selection=Selection(select, ignore))
        with interruptible("run", job.folder), ProgressTeller(quiet) as told:
            outcome = execute(job, told)
    end(outcome, job.folder, OutputConsole(), verbose)
