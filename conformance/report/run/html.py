"""A run as one HTML file that needs nothing else: no network, no fonts, no JavaScript (which only adds the filter).

The template holds the page, this module what it shows. Whatever the template writes goes through `visible` and then
through the escaping of jinja2, so that no input can be markup, and the page's policy runs no script but its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from conformance.checks import CHECKS
from conformance.core.case import Case
from conformance.core.finding import SEVERITIES, Finding, Place
from conformance.core.run import Cell, LanguageCell, Run
from conformance.core.weight import WEIGHT_CLASSES, Share
from conformance.report.run import view
from conformance.report.run.alignment import Group, aligned
from conformance.report.run.snippet import reproduction_command, snippet
from conformance.report.run.weight_words import MOST_SHARES, weight_words, worst_words
from conformance.report.templates import LONGEST_VALUE, page
from conformance.report.text import CodePoint, code_points, visible

MOST_DETAILED = 200
"""Findings that are shown with all details; the next are rows of a table."""

MOST_BRIEF = 1000
"""Rows of that table; what is left is counted by model, subject and check."""

MOST_CULPRITS = 8
"""Subjects that the first screen names."""

MOST_UNITS = 64
"""Code points or bytes of an input that are listed one by one."""

LONGEST_INPUT = 1000
LONGEST_ANSWER = 400
LONGEST_KEY = 40

NEVER = "never reached"
"""The key of coverage.json under which the examples are of what no input reached."""

HEAT_STEPS = (0.0, 0.0001, 0.001, 0.01, 0.1)
"""A share of mismatches above the n-th of these has the heat n + 1."""


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell of the matrix: its numbers, the sentence that says the same, and the finding that it leads to."""

    state: view.State
    numbers: str
    note: str
    sentence: str
    target: str


@dataclass(frozen=True, slots=True)
class RowView:
    """A row of the matrix: a subject with its cells, or why it took no part with the model, "" where it did."""

    subject: str
    state: view.State
    cells: list[CellView]
    absence: str


