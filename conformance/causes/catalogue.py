"""The faults of one model with what each answers, and the answers of a subject that they are held against."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Generic, TypeAlias, TypeVar

from conformance.causes.edits import DecodingFault, Fault, predicted
from conformance.core.observation import Decoded

MOST_REMEMBERED = 1 << 17
"""Answers of faults, which are the same for all subjects."""

Candidate = TypeVar("Candidate", bound=Fault | DecodingFault)
Asked = TypeVar("Asked", bound=Sequence[object])
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Sample(Generic[Asked, Answer]):
    """A question, the right answer, and that of a subject, which differs, or might."""

    asked: Asked
    expected: Answer
    observed: Answer


Learnt: TypeAlias = Callable[[Sequence[Sample[Asked, Answer]], Sequence[Sample[Asked, Answer]]], Iterable[Candidate]]


class Catalogue(Generic[Candidate, Asked, Answer]):
    """The faults of one model.

    all_faults: made when they are first needed. predict: what a fault answers; it may raise anything.
    learnt: faults that take what they change from samples that differ, and from those that nothing explains.
    concerns: whether a fault could change the answer at all.
    """

    def __init__(
        self,
        all_faults: Callable[[], Iterable[Candidate]],
        predict: Callable[[Candidate, Asked], Answer],
        learnt: Learnt[Asked, Answer, Candidate] = lambda differing, unexplained: (),
        concerns: Callable[[Candidate, Asked], bool] = lambda fault, asked: True,
    ) -> None:
        self._make = all_faults
        self._learnt = learnt
        self._predict = predict
        self.concerns = concerns
        self.remembered = lru_cache(maxsize=MOST_REMEMBERED)(self.predicted)
        self._adopted: list[Candidate] = []

    @cached_property
    def every(self) -> Sequence[Candidate]:
        """All but those that are learnt."""
        return tuple(self._make())

    def all_for(
        self, differing: Sequence[Sample[Asked, Answer]], unexplained: Sequence[Sample[Asked, Answer]]
    ) -> Iterator[Candidate]:
        """Every fault, and those that can be learnt from samples that differ, and from those that nothing explains."""
        yield from self.every
        yield from self._learnt(differing, unexplained)

    def adopt(self, learnt: Iterable[Candidate]) -> None:
        """Know these faults by their rules, in the place of those that were learnt before."""
        fresh = [one for one in learnt if one not in self.every]
        rules = {(one.stage, one.rule) for one in fresh}
        self._adopted = [*(one for one in self._adopted if (one.stage, one.rule) not in rules), *fresh]

    def of_rule(self, stage: str, rule: str) -> list[Candidate]:
        """The fault of a rule, or all of its variants."""
        return [one for one in (*self.every, *self._adopted) if (one.stage, one.rule) == (stage, rule)]

    def fits(self, fault: Candidate, sample: Sample[Asked, Answer]) -> bool:
        """Whether the fault gives what the subject gave."""
        return agree(self.remembered(fault, sample.asked), sample.observed)

    def predicted(self, fault: Candidate, asked: Asked) -> Answer | None:
        """What a fault answers, or None."""
        return predicted(lambda: self._predict(fault, asked))


def agree(predicted: object, answer: object) -> bool:
    """Whether they are equal, as far as both say something: not every subject can keep special tokens."""
    if isinstance(predicted, Decoded) and isinstance(answer, Decoded):
        return predicted.text == answer.text and answer.with_special in (None, predicted.with_special)
    return predicted == answer
