"""A comparison of two runs as blocks, and as JSON: the verdict, what is new first, what the runs do not share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from conformance.comparing.comparison import (
    KINDS,
    Change,
    Comparison,
    Coverage,
    FindingChange,
    Kind,
    PlaceChange,
    Tally,
    Verdict,
)
from conformance.core.finding import Finding
from conformance.core.run import MENDED, Run, finding_to_json, is_mended
from conformance.report import blocks
from conformance.report.blocks import Line, Phrase, foreign, sign
from conformance.report.run.blocks import finding_card
from conformance.report.run.view import cause, plural, sentence, shown_input, shown_time

SCHEMA_VERSION = 1

SIGNS: dict[Kind, str] = {
    "new": "✗",
    "fixed": "✓",
    "changed": "~",
    "unchanged": "=",
    "only before": "−",
    "only after": "+",
}
TITLES: dict[Kind, str] = {
    "new": "New",
    "fixed": "Fixed",
    "changed": "Changed",
    "unchanged": "Unchanged",
    "only before": "Only in the first run, which asked what the second did not",
    "only after": "Only in the second run, which asked what the first did not",
}
SHOWN: tuple[Kind, ...] = ("new", "changed", "fixed", "only after", "only before")
"""The kinds that are shown one by one, the worst first; the unchanged are counted."""

KIND_OF_VERDICT: dict[Verdict, Kind] = {
    "worse": "new",
    "better": "fixed",
    "changed": "changed",
    "unchanged": "unchanged",
}
"""The kind whose sign a verdict has."""

APART: dict[Kind, str] = {"only after": "only in the second run", "only before": "only in the first run"}
"""The words for findings that only one run could see."""

STATUS_WORDS: dict[str, str] = {"new": "unexpected", "known": "known"}
"""The words for a status, as in the report of a run."""

_WRONG: dict[Kind, str] = {
    "new": "New",
    "changed": "Changed",
    "only after": "Only in the second run",
    "unchanged": "Still wrong",
}
"""The names of the unexpected findings of the second run at the top, by kind."""

_COUNTED = ("new", "fixed", "changed", "mismatches")

MOST = {"terminal": blocks.Most(cards=10, rows=20), "markdown": blocks.Most(cards=5, rows=5, lines=6)}
MOST_NAMES = 6
MOST_WRONG = 2
"""Findings that are wrong, and such that are fixed, which are named at the top."""
LONGEST_VALUE = 60


def comparison_report(comparison: Comparison, reports: tuple[str, str] = ("", "")) -> blocks.Report:
    """The report. reports: the addresses of the first and the second run's report, "" where there is none."""
    runs = (("first run", comparison.before), ("second run", comparison.after))
    others = unlike(comparison)
    lead: list[blocks.Block] = [
        *([blocks.Paragraph(foreign(others, limit=2000), "warning")] if others else []),
        blocks.Counts(tuple(counts(comparison))),
        *_wrong(comparison),
        blocks.Bullets(tuple(foreign(f"{name}: {run_line(run)}") for name, run in runs)),
    ]
    commands = tuple((f"{name}: ", foreign(run.command, "code", limit=4000)) for name, run in runs)
    body: list[blocks.Block] = [
        *_sections(comparison),
        *(_findings(comparison, kind, reports) for kind in SHOWN if comparison.of(kind)),
        *_unchanged(comparison, reports),
        *_tables(comparison),
        blocks.OnPage((blocks.Section("commands", "What was run", (blocks.Bullets(commands),)),)),
    ]
    verdict = SIGNS[KIND_OF_VERDICT[comparison.verdict]]
    return blocks.Report("Tokenizer conformance", headline(comparison), tuple(lead), tuple(body), verdict)


# --- what stands at the top


