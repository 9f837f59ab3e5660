"""A matrix of releases as blocks, and as JSON: what changed in words, the table, every cause, what was not asked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from conformance.checks import CHECKS
from conformance.comparing.matrix import RUN, Behaviour, Cause, Gap, LibraryMatrix, MatrixRow, ReleaseCell, State, spans
from conformance.core.run import finding_to_json
from conformance.report import blocks
from conformance.report.blocks import Line, Phrase, foreign, sign
from conformance.report.run.view import answers, plural, shown_input

SCHEMA_VERSION = 1

SIGNS: dict[State, str] = {"equal": "✓", "known": "≈", "new": "✗", "none": "–", "refused": "∅"}
MEANINGS: dict[State, str] = {
    "equal": "nothing differs",
    "known": "differs, known and explained below",
    "new": "differs, unexplained",
    "none": "nothing to compare",
    "refused": "the release does not read the model",
}
_SPACE = "␣"
INTRODUCTION = (
    "reftok is the reference. It follows the newest release, so a difference of an older release is that release's "
    "own. Each release is held against the one before it here; those between the two were not asked. "
    f"In the examples {_SPACE} is a space."
)
COUNTED = "A number counts the answers that differ, of reftok and of the library together."

MOST_MODELS = 4
"""Models that a line of the summary names."""

_NUMBER = re.compile(r"\d+")


def matrix_report(libraries: Sequence[LibraryMatrix]) -> blocks.Report:
    """The matrices of all libraries, one after the other."""
    links = tuple(Phrase(headline(library), target=f"#{library.library}") for library in libraries)
    lead = (blocks.Paragraph(INTRODUCTION), blocks.OnPage((blocks.Bullets(links),)))
    body = tuple(blocks.Section(library.library, headline(library), tuple(_blocks(library))) for library in libraries)
    return blocks.Report("Tokenizer conformance", "Releases of the official libraries", lead, body)


def _blocks(library: LibraryMatrix) -> Iterator[blocks.Block]:
    yield from (blocks.Paragraph(foreign(warning), "warning") for warning in warnings(library))
    quiet = quiet_line(library)
    yield blocks.Bullets((*(line.line for line in summary(library)), *([foreign(quiet)] if quiet else [])))
    rows = [row for row in library.rows if any(cell.state in ("known", "new") for cell in row.cells)]
    if rows:
        shown = tuple(_row(library, row) for row in rows)
        yield blocks.Table(library.library, ("model and check", *library.releases), shown)
        signs = [part for state, words in MEANINGS.items() for part in (sign(SIGNS[state]), f" {words}, ")]
        yield blocks.Paragraph((*signs, COUNTED), "soft")
    if equal := len(library.rows) - len(rows):
        where = "of model and check where nothing differs in any release"
        yield blocks.Paragraph((sign(SIGNS["equal"]), f" {plural(equal, 'row')} {where}"))
    if library.causes:
        yield blocks.Cards(tuple(_card(library, cause) for cause in library.causes))
    if lines := gap_lines(library):
        gaps = blocks.Bullets(tuple(foreign(line, limit=2000) for line in lines))
        yield blocks.Section(f"{library.library}-not-asked", "Not asked", (gaps,), level=3)


def headline(library: LibraryMatrix) -> str:
    """The result, in one line."""
    found = [release for cause in library.causes for release, _ in cause.turns]
    changes = plural(len(found), "change") if found else "no change seen"
    changes += f" in {len(set(found)):,} of them" if len(found) > 1 else ""
    unlisted = sum(not behaviour.is_known for behaviour in library.behaviours)
    end = f", {plural(unlisted, 'behaviour')} unexplained" if unlisted else ""
    return f"{library.library}: {plural(len(library.releases), 'release')}, {changes}{end}"


# --- the summary


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A change in one release from the one before.

    where: the checks and models; fingerprint: of a behaviour that stands for it below, "" where there is none.
    """

    release: str
    word: str
    what: str
    where: str = ""
    fingerprint: str = ""

    def __str__(self) -> str:
        return f"{self.release}: {self.word}: {self.what}" + (f" ({self.where})" if self.where else "")

    @property
    def line(self) -> Line:
        """The same, which leads to its behaviour."""
        what = foreign(self.what, target=f"#{self.fingerprint}" if self.fingerprint else "")
        where = (" ", foreign(f"({self.where})", "soft")) if self.where else ()
        return foreign(f"{self.release}: {self.word}:"), " ", what, *where


def summary(library: LibraryMatrix) -> tuple[SummaryLine, ...]:
    """The changes, the newest release first."""
    lines = [*_changes(library), *_first_asked(library)]
    return tuple(sorted(lines, key=lambda line: -library.releases.index(line.release)))


def _changes(library: LibraryMatrix) -> Iterator[SummaryLine]:
    for cause in library.causes:
        fingerprint = cause.behaviours[0].example.fingerprint
        for release, came in cause.turns:
            yield SummaryLine(release, "new" if came else "ended", title(cause), _where(cause), fingerprint)


