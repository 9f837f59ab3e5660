"""Two runs held against each other: what is new, fixed, changed or as before, and what only one of them asked.

Only what both have asked can be new or fixed. A finding that the other run could not have seen, since it did not ask
that model, subject, check or input, is neither: it is set apart, and a note says what was not shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from conformance.checks import by_weight
from conformance.comparing.shared_inputs import SharedInputs
from conformance.core.finding import SEVERITIES, Finding
from conformance.core.run import Cell, LanguageCell, Run, is_mended

Kind = Literal["new", "fixed", "changed", "unchanged", "only before", "only after"]
KINDS: tuple[Kind, ...] = ("new", "fixed", "changed", "unchanged", "only before", "only after")
Verdict = Literal["worse", "better", "changed", "unchanged"]


@dataclass(frozen=True, slots=True)
class Change:
    """A value that differs, as text; "" where one run has none."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class FindingChange:
    """A finding in one run or in both.

    kind: "only before" and "only after" are for what the other run could not have seen.
    changes: what differs, where it is in both.
    """

    kind: Kind
    before: Finding | None
    after: Finding | None
    changes: tuple[Change, ...] = ()

    @property
    def finding(self) -> Finding:
        """As the later run has it, where it does."""
        finding = self.after or self.before
        assert finding is not None
        return finding

    @property
    def is_worse(self) -> bool:
        """Whether the later run has something that no expectation lists and that the earlier one had not so badly."""
        if self.finding.status == "known":
            return False
        if self.before is None or self.after is None:
            return self.kind == "new"
        more_severe = SEVERITIES.index(self.after.example.severity) < SEVERITIES.index(self.before.example.severity)
        counts_differ = any(change.name == "mismatches" for change in self.changes)
        more_often = counts_differ and self.after.count > self.before.count
        return self.before.status == "known" or more_severe or more_often


@dataclass(frozen=True, slots=True)
class Coverage:
    """The losses and gains of one kind of thing from the first run to the second; changed: same name, other bytes."""

    name: str
    new: tuple[str, ...]
    lost: tuple[str, ...]
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlaceChange:
    """A cell of model × subject × check that compares another number of answers, or finds another number to differ.

    lost: it compared something, and compares nothing now, though it was asked the same.
    """

    model: str
    subject: str
    check: str
    before: Cell | None
    after: Cell | None
    lost: bool


@dataclass(frozen=True, slots=True)
class Tally:
    """The findings of one model, subject, check or corpus file by kind.

    mismatches: how many answers differed in each run, of what both compared; None where they did not ask the same.
    """

    name: str
    kinds: Mapping[Kind, int]
    mismatches: tuple[int, int] | None

    @property
    def has_changed(self) -> bool:
        """Whether anything that both runs asked has changed in it."""
        moved = any(self.kinds[kind] for kind in ("new", "fixed", "changed"))
        return moved or (self.mismatches is not None and self.mismatches[0] != self.mismatches[1])


@dataclass(frozen=True, slots=True)
class Comparison:
    """The changes from one run to another.

    notes: what the runs do not share, each a sentence. new_problems, fixed_problems: sentences of the runs.
    tallies: by dimension: "model", "subject", "check", "corpus file".
    counted: how many combinations of model, subject and check both runs compared, of how many that either did.
    """

    before: Run
    after: Run
    notes: tuple[str, ...]
    findings: tuple[FindingChange, ...]
    versions: tuple[Change, ...]
    coverage: tuple[Coverage, ...]
    places: tuple[PlaceChange, ...]
    new_problems: tuple[str, ...]
    fixed_problems: tuple[str, ...]
    tallies: Mapping[str, tuple[Tally, ...]]
    counted: tuple[int, int]

    def of(self, kind: Kind) -> tuple[FindingChange, ...]:
        """The findings of one kind, the worst first."""
        return tuple(change for change in self.findings if change.kind == kind)

    @property
    def worse(self) -> bool:
        """Whether anything that both runs asked got worse; what is known and no longer happens did not."""
        lost = any(place.lost for place in self.places)
        problems = any(not is_mended(problem) for problem in self.new_problems)
        return lost or problems or any(change.is_worse for change in self.findings)

    @property
    def verdict(self) -> Verdict:
        """In one word."""
        if self.worse:
            return "worse"
        if self.of("fixed") or self.fixed_problems:
            return "better"
        return "changed" if self.of("new") or self.of("changed") or self.places else "unchanged"

    @property
    def exit_code(self) -> int:
        """1 where something got worse."""
        return int(self.worse)


