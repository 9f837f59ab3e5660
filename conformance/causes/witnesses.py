"""The answers of a subject that faults are held against, and what is believed of it by them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, Generic, TypeAlias

from conformance.causes.catalogue import Answer, Asked, Candidate, Catalogue, Sample, agree
from conformance.causes.edits import predicted
from conformance.causes.fewest import BELIEVED, Weighed, weighed
from conformance.causes.learning import varied
from conformance.checks.base import Answers
from conformance.core.case import Case
from conformance.core.finding import Confidence
from conformance.core.observation import Decoded, Encoded
from reftok import Tokenizer

LONGEST_SAMPLE, MOST_LONG = 200, 12
"""Code points, or ids, that are soon answered by every fault; so many samples of more."""
MOST_FITTED = 12
"""So many samples that differ are looked at, and so many that nothing explains: a fault is taken up if it fits one."""
LEAST_TRIED = 3
"""So few answers say too little."""
THE_ONLY_INPUT = Confidence(1, 1)
"""Of a fault that changes the empty text alone, or the empty list of ids: there is no other input to test it on."""
LEARNT_BELIEVED, MUST_FORETELL_ALL = 0.99, ("id", "limit")
"""The share of the answers in its scope that a learnt fault must foretell, and the kinds that must foretell them all:
dozens of limits fit one answer."""

Foretold: TypeAlias = Callable[[Any], Any]
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
    beneath: the faults that a believed fault was built on and includes.
    """

    search: Catalogue[Candidate, Asked, Answer]
    case: Callable[[Asked], Case]
    at_once: Callable[[Sequence[Candidate]], Iterable[tuple[tuple[Candidate, ...], Foretold]]]
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
    beneath: dict[Candidate, frozenset[Candidate]] = field(default_factory=dict)
    _known: dict[int, tuple[Candidate, ...]] = field(default_factory=dict)
    _answered: dict[Candidate, bytearray] = field(default_factory=dict)
    _differing: set[int] = field(default_factory=set)

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
            if not agree(self.samples[-1].expected, sample.observed):
                self._differing.add(len(self.samples) - 1)

    def differs(self, place: int) -> bool:
        return place in self._differing

    @property
    def differing(self) -> frozenset[int]:
        return frozenset(self._differing)

    def weigh(self, fault: Candidate) -> Weighed[Candidate]:
        # Outcomes take one byte each. The LRU cache of answers is too small here: it would evict each before its reuse.
        answered = self._answered.setdefault(fault, bytearray())
        return weighed(fault, self.samples, self.search.remembered, self.search.concerns, answered, self.differing)

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
            found = (some for some, answer in self.at_once([*self.believed]) if gives(answer, sample))
            self._known[place] = next(found, ()) if self.differs(place) else ()
        return self._known[place]

    def causes_of(self, asked: Asked) -> Sequence[Candidate]:
        """The causes of an answer: those that foretell it at once, or several in whose scope it is."""
        place = self.places.get(asked)
        if place is None or not self.differs(place):
            return ()
        if at_work := self.foretelling(place):
            return at_work
        in_scope = [one for one in self.believed if self.is_in_scope(one, self.samples[place])]
        return in_scope if len(in_scope) > 1 else ()

    def is_in_scope(self, fault: Candidate, sample: Sample[Asked, Answer]) -> bool:
        """Whether a fault makes another answer than is due."""
        answer = self.search.remembered(fault, sample.asked)
        return answer is not None and not agree(answer, sample.expected)

    def of_cause(self, fault: Candidate) -> list[Sample[Asked, Answer]]:
        """The samples that a cause explains, alone or with others."""
        return [self.samples[place] for place in sorted(self.differing) if fault in self.foretelling(place)]

    @property
    def unexplained(self) -> list[Sample[Asked, Answer]]:
        """The samples that differ otherwise than the causes foretell, alone or at once."""
        return [self.samples[place] for place in sorted(self.differing) if not self.foretelling(place)]

    @property
    def right_answers(self) -> list[Sample[Asked, Answer]]:
        return [sample for place, sample in enumerate(self.samples) if not self.differs(place)]


def gives(answer: Foretold, sample: Sample[Any, Any]) -> bool:
    """Whether faults give what the subject gave."""
    return agree(predicted(lambda: answer(sample.asked)), sample.observed)


def right_answer(family: Family[Any, Any, Any], tokenizer: Tokenizer) -> Callable[[Any], Any]:
    """What the reference answers, as the family expects it."""

    def answer(asked: Any) -> Any:
        if isinstance(asked, str):
            return family.right(asked, tuple(tokenizer.encode_ids(asked)))
        decoded = Decoded(*(tokenizer.decode(asked, skip_special_tokens=skips) for skips in (True, False)))
        return family.right(asked, decoded)

    return answer


def decoded_ids(case: Case, oracle: Answers) -> tuple[int, ...]:
    """The decoded ids: those of the case, or those that the oracle gives for its text."""
    return case.ids if case.kind == "ids" else oracle.encoding.ids if isinstance(oracle.encoding, Encoded) else ()


def is_believed(confidence: Confidence, learnt: str = "") -> bool:
    """Whether a rule is named: it was tried often enough, and foretold enough of the answers.

    learnt: `learnt` of the fault: one whose parameters come from answers must foretell nearly all others.

    >>> few, many = Confidence(40, 39), Confidence(400, 398)
    >>> is_believed(few), is_believed(few, "ends"), is_believed(many, "ends"), is_believed(many, "id")
    (True, False, True, False)
    """
    share = 1 if learnt in MUST_FORETELL_ALL else LEARNT_BELIEVED if learnt else BELIEVED
    enough = confidence.tried * share
    is_told = confidence.tried >= LEAST_TRIED and confidence.foretold >= enough
    return is_told or confidence is THE_ONLY_INPUT  # one answer of several says too little
