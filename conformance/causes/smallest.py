"""The example of a finding: the mismatch on the smallest case that still fails the same way, asked anew."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import TypeAlias

from conformance.causes.asking import around, drawn, sample_cases
from conformance.causes.asking_again import AskedAgain, ask_again
from conformance.causes.attribution import Attribution
from conformance.causes.decoder_streams import attribute_stream_decoding
from conformance.causes.encoder_streams import EACH_CHUNK_ALONE, are_chunks_encoded_alone, plain_entries
from conformance.causes.evidence import Example, examined
from conformance.causes.one_answer import attributor_of
from conformance.causes.shrinking.cases import MOST_ATTEMPTS, shrink_case
from conformance.checks import CHECKS
from conformance.checks.base import Answers
from conformance.checks.encoding import IDS
from conformance.core.case import Case, ids_case
from conformance.core.finding import Mismatch, Severity
from conformance.core.observation import NO_ANSWER_IN_TIME
from conformance.engine.bench import Bench
from conformance.engine.collecting import collect_answers
from conformance.engine.naming import named_difference
from conformance.engine.plan import Plan
from conformance.engine.repeating import AS_EXPECTED, NOT_ALONE, UNREPEATED, with_both
from conformance.subjects.adapters import BUILT_IN

LONGEST_STREAMED, MOST_STREAMED, MOST_STREAMED_IDS = 100, 30, 60
"""So many texts, of so many code points, and so many lists of ids are streamed to tell what a stream does to them."""
SLOW_ATTEMPTS = 60
"""The most attempts at shrinking with a subject that dies on its way."""

_KEPT_SEVERITY: Severity = "special-token injection"
"""A smaller case must show what is so bad."""
_NOTHING = Attribution()
_Failing: TypeAlias = tuple[Case, AskedAgain]
"""A case that fails, and what is seen there."""


def shrunk_example(
    plan: Plan,
    bench: Bench,
    mismatch: Mismatch,
    cause: Attribution,
    others: Sequence[Attribution] = (),
    deadline: float = math.inf,
) -> tuple[Mismatch, Attribution]:
    """The mismatch on a smaller case, and its cause: a smaller case shows more clearly what one answer tells.

    bench: of its model. cause: its own; where none is known, others: those of the subject's other mismatches, none of
        which a smaller case may show. deadline: of `time.monotonic`, from which on no smaller case is tried; the
        mismatch stays as it is where that has passed already.
    """
    if time.monotonic() > deadline:
        return mismatch, cause
    bench.renew()
    trial = _Trial.of(plan, bench, mismatch, cause, others)
    return _looked_at(trial, cause, partial(_Trial.shrunk, deadline=deadline))


def whole_example(plan: Plan, bench: Bench, mismatch: Mismatch, cause: Attribution) -> tuple[Mismatch, Attribution]:
    """The mismatch on its own case, looked at as closely, and its cause."""
    bench.renew()
    return _looked_at(_Trial.of(plan, bench, mismatch, cause, ()), cause, _Trial.whole)


def _looked_at(
    trial: _Trial, cause: Attribution, tried: Callable[[_Trial], _Failing | None]
) -> tuple[Mismatch, Attribution]:
    bench, mismatch = trial.bench, trial.mismatch
    if mismatch.subject not in bench.subjects or mismatch.rule in NO_ANSWER_IN_TIME or cause.rule in UNREPEATED:
        return mismatch, cause
    is_alone = mismatch.subject not in BUILT_IN and CHECKS[mismatch.check].compares != "batch"
    if is_alone and trial.is_gone():
        return replace(mismatch, observed=with_both(mismatch.observed, AS_EXPECTED)), Attribution("", NOT_ALONE)
    found = tried(trial)
    if found is None:
        return mismatch, cause
    case, asked = found
    difference, expected, observed = asked.difference, asked.expected, asked.observed
    assert difference is not None
    shown = replace(mismatch, case=case, severity=attributor_of(bench).severity(difference, expected, observed))
    cause = _cause(trial.plan, bench, shown, expected, observed, cause)
    difference = named_difference(bench.reference.tokenizer, difference, expected, observed)
    evidence = examined(Example(bench, mismatch.subject, mismatch.check, case, expected, observed), cause)
    return replace(shown, expected=difference.expected, observed=difference.observed, evidence=evidence), cause


def _cause(
    plan: Plan, bench: Bench, shrunk: Mismatch, expected: Answers, observed: Answers, came: Attribution
) -> Attribution:
    """The cause that the shrunk case shows, where one answer tells it; else that which came.

    Of streams, fewer cuts may have been seen at first, and a seam been named where one chunk goes wrong already; what
    several texts tell goes before what one tells.
    """
    shown = attributor_of(bench).of(shrunk.subject, shrunk.check, shrunk.case, expected, observed)
    if CHECKS[shrunk.check].diagnosis == "stream decoding" and not (shown.stage or came.stage):
        *others, own = (one.stream_decoded or () for one in _sampled(plan, bench, shrunk))
        found = attribute_stream_decoding(bench.reference.tokenizer, [*chain(*others), *own], own)
        return found if found.stage else came
    if CHECKS[shrunk.check].diagnosis == "stream encoding" and shown.stage:
        return EACH_CHUNK_ALONE if _encodes_each_chunk_alone(plan, bench, shrunk) else shown
    return came if came.stage or not shown.rule else shown


def _encodes_each_chunk_alone(plan: Plan, bench: Bench, mismatch: Mismatch) -> bool:
    """Whether the streams of a subject take each chunk for a text of its own."""
    heard = _sampled(plan, bench, mismatch)
    entries = [entry for one in heard for entry in plain_entries(one.stream_encoded or ())]
    return are_chunks_encoded_alone(bench.reference.tokenizer, entries)


def _sampled(plan: Plan, bench: Bench, mismatch: Mismatch) -> Sequence[Answers]:
    """What the subject answers to texts of the corpora, to the case of the mismatch, and to ids like it or drawn."""
    samples = [case for case in sample_cases(plan) if len(case.text) <= LONGEST_STREAMED][:MOST_STREAMED]
    if mismatch.case.kind == "ids":
        near = around(bench.reference.tokenizer, [mismatch.case.ids])
        lists = chain(near, islice(drawn(bench, True, "streams"), MOST_STREAMED_IDS))
        samples = [*samples[::2], *(ids_case(ids, f"corpora/streams:{number}") for number, ids in enumerate(lists))]
    checks = IDS.name, mismatch.check
    asked = [*samples, mismatch.case]
    return collect_answers(bench, asked, checks, mismatch.subject, plan.inputs.closest_depth)[mismatch.subject]


@dataclass(frozen=True, slots=True)
class _Trial:
    """Asks whether a smaller case fails in the same way.

    cause: what explains the mismatch and must explain that of the smaller case too, so that a subject with several
        mistakes is not shrunk from one to another; empty where nothing does. others: causes of which a smaller case
        may show none.
    """

    plan: Plan
    bench: Bench
    mismatch: Mismatch
    cause: Attribution = _NOTHING
    others: Sequence[Attribution] = ()

    @classmethod
    def of(
        cls, plan: Plan, bench: Bench, mismatch: Mismatch, cause: Attribution, others: Sequence[Attribution]
    ) -> _Trial:
        trial = cls(plan, bench, mismatch)
        is_told = mismatch.severity != "no answer" or mismatch.rule == "refused"
        if mismatch.subject not in bench.subjects or not CHECKS[mismatch.check].is_sampled or not is_told:
            return trial
        first = trial._asked(mismatch.case)
        shown = [one for one in (cause, *others) if trial._explains(one, mismatch.case, first)]
        return replace(trial, cause=cause) if cause in shown else replace(trial, others=() if shown else others)

    def _explains(self, cause: Attribution, case: Case, asked: AskedAgain) -> bool:
        who = self.mismatch.subject, self.mismatch.check
        return attributor_of(self.bench).explains(cause, *who, case, asked.expected, asked.observed)

    def is_gone(self) -> bool:
        """Whether the case, asked alone, does not fail at all; where there was no time for an answer, it is not."""
        self._renew()
        return self._asked(self.mismatch.case).verdict == "gone" and not self.bench.is_over()

    def whole(self) -> _Failing | None:
        """The case as it is, and what is seen; None where it does not fail again."""
        found = self._same_of_new(self.mismatch.case)
        return None if found is None else (self.mismatch.case, found)

    def shrunk(self, deadline: float) -> _Failing | None:
        """The smallest case found until the deadline, and what is seen there; None where not even the first fails."""

        def smallest(same: Callable[[Case], AskedAgain | None], attempts: int) -> Case:
            def fails(smaller: Case) -> bool:
                return time.monotonic() < deadline and same(smaller) is not None

            return shrink_case(self.mismatch.case, fails, attempts)

        if self.mismatch.severity != "no answer":
            case = smallest(self._same, MOST_ATTEMPTS)
            found = self._same_of_new(case)
            if found is not None or time.monotonic() > deadline:
                return None if found is None else (case, found)
        # What the subject was asked before matters, or it breaks down: it must begin anew for each attempt.
        attempts = SLOW_ATTEMPTS if self.mismatch.severity == "no answer" else MOST_ATTEMPTS
        case = smallest(self._same_of_new, attempts)
        found = self._same_of_new(case)
        return None if found is None else (case, found)

    def _same(self, case: Case) -> AskedAgain | None:
        """The mismatch with this case, where it is the same."""
        asked = self._asked(case)
        difference = asked.difference
        if difference is not None and difference.severity == "no answer":
            self._renew()
        if asked.verdict != "same" or difference is None:
            return None
        if any(self._explains(one, case, asked) for one in self.others):
            return None
        severity = attributor_of(self.bench).severity(difference, asked.expected, asked.observed)
        return None if _KEPT_SEVERITY == self.mismatch.severity != severity else asked

    def _asked(self, case: Case) -> AskedAgain:
        return ask_again(self.bench, self.mismatch, case, self.plan.inputs.closest_depth, self.cause)

    def _same_of_new(self, case: Case) -> AskedAgain | None:
        self._renew()
        return self._same(case)

    def _renew(self) -> None:
        self.bench.subjects[self.mismatch.subject].renew()
