"""Who is wrong: the example of a finding is put to others than the subject, and what they answer is the verdict.

A verdict names who is wrong and then the evidence. It says no more than was asked: of the plain rules where they have
no stream, and of releases that are not installed, nothing; an older release is named where the rule that it is known by
foretells the answer to this very input.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.causes.attribution import Attribution
from conformance.causes.edits.older_releases import CHANGES, Change
from conformance.causes.one_answer import attributor_of
from conformance.checks import CHECKS
from conformance.checks.base import Answers, Difference
from conformance.core.finding import Finding
from conformance.core.releases import release
from conformance.engine.bench import Bench
from conformance.engine.collecting import answers_of, collect_answers
from conformance.engine.repeating import UNREPEATED
from conformance.subjects.reftok_spec_subject import NAME as PLAIN
from conformance.subjects.reftok_spec_subject import ReftokSpecSubject
from conformance.subjects.reftok_subject import REFERENCE
from conformance.subjects.versions import installed_version

LONGEST_TEXT = 2_000
"""Code points of a text, bytes or ids: the plain rules take long for more."""

RIGHT_AGAIN = "asked again, the subject is right"

_WORDS = {REFERENCE: "reftok", PLAIN: "its plain rules"}
_SUBJECT, _OFFICIAL, _REFERENCE, _UNDECIDED = "the subject", "the official library", "the reference", "undecided"


def with_verdicts(bench: Bench, findings: Sequence[Finding], deadline: float = math.inf) -> list[Finding]:
    """The findings of one model, each with its verdict.

    deadline: of `time.monotonic`, from which on nothing is asked. An example that is too long for the plain rules, or
    whose subject is not there any more, has none.
    """
    plain = ReftokSpecSubject(bench.reference.tokenizer.rules)
    return [
        replace(one, verdict=_Inquiry.begun(bench, one, plain).verdict()) if _is_asked(bench, one, deadline) else one
        for one in findings
    ]


def _is_asked(bench: Bench, finding: Finding, deadline: float) -> bool:
    case = finding.example.case
    is_short = len(case.text) + len(case.data) + len(case.ids) <= LONGEST_TEXT
    return is_short and finding.example.subject in bench.subjects and time.monotonic() < deadline


@dataclass(frozen=True, slots=True)
class _Inquiry:
    """A finding, and the answers of the official library, the reference and its plain rules to its example."""

    bench: Bench
    finding: Finding
    heard: Mapping[str, Answers]

    @classmethod
    def begun(cls, bench: Bench, finding: Finding, plain: ReftokSpecSubject) -> _Inquiry:
        example = finding.example
        witnesses = {REFERENCE: bench.reference, PLAIN: plain}
        heard = answers_of(bench, witnesses, [example.case], (example.check,), "close")
        return cls(bench, finding, {name: answers[0] for name, answers in heard.items()})

    def verdict(self) -> str:
        """The sentence."""
        subject = self.finding.example.subject
        if self.finding.rule in UNREPEATED:
            return f"{_SUBJECT}: {self.finding.rule}"
        if subject in _WORDS:
            return self._of_reference(subject)
        return self._of_library() if subject == self._oracle else self._of_subject()

    # --- by whose answers

    def _of_subject(self) -> str:
        others = {name: self._holds(name) for name in self.heard}
        right = [name for name, holds in others.items() if holds]
        wrong = [name for name, holds in others.items() if holds is False]
        if CHECKS[self.finding.example.check].of_oracle:
            return f"{_SUBJECT if right else _UNDECIDED}: {self._property(right, wrong)}"
        right = [self._oracle, *(name for name in right if name != self._oracle)]
        if not wrong:
            return f"{_SUBJECT}: {self._agreed(right)}{self._as_older()}"
        if len(right) > 1:
            alone = f"{'its fast path' if wrong == [REFERENCE] else 'its plain rules'} alone otherwise"
            return f"{_SUBJECT}: {self._agreed(right)}; reftok answers by {alone}, which is a fault of its own"
        if self._oracle_is_older:
            return f"{_OFFICIAL}, {self._older(self._change)}"
        otherwise = f"{self._named(self._oracle)} answers otherwise than {_listed(map(self._named, wrong))}"
        if not self._is_asked_again:
            return f"{_UNDECIDED}: {otherwise}"
        answers = self._again()
        with_reference = self._outcome(self.heard[wrong[0]], answers) is True
        return f"{_UNDECIDED}: {otherwise}, and the subject {'as these' if with_reference else 'otherwise than both'}"

    def _of_reference(self, subject: str) -> str:
        other = PLAIN if subject == REFERENCE else REFERENCE
        holds = [name for name in (self._oracle, other) if self._holds(name)]
        if CHECKS[self.finding.example.check].of_oracle and self._change is None:
            who = _REFERENCE if holds else _UNDECIDED
            return f"{who}: {self._property(holds, [name for name in (self._oracle, other) if name not in holds])}"
        if other in holds:
            alone = "its fast path" if subject == REFERENCE else "its plain rules"
            return f"{_REFERENCE}: {alone} alone answers so; {self._agreed([self._oracle, other])}"
        if self._oracle_is_older:
            return f"{_OFFICIAL}, {self._older(self._change)}"
        return f"{_UNDECIDED}: {self._agreed([REFERENCE, PLAIN])}, {self._named(self._oracle)} answers otherwise"

    def _of_library(self) -> str:
        if self._oracle_is_older:
            return f"{_OFFICIAL}, {self._older(self._change)}"
        others = {name: self._holds(name) for name in _WORDS if name in self.heard}
        right = [name for name, holds in others.items() if holds]
        wrong = [name for name, holds in others.items() if holds is False]
        return f"{_OFFICIAL}, {self._named(self._oracle)}: {self._property(right, wrong)}"

    # --- what was heard

    @property
    def _oracle(self) -> str:
        return self.bench.oracle

    def _holds(self, name: str) -> bool | None:
        """Whether the check holds for somebody; None where it says nothing of it."""
        if name not in self.heard:
            return None
        answers = self.heard[name]
        is_own = CHECKS[self.finding.example.check].of_oracle
        return self._outcome(answers if is_own else self.heard[self._oracle], answers)

    def _outcome(self, expected: Answers, observed: Answers) -> bool | None:
        example = self.finding.example
        outcome = CHECKS[example.check](example.case, expected, observed)
        return None if outcome == "not applicable" else not isinstance(outcome, Difference)

    @property
    def _is_asked_again(self) -> bool:
        """Whether the subject may be asked: what breaks it down is not."""
        return self.finding.example.severity != "no answer"

    def _again(self) -> Answers:
        """What the subject answers, without the other faults of its streams."""
        example = self.finding.example
        heard = collect_answers(self.bench, [example.case], (example.check,), example.subject, "close")
        return CHECKS[example.check].of_rule(heard[example.subject][0], example.rule)

    # --- older releases

    @property
    def _change(self) -> Change | None:
        """The change of the official library that the finding is named by."""
        return CHANGES.get((self.finding.stage, self.finding.rule))

    @property
    def _oracle_is_older(self) -> bool:
        """Whether the installed library is a release from before that change."""
        change, version = self._change, installed_version(self._oracle)
        return change is not None and change.library == self._oracle and release(version) < release(change.since)

    def _older(self, change: Change | None) -> str:
        assert change is not None
        until = f"as it was until {change.until}: {self.finding.rule}"
        return f"{self._named(self._oracle)}, {until}; since {change.since} {change.now}, as reftok has it"

    def _as_older(self) -> str:
        """The older release whose rule predicts the answer, or that the subject is right when asked again; else ""."""
        rules = [one for one, change in CHANGES.items() if change.library == self._oracle]
        if not rules or not self._is_asked_again:
            return ""
        example, expected, observed = self.finding.example, self.heard[self._oracle], self._again()
        if self._outcome(expected, observed):
            return f"; {RIGHT_AGAIN}"
        for rule in rules:
            asked = example.subject, example.check, example.case, expected, observed
            if attributor_of(self.bench).explains(Attribution(*rule), *asked):
                change = CHANGES[rule]
                foretold = f"the subject's answer is foretold by the rule of {change.library} until {change.until}"
                return f"; {foretold}: {rule[1]}; since {change.since} {change.now}"
        return ""

    # --- in words

    def _property(self, right: Sequence[str], wrong: Sequence[str]) -> str:
        """For whom the check holds that is of each by itself, and for whom it does not."""
        holds = f"the check holds for {_listed(map(self._named, right))}" if right else ""
        fails = f"it fails for {_listed(map(self._named, wrong))} too" if wrong else ""
        said = "; ".join(filter(None, (holds, fails if holds else fails.replace("it", "the check", 1))))
        return said or "nobody else can be asked"

    def _agreed(self, names: Sequence[str]) -> str:
        if len(names) == 1:
            return f"{self._named(names[0])} alone could be asked"
        return f"{_listed(map(self._named, names))} agree"

    def _named(self, name: str) -> str:
        if name in _WORDS:
            return _WORDS[name]
        return f"{name} {installed_version(name)}".strip()


def _listed(names: Iterable[str]) -> str:
    """Names with commas and an "and"; the plain rules are reftok's where it is not named before.

    >>> _listed(["tokenizers 0.23.3", "reftok", "its plain rules"]), _listed(["its plain rules"])
    ('tokenizers 0.23.3, reftok and its plain rules', "reftok's plain rules")
    """
    names = [*names]
    if _WORDS[REFERENCE] not in names:
        names = [name.replace(_WORDS[PLAIN], "reftok's plain rules") for name in names]
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
