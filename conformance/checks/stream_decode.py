"""A streaming decoder, fed one id at a time, gives in the end what decoding all ids at once gives.

Subjects are compared with their own full decode, so that a fault is not counted under two checks.
"""

from __future__ import annotations

from conformance.case import Case
from conformance.checks.base import Answers, Difference, Outcome, failure_difference, text_tails
from conformance.observation import Failure

REPLACEMENT = "\ufffd"


class StreamDecodeCheck:
    """Streamed text equals the full decode."""

    name = "stream decode"
    of_oracle = True

    def __call__(self, case: Case, oracle: Answers, subject: Answers) -> Outcome:
        full, streamed = subject.decoding, subject.streamed
        if streamed is None or full is None or isinstance(full, Failure):
            return "not applicable"
        if isinstance(streamed, Failure):
            if streamed.kind == "refused":
                return Difference("refuses what the full decode accepts", "no answer", full.text[:80], streamed.message)
            return failure_difference(full, streamed)
        if full == streamed:
            return "same"
        if full.text != streamed.text:
            return _difference(full.text, streamed.text)
        return _difference(full.with_special or "", streamed.with_special or "")


def _difference(full: str, streamed: str) -> Difference:
    return Difference(_rule(full, streamed), "other text", *text_tails(full, streamed))


def _rule(full: str, streamed: str) -> str:
    if full.startswith(streamed) and REPLACEMENT in full[len(streamed) :]:
        return "text from a U+FFFD on is never given out"
    if full.startswith(streamed):
        return "the end is never given out"
    if full.strip() == streamed.strip():
        return "white space at the ends differs from the full decode"
    if REPLACEMENT in full:
        return "text around a U+FFFD differs from the full decode"
    return "text differs from the full decode"


STREAM_DECODE = StreamDecodeCheck()
