"""Decoding gives the oracle's text, with special tokens skipped and kept."""

from __future__ import annotations

from conformance.checks.base import Answers, Check, Difference, Outcome, compare_failures, text_tails
from conformance.core.case import Case
from conformance.core.observation import Decoding, Failure

_REPRODUCTION = '''\
def compared(official, subject):
    """Decoded with special tokens skipped, and kept where both can; INPUT is ids, or a text that has them."""
    ids = INPUT if isinstance(INPUT, list) else official.encode(INPUT)["ids"]
    answers = answer(official.decode, ids), answer(subject.decode, ids)
    if any(isinstance(given, Failure) for given in answers):
        return answers
    choices = min(map(len, answers))
    return [given[:choices] for given in answers]
'''


class DecodeCheck(Check):
    """The same ids give the same text as the oracle's."""

    name = "decode"
    compares = "decoding"
    on_cuts = True
    counts_answers = True
    diagnosis = "decoding"
    code = _REPRODUCTION

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
