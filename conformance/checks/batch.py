"""A batch gives what each text gives on its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.checks.base import Answers, Check, Difference, Outcome, failure_difference, tails
from conformance.checks.methods import BATCH as BATCH_CALL
from conformance.core.case import Case
from conformance.core.observation import Encoded, Encoding, Failure

_REPRODUCTION = '''\
def compared(official, subject):
    """The ids of the text alone, and in a batch."""
    alone = answer(lambda: subject.encode(INPUT)["ids"])
    return alone, answer(lambda: list(subject.encode_batch([INPUT])[0]))
'''


class BatchCheck(Check):
    """The batch call equals the single call, in every part of the encoding; and so do the ids given in bulk.

    A text that breaks the subject down in both calls is left to other checks, and so is what is refused in bulk alone:
    there, that says no more than that the text is to be asked in full.
    """

    name = "batch = single"
    compares = "batch"
    of_oracle = True
    methods = (BATCH_CALL,)
    expected_by = "the subject, asked alone"
    code = _REPRODUCTION

    def __call__(self, case: Case, oracle: Answers, subject: Answers) -> Outcome:
        expected, observed = subject.encoding, subject.batch
        if expected is None or observed is None:
            return "not applicable" if subject.bulk_ids is None else _bulk_outcome(expected, subject.bulk_ids)
        if isinstance(expected, Failure) and expected == observed:
            return "both refuse" if expected.kind == "refused" else "not applicable"
        if expected == observed:
            return "same" if subject.bulk_ids is None else _bulk_outcome(expected, subject.bulk_ids)
        if isinstance(observed, Failure):
            return failure_difference(expected, observed)
        if isinstance(expected, Failure):
            return failure_difference(observed, expected)
        return _other_ids(expected.ids, observed.ids)

    def constants(self, case: Case, subject: Answers) -> Mapping[str, Any] | None:
        if subject.batch in (None, subject.encoding):  # only the adapter of a subject knows its door for bulk
            return None
        return super().constants(case, subject)


def _bulk_outcome(expected: Encoding | None, bulk_ids: tuple[int, ...]) -> Outcome:
    if not isinstance(expected, Encoded):
        return "not applicable"
    return "same" if expected.ids == bulk_ids else _other_ids(expected.ids, bulk_ids)


def _other_ids(expected: tuple[int, ...], observed: tuple[int, ...]) -> Difference:
    return Difference("batch gives other ids than the text alone", "other ids", *tails(expected, observed))


BATCH = BatchCheck()
