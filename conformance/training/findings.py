"""From trainings that differ to findings: each shrunk, with the rule that foretells the subject's other results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conformance.core.observation import Failure
from conformance.subjects.training_subject import RANKS
from conformance.training.asking import Ask
from conformance.training.case import Result, TrainingCase, TrainingDifference, first_difference
from conformance.training.configurations import made_case
from conformance.training.hypotheses import Hypothesis, hypotheses_for, together, without
from conformance.training.reference import reference_training, why
from conformance.training.shrinking import shrunk
from conformance.training.use import use_of
from conformance.training.whole_file import file_differences
from reftok.training.minbpe import BYTES

NO_KNOWN_RULE = "no known rule"
LEAST_SHARE = 0.95
"""Of the held-out results, that a rule must foretell."""
_HELD_OUT, _LEAST_HELD_OUT = 45, 3
_MOST_FINDINGS, _MOST_UNNAMED = 8, 3
_MOST_ASKED_AGAIN, _MOST_PAIRED = 6, 3
_MOST_OWN_WORDS = 8

HAZARDS = {"▁": "▁ (U+2581)", "\t": "a tab", "\r": "a carriage return", "\0": "NUL", "▅": "▅ (U+2585)"}
"""Characters that have a meaning to a trainer, or to what reads its texts, with their names."""
_LONG, _LONG_LINE = "long line", 4192


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A training of which the subject's file differs from the reference's.

    differences: in what was learned first, then in the rest of the file.
    """

    case: TrainingCase
    observed: Result
    differences: tuple[TrainingDifference, ...]

    @property
    def learned(self) -> TrainingDifference | None:
        """The difference in what was learned."""
        return next((one for one in self.differences if not one.path), None)


