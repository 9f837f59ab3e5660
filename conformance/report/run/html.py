"""A run as one HTML file that needs nothing else: no network, no fonts, no JavaScript (which adds filter, sort, copy).

The template holds the page, this module what it shows. Whatever the template writes goes through `visible` and then
through the escaping of jinja2, so that no input can be markup, and the page's policy runs no script but its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

from conformance.checks import CHECKS
from conformance.core.case import Case
from conformance.core.finding import SEVERITIES, Finding, Mismatch
from conformance.core.rule_table import rule_row
from conformance.core.run import MENDED, Cell, LanguageCell, ModelInfo, Run
from conformance.core.weight import WEIGHT_CLASSES, Share
from conformance.report import blocks
from conformance.report.blocks import EVERYTHING, Line, Phrase, foreign
from conformance.report.run import view
from conformance.report.run.alignment import Group, aligned
from conformance.report.run.issue import issue_markdown
from conformance.report.run.snippet import reproduction_command, snippet
from conformance.report.run.weight_words import MOST_SHARES, brief_words, percent, weight_words
from conformance.report.templates import LONGEST_VALUE, page
from conformance.report.text import CodePoint, code_points, visible

MOST_DETAILED = 200
"""Findings of the ranked list, each with all details folded; what is left is counted by model, subject and check."""

MOST_GROUPS, MOST_TOKENS = 3, 3
"""Parts of the text, and tokens of each answer in a part, that a line of the list shows."""

MOST_UNITS = 64
"""Code points or bytes of an input that are listed one by one."""

LONGEST_INPUT = 1000
LONGEST_ANSWER = 400
LONGEST_KEY = 40
LONGEST_LINE = 24
"""Code points of an input or an answer in a line of the list."""

NEVER = "never reached"
"""The key of coverage.json under which the examples are of what no input reached."""

_NO_MISTAKE = (
    "A result, no mistake of the subject: it fails a run only with --require, or where no subject reads any model. "
    "A subject that could not be had at all is a problem."
)

HEAT_STEPS = (0.0, 0.001, 0.01, 0.05, 0.2, 0.5, 0.9)
"""A share of mismatches above the n-th of these has the heat n + 1."""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """The heat map model × language of a subject.

    rows: the languages with mismatches, those with the largest share first; equal: the names of the others.
    """

    subject: str
    models: list[str]
    rows: list[tuple[str, list[LanguageCell | None]]]
    equal: list[str]


@dataclass(frozen=True, slots=True)
class LineView:
    """A finding in a line of the list.

    bar: the share of all natural texts that it changes, in percent, 0 where it changes none; label: that in words, or
        what else the weight is. groups: the first parts of the text that differ, of which the first is after others
        where is_later; is_cut: whether there are more. input, answers: visible already.
    """

    bar: float
    label: str
    input: str
    groups: list[Group]
    is_later: bool
    is_cut: bool
    answers: view.Answers


def html_report(run: Run, coverage: Mapping[str, Any] | None = None) -> str:
    """The whole page. coverage: of a session, as coverage.json has it."""
    findings = view.ordered(run.findings)
    names = view.language_names(run)
    models = {model.name: model for model in run.models}
    return page(
        "report.html.jinja",
        ["report.css", "blocks.css", "findings.css"],
        "report.js",
        run=run,
        good=run.exit_code == 0,
        mended=MENDED,
        view=view,
        matrix=[(model, list(rows)) for model, rows in groupby(view.rows(run), key=lambda row: row.model)],
        targets={finding.example.place: finding.fingerprint for finding in reversed(findings)},
        cell_numbers=cell_numbers,
        weights=[name for name in WEIGHT_CLASSES if any(item.weight.kind == name for item in findings)],
        severities=[name for name in SEVERITIES if any(item.example.severity == name for item in findings)],
        most_tokens=MOST_TOKENS,
        most_shares=MOST_SHARES,
        longest_answer=LONGEST_ANSWER,
        heat_maps=_heat_maps(run),
        heat_of=_heat,
        heat_steps=_heat_steps(),
        most=EVERYTHING,
        coverage=[*_coverage(coverage or {})],
        asked=[*_asked(run)],
        not_tested=[*_not_tested(run)],
        subjects=list(dict.fromkeys(finding.example.subject for finding in findings)),
        detailed=[finding for finding in findings[:MOST_DETAILED] if not view.is_aside(run, finding)],
        asides=[finding for finding in findings[:MOST_DETAILED] if view.is_aside(run, finding)],
        rest=_rest(findings[MOST_DETAILED:]),
        line_of=_line_view,
        issue=partial(issue_markdown, run),
        languages_of=lambda finding: [names.get(language, language) for language in finding.languages],
        rule_row=rule_row,
        weight_words=weight_words,
        shown_input=_shown_input,
        input_note=_input_note,
        units_of=_units,
        groups=_groups,
        compares_offsets=_compares_offsets,
        commands_of=lambda finding: _commands(finding, models.get(finding.example.model)),
        is_exact=lambda command: visible(command, LONGEST_VALUE) == command,
        snippet=lambda finding: snippet(finding, models.get(finding.example.model)),
    )


# --- the matrix


def cell_numbers(cell: Cell | None) -> tuple[str, str]:
    """The number that a cell of the matrix shows, and what it says of it.

    >>> cell_numbers(Cell("m", "s", "ids", 12345, mismatched=3, known=1)), cell_numbers(Cell("m", "s", "ids", 0))
    (('3', 'of 12k, 1 known'), ('', ''))
    """
    kind = view.state(cell)
    if cell is None or kind == "none":
        return "", ""
    if kind == "silent":
        return f"{cell.failures:,}", "no answer"
    numbers = f"{cell.mismatched:,}" if cell.mismatched else view.rounded(cell.compared)
    notes = [f"of {view.rounded(cell.compared)}"] if cell.mismatched else []
    notes += [f"{cell.known:,} known"] if cell.known and kind == "new" else []
    notes += [f"{cell.failures:,} no answer"] if cell.failures else []
    if kind == "follows":
        numbers, notes = f"{cell.explained:,}", [f"of {view.rounded(cell.compared + cell.explained)}", *notes]
    return numbers, ", ".join(notes)


# --- the heat maps


def _heat_maps(run: Run) -> list[HeatMap]:
    """A heat map of each subject that has a mismatch in a corpus file."""
    names = view.language_names(run)
    found: dict[str, dict[str, dict[str, LanguageCell]]] = {}
    for cell in run.languages:
        found.setdefault(cell.subject, {}).setdefault(cell.language, {})[cell.model] = cell
    return [
        _heat_map(subject, languages, names)
        for subject, languages in found.items()
        if any(cell.mismatched for cells in languages.values() for cell in cells.values())
    ]


def _heat_map(subject: str, languages: Mapping[str, Mapping[str, LanguageCell]], names: Mapping[str, str]) -> HeatMap:
    models = list(dict.fromkeys(model for cells in languages.values() for model in cells))
    rows = [(names[file], [cells.get(model) for model in models], _rate(cells)) for file, cells in languages.items()]
    telling = sorted((row for row in rows if row[2]), key=lambda row: (-row[2], row[0]))
    equal = sorted(name for name, _, rate in rows if not rate)
    return HeatMap(subject, models, [(name, cells) for name, cells, _ in telling], equal)


def _rate(cells: Mapping[str, LanguageCell]) -> float:
    """The largest share of mismatches."""
    return max((cell.mismatched / cell.compared for cell in cells.values() if cell.compared), default=0.0)


def _heat(cell: LanguageCell | None) -> tuple[int, str, float, str]:
    """How hot a cell is, from 0 to 7, the share of mismatches, that as a number, and as a sentence."""
    if cell is None or not cell.compared:
        return 0, view.SYMBOLS["none"], 0.0, "not compared"
    share = Share(cell.language, "texts", cell.mismatched, cell.compared)
    sentence = f"{cell.mismatched:,} of {view.plural(cell.compared, 'answer')} differ"
    shown = percent(share) if cell.mismatched else view.SYMBOLS["equal"]
    return sum(share.rate > step for step in HEAT_STEPS), shown, share.rate, sentence


def _heat_steps() -> list[str]:
    """The steps of the scale in words.

    >>> _heat_steps()[0], _heat_steps()[-1]
    ('≤ 0.1 %', '> 90 %')
    """
    return [*(f"≤ {100 * step:g} %" for step in HEAT_STEPS[1:]), f"> {100 * HEAT_STEPS[-1]:g} %"]


# --- what was asked, and what was not


def _coverage(coverage: Mapping[str, Any]) -> Iterator[blocks.Block]:
    """The coverage of a session, model by model."""
    titles = ("what", "never reached, for example", "reached", "of", "share")
    models: list[blocks.Block] = []
    for model, found in coverage.items():
        rows = tuple(_coverage_row(kind, of_kind) for kind, of_kind in found["kinds"].items())
        nothing = found.get("nothing to do", {}).items()
        idle = tuple(foreign(f"{generator} had nothing to do: {reason}") for generator, reason in nothing)
        anchor = f"coverage-{len(models)}"
        models.append(
            blocks.Section(
                anchor, foreign(model), (blocks.Table(anchor, titles, rows, names=2), blocks.Bullets(idle)), 3
            )
        )
    if models:
        yield blocks.Section("coverage", "Coverage of the session", tuple(models))


def _coverage_row(kind: str, found: Mapping[str, Any]) -> tuple[Line, ...]:
    missing = ", ".join(visible(str(key), LONGEST_KEY) for key in found[NEVER])
    share = f"{100 * found['reached'] / found['total']:.1f} %"
    return foreign(kind), Phrase(missing, "code"), f"{found['reached']:,}", f"{found['total']:,}", share


def _asked(run: Run) -> Iterator[blocks.Block]:
    """The models and the corpora of a run."""
    titles = ("model", "format", "oracle", "Unicode", "file", "SHA-256", "vocab")
    yield blocks.Table("about", titles, tuple(map(_model_row, run.models)), names=6)
    if run.corpora:
        files = tuple((foreign(name), foreign(digest, "code")) for name, digest in run.corpora.items())
        yield blocks.Table("about", ("corpus", "hash"), files, names=2)


def _model_row(model: ModelInfo) -> tuple[Line, ...]:
    unicode = ", ".join(dict.fromkeys(model.unicode.values()))
    named = map(foreign, (model.name, model.format, model.oracle, unicode, model.path))
    return *named, foreign(model.sha256, "code"), f"{model.vocab_size:,}"


def _not_tested(run: Run) -> Iterator[blocks.Block]:
    """What each subject was not asked, and why."""
    rows = tuple(
        (foreign(name), foreign("; ".join(said), limit=LONGEST_VALUE)) for name, said in view.not_done(run).items()
    )
    if rows:
        table = blocks.Table("not-tested", ("subject", "what it was not asked, and why"), rows, names=2)
        note = blocks.Paragraph(_NO_MISTAKE, "soft")
        yield blocks.Section("not-tested", "What was not tested", (table, note))


# --- a finding


def _rest(findings: list[Finding]) -> list[list[Finding]]:
    """Findings by status, severity and place."""
    found: dict[tuple[str, ...], list[Finding]] = {}
    for item in findings:
        found.setdefault((item.status, item.example.severity, *item.example.place), []).append(item)
    return list(found.values())


def _line_view(finding: Finding) -> LineView:
    groups = _groups(finding.example)
    example = finding.example
    first = next((index for index, group in enumerate(groups) if group.differs), 0)
    start = max(0, first - 1)
    return LineView(
        bar=round(100 * finding.weight.rate, 2),
        label=brief_words(finding.weight) or finding.weight.kind,
        input=view.numbered_input(example.case, LONGEST_LINE),
        groups=groups[start : start + MOST_GROUPS],
        is_later=start > 0 or example.evidence.skipped > 0,
        is_cut=start + MOST_GROUPS < len(groups) or example.evidence.is_cut,
        answers=view.answers(example, LONGEST_LINE),
    )


def _groups(example: Mismatch) -> list[Group]:
    """The tokens of both answers under the text, as far as they were seen."""
    return aligned(example.case, example.evidence) if example.evidence.expected else []


def _commands(finding: Finding, model: ModelInfo | None) -> list[str]:
    return [command for command in (finding.replay, reproduction_command(finding, model)) if command]


def _shown_input(case: Case) -> str:
    return view.shown_input(case, LONGEST_INPUT if case.kind == "text" else MOST_UNITS)


def _input_note(case: Case) -> str:
    noun = {"text": "code point", "bytes": "byte", "ids": "id"}[case.kind]
    length = len(case.text or case.data or case.ids)
    limit = LONGEST_INPUT if case.kind == "text" else MOST_UNITS
    cut = f", the first {limit:,} shown" if length > limit else ""
    return f"{view.plural(length, noun)}{cut}, from {case.origin}"


def _units(case: Case) -> tuple[list[CodePoint], int]:
    """The code points of a text or the bytes of bytes, one by one, and how many more; ids are their own names."""
    left = max(0, len(case.text or case.data) - MOST_UNITS)
    if case.kind == "bytes":
        return [CodePoint(f"0x{byte:02X}", _shown_byte(byte), _role(byte), "") for byte in case.data[:MOST_UNITS]], left
    return code_points(case.text, MOST_UNITS), left


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
