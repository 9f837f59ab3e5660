"""The commands that hold runs against each other: `conformance diff` and `conformance matrix`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from io import StringIO
from pathlib import Path
from urllib.parse import quote

import click
from rich.console import Console

from conformance.comparing.comparison import Comparison, compare
from conformance.comparing.matrix import LibraryMatrix, matrix
from conformance.core.errors import InputError
from conformance.files.atomic import write_atomically
from conformance.report.comparison.html import comparison_html
from conformance.report.comparison.json import comparison_json
from conformance.report.comparison.markdown import comparison_markdown
from conformance.report.comparison.terminal import print_comparison
from conformance.report.matrix.html import matrix_html
from conformance.report.matrix.json import matrix_json
from conformance.report.matrix.markdown import matrix_markdown
from conformance.report.matrix.terminal import print_matrix
from conformance.report.run.folder import HTML, read_run_folder

FORMATS = ("terminal", "markdown", "json", "html")

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

_MATRIX_FORMS: Mapping[str, Callable[[Sequence[LibraryMatrix]], str]] = {
    "markdown": matrix_markdown,
    "json": matrix_json,
    "html": matrix_html,
}

run_folder = click.Path(path_type=Path)
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=FORMATS[0],
    show_default=True,
    help="The form of the report.",
)
out_option = click.option(
    "--out", type=click.Path(path_type=Path), default=None, metavar="FILE", help="Where to write it. Default: shown."
)


@click.command(epilog=DIFF_EXAMPLES)
@click.argument("before", metavar="RUN_A", type=run_folder)
@click.argument("after", metavar="RUN_B", type=run_folder)
@format_option
@out_option
def diff(before: Path, after: Path, form: str, out: Path | None) -> None:
    """Show what changed from one run to another: new, fixed, changed and unchanged findings, and what was asked.

    RUN_A and RUN_B are run folders. What only one of them asked is neither new nor fixed, and is told apart.
    Exit code: 0 nothing got worse, 1 something got worse, 2 bad usage or input.
    """
    comparison = compare(read_run_folder(before), read_run_folder(after))
    forms: Mapping[str, Callable[[Comparison], str]] = {
        "markdown": comparison_markdown,
        "json": comparison_json,
        "html": partial(comparison_html, reports=(_report_of(before, out), _report_of(after, out))),
    }
    _give(
        out,
        lambda console: print_comparison(comparison, console),
        forms[form](comparison) if form in forms else None,
    )
    sys.exit(comparison.exit_code)


@click.command("matrix", epilog=MATRIX_EXAMPLES)
@click.argument("runs", metavar="RUN…", type=run_folder, nargs=-1, required=True)
@format_option
@out_option
def matrix_command(runs: tuple[Path, ...], form: str, out: Path | None) -> None:
    """Show what several releases of a library do, by model and check, and when each behaviour came or went.

    Each RUN is a run folder; the runs differ in the installed release of an official library. What is otherwise than in
    the newest release is a finding of the reference, which follows that one. Exit code: 0, or 2 for bad usage or input.
    """
    libraries = matrix(read_run_folder(run) for run in runs)
    _give(
        out,
        lambda console: print_matrix(libraries, console),
        _MATRIX_FORMS[form](libraries) if form in _MATRIX_FORMS else None,
    )


def _report_of(run: Path, out: Path | None) -> str:
    """The address of a run's report from the file `out`; "" without such a file or such a report."""
    report = run / HTML
    if out is None or not report.is_file():
        return ""
    return quote(Path(os.path.relpath(report, out.parent)).as_posix())


def _give(out: Path | None, printed: Callable[[Console], None], text: str | None) -> None:
    """Write a report to a file or to standard output. text: None for the terminal's form, which `printed` prints."""
    if out is not None:
        _write(out, _as_text(printed) if text is None else text)
    elif text is None:
        printed(Console(highlight=False))
    else:
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.flush()


def _as_text(printed: Callable[[Console], None]) -> str:
    """The text as printed on a terminal of 120 columns without colours."""
    file = StringIO()
    printed(Console(file=file, width=120, color_system=None, highlight=False))
    return file.getvalue()


def _write(path: Path, text: str) -> None:
    try:
        write_atomically(path, text)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
