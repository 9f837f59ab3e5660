"""The commands that hold runs against each other: `conformance diff`, `conformance matrix`, `conformance history`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from io import StringIO
from pathlib import Path
from urllib.parse import quote

import click

from conformance.cli.options import a_path
from conformance.comparing.comparison import compare
from conformance.comparing.history import history
from conformance.comparing.matrix import matrix
from conformance.core.errors import InputError
from conformance.core.run import Run
from conformance.files.atomic import write_atomically, writing
from conformance.report.blocks import EVERYTHING, Most, Report
from conformance.report.comparison import MOST, comparison_json, comparison_report
from conformance.report.console import OutputConsole, give, say
from conformance.report.history import history_json, history_report
from conformance.report.markdown import blocks_markdown
from conformance.report.matrix import matrix_json, matrix_report
from conformance.report.run.folder import HTML, RUN, read_run_folder
from conformance.report.templates import blocks_html
from conformance.report.terminal import print_blocks

DIFF_EXAMPLES = """\b
Examples:
  conformance diff reports/runs/before reports/runs/after
  conformance diff main/ branch/ --format markdown --out comment.md
"""

MATRIX_EXAMPLES = """\b
Examples:
  tox -e tokenizers-0.21.4,tokenizers-0.23.3
      the same plan under two releases; each writes reports/runs/tokenizers-<release>
  conformance matrix reports/runs/tokenizers-*
  conformance matrix reports/runs/tokenizers-* --format html --out matrix.html
"""

HISTORY_EXAMPLES = """\b
Examples:
  conformance history reports/runs
  conformance history nightly/ --format html --out trend.html
"""

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(("terminal", "markdown", "json", "html")),
    default="terminal",
    show_default=True,
    help="The form of the report.",
)
out_option = click.option("--out", type=a_path, metavar="FILE", help="Where to write it. Default: shown.")


@click.command(epilog=DIFF_EXAMPLES)
@click.argument("before", metavar="RUN_A", type=a_path)
@click.argument("after", metavar="RUN_B", type=a_path)
@format_option
@out_option
def diff(before: Path, after: Path, form: str, out: Path | None) -> None:
    """Show what changed from one run to another: new, fixed, changed and unchanged findings, and what was asked.

    RUN_A and RUN_B are run folders. What only one of them asked is neither new nor fixed, and is told apart.
    Exit code: 0 nothing got worse, 1 something got worse, 2 bad usage or input.
    """
    comparison = compare(read_run_folder(before), read_run_folder(after))
    report = comparison_report(comparison, (_report_of(before, out), _report_of(after, out)))
    _give(out, form, report, partial(comparison_json, comparison), MOST.get(form, EVERYTHING))
    sys.exit(comparison.exit_code)


@click.command("matrix", epilog=MATRIX_EXAMPLES)
@click.argument("runs", metavar="RUN…", type=a_path, nargs=-1, required=True)
@format_option
@out_option
def matrix_command(runs: tuple[Path, ...], form: str, out: Path | None) -> None:
    """Show what several releases of a library do, by model and check, and when each behaviour came or went.

    Each RUN is a run folder; the runs differ in the installed release of an official library. What is otherwise than in
    the newest release is a finding of the reference, which follows that one. Exit code: 0, or 2 for bad usage or input.
    """
    libraries = matrix(read_run_folder(run) for run in runs)
    _give(out, form, matrix_report(libraries), partial(matrix_json, libraries))


@click.command("history", epilog=HISTORY_EXAMPLES)
@click.argument("folder", metavar="FOLDER", type=a_path)
@format_option
@out_option
def history_command(folder: Path, form: str, out: Path | None) -> None:
    """Show the runs of a folder over time: findings by cause, when each came and went, answers, durations.

    Every folder in FOLDER that holds a run.json is a run; those that cannot be read are named and left out.
    Exit code: 0, or 2 for bad usage or input.
    """
    runs = dict(_runs_in(folder))
    if not runs:
        raise InputError(f"{folder}: holds no folder of a run; a run's --out names one")
    found = history(runs.items())
    addresses = {name: address for name in runs if (address := _report_of(folder / name, out))}
    _give(out, form, history_report(found, addresses), partial(history_json, found))


def _runs_in(folder: Path) -> Iterator[tuple[str, Run]]:
    """The runs of a folder with their names; says which cannot be read."""
    try:
        paths = sorted(path for path in folder.iterdir() if (path / RUN).is_file())
    except OSError as error:
        raise InputError(f"{folder}: cannot be read: {error.strerror}") from error
    for path in paths:
        try:
            yield path.name, read_run_folder(path)
        except InputError as error:
            say(f"left out: {error}")


def _report_of(run: Path, out: Path | None) -> str:
    """The address of a run's report from the file `out`; "" without such a file or such a report."""
    report = run / HTML
    if out is None or not report.is_file():
        return ""
    return quote(os.fsencode(Path(os.path.relpath(report, out.parent)).as_posix()))


def _give(out: Path | None, form: str, report: Report, as_json: Callable[[], str], most: Most = EVERYTHING) -> None:
    """Write a report to a file or to standard output."""
    if out is None and form == "terminal":
        print_blocks(report, OutputConsole(), most)
        return
    if form == "json":
        document = as_json()
    elif form == "markdown":
        document = blocks_markdown(report, most)
    elif form == "html":
        document = blocks_html(report, most)
    else:
        file = StringIO()
        print_blocks(report, OutputConsole(file=file, width=120, color_system=None), most)
        document = file.getvalue()
    if out is None:
        give(document)
    else:
        with writing(out):
            write_atomically(out, document)
