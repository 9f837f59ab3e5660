"""What every form of a comparison says in the same words: headline, signs, the two runs, what was asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.comparison import Comparison, FindingChange, Kind, PlaceChange, Tally, Verdict
from conformance.report.view import Culprit, culprits, plural, sentence, shown_time
from conformance.run import Run

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

_APART: dict[Kind, str] = {"only before": "only in the first run", "only after": "only in the second run"}
"""Where the findings are that only one run could see."""

MOST_NAMES = 6
LONGEST_VALUE = 60


def headline(comparison: Comparison) -> str:
    """The verdict, and what it rests on."""
    counts = {kind: len(comparison.of(kind)) for kind in ("new", "changed", "fixed")}
    known = sum(change.finding.status == "known" for change in comparison.of("new"))
    listed = f" ({known:,} known)" if known else ""
    what = [plural(counts["new"], "new finding") + listed] if counts["new"] else []
    what += [plural(counts["changed"], "changed finding")] if counts["changed"] else []
    what += [f"{counts['fixed']:,} fixed"] if counts["fixed"] else []
    lost = sum(place.lost for place in comparison.places)
    what += [f"{plural(lost, 'check')} that {'compares' if lost == 1 else 'compare'} nothing any more"] if lost else []
    what += [plural(len(comparison.new_problems), "new problem")] if comparison.new_problems else []
    word = {"worse": "Worse", "better": "Better", "changed": "Changed", "unchanged": "Nothing changed"}
    if comparison.verdict == "unchanged":
        what = [f"{len(comparison.of(kind)):,} {where}" for kind, where in _APART.items() if comparison.of(kind)]
        return f"{word['unchanged']} in what both asked; {', '.join(what)}" if what else word["unchanged"]
    return word[comparison.verdict] + (f": {', '.join(what)}" if what else "")


def status_of(change: FindingChange) -> str:
    """What an expectation has to do with it: "" for a finding that none lists."""
    return "known" if change.finding.status == "known" else ""


def what_changed(change: FindingChange) -> tuple[str, ...]:
    """A sentence for each value that differs."""
    return tuple(
        f"{part.name}: {_short(part.before) or '(none)'} → {_short(part.after) or '(none)'}" for part in change.changes
    )


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


def since(comparison: Comparison, change: FindingChange) -> str:
    """Since when a finding is there, or since when it is gone, as far as two runs tell."""
    before, after = _name_of(comparison.before, "first"), _name_of(comparison.after, "second")
    if change.kind == "new":
        return f"new in {after}: {before} asked the same and did not see it{_versions_between(comparison)}"
    if change.kind == "fixed":
        return f"gone in {after}: {before} saw it{_versions_between(comparison)}"
    if change.kind in ("changed", "unchanged"):
        return f"there already in {before}"
    one, other = (before, after) if change.kind == "only before" else (after, before)
    return f"seen in {one}; {other} did not ask this"


def _name_of(run: Run, place: str) -> str:
    return f"the run of {shown_time(run.started)}" if run.started else f"the {place} run"


def _versions_between(comparison: Comparison) -> str:
    """Which versions changed, for a finding that came or went with them."""
    lines = version_lines(comparison)
    more = f" and {len(lines) - MOST_NAMES:,} more" if len(lines) > MOST_NAMES else ""
    return f" (changed in between: {', '.join(lines[:MOST_NAMES])}{more})" if lines else ""


def new_culprits(comparison: Comparison) -> list[Culprit]:
    """The subjects with new findings, the one with the worst first."""
    return culprits(replace(comparison.after, findings=tuple(change.finding for change in comparison.of("new"))))


def run_line(run: Run) -> str:
    """A run in one line: when, what it asked, what it found."""
    when = f"{shown_time(run.started)}, " if run.started else ""
    found = f"{plural(len(run.findings), 'finding')} ({run.unexpected:,} unexpected)"
    return f"{when}{plural(run.cases, 'case')}, {plural(run.answers, 'answer')}, {found}"


def version_lines(comparison: Comparison) -> tuple[str, ...]:
    """A line for each version that differs."""
    return tuple(
        f"{change.name} {change.before or '(not there)'} → {change.after or '(not there)'}"
        for change in comparison.versions
    )


def coverage_lines(comparison: Comparison) -> tuple[str, ...]:
    """What was won, lost and changed of models, subjects, checks, inputs and corpora, and of the number of cases."""
    lines = [
        f"{part.name} {word}: {_names(names)}"
        for part in comparison.coverage
        for word, names in (("new", part.new), ("lost", part.lost), ("changed", part.changed))
        if names
    ]
    before, after = comparison.before.cases, comparison.after.cases
    return (*lines, *([f"cases: {before:,} → {after:,}"] if before != after else []))


def _names(names: tuple[str, ...]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more:,} more" if more > 0 else "")


def place_lines(comparison: Comparison) -> tuple[str, ...]:
    """A line for each check that compares nothing any more, or now compares something."""
    return tuple(_place(place) for place in comparison.places if _is_won_or_lost(place))


def _is_won_or_lost(place: PlaceChange) -> bool:
    counts = [cell.compared if cell else 0 for cell in (place.before, place.after)]
    return not all(counts)


def _place(place: PlaceChange) -> str:
    where = f"{place.model} / {place.subject} / {place.check}"
    if place.after is None or not place.after.compared:
        return f"lost: {where} compares nothing any more (before: {sentence(place.before)})"
    return f"new: {where} ({sentence(place.after)})"


def changed_tallies(comparison: Comparison) -> Iterator[tuple[str, tuple[Tally, ...]]]:
    """The models, subjects, checks and languages in which anything changed, by dimension."""
    for dimension, tallies in comparison.tallies.items():
        changed = tuple(tally for tally in tallies if tally.has_changed)
        if changed:
            yield dimension, changed


def tally_row(tally: Tally) -> tuple[str, ...]:
    """The numbers of a tally as cells: new, fixed, changed, unchanged, mismatches before and after."""
    kinds: tuple[Kind, ...] = ("new", "fixed", "changed", "unchanged")
    numbers = [f"{tally.kinds[kind]:,}" if tally.kinds[kind] else "·" for kind in kinds]
    return (*numbers, f"{tally.mismatched_before:,} → {tally.mismatched_after:,}")


TALLY_TITLES = ("new", "fixed", "changed", "unchanged", "mismatches")
