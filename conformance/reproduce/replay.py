"""Replaying one finding of a run."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.text import Text

from conformance.checks import CHECKS, of_rule
from conformance.checks.base import Difference
from conformance.core.errors import InputError
from conformance.core.finding import Finding
from conformance.engine.collecting import collect_answers
from conformance.engine.naming import named_difference
from conformance.engine.workers import bench_of
from conformance.report.run.folder import read_run_folder
from conformance.report.text import visible
from conformance.runs.job import is_unchanged
from conformance.runs.journal import read_plan


def replay(folder: Path, fingerprint: str, console: Console) -> int:
    """Ask the subject and the oracle again; 0 where a change has mended it, else 1."""
    finding = named_finding(folder, fingerprint)
    plan, _, _, hashes = read_plan(folder)
    example = finding.example
    bench = bench_of(plan, example.model)
    if example.subject not in bench.subjects:
        raise InputError(f"{example.subject} cannot take part now: {bench.unavailable.get(example.subject, 'unknown')}")
    answers = collect_answers(bench, [example.case], (example.check,), example.subject, plan.inputs.closest_depth)
    oracle = answers[bench.oracle][0]
    subject = of_rule(example.check, answers[example.subject][0], example.rule)
    outcome = CHECKS[example.check](example.case, oracle, subject)
    bench.close()
    _say(console, "input", example.case.readable_text if example.case.kind != "ids" else str(list(example.case.ids)))
    where = f"{example.subject} on {example.model}, {example.check}"
    if not isinstance(outcome, Difference):
        changed = [name for name, digest in hashes.items() if not is_unchanged(Path(name), digest)]
        if changed:
            console.print(f"{where}: differs no more; changed since the run: {', '.join(changed)}", soft_wrap=True)
            return 0
        console.print(f"{where}: not seen again, though nothing has changed: it may hang on what was asked before")
        return 1
    outcome = named_difference(bench.reference.tokenizer, outcome, oracle, subject)
    _say(console, "expected", outcome.expected)
    _say(console, "observed", outcome.observed)
    stage = f"{finding.stage}: " if finding.stage else ""
    console.print(f"{where}: still differs ({stage}{finding.rule})")
    return 1


def named_finding(folder: Path, fingerprint: str) -> Finding:
    """The finding of a run folder whose fingerprint begins so; raises InputError where it is not exactly one."""
    found = [entry for entry in read_run_folder(folder).findings if entry.fingerprint.startswith(fingerprint)]
    if len(found) != 1:
        problem = "no finding has" if not found else f"{len(found)} findings have"
        raise InputError(f"{folder}: {problem} a fingerprint that begins with {fingerprint}")
    return found[0]


def _say(console: Console, label: str, text: str) -> None:
    console.print(Text(f"{label:>9}  {visible(text)}"), soft_wrap=True)
