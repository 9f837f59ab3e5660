"""The commands for those who bring a tokenizer: `conformance subject init`."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path

import click

from conformance.cli.options import a_path
from conformance.report.console import ConsoleLines, OutputConsole
from conformance.subjects.skeletons import LANGUAGES, write_skeleton

EXAMPLES = """\b
Examples:
  conformance subject init --language javascript mine
      writes mine/adapter.mjs, mine/subject.toml and mine/README.md
  conformance subject init --language cpp --name "my tokenizer 2" adapters/mine
"""


@click.group()
def subject() -> None:
    """Put a tokenizer in any language under test: a program that answers questions, a line of JSON each."""


@subject.command("init", epilog=EXAMPLES)
@click.argument("folder", metavar="DIR", type=a_path)
@click.option("--language", required=True, type=click.Choice(LANGUAGES), help="What the program is written in.")
@click.option("--name", metavar="NAME", help="Of the subject in reports. Default: the name of the folder.")
def init_command(folder: Path, language: str, name: str | None) -> None:
    """Write the skeleton of an adapter: a program, its subject.toml, and a README that says what to fill in.

    DIR is a new folder, or one without files of these names: nothing is overwritten. As it stands, the program is a
    tokenizer of bytes that answers at once; put a library in its place in three functions, load, encode and decode.
    """
    settings = write_skeleton(language, folder, name)
    is_built = "build" in tomllib.loads(settings.read_text("utf-8"))
    check = ["conformance", "subject", "check", *(["--build"] if is_built else []), str(settings)]
    run = ["conformance", "run", "--model", "tokenizer.json", "--subject", str(settings)]
    lines = ConsoleLines(OutputConsole())
    lines.labelled("written  ", f"{settings.parent}: its README.md says what to fill in; then", whole=True)
    for command in ([*check, "--model", "tokenizer.json"], run):
        lines.labelled("  ", shlex.join(command), whole=True)
