"""From trainings that differ to findings: each shrunk, with the rule that foretells the subject's other results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from conformance.core.observation import Failure
from conformance.training.case import Result, TrainingCase, TrainingDifference, first_difference
from conformance.training.configurations import made_case
from conformance.training.hypotheses import Hypothesis, hypotheses_for
from conformance.training.reference import reference_training, why
from conformance.training.shrinking import shrunk

NO_KNOWN_RULE = "no known rule"
LEAST_SHARE = 0.95
"""Of the held-out results, that a rule must foretell."""
_HELD_OUT, _LEAST_HELD_OUT = 45, 3
_MOST_FINDINGS = 3
_MOST_OWN_WORDS = 8

Ask = Callable[[TrainingCase], Result]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A training of which the subject's result is another than the reference's."""

    case: TrainingCase
    observed: Result
    difference: TrainingDifference


@dataclass(frozen=True, slots=True)
class TrainingFinding:
    """What is wrong with a trainer.

    rule: that foretells what the subject learns, or NO_KNOWN_RULE. foretold, tried: of how many results on held-out
    corpora it foretold how many. case: the smallest training. cases: the names of those that differed.
    reason: why the reference learns what it does. official: what the official trainer says of it, "" where it is the
    subject itself.
    """

    trainer: str
    rule: str
    foretold: int
    tried: int
    difference: TrainingDifference
    case: TrainingCase
    cases: tuple[str, ...]
    reason: str = ""
    official: str = ""


def compared(case: TrainingCase, observed: Result) -> TrainingDifference | None:
    """Where a result differs from the reference's, the choices that are free taken from it."""
    return first_difference(case.trainer, reference_training(case, observed), observed)


def findings(mismatches: Sequence[Mismatch], ask: Ask, official: Ask | None) -> Iterable[TrainingFinding]:
    """The findings of one trainer, each as soon as it is made.

    official: the official trainer, None where it is the subject.
    """
    left = list(mismatches)
    for _ in range(_MOST_FINDINGS):
        if not left:
            break
        finding, hypothesis = _finding(left, ask, official)
        explained = left if hypothesis is None else [one for one in left if _foretells(hypothesis, one)]
        smallest = _smallest(left)
        names = [one.case.name for one in left if one in explained or one is smallest]
        yield replace(finding, cases=tuple(names))
        left = [one for one in left if one not in explained and one is not smallest]


def _smallest(mismatches: Sequence[Mismatch]) -> Mismatch:
    return min(mismatches, key=lambda one: (isinstance(one.observed, Failure), sum(map(len, one.case.texts))))


def _finding(
    mismatches: Sequence[Mismatch], ask: Ask, official: Ask | None
) -> tuple[TrainingFinding, Hypothesis | None]:
    smallest = _smallest(mismatches)
    case = smallest.case

    def differs(one: TrainingCase) -> bool:
        observed = ask(one)
        difference = compared(one, observed)
        if difference is None or isinstance(observed, Failure) != isinstance(smallest.observed, Failure):
            return False
        # That one of the two refuses is another fault.
        return (difference.kind == "training") == (smallest.difference.kind == "training")

    case = shrunk(case, differs)
    observed = ask(case)
    difference = compared(case, observed) or smallest.difference
    hypothesis, foretold, tried = _rule(case, observed, smallest, ask)
    return TrainingFinding(
        case.trainer,
        hypothesis.rule if hypothesis is not None else NO_KNOWN_RULE,
        foretold,
        tried,
        difference,
        case,
        (),
        why(case, observed, difference),
        "" if official is None else _verdict(case, official),
    ), hypothesis


def _verdict(case: TrainingCase, official: Ask) -> str:
    found = compared(case, official(case))
    return (
        "the subject: the official trainer and reftok agree"
        if found is None
        else f"unclear: {found.place} of the official trainer differs from reftok's too"
    )


def _rule(case: TrainingCase, observed: Result, smallest: Mismatch, ask: Ask) -> tuple[Hypothesis | None, int, int]:
    """The hypothesis that foretells the most, if that is enough; of how many held-out results it foretold how many."""
    known = [*hypotheses_for(case), *hypotheses_for(smallest.case)]
    by_rule = {hypothesis.rule: hypothesis for hypothesis in reversed(known)}
    shown = Mismatch(case, observed, smallest.difference)
    candidates = [one for one in reversed(by_rule.values()) if _foretells(one, shown)]
    if not candidates:
        return None, 0, 0
    held_out = _held_out(case, smallest.case, ask)
    best: tuple[float, Hypothesis, int, int] | None = None
    for hypothesis in candidates:
        foretold = tried = 0
        for mismatch, differs in held_out:
            result = hypothesis.foretold(mismatch.case, mismatch.observed)
            is_right = result is not None and first_difference(case.trainer, result, mismatch.observed) is None
            if differs or (not is_right and result is not None):
                tried += 1
                foretold += is_right
        share = foretold / tried if tried >= _LEAST_HELD_OUT else 0.0
        if share >= LEAST_SHARE and (best is None or share > best[0]):
            best = share, hypothesis, foretold, tried
    return (None, 0, 0) if best is None else best[1:]


def _held_out(case: TrainingCase, whole: TrainingCase, ask: Ask) -> list[tuple[Mismatch, bool]]:
    """Small made corpora that no rule was chosen by, with what the subject learns, and whether that is wrong."""
    cases = [made_case(case.trainer, f"held out {number}") for number in range(_HELD_OUT)]
    own = [word for text in case.texts for word in text.split()][:_MOST_OWN_WORDS]
    for options in (case.options, whole.options):
        sizes = {**options, "vocab_size": 40}
        cases += [made_case(case.trainer, f"alike {number}", sizes, own) for number in range(_HELD_OUT)]
    found = []
    for one in cases:
        observed = ask(one)
        if isinstance(observed, Failure):
            continue
        difference = compared(one, observed)
        shown = difference or TrainingDifference("", "", "")
        found.append((Mismatch(one, observed, shown), difference is not None))
    return found


def _foretells(hypothesis: Hypothesis, mismatch: Mismatch) -> bool:
    result = hypothesis.foretold(mismatch.case, mismatch.observed)
    return result is not None and first_difference(mismatch.case.trainer, result, mismatch.observed) is None


def words_and_counts(case: TrainingCase) -> list[tuple[str, int]]:
    """The distinct texts of a case with how often each is there.

    >>> words_and_counts(TrainingCase("", "word", ("a", "b", "a"), {}))
    [('a', 2), ('b', 1)]
    """
    counts: dict[str, int] = {}
    for text in case.texts:
        counts[text] = counts.get(text, 0) + 1
    return list(counts.items())
