"""The commands about a run that has ended and its findings: `conformance show, replay, reproduce` and `bisect`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click
from rich.text import Text

from conformance.cli.options import finding_argument, findings_argument, trust_option, verbose_option
from conformance.core.errors import InputError
from conformance.report.console import ConsoleLines, OutputConsole, say
from conformance.report.run.folder import read_run_folder
from conformance.report.run.terminal import print_findings, print_report
from conformance.report.run.view import called, cause, shown_input
from conformance.reproduce.as_vector import write_vector
from conformance.reproduce.bisect import bisect, bisection_by_git, default_cache
from conformance.reproduce.replay import replay
from conformance.reproduce.reproduction import reproduce

EXAMPLES = """\b
Examples:
  conformance reproduce reports/runs/20260101-120000 c45f43fd9327
      writes reproduction-c45f43fd9327.py into the run folder
  conformance reproduce reports/runs/20260101-120000 c45f --out bug.py
  python bug.py mine.py:Mine
      exit code 1 while they differ, 0 where they agree
  conformance reproduce reports/runs/20260101-120000 c45f --as vector --out vectors/c45f.json
"""

BISECT_EXAMPLES = """\b
Examples:
  conformance bisect reports/runs/20260101-120000 c45f43fd9327
      asks releases of the library that the subject is, or is made with
  conformance bisect reports/runs/20260101-120000 c45f --library tokenizers --from 0.20 --to 0.22.2
"""
_STYLES = {"as expected": "green", "differs": "red", "differs otherwise": "yellow", "skipped": "dim"}


@click.command("show")
@findings_argument
@verbose_option
def show_command(asked: tuple[Path, tuple[str, ...]], verbose: bool) -> None:
    """Print the report of a run that has ended again, or all that is known of some of its findings.

    RUN and FINDING are as of `conformance replay`. Exit code: 0, or 2 for bad usage or input.
    """
    folder, names = asked
    run = read_run_folder(folder)
    if not names:
        print_report(run, folder, OutputConsole(), verbose)
        return
    named = {name: called(run, name) for name in names}
    for name, found in named.items():
        if not found:
            raise InputError(f"{folder}: no finding has the number or fingerprint {name}")
    print_findings(run, [one for found in named.values() for one in found], OutputConsole())


@click.command("replay")
@finding_argument
@trust_option
def replay_command(asked: tuple[Path, str], trusts: bool) -> None:
    """Ask again what a finding of a run is about, and show both answers.

    RUN is a run folder, by default that of the last run, FINDING its number there or the beginning of its fingerprint.
    Exit code: 0 if it no longer differs, 1 if it still does, 125 if the subject or the model is missing; `git bisect
    run` reads them as a good commit, a bad one, and one that cannot be tested.
    """
    sys.exit(replay(*asked, OutputConsole(), trusts))


@click.command("reproduce", epilog=EXAMPLES)
@finding_argument
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    metavar="FILE",
    help="Where to write it. Default: reproduction-<fingerprint>.py, or vector-<fingerprint>.json, in the run folder.",
)
@click.option(
    "--as",
    "form",
    type=click.Choice(("python", "vector")),
    default="python",
    show_default=True,
    help="A file to run, or a vector, a JSON file with input and right answer for tests in any language.",
)
@click.option(
    "--no-shrink-model", "keeps_model", is_flag=True, help="Hold the whole model, not the part that the mismatch needs."
)
@trust_option
def reproduce_command(asked: tuple[Path, str], out: Path | None, form: str, keeps_model: bool, trusts: bool) -> None:
    """Write one small Python file that shows a finding with nothing but the official library and the subject.

    RUN and FINDING are as of `conformance replay`. Model and input are made smaller together
    while the same check fails by the same rule; the file holds both, and is run once before it is kept.

    Some findings have no such file, and end with exit code 2 (`conformance replay` shows them): of a stream that is
    reset, fed beside another one or read by its callback, of text that comes late or is held after the end, of what
    gives no answer in time, of a subject that reads more than the model file or wants more than its path, and those on
    models other than tokenizer.json, sentencepiece's and rank files. A rank file has its pattern and special tokens
    beside it, as the subject may: ranks.toml beside ranks.tiktoken. Of the special tokens it has those that the input
    needs; for a subject that does not take such a file it has all of them, or is the whole model.

    A subject that is a program is started by the file: `python bug.py`, or `python bug.py node server.mjs` for another.
    In the place of FILE.py:FACTORY and of a command, the file takes a subject.toml too.
    """
    lines = ConsoleLines(OutputConsole())
    if form == "vector":
        path = write_vector(*asked, out, trusts)
        lines.labelled(
            "  written  ", shlex.join(["conformance", "vectors", "run", str(path), "--subject", "…"]), whole=True
        )
        return
    written = reproduce(*asked, out, shrinks_model=not keeps_model, trusts=trusts)
    example = written.finding.example
    where = f"{example.check} of {example.subject} on {example.model}"
    lines.labelled("    cause  ", f"{cause(written.finding)} ({where})")
    lines.line(Text("    input  ").append_text(lines.shown(shown_input(written.case))))
    lines.line(f"    model  {written.model_bytes:,} bytes")
    if written.refusal:
        why = f"asked about a smaller one, {example.subject} {written.refusal}"
        lines.labelled("           ", why, whole=True)
    lines.labelled("  written  ", shlex.join(["python", str(written.path), *written.arguments]), whole=True)


@click.command("bisect", epilog=BISECT_EXAMPLES)
@finding_argument
@click.option("--library", default="", metavar="NAME", help="Whose releases are asked. Default: see above.")
@click.option("--from", "first", default="", metavar="V", help="The oldest release to ask. Default: the first.")
@click.option("--to", "last", default="", metavar="V", help="The newest release to ask. Default: the last.")
@click.option(
    "--cache",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    metavar="DIR",
    help="Where releases are installed and kept for the next time. Default: ~/.cache/conformance/releases.",
)
@trust_option
def bisect_command(
    asked: tuple[Path, str], library: str, first: str, last: str, cache: Path | None, trusts: bool
) -> None:
    """Find the release of a library in which a finding came or went.

    RUN and FINDING are as of `conformance replay`. The finding's input is put to releases of
    tokenizers or sentencepiece, of the PyPI package that the `build` of the subject.toml installs, or of the npm
    package of its package.json; of a FILE.py:FACTORY, of any PyPI package that --library names. Each is installed in an
    environment of its own, as wheels and without scripts; pre-releases are left out, and a release that does not
    install or load is skipped. Half of the releases between two that differ are left out each time, so where a finding
    came and went several times one of these is told. Exit code 0 whatever the releases say.

    If the subject is wrong and the run has recorded its commit, this prints the commands with which git finds the
    commit that brought the finding; add --library to ask releases too.
    """
    by_commit = bisection_by_git(*asked, trusts)
    for sentence in by_commit:
        say(sentence)
    if by_commit and not library:
        say("to ask releases of a library, add --library NAME")
        return
    found = bisect(*asked, cache or default_cache(), library, (first, last), trusts, say)
    lines = ConsoleLines(OutputConsole())
    rows = [(one.version, lines.text(one.state, _STYLES[one.state]), lines.text(one.said)) for one in found.asked]
    lines.table([found.library, "the input", "its answer"], rows, names=3)
    lines.line()
    lines.line(lines.text(f"{found.library}: {found.sentence}", "bold", 400))
    lines.line(f"{len(found.asked)} of {found.of} releases asked", "dim")