def headline(comparison: Comparison) -> str:
    """The verdict, and what it rests on."""
    new, changed, fixed = (len(comparison.of(kind)) for kind in ("new", "changed", "fixed"))
    known = sum(change.finding.status == "known" for change in comparison.of("new"))
    lost = sum(place.lost for place in comparison.places)
    mended, problems = map(len, _mended_and_problems(comparison))
    parts = (
        (new, plural(new, "new finding") + (f" ({known:,} known)" if known else "")),
        (changed, plural(changed, "changed finding")),
        (fixed, f"{fixed:,} fixed"),
        (lost, f"{plural(lost, 'check')} that {'compares' if lost == 1 else 'compare'} nothing any more"),
        (mended, f"{mended:,} {MENDED}"),
        (problems, plural(problems, "new problem")),
    )
    what = ", ".join(words for number, words in parts if number)
    if comparison.verdict == "unchanged":
        apart = [f"{len(comparison.of(kind)):,} {where}" for kind, where in APART.items() if comparison.of(kind)]
        return "Nothing changed" + (f" in what both asked; {', '.join(apart)}" if apart else "")
    if comparison.verdict == "changed" and not what:
        what = f"the numbers of {plural(len(comparison.places), 'check')}"
    return comparison.verdict.capitalize() + (f": {what}" if what else "")


def _mended_and_problems(comparison: Comparison) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The new problems: those of known findings that no longer happen, and the others."""
    mended = tuple(filter(is_mended, comparison.new_problems))
    return mended, tuple(one for one in comparison.new_problems if one not in mended)


def counts(comparison: Comparison) -> Iterator[tuple[str, int, str]]:
    """Numbers by name, and their sections; of those that most comparisons do not have, only what there is."""
    unexpected, known = _unchanged_by_status(comparison)
    mended, problems = _mended_and_problems(comparison)
    for kind in ("new", "changed", "fixed"):
        yield kind, len(comparison.of(kind)), kind
    yield "still wrong", len(unexpected), "unchanged"
    others = (
        ("still known", len(known), "unchanged"),
        *((words, len(comparison.of(kind)), kind.replace(" ", "-")) for kind, words in APART.items()),
        ("checks lost", sum(place.lost for place in comparison.places), "checks"),
        (MENDED, len(mended), "mended"),
        ("new problems", len(problems), "new-problems"),
        ("problems gone", len(comparison.fixed_problems), "problems-gone"),
    )
    yield from (count for count in others if count[1])


def unlike(comparison: Comparison) -> str:
    """All that the runs do not share, in one sentence; "" where they asked the same."""
    before, after = comparison.before.cases, comparison.after.cases
    cases = [f"cases: {before:,} → {after:,}"] if before != after else []
    parts = (*map(_coverage_line, comparison.coverage), *cases, *comparison.notes)
    return f"Runs are not alike: {'; '.join(parts)}" if parts else ""


def _coverage_line(part: Coverage) -> str:
    """Subjects speak for themselves; of the others it is told what they are."""
    moved = ((part.lost, "left"), (part.new, "joined"), (part.changed, "changed"))
    words = ", ".join(f"{_names(names)} {word}" for names, word in moved if names)
    return words if part.name == "subjects" else f"{part.name}: {words}"


def _names(names: tuple[str, ...]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more:,} more" if more > 0 else "")


def _wrong(comparison: Comparison) -> Iterator[blocks.Bullets]:
    """The unexpected findings of the second run, what is new first, and the findings that are fixed."""
    wrong = [
        (sign(SIGNS["new"]), f" {name}: ", *_named(change.finding))
        for kind, name in _WRONG.items()
        for change in comparison.of(kind)
        if change.finding.status == "new"
    ]
    fixed = [(sign(SIGNS["fixed"]), " Fixed: ", *_named(change.finding)) for change in comparison.of("fixed")]
    if wrong or fixed:
        yield blocks.Bullets((*wrong[:MOST_WRONG], *fixed[:MOST_WRONG]))


def _named(finding: Finding) -> tuple[str | Phrase, ...]:
    model, subject, check = finding.example.place
    rule = foreign(cause(finding), target=f"#{finding.fingerprint}")
    place = (foreign(subject, "strong"), " on ", foreign(model, "strong"), ", ", foreign(check), ": ", rule)
    return *place, ", such as ", Phrase(shown_input(finding.example.case, 40), "code")


def run_line(run: Run) -> str:
    """A run in one line: when, what it asked, what it found."""
    when = f"{shown_time(run.started)}, " if run.started else ""
    found = f"{plural(len(run.findings), 'finding')} ({run.unexpected:,} unexpected)"
    return f"{when}{plural(run.cases, 'case')}, {plural(run.answers, 'answer')}, {found}"


# --- the runs as wholes


def _sections(comparison: Comparison) -> Iterator[blocks.Section]:
    """What is said of the runs as wholes; only the parts in which there is something."""
    mended, problems = _mended_and_problems(comparison)
    parts = (
        ("versions", "Versions", _version_lines(comparison)),
        ("mended", MENDED.capitalize(), mended),
        ("new-problems", "New problems", problems),
        ("problems-gone", "Problems that are gone", comparison.fixed_problems),
        ("checks", "Checks lost and new", tuple(map(_place, filter(_is_won_or_lost, comparison.places)))),
    )
    for anchor, title, sentences in parts:
        if sentences:
            yield blocks.Section(anchor, title, (blocks.Bullets(tuple(foreign(one, limit=2000) for one in sentences)),))


def _version_lines(comparison: Comparison) -> tuple[str, ...]:
    return tuple(
        f"{change.name} {change.before or '(not there)'} → {change.after or '(not there)'}"
        for change in comparison.versions
    )


def _is_won_or_lost(place: PlaceChange) -> bool:
    return not all(cell and cell.compared for cell in (place.before, place.after))


def _place(place: PlaceChange) -> str:
    where = f"{place.model} / {place.subject} / {place.check}"
    if place.after is None or not place.after.compared:
        return f"lost: {where} compares nothing any more (before: {sentence(place.before)})"
    return f"new: {where} ({sentence(place.after)})"


# --- the findings


def _findings(comparison: Comparison, kind: Kind, reports: tuple[str, str]) -> blocks.Section:
    changes = comparison.of(kind)
    title = f"{TITLES[kind]}: {plural(len(changes), 'finding')}"
    cards = blocks.Cards(tuple(_card(change, reports) for change in changes))
    return blocks.Section(
        kind.replace(" ", "-"), title, (blocks.Paragraph(foreign(since(comparison, kind)), "soft"), cards)
    )


def _card(change: FindingChange, reports: tuple[str, str]) -> blocks.Card:
    words = APART.get(change.kind, change.kind)
    note = (f"{words}, {STATUS_WORDS[change.finding.status]} ", _reference(change, reports))
    finding = change.finding
    said = [("changed", foreign(text, limit=2000), False) for text in what_changed(change)]
    said += [
        ("because", foreign(finding.reason, limit=2000), False),
        ("seen in", foreign(_names(finding.languages)), True),
        ("replay", foreign(finding.replay, "code", limit=2000), True),
    ]
    more = [blocks.Field(name, phrase, is_detail=is_detail) for name, phrase, is_detail in said if phrase.text]
    return finding_card(finding, SIGNS[change.kind], tuple(more), note)


def _reference(change: FindingChange, reports: tuple[str, str]) -> Phrase:
    """The finding's fingerprint, which leads to the report of its run."""
    report = reports[1] if change.after else reports[0]
    fingerprint = change.finding.fingerprint
    if not report:
        return Phrase(f"#{fingerprint}")
    return Phrase(f"#{fingerprint} in the report of its run", target=f"{report}#{fingerprint}")


