"""Whether a trained file is valid, and what official results are a function of: on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from conformance.report.console import ConsoleLines
from conformance.report.run.view import plural
from conformance.report.text import visible
from conformance.training.checking import Checked
from conformance.training.determinism import CHANGES, Determinism
from conformance.training.findings import NO_KNOWN_RULE

MOST_OF_A_LIST = 8


def _shown(value: object) -> str:
    if isinstance(value, list) and len(value) > MOST_OF_A_LIST:
        return f"({len(value)} of them)"
    return visible(str(value), 60)


def print_checked(console: Console, path: str, checked: Checked) -> None:
    """Whether a trained file is a valid result, and what it was held against."""
    lines = ConsoleLines(console)
    trainer = checked.case.trainer
    said = "a valid result" if checked.is_valid else "not a valid result"
    sign = "✓" if checked.is_valid else "✗"
    lines.line(f"{sign} {path}: {said} of {trainer} on these texts", "bold green" if checked.is_valid else "bold red")
    settings = [(name, _shown(value)) for name, value in checked.case.settings.items()]
    rows = [
        ("texts", f"{plural(len(checked.case.texts), 'text')}, taken as {checked.reading}"),
        ("options", ", ".join(f"{name} {value}" for name, value in settings)),
    ]
    if checked.choices:
        rows.append(("chance", f"taken from the file: {'; '.join(checked.choices)}"))
    if checked.difference is not None:
        reason = f": {visible(checked.reason)}" if checked.reason else ""
        rows += [
            ("first", visible(checked.difference.place)),
            ("expected", visible(checked.difference.expected) + reason),
            ("observed", visible(checked.difference.observed)),
        ]
        if not checked.difference.path:
            rows.append(("rule", f"{checked.rule}: foretells the whole file" if checked.rule else NO_KNOWN_RULE))
        if checked.has_equal_entries:
            rows.append(("note", "two entries of the library's queue are equal here: it makes such merges by chance"))
    if checked.refusal:
        rows.append(("note", f"the official library does not load this file: {visible(checked.refusal, 120)}"))
    lines.grid([(name, lines.shown(said)) for name, said in rows])


def print_determinism(console: Console, found: Sequence[Determinism]) -> None:
    """A row a trainer: how many of its trainings changed with what; below, what that says, with an example."""
    lines = ConsoleLines(console)
    counts = [[str(len(one.changed[change])) for change in CHANGES] for one in found]
    lines.table(
        ("trainer", "trainings", *CHANGES),
        [(one.trainer, str(one.trainings), *row) for one, row in zip(found, counts, strict=True)],
    )
    for one in found:
        lines.line(f"{one.trainer}: {one.sentence}")
        if one.example:
            lines.line(f"  such as {visible(one.example, 120)}", "dim")
