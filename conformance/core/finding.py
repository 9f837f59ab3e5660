"""The mismatches that come out of a run, and the findings that they are gathered into."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from conformance.core.case import Case
from conformance.core.evidence import NO_EVIDENCE, Evidence
from conformance.core.records import Count
from conformance.core.weight import NOT_WEIGHED, Weight

Severity = Literal["special-token injection", "other text", "other ids", "no answer", "offsets only"]
"""The severity of a difference, the worst first."""

NO_RULE = "no known rule"
"""The beginning of what is said of a cause that no known rule explains; what is seen follows."""
NOT_SOUGHT = "cause not sought"
"""The same where there was no time to find out, or nobody to ask; what is seen follows."""
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
Status = Literal["new", "known"]
Place: TypeAlias = tuple[str, str, str]
"""A model, a subject and a check."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One check that failed on one case.

    rule: what kind of difference it is, in words that are the same for every case with the same cause.
    expected, observed: both answers as short text, from the first difference on.
    evidence: what else is seen of it; only the example of a finding is looked at so closely.
    """

    model: str
    subject: str
    check: str
    rule: str
    severity: Severity
    case: Case
    expected: str
    observed: str
    evidence: Evidence = NO_EVIDENCE

    @property
    def place(self) -> Place:
        """Where it was seen."""
        return self.model, self.subject, self.check


@dataclass(frozen=True, slots=True)
class Example:
    """One case of a finding, as it came, and both answers as short text, from the first difference on."""

    case: Case
    expected: str
    observed: str


MOST_EXAMPLES = 10
"""Of a finding."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """How well a rule foretells what the subject does, on inputs that it was not chosen by.

    tried: how many answers the rule makes other than they should be, without those where something else was seen to be
    at work; 0 where the time ended before any was asked for.
    foretold: how many of these the subject gave.
    """

    tried: Count
    foretold: Count


@dataclass(frozen=True, slots=True)
class Finding:
    """Mismatches with one cause.

    count: how many mismatches there were; example: the smallest, shrunk; languages: where they were seen.
    stage: the stage at fault, "" where it could not be told; rule: what is wrong there.
    oracle: what the expected answers came from.
    status: "known" where an expectation lists it; reason and upstream are then the expectation's.
    replay: the command that shows it again.
    scope: which inputs it concerns, in words, "" where that could not be told.
    confidence: of the rule; None where it was not put to the test, or where none is known.
    weight: how much it matters.
    verdict: who is wrong, and on what evidence, in words; "" where that was not asked.
    examples: some cases as they came, not shrunk, each another, the smallest first.
    """

    example: Mismatch
    count: Count
    languages: tuple[str, ...]
    stage: str
    rule: str
    oracle: str
    status: Status = "new"
    reason: str = ""
    upstream: str = ""
    replay: str = ""
    scope: str = ""
    confidence: Confidence | None = None
    weight: Weight = NOT_WEIGHED
    verdict: str = ""
    examples: tuple[Example, ...] = ()

    def joined(self, other: Finding) -> Finding:
        """This finding, for the mismatches of another with the same cause as well.

        Texts that fail the same check are others; those that fail another check may be the same.
        """
        languages = tuple(sorted({*self.languages, *other.languages}))
        weight = self.weight.joined(other.weight, self.example.check == other.example.check)
        examples = {one.case.content: one for one in (*other.examples, *self.examples)}
        kept = sorted(examples.values(), key=lambda one: (one.case.size, one.case.origin))[:MOST_EXAMPLES]
        count = self.count + other.count
        return replace(self, count=count, languages=languages, weight=weight, examples=tuple(kept))

    @property
    def fingerprint(self) -> str:
        """The same for the same cause in every run: subject, model, check, stage and rule, not the input."""
        example = self.example
        key = "\0".join((example.subject, example.model, example.check, self.stage, self.rule))
        return hashlib.sha256(key.encode("utf-8", "backslashreplace")).hexdigest()[:12]
