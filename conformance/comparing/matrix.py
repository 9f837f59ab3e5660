"""Runs of the same plan under several releases of a library: what each release does, and when a behaviour came or went.

The reference follows the newest release, so what an older one does otherwise shows as a finding, of the reference or
of the library itself. A behaviour is such a finding, of all the models with which it came and went alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from conformance.core.finding import Finding
from conformance.core.releases import release
from conformance.core.run import Run

State = Literal["equal", "known", "new", "none", "refused"]

RUN = "the run"
"""The name of a run as a whole in a gap."""

_NOT_COMPARED = "{model} was not compared with its official library: "
_Key: TypeAlias = tuple[str, str, str, str]
"""Of a behaviour: subject, check, stage and rule."""


@dataclass(frozen=True, slots=True)
class ReleaseCell:
    """One model, check and release: answers of the reference and of the library that were compared, and that differed.

    known: of those that differed, how many an expectation lists for this release.
    refused: why the library does not read the model, "" where it does.
    """

    compared: int = 0
    mismatched: int = 0
    known: int = 0
    refused: str = ""

    @property
    def state(self) -> State:
        """The state it amounts to."""
        if self.refused:
            return "refused"
        if not self.compared:
            return "none"
        if not self.mismatched:
            return "equal"
        return "known" if self.mismatched == self.known else "new"


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A model and a check, with a cell for every release, the oldest first."""

    model: str
    check: str
    cells: tuple[ReleaseCell, ...]


@dataclass(frozen=True, slots=True)
class Behaviour:
    """A behaviour of a library in some releases, other than in the newest release or in its own documentation.

    asked: the releases that were asked; seen: those that do it; both the oldest first.
    models: on which it was seen. mismatches: by release. example: the smallest, shrunk.
    """

    subject: str
    check: str
    stage: str
    rule: str
    asked: tuple[str, ...]
    seen: tuple[str, ...]
    models: tuple[str, ...]
    mismatches: Mapping[str, int]
    example: Finding

    @property
    def turns(self) -> tuple[tuple[str, bool], ...]:
        """The releases that do otherwise than the one asked before: True where it came, False where it went."""
        asked = pairwise((version, version in self.seen) for version in self.asked)
        return tuple(after for before, after in asked if before[1] != after[1])

    @property
    def has_changed(self) -> bool:
        """Whether some releases do it and some do not."""
        return self.seen != self.asked

    @property
    def is_known(self) -> bool:
        """Whether an expectation lists it."""
        return self.example.status == "known"


@dataclass(frozen=True, slots=True)
class Cause:
    """Behaviours that came and went together and have one upstream, or one rule; the most frequent first."""

    behaviours: tuple[Behaviour, ...]

    @property
    def turns(self) -> tuple[tuple[str, bool], ...]:
        """As of each of its behaviours."""
        return self.behaviours[0].turns

    @property
    def is_known(self) -> bool:
        """Whether expectations list it all."""
        return all(behaviour.is_known for behaviour in self.behaviours)

    @property
    def models(self) -> tuple[str, ...]:
        """The models on which it was seen."""
        return tuple(dict.fromkeys(model for behaviour in self.behaviours for model in behaviour.models))


@dataclass(frozen=True, slots=True)
class Gap:
    """A hole in what releases were asked: a model that they do not read, or a check that nothing is there for.

    what: the model or the check; reason: in the library's own words, "" where it just has nothing to compare.
    """

    what: str
    releases: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class LibraryMatrix:
    """The releases of one library, the oldest first, and what they do."""

    library: str
    releases: tuple[str, ...]
    rows: tuple[MatrixRow, ...]
    behaviours: tuple[Behaviour, ...]
    gaps: tuple[Gap, ...]

    @property
    def causes(self) -> tuple[Cause, ...]:
        """The behaviours by cause: those that the newest release changed first, those that none changed last."""
        found: dict[tuple[str, tuple[tuple[str, bool], ...]], list[Behaviour]] = {}
        for behaviour in self.behaviours:
            cause = behaviour.example.upstream or f"{behaviour.stage}\0{behaviour.rule}"
            found.setdefault((cause, behaviour.turns), []).append(behaviour)
        causes = (Cause(tuple(sorted(same, key=_frequency))) for same in found.values())
        return tuple(sorted(causes, key=self._newest_first))

    def _newest_first(self, cause: Cause) -> tuple[int, bool, int]:
        last = self.releases.index(cause.turns[-1][0]) if cause.turns else -1
        return -last, cause.is_known, sum(map(_frequency, cause.behaviours))


