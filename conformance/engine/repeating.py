"""Mismatches that a subject does not repeat: no rule of a tokenizer explains them, and none is named."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from conformance.checks import CHECKS
from conformance.checks.base import Answers, Difference
from conformance.core.case import Case
from conformance.core.observation import Encoded
from conformance.engine.bench import Bench
from conformance.engine.collecting import collect_answers
from conformance.engine.result import Counts, ShardResult
from conformance.inputs.cuts import Depth
from conformance.subjects.base import Subject

DEPENDS = "its answer depends on what else it was asked"
CHANGES = "its answer changes when it is asked the same again"
NOT_ALONE = "it was not seen again when the same was asked alone"
UNREPEATED = (CHANGES, DEPENDS, NOT_ALONE)
"""The rules of mismatches that a subject does not repeat, the one that says most first."""

AS_EXPECTED = "as expected"

LEAST_ASKED, OF_EACH_CHECK = 8, 4
"""So many questions are asked alone, about so many mismatches of each check at most: a subject that is wrong by chance
every other time then repeats itself in one of 256 trials."""
TIMES_AGAIN = 2
"""What comes by chance may come again once."""


@dataclass(frozen=True, slots=True)
class Differing:
    """A check that failed on one case of a shard. index: the place of the case in the shard."""

    check: str
    index: int
    case: Case
    difference: Difference
    expected: Answers
    observed: Answers


@dataclass(frozen=True, slots=True)
class Unrepeated:
    """The mismatches of one check that a subject does not repeat. rule: one of `UNREPEATED`.

    alone: what was said when the case was asked alone, by the place of the case.
    """

    rule: str
    alone: Mapping[int, str]


def unrepeated(
    bench: Bench,
    name: str,
    seen: Sequence[Differing],
    again: Callable[[str], Sequence[Answers]],
    seed: str,
    depth: Depth,
) -> dict[str, Unrepeated]:
    """By check, what a subject does not say again of what it said in a shard.

    A few mismatches of each check are asked again one case at a time, the last first, in the process as it is and in a
    fresh one. Where one answer is another in the fresh one, the whole shard is asked again as it was: what comes again
    hangs on what else was asked; so does what the first process always repeats and the fresh one never, since other
    shards came before; what else does not come again hangs on nothing. A batch may then differ from its texts for the
    same reason. Where there is no time to ask it all, nothing is known, or the least is said.
    seen: the mismatches of the subject, in the order of the checks.
    again: asks a subject the shard again, and gives its answers to all cases.
    seed: decides which mismatches are asked alone. depth: how much the shard cuts what it feeds to streams.
    """
    asked = _chosen([one for one in seen if _may_be_asked_alone(one)], Random(seed))
    if not asked:
        return {}
    subject = bench.subjects[name]
    before = [_said(bench, name, one, depth) for one in _in_reverse(asked)]
    subject.renew()
    fresh = [_said(bench, name, one, depth) for one in _in_reverse(asked)]
    alone: dict[str, dict[int, str]] = defaultdict(dict)
    for one, said in zip(_in_reverse(asked), fresh, strict=True):
        if said is not None:
            alone[one.check].setdefault(one.index, said)
    if not alone or bench.is_over():
        return {}
    subject.anew = True
    is_of_the_process = not any(said is not None for said in before) and None not in fresh
    rule = DEPENDS
    for _ in range(TIMES_AGAIN):
        subject.renew()
        found = again(name)
        if bench.is_over():
            rule = NOT_ALONE
            break
        if any(_difference(one, found[one.index]) != one.difference for one in asked):
            rule = DEPENDS if is_of_the_process else CHANGES
            break
    checks = {one.check for one in seen if one.check in alone or CHECKS[one.check].compares == "batch"}
    return {check: Unrepeated(rule, alone.get(check, {})) for check in checks}


def keep_unrepeated(result: ShardResult, before: ShardResult) -> None:
    """Take over what a shard showed first, and does not show in a fresh process: nobody may hear that nothing was seen.

    before: its result in a process that had been asked other shards.
    """
    shown = {(subject, check) for subject, check, _, rule in result.groups if rule in UNREPEATED}
    for key, group in before.groups.items():
        subject, check, _, rule = key
        if rule not in UNREPEATED or (subject, check) in shown:
            continue
        result.groups[key].join(group)
        result.counts[subject, check].join(Counts(compared=group.count, mismatched=group.count))
        for language, count in {**group.languages, "": group.count - group.languages.total()}.items():
            if count:
                compared, mismatched = result.languages[language, subject]
                result.languages[language, subject] = [compared + count, mismatched + count]


def as_said_twice(subject: Subject, cases: Sequence[Case], oracle: Sequence[Answers], observed: list[Answers]) -> None:
    """Put the wrong one of two answers into `observed`, where the subject was asked a text twice and gave both."""
    if not subject.said_otherwise:
        return
    for index, (case, expected, answers) in enumerate(zip(cases, oracle, observed, strict=True)):
        other = subject.said_otherwise.get(case.data if case.kind == "bytes" else case.text)
        if other is not None and _ids(answers) == _ids(expected):
            observed[index] = replace(answers, encoding=other)


def _ids(answers: Answers) -> tuple[int, ...] | None:
    return answers.encoding.ids if isinstance(answers.encoding, Encoded) else None


def with_both(observed: str, alone: str) -> str:
    """An answer as it came, and as it is when the same is asked alone.

    >>> with_both("… 1 equal token … (end)", "as expected")
    '… 1 equal token … (end); asked alone: as expected'
    """
    return f"{observed}; asked alone: {alone}"


def _may_be_asked_alone(one: Differing) -> bool:
    """A batch is another question than its texts; and what hung or died may do so again, which costs a process."""
    is_answered = one.difference.severity != "no answer" or one.difference.rule == "refused"
    return is_answered and CHECKS[one.check].compares != "batch"


def _chosen(seen: Sequence[Differing], chance: Random) -> list[Differing]:
    """A few of each check, in the order in which they were seen."""
    by_check: dict[str, list[Differing]] = defaultdict(list)
    for one in seen:
        by_check[one.check].append(one)
    return [one for every in by_check.values() for one in _few(every, chance)]


def _few(every: Sequence[Differing], chance: Random) -> list[Differing]:
    places = sorted(chance.sample(range(len(every)), min(len(every), OF_EACH_CHECK)))
    return [every[place] for place in places]


def _in_reverse(asked: Sequence[Differing]) -> list[Differing]:
    """All of them, the last first, over and over until they are enough."""
    rounds = -(-LEAST_ASKED // len(asked))
    return [*reversed(asked)] * rounds


def _said(bench: Bench, name: str, one: Differing, depth: Depth) -> str | None:
    """What the subject says when it is asked alone, for people; None where it says the same, or was not heard."""
    answers = collect_answers(bench, [one.case], (one.check,), name, depth)
    now = _difference(one, answers[name][0])
    if now == one.difference:
        return None
    if now is not None:
        return now.observed
    return None if CHECKS[one.check](one.case, one.expected, answers[name][0]) == "not applicable" else AS_EXPECTED


def _difference(one: Differing, observed: Answers) -> Difference | None:
    """The difference by the same rule that these answers make, or any other."""
    check = CHECKS[one.check]
    for found in (check.of_rule(observed, one.difference.rule), observed):
        outcome = check(one.case, one.expected, found)
        if isinstance(outcome, Difference):
            return outcome
    return None
