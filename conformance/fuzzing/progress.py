"""The progress of a session: what it has reached and found so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from conformance.core.finding import Finding
from conformance.fuzzing.coverage import KindCoverage


@dataclass(frozen=True, slots=True)
class ModelCoverage:
    """Of one model: each kind, how often each generator gave an input, and why others, or stages, had nothing to do."""

    model: str
    kinds: tuple[KindCoverage, ...]
    drawn: Mapping[str, int]
    idle: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SessionProgress:
    """The progress of a session.

    cases: of all models, those of earlier starts included; new_cases, seconds: of this start.
    coverages: at the end of the last generation. found: a finding a cause, the worst example of each, not shrunk.
    known: how many others an expectation lists. fresh: those that are first seen, a line each.
    """

    cases: int
    new_cases: int
    seconds: float
    coverages: tuple[ModelCoverage, ...]
    found: tuple[Finding, ...]
    known: int = 0
    fresh: tuple[str, ...] = ()
