"""The example of a finding: the mismatch on the smallest case that still fails the same way, asked anew."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from conformance.checks import CHECKS
from conformance.checks.base import Answers
from conformance.checks.encoding import IDS
from conformance.core.case import Case
from conformance.core.finding import Mismatch, Severity
from conformance.core.observation import NO_ANSWER_IN_TIME
from conformance.diagnosis.causes import DESCRIPTIONS, Attribution
from conformance.diagnosis.fault_search import MOST_SAMPLES
from conformance.diagnosis.seams import EACH_CHUNK_ALONE
from conformance.engine.asking_again import AskedAgain, ask_again
from conformance.engine.bench import Bench
from conformance.engine.collecting import collect_answers
from conformance.engine.naming import named_difference
from conformance.engine.plan import Plan
from conformance.engine.repeating import AS_EXPECTED, NOT_ALONE, UNREPEATED, with_both
from conformance.inputs.shards import corpus_cases
from conformance.shrinking.cases import MOST_ATTEMPTS, shrink_case
from conformance.subjects.adapters import BUILT_IN
from conformance.triage.close_look import Example, examined
from conformance.triage.rivals import hear_of_rivals

SLOW_ATTEMPTS = 60
"""The most attempts at shrinking with a subject that dies on its way."""

_KEPT_SEVERITY: Severity = "special-token injection"
"""A smaller case must show what is so bad."""
_NOTHING = Attribution()
_Failing: TypeAlias = tuple[Case, AskedAgain]
"""A case that fails, and what is seen there."""


def shrunk_example(
    plan: Plan, bench: Bench, mismatch: Mismatch, by_worker: Attribution, deadline: float = math.inf
) -> tuple[Mismatch, Attribution]:
    """The mismatch on a smaller case, and the cause that the smaller case shows.

    bench: of its model. by_worker: what it was attributed to before. deadline: of `time.monotonic`, from which on no
        smaller case is tried; the mismatch stays as it is where that has passed already.
    """
    if time.monotonic() > deadline:
        return mismatch, by_worker
    return _looked_at(plan, bench, mismatch, by_worker, partial(_Trial.shrunk, deadline=deadline))


def whole_example(plan: Plan, bench: Bench, mismatch: Mismatch, by_worker: Attribution) -> tuple[Mismatch, Attribution]:
    """The mismatch on its own case, looked at as closely, and the cause that it shows."""
    return _looked_at(plan, bench, mismatch, by_worker, _Trial.whole)


def _looked_at(
    plan: Plan, bench: Bench, mismatch: Mismatch, by_worker: Attribution, tried: Callable[[_Trial], _Failing | None]
) -> tuple[Mismatch, Attribution]:
    if mismatch.subject not in bench.subjects or mismatch.rule in NO_ANSWER_IN_TIME or by_worker.rule in UNREPEATED:
        return mismatch, by_worker
    bench.renew()
    _observe_samples(plan, bench, mismatch)
    trial = _Trial.of(plan, bench, mismatch)
    is_alone = mismatch.subject not in BUILT_IN and CHECKS[mismatch.check].compares != "single"
    if is_alone and trial.is_gone():
        return replace(mismatch, observed=with_both(mismatch.observed, AS_EXPECTED)), Attribution("", NOT_ALONE)
    found = tried(trial)
    if found is None:
        return mismatch, by_worker
    case, asked = found
    difference, expected, observed = asked.difference, asked.expected, asked.observed
    assert difference is not None
    shown = replace(mismatch, case=case, severity=bench.attributor.severity(difference, expected, observed))
    if CHECKS[mismatch.check].is_sampled:
        hear_of_rivals(bench, shown, expected, observed)
    cause = _cause(bench, shown, expected, observed, by_worker)
    difference = named_difference(bench.reference.tokenizer, difference, expected, observed)
    evidence = examined(Example(bench, mismatch.subject, mismatch.check, case, expected, observed), cause)
    return replace(shown, expected=difference.expected, observed=difference.observed, evidence=evidence), cause


def _cause(bench: Bench, shrunk: Mismatch, expected: Answers, observed: Answers, by_worker: Attribution) -> Attribution:
    """The cause that the shrunk case shows; the worker's only where that explains the shrunk case as well.

    Where nothing does, it is described. Of streams, the worker may have seen fewer cuts, and so have named a seam where
    one chunk goes wrong already; what it has learnt from several texts stands.
    """
    asked = shrunk.subject, shrunk.check, shrunk.case, expected, observed
    shown = bench.attributor.of(*asked)
    if CHECKS[shrunk.check].diagnosis == "stream encoding" and shown.stage and by_worker != EACH_CHUNK_ALONE:
        return shown
    if not CHECKS[shrunk.check].is_sampled:
        return by_worker if by_worker.stage or not shown.rule else shown
    if shown.stage and shown.rule not in DESCRIPTIONS:
        return shown
    if by_worker.rule not in DESCRIPTIONS and bench.attributor.explains(by_worker, *asked):
        return by_worker
    return shown if shown.rule else Attribution("", shrunk.rule)


@dataclass(frozen=True, slots=True)
class _Trial:
    """Asks whether a smaller case fails in the same way.

    cause: what explains the mismatch and must explain that of the smaller case too, so that a subject with several
        mistakes is not shrunk from one to another; empty where nothing does.
    """

    plan: Plan
    bench: Bench
    mismatch: Mismatch
    cause: Attribution = _NOTHING

    @classmethod
    def of(cls, plan: Plan, bench: Bench, mismatch: Mismatch) -> _Trial:
        trial = cls(plan, bench, mismatch)
        if not CHECKS[mismatch.check].is_sampled or (mismatch.severity == "no answer" and mismatch.rule != "refused"):
            return trial
        first = trial._asked(mismatch.case)
        asked = mismatch.subject, mismatch.check, mismatch.case, first.expected, first.observed
        cause = bench.attributor.of(*asked)
        return replace(trial, cause=cause) if bench.attributor.explains(cause, *asked) else trial

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
        severity = self.bench.attributor.severity(difference, asked.expected, asked.observed)
        return None if _KEPT_SEVERITY == self.mismatch.severity != severity else asked

    def _asked(self, case: Case) -> AskedAgain:
        return ask_again(self.bench, self.mismatch, case, self.plan.inputs.closest_depth, self.cause)

    def _same_of_new(self, case: Case) -> AskedAgain | None:
        self._renew()
        return self._same(case)

    def _renew(self) -> None:
        self.bench.subjects[self.mismatch.subject].renew()


def _observe_samples(plan: Plan, bench: Bench, mismatch: Mismatch) -> None:
    """Take what the subject does with a few other cases; faults are weighed by what it does with made ones as well."""
    samples = sample_cases(plan)
    if CHECKS[mismatch.check].is_sampled:
        samples += [case for case in bench.made_cases if case.kind != "bytes"]
    checks = (IDS.name, mismatch.check) if CHECKS[mismatch.check].diagnosis == "stream encoding" else (IDS.name,)
    heard = collect_answers(bench, samples, checks, mismatch.subject)
    bench.attributor.observe(mismatch.subject, samples, heard[bench.oracle], heard[mismatch.subject])


def sample_cases(plan: Plan) -> list[Case]:
    """Short texts from all over the corpora."""
    texts = [case for case in corpus_cases(plan.inputs.files) if case.kind == "text" and 0 < len(case.text) <= 200]
    return texts[:: max(1, len(texts) // MOST_SAMPLES)][:MOST_SAMPLES]