@dataclass(frozen=True, slots=True)
class HeatView:
    """A cell of the heat map: how hot from 0 to 5, the number of mismatches, and the sentence that says the same."""

    heat: int
    numbers: str
    sentence: str


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding with its input and answers laid out; input, answers: visible already.

    weight: in words. shares: all, where the words do not name them all.
    """

    finding: Finding
    is_aside: bool
    share: str
    expected_by: str
    confidence: str
    input: str
    input_note: str
    nearest: str
    natural: str
    parts: str
    units: list[CodePoint]
    units_left: int
    groups: list[Group]
    spans: bool
    answers: view.Answers
    link: str
    commands: list[str]
    commands_are_exact: bool
    reproduction: str
    weight: str
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class RestView:
    """Findings that are only counted: of which place, how bad, how many mismatches, and their anchors."""

    finding: Finding
    count: int
    fingerprints: list[str]


@dataclass(frozen=True, slots=True)
class CoverageView:
    """The coverage of one model by a session: by kind how many were reached, of how many, and some that never were."""

    model: str
    kinds: list[tuple[str, int, int, str]]
    idle: list[tuple[str, str]]


def html_report(run: Run, coverage: Mapping[str, Any] | None = None) -> str:
    """The whole page. coverage: of a session, as coverage.json has it."""
    findings = view.ordered(run.findings)
    return page(
        "report.html.jinja",
        ["report.css"],
        "report.js",
        run=run,
        good=run.exit_code == 0,
        headline=view.headline(run),
        worst=view.worst_line(run),
        seconds=view.seconds(run),
        known=len(view.known_findings(run)),
        not_done=view.not_done(run),
        culprits=[
            (
                item,
                view.accusation(item.worst),
                "; ".join(filter(None, (view.share_of(run, item.worst), worst_words(item.worst.weight)))),
            )
            for item in view.culprits(run.findings)
        ],
        most_culprits=MOST_CULPRITS,
        checks=view.checks(run),
        matrix=_matrix(run, findings),
        symbols=view.SYMBOLS,
        meanings=view.MEANINGS,
        weights=[name for name in WEIGHT_CLASSES if any(item.weight.kind == name for item in findings)],
        severities=[name for name in SEVERITIES if any(item.example.severity == name for item in findings)],
        heat_rows=_heat_rows(run),
        heat_totals=_heat_totals(run),
        folder=view.folder(run),
        coverages=[_coverage_view(model, entry) for model, entry in (coverage or {}).items()],
        subjects=list(dict.fromkeys(finding.example.subject for finding in findings)),
        detailed=[_finding_view(run, finding) for finding in findings[:MOST_DETAILED]],
        brief=findings[MOST_DETAILED : MOST_DETAILED + MOST_BRIEF],
        rest=_rest(findings[MOST_DETAILED + MOST_BRIEF :]),
    )


# --- the matrix


def _matrix(run: Run, findings: list[Finding]) -> list[tuple[str, list[RowView]]]:
    """For every model its subjects."""
    targets: dict[Place, str] = {}
    for finding in findings:
        targets.setdefault(finding.example.place, finding.fingerprint)
    return [
        (model, [_row_view(row, targets) for row in rows])
        for model, rows in groupby(view.rows(run), key=lambda row: row.model)
    ]


def _row_view(row: view.Row, targets: dict[Place, str]) -> RowView:
    absence = view.absence_sentence(row.absence) if row.absence else ""
    return RowView(row.subject, row.state, [_cell_view(cell, targets) for cell in row.cells], absence)


def _cell_view(cell: Cell | None, targets: dict[Place, str]) -> CellView:
    kind = view.state(cell)
    if cell is None or kind == "none":
        return CellView(kind, "", "", view.sentence(cell), "")
    numbers = f"{cell.compared:,}" if not cell.mismatched else f"{cell.mismatched:,} / {cell.compared:,}"
    notes = [f"{cell.known:,} known"] if cell.known and kind == "new" else []
    notes += [f"{cell.failures:,} no answer"] if cell.failures else []
    if kind == "silent":
        numbers, notes = f"{cell.failures:,}", ["no answer"]
    target = targets.get(cell.place, "")
    return CellView(kind, numbers, ", ".join(notes), view.sentence(cell), target)


# --- the heat map


def _heat_totals(run: Run) -> dict[str, int]:
    """The number of corpus files in which each subject differs."""
    totals = dict.fromkeys((cell.subject for cell in run.languages), 0)
    for cell in run.languages:
        totals[cell.subject] += cell.mismatched > 0
    return totals


def _heat_rows(run: Run) -> list[tuple[str, int, list[HeatView]]]:
    """Every language with its mismatches and its cells; those with the most mismatches first."""
    found: dict[str, dict[str, LanguageCell]] = {}
    for cell in run.languages:
        found.setdefault(cell.language, {})[cell.subject] = cell
    totals = {language: sum(cell.mismatched for cell in cells.values()) for language, cells in found.items()}
    subjects = _heat_totals(run)
    return [
        (language, totals[language], [_heat_view(found[language].get(subject)) for subject in subjects])
        for language in sorted(found, key=lambda language: (-totals[language], language))
    ]


def _heat_view(cell: LanguageCell | None) -> HeatView:
    if cell is None or not cell.compared:
        return HeatView(0, view.SYMBOLS["none"], "not compared")
    share = cell.mismatched / cell.compared
    sentence = f"{cell.mismatched:,} of {view.plural(cell.compared, 'answer')} differ ({share:.2%})"
    numbers = f"{cell.mismatched:,}" if cell.mismatched else view.SYMBOLS["equal"]
    return HeatView(sum(share > step for step in HEAT_STEPS), numbers, sentence)


# --- the coverage of a session


def _coverage_view(model: str, entry: Mapping[str, Any]) -> CoverageView:
    kinds = [
        (kind, found["reached"], found["total"], ", ".join(visible(str(key), LONGEST_KEY) for key in found[NEVER]))
        for kind, found in entry["kinds"].items()
    ]
    return CoverageView(model, kinds, list(entry["nothing to do"].items()))


# --- a finding


def _rest(findings: list[Finding]) -> list[RestView]:
    """Findings by status, severity and place."""
    found: dict[tuple[str, ...], list[Finding]] = {}
    for item in findings:
        found.setdefault((item.status, item.example.severity, *item.example.place), []).append(item)
    return [
        RestView(items[0], sum(item.count for item in items), [item.fingerprint for item in items])
        for items in found.values()
    ]


def _finding_view(run: Run, finding: Finding) -> FindingView:
    example, case = finding.example, finding.example.case
    model = next((item for item in run.models if item.name == example.model), None)
    commands = [command for command in (finding.replay, reproduction_command(finding, model)) if command]
    return FindingView(
        finding,
        is_aside=view.is_aside(run, finding),
        share=view.share_of(run, finding),
        expected_by=view.expected_by(finding),
        confidence=view.confidence(finding),
        input=_shown_input(case),
        input_note=_input_note(case),
        natural="" if example.evidence.natural is None else _shown_input(example.evidence.natural),
        parts=view.where_answers_part(example),
        nearest="" if example.evidence.nearest is None else _shown_input(example.evidence.nearest),
        units=_units(case),
        units_left=max(0, len(case.text or case.data) - MOST_UNITS),
        groups=aligned(case, example.evidence) if example.evidence.expected else [],
        spans=_compares_offsets(example.check),
        answers=view.answers(example, LONGEST_ANSWER),
        link=finding.upstream if finding.upstream.startswith(("https://", "http://")) else "",
        commands=commands,
        commands_are_exact=all(visible(command, LONGEST_VALUE) == command for command in commands),
        reproduction=snippet(finding, model),
        weight=weight_words(finding.weight),
        shares=finding.weight.parts if len(finding.weight.parts) > MOST_SHARES else (),
    )


def _shown_input(case: Case) -> str:
    return view.shown_input(case, LONGEST_INPUT if case.kind == "text" else MOST_UNITS)


def _input_note(case: Case) -> str:
    noun = {"text": "code point", "bytes": "byte", "ids": "id"}[case.kind]
    length = len(case.text or case.data or case.ids)
    limit = LONGEST_INPUT if case.kind == "text" else MOST_UNITS
    cut = f", the first {limit:,} shown" if length > limit else ""
    return f"{view.plural(length, noun)}{cut}, from {case.origin}"


def _units(case: Case) -> list[CodePoint]:
    """The code points of a text or the bytes of bytes, one by one; ids are their own names."""
    if case.kind == "bytes":
        return [CodePoint(f"0x{byte:02X}", _shown_byte(byte), _role(byte), "") for byte in case.data[:MOST_UNITS]]
    return code_points(case.text, MOST_UNITS)


def _shown_byte(byte: int) -> str:
    return visible(chr(byte)) if byte < 0x80 else ""


def _role(byte: int) -> str:
    """The role of a byte in UTF-8.

    >>> [_role(byte) for byte in (0x41, 0x9F, 0xE2, 0xC0)]
    ['ASCII', 'continuation byte', 'first of 3 bytes', 'never in UTF-8']
    """
    if byte < 0x80:
        return "ASCII"
    if byte < 0xC0:
        return "continuation byte"
    if byte in (0xC0, 0xC1) or byte > 0xF4:
        return "never in UTF-8"
    return f"first of {2 + (byte >= 0xE0) + (byte >= 0xF0)} bytes"


def _compares_offsets(check: str) -> bool:
    found = CHECKS.get(check)
    return found is not None and found.diagnosis == "offsets"