def what_changed(change: FindingChange) -> tuple[str, ...]:
    """A sentence for each value that differs."""
    return tuple(f"{part.name}: {_value(part, part.before)} → {_value(part, part.after)}" for part in change.changes)


def _value(part: Change, text: str) -> str:
    short = text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"
    return STATUS_WORDS[text] if part.name == "status" else short or "(none)"


def since(comparison: Comparison, kind: Kind) -> str:
    """The run since which findings of a kind are there, or gone, as far as two runs tell."""
    before, after = _names_of_runs(comparison)
    if kind == "new":
        return f"new in {after}: {before} asked the same and did not see it{_versions_between(comparison)}"
    if kind == "fixed":
        return f"gone in {after}: {before} saw it{_versions_between(comparison)}"
    if kind in ("changed", "unchanged"):
        return f"there already in {before}"
    if kind == "only after":
        return "since when is not known, the first run did not ask this"
    return f"seen in {before}; whether it is still there is not known: the second run did not ask this"


def _names_of_runs(comparison: Comparison) -> tuple[str, str]:
    """By when they started, where that tells them apart."""
    before, after = shown_time(comparison.before.started), shown_time(comparison.after.started)
    if before and after and before != after:
        return f"the run of {before}", f"the run of {after}"
    return "the first run", "the second run"


