"""The commands that hold runs against each other: `conformance diff`, `conformance history`."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from io import StringIO
from pathlib import Path
from urllib.parse import quote

import click

from conformance.cli.options import a_path
from conformance.comparing.comparison import compare
from conformance.comparing.history import by_start, history
from conformance.core.errors import InputError
from conformance.core.run import Run
from conformance.files.atomic import write_atomically, writing
from conformance.report.blocks import EVERYTHING, Most, Report
from conformance.report.comparison import MOST, comparison_json, comparison_report
from conformance.report.console import OutputConsole, give, say
from conformance.report.history import history_json, history_report
from conformance.report.markdown import blocks_markdown
from conformance.report.run.folder import HTML, RUN, read_run_folder
from conformance.report.templates import blocks_html
from conformance.report.terminal import print_blocks

DIFF_EXAMPLES = """\b
Examples:
  conformance diff reports/runs/before reports/runs/after
  conformance diff main/ branch/ --format markdown --out comment.md
"""

HISTORY_EXAMPLES = """\b
Examples:
  conformance history reports/runs
      every run of a folder, in the order in which they were started
  conformance history nightly/ --format html --out trend.html
  tox -e tokenizers-0.21.4,tokenizers-0.23.3
      the same plan under two releases; each writes reports/runs/tokenizers-<release>
  conformance history reports/runs/tokenizers-0.21.4 reports/runs/tokenizers-0.23.3
      in which release each difference came or went
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


@click.command("history", epilog=HISTORY_EXAMPLES)
@click.argument("paths", metavar="FOLDER|RUN…", type=a_path, nargs=-1, required=True)
@format_option
@out_option
def history_command(paths: tuple[Path, ...], form: str, out: Path | None) -> None:
    """Compare several runs, over time or by release: when each finding came and went, answers, durations.

    RUN…: run folders, in the order in which they are shown; name the oldest release first. FOLDER: a folder of runs,
    which are shown by the time they started; runs that cannot be read are named and skipped. Exit code: 0, or 2 for
    bad usage or input.
    """
    runs = [run for path in paths for run in _runs_of(path)]
    counts = Counter(path.resolve().name for path, _ in runs)
    shared = {name for name, count in counts.items() if count > 1}
    names = [str(path) if (name := path.resolve().name) in shared else name for path, _ in runs]
    found = history((name, run) for name, (_, run) in zip(names, runs, strict=True))
    reports = {name: _report_of(path, out) for name, (path, _) in zip(names, runs, strict=True)}
    _give(out, form, history_report(found, reports), partial(history_json, found))


def _runs_of(path: Path) -> list[tuple[Path, Run]]:
    """The run in a folder, or all runs below it by start time; names the ones that cannot be read."""
    if (path / RUN).is_file():
        return [(path, read_run_folder(path))]
    runs = dict(_runs_in(path))
    if not runs:
        raise InputError(f"{path}: holds no run and no folder of one; a run's --out names one")
    return [(path / name, run) for name, run in by_start(runs.items())]


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
