"""A batch gives what each text gives on its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.checks.base import Answers, Check, Difference, Outcome, failure_difference, reproduction_input, tails
from conformance.core.case import Case
from conformance.core.observation import Failure


class BatchCheck(Check):
    """The batch call equals the single call, in every part of the encoding.

    A text that breaks the subject down in both calls is left to other checks.
    """

    name = "batch = single"
    compares = "single"
    of_oracle = True
    expected_by = "the subject, asked alone"

    def __call__(self, case: Case, oracle: Answers, subject: Answers) -> Outcome:
        single, batch = subject.single, subject.encoding
        if single is None or batch is None:
            return "not applicable"
        if isinstance(single, Failure) and single == batch:
            return "both refuse" if single.kind == "refused" else "not applicable"
        if single == batch:
            return "same"
        if isinstance(batch, Failure):
            return failure_difference(single, batch)
        if isinstance(single, Failure):
            return failure_difference(batch, single)
        return Difference("batch gives other ids than the text alone", "other ids", *tails(single.ids, batch.ids))

    def reproduction(self, case: Case, subject: Answers) -> tuple[Mapping[str, Any], str]:
        return {"INPUT": reproduction_input(case)}, _REPRODUCTION


_REPRODUCTION = '''\
def compared(official, subject):
    """The ids of the text alone, and in a batch."""
    alone = answer(lambda: subject.encode(INPUT)["ids"])
    return alone, answer(lambda: list(subject.encode_batch([INPUT])[0]))
'''

BATCH = BatchCheck()
