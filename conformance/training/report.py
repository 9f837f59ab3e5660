"""What a run of `conformance train` has found: on a terminal, and as summary.md."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console

from conformance.report.console import ConsoleLines
from conformance.report.run.view import plural
from conformance.report.text import visible
from conformance.training.findings import NO_KNOWN_RULE, TrainingFinding, words_and_counts
from conformance.training.result import TrainingResult

MOST_WORDS = 12


def headline(result: TrainingResult) -> str:
    """The result in a line."""
    whole = "" if result.done == result.total else f" of {result.total:,}, then interrupted"
    done = f"{plural(result.asked, 'training')} compared{whole}"
    if not result.done:
        return f"✗ {result.label}: nothing is proved: no training was compared{whole}"
    if result.is_vacuous and not result.asked:
        return f"✗ {result.label}: nothing is proved: all of {plural(result.done, 'training')} were refused"
    if result.different:
        return f"✗ {result.label}: {result.different:,} differ of {done}"
    if result.is_vacuous:
        return f"✗ {result.label}: little is proved: {done}, {result.done - result.asked:,} were refused"
    return f"✓ {result.label}: as the reference trains: {done}"


def notes(result: TrainingResult) -> Iterator[str]:
    """What else is to be said of a run."""
    yield ", ".join(f"{trainer} {count:,}" for trainer, count in result.compared.items())
    if result.options:
        yield f"options: {result.options}"
    if result.refused:
        yield f"both refuse: {result.refused:,}"
    for message, count in result.not_taken.items():
        yield f"only the subject refuses: {count:,}, {visible(message)}"
    if result.by_chance:
        yield f"left to chance by the library, and so not compared: {result.by_chance:,} (equal entries in its queue)"
    if result.different and not result.findings:
        yield f"no finding was made of the {plural(result.different, 'difference')} before the end"


def fields(finding: TrainingFinding) -> Iterator[tuple[str, str]]:
    """Names and what is said of each, made visible."""
    yield "rule", finding.rule
    if finding.official:
        yield "wrong", visible(finding.official)
    if finding.rule != NO_KNOWN_RULE:
        yield "foretold", f"{finding.foretold} of {finding.tried} other results, on corpora that it was not chosen by"
    words = words_and_counts(finding.case)
    shown = ", ".join(f"{visible(text, 60)} ({count} x)" for text, count in words[:MOST_WORDS])
    yield "corpus", shown + (f" and {len(words) - MOST_WORDS} more" if len(words) > MOST_WORDS else "")
    yield "options", ", ".join(f"{name} {visible(str(value), 60)}" for name, value in finding.case.settings.items())
    yield "first", visible(finding.difference.place)
    yield "expected", visible(finding.difference.expected) + (f": {visible(finding.reason)}" if finding.reason else "")
    yield "observed", visible(finding.difference.observed)
    more = f" and {len(finding.cases) - 1:,} more" if len(finding.cases) > 1 else ""
    yield "seen", f"{visible(finding.cases[0], 120)}{more}"


def print_training(console: Console, result: TrainingResult) -> None:
    """The headline, then each finding in aligned lines."""
    lines = ConsoleLines(console)
    lines.line(headline(result), "bold red" if result.different or result.is_vacuous else "bold green")
    for note in notes(result):
        lines.line(f"  {note}", "dim")
    for finding in result.findings:
        lines.line()
        lines.line(
            lines.shown("✗ ", "red").append_text(lines.text(f"{finding.trainer} / {finding.difference.kind}", "bold"))
        )
        lines.grid([(name, lines.shown(said)) for name, said in fields(finding)])


def summary(result: TrainingResult) -> str:
    """The same as Markdown; what others wrote stands in indented code."""
    parts = [f"# Training\n\n{headline(result)}\n\n", *(f"- {note}\n" for note in notes(result))]
    for finding in result.findings:
        rows = "".join(f"    {name:<9} {said}\n" for name, said in fields(finding))
        parts.append(f"\n## {finding.trainer}: {finding.rule}\n\n{rows}")
    return "".join(parts)
