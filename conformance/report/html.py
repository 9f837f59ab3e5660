"""A run as one HTML file that needs nothing else: no network, no fonts, no JavaScript (which only adds the filter).

The template holds the page, this module what it shows. Whatever the template writes goes through `visible` and then
through the escaping of jinja2, so that no input can be markup, and the page's policy runs no script but its own.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import groupby
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from conformance.case import Case
from conformance.finding import SEVERITIES, Finding
from conformance.report import view
from conformance.report.alignment import Group, aligned
from conformance.report.reproduction import reproduction
from conformance.report.text import CodePoint, code_points, visible
from conformance.run import Cell, LanguageCell, Run

MOST_DETAILED = 200
"""Findings that are shown with all details; the next are rows of a table."""

MOST_BRIEF = 1000
"""Rows of that table; what is left is counted by model, subject and check."""

MOST_CULPRITS = 8
"""Subjects that the first screen names."""

MOST_UNITS = 64
"""Code points or bytes of an input that are listed one by one."""

MOST_NUMBERS = 8
LONGEST_INPUT = 1000
LONGEST_PIECE = 80
LONGEST_ANSWER = 400
LONGEST_VALUE = 4000

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
class HeatView:
    """A cell of the heat map: how hot from 0 to 5, the number of mismatches, and the sentence that says the same."""

    heat: int
    numbers: str
    sentence: str


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding with its input and answers laid out."""

    finding: Finding
    share: str
    since: str
    expected_by: str
    input: Markup
    input_note: str
    units: list[CodePoint]
    units_left: int
    groups: list[Group]
    spans: bool
    shared: Markup
    expected: Markup
    observed: Markup
    link: str
    replay_is_exact: bool
    reproduction: str


@dataclass(frozen=True, slots=True)
class RestView:
    """Findings that are only counted: of which place, how bad, how many mismatches, and their anchors."""

    finding: Finding
    count: int
    fingerprints: list[str]


def html_report(run: Run, history: view.History | None = None) -> str:
    """The whole page. history: since when each finding has been there, where an earlier run tells."""
    findings = view.ordered(run.findings)
    style, script = _resource("report.css"), _resource("report.js")
    return _template().render(
        run=run,
        style=Markup(style),
        script=Markup(script),
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'",
        good=run.exit_code == 0,
        headline=view.headline(run),
        seconds=view.seconds(run),
        known=len(view.known_findings(run)),
        history=history,
        culprits=[(item, view.accusation(item.worst), view.share_of(run, item.worst)) for item in view.culprits(run)],
        most_culprits=MOST_CULPRITS,
        oracles=[subject for subject in run.subjects if subject.role == "oracle"],
        checks=view.checks(run),
        matrix=_matrix(run, findings),
        symbols=view.SYMBOLS,
        meanings=view.MEANINGS,
        severities=[name for name in SEVERITIES if any(item.example.severity == name for item in findings)],
        heat_subjects=_heat_subjects(run),
        heat_rows=_heat_rows(run),
        subjects=list(dict.fromkeys(finding.example.subject for finding in findings)),
        detailed=[_finding_view(run, finding, history) for finding in findings[:MOST_DETAILED]],
        brief=findings[MOST_DETAILED : MOST_DETAILED + MOST_BRIEF],
        rest=_rest(findings[MOST_DETAILED + MOST_BRIEF :]),
    )


# --- the page


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
        keep_trailing_newline=True,
    )
    environment.filters["number"] = lambda value: f"{value:,}"
    environment.filters["markup"] = Markup.escape
    environment.filters["plural"] = view.plural
    environment.filters["piece"] = lambda text: Markup.escape(visible(text, LONGEST_PIECE))
    environment.filters["numbers"] = _numbers
    environment.filters["brief_input"] = lambda case: Markup.escape(view.shown_input(case, 40))
    return environment.from_string(_resource("report.html.jinja"))


def _numbers(text: str) -> str:
    """The code points of a short text that ASCII does not have: two that look the same may be spelled differently."""
    return "" if text.isascii() or len(text) > MOST_NUMBERS else " ".join(f"{ord(item):04X}" for item in text)


