"""The fault that says best what a subject does: it fits the mismatch, and other answers bear it out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Generic, TypeAlias, TypeVar

from conformance.core.observation import Decoded
from conformance.faults import DecodingFault, Fault, predicted

FULL_SEARCHES = 30
MOST_SAMPLES = 60
MOST_REMEMBERED = 1 << 17
"""Answers of faults to samples, which are the same for all subjects."""

Candidate = TypeVar("Candidate", bound=Fault | DecodingFault)
Asked = TypeVar("Asked", bound=Sequence[object])
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Sample(Generic[Asked, Answer]):
    """A question, the right answer, and one that differs, or might."""

    asked: Asked
    expected: Answer
    observed: Answer


Learnt: TypeAlias = Callable[[Sequence[Sample[Asked, Answer]], Sequence[Sample[Asked, Answer]]], Iterable[Candidate]]


class FaultSearch(Generic[Candidate, Asked, Answer]):
    """A search for the fault that explains a mismatch.

    Of those that fit it, the one is believed that predicts best what the subject did with the samples; where it
    would give another answer than the right one, at least half of them must be the subject's. The first
    `FULL_SEARCHES` mismatches of a subject are tried against every fault, the others only against those that were
    believed before.

    all_faults: made when they are first needed. predict: what a fault answers; it may raise anything.
    is_known: whether something else speaks for a fault about a subject, of two that the samples bear out alike.
    is_over: whether the time is over: then only what was believed before is tried.
    learnt: faults that take what they change from samples that differ, and from those that nothing explains.
    """

    def __init__(
        self,
        all_faults: Callable[[], Iterable[Candidate]],
        predict: Callable[[Candidate, Asked], Answer],
        is_known: Callable[[str, Candidate], bool] = lambda name, fault: False,
        learnt: Learnt[Asked, Answer, Candidate] = lambda differing, unexplained: (),
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self._make = all_faults
        self._learnt = learnt
        self._is_over = is_over
        self._predict = predict
        self._is_known = is_known
        self.remembered = lru_cache(maxsize=MOST_REMEMBERED)(self.predicted)
        self._believed: dict[str, list[Candidate]] = {}
        self._credits: dict[tuple[str, Candidate], int | None] = {}
        self._samples: dict[tuple[str, bool], list[Sample[Asked, Answer]]] = {}
        self._unexplained: dict[tuple[str, Candidate], list[Sample[Asked, Answer]]] = {}
        self._searches: Counter[str] = Counter()
        self._adopted: list[Candidate] = []

    def renew(self) -> None:
        """Forget all subjects; what was learnt stays known by its rule."""
        for known in (self._believed, self._credits, self._samples, self._unexplained, self._searches):
            known.clear()

    def observe(self, name: str, sample: Sample[Asked, Answer], is_sought: bool = False) -> None:
        """Take what a subject did; the first right answers and the first others are kept, and all that were sought."""
        is_right = sample.expected == sample.observed
        if self.hears(name, is_right, is_sought):
            self._samples.setdefault((name, is_right), []).append(sample)
            self._credits.clear()
            self._unexplained.clear()

    def hears(self, name: str, is_right: bool, is_sought: bool = False) -> bool:
        """Whether one more answer of a subject would be kept: most are right, and of these the first are enough."""
        return is_sought or len(self._samples.get((name, is_right), ())) < MOST_SAMPLES

    def may_search(self, name: str) -> bool:
        """Whether the next mismatch of this subject is tried against every fault."""
        return self._searches[name] < FULL_SEARCHES and not self._is_over()

    def find(self, name: str, sample: Sample[Asked, Answer]) -> Candidate | None:
        """The fault that explains this mismatch, None where none does."""
        believed = self._believed.setdefault(name, [])
        for fault in believed:
            if self.fits(fault, sample):
                return fault
        if not self.may_search(name):
            return None
        self._searches[name] += 1
        rivals = self.rivals(name, sample)
        if not rivals:
            return None
        believed.append(rivals[0])
        return rivals[0]

    def adopt(self, learnt: Iterable[Candidate]) -> None:
        """Know these faults by their rules, in the place of those that were learnt before."""
        fresh = [one for one in learnt if one not in self._all]
        rules = {(one.stage, one.rule) for one in fresh}
        self._adopted = [*(one for one in self._adopted if (one.stage, one.rule) not in rules), *fresh]

    def rivals(self, name: str, sample: Sample[Asked, Answer]) -> list[Candidate]:
        """All that explain this mismatch and are not contradicted by most samples, the best first."""
        return self._by_credit(name, (one for one in self._all if self.fits(one, sample)))

    def believable(self, name: str) -> list[Candidate]:
        """The faults that were believed, and all that explain more samples than they contradict, the best first."""
        believed = self._believed.get(name, ())
        if self._is_over():
            return [*believed]
        return [one for one in self.credible(name) if one in believed or self._credit(name, one)]

    def credible(self, name: str) -> list[Candidate]:
        """All that most samples do not contradict, the best first."""
        return self._by_credit(name, self._all)

    def speaks_for(self, name: str, stage: str, rule: str) -> bool:
        """Whether more samples bear the fault of this rule out than contradict it."""
        return any((self._credit(name, one) or 0) > 0 for one in self.of_rule(stage, rule))

    def of_rule(self, stage: str, rule: str) -> list[Candidate]:
        """The fault of a rule, or all of its variants."""
        return [one for one in (*self._all, *self._adopted) if (one.stage, one.rule) == (stage, rule)]

    @property
    def every(self) -> Sequence[Candidate]:
        """All but those that are learnt."""
        return self._all

    def all_for(
        self, differing: Sequence[Sample[Asked, Answer]], unexplained: Sequence[Sample[Asked, Answer]]
    ) -> Iterator[Candidate]:
        """Every fault, and those that can be learnt from samples that differ, and from those that nothing explains."""
        yield from self._all
        yield from self._learnt(differing, unexplained)

    def _by_credit(self, name: str, some: Iterable[Candidate]) -> list[Candidate]:
        credible = {one: credit for one in some if (credit := self._credit(name, one)) is not None}
        return sorted(credible, key=lambda one: (credible[one], self._is_known(name, one)), reverse=True)

    def forget_beliefs(self, name: str) -> None:
        """Weigh the faults anew: there are other samples."""
        self._believed.pop(name, None)

    def unexplained(self, name: str, fault: Candidate | None) -> Sequence[Sample[Asked, Answer]]:
        """The answers of a subject that differ, and that the fault does not give."""
        differing = self._samples.get((name, False), [])
        if fault is None:
            return differing
        key = name, fault
        if key not in self._unexplained:
            given = ((one, self.remembered(fault, one.asked)) for one in differing)
            self._unexplained[key] = [one for one, predicted in given if not agree(predicted, one.observed)]
        return self._unexplained[key]

    def heard(self, name: str) -> list[Sample[Asked, Answer]]:
        """All samples of a subject."""
        return [one for agrees in (True, False) for one in self._samples.get((name, agrees), ())]

    def fits(self, fault: Candidate, sample: Sample[Asked, Answer]) -> bool:
        """Whether the fault gives what the subject gave."""
        return agree(self.remembered(fault, sample.asked), sample.observed)

    @cached_property
    def _all(self) -> Sequence[Candidate]:
        return tuple(self._make())

    def _credit(self, name: str, fault: Candidate) -> int | None:
        """The number of samples it explains less those it contradicts; None where it is not to be believed."""
        key = name, fault
        if key not in self._credits:
            explained = contradicted = 0
            for agrees in (True, False):
                for sample in self._samples.get((name, agrees), ()):
                    predicted = self.remembered(fault, sample.asked)
                    if predicted is not None and not agree(predicted, sample.expected):
                        fits = agree(predicted, sample.observed)
                        explained += fits
                        contradicted += not fits
            self._credits[key] = explained - contradicted if explained >= contradicted else None
        return self._credits[key]

    def predicted(self, fault: Candidate, asked: Asked) -> Answer | None:
        """The answer of a fault, None where it has none."""
        return predicted(lambda: self._predict(fault, asked))


def agree(predicted: object, answer: object) -> bool:
    """Whether they are equal, as far as both say something: not every subject can keep special tokens."""
    if isinstance(predicted, Decoded) and isinstance(answer, Decoded):
        return predicted.text == answer.text and answer.with_special in (None, predicted.with_special)
    return predicted == answer
