"""A run on the terminal: findings in two lines each, what failed, the verdict, and in the last line what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from conformance.core.finding import Finding
from conformance.core.rule_table import rule_row
from conformance.core.run import Run
from conformance.report import blocks
from conformance.report.blocks import Line, Paragraph, Phrase, foreign, sign
from conformance.report.run import view
from conformance.report.run.blocks import finding_card, known, matrix, not_done, problems, verdict_sign
from conformance.report.run.folder import HTML
from conformance.report.run.view import SYMBOLS
from conformance.report.run.weight_words import brief_words
from conformance.report.terminal import Terminal

MOST = blocks.Most(cards=10, rows=2)
"""What is shown unless all is asked for: it fits on a screen, each line in the width of the terminal."""


def print_report(run: Run, folder: Path, console: Console, verbose: bool = False) -> None:
    """Print the report of a run; foreign text is escaped, so that it cannot command the terminal.

    verbose: everything: each finding with all that is known of it, what did not fail, known findings by name.
    folder: of the run.
    """
    terminal = Terminal(console, blocks.EVERYTHING if verbose else MOST, cuts=not verbose)
    findings = view.numbered(run, view.new_findings(run))
    if verbose:
        print_findings(run, view.new_findings(run), console)
    else:
        terminal.draw((Paragraph(line) for one in findings[: MOST.cards] for line in in_two_lines(run, *one)), False)
        if (more := len(findings) - MOST.cards) > 0:
            words = f" {view.plural(more, 'more unexpected finding')}: --verbose shows all"
            terminal.draw([Paragraph((sign(SYMBOLS["new"]), words))], False)
    named = view.known_findings(run) if verbose else ()
    terminal.draw([*matrix(run, not verbose), *known(run, named), *not_done(run, not verbose)], False)
    Terminal(console).draw(problems(run), False)
    if verbose:
        terminal.lines.line()
    answers = f": {view.plural(run.answers, 'answer')} compared in {view.seconds(run):.1f} s"
    gate = f"; none fails it: --fail-on {run.fail_on}" if run.exit_code == 0 and run.unexpected else ""
    title = terminal.title((sign(verdict_sign(run)), f" {view.headline(run)}"))
    terminal.lines.line(title.append(answers + gate, "default"))
    for line in (f"Report: {folder / HTML}", f"Next: {next_command(run, folder)}"):
        terminal.lines.line(terminal.line(line), whole=True)


def print_findings(run: Run, findings: list[Finding], console: Console) -> None:
    """Print all that is known of some findings of a run."""
    terminal = Terminal(console)
    for place, (number, finding) in enumerate(view.numbered(run, findings)):
        if place:
            terminal.lines.line()
        card = finding_card(finding, SYMBOLS[finding.status], number=number)
        terminal.cards([card.title], [card])
        if finding.replay:
            width = max(len(field.name) for field in card.fields)
            terminal.lines.labelled(f"  {'replay':{width}}  ", finding.replay, "dim", whole=True)


def next_command(run: Run, folder: Path) -> str:
    """The command that a reader of the report most likely wants next."""
    named = shlex.quote(str(folder))
    if run.verdict == "incomplete":
        return f"conformance {'fuzz' if run.sources == ('session',) else 'run'} --resume {named}"
    if run.unexpected:
        return f"conformance show {named} 1"
    if run.mended:
        return f"conformance known prune {named}"
    if run.sources == ("session",):
        return f"conformance fuzz --resume {named}"
    return shlex.join(["conformance", "fuzz", *_subjects_and_models(run.command)])


def in_two_lines(run: Run, number: int, finding: Finding) -> tuple[Line, Line]:
    """What is wrong and how much it matters; an input that shows it, with both answers.

    The subject, the model and the check are named where the findings differ in them.
    """
    places = zip(finding.example.place, *(one.example.place for one in view.new_findings(run)), strict=True)
    place = " / ".join(name for name, *others in places if {*others} != {name})
    example = finding.example
    expected, observed = view.answers(example, 60).lines
    severity, code = brief_words(finding.weight) or example.severity, rule_row(finding.stage, finding.rule).code
    return (
        (sign(SYMBOLS["new"]), f" #{number} {code}  ", Phrase(severity, "strong"), "  ", foreign(view.cause(finding))),
        (
            "    ",
            Phrase(view.numbered_input(example.case, 40), "strong"),
            f"  expected {expected} ",
            sign("≠"),
            f" observed {observed}",
            *(("  ", foreign(place, "soft")) if place else ()),
        ),
    )


_SUBJECTS_AND_MODELS = ("--model", "--subject", "--official")


def _subjects_and_models(command: str) -> Iterator[str]:
    """The options of a command that name subjects, models and what is official; none of what is no command."""
    try:
        words = shlex.split(command)
    except ValueError:
        return
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if word in _SUBJECTS_AND_MODELS:
            yield from (word, after)
        elif word.partition("=")[0] in _SUBJECTS_AND_MODELS:
            yield word
