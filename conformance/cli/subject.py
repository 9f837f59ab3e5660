"""The commands for those who bring a tokenizer: `conformance subject init` and `check`."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from conformance.cli.options import a_path, encoding_option, memory_option, model_option, timeout_option
from conformance.core.errors import InputError, UsageError
from conformance.engine.plan import ModelPlan
from conformance.report.console import ConsoleLines, OutputConsole, say
from conformance.runs.models import plan_models
from conformance.subjects.adapter_check import mistakes, told
from conformance.subjects.adapters import check_subject_name, load_subject
from conformance.subjects.base import UnavailableError
from conformance.subjects.definition import Definition, definition
from conformance.subjects.languages import NAMES, language_key
from conformance.subjects.protocol_subject import ProtocolSubject
from conformance.subjects.skeletons import write_skeleton
from conformance.subjects.special_tokens import special_tokens
from reftok import load

EXAMPLES = """\b
Examples:
  conformance subject init --language javascript mine
      writes mine/adapter.mjs, mine/subject.toml and mine/README.md
  conformance subject init --language cpp --name "my tokenizer 2" adapters/mine
"""


class _Language(click.Choice[str]):
    """A language that has a skeleton, in any of its spellings."""

    def __init__(self) -> None:
        super().__init__(tuple(NAMES))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return super().convert(language_key(value), param, ctx)


@click.group()
def subject() -> None:
    """Put a tokenizer in any language under test: a program that answers questions, a line of JSON each."""


@subject.command("init", epilog=EXAMPLES)
@click.argument("folder", metavar="DIR", type=a_path)
@click.option("--language", required=True, type=_Language(), help="What the program is written in.")
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


CHECK_EXAMPLES = """\b
Examples:
  conformance subject check mine/subject.toml --model path/to/tokenizer.json
  conformance subject check --build mine/subject.toml --model bpe-qwen
  conformance subject check 'node server.mjs' --model Qwen/Qwen3-0.6B
"""


@subject.command("check", epilog=CHECK_EXAMPLES)
@click.argument("name", metavar="SUBJECT")
@model_option
@encoding_option
@click.option("--build", is_flag=True, help="First run the build command of its subject.toml, in that folder.")
@timeout_option
@memory_option
def check_command(
    name: str, models: tuple[str, ...], encoding: str | None, build: bool, timeout: float, memory: int
) -> None:
    """Say what an adapter gets wrong, in a sentence each, before its library is compared with anything.

    SUBJECT is a subject.toml, FILE.py:FACTORY or a command; it is started with each model, and asked some twenty
    things. Exit code: 0 for nothing wrong, 1 for something, 2 where it does not start.
    """
    try:
        if build:
            _build(definition(name))
        check_subject_name(name)
    except UsageError as error:  # it is an argument here, and no option was given
        raise UsageError(str(error).removeprefix("--subject ")) from None
    lines = ConsoleLines(OutputConsole())
    readers, wrong = 0, 0
    for model in plan_models(models, encoding or ""):
        try:
            found = list(_mistakes(name, model, timeout, memory, lines))
        except UnavailableError as error:
            if error.failure.kind != "refused":
                raise UsageError(f"{name}: {error}") from None
            lines.labelled("–  ", f"{model.name}: not read: {error.failure.message}")
            continue
        readers += 1
        wrong += len(found)
        for sentence in found:
            lines.labelled("✗  ", f"{model.name}: {sentence}", "red")
        if not found:
            kept = "the protocol is kept (whether its ids are right, conformance run says)"
            lines.labelled("✓  ", f"{model.name}: {kept}", "green")
    if not readers:
        raise UsageError(f"{name}: reads none of these models")
    sys.exit(1 if wrong else 0)


def _mistakes(name: str, model: ModelPlan, timeout: float, memory: int, lines: ConsoleLines) -> Iterator[str]:
    """The mistakes of its adapter with a model; what it says of itself is told first."""
    tokens = special_tokens(load(model.path, model.encoding or None))
    asked = load_subject(name, model.path, model.format, timeout, model.encoding, memory, tokens)
    if not isinstance(asked, ProtocolSubject):
        raise UsageError(f"{name}: is built in, and has no adapter of yours to check")
    oracle = load_subject(model.oracle, model.path, model.format, timeout, model.encoding)
    try:
        lines.labelled("   ", f"{model.name}: {told(asked)}")
        yield from mistakes(asked, oracle, tokens)
    finally:
        asked.close()
        oracle.close()


def _build(found: Definition) -> None:
    """Run the build command, whose output is for people; raises InputError where it fails."""
    if found.about is None or not found.about.build:
        raise UsageError(f"{found.label}: has no `build` in a subject.toml")
    say(f"$ cd {shlex.quote(str(found.folder))} && {found.about.build}")
    ended = subprocess.run(found.about.build, shell=True, cwd=found.folder, stdout=sys.stderr, check=False)
    if ended.returncode:
        raise InputError(f"{found.folder}: the build ended with exit code {ended.returncode}")