def matrix(runs: Iterable[Run]) -> tuple[LibraryMatrix, ...]:
    """One matrix for each official library of the runs' models; of two runs under one release, the later counts."""
    by_library: dict[str, dict[str, Run]] = {}
    for run in runs:
        for library in sorted({model.oracle for model in run.models}):
            by_library.setdefault(library, {})[run.versions.get(library, "")] = run
    return tuple(_library_matrix(library, by_library[library]) for library in sorted(by_library, reverse=True))


def _library_matrix(library: str, runs: Mapping[str, Run]) -> LibraryMatrix:
    ordered = {version: runs[version] for version in sorted(runs, key=release)}
    refused = {version: _refusals(library, run) for version, run in ordered.items()}
    rows = tuple(_rows(library, ordered, refused))
    incomplete = tuple(version for version, run in ordered.items() if run.verdict == "incomplete")
    gaps = [Gap(RUN, incomplete, "is incomplete: what it lacks may not be gone")] if incomplete else []
    gaps += _gaps(tuple(ordered), rows)
    return LibraryMatrix(library, tuple(ordered), rows, _behaviours(library, ordered, rows, refused), tuple(gaps))


def _models(library: str, run: Run) -> tuple[str, ...]:
    return tuple(model.name for model in run.models if model.oracle == library)


def _refusals(library: str, run: Run) -> dict[str, str]:
    """The library's reasons for not reading a model, by model."""
    reasons: dict[str, str] = {}
    for model in _models(library, run):
        beginning = _NOT_COMPARED.format(model=model)
        found = (problem.removeprefix(beginning) for problem in run.problems if problem.startswith(beginning))
        if (reason := next(found, "")) != "":
            reasons[model] = reason
    return reasons


# --- model × check × release


def _rows(library: str, runs: Mapping[str, Run], refused: Mapping[str, Mapping[str, str]]) -> Iterable[MatrixRow]:
    newest_first = list(runs.values())[::-1]
    models = dict.fromkeys(model for run in newest_first for model in _models(library, run))
    checks = dict.fromkeys(check for run in newest_first for check in run.checks)
    asked = {place for run in runs.values() for place in _asked(library, run)}
    cells = {version: _cells(library, run, asked) for version, run in runs.items()}
    for model in models:
        for check in checks:
            row = tuple(
                ReleaseCell(refused=refused[version][model])
                if model in refused[version]
                else cells[version].get((model, check), ReleaseCell())
                for version in runs
            )
            if any(cell.compared for cell in row):
                yield MatrixRow(model, check, row)


def _asked(library: str, run: Run) -> set[tuple[str, str]]:
    """The models and checks in which the library itself was compared."""
    return {(cell.model, cell.check) for cell in run.cells if cell.subject == library and cell.compared}


def _cells(library: str, run: Run, asked: Collection[tuple[str, str]]) -> dict[tuple[str, str], ReleaseCell]:
    """By model and check, of all subjects together.

    asked: where some release is compared itself: one that is not there has nothing to compare, whatever reftok has.
    """
    found: dict[tuple[str, str], ReleaseCell] = {}
    missing = set(asked) - _asked(library, run)
    for cell in run.cells:
        if (cell.model, cell.check) in missing:
            continue
        before = found.get((cell.model, cell.check), ReleaseCell())
        found[cell.model, cell.check] = ReleaseCell(
            before.compared + cell.compared, before.mismatched + cell.mismatched, before.known + cell.known
        )
    return found


# --- behaviours


def _behaviours(
    library: str, runs: Mapping[str, Run], rows: Sequence[MatrixRow], refused: Mapping[str, Mapping[str, str]]
) -> tuple[Behaviour, ...]:
    """The behaviours of all releases; changes first, then by the release in which each came.

    What reftok does with a model that a release does not read says nothing of that release.
    """
    releases = tuple(runs)
    compared = {
        (row.model, row.check): {name for name, cell in zip(releases, row.cells, strict=True) if cell.compared}
        for row in rows
    }
    found: dict[_Key, dict[str, dict[str, list[Finding]]]] = {}
    for version, run in runs.items():
        models = {*_models(library, run)} - refused[version].keys()
        for finding in run.findings:
            if finding.example.model in models:
                key = (finding.example.subject, finding.example.check, finding.stage, finding.rule)
                by_model = found.setdefault(key, {})
                by_model.setdefault(finding.example.model, {}).setdefault(version, []).append(finding)
    made = (
        _behaviour(key, by_version, releases, compared)
        for key, by_model in found.items()
        for by_version in _alike(
            by_model, releases, {model: compared.get((model, key[1]), set()) for model in by_model}
        )
    )
    return tuple(sorted(made, key=lambda behaviour: _order(behaviour, releases)))


