"""Decoding gives the oracle's text, with special tokens skipped and kept."""

from __future__ import annotations

from conformance.checks.base import Answers, Difference, Outcome, compare_failures, text_tails
from conformance.core.case import Case
from conformance.core.observation import Decoding, Failure


class DecodeCheck:
    """The same ids give the same text as the oracle's."""

    name = "decode"
    of_oracle = False

    def __call__(self, case: Case, oracle: Answers, subject: Answers) -> Outcome:
        return compare_decodings(oracle.decoding, subject.decoding, "other text")


def compare_decodings(expected: Decoding | None, observed: Decoding | None, rule: str) -> Outcome:
    """Whether two decodings say the same; `rule` names the difference."""
    if expected is None or observed is None:
        return "not applicable"
    if isinstance(expected, Failure) or isinstance(observed, Failure):
        return compare_failures(expected, observed, "other text")
    if expected.text != observed.text:
        return Difference(rule, "other text", *text_tails(expected.text, observed.text))
    both = expected.with_special is not None and observed.with_special is not None
    if both and expected.with_special != observed.with_special:
        tails = text_tails(expected.with_special or "", observed.with_special or "")
        return Difference(f"{rule} with special tokens kept", "other text", *tails)
    return "same"


DECODE = DecodeCheck()
