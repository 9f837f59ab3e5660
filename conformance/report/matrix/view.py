"""The words that every form of a matrix of releases shares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from conformance.checks import CHECKS
from conformance.comparing.matrix import RUN, Behaviour, Cause, Gap, LibraryMatrix, MatrixRow, ReleaseCell, State, spans
from conformance.report.run.view import answers, plural, shown_input

SIGNS: dict[State, str] = {"equal": "✓", "known": "≈", "new": "✗", "none": "–", "refused": "∅"}
MEANINGS: dict[State, str] = {
    "equal": "nothing differs",
    "known": "differs, known and explained below",
    "new": "differs, unexplained",
    "none": "nothing to compare",
    "refused": "the release does not read the model",
}
CLASSES: dict[State, str] = {
    "equal": "same",
    "known": "explained",
    "new": "differs",
    "none": "none",
    "refused": "none",
}
_SPACE = "␣"
INTRODUCTION = (
    "reftok is the reference. It follows the newest release, so a difference of an older release is that release's "
    "own. Each release is held against the one before it here; those between the two were not asked. "
    f"In the examples {_SPACE} is a space."
)
COUNTED = "A number counts the answers that differ, of reftok and of the library together."
NOT_ASKED = "Not asked"

MOST_MODELS = 4
"""Models that a line of the summary names."""

_NUMBER = re.compile(r"\d+")


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


def headline(library: LibraryMatrix) -> str:
    """The result, in one line."""
    found = [release for cause in library.causes for release, _ in cause.turns]
    changes = plural(len(found), "change") if found else "no change seen"
    changes += f" in {len(set(found)):,} of them" if len(found) > 1 else ""
    unlisted = sum(not behaviour.is_known for behaviour in library.behaviours)
    end = f", {plural(unlisted, 'behaviour')} unexplained" if unlisted else ""
    return f"{library.library}: {plural(len(library.releases), 'release')}, {changes}{end}"


# --- the summary


def summary(library: LibraryMatrix) -> tuple[SummaryLine, ...]:
    """The changes, the newest release first."""
    lines = [*_changes(library), *_first_asked(library)]
    return tuple(sorted(lines, key=lambda line: -library.releases.index(line.release)))


def _changes(library: LibraryMatrix) -> Iterator[SummaryLine]:
    for cause in library.causes:
        fingerprint = cause.behaviours[0].example.fingerprint
        for release, came in cause.turns:
            yield SummaryLine(release, "new" if came else "ended", title(cause), where(cause), fingerprint)


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


def summary_lines(library: LibraryMatrix) -> tuple[str, ...]:
    """The reasons to doubt the summary, the summary, and the releases that do all as the one asked before."""
    return tuple(filter(None, (*warnings(library), *map(str, summary(library)), quiet_line(library))))


def quiet_line(library: LibraryMatrix) -> str:
    """The releases that do all as the one asked before, "" where there is none."""
    changed = {line.release for line in summary(library)}
    quiet = [release for release in library.releases[1:] if release not in changed]
    return f"{', '.join(quiet)}: no change seen" if quiet else ""


def warnings(library: LibraryMatrix) -> tuple[str, ...]:
    """The reasons to doubt the summary."""
    runs = (gap for gap in library.gaps if gap.what == RUN)
    return tuple(f"{spans(library.releases, gap.releases)}: {RUN} {gap.reason}" for gap in runs)


def where(cause: Cause) -> str:
    """The checks and models of a cause."""
    checks = ", ".join(dict.fromkeys(behaviour.check for behaviour in cause.behaviours))
    models = cause.models
    return f"{checks} of {', '.join(models) if len(models) <= MOST_MODELS else plural(len(models), 'model')}"


# --- the table


def shown_cell(cell: ReleaseCell, signs: Mapping[State, str] = SIGNS) -> str:
    """A cell in as few characters as tell what matters: its sign, and how many answers differ."""
    sign = signs[cell.state]
    return f"{sign} {cell.mismatched:,}" if cell.state in ("known", "new") else sign


def cell_sentence(cell: ReleaseCell) -> str:
    """A cell in words."""
    if cell.refused:
        return f"does not read the model: {cell.refused}"
    if not cell.compared:
        return "nothing to compare"
    if not cell.mismatched:
        return f"{plural(cell.compared, 'answer')} compared, nothing differs"
    return f"{cell.mismatched:,} of {plural(cell.compared, 'answer')} differ, {cell.known:,} of them known"


def telling_rows(library: LibraryMatrix) -> tuple[MatrixRow, ...]:
    """The rows in which not every release that was asked is equal."""
    return tuple(row for row in library.rows if any(cell.state in ("known", "new") for cell in row.cells))


def equal_line(library: LibraryMatrix) -> str:
    """The number of rows in which nothing differs, in a sentence."""
    equal = len(library.rows) - len(telling_rows(library))
    return f"{plural(equal, 'row')} of model and check where nothing differs in any release" if equal else ""


def link(library: LibraryMatrix, row: MatrixRow, release: str) -> str:
    """The fingerprint of the first behaviour that explains a cell, "" where there is none."""
    found = (
        behaviour.example.fingerprint
        for cause in library.causes
        for behaviour in cause.behaviours
        if behaviour.check == row.check and row.model in behaviour.models and release in behaviour.seen
    )
    return next(found, "")


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


def facts(library: LibraryMatrix, cause: Cause) -> tuple[tuple[str, str], ...]:
    """The facts about a cause as a whole, by name."""
    asked = {version for behaviour in cause.behaviours for version in behaviour.asked}
    named = [version for version in library.releases if version in asked]
    reasons = dict.fromkeys(behaviour.example.reason for behaviour in cause.behaviours)
    found = (
        ("because", " ".join(filter(None, reasons)) or "(no expectation lists it)"),
        ("upstream", cause.behaviours[0].example.upstream),
        ("asked", spans(library.releases, named) if len(named) < len(library.releases) else ""),
    )
    return tuple((name, value) for name, value in found if value)


def place(behaviour: Behaviour) -> str:
    """The check, and whose answers differ in it."""
    return f"{behaviour.check} of {behaviour.subject}"


def extent(cause: Cause, behaviour: Behaviour) -> str:
    """The number of answers with one behaviour of a cause, and its models."""
    last = behaviour.seen[-1]
    rules = {other.rule for other in cause.behaviours}
    rule = f"{behaviour.rule}: " if len(rules) > 1 else ""
    differ = f"{plural(behaviour.mismatches[last], 'answer')} in {last}"
    return f"{rule}{differ}, seen on {', '.join(behaviour.models)}"


def example_lines(library: LibraryMatrix, behaviour: Behaviour, limit: int = 200) -> tuple[tuple[str, str], ...]:
    """The input and both answers, made visible, and what to say after each.

    A space in a text is always shown as U+2423.
    """
    example = behaviour.example.example
    text = shown_input(example.case, limit)
    expected, observed = answers(example, limit).lines
    given = f"given by {library.library}"
    whose = ("expected", given)
    if behaviour.subject != library.library:
        whose = (given, f"given by {behaviour.subject}, as the newest release does")
    check = CHECKS.get(example.check)
    compares = "" if check is None else check.compares
    is_decoded = compares in ("decoding", "own_decoding")
    is_expected_text = (is_decoded or compares == "stream_decoded") and example.expected != "an answer"
    is_text = is_decoded and example.severity == "other text"
    return (
        (_spaced(text) if example.case.kind == "text" else text, f"on {example.model}"),
        (_spaced(expected) if is_expected_text else expected, whose[0]),
        (_spaced(observed) if is_text else observed, whose[1]),
    )


def _spaced(shown: str) -> str:
    """Text that is `visible` already, with one form for every space.

    >>> _spaced("␠a b")
    '␣a␣b'
    """
    return shown.replace(" ", _SPACE).replace("␠", _SPACE)


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
