"""A mismatch asked again: the subject still does the same, does something else, or differs no more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from conformance.causes.attribution import DESCRIPTIONS, Attribution
from conformance.causes.one_answer import attributor_of
from conformance.checks import CHECKS
from conformance.checks.base import Answers, Difference
from conformance.core.case import Case
from conformance.core.finding import NO_RULE, Mismatch
from conformance.engine.bench import Bench
from conformance.engine.collecting import collect_answers
from conformance.engine.naming import named_difference
from conformance.inputs.cuts import Depth

Verdict: TypeAlias = Literal["same", "other", "gone"]

_UNKNOWN = Attribution()


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """The result of asking again.

    verdict: "same" where the check fails by the same rule and for the same cause; "other" where it fails in another
        way; "gone" where it does not fail.
    difference: what is seen now; None where nothing differs.
    expected, observed: the answers of the oracle, and of the subject, of streams those that differ so.
    """

    verdict: Verdict
    difference: Difference | None
    expected: Answers
    observed: Answers


def ask_again(
    bench: Bench, mismatch: Mismatch, case: Case, depth: Depth = "sample", cause: Attribution = _UNKNOWN
) -> AskedAgain:
    """The mismatch with a case, its own or another, on the subjects of a bench.

    depth: how much a text or ids are cut for streams.
    cause: what the mismatch is attributed to. Where a fault stands behind it, that must explain what is seen, so that a
        subject with several mistakes is not taken from one to another; else anything by the same rule will do.
    """
    check = CHECKS[mismatch.check]
    answers = collect_answers(bench, [case], (mismatch.check,), mismatch.subject, depth)
    expected, every = answers[bench.oracle][0], answers[mismatch.subject][0]
    observed = check.of_rule(every, mismatch.rule)
    found = check(case, expected, observed)
    if not isinstance(found, Difference):
        other = check(case, expected, every)
        difference = other if isinstance(other, Difference) else None
        return AskedAgain("other" if difference else "gone", difference, expected, every)
    is_same = found.rule == mismatch.rule and (
        not _is_a_fault(mismatch, cause)
        or attributor_of(bench).explains(cause, mismatch.subject, mismatch.check, case, expected, observed)
        or (case == mismatch.case and _looks_as_before(bench, mismatch, found, expected, observed))
    )
    return AskedAgain("same" if is_same else "other", found, expected, observed)


def _looks_as_before(
    bench: Bench, mismatch: Mismatch, difference: Difference, expected: Answers, observed: Answers
) -> bool:
    """Whether both answers are shown as they were, with the same case."""
    shown = named_difference(bench.reference.tokenizer, difference, expected, observed)
    return (shown.expected, shown.observed) == (mismatch.expected, mismatch.observed)


def _is_a_fault(mismatch: Mismatch, cause: Attribution) -> bool:
    """Whether a fault stands behind a cause; others only describe what is seen."""
    is_described = cause.rule in DESCRIPTIONS or cause.rule.startswith(NO_RULE)
    return CHECKS[mismatch.check].is_sampled and bool(cause.stage) and not is_described
