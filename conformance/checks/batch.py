"""A batch gives what each text gives on its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.checks.base import Answers, Check, Difference, Outcome, failure_difference, reproduction_input, tails
from conformance.core.case import Case
from conformance.core.observation import Encoded, Encoding, Failure


class BatchCheck(Check):
    """The batch call equals the single call, in every part of the encoding; and so do the ids given in bulk.

    A text that breaks the subject down in both calls is left to other checks, and so is what is refused in bulk alone:
    there, that says no more than that the text is to be asked in full.
    """

    name = "batch = single"
    compares = "single"
    of_oracle = True
    expected_by = "the subject, asked alone"

    def __call__(self, case: Case, oracle: Answers, subject: Answers) -> Outcome:
        single, batch = subject.single, subject.encoding
        if single is None or batch is None:
            return "not applicable" if subject.bulk_ids is None else _bulk_outcome(batch, subject.bulk_ids)
        if isinstance(single, Failure) and single == batch:
            return "both refuse" if single.kind == "refused" else "not applicable"
        if single == batch:
            return "same" if subject.bulk_ids is None else _bulk_outcome(single, subject.bulk_ids)
        if isinstance(batch, Failure):
            return failure_difference(single, batch)
        if isinstance(single, Failure):
            return failure_difference(batch, single)
        return _other_ids(single.ids, batch.ids)

    def reproduction(self, case: Case, subject: Answers) -> tuple[Mapping[str, Any], str] | None:
        if subject.single in (None, subject.encoding):  # only the adapter of a subject knows its door for bulk
            return None
        return {"INPUT": reproduction_input(case)}, _REPRODUCTION


def _bulk_outcome(alone: Encoding | None, bulk_ids: tuple[int, ...]) -> Outcome:
    if not isinstance(alone, Encoded):
        return "not applicable"
    return "same" if alone.ids == bulk_ids else _other_ids(alone.ids, bulk_ids)


def _other_ids(alone: tuple[int, ...], batch: tuple[int, ...]) -> Difference:
    return Difference("batch gives other ids than the text alone", "other ids", *tails(alone, batch))


_REPRODUCTION = '''\
def compared(official, subject):
    """The ids of the text alone, and in a batch."""
    alone = answer(lambda: subject.encode(INPUT)["ids"])
    return alone, answer(lambda: list(subject.encode_batch([INPUT])[0]))
'''

BATCH = BatchCheck()
