"""The commands that hold runs against each other: `conformance diff`, `conformance matrix`, `conformance history`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from io import StringIO
from pathlib import Path
from urllib.parse import quote

import click
from rich.console import Console

from conformance.cli.options import a_path
from conformance.comparing.comparison import compare
from conformance.comparing.history import history
from conformance.comparing.matrix import matrix
from conformance.core.errors import InputError
from conformance.core.run import Run
from conformance.files.atomic import write_atomically, writing
from conformance.report.comparison.html import comparison_html
from conformance.report.comparison.json import comparison_json
from conformance.report.comparison.markdown import comparison_markdown
from conformance.report.comparison.terminal import print_comparison
from conformance.report.console import OutputConsole, give, say
from conformance.report.history.html import history_html
from conformance.report.history.json import history_json
from conformance.report.history.markdown import history_markdown
from conformance.report.history.terminal import print_history
from conformance.report.matrix.html import matrix_html
from conformance.report.matrix.json import matrix_json
from conformance.report.matrix.markdown import matrix_markdown
from conformance.report.matrix.terminal import print_matrix
from conformance.report.run.folder import HTML, RUN, read_run_folder

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
    forms: Mapping[str, Callable[[], str]] = {
        "markdown": partial(comparison_markdown, comparison),
        "json": partial(comparison_json, comparison),
        "html": partial(comparison_html, comparison, (_report_of(before, out), _report_of(after, out))),
    }
    _give(out, forms.get(form), partial(print_comparison, comparison))
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
    forms: Mapping[str, Callable[[], str]] = {
        "markdown": partial(matrix_markdown, libraries),
        "json": partial(matrix_json, libraries),
        "html": partial(matrix_html, libraries),
    }
    _give(out, forms.get(form), partial(print_matrix, libraries))


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
    forms: Mapping[str, Callable[[], str]] = {
        "markdown": partial(history_markdown, found),
        "json": partial(history_json, found),
        "html": partial(history_html, found, addresses),
    }
    _give(out, forms.get(form), partial(print_history, found))


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


def _give(out: Path | None, document: Callable[[], str] | None, printed: Callable[[Console], None]) -> None:
    """Write a report to a file or to standard output. document: None for the terminal's form, which is printed."""
    if out is not None:
        with writing(out):
            write_atomically(out, document() if document else _as_text(printed))
    elif document is not None:
        give(document())
    else:
        printed(OutputConsole())


def _as_text(printed: Callable[[Console], None]) -> str:
    """The text as printed on a terminal of 120 columns without colours."""
    file = StringIO()
    printed(OutputConsole(file=file, width=120, color_system=None))
    return file.getvalue()
