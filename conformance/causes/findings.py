"""The fewest causes behind what was found of one subject on one model, each borne out by inputs it was not chosen by.

Findings come here without a cause, first as they came, then shrunk. All answers together tell it: one cause that
explains many of them is believed before several that explain one each; a rule that does not foretell what the subject
does elsewhere is not named; and what no rule explains is one finding, with what its inputs have in common.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from itertools import zip_longest
from types import MappingProxyType
from typing import Any

from conformance.causes.asking import around
from conformance.causes.attribution import (
    DESCRIPTIONS,
    UNSURE,
    Attribution,
    attribute_boundaries,
    attribute_decoding,
    described_offsets,
    offset_rules,
)
from conformance.causes.claims import Claims, Tally, claims_of
from conformance.causes.edits import Fault, predicted
from conformance.causes.evidence import Example, examined
from conformance.causes.loop import Trial
from conformance.causes.one_answer import attributor_of, is_encoding
from conformance.causes.scope import learned
from conformance.causes.shrinking.cases import plainer
from conformance.causes.witnesses import Family, decoded_ids, is_believed
from conformance.checks import CHECKS
from conformance.checks.base import Answers, Check, Diagnosis, Difference
from conformance.core.case import Case, text_case
from conformance.core.familiarity import unfamiliarity
from conformance.core.finding import NO_RULE, NOT_SOUGHT, SEVERITIES, Confidence, Finding, Mismatch
from conformance.core.observation import Decoded, Encoded
from conformance.core.weight import counted_weight
from conformance.engine.bench import Bench
from conformance.engine.naming import named_difference
from conformance.engine.plan import Plan
from conformance.engine.repeating import UNREPEATED
from conformance.engine.result import ShardResult, telling
from conformance.subjects.reftok_subject import REFERENCE

MOST_NEIGHBOURS = 80
MOST_TIMES = 8
"""So often causes are sought anew for one subject of comparisons one by one."""
MOST_LEFT = 12
"""Of the mismatches that no cause claims, so many are asked again, of all lengths."""
MOST_FRAMED = 6
"""How many texts with wrong offsets are asked again with text around them: no finding may come from what counts."""
NOTHING_NATURAL: Mapping[str, int] = MappingProxyType({})
NO_CLAIMS: Mapping[str, Claims] = MappingProxyType({})


@dataclass(slots=True)
class Known:
    """What one subject was asked on one model, and which causes are believed.

    times: how often causes were sought anew in comparisons one by one.
    """

    trial: Trial | None = None
    times: int = 0

    @property
    def causes(self) -> Sequence[Attribution]:
        """The causes that are believed."""
        return () if self.trial is None else self.trial.causes

    def asked(
        self,
        plan: Plan,
        bench: Bench,
        found: Sequence[Finding],
        witnesses: Iterable[Case],
        deadline: float,
        seeks: bool,
    ) -> Trial:
        """The trial, which has asked the cases of the findings and the witnesses.

        seeks: whether causes are sought once more, where they were sought before.
        """
        cases = [*(one.example.case for one in found), *witnesses]
        if self.trial is None:
            self.trial = Trial.judged(plan, bench, found[0].example.subject, cases, deadline)
        else:
            self.trial.go_on(bench, cases, deadline, seeks)
        return self.trial


def explained_as_they_came(
    plan: Plan, bench: Bench, found: Sequence[Finding], witnesses: Iterable[Case], deadline: float, known: Known
) -> list[Finding]:
    """The findings of one subject on the model of a bench, before any is shrunk: those of one cause are one.

    What no fault explains, and what there is no time for, stays as it came.

    witnesses: the cases on which it differed, as many as were kept. deadline: of `time.monotonic`, from which on
        nothing is asked. known: what was learnt before; the search continues from there, and adds to it.
    """
    sought = _sought_of(bench, found)
    if not sought or time.monotonic() > deadline:
        return [*found]
    trial = known.asked(plan, bench, sought, witnesses, deadline, True)
    return [*(one for one in found if one not in sought), *_Naming(trial).explained(sought)]


def with_fewest_causes(
    plan: Plan,
    bench: Bench,
    found: Sequence[Finding],
    witnesses: Iterable[Case],
    deadline: float = math.inf,
    known: Known | None = None,
    results: Sequence[ShardResult] = (),
    natural: Mapping[str, int] = NOTHING_NATURAL,
) -> list[Finding]:
    """The findings of one subject on the model of a bench, shrunk, merged to the fewest causes.

    known: what `explained_as_they_came` has learnt. Where something is left that no fault explains, faults are sought
        once more: small inputs say more. The others are as there.
    results: of the shards of the model, with their wrong answers, which causes claim; for what is left, causes are
        sought once more. natural: how many natural texts each model was asked, by the name of the corpus file.
    """
    sought, known = _sought_of(bench, found), known or Known()
    if not sought:
        return [*found]
    if known.trial is None and time.monotonic() > deadline:
        return [_untested(one) if one in sought else one for one in found]
    trial = known.asked(plan, bench, sought, witnesses, deadline, any(one.confidence is None for one in sought))
    claims = claims_of(plan, trial, results)
    if left := [case for one in claims.values() for case in _of_each_length(one.left)]:
        trial.go_on(bench, left, deadline, True)
        claims = claims_of(plan, trial, results)
    others = [one for one in found if one not in sought]
    listed = {(one.stage, one.rule) for one in others if one.status != "new"}
    named = _Naming(trial).merged(sought, claims, natural)
    return [*others, *(one for one in named if (one.stage, one.rule) not in listed)]


def with_known_causes(
    known: Known, plan: Plan, bench: Bench, found: Sequence[Finding], witnesses: Iterable[Case]
) -> list[Finding]:
    """The findings, each on its own case; what it takes to know their causes is done once for all that these explain.

    known: of this subject on this bench; what is learnt is added.
    """
    sought = _sought_of(bench, found)
    if not sought:
        return [*found]
    was_sought = known.trial is not None
    trial = known.asked(plan, bench, sought, witnesses, math.inf, False)
    if was_sought and known.times < MOST_TIMES and any(_Naming(trial).cause_of(one) is None for one in sought):
        known.times += 1
        trial.choose()
    others = [one for one in found if one not in sought]
    return [*others, *map(_Naming(trial).on_its_case, sought)]


def _sought_of(bench: Bench, found: Sequence[Finding]) -> list[Finding]:
    """Those of the findings of a subject behind which a fault may stand."""
    subject = found[0].example.subject if found else REFERENCE
    is_asked = subject != REFERENCE and subject in bench.subjects
    return [one for one in found if _is_sought(one)] if is_asked else []


def _is_sought(finding: Finding) -> bool:
    """Whether a fault may stand behind a finding: not behind what does not repeat itself, or is no answer."""
    is_answer = finding.example.severity != "no answer" and finding.example.rule != "answers what the oracle refuses"
    is_new = finding.status == "new" and finding.rule not in UNREPEATED
    return is_new and is_answer and CHECKS[finding.example.check].is_sampled and finding.example.case.kind != "bytes"


@dataclass(frozen=True, slots=True)
class _Cause:
    """A cause that is believed."""

    stage: str
    rule: str
    confidence: Confidence

    def names(self, finding: Finding) -> Finding:
        """The finding with its name."""
        return replace(finding, stage=self.stage, rule=self.rule, confidence=self.confidence)


class _Naming:
    """Names findings by the causes that a trial believes."""

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self._bench, self._subject = trial.bench, trial.subject
        self._known_offset_rules: dict[Case, Sequence[str] | None] = {}

    def explained(self, found: Sequence[Finding]) -> list[Finding]:
        """What was found, as it came, by its causes: a finding for each, and one for what none of them explains."""
        whole: dict[object, list[Finding]] = {}
        for part in self._parts(found):
            key = (part.stage, part.rule) if part.confidence is not None else id(part)
            whole.setdefault(key, []).append(part)
        return [reduce(Finding.joined, some) for some in whole.values()]

    def merged(
        self,
        found: Sequence[Finding],
        claims: Mapping[str, Claims] = NO_CLAIMS,
        natural: Mapping[str, int] = NOTHING_NATURAL,
    ) -> list[Finding]:
        """The findings by their causes; what no fault explains is one finding a family, and described.

        claims: by check, what the causes claim; the counts of such checks come from there.
        """
        whole: dict[object, list[Finding]] = {}
        for part in self._parts(found):
            named = part if part.confidence is not None else self._described(part)
            whole.setdefault(_cause(named), []).append(named)
        joined = ((key, some, reduce(Finding.joined, some)) for key, some in whole.items())
        counted = (_counted(one, some, _tallies(key, claims), natural) for key, some, one in joined)
        return [*map(self._with_scope, counted)]

    def _parts(self, found: Sequence[Finding]) -> Iterator[Finding]:
        """The findings of each check and kind of difference, apart by cause; as they are if none were sought.

        So are those that were not asked, which are too long.
        """
        groups: dict[object, list[Finding]] = {}
        for finding in sorted(found, key=lambda one: ([*CHECKS].index(one.example.check), telling(one.example))):
            if not self._family(CHECKS[finding.example.check]).is_judged:
                yield _untested(finding)
            elif self._trial.answers.keys().isdisjoint([finding.example.case, *(one.case for one in finding.examples)]):
                yield finding
            else:
                groups.setdefault((finding.example.check, finding.example.rule), []).append(finding)
        for some in groups.values():
            yield from self._by_cause(reduce(Finding.joined, some)) or some

    def _by_cause(self, group: Finding) -> list[Finding]:
        """Mismatches that look alike, a finding for each cause that they show, on the smallest input that shows it.

        What was asked besides may show more causes than were found: these are left out, unless one shows only where
        others are at work. What none explains is shown on the smallest of those that were found. Each has the share of
        the mismatches that it has of the answers that were asked for.
        """
        check = CHECKS[group.example.check]
        shown: dict[_Cause | None, dict[Case, Difference]] = {}
        alone: set[Case] = set()
        for case, answers in [*self._trial.answers.items()]:  # what names offsets may ask more
            difference = check(case, *answers)
            if isinstance(difference, Difference) and difference.rule == group.example.rule:
                causes = self._causes_of(check, case)
                alone |= {case} if len(causes) == 1 else set()
                for cause in causes:
                    shown.setdefault(cause, {})[case] = difference
        found = self._trial.witnesses
        witnessed = {cause: cases for cause, cases in shown.items() if found & cases.keys() or not alone & cases.keys()}
        total = sum(map(len, witnessed.values()))
        parts = []
        for cause, cases in witnessed.items():
            chosen = alone & cases.keys() or cases.keys()
            chosen = chosen if cause is not None else chosen & found
            part = replace(
                group,
                example=self._shown(group.example, {case: cases[case] for case in chosen}, cause),
                count=max(1, group.count * len(cases) // total),
                stage="",
                rule=group.example.rule,
                confidence=None,
                examples=tuple(one for one in group.examples if one.case in cases),
            )
            parts.append(part if cause is None else cause.names(part))
        return parts

    def _family(self, check: Check) -> Family[Any, Any, Any]:
        return self._trial.ids if check.diagnosis == "decoding" else self._trial.texts

    def _shown(self, like: Mismatch, cases: Mapping[Case, Difference], cause: _Cause | None) -> Mismatch:
        """The example that tells most of what was seen on some cases, of the same check as another."""
        attributor, answers = attributor_of(self._bench), self._trial.answers
        severities = {case: attributor.severity(one, *answers[case]) for case, one in cases.items()}
        case = min(cases, key=lambda one: (SEVERITIES.index(severities[one]), unfamiliarity(one), one.content))
        difference = named_difference(self._bench.reference.tokenizer, cases[case], *answers[case])
        attribution = Attribution() if cause is None else Attribution(cause.stage, cause.rule)
        shown = replace(case, origin=like.case.origin, language=like.case.language)
        answers[shown] = answers[case]
        return replace(
            like,
            rule=difference.rule,
            severity=severities[case],
            case=shown,
            expected=difference.expected,
            observed=difference.observed,
            evidence=examined(Example(self._bench, self._subject, like.check, shown, *answers[case]), attribution),
        )

    def _asked_of(self, case: Case, diagnosis: Diagnosis) -> object:
        """The text of a case, or the ids that it asks to decode; None of one that was not asked, or has no text."""
        if case not in self._trial.answers or (diagnosis != "decoding" and case.kind != "text"):
            return None
        return decoded_ids(case, self._trial.answers[case][0]) if diagnosis == "decoding" else case.text

    def cause_of(self, finding: Finding) -> _Cause | None:
        """The believed cause of a finding, by its own case; None for none."""
        check, case = CHECKS[finding.example.check], finding.example.case
        return next(iter(self._causes_of(check, case)), None) if case in self._trial.answers else None

    def on_its_case(self, finding: Finding) -> Finding:
        """The finding by its cause, or described, with its example as it is."""
        cause = self.cause_of(finding)
        return self._with_scope(self._described(finding) if cause is None else cause.names(finding))

    def _causes_of(self, check: Check, case: Case) -> Sequence[_Cause | None]:
        """The believed causes of a difference by a check, all that are at work in it; [None] for none.

        [] for a long input that faults are not held against.
        """
        family = self._family(check)
        if check.diagnosis in ("ids", "decoding"):
            asked = self._asked_of(case, check.diagnosis)
            if asked not in family.places:
                return []
            found = family.causes_of(asked)
        else:
            given = self._trial.answers[case][1]
            found = [one for one in family.believed if self._encodes_so(one, case, given, check.diagnosis)][:1]
        if found:
            return [_Cause(one.stage, one.rule, family.believed[one]) for one in found]
        if check.diagnosis == "offsets":
            rule, confidence = self._offset_rule(case)
            if is_believed(confidence):
                return [_Cause("Offsets", rule, confidence)]
        return [None]

    def _encodes_so(self, fault: Fault, case: Case, observed: Answers, diagnosis: Diagnosis) -> bool:
        """Whether a fault gives all parts of an encoding that the subject gave."""
        given = observed.encoding
        trace = None if fault.trace is None else predicted(partial(fault.trace, case.text))
        if trace is None or not isinstance(given, Encoded):
            return False
        return is_encoding(trace.encoding, given, diagnosis)

    def _offset_rule(self, case: Case) -> tuple[str, Confidence]:
        """The rule that other offsets follow most often, of those that this case shows, and how often it is it."""
        tried, counts = self._offset_counts
        rule = max(self._offset_rules(case) or ("",), key=lambda one: counts[one])
        return rule, Confidence(tried, counts[rule])

    @cached_property
    def _offset_counts(self) -> tuple[int, Counter[str]]:
        """The number of texts with wrong offsets, and how many each rule explains; without those of findings.

        Texts with wrong ids are used only if there are no others: rules are derived from the reference's offsets.
        """
        asked = (one for one in self._trial.witnesses if one in self._trial.answers)  # texts that are too long are not
        found = {one.text: one for one in asked}
        shortest = sorted((text for text, one in found.items() if self._offset_rules(one)), key=len)[:MOST_FRAMED]
        framed = around(self._bench.reference.tokenizer, shortest)
        self._trial.ask(text_case(text, "sample:offsets") for text in framed)
        others = {one.text: one for one in self._trial.answers if one.text not in found}
        shown = [(one, rules) for one in others.values() if (rules := self._offset_rules(one)) is not None]
        with_right_ids = [(one, rules) for one, rules in shown if self._has_right_ids(one)]
        counted = [rules for _, rules in with_right_ids or shown]
        return len(counted), Counter(rule for rules in counted for rule in rules)

    def _has_right_ids(self, case: Case) -> bool:
        right, given = (one.encoding for one in self._trial.answers[case])
        return isinstance(right, Encoded) and isinstance(given, Encoded) and right.ids == given.ids

    def _offset_rules(self, case: Case) -> Sequence[str] | None:
        """The rules that explain the offsets of a case; None if they are right, or belong to other tokens.

        The order is fixed: of two rules that explain as much, the first is reported.
        """
        if case not in self._known_offset_rules:
            self._known_offset_rules[case] = self._found_offset_rules(case)
        return self._known_offset_rules[case]

    def _found_offset_rules(self, case: Case) -> Sequence[str] | None:
        expected, observed = self._trial.answers[case]
        right, given = expected.encoding, observed.encoding
        if not isinstance(right, Encoded) or not isinstance(given, Encoded) or given.offsets is None:
            return None
        due = [right] if self._has_right_ids(case) else []
        for one in self._trial.texts.believed:
            trace = None if one.trace is None else predicted(partial(one.trace, case.text))
            if trace is not None and tuple(trace.encoding.ids) == given.ids:
                due.append(Encoded(given.ids, offsets=tuple(trace.encoding.offsets)))
        if not due or any(one.offsets == given.offsets for one in due):
            return None
        tokenizer = self._bench.reference.tokenizer
        return [*dict.fromkeys(rule for one in due for rule in offset_rules(tokenizer, case.text, one, given))]

    def _described(self, finding: Finding) -> Finding:
        """The finding with what can be said without a rule that is known."""
        case, check = finding.example.case, CHECKS[finding.example.check]
        if case not in self._trial.answers or not self._family(check).is_judged:
            return finding
        expected, observed = self._trial.answers[case]
        given = observed.encoding
        if check.diagnosis == "ids" and isinstance(given, Encoded):
            found = attribute_boundaries(self._bench.reference.tokenizer, case.text, given.ids)
        elif (
            isinstance(expected.decoding, Decoded)
            and isinstance(observed.decoding, Decoded)
            and (check.diagnosis == "decoding")
        ):
            found = attribute_decoding(expected.decoding, observed.decoding)
        elif check.diagnosis == "offsets" and isinstance(expected.encoding, Encoded) and isinstance(given, Encoded):
            found = described_offsets(expected.encoding, given)
        else:
            found = attributor_of(self._bench).of(self._subject, check.name, case, expected, observed)
        stage = "" if found.stage == UNSURE else found.stage
        return replace(finding, stage=stage, rule=f"{NO_RULE}: {found.rule or finding.example.rule}", confidence=None)

    # --- what is said of each

    def _with_scope(self, finding: Finding) -> Finding:
        """With what the inputs have in common, and the nearest that is right."""
        case = finding.example.case
        if case not in self._trial.answers:
            return finding
        contents = [token.content for token in self._bench.reference.tokenizer.rules.added_tokens.tokens.values()]
        family: Family[Any, Any, Any] = self._trial.texts
        is_decoding = CHECKS[finding.example.check].diagnosis == "decoding"
        if is_decoding:
            family = self._trial.ids
        cause = next((one for one in family.believed if (one.stage, one.rule) == (finding.stage, finding.rule)), None)
        alike = family.unexplained if cause is None else family.of_cause(cause)
        if is_decoding:
            found = learned(
                [one.expected.kept for one in alike], [one.expected.kept for one in family.right_answers], contents
            )
        else:
            right = [one.asked for one in family.right_answers]
            found = learned([one.asked for one in alike], right, contents, self._trial.words)
        nearest = self._nearest(finding)
        evidence = replace(finding.example.evidence, nearest=nearest)
        scope = found.sentence if found is not None else ""
        return replace(finding, scope=scope, example=replace(finding.example, evidence=evidence))

    def _nearest(self, finding: Finding) -> Case | None:
        """The nearest input on which the check holds."""
        case = finding.example.case
        near = [*dict.fromkeys(_neighbours(case))][:MOST_NEIGHBOURS]
        self._trial.ask(near)
        check = CHECKS[finding.example.check]
        for one in near:
            if one in self._trial.answers and check(one, *self._trial.answers[one]) == "same":
                return replace(one, origin=case.origin)
        return None


def _cause(finding: Finding) -> object:
    """What findings are one by: their cause; what no rule explains is one in each family."""
    if finding.rule.startswith(NO_RULE):
        return CHECKS[finding.example.check].diagnosis == "decoding"
    return (finding.stage, finding.rule) if finding.confidence else finding.fingerprint


def _tallies(key: object, claims: Mapping[str, Claims]) -> dict[str, Tally]:
    """By check, what is claimed for a finding; what no cause explains has what is beside causes, too."""
    tallies: dict[str, Tally] = {}
    for check, claim in claims.items():
        if key == (CHECKS[check].diagnosis == "decoding"):
            tallies[check] = claim.unclaimed.joined(claim.beside)
        else:
            of_cause = (tally for cause, tally in claim.of_causes.items() if (cause.stage, cause.rule) == key)
            tallies[check] = reduce(Tally.joined, of_cause, Tally())
    return tallies


def _counted(
    finding: Finding, parts: Sequence[Finding], tallies: Mapping[str, Tally], natural: Mapping[str, int]
) -> Finding:
    """The finding with what is claimed for it in the place of what was counted; parts: of which it was joined."""
    if not any(tally.count for tally in tallies.values()):
        return finding
    others = [one for one in parts if one.example.check not in tallies]
    count = sum(one.count for one in others)
    languages = {name for one in others for name in one.languages}
    weight = reduce(
        lambda one, other: one.joined(other, False), (one.weight for one in others), counted_weight({}, natural)
    )
    for tally in tallies.values():
        count += tally.count
        languages |= tally.languages.keys() - {""}
        weight = weight.joined(counted_weight(tally.languages, natural), False)
    return replace(finding, count=count, languages=tuple(sorted(languages)), weight=weight)


def _untested(finding: Finding) -> Finding:
    """The finding, whose rule was not put to the test before the time ended."""
    is_rule = bool(finding.stage) and finding.rule not in DESCRIPTIONS
    return replace(finding, confidence=Confidence(0, 0)) if is_rule else finding


def named_or_not_sought(finding: Finding) -> Finding:
    """The finding; one whose cause was to be sought, and was not, says so."""
    return replace(finding, rule=f"{NOT_SOUGHT}: {finding.rule}") if is_to_be_sought(finding) else finding


def is_to_be_sought(finding: Finding) -> bool:
    """Whether the cause of a finding is still to be sought: nothing is named as yet.

    >>> from conformance.core.case import text_case
    >>> example = Mismatch("m", "mine", "ids", "other ids", "other ids", text_case("a", ""), "", "")
    >>> is_to_be_sought(Finding(example, 1, (), "", "other ids", ""))
    True
    >>> is_to_be_sought(Finding(example, 1, (), "Normalizer", "NFC is missing", ""))
    False
    """
    is_as_it_came = not finding.stage and finding.rule in (
        finding.example.rule,
        f"{NOT_SOUGHT}: {finding.example.rule}",
    )
    return is_as_it_came and _is_sought(finding) and finding.example.subject != REFERENCE


def _of_each_length(cases: Iterable[Case]) -> list[Case]:
    """A few of the cases, the shortest of each length in turn."""
    lengths: dict[int, list[Case]] = {}
    for case in sorted(cases, key=lambda one: (one.size, one.content)):
        lengths.setdefault(case.size.bit_length() // 2, []).append(case)
    return [one for turn in zip_longest(*lengths.values()) for one in turn if one is not None][:MOST_LEFT]


def _neighbours(case: Case) -> Iterator[Case]:
    """Cases that differ in one place: something plainer there, something left out, something beside."""
    if case.kind == "ids":
        for index in range(len(case.ids)):
            if len(case.ids) > 1:
                yield replace(case, ids=case.ids[:index] + case.ids[index + 1 :], origin="sample:near")
        return
    text = case.text
    for index, character in enumerate(text):
        for other in dict.fromkeys((*plainer(character), "a", "A", "0", ".")):
            if other != character:
                yield text_case(text[:index] + other + text[index + 1 :], "sample:near")
    for index in range(len(text)):
        if len(text) > 1:
            yield text_case(text[:index] + text[index + 1 :], "sample:near")
