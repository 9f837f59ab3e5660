"""The ids of a text without the special tokens of the template, as `add_special_tokens=False` asks for them."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.checks.base import Answers, Check, Diagnosis, Difference, Outcome, compare_failures, tails
from conformance.core.case import Case
from conformance.core.observation import Encoded, Failure

ALWAYS_ADDED = "special tokens are always added"
OTHER_BARE_IDS = "other ids without special tokens"

_REPRODUCTION = '''\
def compared(official, subject):
    """The ids without special tokens."""
    return answer(official.bare, INPUT), answer(subject.bare, INPUT)
'''


@dataclass(frozen=True, slots=True)
class BareCheck(Check):
    """The ids without special tokens equal the oracle's.

    Where the ids with special tokens differ already, that is the difference, and nothing more is said here.
    """

    name: str = "ids without special tokens"
    compares = "bare"
    diagnosis: Diagnosis = "special tokens"
    code: str = _REPRODUCTION

    def __call__(self, case: Case, oracle: Answers, subject: Answers) -> Outcome:
        expected, observed = oracle.bare, subject.bare
        if expected is None or observed is None:
            return "not applicable"
        whole, own = oracle.encoding, subject.encoding
        if not isinstance(whole, Encoded) or not isinstance(own, Encoded) or whole.ids != own.ids:
            return "not applicable"
        if isinstance(expected, Failure) or isinstance(observed, Failure):
            return compare_failures(expected, observed, "other ids")
        if expected.ids == observed.ids:
            return "same"
        rule = ALWAYS_ADDED if observed.ids == own.ids else OTHER_BARE_IDS
        return Difference(rule, "other ids", *tails(expected.ids, observed.ids))


BARE = BareCheck()