@dataclass(frozen=True, slots=True)
class TrainingFinding:
    """What is wrong with a trainer.

    rule: that foretells what the subject learns, or NO_KNOWN_RULE. foretold, tried: of how many results on held-out
    corpora it foretold how many. case: the smallest training. cases: the names of those that differed.
    reason: why the reference learns what it does, or what comes of a difference in the file. official: what the
    official trainer says of it, "" where it is the subject itself.
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


def compared(case: TrainingCase, observed: Result, known: Sequence[Hypothesis] = ()) -> tuple[TrainingDifference, ...]:
    """Where a result differs from the reference's, the choices that are free taken from it.

    known: mistakes that were found already, and are expected.
    """
    expected = _expected(case, observed, known)
    learned = first_difference(case.trainer, expected, observed)
    if isinstance(expected, Failure) or isinstance(observed, Failure):
        return () if learned is None else (learned,)
    written = file_differences(expected, observed, learned is None)
    return written if learned is None else (learned, *written)


def _expected(case: TrainingCase, observed: Result, known: Sequence[Hypothesis]) -> Result:
    found = together(known).foretold(case, observed) if known else None
    return reference_training(case, observed) if found is None else found


def findings(mismatches: Sequence[Mismatch], ask: Ask, official: Ask | None) -> Iterator[TrainingFinding]:
    """The findings of one trainer, each as soon as it is made.

    What a mistake that was found explains is left out, also where another one is seen beside it. What no rule explains
    is reported once for each kind of difference; the next of that kind are still tried, since a rule may explain them.
    official: the official trainer, None where it is the subject.
    """
    left = [one for one in mismatches if one.learned is not None]
    known: list[Hypothesis] = []
    unnamed: list[str] = []
    for _ in range(_MOST_FINDINGS):
        if not left or len(set(unnamed)) == _MOST_UNNAMED:
            break
        finding, rules = _finding(left, ask, official, known)
        known += rules[:1]  # the second of two is found beside it, with an example of its own
        explained = [one for one in left if _explains(finding, one, known)]
        smallest, kind = _smallest(left), finding.difference.kind
        is_named = finding.rule != NO_KNOWN_RULE
        alike = explained if is_named else [one for one in left if one.learned is not None and one.learned.kind == kind]
        if is_named or kind not in unnamed:
            yield replace(finding, cases=tuple(one.case.name for one in left if one in alike or one is smallest))
        if not is_named:
            unnamed.append(kind)
        left = [one for one in left if one not in explained and one is not smallest]
    yield from _in_the_file(mismatches, ask, official, known)


def _explains(finding: TrainingFinding, one: Mismatch, known: Sequence[Hypothesis]) -> bool:
    if isinstance(one.observed, Failure):
        return finding.rule == _failing_rule(finding.case) and _failing_part(finding.case) in _hazards(one.case)
    return _foretells(known, one)


def _smallest(mismatches: Sequence[Mismatch]) -> Mismatch:
    return min(mismatches, key=lambda one: (isinstance(one.observed, Failure), sum(map(len, one.case.texts))))


def _finding(
    mismatches: Sequence[Mismatch], ask: Ask, official: Ask | None, known: Sequence[Hypothesis]
) -> tuple[TrainingFinding, Sequence[Hypothesis]]:
    """The finding of the smallest mismatch, and the hypotheses that foretell the subject: two where it has both."""
    smallest = _smallest(mismatches)
    case = smallest.case
    assert smallest.learned is not None
    is_training = smallest.learned.kind == "training"

    def differs(one: TrainingCase) -> bool:
        observed = ask(one)
        if isinstance(observed, Failure) != isinstance(smallest.observed, Failure):
            return False
        # That one of the two refuses is another fault.
        difference = next((found for found in compared(one, observed, known) if not found.path), None)
        return difference is not None and (difference.kind == "training") == is_training

    case = shrunk(case, differs)
    observed = ask(case)
    difference = next((one for one in compared(case, observed, known) if not one.path), smallest.learned)
    rules: list[Hypothesis]
    if isinstance(observed, Failure):
        rules, foretold, tried, rule = [], 0, 0, _failing_rule(case)
    else:
        rules, foretold, tried = _rules(case, observed, smallest, ask, known)
        rule = rules[0].rule if rules else NO_KNOWN_RULE
    reason = why(case, observed, difference)
    verdict = "" if official is None else _verdict(case, official)
    return TrainingFinding(case.trainer, rule, foretold, tried, difference, case, (), reason, verdict), rules


def _hazards(case: TrainingCase) -> set[str]:
    """What of the texts a trainer may fail on: rare characters, and long lines."""
    found = {character for text in case.texts for character in text if character in HAZARDS}
    return found | ({_LONG} if any(len(text.encode("utf-8", "replace")) > _LONG_LINE for text in case.texts) else set())


def _failing_part(case: TrainingCase) -> str:
    """What the smallest case that a trainer fails on has, "" if it is nothing of that kind, or several."""
    hazards = _hazards(case)
    return hazards.pop() if len(hazards) == 1 else ""


def _failing_rule(case: TrainingCase) -> str:
    part = _failing_part(case)
    if part == _LONG:
        return f"training fails on lines of more than {_LONG_LINE:,} bytes"
    return f"training fails on texts with {HAZARDS[part]}" if part else NO_KNOWN_RULE


def _verdict(case: TrainingCase, official: Ask) -> str:
    if case.trainer == RANKS:
        return "the subject: none of the known rules for ties gives its result"
    found = compared(case, official(case))
    return (
        "the subject: the official trainer and reftok agree"
        if not found
        else f"unclear: {found[0].place} of the official trainer differs from reftok's too"
    )


# --- the rule at fault


def _rules(
    case: TrainingCase, observed: Result, smallest: Mismatch, ask: Ask, known: Sequence[Hypothesis]
) -> tuple[list[Hypothesis], int, int]:
    """The hypothesis that foretells the most, if that is enough; of how many held-out results it foretold how many.

    Where none is enough, one with another beside it: two mistakes of one trainer.
    """
    by_rule = {one.rule: one for one in reversed([*hypotheses_for(case), *hypotheses_for(smallest.case)])}
    for one in known:
        by_rule.pop(one.rule, None)
    shown = Mismatch(case, observed, smallest.differences)
    candidates = [one for one in reversed(by_rule.values()) if _foretells((*known, one), shown)]
    if not candidates:
        return [], 0, 0
    held_out = _held_out(case, smallest.case, ask, known)
    singles = [[one] for one in candidates]
    pairs = ([one, other] for one in candidates[:_MOST_PAIRED] for other in by_rule.values() if other is not one)
    for tried_rules in (singles, pairs):
        best: tuple[float, list[Hypothesis], int, int] | None = None
        for rules in tried_rules:
            foretold, tried = _foretold([*known, *rules], held_out)
            share = foretold / tried if tried >= _LEAST_HELD_OUT else 0.0
            if share >= LEAST_SHARE and (best is None or share > best[0]):
                best = share, rules, foretold, tried
        if best is not None:
            return best[1:]
    return [], 0, 0


def _foretold(rules: Sequence[Hypothesis], held_out: Sequence[tuple[Mismatch, bool]]) -> tuple[int, int]:
    """Of how many results that count the rules foretell how many; given up where they are too few."""
    foretold = tried = 0
    most_wrong = (1 - LEAST_SHARE) * len(held_out)
    for mismatch, differs in held_out:
        result = together(rules).foretold(mismatch.case, mismatch.observed)
        is_right = result is not None and first_difference(mismatch.case.trainer, result, mismatch.observed) is None
        if differs or (not is_right and result is not None):
            tried += 1
            foretold += is_right
            if tried - foretold > most_wrong:
                break
    return foretold, tried


def _held_out(
    case: TrainingCase, whole: TrainingCase, ask: Ask, known: Sequence[Hypothesis]
) -> list[tuple[Mismatch, bool]]:
    """Small made corpora that no rule was chosen by, with what the subject learns, and whether that is wrong."""
    cases = [made_case(case.trainer, f"held out {number}") for number in range(_HELD_OUT)]
    own = [word for text in case.texts for word in text.split()][:_MOST_OWN_WORDS]
    for options in (case.options, whole.options):
        sizes = {**options, "vocab_size": BYTES + 40 if case.trainer == RANKS else 40}
        cases += [made_case(case.trainer, f"alike {number}", sizes, own) for number in range(_HELD_OUT)]
    found = []
    for one in cases:
        observed = ask(one)
        if not isinstance(observed, Failure):
            mismatch = Mismatch(one, observed, compared(one, observed, known))
            found.append((mismatch, mismatch.learned is not None))
    return found


def _foretells(rules: Sequence[Hypothesis], mismatch: Mismatch) -> bool:
    result = together(rules).foretold(mismatch.case, mismatch.observed) if rules else None
    return result is not None and first_difference(mismatch.case.trainer, result, mismatch.observed) is None


# --- the rest of the file


def _in_the_file(
    mismatches: Sequence[Mismatch], ask: Ask, official: Ask | None, known: Sequence[Hypothesis]
) -> Iterator[TrainingFinding]:
    """A finding for each path that is written otherwise, and is not foretold by a rule that was found."""
    by_path: dict[str, list[Mismatch]] = {}
    for mismatch in sorted(mismatches, key=lambda one: sum(map(len, one.case.texts))):
        for difference in mismatch.differences:
            if difference.path:
                by_path.setdefault(difference.path, []).append(mismatch)
    for path, those in by_path.items():
        asked = [(one.case, ask(one.case)) for one in those[:_MOST_ASKED_AGAIN]]
        left = [(case, observed) for case, observed in asked if _at(path, compared(case, observed, known))]
        if not left:
            continue

        def differs(one: TrainingCase, path: str = path) -> bool:
            return _at(path, compared(one, ask(one), known)) is not None

        case = shrunk(left[0][0], differs)
        observed = ask(case)
        found = _at(path, compared(case, observed, known))
        if found is None:  # the subject does not repeat it: its first answer is reported
            case, observed = left[0]
            found = _at(path, compared(case, observed, known))
            assert found is not None
        reason = "" if isinstance(observed, Failure) else use_of(case, observed).sentence
        verdict = "" if official is None else _verdict(case, official)
        rule = _file_rule(path, left, known)
        names = tuple(one.case.name for one in those)
        yield TrainingFinding(case.trainer, rule, len(left), len(left), found, case, names, reason, verdict)


def _at(path: str, differences: Sequence[TrainingDifference]) -> TrainingDifference | None:
    return next((one for one in differences if one.path == path), None)


def _file_rule(path: str, results: Sequence[tuple[TrainingCase, Result]], known: Sequence[Hypothesis]) -> str:
    """What is wrong with a part of the file: an option that is ignored, a value that is missing or always the same."""
    option = path.rpartition(".")[2]
    if all(option in case.options for case, _ in results):
        ignored = Hypothesis(f"{option} is ignored", (), without(option))
        found = [compared(case, observed, (*known, ignored)) for case, observed in results]
        if not any(one.path in ("", path) for differences in found for one in differences):
            return ignored.rule
    seen = {one.observed for case, observed in results if (one := _at(path, compared(case, observed, known)))}
    if seen == {"not written"}:
        return f"{path} is not written"
    named = option if "_spec." in path else path
    if len(seen) > 1 or (len(results) == 1 and path == named):
        return f"{path} is wrong"
    return f"{named} is {seen.pop().removesuffix('.0')}"


def in_one(found: Sequence[TrainingFinding]) -> list[TrainingFinding]:
    """The findings with those of one rule, or of one smallest case, in one: of the first, with the cases of all."""
    by_rule: dict[str, TrainingFinding] = {}
    for finding in found:
        key = finding.rule
        if key == NO_KNOWN_RULE:
            key = repr((finding.trainer, finding.case.texts, finding.case.options))
        before = by_rule.get(key)
        by_rule[key] = finding if before is None else replace(before, cases=_joined(before.cases, finding.cases))
    return [*by_rule.values()]


def _joined(names: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*names, *others)))


def words_and_counts(case: TrainingCase) -> list[tuple[str, int]]:
    """The distinct texts of a case with how often each is there.

    >>> words_and_counts(TrainingCase("", "word", ("a", "b", "a"), {}))
    [('a', 2), ('b', 1)]
    """
    counts: dict[str, int] = {}
    for text in case.texts:
        counts[text] = counts.get(text, 0) + 1
    return list(counts.items())