def _alike(
    by_model: Mapping[str, Mapping[str, Sequence[Finding]]],
    releases: tuple[str, ...],
    asked: Mapping[str, Collection[str]],
) -> Iterable[Mapping[str, Sequence[Finding]]]:
    """The findings by release, of the models together with which they came and went alike.

    asked: the releases that were asked about each model; another says neither that it did so nor that it did not.
    """
    groups: list[tuple[dict[str, bool], dict[str, list[Finding]]]] = []
    for model, by_version in by_model.items():
        does = {name: name in by_version for name in releases if name in asked[model] or name in by_version}
        group = next(
            (one for one in groups if all(one[0].get(name, seen) == seen for name, seen in does.items())), None
        )
        if group is None:
            group = {}, {}
            groups.append(group)
        group[0].update(does)
        for version, found in by_version.items():
            group[1].setdefault(version, []).extend(found)
    return [together for _, together in groups]


def _behaviour(
    key: _Key,
    by_version: Mapping[str, Sequence[Finding]],
    releases: tuple[str, ...],
    compared: Mapping[tuple[str, str], Collection[str]],
) -> Behaviour:
    """compared: the releases that were asked, by model and check."""
    models = dict.fromkeys(finding.example.model for found in by_version.values() for finding in found)
    asked = {*by_version}.union(*(compared.get((model, key[1]), ()) for model in models))
    return Behaviour(
        *key,
        asked=tuple(version for version in releases if version in asked),
        seen=tuple(version for version in releases if version in by_version),
        models=tuple(models),
        mismatches={version: sum(finding.count for finding in found) for version, found in by_version.items()},
        example=min((finding for found in by_version.values() for finding in found), key=_size),
    )


def _frequency(behaviour: Behaviour) -> int:
    """The order of behaviours with one cause: those with most mismatches first."""
    return -sum(behaviour.mismatches.values())


def _size(finding: Finding) -> tuple[bool, int, int, str]:
    """The order of examples: what an expectation lists last, then texts before ids, the shortest first."""
    case = finding.example.case
    return finding.status == "known", len(case.text) + len(case.data) + len(case.ids), len(case.ids), str(case)


def _order(behaviour: Behaviour, releases: tuple[str, ...]) -> tuple[bool, int, int, str, str, str]:
    ends = releases.index(behaviour.seen[0]), releases.index(behaviour.seen[-1])
    return (not behaviour.has_changed, *ends, behaviour.check, behaviour.subject, behaviour.rule)


# --- what was not asked


def _gaps(releases: tuple[str, ...], rows: Sequence[MatrixRow]) -> Iterable[Gap]:
    """The models that a release does not read, and the checks that it has nothing for, though another has."""
    for model in dict.fromkeys(row.model for row in rows):
        cells = next(row.cells for row in rows if row.model == model)
        reasons = dict.fromkeys(cell.refused for cell in cells if cell.refused)
        for reason in reasons:
            named = tuple(name for name, cell in zip(releases, cells, strict=True) if cell.refused == reason)
            yield Gap(model, named, reason)
    for check in dict.fromkeys(row.check for row in rows):
        of_check = [row for row in rows if row.check == check]
        states = [{row.cells[index].state for row in of_check} for index in range(len(releases))]
        missing = tuple(name for name, found in zip(releases, states, strict=True) if found <= {"none", "refused"})
        readable = tuple(name for name in missing if "none" in states[releases.index(name)])
        if readable:
            yield Gap(check, readable, "")


def spans(releases: Sequence[str], named: Sequence[str]) -> str:
    """Releases as ranges of the matrix's own.

    >>> spans(("0.1", "0.2", "0.3", "0.4"), ("0.1", "0.2", "0.4"))
    '0.1 to 0.2, 0.4'
    """
    indices = [releases.index(name) for name in named]
    breaks = [0, *(place + 1 for place, (one, other) in enumerate(pairwise(indices)) if other != one + 1), len(indices)]
    parts = [named[start:stop] for start, stop in pairwise(breaks)]
    return ", ".join(part[0] if len(part) == 1 else f"{part[0]} to {part[-1]}" for part in parts if part)
