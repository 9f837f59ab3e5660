"""The encoding, compared with the oracle's part by part: ids, tokens, offsets, special-token mask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.checks.base import (
    Answers,
    Check,
    Diagnosis,
    Difference,
    Outcome,
    compare_failures,
    reproduction_input,
    tails,
)
from conformance.core.case import Case
from conformance.core.finding import Severity
from conformance.core.observation import Failure

_REPRODUCTION = '''\
def compared(official, subject):
    """Part by part, if both give it; what has no answer is its own part."""
    answers = answer(official.encode, INPUT), answer(subject.encode, INPUT)
    if any(isinstance(given, Failure) for given in answers):
        return answers
    expected, observed = (given[PART] for given in answers)
    return (expected, observed) if expected is not None and observed is not None else (None, None)
'''


@dataclass(frozen=True, slots=True)
class EncodingCheck(Check):
    """One part of the encoding equals the oracle's.

    Where the oracle refuses a text, a subject should refuse it too; that is judged by the first part, the ids. Where it
    breaks down, nothing is asked of the subject but not to do so. The other parts are compared where both give them and
    the ids agree, so that one cause is one difference.
    """

    name: str
    part: str
    severity: Severity
    diagnosis: Diagnosis = "none"
    counts_answers: bool = False
    methods: tuple[str, ...] = ()
    code: str = _REPRODUCTION

    def __call__(self, case: Case, oracle: Answers, subject: Answers) -> Outcome:
        expected, observed = oracle.encoding, subject.encoding
        if expected is None or observed is None:
            return "not applicable"
        if isinstance(expected, Failure) or isinstance(observed, Failure):
            return compare_failures(expected, observed, "other ids") if self.part == "ids" else "not applicable"
        if self.part != "ids" and expected.ids != observed.ids:
            return "not applicable"
        expected_part: Sequence[object] | None = getattr(expected, self.part)
        observed_part: Sequence[object] | None = getattr(observed, self.part)
        if expected_part is None or observed_part is None:
            return "not applicable"
        if expected_part == observed_part:
            return "same"
        return Difference(f"other {self.name}", self.severity, *tails(expected_part, observed_part))

    def constants(self, case: Case, subject: Answers) -> Mapping[str, Any]:
        return {"INPUT": reproduction_input(case), "PART": self.part}


IDS = EncodingCheck("ids", "ids", "other ids", diagnosis="ids", counts_answers=True)
TOKENS = EncodingCheck("tokens", "tokens", "offsets only", diagnosis="tokens", methods=("tokens",))
OFFSETS = EncodingCheck("offsets", "offsets", "offsets only", diagnosis="offsets", methods=("offsets",))
SPECIAL_TOKENS_MASK = EncodingCheck(
    "special-token mask", "special_tokens_mask", "offsets only", methods=("special_tokens_mask",)
)
