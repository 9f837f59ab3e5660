"""Pairs, pre-tokenized input, truncation and padding, as `tokenizers` has them in its calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.checks.base import Answers, Check, Diagnosis, Difference, Outcome, failure_difference, tails
from conformance.checks.methods import ENCODE_WITH
from conformance.core.case import Case
from conformance.core.finding import NO_RULE, Severity
from conformance.core.observation import Encoded, Failure
from conformance.core.settings import Asked


@dataclass(frozen=True, slots=True)
class SettingsCheck(Check):
    """Every part that a subject gives of its answers to questions with settings equals the official library's.

    Where a text has other ids or offsets without any setting, other checks say so, and nothing is said of them here.
    What no rule explains of several settings at once is not reported where fewer of them are wrong already.
    """

    name: str = "settings"
    compares = "with_settings"
    diagnosis: Diagnosis = "settings"
    methods: tuple[str, ...] = (ENCODE_WITH,)

    def __call__(self, case: Case, oracle: Answers, subject: Answers) -> Outcome:
        asked = subject.with_settings or ()
        if all(one.given is None for one in asked) or not isinstance(subject.encoding, Encoded):
            return "not applicable"
        if not any(one.differs for one in asked):
            return "same"
        return told(differing(subject)[0]) if of_settings(asked) else "not applicable"

    def by_rule(self, subject: Answers) -> list[Answers]:
        rules = dict.fromkeys(told(one).rule for one in differing(subject))
        return [self.of_rule(subject, rule) for rule in rules]

    def of_rule(self, subject: Answers, rule: str) -> Answers:
        alike = {id(one) for one in differing(subject) if told(one).rule == rule}
        kept = (one for one in subject.with_settings or () if not one.differs or id(one) in alike)
        return replace(subject, with_settings=tuple(kept))


def of_settings(asked: Sequence[Asked]) -> list[Asked]:
    """The questions whose wrong answers need a setting to go wrong, in the order given.

    Wrong ids make everything else wrong, and wrong offsets make `char_to_token` wrong.
    """
    wrong = [one for one in asked if one.differs]
    alone = {one.differs for one in wrong if not one.question.needs}
    if "ids" in alone:
        return []
    return [one for one in wrong if "offsets" not in alone or one.differs not in ("offsets", "char_to_token")]


def differing(subject: Answers) -> list[Asked]:
    """The questions with wrong answers, sorted by their number of settings."""
    wrong = of_settings(subject.with_settings or ())
    wrong.sort(key=lambda one: len(one.question.needs))
    needs = [one.question.needs for one in wrong]
    return [one for one in wrong if one.cause or not any(fewer < one.question.needs for fewer in needs)]


def told(asked: Asked) -> Difference:
    """The difference in an answer, with the question."""
    due, given, part = asked.due, asked.given, asked.differs
    if isinstance(given, Failure):
        failed = failure_difference(due, given)
        rule = asked.cause or failed.rule
        return replace(failed, rule=rule, observed=f"{asked.question.shown}: {failed.observed}")
    assert given is not None
    if isinstance(due, Failure):
        rule, ids = asked.cause or f"{NO_RULE}: an answer in the place of a refusal", tails((), given[0].ids)[1]
        return Difference(rule, "other ids", f"{due.kind}: {due.message}", f"{asked.question.shown}: ids {ids}")
    severity: Severity = "other ids" if part in ("ids", "overflowing") else "offsets only"
    rule = asked.cause or f"{NO_RULE}: other {part} with settings"
    expected, observed = tails(*first_other(due, given, part))
    return Difference(rule, severity, f"{part} {expected}", f"{asked.question.shown}: {part} {observed}")


def first_other(due: Sequence[Encoded], given: Sequence[Encoded], part: str) -> tuple[Sequence[Any], Sequence[Any]]:
    """The part in the first encoding of a batch in which it differs."""
    pairs = ((getattr(one, part), getattr(other, part)) for one, other in zip(due, given, strict=True))
    return next(pair for pair in pairs if pair[0] != pair[1] and None not in pair)


SETTINGS = SettingsCheck()
