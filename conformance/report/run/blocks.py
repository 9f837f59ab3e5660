"""A run as blocks: its findings, the matrix, what is known, what was not done; and the summary made of them.

The summary is Markdown that fits a pull-request comment: a screenful, what is unexpected first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress

from conformance.core.finding import Finding
from conformance.core.run import MENDED, Cell, Run
from conformance.report import blocks
from conformance.report.blocks import Line, Phrase, foreign, sign
from conformance.report.markdown import blocks_markdown
from conformance.report.run import view
from conformance.report.run.view import SYMBOLS, Row, plural

MOST = blocks.Most(cards=8, rows=10, lines=5)
"""Of a summary."""

_WORST_FIRST = ("new", "silent", "known", "follows", "none", "equal")
ANSWERS = ("input", "expected", "observed")
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
    body: list[blocks.Block] = [blocks.Cards(tuple(map(finding_card, view.new_findings(run)))), *matrix(run)]
    about = blocks.Bullets(tuple(foreign(line, limit=400) for line in view.about_subjects(run)))
    body += [
        about,
        *known(run, [one for one in view.known_findings(run) if not view.is_aside(run, one)]),
        *not_done(run),
    ]
    report = blocks.Report("Tokenizer conformance", view.headline(run), tuple(lead), tuple(body), verdict_sign(run))
    return blocks_markdown(report, MOST)


def verdict_sign(run: Run) -> str:
    """The sign of the verdict."""
    return SYMBOLS["equal" if run.exit_code == 0 else "new"]


def problems(run: Run) -> Iterator[blocks.Block]:
    """The problems of the run; what was known and is mended is one with a name of its own."""
    if run.problems:
        start = sign(SYMBOLS["silent"])
        words = (f" {MENDED if one in run.mended else 'problem'}: " for one in run.problems)
        pairs = zip(words, run.problems, strict=True)
        yield blocks.Bullets(tuple((start, word, foreign(one, limit=2000)) for word, one in pairs))


def not_done(run: Run, only_names: bool = False) -> Iterator[blocks.Block]:
    """What each subject was not asked, and why. only_names: of several, only which."""
    if lines := view.not_done_lines(run):
        if only_names and len(lines) > 1:
            lines = [f"not asked everything, as --verbose says: {', '.join(view.not_done(run))}"]
        yield blocks.Bullets(tuple((sign(SYMBOLS["none"]), " ", foreign(line, limit=2000)) for line in lines))


def known(run: Run, named: Sequence[Finding]) -> Iterator[blocks.Block]:
    """The known findings: how many, and which."""
    if title := view.known_line(run):
        yield blocks.Bullets(((sign(SYMBOLS["known"]), f" {title}"), *map(_named, named)))


def _named(finding: Finding) -> Line:
    times = Phrase(f"  ({finding.count:,} x)", "soft")
    return Phrase(finding.fingerprint, "code"), f"  {view.place(finding)}: ", foreign(view.cause(finding)), times


def finding_card(
    finding: Finding, mark: str = "", more: tuple[blocks.Field, ...] = (), note: Line = "", number: int = 0
) -> blocks.Card:
    """A finding: how bad, in which place, how often, then its rule, its shrunk input and both answers.

    more: what else is to be said. note: what stands beside the title on a page. number: by which commands know it, 0
        where that is not told.
    """
    place = Phrase(view.place(finding), "strong")
    start = (sign(mark), f" #{number}  " if number else " ") if mark else ()
    severity, times = Phrase(finding.example.severity, "strong"), Phrase(f"  {view.seen(finding)}", "soft")
    fields = tuple(
        blocks.Field(name, Phrase(value, "code" if name in ANSWERS else "plain"), is_detail=name in _DETAILS)
        for name, value in view.fields(finding)
    )
    return blocks.Card((*start, severity, "  ", place, times), (*fields, *more), finding.fingerprint, note)


def matrix(run: Run, only_failed: bool = False) -> Iterator[blocks.Block]:
    """One row per model and subject, the worst first. only_failed: no other rows, nor numbers that are all 0."""
    ranked = sorted(view.rows(run), key=lambda row: _WORST_FIRST.index(row.state))
    if not ranked:
        yield blocks.Paragraph("Nothing was asked.")
    titles = ("model", "subject", "checks that differ", "compared", "unexpected", "known")
    rows = [_row(row, view.checks(run)) for row in ranked if not only_failed or row.state in ("new", "silent")]
    if rows:
        is_kept = [not only_failed or any(cell != "0" for cell in column) for column in zip(*rows, strict=True)]
        kept = tuple(tuple(compress(row, is_kept)) for row in rows)
        yield blocks.Table("matrix", tuple(compress(titles, is_kept)), kept, names=3)


def _differing(check: str, cell: Cell | None) -> tuple[str | Phrase, ...]:
    """A check by name, if its answers are not all equal, and how many are not."""
    kind, number = view.state(cell), view.differing(cell)
    return (", ", foreign(check), " ", sign(SYMBOLS[kind]), f" {number:,}") if number else ()


def _row(row: Row, names: tuple[str, ...]) -> tuple[Line, ...]:
    pairs = zip(names, row.cells, strict=True)
    differing = [part for name, cell in pairs for part in _differing(name, cell)]
    differing += [", ", foreign(view.absence_sentence(row.absence))] if row.absence else []
    numbers = (f"{number:,}" for number in (row.compared, row.mismatched - row.known, row.known))
    return (
        (sign(SYMBOLS[row.state]), " ", foreign(row.model, limit=40)),
        foreign(row.subject, limit=40),
        tuple(differing[1:]) or "",
        *numbers,
    )
