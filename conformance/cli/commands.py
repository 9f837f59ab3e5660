"""The command `conformance`."""

from __future__ import annotations

import os
import sys
import traceback
from io import StringIO

import click

from conformance.cli.compare import diff, history_command, matrix_command
from conformance.cli.fuzz import corpus, fuzz
from conformance.cli.jobs import FULL
from conformance.cli.reproduce import bisect_command, replay_command, reproduce_command
from conformance.cli.run import run
from conformance.cli.subject import subject
from conformance.cli.train import train_command
from conformance.cli.vectors import vectors
from conformance.core.errors import ConformanceError, UsageError
from conformance.report.console import say, to_nowhere
from reftok import ReftokError
from reftok.signals import end_by_signals, stop_exit_code


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="reftok", prog_name="conformance")
def cli() -> None:
    """Hold any tokenizer against the official library, and say where it differs and why."""


for command in (
    run,
    replay_command,
    reproduce_command,
    bisect_command,
    diff,
    matrix_command,
    history_command,
    fuzz,
    corpus,
    subject,
    train_command,
    vectors,
):
    cli.add_command(command)


def main() -> None:
    """Run the command; a user's mistake ends in one or two lines, not in a traceback."""
    end_by_signals()
    try:
        cli.main(standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt) as stop:
        by_signal = stop if isinstance(stop, KeyboardInterrupt) else stop.__context__
        _fail("interrupted", stop_exit_code(by_signal) if isinstance(by_signal, KeyboardInterrupt) else 130)
    except click.ClickException as error:
        error.show(told := StringIO())
        _fail(told.getvalue().rstrip("\n"), error.exit_code)
    except ReftokError as error:
        _fail(f"conformance: {error}", UsageError.exit_code)
    except ConformanceError as error:
        _fail(f"conformance: {error}", error.exit_code)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL:
            to_nowhere(sys.stdout)  # what is still in the buffer would fail a second time when Python ends
            _fail(f"conformance: the output cannot be written: {error.strerror}", UsageError.exit_code)
        if "CONFORMANCE_TRACEBACK" in os.environ:
            traceback.print_exc()
        failed = f"the harness failed: {type(error).__name__}: {error} (CONFORMANCE_TRACEBACK=1 shows where)"
        _fail(f"conformance: {failed}", ConformanceError.exit_code)


def _fail(message: str, exit_code: int) -> None:
    say(message)
    sys.exit(exit_code)
