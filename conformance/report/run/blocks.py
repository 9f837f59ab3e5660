"""A run as blocks: its findings, the matrix, what is known, what was not done; and the summary made of them.

The summary is Markdown that fits a pull-request comment: a screenful, what is unexpected first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.core.finding import Finding
from conformance.core.run import Run
from conformance.report import blocks
from conformance.report.blocks import Line, Phrase, foreign, sign
from conformance.report.markdown import blocks_markdown
from conformance.report.run import view
from conformance.report.run.view import SYMBOLS, Row, plural

MOST = blocks.Most(cards=8, rows=10, lines=5)
"""Of a summary."""

_WORST_FIRST = ("new", "silent", "known", "follows", "none", "equal")
_ANSWERS = ("input", "expected", "observed")
_DETAILS = ("foretold", "natural", "right", "parts")


def summary_markdown(run: Run) -> str:
    """The summary; a few dozen lines at most, whatever the run found."""
    answers = f"{plural(run.answers, 'answer')} compared over {plural(run.cases, 'case')}"
    worst = view.worst_line(run)
    lead: list[blocks.Block] = [
        *([blocks.Paragraph(foreign(worst, "strong"))] if worst else []),
        blocks.Paragraph(f"{answers} in {view.seconds(run):.1f} s."),
        *problems(run),
    ]
    body: list[blocks.Block] = [blocks.Cards(tuple(map(_with_others, view.new_findings(run)))), _matrix(run)]
    about = blocks.Bullets(tuple(foreign(line, limit=400) for line in view.about_subjects(run)))
    body += [about, *known(run), *not_done(run)]
    report = blocks.Report("Tokenizer conformance", view.headline(run), tuple(lead), tuple(body), verdict_sign(run))
    return blocks_markdown(report, MOST)


def verdict_sign(run: Run) -> str:
    """The sign of the verdict."""
    return SYMBOLS["equal" if run.exit_code == 0 else "new"]


def problems(run: Run) -> Iterator[blocks.Block]:
    """The problems of the run."""
    if run.problems:
        start = sign(SYMBOLS["silent"])
        yield blocks.Bullets(tuple((start, " problem: ", foreign(one, limit=2000)) for one in run.problems))


def not_done(run: Run) -> Iterator[blocks.Block]:
    """What each subject was not asked, and why."""
    if lines := view.not_done_lines(run):
        yield blocks.Bullets(tuple((sign(SYMBOLS["none"]), " ", foreign(line, limit=2000)) for line in lines))


def known(run: Run, verbose: bool = False) -> Iterator[blocks.Block]:
    """The known findings: how many, and by name where they are few.

    verbose: each is named, and its place too.
    """
    if not (title := view.known_line(run)):
        return
    found = view.known_findings(run) if verbose else view.few_known(run)
    named = blocks.Bullets(tuple(_named(one, verbose) for one in found))
    yield blocks.Section("known", (sign(SYMBOLS["known"]), f" {title}"), (named,))


def _named(finding: Finding, verbose: bool) -> Line:
    place = f"{view.place(finding)}: " if verbose else ""
    times = Phrase(f"  ({finding.count:,} x)", "soft")
    return Phrase(finding.fingerprint, "code"), f"  {place}", foreign(view.cause(finding)), times


def finding_card(finding: Finding, mark: str = "", more: tuple[blocks.Field, ...] = (), note: Line = "") -> blocks.Card:
    """A finding: how bad, in which place, how often, then its rule, its shrunk input and both answers.

    more: what else is to be said. note: what stands beside the title on a page.
    """
    place = Phrase(view.place(finding), "strong")
    start = (sign(mark), " ") if mark else ()
    severity, times = Phrase(finding.example.severity, "strong"), Phrase(f"  {view.seen(finding)}", "soft")
    fields = tuple(
        blocks.Field(name, Phrase(value, "code" if name in _ANSWERS else "plain"), is_detail=name in _DETAILS)
        for name, value in view.fields(finding)
    )
    return blocks.Card((*start, severity, "  ", place, times), (*fields, *more), finding.fingerprint, note)


def _with_others(finding: Finding) -> blocks.Card:
    """With some more inputs that show it."""
    card = finding_card(finding)
    shown = [Phrase(view.shown_input(one.case, 40), "code") for one in view.other_examples(finding)]
    separated = [part for phrase in shown for part in (", ", phrase)][1:]
    return replace(card, fields=(*card.fields, *([blocks.Field("also", tuple(separated))] if shown else [])))


def culprit_line(culprit: view.Culprit) -> tuple[str | Phrase, ...]:
    """A subject that is wrong: its deed, on which models, its worst finding, how many others there are."""
    worst = culprit.worst
    others = f"; {plural(culprit.others, 'more finding')}" if culprit.others else ""
    return (
        foreign(culprit.subject, "strong"),
        f" {view.accusation(worst)} on ",
        foreign(", ".join(culprit.models), "strong"),
        ": ",
        foreign(view.cause(worst), target=f"#{worst.fingerprint}"),
        ", such as ",
        Phrase(view.shown_input(worst.example.case, 40), "code"),
        Phrase(f" ({plural(worst.count, 'mismatch', 'es')}{others})", "soft"),
    )


def _matrix(run: Run) -> blocks.Block:
    """One row per model and subject, the worst first."""
    ranked = sorted(view.rows(run), key=lambda row: _WORST_FIRST.index(row.state))
    titles = ("model", "subject", "checks that differ", "compared", "unexpected", "known")
    if not ranked:
        return blocks.Paragraph("No cell was filled.")
    return blocks.Table("matrix", titles, tuple(_row(row, view.checks(run)) for row in ranked), names=3)


def _row(row: Row, names: tuple[str, ...]) -> tuple[Line, ...]:
    pairs = zip(names, map(view.state, row.cells), strict=True)
    differing = [f"{SYMBOLS[kind]} {name}" for name, kind in pairs if kind not in ("equal", "none")]
    differing += [view.absence_sentence(row.absence)] if row.absence else []
    numbers = (f"{number:,}" for number in (row.compared, row.mismatched - row.known, row.known))
    return (
        (sign(SYMBOLS[row.state]), " ", foreign(row.model, limit=40)),
        foreign(row.subject, limit=40),
        foreign(", ".join(differing)),
        *numbers,
    )
