"""The hypothesis that says best what a subject does: it fits the mismatch, and other answers bear it out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from conformance.hypotheses import DecodingHypothesis, Hypothesis
from conformance.observation import Decoded
from reftok import ReftokError

FULL_SEARCHES = 30
MOST_WITNESSES = 60

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

    all_hypotheses: made when they are first needed. foretell: what a hypothesis answers; ReftokError where it cannot.
    """

    def __init__(
        self,
        all_hypotheses: Callable[[], Iterable[Supposed]],
        foretell: Callable[[Supposed, Given], Answer],
    ) -> None:
        self._make = all_hypotheses
        self._foretell = foretell
        self._believed: dict[str, list[Supposed]] = {}
        self._credits: dict[tuple[str, Supposed], int | None] = {}
        self._witnesses: dict[tuple[str, bool], list[Witness[Given, Answer]]] = {}
        self._searches: Counter[str] = Counter()

    def renew(self) -> None:
        """Forget all subjects."""
        for known in (self._believed, self._credits, self._witnesses, self._searches):
            known.clear()

    def hear(self, name: str, witness: Witness[Given, Answer]) -> None:
        """Take what a subject did; the first right answers and the first others are kept."""
        heard = self._witnesses.setdefault((name, witness.right == witness.differing), [])
        if len(heard) < MOST_WITNESSES:
            heard.append(witness)
            self._credits.clear()

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
        fitting = [hypothesis for hypothesis in self._all if self.fits(hypothesis, witness)]
        credible = {one: credit for one in fitting if (credit := self._credit(name, one)) is not None}
        if not credible:
            return None
        believed.append(max(credible, key=credible.__getitem__))
        return believed[-1]

    def believable(self, name: str) -> list[Supposed]:
        """Those that were believed of a subject, then all that explain more witnesses than they contradict."""
        believed = self._believed.setdefault(name, [])
        others = (one for one in self._all if one not in believed and (self._credit(name, one) or 0) > 0)
        return [*believed, *others]

    def unexplained(self, name: str, hypothesis: Supposed | None) -> list[Witness[Given, Answer]]:
        """The answers of a subject that differ, and that the hypothesis does not give."""
        differing = self._witnesses.get((name, False), ())
        return [one for one in differing if hypothesis is None or not self.fits(hypothesis, one)]

    def fits(self, hypothesis: Supposed, witness: Witness[Given, Answer]) -> bool:
        """Whether the hypothesis gives what the subject gave."""
        return _agree(self._foretold(hypothesis, witness.given), witness.differing)

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
                    foretold = self._foretold(hypothesis, witness.given)
                    if foretold is not None and not _agree(foretold, witness.right):
                        fits = _agree(foretold, witness.differing)
                        explained += fits
                        contradicted += not fits
            self._credits[key] = explained - contradicted if explained >= contradicted else None
        return self._credits[key]

    def _foretold(self, hypothesis: Supposed, given: Given) -> Answer | None:
        try:
            return self._foretell(hypothesis, given)
        except ReftokError:
            return None


def _agree(foretold: object, answer: object) -> bool:
    """Equal, as far as both say something: not every subject can keep special tokens."""
    if isinstance(foretold, Decoded) and isinstance(answer, Decoded):
        return foretold.text == answer.text and answer.with_special in (None, foretold.with_special)
    return foretold == answer
