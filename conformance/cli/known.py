"""The commands of a gate that people keep: `conformance init`, `conformance accept` and `conformance known`."""

from __future__ import annotations

import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.text import Text

from conformance.cli.options import SettledCommand, a_path, expectations_option, findings_argument, run_or_last_argument
from conformance.core.errors import InputError, UsageError
from conformance.core.run import Run
from conformance.inputs.tiers import TIERS
from conformance.report.console import ConsoleLines, OutputConsole
from conformance.report.run.folder import read_run_folder
from conformance.report.run.view import cause, plural
from conformance.runs.baselines import accept, accepted_entry, chosen_findings, no_longer_seen, prune
from conformance.runs.execute import is_stopped
from conformance.runs.expectations import NEVER, read_baselines
from conformance.runs.gate_files import write_gate
from conformance.runs.plan_file import PLAN, read_plan
from conformance.runs.settings import PYPROJECT, SETTINGS, find_settings

DEFAULT_BASELINE = Path("known.toml")

ACCEPT_EXAMPLES = """\b
Examples:
  conformance accept reports/runs/20260101-120000 c45f43fd9327 --reason "NFC comes with 2.0" --out known.toml
  conformance accept mine --all --reason "as of 1.3" --issue https://example.org/7 --expires 2030-01-01
"""
KNOWN_EXAMPLES = """\b
Examples:
  conformance known list
  conformance known prune reports/runs/20260101-120000
"""
INIT_EXAMPLES = """\b
Examples:
  conformance init --subject mine.py:Tokenizer --model path/to/tokenizer.json
  conformance init --subject mine/subject.toml --model bpe-qwen --tier full
"""


@click.command("accept", epilog=ACCEPT_EXAMPLES)
@findings_argument
@click.option("--all", "is_all", is_flag=True, help="Every unexpected finding of the run.")
@click.option("--reason", required=True, metavar="TEXT", help="Why it is accepted; reports say so.")
@click.option("--issue", default="", metavar="URL", help="Where it is dealt with.")
@click.option(
    "--expires",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="The day, as 2030-01-31, from which it fails the run again. Default: never.",
)
@click.option(
    "--out",
    type=a_path,
    metavar="FILE",
    help=f"The baseline, made where there is none. Default: that of the settings, or {DEFAULT_BASELINE}.",
)
def accept_command(
    asked: tuple[Path, tuple[str, ...]],
    is_all: bool,
    reason: str,
    issue: str,
    expires: datetime | None,
    out: Path | None,
) -> None:
    """Take findings of a run for known: they do not fail a run that is given FILE by --expectations.

    RUN and FINDING are as of `conformance replay`. What FILE lists of the same finding is replaced; all else in it
    stays.
    """
    folder, findings = asked
    if bool(findings) == is_all:
        raise UsageError(
            "name the findings that are accepted, by their numbers or fingerprints, or all of them with --all"
        )
    if not reason.strip():
        raise UsageError("--reason: says nothing")
    if issue and not issue.startswith(("https://", "http://")):
        raise UsageError(f"--issue {issue}: is no link: it begins with https://")
    day = "" if expires is None else f"{expires:%Y-%m-%d}"
    if day and day <= today():
        raise UsageError(f"--expires {day}: is not in the future")
    out = out or next(iter(find_settings(Path()).expectations), DEFAULT_BASELINE)
    run, full = _ended_run(folder)
    chosen = chosen_findings(run, findings)
    added, replaced = accept((accepted_entry(run, full, one, reason, issue, day) for one in chosen), out)
    lines = ConsoleLines(OutputConsole())
    for finding in chosen:
        named = _named(finding.example.subject, finding.example.model, cause(finding))
        lines.line(Text(f"≈ {finding.fingerprint}  ", "yellow").append_text(lines.text(named, "default", 400)))
    told = f"{plural(added, 'finding')} added" + (f", {replaced:,} replaced" if replaced else "")
    lines.labelled("", f"{told}: {out}", whole=True)
    lines.labelled("", f"read by: conformance run --expectations {shlex.quote(str(out))}", whole=True)


@click.group("known", epilog=KNOWN_EXAMPLES)
def known_group() -> None:
    """What was accepted: a list of it, and the end of what no longer happens."""


