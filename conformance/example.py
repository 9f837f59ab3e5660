"""The example of a finding: the mismatch on the smallest case that still fails the same way, asked anew."""

from __future__ import annotations

from dataclasses import replace

from conformance.attribute import Attribution
from conformance.case import Case
from conformance.checks import CHECKS
from conformance.checks.base import Answers, Difference
from conformance.engines.asking import ask
from conformance.engines.hypothesis_search import MOST_WITNESSES
from conformance.engines.local import bench_of
from conformance.engines.naming import named_difference
from conformance.examine import Example, examined
from conformance.finding import Mismatch
from conformance.inputs.plan import corpus_cases
from conformance.plan import Plan
from conformance.shrink import MOST_ATTEMPTS, shrink_case

SLOW_ATTEMPTS = 60
"""How often a subject that dies on its way may be asked while its failure is shrunk."""

_NOT_SHRUNK = ("timed out", "not asked")


def shrunk_example(plan: Plan, mismatch: Mismatch, stage: str) -> tuple[Mismatch, Attribution]:
    """The mismatch on a smaller case, and what the smaller case says about the cause."""
    bench = bench_of(plan, mismatch.model)
    if mismatch.subject not in bench.subjects or mismatch.rule in _NOT_SHRUNK:
        return mismatch, Attribution()
    check = CHECKS[mismatch.check]
    bench.renew()
    witnesses = [*_witness_cases(plan), *(case for case in bench.made_cases if case.kind != "bytes")]
    checks = ("ids", mismatch.check) if mismatch.check == "stream encode" else ("ids",)
    heard = ask(bench, witnesses, checks, mismatch.subject)
    bench.blame.hear(mismatch.subject, witnesses, heard[bench.oracle], heard[mismatch.subject])

    def answers(case: Case) -> tuple[Answers, Answers]:
        given = ask(bench, [case], (mismatch.check,), mismatch.subject, plan.inputs.closest_depth)
        return given[bench.oracle][0], given[mismatch.subject][0]

    def outcome(case: Case) -> Difference | None:
        found = check(case, *answers(case))
        if isinstance(found, Difference) and found.severity == "no answer":
            bench.subjects[mismatch.subject].renew()
        return found if isinstance(found, Difference) and found.rule == mismatch.rule else None

    def outcome_of_new(case: Case) -> Difference | None:
        bench.subjects[mismatch.subject].renew()
        return outcome(case)

    case, difference = mismatch.case, None
    if mismatch.severity != "no answer":
        case = shrink_case(mismatch.case, lambda smaller: outcome(smaller) is not None, MOST_ATTEMPTS)
        difference = outcome_of_new(case)
    if difference is None:
        # What the subject was asked before matters, or it breaks down: it must begin anew for each attempt.
        attempts = SLOW_ATTEMPTS if mismatch.severity == "no answer" else MOST_ATTEMPTS
        case = shrink_case(mismatch.case, lambda smaller: outcome_of_new(smaller) is not None, attempts)
        difference = outcome_of_new(case)
    if difference is None:
        return mismatch, Attribution()
    oracle, subject = answers(case)
    attribution = bench.blame.of(mismatch.subject, mismatch.check, case, oracle, subject)
    difference = named_difference(bench.reference.tokenizer, difference, oracle, subject)
    shrunk = replace(mismatch, case=case, expected=difference.expected, observed=difference.observed)
    example = Example(bench, mismatch.subject, mismatch.check, case, oracle, subject)
    return replace(shrunk, evidence=examined(example, attribution)), attribution


def _witness_cases(plan: Plan) -> list[Case]:
    """Short texts from all over the corpora."""
    texts = [case for case in corpus_cases(plan.inputs.files) if case.kind == "text" and 0 < len(case.text) <= 200]
    return texts[:: max(1, len(texts) // MOST_WITNESSES)][:MOST_WITNESSES]
