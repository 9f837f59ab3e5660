"""What comes out of a run: mismatches, and the findings that they are gathered into."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

from conformance.case import Case

Severity = Literal["special-token injection", "other text", "other ids", "no answer", "offsets only"]
"""How bad a difference is, the worst first."""

Status = Literal["new", "known"]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One check that failed on one case.

    rule: what kind of difference it is, in words that are the same for every case with the same cause.
    expected, observed: both answers as short text, from the first difference on.
    """

    model: str
    subject: str
    check: str
    rule: str
    severity: Severity
    case: Case
    expected: str
    observed: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Mismatches with one cause.

    count: how many mismatches there were; example: the smallest, shrunk; languages: where they were seen.
    stage: the stage at fault, "" where it could not be told; rule: what is wrong there.
    oracle: what the expected answers came from.
    status: "known" where an expectation lists it; reason and upstream are then the expectation's.
    replay: the command that shows it again.
    """

    example: Mismatch
    count: int
    languages: tuple[str, ...]
    stage: str
    rule: str
    oracle: str
    status: Status = "new"
    reason: str = ""
    upstream: str = ""
    replay: str = ""

    @property
    def fingerprint(self) -> str:
        """The same for the same cause in every run: subject, model, check, stage and rule, not the input."""
        example = self.example
        key = "\0".join((example.subject, example.model, example.check, self.stage, self.rule))
        return hashlib.sha256(key.encode("utf-8", "backslashreplace")).hexdigest()[:12]