def compare(before: Run, after: Run) -> Comparison:
    """The changes from the run `before` to the run `after`."""
    shared = SharedInputs(before, after)
    findings = tuple(sorted(_finding_changes(shared), key=lambda change: by_weight(change.finding)))
    return Comparison(
        before=before,
        after=after,
        notes=tuple(_notes(shared)),
        findings=findings,
        versions=_version_changes(before, after),
        coverage=tuple(_coverage(before, after)),
        places=tuple(_place_changes(shared)),
        new_problems=(*_strangers(before, after), *(one for one in after.problems if one not in before.problems)),
        fixed_problems=tuple(problem for problem in before.problems if problem not in after.problems),
        tallies=_tallies(shared, findings),
        counted=(len(set.intersection(*shared.compared.values())), len(set.union(*shared.compared.values()))),
    )


def _strangers(before: Run, after: Run) -> Iterator[str]:
    """That the second run asked none of the subjects of the first: what is wrong with these is not mended."""
    asked = [{one.name for one in run.subjects if one.role == "subject"} for run in (before, after)]
    if asked[0] and asked[0].isdisjoint(asked[1]):
        names = ", ".join(sorted(asked[0]))
        yield f"nothing is compared: the second run asked none of the subjects of the first, {names}"


# --- the findings


def _finding_changes(shared: SharedInputs) -> Iterator[FindingChange]:
    before = {finding.fingerprint: finding for finding in shared.before.findings}
    after = {finding.fingerprint: finding for finding in shared.after.findings}
    for fingerprint, old in before.items():
        new = after.get(fingerprint)
        if new is None:
            yield FindingChange("fixed" if shared.is_seen_by("after", old) else "only before", old, None)
        else:
            changes = tuple(_differences(old, new, shared.asked_alike))
            yield FindingChange("changed" if changes else "unchanged", old, new, changes)
    for fingerprint, new in after.items():
        if fingerprint not in before:
            yield FindingChange("new" if shared.is_seen_by("before", new) else "only after", None, new)


def _differences(before: Finding, after: Finding, asked_alike: bool) -> Iterator[Change]:
    """The changes between two findings with the same cause; how often and where only after the same questions."""
    values: list[tuple[str, str, str]] = [
        ("status", before.status, after.status),
        ("severity", before.example.severity, after.example.severity),
    ]
    if "not weighed" not in (before.weight.kind, after.weight.kind):
        values += [("weight", before.weight.kind, after.weight.kind)]
    if asked_alike:
        values += [("mismatches", f"{before.count:,}", f"{after.count:,}")]
        values += [("languages", ", ".join(before.languages), ", ".join(after.languages))]
        values += [("input", _input(before), _input(after))]
    if before.example.case == after.example.case:
        values += [("expected", before.example.expected, after.example.expected)]
        values += [("observed", before.example.observed, after.example.observed)]
    yield from (Change(*value) for value in values if value[1] != value[2])


def _input(finding: Finding) -> str:
    case = finding.example.case
    return str(list(case.ids)) if case.kind == "ids" else case.readable_text


# --- versions, coverage, cells


def _version_changes(before: Run, after: Run) -> tuple[Change, ...]:
    """Changed versions, of subjects first. A subject counts only if both runs know its version."""
    old, new = answering_versions(before), answering_versions(after)
    libraries = {**before.versions, **after.versions}
    names = [*(name for name in old if name in new and name not in libraries), *libraries]
    values = ((name, old.get(name, ""), new.get(name, "")) for name in names)
    return tuple(Change(*value) for value in values if value[1] != value[2])


def answering_versions(run: Run) -> Mapping[str, str]:
    """The known versions of everything that answers depend on, the subjects first."""
    return {**{one.name: one.version for one in run.subjects if one.role == "subject" and one.version}, **run.versions}


def _coverage(before: Run, after: Run) -> Iterator[Coverage]:
    """The changes in what was asked."""
    for (name, old), new in zip(_asked(before).items(), _asked(after).values(), strict=True):
        part = Coverage(
            name,
            new=tuple(item for item in new if item not in old),
            lost=tuple(item for item in old if item not in new),
            changed=tuple(item for item in new if old.get(item, new[item]) != new[item]),
        )
        if part.new or part.lost or part.changed:
            yield part


