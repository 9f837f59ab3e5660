"""Several runs in order: what each found, how long it took, and when each cause came and went."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import TypeAlias

from conformance.checks import by_weight
from conformance.comparing.comparison import answering_versions
from conformance.comparing.shared_inputs import SharedInputs
from conformance.core.finding import Finding
from conformance.core.run import UNCOMMITTED, Run

CauseKey: TypeAlias = tuple[str, str, str]
"""Subject, stage and rule."""
_MOST_TURNS = 2
"""How often a cause may come and go, with nothing changed, before it is called flaky."""


@dataclass(frozen=True, slots=True)
class RunPoint:
    """A run in a few numbers. name: of its folder. seconds: of all its starts.

    changed: the versions, those of subjects too, that are others than in the run before, as (name, before, now); ""
        where there was none.
    """

    name: str
    started: str
    verdict: str
    unexpected: int
    known: int
    cases: int
    answers: int
    seconds: float
    changed: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class CauseTrend:
    """A cause over time.

    mismatches: of each run, on all models and checks; None if the run did not ask the inputs on which the nearest other
        run shows the cause.
    is_known: of each run, whether expectations listed all of it. models: on which it was seen.
    example: the weightiest finding of the last run that has it.
    is_flaky: whether it came and went more than twice between runs that asked the same of the same versions.
    """

    subject: str
    stage: str
    rule: str
    mismatches: tuple[int | None, ...]
    is_known: tuple[bool, ...]
    models: tuple[str, ...]
    example: Finding
    is_flaky: bool = False

    @property
    def asked(self) -> tuple[int, ...]:
        """The numbers of the runs that asked what shows it, from 0."""
        return tuple(number for number, count in enumerate(self.mismatches) if count is not None)

    @property
    def is_there(self) -> bool:
        """Whether the last run that could see it saw it."""
        return bool(self.mismatches[self.asked[-1]])

    @property
    def turns(self) -> tuple[tuple[int, bool], ...]:
        """The runs that say otherwise than the one asked before: True where it came, False where it went."""
        seen = pairwise((number, bool(self.mismatches[number])) for number in self.asked)
        return tuple(after for before, after in seen if before[1] != after[1])

    @property
    def regressed(self) -> tuple[int, ...]:
        """The runs in which the cause came back; empty for a flaky cause."""
        first = next(number for number in self.asked if self.mismatches[number])
        return () if self.is_flaky else tuple(number for number, came in self.turns if came and number > first)


@dataclass(frozen=True, slots=True)
class History:
    """The runs in order, and the causes: present ones first, the weightiest first."""

    runs: tuple[RunPoint, ...]
    causes: tuple[CauseTrend, ...]


def history(runs: Iterable[tuple[str, Run]]) -> History:
    """The runs in the order given. runs: with the names of their folders."""
    ordered = list(runs)
    versions = [{}, *(answering_versions(run) for _, run in ordered)]
    points = [_point(*named, before) for named, before in zip(ordered, versions, strict=False)]
    return History(tuple(points), tuple(_causes([run for _, run in ordered])))


def by_start(runs: Iterable[tuple[str, Run]]) -> list[tuple[str, Run]]:
    """The runs in the order in which they were started. runs: with the names of their folders."""
    return sorted(runs, key=lambda named: (moment(named[1].started), named[0]))


def moment(started: str) -> float:
    """The time of a start in seconds since 1970; 0 for what is no time.

    >>> moment("1970-01-01T01:00:00+01:00"), moment("today")
    (0.0, 0.0)
    """
    try:
        found = datetime.fromisoformat(started)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def _point(name: str, run: Run, before: Mapping[str, str]) -> RunPoint:
    now = answering_versions(run)
    pairs = ((part, before.get(part, ""), now.get(part, "")) for part in {**before, **now})
    return RunPoint(
        name,
        run.started,
        run.outcome,
        run.unexpected,
        len(run.findings) - run.unexpected,
        run.cases,
        run.answers,
        run.times.get("total", sum(run.times.values())),
        tuple(pair for pair in pairs if before and pair[1] != pair[2]),
    )


def _causes(runs: Sequence[Run]) -> list[CauseTrend]:
    found: dict[CauseKey, dict[int, list[Finding]]] = {}
    for number, run in enumerate(runs):
        for finding in run.findings:
            key = finding.example.subject, finding.stage, finding.rule
            found.setdefault(key, {}).setdefault(number, []).append(finding)
    trends = [_trend(key, seen, runs) for key, seen in found.items()]
    trends = [replace(trend, is_flaky=_is_flaky(trend, runs)) for trend in trends]
    return sorted(trends, key=lambda trend: (not trend.is_there, *by_weight(trend.example)))


def _trend(key: CauseKey, seen: Mapping[int, Sequence[Finding]], runs: Sequence[Run]) -> CauseTrend:
    counts = [
        sum(finding.count for finding in seen[number]) if number in seen else 0 if _asks(runs, number, seen) else None
        for number in range(len(runs))
    ]
    known = [all(finding.status == "known" for finding in seen.get(number, ())) for number in range(len(runs))]
    models = {finding.example.model for findings in seen.values() for finding in findings}
    return CauseTrend(
        *key,
        tuple(counts),
        tuple(known),
        tuple(sorted(models)),
        min(seen[max(seen)], key=by_weight),
    )


def _asks(runs: Sequence[Run], number: int, seen: Mapping[int, Sequence[Finding]]) -> bool:
    """Whether a run asked the inputs on which the nearest other run shows the cause; an earlier run is preferred."""
    nearest = max((one for one in seen if one < number), default=min(seen))
    shared = SharedInputs(runs[number], runs[nearest])
    return any(shared.is_seen_by("before", finding) for finding in seen[nearest])


def _is_flaky(trend: CauseTrend, runs: Sequence[Run]) -> bool:
    turns = {number for number, _ in trend.turns}
    pairs = [(runs[before], runs[after]) for before, after in pairwise(trend.asked) if after in turns]
    return sum(_is_alike(*pair, trend.subject) for pair in pairs) > _MOST_TURNS


def _is_alike(before: Run, after: Run, subject: str) -> bool:
    """Whether two runs asked the same inputs of the same versions; False if the subject's version is unknown."""
    versions = answering_versions(before)
    is_known = not versions.get(subject, UNCOMMITTED).endswith(UNCOMMITTED)
    is_asked = before.cases == after.cases and SharedInputs(before, after).asked_alike
    return is_known and is_asked and versions == answering_versions(after)
