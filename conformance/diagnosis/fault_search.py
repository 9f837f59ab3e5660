"""The hypothesis that says best what a subject does: it fits the mismatch, and other answers bear it out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Generic, TypeVar

from conformance.core.observation import Decoded
from conformance.faults import DecodingHypothesis, Hypothesis, foretold

FULL_SEARCHES = 30
MOST_WITNESSES = 60
MOST_REMEMBERED = 1 << 15
"""Answers of hypotheses to witnesses, which are the same for all subjects."""

Supposed = TypeVar("Supposed", bound=Hypothesis | DecodingHypothesis)
Given = TypeVar("Given")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Witness(Generic[Given, Answer]):
    """What was asked, the right answer, and one that differs, or might."""

    given: Given
    right: Answer
    differing: Answer


class HypothesisSearch(Generic[Supposed, Given, Answer]):
    """Which of the hypotheses explains a mismatch.

    Of those that fit it, the one is believed that foretells best what the subject did with the witnesses; where it
    would give another answer than the right one, at least half of them must be the subject's. The first
    `FULL_SEARCHES` mismatches of a subject are tried against every hypothesis, the others only against those that were
    believed before.

    all_hypotheses: made when they are first needed. foretell: what a hypothesis answers; it may raise anything.
    is_known: whether something else speaks for a hypothesis about a subject, of two that the witnesses bear out alike.
    """

    def __init__(
        self,
        all_hypotheses: Callable[[], Iterable[Supposed]],
        foretell: Callable[[Supposed, Given], Answer],
        is_known: Callable[[str, Supposed], bool] = lambda name, hypothesis: False,
    ) -> None:
        self._make = all_hypotheses
        self._foretell = foretell
        self._is_known = is_known
        self._remembered = lru_cache(maxsize=MOST_REMEMBERED)(self.foretold)
        self._believed: dict[str, list[Supposed]] = {}
        self._credits: dict[tuple[str, Supposed], int | None] = {}
        self._witnesses: dict[tuple[str, bool], list[Witness[Given, Answer]]] = {}
        self._unexplained: dict[tuple[str, Supposed], list[Witness[Given, Answer]]] = {}
        self._searches: Counter[str] = Counter()

    def renew(self) -> None:
        """Forget all subjects."""
        for known in (self._believed, self._credits, self._witnesses, self._unexplained, self._searches):
            known.clear()

    def hear(self, name: str, witness: Witness[Given, Answer], is_summoned: bool = False) -> None:
        """Take what a subject did; the first right answers and the first others are kept, and all that were sought."""
        heard = self._witnesses.setdefault((name, witness.right == witness.differing), [])
        if is_summoned or len(heard) < MOST_WITNESSES:
            heard.append(witness)
            self._credits.clear()
            self._unexplained.clear()

    def may_search(self, name: str) -> bool:
        """Whether the next mismatch of this subject is tried against every hypothesis."""
        return self._searches[name] < FULL_SEARCHES

    def find(self, name: str, witness: Witness[Given, Answer]) -> Supposed | None:
        """The hypothesis that explains this mismatch, None where none does."""
        believed = self._believed.setdefault(name, [])
        for hypothesis in believed:
            if self.fits(hypothesis, witness):
                return hypothesis
        if not self.may_search(name):
            return None
        self._searches[name] += 1
        rivals = self.rivals(name, witness)
        if not rivals:
            return None
        believed.append(rivals[0])
        return rivals[0]

    def rivals(self, name: str, witness: Witness[Given, Answer]) -> list[Supposed]:
        """All that explain this mismatch and are not contradicted by most witnesses, the best first."""
        return self._by_credit(name, (one for one in self._all if self.fits(one, witness)))

    def believable(self, name: str) -> list[Supposed]:
        """What was believed of a subject, and all that explains more witnesses than it contradicts, the best first."""
        believed = self._believed.get(name, ())
        return [one for one in self.credible(name) if one in believed or self._credit(name, one)]

    def credible(self, name: str) -> list[Supposed]:
        """All that most witnesses do not contradict, the best first."""
        return self._by_credit(name, self._all)

    def speaks_for(self, name: str, stage: str, rule: str) -> bool:
        """Whether more witnesses bear the hypothesis of this rule out than contradict it."""
        return any((self._credit(name, one) or 0) > 0 for one in self.of_rule(stage, rule))

    def of_rule(self, stage: str, rule: str) -> list[Supposed]:
        """The hypothesis of a rule, or all of its variants."""
        return [one for one in self._all if (one.stage, one.rule) == (stage, rule)]

    def _by_credit(self, name: str, some: Iterable[Supposed]) -> list[Supposed]:
        credible = {one: credit for one in some if (credit := self._credit(name, one)) is not None}
        return sorted(credible, key=lambda one: (credible[one], self._is_known(name, one)), reverse=True)

    def forget_beliefs(self, name: str) -> None:
        """Weigh the hypotheses anew: there are other witnesses."""
        self._believed.pop(name, None)

    def unexplained(self, name: str, hypothesis: Supposed | None) -> Sequence[Witness[Given, Answer]]:
        """The answers of a subject that differ, and that the hypothesis does not give."""
        differing = self._witnesses.get((name, False), [])
        if hypothesis is None:
            return differing
        key = name, hypothesis
        if key not in self._unexplained:
            given = ((one, self._remembered(hypothesis, one.given)) for one in differing)
            self._unexplained[key] = [one for one, foretold in given if not _agree(foretold, one.differing)]
        return self._unexplained[key]

    def heard(self, name: str) -> list[Witness[Given, Answer]]:
        """All witnesses of a subject."""
        return [one for agrees in (True, False) for one in self._witnesses.get((name, agrees), ())]

    def fits(self, hypothesis: Supposed, witness: Witness[Given, Answer]) -> bool:
        """Whether the hypothesis gives what the subject gave."""
        return _agree(self.foretold(hypothesis, witness.given), witness.differing)

    @cached_property
    def _all(self) -> Sequence[Supposed]:
        return tuple(self._make())

    def _credit(self, name: str, hypothesis: Supposed) -> int | None:
        """How many witnesses it explains more than it contradicts; None where it is not to be believed."""
        key = name, hypothesis
        if key not in self._credits:
            explained = contradicted = 0
            for agrees in (True, False):
                for witness in self._witnesses.get((name, agrees), ()):
                    foretold = self._remembered(hypothesis, witness.given)
                    if foretold is not None and not _agree(foretold, witness.right):
                        fits = _agree(foretold, witness.differing)
                        explained += fits
                        contradicted += not fits
            self._credits[key] = explained - contradicted if explained >= contradicted else None
        return self._credits[key]

    def foretold(self, hypothesis: Supposed, given: Given) -> Answer | None:
        """What a hypothesis answers, None where it cannot."""
        return foretold(lambda: self._foretell(hypothesis, given))


def _agree(foretold: object, answer: object) -> bool:
    """Equal, as far as both say something: not every subject can keep special tokens."""
    if isinstance(foretold, Decoded) and isinstance(answer, Decoded):
        return foretold.text == answer.text and answer.with_special in (None, foretold.with_special)
    return foretold == answer