def _first_asked(library: LibraryMatrix) -> Iterator[SummaryLine]:
    """The releases with which models and checks begin that the older ones were not asked."""
    begun: dict[tuple[int, str], dict[str, None]] = {}
    for gap in library.gaps:
        if gap.what == RUN:
            continue
        rows = [row for row in library.rows if gap.what in (row.model, row.check)]
        first = min(index for row in rows for index, cell in enumerate(row.cells) if cell.compared)
        if library.releases.index(gap.releases[0]) < first:
            word = "first to read" if gap.reason else "first with something to compare"
            begun.setdefault((first, word), {})[gap.what] = None
    for (first, word), what in begun.items():
        yield SummaryLine(library.releases[first], word, ", ".join(what))


def quiet_line(library: LibraryMatrix) -> str:
    """The releases that do all as the one asked before, "" where there is none."""
    changed = {line.release for line in summary(library)}
    quiet = [release for release in library.releases[1:] if release not in changed]
    return f"{', '.join(quiet)}: no change seen" if quiet else ""


def warnings(library: LibraryMatrix) -> tuple[str, ...]:
    """The reasons to doubt the summary."""
    runs = (gap for gap in library.gaps if gap.what == RUN)
    return tuple(f"{spans(library.releases, gap.releases)}: {RUN} {gap.reason}" for gap in runs)


def _where(cause: Cause) -> str:
    """The checks and models of a cause."""
    checks = ", ".join(dict.fromkeys(behaviour.check for behaviour in cause.behaviours))
    models = cause.models
    return f"{checks} of {', '.join(models) if len(models) <= MOST_MODELS else plural(len(models), 'model')}"


# --- the table


def _row(library: LibraryMatrix, row: MatrixRow) -> tuple[Line | blocks.Cell, ...]:
    cells = (_cell(library, row, *pair) for pair in zip(library.releases, row.cells, strict=True))
    return (foreign(row.model), " ", foreign(row.check, "soft")), *cells


def _cell(library: LibraryMatrix, row: MatrixRow, release: str, cell: ReleaseCell) -> blocks.Cell:
    """As few characters as tell what matters: its sign, and how many answers differ; it leads to what explains it."""
    differs = cell.state in ("known", "new")
    target = _explained_by(library, row, release) if differs else ""
    number = (" ", Phrase(f"{cell.mismatched:,}", target=target)) if differs else ()
    return blocks.Cell((sign(SIGNS[cell.state]), *number), cell_sentence(cell))


def _explained_by(library: LibraryMatrix, row: MatrixRow, release: str) -> str:
    """The address of the first behaviour that explains a cell, "" where there is none."""
    found = (
        f"#{behaviour.example.fingerprint}"
        for cause in library.causes
        for behaviour in cause.behaviours
        if behaviour.check == row.check and row.model in behaviour.models and release in behaviour.seen
    )
    return next(found, "")


def cell_sentence(cell: ReleaseCell) -> str:
    """A cell in words."""
    if cell.refused:
        return f"does not read the model: {cell.refused}"
    if not cell.compared:
        return "nothing to compare"
    if not cell.mismatched:
        return f"{plural(cell.compared, 'answer')} compared, nothing differs"
    return f"{cell.mismatched:,} of {plural(cell.compared, 'answer')} differ, {cell.known:,} of them known"


# --- the causes, one by one


def title(cause: Cause) -> str:
    """The behaviours of a cause, in one line."""
    rules: dict[str, dict[str, None]] = {}
    for behaviour in cause.behaviours:
        rules.setdefault(behaviour.stage or behaviour.check, {})[behaviour.rule] = None
    return "; ".join(f"{stage}: {'; '.join(found)}" for stage, found in rules.items())


def period(cause: Cause) -> str:
    """The releases that do it, as far as they were asked, in words."""
    return history(max(cause.behaviours, key=lambda behaviour: len(behaviour.seen)))


def history(behaviour: Behaviour) -> str:
    """The releases that do it, in words; that in which it went is the first that was asked and does it no longer."""
    seen, changes = behaviour.seen, behaviour.turns
    if not changes:
        return "In every release asked"
    gone = f" (gone in {changes[-1][0]})" if not changes[-1][1] else ""
    came = [release for release, has_come in changes if has_come]
    if len(seen) == 1:
        return f"In {seen[0]}{gone}"
    if not came:
        return f"Until {seen[-1]}{gone}"
    if changes == ((came[0], True),):
        return f"Since {came[0]}"
    return f"In {', '.join(seen)}{gone}"


def _card(library: LibraryMatrix, cause: Cause) -> blocks.Card:
    fields = [blocks.Field(name, value) for name, value in _facts(library, cause)]
    for number, behaviour in enumerate(cause.behaviours):
        anchor = behaviour.example.fingerprint if number else ""
        place = foreign(f"{behaviour.check} of {behaviour.subject}").text
        fields.append(blocks.Field(place, foreign(_extent(cause, behaviour)), anchor))
        fields += example_fields(library, behaviour)
    lead = cause.behaviours[0].example.fingerprint
    name = (
        sign(SIGNS["known" if cause.is_known else "new"]),
        " ",
        foreign(f"{period(cause)}: {title(cause)}", "strong"),
    )
    note = (f"{library.library} ", Phrase(f"#{lead}", target=f"#{lead}"))
    return blocks.Card(name, tuple(fields), lead, note)


