"""Replaying one finding of a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

from conformance.causes.asking_again import AskedAgain, ask_again
from conformance.causes.attribution import Attribution
from conformance.checks.base import Difference
from conformance.core.errors import InputError, NotAskedError, UsageError
from conformance.core.finding import Finding
from conformance.engine.benches import bench_of, close_benches
from conformance.engine.naming import named_difference
from conformance.engine.plan import Plan
from conformance.report.run.folder import FINDINGS, read_run_folder
from conformance.report.run.view import called, cause, numbered_input
from conformance.report.text import visible
from conformance.runs.plan_file import PLAN, changed_since, read_trusted_plan
from conformance.runs.subject_version import worked_out_version
from conformance.subjects.adapters import BUILT_IN, subject_label
from reftok.errors import ReftokError


def replay(folder: Path, fingerprint: str, console: Console, trusts: bool = False) -> int:
    """Ask the subject and the oracle again. Returns 0 if a change has mended it, else 1, as `git bisect run` expects.

    trusts: as of `read_trusted_plan`. Raises NotAskedError if the subject or the model is missing.
    """
    finding = named_finding(folder, fingerprint)
    example = finding.example
    try:
        plan, *_ = read_trusted_plan(folder, trusts)
        check_finding(finding, plan, folder)
        asked, difference = _asked(plan, finding)
    except InputError:
        raise
    except (UsageError, ReftokError) as error:  # there is no subject.toml, or no model
        raise NotAskedError(str(error)) from None
    finally:
        close_benches()
    _say(console, "input", numbered_input(example.case, 2_000))
    where = f"{example.subject} on {example.model}, {example.check}"
    if difference is None:
        if changed := [*changed_since(folder), *_other_version(folder, plan, example.subject)]:
            console.print(f"{where}: differs no more; changed since the run: {', '.join(changed)}", soft_wrap=True)
            return 0
        console.print(f"{where}: not seen again, though nothing has changed: it may depend on earlier questions")
        return 1
    _say(console, "expected", difference.expected)
    _say(console, "observed", difference.observed)
    was = cause(finding)
    is_same = asked.verdict == "same"
    outcome = f"still differs ({was})" if is_same else f"differs in another way ({difference.rule}), not by: {was}"
    console.print(f"{where}: {outcome}", soft_wrap=True)
    return 1


def _asked(plan: Plan, finding: Finding) -> tuple[AskedAgain, Difference | None]:
    """The answers now, and how they differ, in words. Raises NotAskedError where the subject cannot take part."""
    example = finding.example
    bench = bench_of(plan, example.model)
    if example.subject not in bench.subjects:
        failure = bench.unavailable.get(example.subject)
        raise NotAskedError(f"{example.subject} cannot take part now: {failure.message if failure else 'unknown'}")
    attribution = Attribution(finding.stage, finding.rule)
    asked = ask_again(bench, example, example.case, plan.inputs.closest_depth, attribution)
    difference = asked.difference and named_difference(
        bench.reference.tokenizer, asked.difference, asked.expected, asked.observed
    )
    return asked, difference


def _other_version(folder: Path, plan: Plan, subject: str) -> Iterator[str]:
    """That a subject has another commit than in the run: a program has more files than the plan has hashes of."""
    before = next((one.version for one in read_run_folder(folder).subjects if one.name == subject), "")
    own = [name for name in plan.subjects if name not in BUILT_IN and subject_label(name) == subject]
    if before.startswith("git ") and own and before != (now := worked_out_version(own[0])):
        yield f"{subject}: {before} → {now}"


def named_finding(folder: Path, fingerprint: str) -> Finding:
    """The finding of a run folder with this number, or whose fingerprint begins so; raises InputError if not one."""
    found = called(read_run_folder(folder), fingerprint)
    if len(found) != 1:
        problem = "no finding has" if not found else f"{len(found)} findings have"
        raise InputError(f"{folder}: {problem} a fingerprint that begins with {fingerprint}")
    return found[0]


def check_finding(finding: Finding, plan: Plan, folder: Path) -> None:
    """Raise InputError where a finding of a run folder is of a model, a subject or a check that its plan has not."""
    example = finding.example
    named = {
        "model": (example.model, [model.name for model in plan.models]),
        "subject": (example.subject, plan.participants(example.model)),
        "check": (example.check, plan.checks),
    }
    for kind, (name, known) in named.items():
        if name not in known:
            path = folder / FINDINGS
            raise InputError(f"{path}: {finding.fingerprint} is of the {kind} {visible(name)}, which {PLAN} has not")


def _say(console: Console, label: str, text: str) -> None:
    console.print(Text(f"{label:>9}  {visible(text)}"), soft_wrap=True)
