"""What a subject is asked to find out its causes, and which faults are believed of it.

A fault is taken up where it fits what the subject did, and believed where it foretells what the subject does on inputs
that it was not chosen by. One cause that explains much is believed before several that explain a little each.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any

from conformance.causes.asking import (
    MOST_REPLACED,
    MOST_RIVALS,
    around,
    beside_tokens,
    doubtful,
    drawn,
    encoded_again,
    parts,
    probes,
    sample_cases,
    telling_cases,
    with_others,
    with_white_space,
    without_white_space,
)
from conformance.causes.attribution import Attribution
from conformance.causes.catalogue import Sample, agree
from conformance.causes.edits import predicted
from conformance.causes.edits.unicode_versions import later_compositions
from conformance.causes.fewest import Weighed, fewest
from conformance.causes.one_answer import attributor_of
from conformance.causes.upon import AtOnce, decoded_at_once, decodings_upon, texts_upon
from conformance.causes.witnesses import (
    LEAST_TRIED,
    LONGEST_SAMPLE,
    THE_ONLY_INPUT,
    Family,
    decoded_ids,
    is_believed,
    right_answer,
)
from conformance.checks.base import Answers
from conformance.checks.batch import BATCH
from conformance.checks.encoding import IDS
from conformance.core.case import Case, ids_case, text_case
from conformance.core.finding import Confidence
from conformance.core.observation import Decoded, Encoded
from conformance.engine.bench import Bench
from conformance.engine.collecting import collect_answers
from conformance.engine.plan import Plan

LONGEST_TEXT = 2_000
"""Code points of a witness; ids, where it is a list of these."""
MOST_LESSONS, MOST_ROUNDS = 3, 6
"""How often faults are learnt from what differs; how often, each time, others take the place of those refuted."""
MOST_FRESH = 16
"""So many inputs in the scope of a fault are asked, of each source."""
MOST_OF_A_KIND = 1
"""Of faults with something learnt, so many of a kind are believed; more are symptoms of a fault that is not known."""
MOST_UPON = 2
"""How often causes are sought upon those that are known."""
MOST_PROVISIONAL, LEAST_PROVISIONAL = 1, 1 / 5
"""How many faults are tried together with others although they predict too little alone, and the share of all wrong
answers that each must explain beyond the known causes."""
MOST_LOST = 1 / 20
"""The share of wrong answers that may become unexplained when a fault is rebuilt on the reference."""
MOST_BEYOND = 4
"""Prefixes just over a limit that are asked to test it."""
MOST_PARTS_ASKED = 150
"""Parts of inputs on which a fault fails to foretell the answer, since something else may be at work in them."""


class Trial:
    """What a subject is asked, and which causes are believed of it.

    answers: of the oracle and of the subject, by case. witnesses: the cases on which the subject differed. texts, ids:
    the faults of encoding and of decoding.
    """

    def __init__(self, bench: Bench, subject: str, deadline: float) -> None:
        self.bench, self.subject, self._deadline = bench, subject, deadline
        self._known_words: dict[str, list[str]] = {}
        self.answers: dict[Case, tuple[Answers, Answers]] = {}
        self.witnesses: set[Case] = set()
        attributor, tokenizer = attributor_of(bench), bench.reference.tokenizer
        self.texts: Family[Any, str, tuple[int, ...]] = Family(
            attributor.encoding,
            lambda text: text_case(text, "sample:cause"),
            AtOnce(tokenizer, attributor.encoding.remembered),
        )
        self.ids: Family[Any, tuple[int, ...], Decoded] = Family(
            attributor.decoding,
            lambda ids: ids_case(ids, "sample:cause"),
            partial(decoded_at_once, tokenizer),
            is_of_ids=True,
        )
        self._upper: Family[Any, Any, Any] | None = None

    @classmethod
    def judged(cls, plan: Plan, bench: Bench, subject: str, witnesses: Iterable[Case], deadline: float) -> Trial:
        """A trial that has asked its witnesses and its samples, and has sought causes.

        witnesses: the cases on which the subject differed.
        """
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
        # With the check on batches, each text is asked on its own: what else is in a batch says nothing of a rule.
        heard = collect_answers(bench, asked, (IDS.name, BATCH.name), self.subject)
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
        answer = None if ids is None else predicted(lambda: right_answer(family, self.bench.reference.tokenizer)(asked))
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
        """Ask more cases on which the subject differed, and seek causes once more. seeks: whether to do that.

        bench: of its model; the one before may have been closed, to make room for that of another model.
        """
        self.bench, self._deadline = bench, deadline
        attributor_of(bench).encoding.adopt(self.texts.believed)
        attributor_of(bench).decoding.adopt(self.ids.believed)
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
        known, taken = family.believed, family.taken
        family.rejected.clear()  # new answers may confirm what was rejected for lack of them
        self._seek(family)
        # Later rounds ask mostly about unexplained answers, which a frequent cause rarely explains alone. Known causes
        # are kept if they explain more than the new ones and no right answer refutes them.
        found, left = family.believed, len(family.unexplained)
        family.believe({one: confidence for one, confidence in known.items() if family.weigh(one).is_credible})
        if len(family.unexplained) < left:
            family.taken = taken
        else:
            family.believe(found)
        family.search.adopt(family.believed)
        for _ in range(MOST_UPON):
            if not family.unexplained or self._is_late:
                break
            known = family.believed
            found = self._found_upon(family, known) or self._found_with(family, known)
            if found:
                family.search.adopt(found)
                family.believe({**known, **found})
                self._forget_needless(family)
            elif not self._replace_causes(family):
                break

    def _forget_needless(self, family: Family[Any, Any, Any]) -> None:
        """Believe no fault without which as much is explained; those that explain least are tried first.

        Before a lost first character was known, a lost first `中` explained all texts that begin with one.
        """
        beneath = frozenset[Any]().union(*(family.beneath.get(one, ()) for one in family.believed))
        for fault in sorted(family.believed, key=lambda one: len(family.of_cause(one))):
            if fault in beneath:
                continue
            every, left = family.believed, len(family.unexplained)
            family.believe({one: confidence for one, confidence in every.items() if one != fault})
            if len(family.unexplained) > left:
                family.believe(every)

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
        places = {place for place in family.differing if not (known and family.foretelling(place))}
        for one in sorted(weighed, key=lambda one: -len(one.fits & places))[:MOST_PROVISIONAL]:
            if LEAST_PROVISIONAL * len(family.differing) > len(one.fits & places) or self._is_late:
                break
            found = self._found_upon(family, {**known, one.fault: THE_ONLY_INPUT})
            if found:
                family.believe({**known, one.fault: THE_ONLY_INPUT, **found})
                scope = [place for place in one.scope if place not in family.witnesses]
                confidence = Confidence(len(scope), sum(bool(family.foretelling(place)) for place in scope))
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
        known, tokenizer = [*known], self.bench.reference.tokenizer
        upper = (
            decodings_upon(tokenizer, self.ids, known) if family.is_of_ids else texts_upon(tokenizer, self.texts, known)
        )
        if upper is None:
            return {}
        upper.symptoms |= family.symptoms | {fault.learnt for fault in known if fault.learnt}
        for sample in family.samples:
            upper.add(sample)
        shown = (family.samples[place].asked for place in family.witnesses)
        upper.witnesses |= {upper.places[asked] for asked in shown if asked in upper.places}
        self._upper = upper
        try:
            self.ask(map(family.case, () if family.is_of_ids else probes()))
            self._seek(upper)
        finally:
            self._upper = None
        found = {upper.originals.get(one.fault, one.fault): confidence for one, confidence in upper.taken}
        found = {fault: confidence for fault, confidence in found.items() if fault not in known}
        return self._made_alone(family, known, found)

    def _made_alone(
        self, family: Family[Any, Any, Any], known: Sequence[Any], found: dict[Any, Confidence]
    ) -> dict[Any, Confidence]:
        """Rebuilds the found faults on the reference, each if it then explains nearly as much.

        A fault that was built on the known ones includes them, and would explain their answers as well. Only with it
        are texts explained that show more mistakes than `at_once` combines.
        """
        before, most_lost = family.believed, MOST_LOST * len(family.differing)
        for fault, confidence in [*found.items()]:
            if fault in family.search.every:
                continue
            others = {one: other for one, other in found.items() if one != fault}
            others |= dict.fromkeys(known, THE_ONLY_INPUT)
            family.believe({**others, fault: confidence})
            left: dict[Any, int] = {fault: len(family.unexplained)}
            for alone in family.search.every:
                if (alone.stage, alone.rule) == (fault.stage, fault.rule):
                    family.believe({**others, alone: confidence})
                    left[alone] = len(family.unexplained)
            best = min(left, key=lambda one: left[one] + (one == fault) * (most_lost + 1))
            del found[fault]
            found[best] = confidence
            if best == fault:
                family.beneath[fault] = frozenset(known)
        family.believe(before)
        return found

    def _explore(self, family: Family[Any, Any, Any]) -> None:
        """Ask what is like the shortest samples that differ."""
        shown = sorted((family.samples[place].asked for place in family.differing), key=len)[:MOST_REPLACED]
        texts = (asked for asked in shown if isinstance(asked, str) and len(asked) <= LONGEST_SAMPLE)
        others = chain.from_iterable(map(with_others, texts))
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
        texts = probes() if not family.is_of_ids else ()
        cases = [*map(family.case, chain(texts, drawn(self.bench, family.is_of_ids, "rivals")))]
        key: Callable[[Case], Any] = lambda case: case.text if case.kind == "text" else case.ids
        predictions = [lambda case, one=one.fault: family.search.predicted(one, key(case)) for one in rivals]
        right = right_answer(family, self.bench.reference.tokenizer)
        self.ask([*telling_cases([*predictions, lambda case: right(key(case))], cases)])
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
            if len(told) >= LEAST_TRIED and 2 * len(told & fits) <= len(told):
                return Confidence(len(told), len(told & fits))
        return Confidence(len(alone), len(fits))

    def _is_in_scope(self, family: Family[Any, Any, Any], fault: Any, asked: Any) -> bool:
        answer = family.search.predicted(fault, asked)
        return answer is not None and not agree(answer, right_answer(family, self.bench.reference.tokenizer)(asked))

    def _ask_parts(self, family: Family[Any, Any, Any], one: Weighed[Any]) -> None:
        """Ask whether something else is at work where a fault fails to foretell what the subject gave."""
        failing = sorted((family.samples[place].asked for place in one.third - one.beside), key=len)[:MOST_FRESH]
        within = dict.fromkeys(chain.from_iterable(map(parts, failing)))
        outside = (part for part in within if not self._is_in_scope(family, one.fault, part))
        self.ask(map(family.case, islice(outside, MOST_PARTS_ASKED)))

    def _sources(self, family: Family[Any, Any, Any], one: Weighed[Any]) -> Iterator[Iterable[Any]]:
        """What a fault may be tested on: what generators give, what tables disagree about, what is like its samples."""
        yield drawn(self.bench, family.is_of_ids, "held out")
        shown = sorted((family.samples[place].asked for place in one.fits), key=len)[:MOST_RIVALS]
        if one.fault.learnt == "limit":
            longest = [asked for asked in shown[:MOST_REPLACED] if isinstance(asked, str)]
            yield from (self._beyond(family, one.fault, text) for text in longest)
            yield without_white_space(longest)
            if "in pieces" in one.fault.rule:  # what is cut off elsewhere may end with spaces, which others strip
                yield with_white_space(longest)
        texts = [asked for asked in shown if isinstance(asked, str) and len(asked) <= LONGEST_SAMPLE]
        if texts:
            yield from (with_others(text) for text in texts[:MOST_REPLACED])
            if one.fault.learnt:
                yield (part for text in texts[:MOST_REPLACED] for part in parts(text))
            yield doubtful(texts)
            yield beside_tokens(self.bench.reference.tokenizer)
            yield later_compositions()
        yield around(self.bench.reference.tokenizer, shown)
        if family.is_of_ids and one.fault.learnt:
            # A learnt change of a character must hold for other ids of it too.
            due = [family.samples[family.places[asked]].expected.text for asked in shown]
            yield encoded_again(self.bench.reference.tokenizer, due)

    def _beyond(self, family: Family[Any, Any, Any], fault: Any, text: str) -> Iterator[str]:
        """The shortest prefixes over a limit: if the true limit is higher, the subject answers them rightly."""
        is_beyond = lambda size: self._is_in_scope(family, fault, text[:size])
        shortest = bisect_left(range(len(text)), True, key=is_beyond)
        yield from (text[:size] for size in range(shortest, min(shortest + MOST_BEYOND, len(text))))

    def words(self, text: str) -> list[str]:
        """The pre-tokens of a text."""
        if text not in self._known_words:
            tokenizer = self.bench.reference.tokenizer
            given = [split.normalized for split in tokenizer.rules.pre_tokenized(tokenizer.rules.checked_text(text))]
            self._known_words[text] = [text[slice(*part.original_span(0, len(part)))] for part in given] or [text]
        return self._known_words[text]