def _asked(run: Run) -> dict[str, Mapping[str, str]]:
    """Subjects, models, checks, sources of inputs and corpora, each by name with what it is the same by."""
    return {
        "subjects": {subject.name: "" for subject in run.subjects if not subject.unavailable},
        "models": {model.name: model.sha256 for model in run.models},
        "checks": dict.fromkeys(run.checks, ""),
        "inputs": dict.fromkeys(run.sources, ""),
        "corpora": run.corpora,
    }


def _place_changes(shared: SharedInputs) -> Iterator[PlaceChange]:
    """The cells whose numbers changed, of models, subjects and checks that both runs were to ask."""
    planned = [_planned(run) for _, run in shared]
    for place in dict.fromkeys((*shared.cells["before"], *shared.cells["after"])):
        if not all(name in names for names_of in planned for name, names in zip(place, names_of, strict=True)):
            continue
        old, new = shared.cells["before"].get(place), shared.cells["after"].get(place)
        lost = place in shared.compared["before"] - shared.compared["after"]
        numbers = [(cell.compared, cell.mismatched, cell.failures) if cell else (0, 0, 0) for cell in (old, new)]
        if numbers[0] != numbers[1] and (shared.asked_alike or lost):
            yield PlaceChange(*place, old, new, lost and shared.asked_alike)


def _planned(run: Run) -> tuple[set[str], set[str], set[str]]:
    return {model.name for model in run.models}, {subject.name for subject in run.subjects}, set(run.checks)


# --- by model, subject, check and corpus file


def _tallies(shared: SharedInputs, findings: tuple[FindingChange, ...]) -> dict[str, tuple[Tally, ...]]:
    asked = [place for place in shared.cells["before"] if place in shared.cells["after"]]
    both = set.intersection(*shared.compared.values())
    tallies: dict[str, tuple[Tally, ...]] = {}
    for index, dimension in enumerate(("model", "subject", "check")):
        tallies[dimension] = tuple(
            Tally(
                name,
                _kinds(change for change in findings if change.finding.example.place[index] == name),
                _mismatches([shared.cells[run][place] for place in both if place[index] == name] for run, _ in shared)
                if shared.asked_alike
                else None,
            )
            for name in dict.fromkeys(place[index] for place in asked)
        )
    subjects = _subjects_asked_alike(shared)
    tallies["corpus file"] = tuple(
        Tally(
            file,
            _kinds(change for change in findings if _is_seen_in(change, file)),
            _mismatches(
                [cell for cell in run.languages if cell.language == file and cell.subject in subjects]
                for _, run in shared
            )
            if subjects
            else None,
        )
        for file in sorted({cell.language for _, run in shared for cell in run.languages} & shared.languages)
    )
    return tallies


def _subjects_asked_alike(shared: SharedInputs) -> set[str]:
    """The subjects whose answers both runs compared for the same models and checks."""
    before, after = shared.compared.values()
    found = {subject for _, subject, _ in before & after} - {subject for _, subject, _ in before ^ after}
    return found if not shared.models_changed else set()


def _mismatches(cells: Iterable[Iterable[Cell | LanguageCell]]) -> tuple[int, int]:
    """The sums of both runs."""
    before, after = (sum(cell.mismatched for cell in of_run) for of_run in cells)
    return before, after


def _is_seen_in(change: FindingChange, language: str) -> bool:
    return any(finding is not None and language in finding.languages for finding in (change.before, change.after))


def _kinds(changes: Iterable[FindingChange]) -> dict[Kind, int]:
    counts: dict[Kind, int] = dict.fromkeys(KINDS, 0)
    for change in changes:
        counts[change.kind] += 1
    return counts


# --- what is not shared


def _notes(shared: SharedInputs) -> Iterator[str]:
    before, after = shared.before, shared.after
    for run, side in shared:
        if side.verdict == "incomplete":
            yield f"the {'first' if run == 'before' else 'second'} run is incomplete: what it lacks may not be gone"
    if before.corpora != after.corpora and shared.has_source("corpora"):
        files = len({**before.corpora, **after.corpora})
        yield f"of {files:,} corpus files, {len(shared.corpora):,} are alike"
    if {"fuzz"} & {*before.sources, *after.sources} and not shared.made_alike:
        seeds = f"seeds {before.seed} and {after.seed}" if before.seed != after.seed else "corpora"
        yield f"made inputs are not compared, since they come from other {seeds}"
    elif before.fuzz != after.fuzz:
        yield f"of the made inputs, the first {min(before.fuzz, after.fuzz):,} of each model are compared"
    for model in shared.models_changed:
        yield f"{model} is another file than before, though it has the same name"
    if not shared.asked_alike:
        yield "how often a finding was seen is not compared"
