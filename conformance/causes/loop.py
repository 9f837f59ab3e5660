"""What a subject is asked to find out its causes, and which faults are believed of it.

A fault is taken up where it fits what the subject did, and believed where it foretells what the subject does on inputs
that it was not chosen by. One cause that explains much is believed before several that explain a little each.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice, permutations, takewhile
from typing import Any, Generic, TypeAlias

from conformance.causes.asking import MOST_RIVALS, telling_cases
from conformance.causes.attribution import Attribution
from conformance.causes.catalogue import Answer, Asked, Candidate, Catalogue, Sample, agree
from conformance.causes.edits import DecodingFault, Fault, faults, predicted
from conformance.causes.edits.older_releases import release_faults
from conformance.causes.edits.pre_tokenizers import doubtful_characters
from conformance.causes.edits.together import Together, orders, together
from conformance.causes.edits.unicode_versions import later_compositions
from conformance.causes.fewest import BELIEVED, Weighed, fewest, weighed
from conformance.causes.learning import learnt_of_texts, varied
from conformance.causes.one_answer import attributor_of
from conformance.causes.smallest import sample_cases
from conformance.checks.base import Answers
from conformance.checks.encoding import IDS
from conformance.core.case import Case, ids_case, text_case
from conformance.core.finding import Confidence, Mismatch
from conformance.core.observation import Decoded, Encoded
from conformance.core.unicode_ages import of_each_age
from conformance.engine.bench import Bench
from conformance.engine.collecting import collect_answers
from conformance.engine.plan import Plan

LONGEST_TEXT = 2_000
"""Code points of a witness; ids, where it is a list of these."""
LONGEST_SAMPLE, MOST_LONG = 200, 12
"""Code points, or ids, that are soon answered by every fault; so many samples of more."""
MOST_FITTED = 36
"""Samples of which a fault must fit one to be taken up, of those that differ, and of those that nothing explains."""
MOST_LESSONS, MOST_ROUNDS = 2, 6
"""How often faults are learnt from what differs; how often, each time, others take the place of those refuted."""
FRESH_OF_EACH = 25
"""So many cases of each generator are looked through for those in the scope of a fault; so many are asked of each:"""
MOST_FRESH = 16
LEAST_FRESH = 3
"""So few say too little."""
THE_ONLY_INPUT = Confidence(1, 1)
"""Of a fault that changes the empty text alone, or the empty list of ids: there is no other input to test it on."""
LEARNT_BELIEVED, MUST_FORETELL_ALL = 0.99, ("id", "limit")
"""The share of the answers in its scope that a learnt fault must foretell, and the kinds that must foretell them all:
dozens of limits fit one answer."""
MOST_OF_A_KIND = 1
"""Of faults with something learnt, so many of a kind are believed; more are symptoms of a fault that is not known."""
MOST_UPON = 2
"""How often causes are sought upon those that are known."""
MOST_PROVISIONAL, LEAST_PROVISIONAL = 1, 1 / 3
"""So many faults that foretell too little alone are tried with others, if they give so much of all that differs."""
MOST_BEYOND = 4
"""Prefixes just over a limit that are asked to test it."""
MOST_AROUND = 3
"""Ids that a fault puts before or behind those of the stages, less one."""
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


_Answer: TypeAlias = Callable[[Any], Any]
"""What faults answer; it may raise anything."""


@dataclass(slots=True)
class Family(Generic[Candidate, Asked, Answer]):
    """Faults of one kind, with what the subject did and what of it was believed.

    case: the case that asks. at_once: faults alone and together, the fewer the sooner, each with what they answer.
    right: the answer that is due, given that of the oracle: upon faults that are at work, theirs.
    long: how many samples there were that take long. witnesses: the places of the samples that the findings came from.
    pool: the faults that fit something. taken: those that stood the test, each with how it did. is_judged: whether
    there was the time to find out. symptoms: the kinds of learnt faults of which there were several: none counts.
    believed: those that were taken, and those that were found upon them. is_of_ids: whether the faults are of decoding.
    originals: for a fault that was rebuilt to act after others, the fault itself.
    """

    search: Catalogue[Candidate, Asked, Answer]
    case: Callable[[Asked], Case]
    at_once: Callable[[Sequence[Candidate]], Iterable[tuple[tuple[Candidate, ...], _Answer]]]
    right: Callable[[Asked, Answer], Answer] = lambda asked, answer: answer
    samples: list[Sample[Asked, Answer]] = field(default_factory=list)
    places: dict[Asked, int] = field(default_factory=dict)
    long: int = 0
    witnesses: set[int] = field(default_factory=set)
    pool: Sequence[Candidate] = ()
    is_judged: bool = False
    rejected: list[Candidate] = field(default_factory=list)
    symptoms: set[str] = field(default_factory=set)
    taken: list[tuple[Weighed[Candidate], Confidence]] = field(default_factory=list)
    believed: dict[Candidate, Confidence] = field(default_factory=dict)
    is_of_ids: bool = False
    originals: dict[Candidate, Candidate] = field(default_factory=dict)
    _known: dict[int, tuple[Candidate, ...]] = field(default_factory=dict)

    def size(self, asked: Asked) -> int:
        """Code points, or ids."""
        case = self.case(asked)
        return len(case.text) + len(case.ids)

    def add(self, sample: Sample[Asked, Answer]) -> None:
        is_long = self.size(sample.asked) > LONGEST_SAMPLE
        self.long += is_long
        if sample.asked not in self.places and (not is_long or self.long <= MOST_LONG):
            self.places[sample.asked] = len(self.samples)
            self.samples.append(replace(sample, expected=self.right(sample.asked, sample.expected)))

    def differs(self, place: int) -> bool:
        sample = self.samples[place]
        return not agree(sample.expected, sample.observed)

    @property
    def differing(self) -> frozenset[int]:
        return frozenset(filter(self.differs, range(len(self.samples))))

    def weigh(self, fault: Candidate) -> Weighed[Candidate]:
        return weighed(fault, self.samples, self.search.remembered)

    def take(self, taken: list[tuple[Weighed[Candidate], Confidence]]) -> None:
        """Take faults for causes."""
        self.taken = taken
        self.believe({one.fault: confidence for one, confidence in taken})

    def believe(self, believed: dict[Candidate, Confidence]) -> None:
        """Take faults for the causes, and hold them against the samples anew."""
        self.believed = believed
        self._known.clear()

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
        differing = [self.samples[place] for place in self.differing]
        shown = [*varied(differing)[:MOST_FITTED], *varied(unexplained)[:MOST_FITTED]]
        faults = takewhile(lambda _: not is_late(), self.search.all_for(differing, unexplained))
        fitting = [one for one in faults if any(self.search.fits(one, sample) for sample in shown)]
        believed = [one.fault for one, _ in self.taken]
        others = sorted(fitting, key=lambda one: (one.stage, one.rule) not in known)
        self.pool = [*believed, *(one for one in others if one not in believed)]

    def candidates(self) -> list[Weighed[Candidate]]:
        """The faults of the pool that were not refuted, as they stand now."""
        left = (one for one in self.pool if one.learnt not in self.symptoms and one not in self.rejected)
        return [one for one in map(self.weigh, left) if one.is_credible]

    # --- what is put down to which cause

    def foretelling(self, place: int) -> tuple[Candidate, ...]:
        """The fewest of the causes that, at work at once, give what the subject gave; () if none do."""
        if place not in self._known:
            sample = self.samples[place]
            found = (some for some, answer in self.at_once([*self.believed]) if _gives(answer, sample))
            self._known[place] = next(found, ()) if self.differs(place) else ()
        return self._known[place]

    def cause_of(self, asked: Asked) -> Candidate | None:
        """The cause of an answer; the first of several that are at work at once."""
        place = self.places.get(asked)
        if place is None or not self.differs(place):
            return None
        at_work = self.foretelling(place)
        if not at_work:
            in_scope = tuple(one for one in self.believed if self.is_in_scope(one, self.samples[place]))
            at_work = in_scope if len(in_scope) > 1 else ()
        return next(iter(at_work), None)

    def is_in_scope(self, fault: Candidate, sample: Sample[Asked, Answer]) -> bool:
        """Whether a fault makes another answer than is due."""
        answer = self.search.remembered(fault, sample.asked)
        return answer is not None and not agree(answer, sample.expected)

    def of_cause(self, fault: Candidate) -> list[Sample[Asked, Answer]]:
        """The samples that a cause explains, alone or with others."""
        return [self.samples[place] for place in sorted(self.differing) if fault in self.foretelling(place)]

    def is_witnessed(self, fault: Candidate) -> bool:
        """Whether a cause explains something that the findings came from, or shows only where another is at work.

        What was asked besides may show more causes than the run has seen.
        """
        shown = {place: some for place in self.differing if fault in (some := self.foretelling(place))}
        return not self.witnesses.isdisjoint(shown) or all(len(some) > 1 for some in shown.values())

    @property
    def unexplained(self) -> list[Sample[Asked, Answer]]:
        """The samples that differ otherwise than the causes foretell, alone or at once."""
        return [self.samples[place] for place in sorted(self.differing) if not self.foretelling(place)]

    @property
    def right_answers(self) -> list[Sample[Asked, Answer]]:
        return [sample for place, sample in enumerate(self.samples) if not self.differs(place)]


def _gives(answer: Callable[[Any], Any], sample: Sample[Any, Any]) -> bool:
    return agree(predicted(lambda: answer(sample.asked)), sample.observed)


class Trial:
    """What a subject is asked, and which causes are believed of it.

    answers: of the oracle and of the subject, by case. witnesses: the cases on which the subject differed. texts, ids:
    the faults of encoding and of decoding. came: the example on which each cause was shown as it came, by stage and
    rule; for who names findings after they are shrunk.
    """

    def __init__(self, bench: Bench, subject: str, deadline: float) -> None:
        self.bench, self.subject, self._deadline = bench, subject, deadline
        self._known_words: dict[str, list[str]] = {}
        self.answers: dict[Case, tuple[Answers, Answers]] = {}
        self.witnesses: set[Case] = set()
        self.came: dict[tuple[str, str], Mismatch] = {}
        attributor = attributor_of(bench)
        self.texts: Family[Any, str, tuple[int, ...]] = Family(
            attributor.encoding, lambda text: text_case(text, "sample:cause"), self._at_once
        )
        self.ids: Family[Any, tuple[int, ...], Decoded] = Family(
            attributor.decoding, lambda ids: ids_case(ids, "sample:cause"), _decoded_at_once, is_of_ids=True
        )
        self._upper: Family[Any, Any, Any] | None = None
        self._together: dict[tuple[Fault, ...], Together | None] = {}

    @classmethod
    def judged(cls, plan: Plan, bench: Bench, subject: str, witnesses: Iterable[Case], deadline: float) -> Trial:
        """One that knows what is believed. witnesses: the cases on which the subject differed."""
        trial = cls(bench, subject, deadline)
        trial.ask_witnesses(witnesses)
        trial.ask([*sample_cases(plan), *bench.made_cases])
        trial.choose()
        return trial

    def ask(self, cases: Iterable[Case]) -> None:
        """Ask the subject and the oracle; nothing twice, and nothing too long."""
        asked = [case for case in dict.fromkeys(cases) if case not in self.answers and case.kind != "bytes"]
        asked = [case for case in asked if len(case.text) + len(case.ids) <= LONGEST_TEXT]
        if not asked or self._is_late:
            return
        bench = self.bench
        heard = collect_answers(bench, asked, (IDS.name,), self.subject)
        for case, expected, observed in zip(asked, heard[bench.oracle], heard[self.subject], strict=True):
            self.answers[case] = expected, observed
            right, given = expected.encoding, observed.encoding
            if case.kind == "text" and isinstance(right, Encoded) and isinstance(given, Encoded):
                for family in self._families(is_of_ids=False):
                    family.add(Sample(case.text, right.ids, given.ids))
            if isinstance(expected.decoding, Decoded) and isinstance(observed.decoding, Decoded):
                decoded = observed.decoding
                if expected.decoding.with_special is None:
                    decoded = Decoded(decoded.text)
                for family in self._families(is_of_ids=True):
                    family.add(Sample(decoded_ids(case, expected), expected.decoding, decoded))

    @property
    def causes(self) -> Sequence[Attribution]:
        """The causes that are known."""
        return [Attribution(one.stage, one.rule) for family in (self.texts, self.ids) for one in family.believed]

    def _families(self, is_of_ids: bool) -> list[Family[Any, Any, Any]]:
        """The families that record an answer: of encoding or of decoding, with the one being searched upon it."""
        every = (self.texts, self.ids, self._upper)
        return [one for one in every if one is not None and one.is_of_ids == is_of_ids]

    def due(self, family: Family[Any, Any, Any], case: Case) -> Sample[Any, Any] | None:
        """What a case asks a family, and the answer that is due to it; None if the reference has none."""
        tokenizer = self.bench.reference.tokenizer
        ids = case.ids if case.kind == "ids" else predicted(lambda: tuple(tokenizer.encode_ids(case.readable_text)))
        asked = ids if family.is_of_ids else case.readable_text
        answer = None if ids is None else predicted(lambda: _right(family, self.bench)(asked))
        return None if answer is None else Sample(asked, answer, answer)

    def ask_witnesses(self, cases: Iterable[Case]) -> None:
        """Ask what findings came from."""
        cases = [*cases]
        known = [(family, len(family.samples)) for family in (self.texts, self.ids)]
        self.ask(cases)
        self.witnesses.update(cases)
        for family, count in known:
            family.witnesses.update(range(count, len(family.samples)))

    def go_on(self, bench: Bench, cases: Sequence[Case], deadline: float, seeks: bool) -> None:
        """Ask the shrunk cases of the findings, and seek faults once more, where something may be unexplained.

        bench: of its model; the one before may have been closed, to make room for that of another model.
        """
        self.bench, self._deadline = bench, deadline
        self.ask_witnesses(cases)
        if seeks and not self._is_late:
            self.choose()

    @property
    def _is_late(self) -> bool:
        return time.monotonic() > self._deadline

    # --- which faults are believed

    def choose(self) -> None:
        """The fewest faults that explain what differs, and that foretell what they were not chosen by."""
        for family in (self.texts, self.ids):
            self._choose(family)

    def _choose(self, family: Family[Any, Any, Any]) -> None:
        if not family.differing:
            family.is_judged = family.is_judged or not self._is_late
            return
        self._seek(family)
        family.search.adopt(family.believed)
        for _ in range(MOST_UPON):
            if not family.unexplained or self._is_late:
                break
            known = family.believed
            found = self._found_upon(family, known) or self._found_with(family, known)
            if found:
                family.search.adopt(found)
                family.believe({**known, **found})
            elif not self._replace_causes(family):
                break

    def _replace_causes(self, family: Family[Any, Any, Any]) -> bool:
        """Replace the known causes by others that explain more; whether there are any.

        Beside another mistake, a lost first character looks like a stripped space in many texts.
        """
        known, left = family.believed, len(family.unexplained)
        if not known or LEAST_PROVISIONAL * len(family.differing) > left:
            return False
        found = self._found_with(family, {})
        family.believe(found)
        if not found or len(family.unexplained) >= left:
            family.believe(known)
            return False
        family.search.adopt(found)
        return True

    def _found_with(self, family: Family[Any, Any, Any], known: dict[Any, Confidence]) -> dict[Any, Confidence]:
        """A fault that foretells too little alone, with those that are found upon it, if together they foretell enough.

        A token at the start of every text, beside a limit of the text: long texts speak against each of them.
        """
        before = family.believed
        left = (one for one in family.pool if one not in known and (family.is_of_ids or not one.learnt))
        weighed = [one for one in map(family.weigh, left) if one.is_credible]
        for one in sorted(weighed, key=lambda one: -len(one.fits))[:MOST_PROVISIONAL]:
            if LEAST_PROVISIONAL * len(family.differing) > len(one.fits) or self._is_late:
                break
            found = self._found_upon(family, {**known, one.fault: THE_ONLY_INPUT})
            if found:
                family.believe({**known, one.fault: THE_ONLY_INPUT, **found})
                places = [place for place in one.scope if place not in family.witnesses]
                confidence = Confidence(len(places), sum(bool(family.foretelling(place)) for place in places))
                family.believe(before)
                if is_believed(confidence):
                    return {one.fault: confidence, **found}
        return {}

    def _seek(self, family: Family[Any, Any, Any]) -> None:
        """Find the causes that show by themselves: first by all that differs, then by what nothing explains."""
        known = {(one.stage, one.rule) for one in self.texts.believed}
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

    def _found_upon(self, family: Family[Any, Any, Any], known: Iterable[Any]) -> dict[Any, Confidence]:
        """The causes of what is left where those that are known are at work, so that the others are never alone."""
        known = [*known]
        upper = self._decodings_upon(known) if family.is_of_ids else self._texts_upon(known)
        if upper is None:
            return {}
        upper.symptoms |= family.symptoms | {fault.learnt for fault in known if fault.learnt}
        for sample in family.samples:
            upper.add(sample)
        shown = (family.samples[place].asked for place in family.witnesses)
        upper.witnesses |= {upper.places[asked] for asked in shown if asked in upper.places}
        self._upper = upper
        try:
            self.ask(map(family.case, () if family.is_of_ids else _probes()))
            self._seek(upper)
        finally:
            self._upper = None
        found = {upper.originals.get(one.fault, one.fault): confidence for one, confidence in upper.taken}
        return {fault: confidence for fault, confidence in found.items() if fault not in known}

    def _texts_upon(self, known: Sequence[Fault]) -> Family[Any, str, tuple[int, ...]] | None:
        """The search for faults of encoding on top of known ones; None if none of these can be combined."""
        tokenizer = self.bench.reference.tokenizer
        beneath = together(tokenizer, ())
        assert beneath is not None
        for fault in known:
            beneath = together(tokenizer, (*beneath.faults, fault)) or beneath
        changed = beneath.tokenizer
        if not beneath.faults:
            return None
        search: Catalogue[Any, str, tuple[int, ...]] = Catalogue(
            lambda: self.texts.search.every if changed is tokenizer else (*release_faults(changed), *faults(changed)),
            lambda fault, text: beneath.finished(fault.ids(beneath.prepared(text))),
            learnt=lambda differing, unexplained: learnt_of_texts(
                changed,
                lambda fault, sample: _gives(lambda text: beneath.finished(fault.ids(text)), sample),
                *([_within(beneath, one) for one in some] for some in (differing, unexplained)),
            ),
        )
        return Family(search, self.texts.case, self._at_once, lambda text, _: beneath.ids(text))

    def _decodings_upon(self, known: Sequence[DecodingFault]) -> Family[Any, tuple[int, ...], Decoded] | None:
        """The search for faults of decoding before or after known ones; None if these change no decoded text."""
        changes = [fault.after for fault in known if fault.after is not None]
        if not changes:
            return None
        tokenizer = self.bench.reference.tokenizer
        after = partial(_decoded_otherwise, partial(_changed, changes))
        text = lambda ids, skips: _changed(changes, tokenizer.decode(ids, skip_special_tokens=skips))
        every = self.ids.search.every
        last = {replace(one, text=partial(_text_after, one.after, text)): one for one in every if one.after is not None}

        def answer(fault: DecodingFault, ids: Sequence[int]) -> Decoded:
            return _decoded(fault, ids) if fault in last else after(_decoded(fault, ids))

        search: Catalogue[Any, tuple[int, ...], Decoded] = Catalogue(lambda: (*every, *last), answer)
        return Family(
            search,
            self.ids.case,
            lambda some: (((one,), partial(answer, one)) for one in some),
            lambda _, right: after(right),
            is_of_ids=True,
            originals=last,
        )

    def _at_once(self, some: Sequence[Fault]) -> Iterator[tuple[tuple[Fault, ...], _Answer]]:
        """Faults alone and together, each with their ids."""
        for fault in some:
            yield (fault,), partial(self.texts.search.remembered, fault)
        for several in orders(some):
            if several not in self._together:
                self._together[several] = together(self.bench.reference.tokenizer, several)
            found = self._together[several]
            if found is not None:
                yield several, found.ids

    def _explore(self, family: Family[Any, Any, Any]) -> None:
        """Ask what is like the shortest samples that differ."""
        shown = sorted((family.samples[place].asked for place in family.differing), key=len)[:MOST_REPLACED]
        texts = (asked for asked in shown if isinstance(asked, str) and len(asked) <= LONGEST_SAMPLE)
        others = chain.from_iterable(map(_with_others, texts))
        self.ask(map(family.case, chain(others, later_compositions() if not family.is_of_ids else ())))

    def _believe(self, family: Family[Any, Any, Any]) -> None:
        """Take the fewest candidates, and others in the place of those that do not stand the test."""
        for _ in range(MOST_ROUNDS):
            taken = fewest(family.candidates(), family.differing)
            tested = [(one, self._tested(family, one, [other for other in taken if other is not one])) for one in taken]
            stood = [(family.weigh(one.fault), how) for one, how in tested if is_believed(how, one.fault.learnt)]
            kinds = Counter(one.fault.learnt for one, _ in stood if one.fault.learnt)
            family.symptoms |= {kind for kind, count in kinds.items() if count > MOST_OF_A_KIND}
            believed = [pair for pair in stood if pair[0].fault.learnt not in family.symptoms]
            family.take(believed)
            if len(believed) == len(tested) or self._is_late:
                break
            causes = {one.fault for one, _ in believed}
            family.rejected += [one.fault for one, _ in tested if one.fault not in causes]

    def _part(self, family: Family[Any, Any, Any]) -> None:
        """Ask where the faults that fit say different things."""
        rivals = sorted(family.candidates(), key=lambda one: -len(one.fits))[:MOST_RIVALS]
        probes = _probes() if not family.is_of_ids else ()
        drawn = [*map(family.case, chain(probes, self._drawn(family, "rivals")))]
        key: Callable[[Case], Any] = lambda case: case.text if case.kind == "text" else case.ids
        predictions = [lambda case, one=one.fault: family.search.predicted(one, key(case)) for one in rivals]
        right = _right(family, self.bench)
        self.ask([*telling_cases([*predictions, lambda case: right(key(case))], drawn)])
        for one in rivals:
            self._ask_parts(family, family.weigh(one.fault))

    def _tested(self, family: Family[Any, Any, Any], one: Weighed[Any], others: Sequence[Weighed[Any]]) -> Confidence:
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

    def _is_in_scope(self, family: Family[Any, Any, Any], fault: Any, asked: Any) -> bool:
        answer = family.search.predicted(fault, asked)
        return answer is not None and not agree(answer, _right(family, self.bench)(asked))

    def _ask_parts(self, family: Family[Any, Any, Any], one: Weighed[Any]) -> None:
        """Ask whether something else is at work where a fault fails to foretell what the subject gave."""
        failing = sorted((family.samples[place].asked for place in one.third - one.beside), key=len)[:MOST_FRESH]
        parts = dict.fromkeys(chain.from_iterable(map(_parts, failing)))
        outside = (part for part in parts if not self._is_in_scope(family, one.fault, part))
        self.ask(map(family.case, islice(outside, MOST_PARTS_ASKED)))

    def _sources(self, family: Family[Any, Any, Any], one: Weighed[Any]) -> Iterator[Iterable[Any]]:
        """What a fault may be tested on: what generators give, what tables disagree about, what is like its samples."""
        yield self._drawn(family, "held out")
        shown = sorted((family.samples[place].asked for place in one.fits), key=len)[:MOST_RIVALS]
        if one.fault.learnt == "limit":
            longest = (asked for asked in shown[:MOST_REPLACED] if isinstance(asked, str))
            yield from (self._beyond(family, one.fault, text) for text in longest)
        texts = [asked for asked in shown if isinstance(asked, str) and len(asked) <= LONGEST_SAMPLE]
        if texts:
            tokens = self.bench.reference.tokenizer.rules.added_tokens.tokens.values()
            yield from (_with_others(text) for text in texts[:MOST_REPLACED])
            if one.fault.learnt:
                yield (part for text in texts[:MOST_REPLACED] for part in _parts(text))
            own = dict.fromkeys(character for text in texts for character in doubtful_characters(text))
            yield _in_frames((*own, *_PROBED))
            yield (frame.format(one.content) for one in tokens for frame in _BESIDE)
            yield later_compositions()
        yield self._around(shown)

    def _beyond(self, family: Family[Any, Any, Any], fault: Any, text: str) -> Iterator[str]:
        """The shortest prefixes over a limit: if the true limit is higher, the subject answers them rightly."""
        is_beyond = lambda size: self._is_in_scope(family, fault, text[:size])
        shortest = bisect_left(range(len(text)), True, key=is_beyond)
        yield from (text[:size] for size in range(shortest, min(shortest + MOST_BEYOND, len(text))))

    def _drawn(self, family: Family[Any, Any, Any], seed: str) -> Iterator[Any]:
        """What generators give to ask a family, the same each time."""
        for case in self.bench.drawn_cases(FRESH_OF_EACH, f"{seed}:"):
            if not family.is_of_ids and case.kind == "text":
                yield case.text
            elif family.is_of_ids and case.kind == "ids":
                yield case.ids
            elif family.is_of_ids and case.kind == "text":
                yield tuple(self.bench.reference.tokenizer.encode_ids(case.text))

    def _around(self, shown: Iterable[Any]) -> Iterator[Any]:
        """The inputs on which a fault showed, with a little beside them."""
        for asked in shown:
            if isinstance(asked, str):
                half = len(asked) // 2
                yield from filter(None, (asked[:half], asked[half:], asked * 2, asked[: half // 2]))
                yield from (frame.replace("{0}", asked) for frame in _FRAMES)
            else:
                plain = tuple(self.bench.reference.tokenizer.encode_ids("a", add_special_tokens=False))
                yield from ((*plain, *asked), (*asked, *plain), (*asked, *asked), (*plain, *asked, *plain))

    def words(self, text: str) -> list[str]:
        """The pre-tokens of a text."""
        if text not in self._known_words:
            tokenizer = self.bench.reference.tokenizer
            given = [split.normalized for split in tokenizer.rules.pre_tokenized(tokenizer.rules.checked_text(text))]
            self._known_words[text] = [text[slice(*part.original_span(0, len(part)))] for part in given] or [text]
        return self._known_words[text]


def _within(beneath: Together, sample: Sample[str, tuple[int, ...]]) -> Sample[str, tuple[int, ...]]:
    """A sample as the stages see it between what faults do to the text and what they do to the ids."""
    given, right = sample.observed, sample.expected
    slices = [slice(start, len(given) - end) for start in range(MOST_AROUND) for end in range(MOST_AROUND)]
    inner = (given[one] for one in slices if beneath.finished(given[one]) == given)
    text = beneath.prepared(sample.asked)
    right = tuple(predicted(lambda: beneath.core(text)) or right)
    return Sample(text, right, next(inner, given))


def _decoded_at_once(some: Sequence[DecodingFault]) -> Iterator[tuple[tuple[DecodingFault, ...], _Answer]]:
    """Faults of decoding alone, then in pairs: the second one changes the text that the first one gives."""
    for fault in some:
        yield (fault,), partial(_decoded, fault)
    for fault, last in permutations(some, 2):
        if last.after is not None:
            yield (fault, last), partial(_decoded_by_both, fault, last.after)


def _decoded(fault: DecodingFault, ids: Sequence[int]) -> Decoded:
    return Decoded(fault.text(ids, True), fault.text(ids, False))


def _changed(changes: Sequence[Callable[[str], str]], text: str) -> str:
    for change in changes:
        text = change(text)
    return text


def _text_after(after: Callable[[str], str], text: Callable[[Any, bool], str], ids: Sequence[int], skips: bool) -> str:
    return after(text(ids, skips))


def _decoded_by_both(fault: DecodingFault, after: Callable[[str], str], ids: Sequence[int]) -> Decoded:
    return _decoded_otherwise(after, _decoded(fault, ids))


def _decoded_otherwise(after: Callable[[str], str], decoded: Decoded) -> Decoded:
    """The decoding with both of its texts changed."""
    return Decoded(after(decoded.text), None if decoded.with_special is None else after(decoded.with_special))


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


def is_believed(confidence: Confidence, learnt: str = "") -> bool:
    """Whether a rule is named: it was tried often enough, and foretold enough of the answers.

    learnt: `learnt` of the fault: one whose parameters come from answers must foretell nearly all others.

    >>> few, many = Confidence(40, 39), Confidence(400, 398)
    >>> is_believed(few), is_believed(few, "ends"), is_believed(many, "ends"), is_believed(many, "id")
    (True, False, True, False)
    """
    share = 1 if learnt in MUST_FORETELL_ALL else LEARNT_BELIEVED if learnt else BELIEVED
    enough = confidence.tried * share
    is_told = confidence.tried >= LEAST_FRESH and confidence.foretold >= enough
    return is_told or confidence is THE_ONLY_INPUT  # one answer of several says too little


def _right(family: Family[Any, Any, Any], bench: Bench) -> Callable[[Any], Any]:
    """What the reference answers, as the family expects it."""
    tokenizer = bench.reference.tokenizer

    def answer(asked: Any) -> Any:
        if isinstance(asked, str):
            return family.right(asked, tuple(tokenizer.encode_ids(asked)))
        decoded = Decoded(*(tokenizer.decode(asked, skip_special_tokens=skips) for skips in (True, False)))
        return family.right(asked, decoded)

    return answer


def decoded_ids(case: Case, oracle: Answers) -> tuple[int, ...]:
    """The decoded ids: those of the case, or those that the oracle gives for its text."""
    return case.ids if case.kind == "ids" else oracle.encoding.ids if isinstance(oracle.encoding, Encoded) else ()
