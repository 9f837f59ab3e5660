"""The fewest causes behind what was found of one subject on one model, each borne out by inputs it was not chosen by.

Findings come here with the cause that seemed best to each alone, first as they came, then shrunk. Together they say
more: one cause that explains many of them is believed before several that explain one each; a rule that does not
foretell what the subject does elsewhere is not named; and what no rule explains is one finding, with what its inputs
have in common.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice, takewhile
from typing import Any, Generic, TypeAlias

from conformance.checks import CHECKS
from conformance.checks.base import Answers, Diagnosis, Difference
from conformance.checks.encoding import IDS
from conformance.core.case import Case, ids_case, text_case
from conformance.core.finding import NO_RULE, Confidence, Finding, Mismatch
from conformance.core.observation import Decoded, Encoded
from conformance.core.unicode_ages import of_each_age
from conformance.diagnosis.attribution import is_encoding
from conformance.diagnosis.causes import (
    DESCRIPTIONS,
    UNSURE,
    Attribution,
    attribute_boundaries,
    attribute_decoding,
    offset_rules,
)
from conformance.diagnosis.fault_search import Answer, Asked, Candidate, FaultSearch, Sample, agree
from conformance.diagnosis.fewest import BELIEVED, Weighed, fewest, weighed
from conformance.diagnosis.scopes import learned
from conformance.engine.bench import Bench
from conformance.engine.collecting import collect_answers
from conformance.engine.naming import named_difference
from conformance.engine.plan import Plan
from conformance.engine.repeating import UNREPEATED
from conformance.engine.result import telling
from conformance.faults import Fault, changed, predicted
from conformance.faults.pre_tokenizers import doubtful_characters
from conformance.faults.unicode_versions import later_compositions
from conformance.shrinking.cases import plainer
from conformance.subjects.reftok_subject import REFERENCE
from conformance.triage.close_look import Example, examined
from conformance.triage.minimize import sample_cases
from conformance.triage.rivals import MOST_RIVALS, telling_cases

LONGEST_TEXT = 2_000
"""Code points of a witness; ids, where it is a list of these."""
LONGEST_SAMPLE, MOST_LONG = 200, 12
"""Code points, or ids, that are soon answered by every fault; so many samples of more."""
EVERYWHERE = 0.9
"""The share of all texts that a fault changes, so that others are looked for upon it."""
MOST_FITTED = 60
"""Samples of which a fault must fit one to be taken up: the shortest that differ, and that nothing explains as yet."""
MOST_LESSONS, MOST_ROUNDS = 2, 6
"""How often faults are learnt from what differs; how often, each time, others take the place of those refuted."""
FRESH_OF_EACH = 25
"""So many cases of each generator are looked through for those in the scope of a fault; so many are asked of each:"""
MOST_FRESH = 16
LEAST_FRESH = 3
"""So few say too little."""
THE_ONLY_INPUT = Confidence(1, 1)
"""Of a fault that changes the empty text alone, or the empty list of ids: there is no other input to test it on."""
MOST_NEIGHBOURS = 80
MOST_PARTS_ASKED, LONGEST_MISSED = 150, 20
"""Parts of inputs on which a fault fails to foretell the answer, since something else may be at work in them; of inputs
of so many code points or ids, each place is left out."""
_PROBED = "\t\v\f\r\x00\x1c\x1d\x1e\x1f\x85\xa0\u1680\u180e\u2000\u2007\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
"""What languages do not agree about; tables of other ages do not agree about what came with each."""
MOST_REPLACED = 2
"""Of the inputs on which a fault showed, and of the characters of each, so many have others in their place."""
_PROBING = ("a{0}b", " {0} a", "{0}.", "{0}.a", "e\u0301{0}", "e{0}\u0301")
_BESIDE = ("{0}", "a{0}", "{0}a", " {0} ")
_FRAMES = ("{0}a", "a{0}", "{0} a", "a {0}", "{0}{0}", "{0}.", ".{0}", "0{0}", "{0}0", "{0}\n", "the {0} word", "é{0}")


def explained_as_they_came(
    plan: Plan, bench: Bench, found: Sequence[Finding], witnesses: Iterable[Case], deadline: float, trials: Trials
) -> list[Finding]:
    """The findings of one subject on the model of a bench, before any is shrunk: those of one cause are one.

    What no fault explains, and what there is no time for, stays as it came.

    witnesses: the cases on which it differed, as many as were kept. deadline: of `time.monotonic`, from which on
        nothing is asked. trials: {} at first; what is learnt is added, and what was learnt of another model is dropped.
    """
    sought = _sought_of(bench, found)
    if not sought or time.monotonic() > deadline:
        return [*found]
    example = sought[0].example
    cases = [one.example.case for one in sought]
    trial = _Trial.judged(plan, bench, example.subject, [*cases, *witnesses], deadline)
    if any(model != example.model for model, _ in trials):  # each keeps its model in memory
        trials.clear()
    trials[example.model, example.subject] = trial
    return [*(one for one in found if one not in sought), *trial.explained(sought)]


def with_fewest_causes(
    plan: Plan,
    bench: Bench,
    found: Sequence[Finding],
    witnesses: Iterable[Case],
    deadline: float = math.inf,
    trials: Trials | None = None,
) -> list[Finding]:
    """The findings of one subject on the model of a bench, shrunk, merged to the fewest causes.

    trials: what `explained_as_they_came` has learnt. Where something is left that no fault explains, faults are sought
        once more: small inputs say more. The others are as there.
    """
    sought = _sought_of(bench, found)
    if not sought:
        return [*found]
    example = sought[0].example
    cases = [one.example.case for one in sought]
    trial = (trials or {}).get((example.model, example.subject))
    if trial is not None:
        trial.go_on(bench, cases, deadline, any(one.confidence is None for one in sought))
    elif time.monotonic() > deadline:
        return [_untested(one) if one in sought else one for one in found]
    else:
        trial = _Trial.judged(plan, bench, example.subject, [*cases, *witnesses], deadline)
    return [*(one for one in found if one not in sought), *trial.merged(sought)]


def with_known_causes(
    known: Known,
    plan: Plan,
    bench: Bench,
    found: Sequence[Finding],
    witnesses: Iterable[Case],
) -> list[Finding]:
    """The same, and what it takes to know the causes is not done again for other findings of the same rules.

    known: of this subject on this bench, {} at first; what is learnt is added.
    """
    sought = _sought_of(bench, found)
    if not sought:
        return [*found]
    subject = sought[0].example.subject
    cases = [one.example.case for one in sought]
    rules = frozenset((one.example.check, one.stage, one.rule) for one in sought)
    if rules in known:
        known[rules].hear(cases)
    else:
        known[rules] = _Trial.judged(plan, bench, subject, [*cases, *witnesses], math.inf)
    others = [one for one in found if one not in sought]
    return [*others, *known[rules].merged(sought)]


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


@dataclass(slots=True)
class _Family(Generic[Candidate, Asked, Answer]):
    """Faults of one kind, with what the subject did and what of it was believed.

    case: the case that asks. long: how many samples there were that take long. witnesses: the places of the
    samples that the findings came from. pool: the faults that fit something. taken: those that are
    believed, each with how it stood the test. heard: how many samples they were held against. is_judged: whether
    there was the time to find out. beneath: a fault that is at work everywhere, and how it stood the test; what is
    expected is what it gives.
    """

    search: FaultSearch[Candidate, Asked, Answer]
    case: Callable[[Asked], Case]
    samples: list[Sample[Asked, Answer]] = field(default_factory=list)
    places: dict[Asked, int] = field(default_factory=dict)
    long: int = 0
    witnesses: set[int] = field(default_factory=set)
    pool: Sequence[Candidate] = ()
    is_judged: bool = False
    rejected: list[Candidate] = field(default_factory=list)
    taken: list[tuple[Weighed[Candidate], Confidence]] = field(default_factory=list)
    heard: int = 0
    beneath: tuple[Weighed[Any], Confidence] | None = None

    def size(self, asked: Asked) -> int:
        """Code points, or ids."""
        case = self.case(asked)
        return len(case.text) + len(case.ids)

    def add(self, sample: Sample[Asked, Answer]) -> None:
        is_long = self.size(sample.asked) > LONGEST_SAMPLE
        self.long += is_long
        if sample.asked not in self.places and (not is_long or self.long <= MOST_LONG):
            self.places[sample.asked] = len(self.samples)
            self.samples.append(sample)

    def differs(self, place: int) -> bool:
        sample = self.samples[place]
        return not agree(sample.expected, sample.observed)

    @property
    def differing(self) -> frozenset[int]:
        return frozenset(filter(self.differs, range(len(self.samples))))

    def weigh(self, fault: Candidate) -> Weighed[Candidate]:
        return weighed(fault, self.samples, self.search.remembered)

    def weigh_again(self) -> None:
        """Hold what is believed against all samples."""
        self.believe([(self.weigh(one.fault), confidence) for one, confidence in self.taken])

    def weigh_more(self) -> None:
        """Hold what is believed against the samples that came since: who compares does so hundreds of times."""
        more = [weighed(one.fault, self.samples[self.heard :], self.search.remembered) for one, _ in self.taken]
        pairs = zip(self.taken, more, strict=True)
        self.believe([(one.with_more(other, self.heard), confidence) for (one, confidence), other in pairs])

    def believe(self, taken: list[tuple[Weighed[Candidate], Confidence]]) -> None:
        """Take faults for the causes, as they stand against all samples that there are."""
        self.taken, self.heard = taken, len(self.samples)

    def expected(self, right: Any) -> Any:
        """The right ids of a text, as the fault changes them that is at work everywhere; any other answer as it is."""
        return right if self.beneath is None else tuple(self.beneath[0].fault.change(right))

    def learn(
        self,
        known: Container[tuple[str, str]],
        is_late: Callable[[], bool],
        unexplained: Sequence[Sample[Asked, Answer]] = (),
    ) -> None:
        """Take up all faults that fit something, those first by whose stage and rule something is known.

        What was believed before stays among them, though it is learnt from nothing that is unexplained.
        is_late: whether the time is over: then those are taken that were found so far.
        """
        by_size: Callable[[Sample[Asked, Answer]], int] = lambda one: self.size(one.asked)
        differing = sorted((self.samples[place] for place in self.differing), key=by_size)
        shortest = [*differing[:MOST_FITTED], *sorted(unexplained, key=by_size)[:MOST_FITTED]]
        faults = takewhile(lambda _: not is_late(), self.search.all_for(differing, unexplained))
        fitting = [one for one in faults if any(self.search.fits(one, sample) for sample in shortest)]
        believed = [one.fault for one, _ in self.taken]
        others = sorted(fitting, key=lambda one: (one.stage, one.rule) not in known)
        self.pool = [*believed, *(one for one in others if one not in believed)]

    def candidates(self) -> list[Weighed[Candidate]]:
        """The faults of the pool that were not refuted, as they stand now."""
        return [one for one in map(self.weigh, self.pool) if one.is_credible and one.fault not in self.rejected]

    def cause_of(self, asked: Asked) -> tuple[Weighed[Candidate], Confidence] | None:
        """The fault that explains what was asked; the first of several that are at work at once."""
        place = self.places.get(asked)
        if self.beneath is not None and place is not None and not self.differs(place):
            return self.beneath
        at_work = [pair for pair in self.taken if place in pair[0].scope]
        explaining = [pair for pair in at_work if place in pair[0].fits]
        return next(iter(explaining or (at_work if len(at_work) > 1 else ())), None)

    def of_one_cause(self, asked: Asked) -> list[Sample[Asked, Answer]]:
        """The samples that differ for the same reason; where no fault is believed of it, all of which none is."""
        cause = self.cause_of(asked)
        return self.unexplained if cause is None else [self.samples[place] for place in sorted(cause[0].fits)]

    @property
    def unexplained(self) -> list[Sample[Asked, Answer]]:
        places = (place for place in sorted(self.differing) if self.cause_of(self.samples[place].asked) is None)
        return [self.samples[place] for place in places]

    @property
    def right(self) -> list[Sample[Asked, Answer]]:
        return [sample for place, sample in enumerate(self.samples) if not self.differs(place)]


class _Trial:
    """What a subject is asked, and which causes are believed of it."""

    def __init__(self, bench: Bench, subject: str, deadline: float) -> None:
        self._bench, self._subject, self._deadline = bench, subject, deadline
        self._known_words: dict[str, list[str]] = {}
        self._answers: dict[Case, tuple[Answers, Answers]] = {}
        self._explained: dict[tuple[str, str], Mismatch] = {}
        attributor = bench.attributor
        self._texts: _Family[Any, str, tuple[int, ...]] = _Family(
            attributor.encoding, lambda text: text_case(text, "sample:cause")
        )
        self._ids: _Family[Any, tuple[int, ...], Decoded] = _Family(
            attributor.decoding, lambda ids: ids_case(ids, "sample:cause")
        )

    @classmethod
    def judged(cls, plan: Plan, bench: Bench, subject: str, witnesses: Iterable[Case], deadline: float) -> _Trial:
        """One that knows what is believed. witnesses: the cases on which the subject differed."""
        trial = cls(bench, subject, deadline)
        trial.ask(witnesses)
        trial.know_witnesses()
        trial.ask([*sample_cases(plan), *bench.made_cases])
        trial.choose()
        return trial

    def ask(self, cases: Iterable[Case]) -> None:
        """Ask the subject and the oracle; nothing twice, and nothing too long."""
        asked = [case for case in dict.fromkeys(cases) if case not in self._answers and case.kind != "bytes"]
        asked = [case for case in asked if len(case.text) + len(case.ids) <= LONGEST_TEXT]
        if not asked or self._is_late:
            return
        bench = self._bench
        heard = collect_answers(bench, asked, (IDS.name,), self._subject)
        for case, expected, observed in zip(asked, heard[bench.oracle], heard[self._subject], strict=True):
            self._answers[case] = expected, observed
            right, given = expected.encoding, observed.encoding
            if case.kind == "text" and isinstance(right, Encoded) and isinstance(given, Encoded):
                self._texts.add(Sample(case.text, self._texts.expected(right.ids), given.ids))
            if isinstance(expected.decoding, Decoded) and isinstance(observed.decoding, Decoded):
                decoded = observed.decoding
                if expected.decoding.with_special is None:
                    decoded = Decoded(decoded.text)
                self._ids.add(Sample(_decoded_ids(case, expected), expected.decoding, decoded))

    def hear(self, cases: Iterable[Case]) -> None:
        """Ask more, and say of it what is believed already."""
        self.ask(cases)
        for family in (self._texts, self._ids):
            family.weigh_more()

    def know_witnesses(self) -> None:
        """What was asked so far is what the findings came from."""
        for family in (self._texts, self._ids):
            family.witnesses.update(range(len(family.samples)))

    def go_on(self, bench: Bench, cases: Sequence[Case], deadline: float, seeks: bool) -> None:
        """Ask the shrunk cases of the findings, and seek faults once more, where something may be unexplained.

        bench: of its model; the one before may have been closed, to make room for that of another model.
        """
        self._bench, self._deadline = bench, deadline
        known = [(family, len(family.samples)) for family in (self._texts, self._ids)]
        self.ask(cases)
        for family, count in known:
            family.weigh_again()
            family.witnesses.update(range(count, len(family.samples)))
        if seeks and not self._is_late:
            self.choose()

    @property
    def _is_late(self) -> bool:
        return time.monotonic() > self._deadline

    # --- which faults are believed

    def choose(self) -> None:
        """The fewest faults that explain what differs, and that foretell what they were not chosen by."""
        for family in (self._texts, self._ids):
            self._choose(family)

    def _choose(self, family: _Family[Any, Any, Any]) -> None:
        known = {(one.fault.stage, one.fault.rule) for one, _ in self._texts.taken}
        if not family.differing:
            family.is_judged = family.is_judged or not self._is_late
            return
        self._explore(family)
        is_late = lambda: self._is_late
        family.learn(known, is_late)
        self._part(family)
        self._believe(family)
        for _ in range(MOST_LESSONS):
            if not family.unexplained or self._is_late:
                break
            family.learn(known, is_late, family.unexplained)
            self._believe(family)
        family.is_judged = family.is_judged or not self._is_late
        family.search.adopt(one.fault for one, _ in family.taken)
        everywhere = [pair for pair in family.taken if len(pair[0].scope) >= EVERYWHERE * len(family.samples)]
        beneath = next((pair for pair in everywhere if isinstance(pair[0].fault, Fault) and pair[0].fault.change), None)
        if beneath is not None and family.beneath is None:
            self.ask(map(family.case, _probes()))
            self._choose_upon(beneath)

    def _choose_upon(self, beneath: tuple[Weighed[Any], Confidence]) -> None:
        """Look for what else is at work where a fault changes the ids of every text, so that no other is ever alone."""
        fault, family = beneath[0].fault, self._texts
        search: FaultSearch[Any, str, tuple[int, ...]] = FaultSearch(
            lambda: [changed(one, fault.change) for one in family.search.every if one.stage != fault.stage],
            lambda one, text: tuple(one.ids(text)),
        )
        self._texts = _Family(search, family.case, witnesses=family.witnesses, beneath=beneath)
        for sample in family.samples:
            self._texts.add(replace(sample, expected=self._texts.expected(sample.expected)))
        self._choose(self._texts)
        if not (self._texts.differing and self._texts.is_judged):  # there is nothing else, or was no time to find it
            family.weigh_again()
            self._texts = family

    def _explore(self, family: _Family[Any, Any, Any]) -> None:
        """Ask what is like the shortest samples that differ."""
        shown = sorted((family.samples[place].asked for place in family.differing), key=len)[:MOST_REPLACED]
        texts = (asked for asked in shown if isinstance(asked, str) and len(asked) <= LONGEST_SAMPLE)
        others = chain.from_iterable(map(_with_others, texts))
        self.ask(map(family.case, chain(others, later_compositions() if family is self._texts else ())))

    def _believe(self, family: _Family[Any, Any, Any]) -> None:
        """Take the fewest candidates, and others in the place of those that do not stand the test."""
        for _ in range(MOST_ROUNDS):
            taken = fewest(family.candidates(), family.differing)
            tested = [(one, self._tested(family, one, [other for other in taken if other is not one])) for one in taken]
            believed = [(family.weigh(one.fault), confidence) for one, confidence in tested if _is_believed(confidence)]
            family.believe(believed)
            if len(believed) == len(tested) or self._is_late:
                break
            family.rejected += [one.fault for one, confidence in tested if not _is_believed(confidence)]

    def _part(self, family: _Family[Any, Any, Any]) -> None:
        """Ask where the faults that fit say different things."""
        rivals = sorted(family.candidates(), key=lambda one: -len(one.fits))[:MOST_RIVALS]
        probes = _probes() if family is self._texts else ()
        drawn = [*map(family.case, chain(probes, self._drawn(family, "rivals")))]
        key: Callable[[Case], Any] = lambda case: case.text if case.kind == "text" else case.ids
        predictions = [lambda case, one=one.fault: family.search.predicted(one, key(case)) for one in rivals]
        right = _right(family, self._bench)
        self.ask([*telling_cases([*predictions, lambda case: right(key(case))], drawn)])
        for one in rivals:
            self._ask_parts(family, family.weigh(one.fault))

    def _tested(self, family: _Family[Any, Any, Any], one: Weighed[Any], others: Sequence[Weighed[Any]]) -> Confidence:
        """How a fault stands the test on inputs in its scope alone, besides those that the findings came from.

        Where one source of inputs contradicts it, that source alone counts: many that are like its samples prove less
        than a few that are not.
        """
        is_in_scope = partial(self._is_in_scope, family)
        fresh: dict[Any, None] = {}
        of_sources: list[dict[Any, None]] = []
        for source in self._sources(family, one):
            enough = len(fresh) + MOST_FRESH
            of_sources.append({})
            for asked in source:
                if len(fresh) == enough or self._is_late:
                    break
                if asked in fresh or not is_in_scope(one.fault, asked):
                    continue
                if not any(is_in_scope(other.fault, asked) for other in others):
                    of_sources[-1][asked] = None
                    if asked not in family.places:
                        fresh[asked] = None
        self.ask(map(family.case, fresh))
        self._ask_parts(family, family.weigh(one.fault))
        again = family.weigh(one.fault)
        if again.scope == again.fits and all(not family.samples[place].asked for place in again.scope):
            return THE_ONLY_INPUT
        others_scope = frozenset[int]().union(*(family.weigh(other.fault).scope for other in others))
        alone = {place for place in again.scope - again.beside - others_scope if place not in family.witnesses}
        fits = again.fits & alone
        for of_source in of_sources:
            told = {place for asked in of_source if (place := family.places.get(asked)) in alone}
            if len(told) >= LEAST_FRESH and 2 * len(told & fits) <= len(told):
                return Confidence(len(told), len(told & fits))
        return Confidence(len(alone), len(fits))

    def _is_in_scope(self, family: _Family[Any, Any, Any], fault: Any, asked: Any) -> bool:
        answer = family.search.predicted(fault, asked)
        return answer is not None and not agree(answer, _right(family, self._bench)(asked))

    def _ask_parts(self, family: _Family[Any, Any, Any], one: Weighed[Any]) -> None:
        """Ask whether something else is at work where a fault fails to foretell what the subject gave."""
        failing = sorted((family.samples[place].asked for place in one.third - one.beside), key=len)[:MOST_FRESH]
        parts = dict.fromkeys(chain.from_iterable(map(_parts, failing)))
        outside = (part for part in parts if not self._is_in_scope(family, one.fault, part))
        self.ask(map(family.case, islice(outside, MOST_PARTS_ASKED)))

    def _sources(self, family: _Family[Any, Any, Any], one: Weighed[Any]) -> Iterator[Iterable[Any]]:
        """What a fault may be tested on: what generators give, what tables disagree about, what is like its samples."""
        yield self._drawn(family, "held out")
        shown = sorted((family.samples[place].asked for place in one.fits), key=len)[:MOST_RIVALS]
        texts = [asked for asked in shown if isinstance(asked, str) and len(asked) <= LONGEST_SAMPLE]
        if texts:
            tokens = self._bench.reference.tokenizer.added_tokens.tokens.values()
            yield from (_with_others(text) for text in texts[:MOST_REPLACED])
            own = dict.fromkeys(character for text in texts for character in doubtful_characters(text))
            yield _in_frames((*own, *_PROBED))
            yield (frame.format(one.content) for one in tokens for frame in _BESIDE)
            yield later_compositions()
        yield self._around(shown)

    def _drawn(self, family: _Family[Any, Any, Any], seed: str) -> Iterator[Any]:
        """What generators give to ask a family, the same each time."""
        for case in self._bench.drawn_cases(FRESH_OF_EACH, f"{seed}:"):
            if family is self._texts and case.kind == "text":
                yield case.text
            elif family is self._ids and case.kind == "ids":
                yield case.ids
            elif family is self._ids and case.kind == "text":
                yield tuple(self._bench.reference.tokenizer.encode_ids(case.text))

    def _around(self, shown: Iterable[Any]) -> Iterator[Any]:
        """The inputs on which a fault showed, with a little beside them."""
        for asked in shown:
            if isinstance(asked, str):
                half = len(asked) // 2
                yield from filter(None, (asked[:half], asked[half:], asked * 2, asked[: half // 2]))
                yield from (frame.replace("{0}", asked) for frame in _FRAMES)
            else:
                plain = tuple(self._bench.reference.tokenizer.encode_ids("a", add_special_tokens=False))
                yield from ((*plain, *asked), (*asked, *plain), (*asked, *asked), (*plain, *asked, *plain))

    # --- what becomes of the findings

    def merged(self, found: Sequence[Finding]) -> list[Finding]:
        """The findings by their causes; what no fault explains is one finding a family."""
        named = [self._named_again(finding) for finding in found]
        came = {id(one.example): (one.stage, one.rule) for one in found}
        whole: dict[object, Finding] = {}
        for finding in sorted(named, key=lambda one: ([*CHECKS].index(one.example.check), telling(one.example))):
            family = CHECKS[finding.example.check].diagnosis == "decoding"
            is_described = finding.rule.startswith(NO_RULE)
            cause = (finding.stage, finding.rule) if finding.confidence else finding.fingerprint
            key = family if is_described else cause
            first = whole.get(key)
            whole[key] = finding if first is None else first.joined(finding)
        shown = [
            self._with_stage(one) if one.confidence or came.get(id(one.example)) != (one.stage, one.rule) else one
            for one in whole.values()
        ]
        return [self._with_scope(finding) for finding in (*shown, *self._found_upon(shown))]

    def _found_upon(self, shown: Sequence[Finding]) -> Iterator[Finding]:
        """Findings of the causes that were seen upon another alone: in the run, that one was in every answer."""
        first = next((one for one in shown if one.example.check == IDS.name), None)
        if first is None or self._texts.beneath is None:
            return
        cases = {case.text: case for case in reversed(self._answers) if case.kind == "text"}
        told = {(one.stage, one.rule) for one in shown}
        for cause, confidence in (self._texts.beneath, *self._texts.taken):
            stage, rule = cause.fault.stage, cause.fault.rule
            seen = (cases[self._texts.samples[place].asked] for place in cause.fits)
            outcomes = [(case, IDS(case, *self._answers[case])) for case in seen]
            wrong = [(case, outcome) for case, outcome in outcomes if isinstance(outcome, Difference)]
            if not wrong or (stage, rule) in told:  # what both make of a text may be right
                continue
            told.add((stage, rule))
            example = self._shown(first.example, min(wrong, key=lambda one: (len(one[0].text), one[0].text)), cause)
            count = max(1, len(cause.fits & self._texts.witnesses))
            named = replace(first, example=example, stage=stage, rule=rule, confidence=confidence)
            yield replace(named, count=count, languages=(), examples=())

    def _shown(self, like: Mismatch, seen: tuple[Case, Difference], cause: Weighed[Any]) -> Mismatch:
        """What was seen on a case, as an example of the same check as another."""
        case, difference = seen
        answers = self._answers[case]
        case = replace(case, origin=like.case.origin, language=like.case.language)
        self._answers[case] = answers
        difference = named_difference(self._bench.reference.tokenizer, difference, *answers)
        attribution = Attribution(cause.fault.stage, cause.fault.rule)
        return replace(
            like,
            rule=difference.rule,
            severity=self._bench.attributor.severity(difference, *answers),
            case=case,
            expected=difference.expected,
            observed=difference.observed,
            evidence=examined(Example(self._bench, self._subject, like.check, case, *answers), attribution),
        )

    def explained(self, found: Sequence[Finding]) -> list[Finding]:
        """The findings that a believed fault explains, one for each, on the smallest input; the others as they are."""
        whole: dict[object, Finding] = {}
        for finding in sorted(found, key=lambda one: ([*CHECKS].index(one.example.check), telling(one.example))):
            named = self._named(finding)
            is_believed = named.confidence is not None and named.confidence.tried > 0
            key = (named.stage, named.rule) if is_believed else id(finding.example)
            first = whole.get(key)
            shown = named if is_believed else finding
            whole[key] = shown if first is None else first.joined(shown)
        small = [self._on_smallest(one) if one.confidence is not None else one for one in whole.values()]
        self._explained = {(one.stage, one.rule): one.example for one in small if one.confidence is not None}
        return small

    def _on_smallest(self, finding: Finding) -> Finding:
        """With the smallest of all inputs that were asked and that its cause explains."""
        check = CHECKS[finding.example.check]
        if check.diagnosis not in ("ids", "decoding"):
            return finding
        family: _Family[Any, Any, Any] = self._ids if check.diagnosis == "decoding" else self._texts
        pair = family.cause_of(self._asked_of(finding.example.case, check.diagnosis))
        if pair is None:
            return finding
        fits = {family.samples[place].asked for place in pair[0].fits}
        cases = (one for one in self._answers if self._asked_of(one, check.diagnosis) in fits)
        for case in sorted(cases, key=lambda one: (one.size, one.content)):
            if case.size >= finding.example.case.size:
                break
            difference = check(case, *self._answers[case])
            if isinstance(difference, Difference):
                return replace(finding, example=self._shown(finding.example, (case, difference), pair[0]))
        return finding

    def _asked_of(self, case: Case, diagnosis: Diagnosis) -> object:
        """The text of a case, or the ids that it asks to decode; None of one that was not asked, or has no text."""
        if case not in self._answers or (diagnosis != "decoding" and case.kind != "text"):
            return None
        return _decoded_ids(case, self._answers[case][0]) if diagnosis == "decoding" else case.text

    def _named_again(self, finding: Finding) -> Finding:
        """What was explained as it came is shown as it came, where a smaller input shows another cause."""
        named = self._named(finding)
        if finding.confidence is None or (named.stage, named.rule) == (finding.stage, finding.rule):
            return named
        came = self._explained.get((finding.stage, finding.rule), finding.example)
        return self._named(replace(finding, example=came))

    def _named(self, finding: Finding) -> Finding:
        """The finding by the fault that explains it; where none is believed, described."""
        case, check = finding.example.case, CHECKS[finding.example.check]
        family = self._ids if check.diagnosis == "decoding" else self._texts
        expected, observed = self._answers.get(case, (Answers(), Answers()))
        if not family.is_judged:
            return _untested(finding)
        if not isinstance(check(case, expected, observed), Difference):
            return finding
        if check.diagnosis == "ids":
            pair = self._texts.cause_of(case.text)
        elif check.diagnosis == "decoding":
            pair = self._ids.cause_of(_decoded_ids(case, expected))
        else:
            taken = self._texts.taken
            pair = next((one for one in taken if self._encodes_so(one[0].fault, case, observed, check.diagnosis)), None)
            if pair is None and check.diagnosis == "offsets":
                rule, confidence = self._offset_rule(case)
                if _is_believed(confidence):
                    return replace(finding, stage="Offsets", rule=rule, confidence=confidence)
        if pair is not None:
            fault, confidence = pair[0].fault, pair[1]
            return replace(finding, stage=fault.stage, rule=fault.rule, confidence=confidence)
        cause = self._described(finding, case, expected, observed)
        return replace(finding, stage=cause.stage, rule=cause.rule, confidence=None)

    def _encodes_so(self, fault: Fault, case: Case, observed: Answers, diagnosis: Diagnosis) -> bool:
        """Whether a fault gives all parts of an encoding that the subject gave."""
        given = observed.encoding
        trace = None if fault.trace is None else predicted(partial(fault.trace, case.text))
        if trace is None or not isinstance(given, Encoded):
            return False
        return is_encoding(trace.encoding, given, diagnosis)

    def _offset_rule(self, case: Case) -> tuple[str, Confidence]:
        """The rule that other offsets follow most often, of those that this case shows, and how often it is it."""
        shown = [rules for one in self._answers if (rules := self._offset_rules(one)) is not None]
        counts = Counter(rule for rules in shown for rule in rules)
        rule = max(self._offset_rules(case) or ("",), key=lambda one: counts[one])
        return rule, Confidence(len(shown), counts[rule])

    def _offset_rules(self, case: Case) -> set[str] | None:
        """The rules that explain the offsets of a case; None where these are right, or are not of its tokens."""
        expected, observed = self._answers[case]
        right, given = expected.encoding, observed.encoding
        if not isinstance(right, Encoded) or not isinstance(given, Encoded) or given.offsets is None:
            return None
        if len(given.offsets) != len(given.ids):
            return None
        due = [right] if right.ids == given.ids else []
        for one, _ in self._texts.taken:
            trace = None if one.fault.trace is None else predicted(partial(one.fault.trace, case.text))
            if trace is not None and tuple(trace.encoding.ids) == given.ids:
                due.append(Encoded(given.ids, offsets=tuple(trace.encoding.offsets)))
        if not due or any(one.offsets == given.offsets for one in due):
            return None
        tokenizer = self._bench.reference.tokenizer
        return {rule for one in due for rule in offset_rules(tokenizer, case.text, one, given)}

    def _described(self, finding: Finding, case: Case, expected: Answers, observed: Answers) -> Attribution:
        """What can be said without a rule that is known."""
        given, is_decoding = observed.encoding, CHECKS[finding.example.check].diagnosis == "decoding"
        if CHECKS[finding.example.check].diagnosis == "ids" and isinstance(given, Encoded):
            found = attribute_boundaries(self._bench.reference.tokenizer, case.text, given.ids)
        elif isinstance(expected.decoding, Decoded) and isinstance(observed.decoding, Decoded) and is_decoding:
            found = attribute_decoding(expected.decoding, observed.decoding)
        else:
            found = Attribution(finding.stage, finding.rule.removeprefix(f"{NO_RULE}: "))
        stage = "" if found.stage == UNSURE else found.stage
        return Attribution(stage, f"{NO_RULE}: {found.rule or finding.example.rule}")

    # --- what is said of each

    def _with_stage(self, finding: Finding) -> Finding:
        """With the stage at which its cause shows, in the place of that of another cause."""
        shown = finding.example
        if shown.case not in self._answers:
            return finding
        example = Example(self._bench, self._subject, shown.check, shown.case, *self._answers[shown.case])
        seen = examined(example, Attribution(finding.stage, finding.rule))
        return replace(finding, example=replace(shown, evidence=replace(shown.evidence, stage=seen.stage)))

    def _with_scope(self, finding: Finding) -> Finding:
        """With what the inputs have in common, and the nearest that is right."""
        case = finding.example.case
        if case not in self._answers:
            return finding
        contents = [token.content for token in self._bench.reference.tokenizer.added_tokens.tokens.values()]
        if CHECKS[finding.example.check].diagnosis == "decoding":
            of_ids = self._ids.of_one_cause(_decoded_ids(case, self._answers[case][0]))
            found = learned(
                [one.expected.kept for one in of_ids], [one.expected.kept for one in self._ids.right], contents
            )
        else:
            of_texts = self._texts.of_one_cause(case.text)
            found = learned(
                [one.asked for one in of_texts], [one.asked for one in self._texts.right], contents, self._words
            )
        nearest = self._nearest(finding)
        evidence = replace(finding.example.evidence, nearest=nearest)
        scope = found.sentence if found is not None else ""
        return replace(finding, scope=scope, example=replace(finding.example, evidence=evidence))

    def _words(self, text: str) -> list[str]:
        """The pre-tokens of a text."""
        if text not in self._known_words:
            tokenizer = self._bench.reference.tokenizer
            given = [split.normalized for split in tokenizer.pre_tokenized(tokenizer.checked_text(text))]
            self._known_words[text] = [text[slice(*part.original_span(0, len(part)))] for part in given] or [text]
        return self._known_words[text]

    def _nearest(self, finding: Finding) -> Case | None:
        """The nearest input on which the check holds."""
        case = finding.example.case
        near = [*dict.fromkeys(_neighbours(case))][:MOST_NEIGHBOURS]
        self.ask(near)
        check = CHECKS[finding.example.check]
        for one in near:
            if one in self._answers and check(one, *self._answers[one]) == "same":
                return replace(one, origin=case.origin)
        return None


Trials: TypeAlias = "dict[tuple[str, str], _Trial]"
"""By model and subject, what it was asked and what is believed."""
Known: TypeAlias = "dict[frozenset[tuple[str, str, str]], _Trial]"
"""By the checks, stages and rules of the findings that it began with, what a subject was asked and what is believed."""


def _with_others(text: str) -> Iterator[str]:
    """A text with other characters in the place of each that tables may differ about: near it, and of each age."""
    for replaced in doubtful_characters(text)[:MOST_REPLACED]:
        near = (ord(replaced) + step for step in (-4096, -64, -1, 1, 64, 4096))
        characters = (chr(code) for code in near if 0 <= code < 0x110000 and not 0xD800 <= code < 0xE000)
        yield from (text.replace(replaced, other) for other in (*characters, *of_each_age(), *_PROBED))


def _probes() -> Iterator[str]:
    """Texts with what languages and tables of other ages do not agree about."""
    ages = [*of_each_age()]
    return chain(_in_frames(_PROBED), map("a{0}".format, ages), map("{0}.a".format, ages))


def _in_frames(characters: Iterable[str]) -> Iterator[str]:
    """Each of the characters beside others that a table may tell it from."""
    return (frame.format(one) for one in characters for frame in _PROBING)


def _parts(asked: Any) -> Iterator[Any]:
    """A text or ids without one place; what begins or ends a word of a text; what begins or ends ids."""
    if len(asked) <= LONGEST_MISSED:
        yield from (asked[:place] + asked[place + 1 :] for place in range(len(asked)))
    for word in asked.split() if isinstance(asked, str) else (asked,):
        for place in range(len(word)):
            yield word[place:]
            yield word[: place + 1]


def _untested(finding: Finding) -> Finding:
    """The finding, whose rule was not put to the test before the time ended."""
    is_rule = bool(finding.stage) and finding.rule not in DESCRIPTIONS
    return replace(finding, confidence=Confidence(0, 0)) if is_rule else finding


def _is_believed(confidence: Confidence) -> bool:
    is_told = confidence.tried >= LEAST_FRESH and confidence.foretold >= BELIEVED * confidence.tried
    return is_told or confidence is THE_ONLY_INPUT  # one answer of several says too little


def _right(family: _Family[Any, Any, Any], bench: Bench) -> Callable[[Any], Any]:
    """What the reference answers, as the family expects it."""
    tokenizer = bench.reference.tokenizer

    def answer(asked: Any) -> Any:
        if isinstance(asked, str):
            return family.expected(tuple(tokenizer.encode_ids(asked)))
        return Decoded(*(tokenizer.decode(asked, skip_special_tokens=skips) for skips in (True, False)))

    return answer


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


def _decoded_ids(case: Case, oracle: Answers) -> tuple[int, ...]:
    """The decoded ids: those of the case, or those that the oracle gives for its text."""
    return case.ids if case.kind == "ids" else oracle.encoding.ids if isinstance(oracle.encoding, Encoded) else ()