@known_group.command("list", cls=SettledCommand)
@expectations_option
def known_list(expectations: tuple[Path, ...]) -> None:
    """List what the baselines hold. Exit code: 0, or 1 where an entry has expired."""
    lines = ConsoleLines(OutputConsole())
    entries = read_baselines(_baselines(expectations))
    for entry in entries:
        is_expired = entry.expires <= today()
        when = "" if entry.expires == NEVER else f"  {'expired' if is_expired else 'expires'} {entry.expires}"
        place = lines.text(_named(entry.subject, " ".join(entry.models), f"{entry.check}: {entry.rule}"), "", 400)
        lines.line(Text(f"{entry.id}  ", "yellow").append_text(place).append(when, "bold red" if is_expired else "dim"))
        lines.labelled("  ", " ".join(filter(None, (entry.reason, entry.upstream))), "dim")
    expired = sum(entry.expires <= today() for entry in entries)
    lines.line(plural(len(entries), "known finding") + (f", {expired:,} expired" if expired else ""))
    sys.exit(1 if expired else 0)


@known_group.command("prune", cls=SettledCommand)
@run_or_last_argument
@expectations_option
def known_prune(folder: Path, expectations: tuple[Path, ...]) -> None:
    """Take out of the baselines what a run should have shown and did not: it is fixed.

    RUN is the folder of a run that asked what the run did in which it was accepted, by default the last one under
    reports/runs; of subjects and models that took no part in it, all stays.
    """
    paths = _baselines(expectations)
    run, full = _ended_run(folder)
    if run.sources == ("session",) or is_stopped(run):
        raise UsageError(f"{folder}: was not asked to its end, so that it shows of nothing that it no longer happens")
    fixed = no_longer_seen(read_baselines(paths), run, full)
    prune(paths, {entry.id for entry in fixed})
    lines = ConsoleLines(OutputConsole())
    for entry in fixed:
        named = _named(entry.subject, " ".join(entry.models), f"{entry.check}: {entry.rule}")
        lines.line(Text(f"✓ {entry.id}  ", "green").append_text(lines.text(named, "default", 400)))
    lines.line(f"{plural(len(fixed), 'entry') if len(fixed) == 1 else f'{len(fixed):,} entries'} pruned")


@click.command("init", epilog=INIT_EXAMPLES)
@click.option("--subject", "subjects", multiple=True, metavar="S", help="As of conformance run; repeatable.")
@click.option("--model", "models", multiple=True, metavar="M", help="As of conformance run; repeatable.")
@click.option("--tier", type=click.Choice(list(TIERS)), default="core", show_default=True, help="How much is asked.")
@click.option("--force", is_flag=True, help="Replace the files that are there, and say so.")
def init_command(subjects: tuple[str, ...], models: tuple[str, ...], tier: str, force: bool) -> None:
    """Write conformance.toml and a workflow for GitHub into the working folder: a gate that `conformance run` is.

    A file that is there is not overwritten without --force.
    """
    lines = ConsoleLines(OutputConsole())
    written, notes = write_gate(Path(), subjects, models, tier, DEFAULT_BASELINE, force)
    for path, is_replaced in written.items():
        lines.labelled("replaced  " if is_replaced else "written   ", str(path), whole=True)
    for note in notes:
        lines.labelled("", note, whole=True)


def today() -> str:
    """The date, as entries of a baseline have it."""
    return f"{datetime.now(UTC):%Y-%m-%d}"


def _named(subject: str, models: str, said: str) -> str:
    return f"{subject} on {models}: {said}"


def _baselines(given: tuple[Path, ...]) -> tuple[Path, ...]:
    """Those of the command line or of the settings, or the one of the usual name; raises UsageError for none."""
    if given or DEFAULT_BASELINE.exists():
        return given or (DEFAULT_BASELINE,)
    raise UsageError(f"there is no baseline: name one with --expectations, or in {SETTINGS} or {PYPROJECT}")


def _ended_run(folder: Path) -> tuple[Run, bool]:
    """A run that has ended, and whether it asked all that there is; raises InputError for one that has not."""
    run = read_run_folder(folder)
    if run.verdict == "incomplete":
        raise InputError(f"{folder}: is the folder of an incomplete run: its findings are not what they will be")
    return run, (folder / PLAN).exists() and read_plan(folder)[2]