def _facts(library: LibraryMatrix, cause: Cause) -> Iterator[tuple[str, Line]]:
    """The facts about a cause as a whole, by name."""
    reasons = dict.fromkeys(behaviour.example.reason for behaviour in cause.behaviours)
    yield "because", foreign(" ".join(filter(None, reasons)) or "(no expectation lists it)", limit=2000)
    if upstream := cause.behaviours[0].example.upstream:
        yield "upstream", foreign(upstream, target=upstream if upstream.startswith("https://") else "")
    asked = {version for behaviour in cause.behaviours for version in behaviour.asked}
    named = [version for version in library.releases if version in asked]
    if len(named) < len(library.releases):
        yield "asked", spans(library.releases, named)


def _extent(cause: Cause, behaviour: Behaviour) -> str:
    """The number of answers with one behaviour of a cause, and its models."""
    last = behaviour.seen[-1]
    rules = {other.rule for other in cause.behaviours}
    rule = f"{behaviour.rule}: " if len(rules) > 1 else ""
    differ = f"{plural(behaviour.mismatches[last], 'answer')} in {last}"
    return f"{rule}{differ}, seen on {', '.join(behaviour.models)}"


def example_fields(library: LibraryMatrix, behaviour: Behaviour) -> tuple[blocks.Field, ...]:
    """The input and both answers, and what to say after each. A space in a text is always shown as U+2423."""
    example = behaviour.example.example
    text = shown_input(example.case)
    expected, observed = answers(example).lines
    given = f" given by {library.library}"
    whose = (" expected", given)
    if behaviour.subject != library.library:
        whose = (given, f" given by {foreign(behaviour.subject).text}, as the newest release does")
    check = CHECKS.get(example.check)
    compares = "" if check is None else check.compares
    is_decoded = compares in ("decoding", "own_decoding")
    is_expected_text = (is_decoded or compares == "stream_decoded") and example.expected != "an answer"
    is_text = is_decoded and example.severity == "other text"
    return (
        _example("example", text, example.case.kind == "text", f" on {foreign(example.model).text}"),
        _example("", expected, is_expected_text, whose[0]),
        _example("", observed, is_text, whose[1]),
    )


def _example(name: str, shown: str, is_text: bool, whose: str) -> blocks.Field:
    spaced = shown.replace(" ", _SPACE).replace("␠", _SPACE)
    return blocks.Field(name, (Phrase(spaced if is_text else shown, "code"), whose))


# --- what was not asked


def gap_lines(library: LibraryMatrix) -> tuple[str, ...]:
    """The gaps of releases: those that do not read a model, for one reason, in one sentence."""
    groups: dict[tuple[tuple[str, ...], str], list[Gap]] = {}
    for gap in library.gaps:
        if gap.what != RUN:
            groups.setdefault((gap.releases, _NUMBER.sub("N", gap.reason)), []).append(gap)
    return tuple(_gap_line(library, gaps, masked) for (_, masked), gaps in groups.items())


def _gap_line(library: LibraryMatrix, gaps: list[Gap], masked: str) -> str:
    reasons = {gap.reason for gap in gaps}
    reason = masked if len(reasons) > 1 else gaps[0].reason
    what = ", ".join(gap.what for gap in gaps)
    return f"{spans(library.releases, gaps[0].releases)}: {what}: {reason or 'there is nothing to compare'}"


# --- as JSON


def matrix_json(libraries: Sequence[LibraryMatrix]) -> str:
    """The document, which has everything whole; in ASCII and sorted, so that the same runs give the same bytes."""
    value = {"schema": SCHEMA_VERSION, "libraries": [_library(library) for library in libraries]}
    return json.dumps(value, indent=1, ensure_ascii=True, sort_keys=True) + "\n"


def _library(library: LibraryMatrix) -> dict[str, Any]:
    return {
        "library": library.library,
        "releases": list(library.releases),
        "summary": [*warnings(library), *map(str, summary(library)), *filter(None, [quiet_line(library)])],
        "rows": [
            {"model": row.model, "check": row.check, "cells": [_cell_to_json(cell) for cell in row.cells]}
            for row in library.rows
        ],
        "behaviours": [_behaviour(behaviour) for behaviour in library.behaviours],
        "gaps": [asdict(gap) for gap in library.gaps],
    }


def _cell_to_json(cell: ReleaseCell) -> dict[str, Any]:
    return {**asdict(cell), "state": cell.state}


def _behaviour(behaviour: Behaviour) -> dict[str, Any]:
    names = ("subject", "check", "stage", "rule")
    return {
        **{name: getattr(behaviour, name) for name in names},
        **{name: list(getattr(behaviour, name)) for name in ("asked", "seen", "models")},
        "mismatches": dict(behaviour.mismatches),
        "changed": behaviour.has_changed,
        "history": history(behaviour),
        "example": finding_to_json(behaviour.example),
    }
