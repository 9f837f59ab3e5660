"""A batch gives what each text gives on its own."""

from __future__ import annotations

from conformance.checks.base import Answers, Difference, Outcome, failure_difference, tails
from conformance.core.case import Case
from conformance.core.observation import Failure


class BatchCheck:
    """The batch call equals the single call, in every part of the encoding.

    A text that breaks the subject down in both calls is left to other checks.
    """

    name = "batch = single"
    of_oracle = True

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


BATCH = BatchCheck()
