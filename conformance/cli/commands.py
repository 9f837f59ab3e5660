"""The command `conformance`."""

from __future__ import annotations

import os
import sys
import traceback
from difflib import get_close_matches
from importlib import import_module
from io import StringIO
from typing import NamedTuple

import click

from conformance.core.errors import ConformanceError, UsageError
from reftok.errors import ReftokError
from reftok.signals import end_by_signals, stop_exit_code

EXAMPLES = """\b
Examples:
  conformance run
      the official libraries and reftok on every embedded model
  conformance run --model path/to/tokenizer.json --subject mine.py:Tokenizer
      your own tokenizer on your own model
  conformance fuzz --model path/to/tokenizer.json --subject mine.py:Tokenizer --time 10m
      the same on made inputs, for as long as you like
  conformance COMMAND --help
      the options of a command, with examples
"""


LONGEST_LINE = 2_000
"""Characters of a message."""


class _Home(NamedTuple):
    """Where a command is, and its line in the help: what it takes to list the commands without loading them."""

    module: str
    attribute: str
    summary: str


COMMANDS = {
    "run": _Home("run", "run", "Compare tokenizers on corpora, the model's vocab and made inputs."),
    "fuzz": _Home("fuzz", "fuzz", "Search with made inputs for what differs."),
    "init": _Home("known", "init_command", "Write a conformance.toml and a workflow that runs it."),
    "accept": _Home("known", "accept_command", "Take findings of a run into a file of known ones."),
    "known": _Home("known", "known_group", "List known findings, or prune those that are gone."),
    "merge": _Home("merge", "merge_command", "Make one run of the parts that several machines worked on."),
    "diff": _Home("compare", "diff", "Show what changed from one run to another."),
    "history": _Home("compare", "history_command", "Compare several runs, over time or by release."),
    "show": _Home("reproduce", "show_command", "Print the report of a run, or of some of its findings, again."),
    "replay": _Home("reproduce", "replay_command", "Ask again what a finding is about."),
    "reproduce": _Home("reproduce", "reproduce_command", "Write a finding as one small Python file."),
    "bisect": _Home("reproduce", "bisect_command", "Find the release in which a finding came or went."),
    "corpus": _Home("fuzz", "corpus", "Minimize or merge what fuzzing sessions keep."),
    "subject": _Home("subject", "subject", "Put a tokenizer in any language under test."),
    "train": _Home("train", "train_command", "Compare a trainer with the official one."),
    "vectors": _Home("vectors", "vectors", "Make, run and compare test vectors for any language."),
}

SUCCESSORS = {"matrix": "conformance history RUN… takes the runs of several releases"}
"""Removed commands and their replacements, kept for one release."""


class Commands(click.Group):
    """The commands in the order of their table, each loaded when it is used: the help of all is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names."""
        return [*COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name; None where there is none."""
        if cmd_name not in COMMANDS:
            return None
        home = COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(f"conformance.cli.{home.module}"), home.attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command to run. Raises UsageError, with a suggestion, if there is no such command."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            near = " or ".join(f"conformance {one}" for one in get_close_matches(name, COMMANDS))
            meant = SUCCESSORS.get(name) or (f"did you mean {near}?" if near else "conformance --help lists them")
            raise UsageError(f"there is no command {name}: {meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The lines of the help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, home.summary) for name, home in COMMANDS.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXAMPLES)
@click.version_option(package_name="reftok", prog_name="conformance")
def cli() -> None:
    """Hold any tokenizer against the official library, and say where it differs and why."""


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
        from conformance.cli.jobs import FULL
        from conformance.report.console import to_nowhere

        if isinstance(error, OSError) and error.errno in FULL:
            to_nowhere(sys.stdout)  # what is still in the buffer would fail a second time when Python ends
            _fail(f"conformance: the output cannot be written: {error.strerror}", UsageError.exit_code)
        if "CONFORMANCE_TRACEBACK" in os.environ:
            traceback.print_exc()
        failed = f"the harness failed: {type(error).__name__}: {error} (CONFORMANCE_TRACEBACK=1 shows where)"
        _fail(f"conformance: {failed}", ConformanceError.exit_code)


def _fail(message: str, exit_code: int) -> None:
    from conformance.report.console import say

    say("\n".join(map(_shown, message.split("\n"))))
    sys.exit(exit_code)


def _shown(line: str) -> str:
    """A line of a message without its middle, where a stranger's file has put a megabyte into it.

    >>> len(_shown("x" * 1_000_000))
    1503
    """
    return line if len(line) <= LONGEST_LINE else f"{line[:1_000]} … {line[-500:]}"