def _versions_between(comparison: Comparison) -> str:
    """The versions that changed, for a finding that came or went with them."""
    lines = _version_lines(comparison)
    return f" (changed in between: {_names(lines)})" if lines else ""


def _unchanged(comparison: Comparison, reports: tuple[str, str]) -> Iterator[blocks.Section]:
    numbers = zip(map(len, _unchanged_by_status(comparison)), STATUS_WORDS.values(), strict=True)
    words = ", ".join(f"{number:,} {word}" for number, word in numbers if number)
    if words:
        section = _findings(comparison, "unchanged", reports)
        yield replace(section, title=f"{TITLES['unchanged']}: {words}", blocks=(blocks.OnPage(section.blocks),))


def _unchanged_by_status(comparison: Comparison) -> tuple[list[Finding], list[Finding]]:
    """The unchanged findings: the unexpected ones, and the known ones."""
    findings = [change.finding for change in comparison.of("unchanged")]
    return [one for one in findings if one.status == "new"], [one for one in findings if one.status == "known"]


# --- by model, subject, check and corpus file


def _tables(comparison: Comparison) -> Iterator[blocks.Section]:
    """The models, subjects, checks and corpus files in which anything changed."""
    found: list[blocks.Block] = []
    for name, tallies in comparison.tallies.items():
        changed = [tally for tally in tallies if tally.has_changed]
        same = len(tallies) - len(changed)
        if changed:
            found.append(blocks.Table("by", (name, *_COUNTED), tuple(map(_tally_row, changed))))
            found += [blocks.Paragraph(f"{plural(same, 'other')} without a change", "soft")] if same else []
    if found:
        counted = counted_line(comparison)
        found += [blocks.Paragraph(counted, "soft")] if counted else []
        yield blocks.Section("by", f"By {', '.join(comparison.tallies)}", tuple(found))


def _tally_row(tally: Tally) -> tuple[Line, ...]:
    mismatches = "not comparable"
    if tally.mismatches:
        mismatches = " → ".join(f"{number:,}" for number in dict.fromkeys(tally.mismatches))
    return foreign(tally.name), *(f"{tally.kinds[kind]:,}" for kind in ("new", "fixed", "changed")), mismatches


def counted_line(comparison: Comparison) -> str:
    """The combinations that the tables count, "" where both runs compared the same."""
    both, either = comparison.counted
    if both == either:
        return ""
    return f"Counted is what both runs compared: {both:,} of {either:,} combinations of model, subject and check."


# --- as JSON


def comparison_json(comparison: Comparison) -> str:
    """The document, which has everything whole; in ASCII and sorted, so that the same runs give the same bytes."""
    value = {
        "schema": SCHEMA_VERSION,
        "verdict": comparison.verdict,
        "headline": headline(comparison),
        "unlike": unlike(comparison),
        "counts": {name: number for name, number, _ in counts(comparison)},
        "exit_code": comparison.exit_code,
        "runs": {"before": _run(comparison.before), "after": _run(comparison.after)},
        "notes": list(comparison.notes),
        "findings": {kind: [_change(change) for change in comparison.of(kind)] for kind in KINDS},
        "versions": [asdict(change) for change in comparison.versions],
        "coverage": [asdict(part) for part in comparison.coverage],
        "cells": [asdict(place) for place in comparison.places],
        "problems": {"new": list(comparison.new_problems), "fixed": list(comparison.fixed_problems)},
        "tallies": {name: [asdict(tally) for tally in tallies] for name, tallies in comparison.tallies.items()},
        "counted": counted_line(comparison),
    }
    return json.dumps(value, indent=1, ensure_ascii=True, sort_keys=True) + "\n"


def _run(run: Run) -> dict[str, Any]:
    names = ("verdict", "command", "seed", "cases", "answers", "started", "unexpected")
    return {**{name: getattr(run, name) for name in names}, "versions": dict(run.versions)}


def _change(change: FindingChange) -> dict[str, Any]:
    return {
        "fingerprint": change.finding.fingerprint,
        "worse": change.is_worse,
        "before": finding_to_json(change.before) if change.before else None,
        "after": finding_to_json(change.after) if change.after else None,
        "changes": [asdict(part) for part in change.changes],
    }