def _finalize(value: Any) -> Any:
    """What the template writes of a value: text is made visible, unless it is markup, which was made visible before."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else visible(value, LONGEST_VALUE)


@cache
def _resource(name: str) -> str:
    """A file that lies beside this module."""
    return resources.files("conformance.report").joinpath(name).read_text("utf-8")


def _hash(source: str) -> str:
    """How a content security policy names an inline script or style."""
    return f"sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}"


# --- the matrix


def _matrix(run: Run, findings: list[Finding]) -> list[tuple[str, list[tuple[str, list[CellView]]]]]:
    """For every model its subjects, for every subject its cells."""
    targets: dict[tuple[str, str, str], str] = {}
    for finding in findings:
        example = finding.example
        targets.setdefault((example.model, example.subject, example.check), finding.fingerprint)
    return [
        (model, [(row.subject, [_cell_view(cell, targets) for cell in row.cells]) for row in rows])
        for model, rows in groupby(view.rows(run), key=lambda row: row.model)
    ]


def _cell_view(cell: Cell | None, targets: dict[tuple[str, str, str], str]) -> CellView:
    kind = view.state(cell)
    if cell is None or kind == "none":
        return CellView(kind, "", "", view.sentence(cell), "")
    numbers = f"{cell.compared:,}" if not cell.mismatched else f"{cell.mismatched:,} / {cell.compared:,}"
    notes = [f"{cell.known:,} known"] if cell.known and kind == "new" else []
    notes += [f"{cell.failures:,} no answer"] if cell.failures else []
    if kind == "silent":
        numbers, notes = f"{cell.failures:,}", ["no answer"]
    target = targets.get((cell.model, cell.subject, cell.check), "")
    return CellView(kind, numbers, ", ".join(notes), view.sentence(cell), target)


# --- the heat map


def _heat_subjects(run: Run) -> list[str]:
    return list(dict.fromkeys(cell.subject for cell in run.languages))


def _heat_rows(run: Run) -> list[tuple[str, int, list[HeatView]]]:
    """Every language with its mismatches and its cells; those with the most mismatches first."""
    found: dict[str, dict[str, LanguageCell]] = {}
    for cell in run.languages:
        found.setdefault(cell.language, {})[cell.subject] = cell
    totals = {language: sum(cell.mismatched for cell in cells.values()) for language, cells in found.items()}
    subjects = _heat_subjects(run)
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


# --- a finding


def _rest(findings: list[Finding]) -> list[RestView]:
    """Findings by status, severity and place."""
    found: dict[tuple[str, ...], list[Finding]] = {}
    for item in findings:
        example = item.example
        key = (item.status, example.severity, example.model, example.subject, example.check)
        found.setdefault(key, []).append(item)
    return [
        RestView(items[0], sum(item.count for item in items), [item.fingerprint for item in items])
        for items in found.values()
    ]


def _finding_view(run: Run, finding: Finding, history: view.History | None) -> FindingView:
    example, case = finding.example, finding.example.case
    answers = view.answers(example, LONGEST_ANSWER)
    model = next((item for item in run.models if item.name == example.model), None)
    return FindingView(
        finding,
        share=view.share_of(run, finding),
        expected_by=view.expected_by(finding),
        since=history.since.get(finding.fingerprint, "") if history else "",
        input=Markup.escape(view.shown_input(case, LONGEST_INPUT if case.kind == "text" else MOST_UNITS)),
        input_note=_input_note(case),
        units=_units(case),
        units_left=max(0, len(case.text or case.data) - MOST_UNITS),
        groups=aligned(case, example.evidence) if example.evidence.expected else [],
        spans=example.check == "offsets",
        shared=Markup.escape(answers.shared),
        expected=Markup.escape(answers.expected),
        observed=Markup.escape(answers.observed),
        link=finding.upstream if finding.upstream.startswith(("https://", "http://")) else "",
        replay_is_exact=visible(finding.replay, LONGEST_VALUE) == finding.replay,
        reproduction=reproduction(finding, model),
    )


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
    """What a byte can be in UTF-8.

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
