"""The words that every form of a comparison shares: headline, signs, the two runs, what was asked."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.comparing.comparison import (
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
from conformance.core.run import Run
from conformance.report.run.view import Culprit, accusation, cause, culprits, plural, sentence, shown_time

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

MOST_NAMES = 6
LONGEST_VALUE = 60


def sign(comparison: Comparison) -> str:
    """The sign of its verdict."""
    return SIGNS[KIND_OF_VERDICT[comparison.verdict]]


def headline(comparison: Comparison) -> str:
    """The verdict, and what it rests on."""
    new, changed, fixed = (len(comparison.of(kind)) for kind in ("new", "changed", "fixed"))
    known = sum(change.finding.status == "known" for change in comparison.of("new"))
    lost, problems = sum(place.lost for place in comparison.places), len(comparison.new_problems)
    parts = (
        (new, plural(new, "new finding") + (f" ({known:,} known)" if known else "")),
        (changed, plural(changed, "changed finding")),
        (fixed, f"{fixed:,} fixed"),
        (lost, f"{plural(lost, 'check')} that {'compares' if lost == 1 else 'compare'} nothing any more"),
        (problems, plural(problems, "new problem")),
    )
    what = ", ".join(words for number, words in parts if number)
    if comparison.verdict == "unchanged":
        apart = [f"{len(comparison.of(kind)):,} {where}" for kind, where in APART.items() if comparison.of(kind)]
        return "Nothing changed" + (f" in what both asked; {', '.join(apart)}" if apart else "")
    if comparison.verdict == "changed" and not what:
        what = f"the numbers of {plural(len(comparison.places), 'check')}"
    return comparison.verdict.capitalize() + (f": {what}" if what else "")


@dataclass(frozen=True, slots=True)
class Count:
    """A number at the top, and the section that it leads to."""

    name: str
    number: int
    target: str


def counts(comparison: Comparison) -> tuple[Count, ...]:
    """The numbers under the headline; of those that most comparisons do not have, only what there is."""
    unexpected, known = unchanged_by_status(comparison)
    always = [Count(kind, len(comparison.of(kind)), kind) for kind in ("new", "changed", "fixed")]
    always += [Count("still wrong", len(unexpected), "unchanged")]
    apart = [Count(words, len(comparison.of(kind)), kind.replace(" ", "-")) for kind, words in APART.items()]
    others = (
        Count("still known", len(known), "unchanged"),
        *apart,
        Count("checks lost", sum(place.lost for place in comparison.places), "checks"),
        Count("new problems", len(comparison.new_problems), "new-problems"),
        Count("problems gone", len(comparison.fixed_problems), "problems-gone"),
    )
    return (*always, *(count for count in others if count.number))


def counts_line(comparison: Comparison) -> str:
    """The numbers under the headline in one line."""
    return ", ".join(f"{count.name}: {count.number:,}" for count in counts(comparison))


def unchanged_by_status(comparison: Comparison) -> tuple[list[Finding], list[Finding]]:
    """The unchanged findings: the unexpected ones, and the known ones."""
    findings = [change.finding for change in comparison.of("unchanged")]
    return [one for one in findings if one.status == "new"], [one for one in findings if one.status == "known"]


def unchanged_line(comparison: Comparison) -> str:
    """The numbers of unexpected and of known findings among the unchanged."""
    numbers = zip(map(len, unchanged_by_status(comparison)), ("unexpected", "known"), strict=True)
    return ", ".join(f"{number:,} {word}" for number, word in numbers if number)


def still_wrong_lines(comparison: Comparison, most: int) -> list[str]:
    """A line for each of the first `most` unexpected findings that are as before."""
    unexpected, _ = unchanged_by_status(comparison)
    lines = [
        f"still wrong: {finding.example.subject} on {finding.example.model}, {finding.example.check}: "
        f"{cause(finding)} ({finding.count:,}×)"
        for finding in unexpected[:most]
    ]
    return [*lines, *([f"and {len(unexpected) - most:,} more"] if len(unexpected) > most else [])]


def unlike(comparison: Comparison) -> str:
    """All that the runs do not share, in one sentence; "" where they asked the same."""
    parts = (*coverage_lines(comparison), *comparison.notes)
    return f"Runs are not alike: {'; '.join(parts)}" if parts else ""


def what_changed(change: FindingChange) -> tuple[str, ...]:
    """A sentence for each value that differs."""
    return tuple(f"{part.name}: {_value(part, part.before)} → {_value(part, part.after)}" for part in change.changes)


def _value(part: Change, text: str) -> str:
    return STATUS_WORDS[text] if part.name == "status" else _short(text) or "(none)"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


def since(comparison: Comparison, change: FindingChange) -> str:
    """The run since which a finding is there, or gone, as far as two runs tell."""
    before, after = _names_of_runs(comparison)
    if change.kind == "new":
        return f"new in {after}: {before} asked the same and did not see it{_versions_between(comparison)}"
    if change.kind == "fixed":
        return f"gone in {after}: {before} saw it{_versions_between(comparison)}"
    if change.kind in ("changed", "unchanged"):
        return f"there already in {before}"
    if change.kind == "only after":
        return "not known, the first run did not ask this"
    return f"seen in {before}; whether it is still there is not known: the second run did not ask this"


def _names_of_runs(comparison: Comparison) -> tuple[str, str]:
    """By when they started, where that tells them apart."""
    before, after = shown_time(comparison.before.started), shown_time(comparison.after.started)
    if before and after and before != after:
        return f"the run of {before}", f"the run of {after}"
    return "the first run", "the second run"


def _versions_between(comparison: Comparison) -> str:
    """The versions that changed, for a finding that came or went with them."""
    lines = version_lines(comparison)
    more = f" and {len(lines) - MOST_NAMES:,} more" if len(lines) > MOST_NAMES else ""
    return f" (changed in between: {', '.join(lines[:MOST_NAMES])}{more})" if lines else ""


def wrong_culprits(comparison: Comparison) -> list[tuple[str, Culprit, str]]:
    """What unexpected findings of the second run are called, a subject with some, and its deed: what is new first."""
    return [
        (name, culprit, accusation(culprit.worst))
        for kind, name in _WRONG.items()
        for culprit in culprits(change.finding for change in comparison.of(kind))
    ]


def run_line(run: Run) -> str:
    """A run in one line: when, what it asked, what it found."""
    when = f"{shown_time(run.started)}, " if run.started else ""
    found = f"{plural(len(run.findings), 'finding')} ({run.unexpected:,} unexpected)"
    return f"{when}{plural(run.cases, 'case')}, {plural(run.answers, 'answer')}, {found}"


def sections(comparison: Comparison) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """The parts about the runs as wholes: title, anchor and sentences of each; only those that have some."""
    parts = (
        ("Versions", "versions", version_lines(comparison)),
        ("New problems", "new-problems", comparison.new_problems),
        ("Problems that are gone", "problems-gone", comparison.fixed_problems),
        ("Checks lost and new", "checks", place_lines(comparison)),
    )
    return tuple(part for part in parts if part[2])


def version_lines(comparison: Comparison) -> tuple[str, ...]:
    """A line for each version that differs."""
    return tuple(
        f"{change.name} {change.before or '(not there)'} → {change.after or '(not there)'}"
        for change in comparison.versions
    )


def coverage_lines(comparison: Comparison) -> tuple[str, ...]:
    """The subjects, models, checks, inputs and corpora that left, joined or changed, and the number of cases."""
    before, after = comparison.before.cases, comparison.after.cases
    cases = [f"cases: {before:,} → {after:,}"] if before != after else []
    return (*map(_coverage_line, comparison.coverage), *cases)


def _coverage_line(part: Coverage) -> str:
    """Subjects speak for themselves; of the others it is told what they are."""
    moved = ((part.lost, "left"), (part.new, "joined"), (part.changed, "changed"))
    words = ", ".join(f"{_names(names)} {word}" for names, word in moved if names)
    return words if part.name == "subjects" else f"{part.name}: {words}"


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


@dataclass(frozen=True, slots=True)
class TallyTable:
    """The rows of one dimension in which something changed; same: how many others there are."""

    dimension: str
    rows: tuple[tuple[str, ...], ...]
    same: int

    @property
    def titles(self) -> tuple[str, ...]:
        """Of the columns."""
        return self.dimension, "new", "fixed", "changed", "mismatches"


def tally_tables(comparison: Comparison) -> tuple[TallyTable, ...]:
    """The models, subjects, checks and corpus files in which anything changed."""
    tables = (
        TallyTable(name, rows, len(tallies) - len(rows))
        for name, tallies in comparison.tallies.items()
        for rows in [tuple(_tally_row(tally) for tally in tallies if tally.has_changed)]
    )
    return tuple(table for table in tables if table.rows)


def more_rows(table: TallyTable, most: int) -> str:
    """The rows beyond the first `most` of a table: changed ones, and those without a change."""
    cut = max(0, len(table.rows) - most)
    parts = [f"{cut:,} more"] if cut else []
    return " and ".join([*parts, *([f"{plural(table.same, 'other')} without a change"] if table.same else [])])


def _tally_row(tally: Tally) -> tuple[str, ...]:
    mismatches = "not comparable"
    if tally.mismatches:
        mismatches = " → ".join(f"{number:,}" for number in dict.fromkeys(tally.mismatches))
    return tally.name, *(f"{tally.kinds[kind]:,}" for kind in ("new", "fixed", "changed")), mismatches


def counted_line(comparison: Comparison) -> str:
    """The combinations that the tables count, "" where both runs compared the same."""
    both, either = comparison.counted
    if both == either:
        return ""
    return f"Counted is what both runs compared: {both:,} of {either:,} combinations of model, subject and check."
